// The models of validation/ with solids beside beams; they need the program gmsh.
#include "check.h"

#include <limber/fe.h>
#include <limber/limber.h>

#include <stdlib.h>

static void note(void *user, const lmb_comparison *c) {
    ++*(int *)user;
    if (!CHECK(c->passed))
        check_note("%s, %s: %.10g, reference %.10g, difference %.2e", c->case_name, c->quantity, c->ours,
                   c->reference, c->difference);
}

static void validate(const char *model, int comparisons) {
    lmb_error err = {0};
    int count = 0;
    if (system("gmsh --version >/dev/null 2>&1") != 0) {
        check_skip("gmsh is not installed");
        return;
    }
    lmb_part_settings how = {.factoriser = lmb_fe_cholmod()};
    CHECK_OK(lmb_validate(check_source(model), &how, note, &count, &err), err);
    CHECK(count == comparisons);
}

TEST(pendulum_of_bricks_and_of_beams) { validate("validation/flexible_pendulum_solid.yaml", 8); }
TEST(slider_crank_of_bricks_and_of_beams) { validate("validation/elastic_slider_crank_solid.yaml", 9); }

// tests/unit/test_draw_markers.c: bodies without a shape are drawn as lines to their markers, however many there are.
#include "check.h"
#include "draw/drawing.h"
#include "store/results.h"

#include <time.h>

enum { MANY = 100000 };

// MANY bodies at one pose, each with a marker of its own at x = 1, and one more at the last
static lmb_text many_bodies(void) {
    lmb_text t = {0};
    lmb_text_add(&t, "{\"title\": \"many\", \"length\": 1, \"gravity\": [0, 0, 0], \"bodies\": [");
    for (int i = 0; i < MANY; i++)
        lmb_text_add(&t, "%s{\"name\": \"b\", \"kind\": \"rigid\", \"q\": 0}", i ? ",\n" : "");
    lmb_text_add(&t, "], \"markers\": [");
    for (int i = 0; i <= MANY; i++)
        lmb_text_add(&t, "%s{\"name\": \"m\", \"body\": %d, \"at\": [%d, 0, 0], \"rotation\": [1, 0, 0, 0]}",
                     i ? ",\n" : "", i < MANY ? i : MANY - 1, i < MANY ? 1 : 2);
    lmb_text_add(&t, "], \"joints\": [], \"forces\": []}\n");
    return t;
}

static bool write_results(const char *path, const char *scene) {
    static const lmb_column columns[] = {{"b.x", "m"}, {"b.y", "m"}, {"b.z", "m"}, {"b.qw", ""},
                                         {"b.qx", ""}, {"b.qy", ""}, {"b.qz", ""}};
    static const lmb_table table = {"q", "coordinates", 7, columns};
    static const lmb_group group = {"01_dynamics", "dynamics", 1, &table, 0, NULL, 0};
    static const double row[7] = {0, 0, 0, 1, 0, 0, 0};
    const lmb_results_info info = {.version = "0",
                                   .command = "",
                                   .model_file = "",
                                   .model_text = "",
                                   .created = "",
                                   .text_count = 1,
                                   .text_names = (const char *const[]){"scene"},
                                   .texts = &scene};
    lmb_results *w;
    lmb_error err = {0};
    return CHECK_OK(lmb_results_create(&w, path, &info, &group, 1, 1, &err), err) &&
           CHECK_OK(lmb_results_row(w, 0, 0, (const double *const[]){row}, &err), err) &&
           CHECK_OK(lmb_results_close(w, &err), err);
}

TEST(the_markers_of_many_bodies_are_found_at_once) {
    const char *path = check_temp("markers.h5");
    lmb_text scene = many_bodies();
    lmb_drawing *d = NULL;
    lmb_error err = {0};
    if (write_results(path, scene.text)) {
        clock_t begin = clock();
        if (CHECK_OK(lmb_drawing_create(&d, path, &(lmb_export_options){0}, &err), err)) {
            double seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
            check_note("%.2f s", seconds);
            CHECK(seconds < 6); // for each body all markers: 1e10
            CHECK(d->body_count == MANY && d->bodies[0].skin.line_count == 1);
            CHECK(d->bodies[MANY - 1].skin.line_count == 2 && d->bodies[MANY - 1].skin.x[6] == 2);
        }
        lmb_drawing_destroy(d);
    }
    lmb_text_free(&scene);
}

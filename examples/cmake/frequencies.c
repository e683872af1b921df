// examples/cmake/frequencies.c: frequencies PART: the first natural frequencies of a free part, meshes factorised by CHOLMOD.
#include <limber/fe.h>
#include <limber/limber.h>

#include <stdio.h>

int main(int argc, char **argv) {
    lmb_error err = {0};
    lmb_modes modes;
    lmb_modes_wanted wanted = {.count = 5};
    lmb_part_settings how = {.factoriser = lmb_fe_cholmod()};
    char text[1200];
    if (argc != 2) return fprintf(stderr, "usage: frequencies PART\n"), 2;
    if (lmb_modes_file(&modes, argv[1], &wanted, &how, &err) != LMB_OK) {
        fprintf(stderr, "%s\n", lmb_error_format(text, sizeof text, &err));
        return (int)err.code;
    }
    for (int i = 0; i < modes.count; i++) printf("%.12g Hz\n", modes.frequency[i]);
    lmb_modes_release(&modes);
    return 0;
}

// examples/cmake/last_values.c: last_values MODEL: runs the first analysis of a model and prints all sensors at its end.
#include <limber/limber.h>

#include <stdio.h>

static lmb_status print_last_values(const char *path, lmb_error *err) {
    lmb_document *document = NULL;
    lmb_system *system = NULL;
    lmb_simulation *simulation = NULL;
    lmb_status status = lmb_document_read_file(&document, path, err);
    if (status == LMB_OK) status = lmb_system_create(&system, document, NULL, 0, err);
    if (status == LMB_OK) status = lmb_simulation_create(&simulation, system, err);
    if (status == LMB_OK) status = lmb_simulation_run(simulation, 0, NULL, NULL, err);
    for (int i = 0; status == LMB_OK && i < lmb_system_sensor_count(system); i++)
        printf("%s [%s] %.17g\n", lmb_system_sensor_name(system, i), lmb_system_sensor_unit(system, i),
               lmb_simulation_sensor(simulation, i));
    lmb_simulation_destroy(simulation);
    lmb_system_destroy(system);
    lmb_document_destroy(document);
    return status;
}

int main(int argc, char **argv) {
    lmb_error err = {0};
    char text[1200];
    if (argc != 2) return fprintf(stderr, "usage: last_values MODEL\n"), 2;
    if (print_last_values(argv[1], &err) == LMB_OK) return 0;
    fprintf(stderr, "%s\n", lmb_error_format(text, sizeof text, &err));
    return (int)err.code;
}

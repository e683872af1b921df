// libFuzzer: body files made wrong: refused with a text, or a body that can be described and used in a model.
//
// The first byte chooses the use; tests/fuzz/hdf5_target.h says what the others do.
//   build/fuzz/fuzz-body
#include "body_target.h"

int LLVMFuzzerInitialize(int *argc, char ***argv) {
    (void)argc, (void)argv;
    body_begin();
    hdf5_seeds(4);
    return 0;
}

static lmb_status describe(lmb_error *err) {
    lmb_flex *f;
    lmb_text text = {0};
    lmb_status st = lmb_flex_read_file(&f, hdf5_target.path, err);
    if (st != LMB_OK) return st;
    lmb_flex_describe(&text, f);
    lmb_text_free(&text);
    lmb_flex_destroy(f);
    return LMB_OK;
}

static lmb_status read_arrays(lmb_error *err) {
    lmb_body_file *b;
    double sum = 0;
    lmb_status st = lmb_body_file_open(&b, hdf5_target.path, err);
    for (int i = 0; st == LMB_OK && i < lmb_body_file_array_count(b); i++) {
        const lmb_body_array *a = lmb_body_file_array(b, i);
        size_t count = 1;
        for (int k = 0; k < a->rank; k++) count *= a->size[k];
        for (size_t k = 0; k < count; k++) sum += a->numbers ? a->numbers[k] : a->integers[k];
    }
    if (sum != sum) (void)sum; // all were read
    lmb_body_file_close(b);
    return st;
}

// what check does: compiles, sets up the equations and reads all sensors
static lmb_status compile(const char *formulation, lmb_error *err) {
    char text[500], *report = NULL;
    lmb_document *d;
    lmb_system *s = NULL;
    snprintf(text, sizeof text,
             "limber: 1\nbodies: {rod: {type: reduced, file: %s, spin: [0, 0, 9]%s}}\nsensors: {tip: {type: "
             "position, of: "
             "rod.end}}\nanalyses: [{type: statics}]\n",
             hdf5_target.path, formulation);
    lmb_status st = lmb_document_read_text(&d, text, "use.yaml", err);
    if (st == LMB_OK) st = lmb_system_create(&s, d, NULL, 0, err);
    lmb_document_destroy(d);
    if (st == LMB_OK) st = lmb_system_report(&report, s, err);
    lmb_text_release(report);
    lmb_system_destroy(s);
    return st;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    lmb_error err = {0};
    if (size < 1 + HDF5_STEP || !hdf5_spoil(data + 1, size - 1)) return 0;
    lmb_status st = data[0] % 4 == 0   ? describe(&err)
                    : data[0] % 4 == 1 ? read_arrays(&err)
                    : data[0] % 4 == 2 ? compile("", &err)
                                       : compile(", formulation: superelement", &err);
    hdf5_answer(st, &err);
    return 0;
}

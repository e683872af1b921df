// libFuzzer: state spaces in results files made wrong: all that reads them, for people and for other programs, ends well or with a text.
//
// The first byte chooses who reads; tests/fuzz/hdf5_target.h says what the others do.
//   build/fuzz/fuzz-linear
#include "hdf5_target.h"

static const char model[] =
    "limber: 1\n"
    "inputs: {push: {unit: N}, base: {unit: m}}\n"
    "bodies: {table: {mass: 1, inertia: 1}, cart: {mass: 2, inertia: 1}}\n"
    "joints:\n"
    "  zero: {type: translational, between: [ground, table], axis: [1, 0, 0], motion: base}\n"
    "  one: {type: translational, between: [table, cart], axis: [1, 0, 0], spring: {stiffness: 8}}\n"
    "forces: {push: {type: force, on: cart, value: [push, 0, 0]}}\n"
    "sensors: {x: {type: position, of: cart}, a: {type: acceleration, of: cart}}\n"
    "outputs: [x.x, a.x]\n"
    "analyses: [{type: linearise}, {type: response, from: 0.1 Hz, to: 1 Hz, points: 3}]\n";

int LLVMFuzzerInitialize(int *argc, char ***argv) {
    lmb_error err = {0};
    lmb_document *d;
    lmb_system *s = NULL;
    (void)argc, (void)argv;
    hdf5_begin();
    hdf5_require(lmb_document_read_text(&d, model, "cart.yaml", &err) == LMB_OK, err.text);
    hdf5_require(lmb_system_create(&s, d, NULL, 0, &err) == LMB_OK, err.text);
    hdf5_require(lmb_run_file(NULL, s, &(lmb_run_options){.output = hdf5_target.path}, &err) == LMB_OK,
                 err.text);
    lmb_system_destroy(s);
    lmb_document_destroy(d);
    hdf5_target.objects = hostile_objects(hdf5_target.path);
    hdf5_require(hdf5_target.objects && hdf5_target.objects->count > 30, "no objects");
    hdf5_take(0);
    hdf5_seeds(6);
    return 0;
}

static lmb_status export_to(const char *ending, const char *in, lmb_error *err) {
    char path[200];
    const lmb_export_options linear = {.analysis = "linearise"};
    snprintf(path, sizeof path, "%s/out.%s", hdf5_target.folder, ending);
    return lmb_export_file(path, in, &linear, err);
}

static lmb_status use(int reader, lmb_error *err) {
    const char *in = hdf5_target.path;
    const lmb_view_options page = {
        .results = &in, .result_count = 1, .page = "@@limber-title@@ @@limber-data@@", .frames = 2};
    char *text = NULL;
    lmb_status st = LMB_OK;
    switch (reader % 6) {
    case 0: st = lmb_results_describe(&text, in, err); break;
    case 1: st = export_to("mat", in, err); break;
    case 2: st = export_to("npz", in, err); break;
    case 3: st = export_to("mtx", in, err); break;
    case 4: st = lmb_view_file(hdf5_target.out, &page, err); break;
    default: st = lmb_export_csv_file(hdf5_target.out, in, NULL, err); break;
    }
    lmb_text_release(text);
    return st;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    lmb_error err = {0};
    if (size < 1 + HDF5_STEP || !hdf5_spoil(data + 1, size - 1)) return 0;
    hdf5_answer(use(data[0], &err), &err);
    return 0;
}

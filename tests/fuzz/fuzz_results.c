// libFuzzer: results files made wrong: all that reads them, and resuming, ends well or with a text.
//
// The first byte chooses who reads; tests/fuzz/hdf5_target.h says what the others do.
//   build/fuzz/fuzz-results
#include "hdf5_target.h"
#include "store/results_make.h"

static const char model[] = "limber: 1\n"
                            "parameters: {L: 0.3, m: 1}\n"
                            "bodies:\n"
                            "  rod: {type: beam, length: L, section: {circle: 10 mm}, material: steel, "
                            "elements: 2, shapes: [{eigen: 2}]}\n"
                            "  bob: {mass: m, inertia: [1, 1, 1], at: [L, 0, 0], shape: {sphere: 0.1}}\n"
                            "joints:\n"
                            "  pin: {type: revolute, between: [ground, rod.start], axis: [0, 0, 1]}\n"
                            "  end: {type: revolute, between: [rod.end, bob], axis: [0, 0, 1]}\n"
                            "sensors: {tip: {type: position, of: rod.end}}\n"
                            "forces: {push: {type: force, on: bob, value: [0, 1, 0]}}\n"
                            "events: {half: {at: 0.001, off: [push]}}\n"
                            "analyses: [{type: dynamics, until: 0.002, every: 0.001}]\n";

static lmb_system *rod;

int LLVMFuzzerInitialize(int *argc, char ***argv) {
    lmb_error err = {0};
    lmb_document *d;
    (void)argc, (void)argv;
    hdf5_begin();
    hdf5_require(lmb_document_read_text(&d, model, "rod.yaml", &err) == LMB_OK, err.text);
    hdf5_require(lmb_system_create(&rod, d, NULL, 0, &err) == LMB_OK, err.text);
    hdf5_require(lmb_run_file(NULL, rod, &(lmb_run_options){.output = hdf5_target.path}, &err) == LMB_OK,
                 err.text);
    lmb_document_destroy(d);
    hdf5_target.objects = hostile_objects(hdf5_target.path);
    hdf5_require(hdf5_target.objects && hdf5_target.objects->count > 40, "no objects");
    hdf5_take(0);
    hdf5_seeds(6);
    return 0;
}

// gives a checkpoint the hash that belongs to its bytes
static void seal(hid_t file, const char *name) {
    hid_t set = H5Dopen2(file, name, H5P_DEFAULT), space = set < 0 ? set : H5Dget_space(set);
    hssize_t size = space < 0 ? 0 : H5Sget_simple_extent_npoints(space);
    unsigned char *slot =
        size > (hssize_t)sizeof(lmb_h5_slot_header) && size < 1 << 20 ? malloc((size_t)size) : NULL;
    lmb_h5_slot_header h;
    if (slot && H5Dread(set, H5T_NATIVE_UINT8, H5S_ALL, H5S_ALL, H5P_DEFAULT, slot) >= 0) {
        memcpy(&h, slot, sizeof h);
        h.size = (uint64_t)size - sizeof h;
        memcpy(slot, &h, sizeof h);
        h.hash = lmb_hash(LMB_HASH_START, slot, offsetof(lmb_h5_slot_header, hash));
        h.hash = lmb_hash(h.hash, slot + sizeof h, (size_t)h.size);
        memcpy(slot, &h, sizeof h);
        H5Dwrite(set, H5T_NATIVE_UINT8, H5S_ALL, H5S_ALL, H5P_DEFAULT, slot);
    }
    free(slot);
    if (space >= 0) H5Sclose(space);
    if (set >= 0) H5Dclose(set);
}

static lmb_status resume(lmb_error *err) {
    hid_t file = H5Fopen(hdf5_target.path, H5F_ACC_RDWR, H5P_DEFAULT);
    if (file >= 0)
        seal(file, "01_dynamics/checkpoint_a"), seal(file, "01_dynamics/checkpoint_b"), H5Fclose(file);
    return lmb_run_file(NULL, rod, &(lmb_run_options){.output = hdf5_target.path, .resume = true}, err);
}

static lmb_status use(int reader, lmb_error *err) {
    const char *in = hdf5_target.path, *out = hdf5_target.out;
    const lmb_export_options few = {.frames = 2};
    const char *runs[] = {in, in};
    const lmb_view_options page = {.results = runs,
                                   .result_count = 1 + reader / 6 % 2,
                                   .page = "@@limber-title@@ @@limber-data@@",
                                   .frames = 2};
    char *text = NULL;
    lmb_status st = LMB_OK;
    switch (reader % 6) {
    case 0: st = lmb_results_describe(&text, in, err); break;
    case 1: st = lmb_export_csv_file(out, in, NULL, err); break;
    case 2: st = lmb_export_vtk_file(out, in, &few, err); break;
    case 3: st = lmb_export_glb_file(out, in, &few, err); break;
    case 4: st = lmb_view_file(out, &page, err); break;
    default: st = resume(err); break;
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

// libFuzzer: any bytes as the scene of a results file: drawn, or refused with a text.
//
// The first byte chooses the picture.
//   build/fuzz/fuzz-scene -dict=tests/fuzz/scene.dict
#include "hdf5_target.h"
#include "store/results.h"

enum { ROOM = 4096 }; // bytes of a scene

static const char model[] = "limber: 1\n"
                            "bodies:\n"
                            "  rod: {type: beam, length: 0.3, section: {circle: 10 mm}, material: steel, "
                            "elements: 1, shapes: [{eigen: 1}]}\n"
                            "  bob: {mass: 1, inertia: [1, 1, 1], at: [0.3, 0, 0], shape: {sphere: 0.1}}\n"
                            "joints: {pin: {type: revolute, between: [ground, rod.start], axis: [0, 0, 1]}}\n"
                            "analyses: [{type: dynamics, until: 0.001, every: 0.001}]\n";

static haddr_t place; // of the scene in the file

// the scene of the sound file, for each picture
static void seed(const char *path) {
    lmb_error err = {0};
    lmb_reader *r;
    hdf5_require(lmb_reader_open(&r, path, &err) == LMB_OK, err.text);
    const char *scene = lmb_reader_text(r, "scene");
    hdf5_require(scene && strlen(scene) < ROOM, "no scene, or a long one");
    char input[ROOM + 1] = "0";
    memcpy(input + 1, scene, strlen(scene));
    for (; input[0] < '3'; input[0]++) fuzz_seed(input, 1 + strlen(scene));
    lmb_reader_close(r);
}

// a scene of a fixed size, whose bytes lie together
static void make_room(const char *path) {
    hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT), space = H5Screate(H5S_SCALAR),
          type = H5Tcopy(H5T_C_S1);
    char *room = calloc(1, ROOM);
    H5Tset_size(type, ROOM);
    H5Ldelete(file, "scene", H5P_DEFAULT);
    hid_t set = H5Dcreate2(file, "scene", type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    hdf5_require(room && set >= 0 && H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, room) >= 0,
                 "no scene");
    place = H5Dget_offset(set);
    hdf5_require(place != HADDR_UNDEF, "no place of the scene");
    H5Dclose(set), H5Tclose(type), H5Sclose(space), H5Fclose(file);
    free(room);
}

int LLVMFuzzerInitialize(int *argc, char ***argv) {
    lmb_error err = {0};
    lmb_document *d;
    lmb_system *s;
    (void)argc, (void)argv;
    hdf5_begin();
    hdf5_require(lmb_document_read_text(&d, model, "rod.yaml", &err) == LMB_OK, err.text);
    hdf5_require(lmb_system_create(&s, d, NULL, 0, &err) == LMB_OK, err.text);
    hdf5_require(lmb_run_file(NULL, s, &(lmb_run_options){.output = hdf5_target.path}, &err) == LMB_OK,
                 err.text);
    lmb_document_destroy(d);
    lmb_system_destroy(s);
    seed(hdf5_target.path);
    make_room(hdf5_target.path);
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static char room[ROOM];
    const lmb_export_options few = {.frames = 1};
    const char *in = hdf5_target.path, *out = hdf5_target.out;
    const lmb_view_options page = {
        .results = &in, .result_count = 1, .page = "@@limber-title@@ @@limber-data@@", .frames = 1};
    lmb_error err = {0};
    if (size < 2 || size > ROOM) return 0;
    memset(room, 0, sizeof room);
    memcpy(room, data + 1, size - 1);
    FILE *f = fopen(in, "r+b");
    hdf5_require(
        f && fseek(f, (long)place, SEEK_SET) == 0 && fwrite(room, 1, ROOM, f) == ROOM && fclose(f) == 0, in);
    lmb_status st = data[0] % 3 == 0   ? lmb_export_vtk_file(out, in, &few, &err)
                    : data[0] % 3 == 1 ? lmb_export_glb_file(out, in, &few, &err)
                                       : lmb_view_file(out, &page, &err);
    hdf5_answer(st, &err);
    return 0;
}

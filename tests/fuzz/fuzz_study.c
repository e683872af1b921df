// libFuzzer: study files made wrong, and records of members: all that reads them ends well or with a text.
//
// The first byte chooses who reads; tests/fuzz/hdf5_target.h says what the others do.  Records are bytes as they come.
//   build/fuzz/fuzz-study
#include "../unit/study_help.h"
#include "hdf5_target.h"
#include "store/study_record.h"

static const char record[] = "{\"limber_member\": 1, \"hash\": \"a\", \"status\": 0, \"seconds\": 0.5, "
                             "\"measures\": [1.5, null], \"message\": \"no\"}\n";

int LLVMFuzzerInitialize(int *argc, char ***argv) {
    lmb_error err = {0};
    const lmb_study_file f = study_sample();
    (void)argc, (void)argv;
    hdf5_begin();
    hdf5_require(lmb_study_file_write(hdf5_target.path, &f, &err) == LMB_OK, err.text);
    hdf5_target.objects = hostile_objects(hdf5_target.path);
    hdf5_require(hdf5_target.objects && hdf5_target.objects->count > 20, "no objects");
    hdf5_take(0);
    hdf5_seeds(4);
    uint8_t seed[1 + sizeof record] = {255};
    memcpy(seed + 1, record, sizeof record);
    fuzz_seed(seed, sizeof seed - 1);
    return 0;
}

static lmb_status use(int reader, lmb_error *err) {
    const char *in = hdf5_target.path, *out = hdf5_target.out;
    char *text = NULL;
    lmb_study *s = NULL;
    lmb_study_file f;
    lmb_status st = LMB_OK;
    switch (reader % 4) {
    case 0: st = lmb_results_describe(&text, in, err); break;
    case 1: st = lmb_export_csv_file(out, in, NULL, err); break;
    case 2: st = lmb_study_open(&s, in, err); break;
    default: st = lmb_study_file_read(&f, NULL, in, 1, err), lmb_study_file_free(&f); break;
    }
    lmb_study_close(s);
    lmb_text_release(text);
    return st;
}

static void read_record(const char *text, size_t size) {
    double measures[2];
    lmb_member_record r = {.measures = measures};
    if (lmb_member_record_parse(&r, text, size, "a", 2))
        hdf5_require(r.status >= 0 && r.status <= 3, "a status out of range");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    lmb_error err = {0};
    if (size > 0 && data[0] == 255) return read_record((const char *)data + 1, size - 1), 0;
    if (size < 1 + HDF5_STEP || !hdf5_spoil(data + 1, size - 1)) return 0;
    hdf5_answer(use(data[0], &err), &err);
    return 0;
}

// libFuzzer: entries of the cache made wrong, with and without the right hash: read, or removed; never a crash.
//
// The first byte: whether the block in front has the right hash, and which of its bytes is changed if not;
// tests/fuzz/hdf5_target.h says what the others do.
//   build/fuzz/fuzz-cache
#include "body_target.h"
#include "store/cache.h"

static lmb_cache_key key;
static char entry[200];

int LLVMFuzzerInitialize(int *argc, char ***argv) {
    lmb_sha256 s;
    (void)argc, (void)argv;
    body_begin();
    hdf5_seeds(255);
    lmb_sha256_begin(&s);
    key = lmb_cache_key_end(&s);
    setenv("LIMBER_CACHE", hdf5_target.folder, 1);
    snprintf(entry, sizeof entry, "%s/%s.h5", hdf5_target.folder, key.text);
    return 0;
}

// the changed file of this input as an entry, sealed
static void put(uint8_t broken) {
    char block[BODY_BLOCK + 1] = "", *bytes = NULL;
    struct stat about;
    FILE *f = fopen(hdf5_target.path, "rb"), *to = fopen(entry, "wb");
    hdf5_require(f && to && fstat(fileno(f), &about) == 0, entry);
    size_t size = (size_t)about.st_size;
    bytes = malloc(size + 1);
    hdf5_require(bytes && fread(bytes, 1, size, f) == size, entry);
    snprintf(block, sizeof block, "limber body 1\nsize %zu\nhash %016llx\n", size,
             (unsigned long long)lmb_hash(LMB_HASH_START, bytes, size));
    if (broken) block[2 * broken] ^= 1;
    fwrite(block, 1, BODY_BLOCK, to);
    fwrite(bytes, 1, size, to);
    fclose(f), fclose(to);
    free(bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct stat about;
    if (size < 1 + HDF5_STEP || !hdf5_spoil(data + 1, size - 1)) return 0;
    if (stat(hdf5_target.path, &about) != 0 || about.st_size > 1 << 24) return 0; // holes of terabytes
    put(data[0] < 128 ? 0 : data[0]);
    lmb_flex *f = lmb_cache_get(&key);
    hdf5_require(data[0] < 128 || f == NULL, "an entry with a wrong hash was used");
    lmb_flex_destroy(f);
    unlink(entry);
    return 0;
}

// tests/fuzz/body_target.h: a small body file, and what uses one.
#ifndef BODY_TARGET_H
#define BODY_TARGET_H

#include "hdf5_target.h"
#include "store/flex_file.h"

enum { BODY_BLOCK = 512 }; // in front of the HDF5 file: signature, size and hash

// the sound body file, without its block
static inline void body_begin(void) {
    lmb_error err = {0};
    hdf5_begin();
    FILE *f = fopen(hdf5_target.out, "w");
    hdf5_require(f != NULL, hdf5_target.out);
    fputs("limber: 1\npart: {type: beam, length: 0.3, section: {circle: 6 mm}, material: steel, elements: 2, "
          "shapes: [{eigen: 2}]}\n",
          f);
    fclose(f);
    hdf5_require(lmb_reduce_file(NULL, hdf5_target.path, hdf5_target.out,
                                 &(lmb_part_settings){.no_cache = true}, &err) == LMB_OK,
                 err.text);
    hdf5_take(BODY_BLOCK);
    hdf5_write(hdf5_target.path, NULL, 0);
    hdf5_target.objects = hostile_objects(hdf5_target.path);
    hdf5_require(hdf5_target.objects && hdf5_target.objects->count > 40, "no objects");
}

#endif

// os/zip.h: zip archives (.npz, .fmu) in memory, written and read.
#ifndef LMB_OS_ZIP_H
#define LMB_OS_ZIP_H

#include "core/core.h"

// ---- writing -----------------------------------------------------------------------------------

// Start with {0}. The same entries give the same bytes: their date is always 1980-01-01.
typedef struct lmb_zip {
    lmb_text bytes; // the archive, after lmb_zip_end
    lmb_text directory;
    int count;
} lmb_zip;

typedef enum lmb_zip_method { LMB_ZIP_STORED = 0, LMB_ZIP_DEFLATED = 8 } lmb_zip_method;

// name: with / between folders. Less than 2 GB and 65535 entries in all, else LMB_ERR_INPUT.
lmb_status lmb_zip_add(lmb_zip *z, const char *name, const void *data, size_t size, lmb_zip_method method,
                       lmb_error *err);
lmb_status lmb_zip_end(lmb_zip *z, lmb_error *err);
void lmb_zip_free(lmb_zip *z); // also after a failure

// ---- reading -----------------------------------------------------------------------------------

typedef struct lmb_zip_entry {
    const char *name; // relative, without "..", / between folders; a folder ends with /
    int method;
    uint32_t crc;
    size_t size;       // unpacked
    size_t packed, at; // its bytes in the archive
} lmb_zip_entry;

typedef struct lmb_unzip {
    const unsigned char *bytes; // borrowed
    size_t size;
    const char *path; // for messages
    lmb_where where;
    lmb_zip_entry *entries;
    int count;
    char *names;
} lmb_unzip;

// Reads the directory of an archive that may come from anywhere. What lmb_unzip_entry may later be asked for lies within the
// bytes, has a harmless name, and is at most `most` bytes in all. path: for messages. Release with lmb_unzip_close, also after a failure.
lmb_status lmb_unzip_open(lmb_unzip *u, const void *bytes, size_t size, size_t most, const char *path,
                          lmb_where where, lmb_error *err);
int lmb_unzip_find(const lmb_unzip *u, const char *name); // -1: not there
// Unpacks an entry and compares its checksum. *out is freed with lmb_text_free, also after a failure.
lmb_status lmb_unzip_entry(lmb_text *out, const lmb_unzip *u, int i, lmb_error *err);
void lmb_unzip_close(lmb_unzip *u);

#endif

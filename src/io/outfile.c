// io/outfile.c: files that appear complete or not at all.
#include "io/outfile.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

static lmb_status fail_write(lmb_error *err, const char *path, int why) {
    return lmb_fail(err, LMB_ERR_SYSTEM, LMB_NOWHERE, "cannot write '%.400s': %s", path,
                    strerror(why ? why : EIO));
}

lmb_status lmb_outfile_open(lmb_outfile *o, const char *path, lmb_error *err) {
    lmb_text part = {0};
    *o = (lmb_outfile){.path = path};
    if (!lmb_text_add(&part, "%s.part", path)) return lmb_fail_memory(err);
    o->part = part.text;
    o->f = fopen(o->part, "wb");
    if (o->f) return LMB_OK;
    lmb_free(o->part);
    return fail_write(err, path, errno);
}

lmb_status lmb_outfile_close(lmb_outfile *o, lmb_status status, lmb_error *err) {
    errno = 0;
    bool written = fflush(o->f) == 0 && !ferror(o->f);
    int why = errno;
    if (fclose(o->f) != 0 && written) written = false, why = errno;
    if (status == LMB_OK && !written) status = fail_write(err, o->path, why);
    if (status == LMB_OK && rename(o->part, o->path) != 0) status = fail_write(err, o->path, errno);
    if (status != LMB_OK) unlink(o->part);
    lmb_free(o->part);
    *o = (lmb_outfile){0};
    return status;
}

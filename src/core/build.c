// core/build.c: the build id that the linker leaves in programs and libraries (a note of type NT_GNU_BUILD_ID).
#include "core/build.h"

#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

typedef struct search {
    char *out;
    size_t size;
} search;

// notes: name size, contents size, type, then name and contents, each filled up to four bytes
static bool read_notes(search *s, const unsigned char *p, size_t length) {
    while (length >= sizeof(ElfW(Nhdr))) {
        ElfW(Nhdr) head;
        memcpy(&head, p, sizeof head);
        size_t name = (head.n_namesz + 3u) / 4 * 4, contents = (head.n_descsz + 3u) / 4 * 4;
        if (name + contents > length - sizeof head) return false;
        const unsigned char *text = p + sizeof head, *id = text + name;
        if (head.n_type == NT_GNU_BUILD_ID && head.n_namesz == 4 && memcmp(text, "GNU", 4) == 0) {
            for (size_t i = 0; i < head.n_descsz && 2 * i + 3 <= s->size; i++)
                snprintf(s->out + 2 * i, 3, "%02x", id[i]);
            return true;
        }
        p += sizeof head + name + contents, length -= sizeof head + name + contents;
    }
    return false;
}

// the object that this function is part of
static int visit(struct dl_phdr_info *info, size_t size, void *user) {
    uintptr_t here = (uintptr_t)lmb_build_id;
    bool ours = false;
    (void)size;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *h = &info->dlpi_phdr[i];
        uintptr_t from = info->dlpi_addr + h->p_vaddr;
        ours = ours || (h->p_type == PT_LOAD && here >= from && here < from + h->p_memsz);
    }
    for (int i = 0; ours && i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *h = &info->dlpi_phdr[i];
        if (h->p_type == PT_NOTE &&
            read_notes(user, (const unsigned char *)(info->dlpi_addr + h->p_vaddr), h->p_memsz))
            return 1;
    }
    return ours;
}

void lmb_build_id(char *out, size_t size) {
    search s = {out, size};
    out[0] = '\0';
    dl_iterate_phdr(visit, &s);
}

// io/locale.c: numbers get points, whatever the locale of the program.
#include "io/locale.h"

#include <locale.h>
#include <stddef.h>

lmb_plain_locale lmb_locale_begin(void) {
    locale_t plain = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
    return (lmb_plain_locale){(void *)plain, plain ? (void *)uselocale(plain) : NULL};
}

void lmb_locale_end(lmb_plain_locale l) {
    if (l.plain == NULL) return;
    uselocale((locale_t)l.before);
    freelocale((locale_t)l.plain);
}

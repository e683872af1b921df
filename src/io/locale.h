// io/locale.h: numbers get points, whatever the locale of the program: between begin and end, in this thread.
#ifndef LMB_IO_LOCALE_H
#define LMB_IO_LOCALE_H

typedef struct lmb_plain_locale {
    void *plain, *before;
} lmb_plain_locale;
lmb_plain_locale lmb_locale_begin(void);
void lmb_locale_end(lmb_plain_locale l);

#endif

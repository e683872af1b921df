// core/json.c: texts as JSON.
#include "core/json.h"

bool lmb_json_string(lmb_text *out, const char *s) {
    bool ok = lmb_text_add_n(out, "\"", 1);
    for (; ok && *s; s++) {
        unsigned char c = (unsigned char)*s;
        if (c == '"' || c == '\\') ok = lmb_text_add(out, "\\%c", c);
        else if (c < 0x20) ok = lmb_text_add(out, "\\u%04x", c);
        else ok = lmb_text_add_n(out, s, 1);
    }
    return ok && lmb_text_add_n(out, "\"", 1);
}

// core/json.c: JSON (RFC 8259): texts are written, values are read one after the other.
#include "core/json.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 64, LONGEST_NUMBER = 64 };

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

// ---- structure ---------------------------------------------------------------------------------

bool lmb_json_fault(lmb_json *j, const char *fault) {
    if (j->fault == NULL) j->fault = fault;
    return false;
}

// the next character that is not a space, 0: the end
static char peek(lmb_json *j) {
    while (j->at < j->end && (*j->at == ' ' || *j->at == '\n' || *j->at == '\t' || *j->at == '\r')) j->at++;
    return j->at < j->end && !j->fault ? *j->at : '\0';
}

static bool take(lmb_json *j, char c) {
    if (peek(j) != c) return false;
    j->at++;
    return true;
}

bool lmb_json_enter(lmb_json *j, char open) {
    return take(j, open) || lmb_json_fault(j, open == '{' ? "a map is expected" : "a list is expected");
}

bool lmb_json_next(lmb_json *j, char close, int index) {
    if (j->fault || take(j, close)) return false;
    return index == 0 || take(j, ',') || lmb_json_fault(j, "a comma or a closing bracket is expected");
}

bool lmb_json_colon(lmb_json *j) { return take(j, ':') || lmb_json_fault(j, "a colon is expected"); }

bool lmb_json_end(lmb_json *j) {
    peek(j);
    return !j->fault && (j->at == j->end || lmb_json_fault(j, "something follows after the end"));
}

// ---- texts -------------------------------------------------------------------------------------

static bool is_continuation(const char *s, int count) {
    for (int i = 0; i < count; i++)
        if (((unsigned char)s[i] & 0xc0) != 0x80) return false;
    return true;
}

// bytes of the UTF-8 character at s, 0: there is none (RFC 3629: the shortest form, no surrogates)
static int utf8_length(const char *s, const char *end) {
    unsigned char c = (unsigned char)s[0], d = end - s > 1 ? (unsigned char)s[1] : 0;
    int n = c < 0x80 ? 1 : c < 0xc2 ? 0 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : c < 0xf5 ? 4 : 0;
    bool odd = (c == 0xe0 && d < 0xa0) || (c == 0xed && d > 0x9f) || (c == 0xf0 && d < 0x90) ||
               (c == 0xf4 && d > 0x8f);
    return n == 0 || odd || end - s < n || !is_continuation(s + 1, n - 1) ? 0 : n;
}

static int utf8_write(char *out, unsigned c) {
    int n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    static const unsigned char first[] = {0, 0, 0xc0, 0xe0, 0xf0};
    for (int i = n - 1; i > 0; i--, c >>= 6) out[i] = (char)(0x80 | (c & 0x3f));
    out[0] = (char)(first[n] | c);
    return n;
}

// four hexadecimal digits; false: none
static bool hex(unsigned *out, lmb_json *j) {
    *out = 0;
    if (j->end - j->at < 4) return false;
    for (int i = 0; i < 4; i++, j->at++) {
        char c = *j->at;
        unsigned digit = c >= '0' && c <= '9'   ? (unsigned)(c - '0')
                         : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a' + 10)
                         : c >= 'A' && c <= 'F' ? (unsigned)(c - 'A' + 10)
                                                : 16;
        if (digit > 15) return false;
        *out = 16 * *out + digit;
    }
    return true;
}

// after \u; 0: no character
static unsigned code_point(lmb_json *j) {
    unsigned high, low;
    if (!hex(&high, j) || (high >= 0xdc00 && high < 0xe000)) return 0;
    if (high < 0xd800 || high >= 0xe000) return high;
    if (j->end - j->at < 2 || j->at[0] != '\\' || j->at[1] != 'u') return 0;
    j->at += 2;
    if (!hex(&low, j) || low < 0xdc00 || low >= 0xe000) return 0;
    return 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00);
}

// one character of a text, decoded; the number of its bytes, 0: a fault
static int character(char out[4], lmb_json *j) {
    static const char escapes[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
    if (*j->at != '\\') {
        int n = (unsigned char)*j->at < 0x20 ? 0 : utf8_length(j->at, j->end);
        memcpy(out, j->at, (size_t)n);
        j->at += n;
        return n;
    }
    char c = j->end - j->at > 1 ? j->at[1] : '\0';
    j->at += c ? 2 : 1;
    if (c == 'u') {
        unsigned code = code_point(j);
        return code ? utf8_write(out, code) : 0;
    }
    const char *found = c ? strchr(escapes, c) : NULL;
    if (found) out[0] = meanings[found - escapes];
    return found ? 1 : 0;
}

size_t lmb_json_room(lmb_json *j) {
    if (peek(j) != '"') return 0;
    const char *p = j->at + 1;
    while (p < j->end && *p != '"') p += *p == '\\' && j->end - p > 1 ? 2 : 1;
    return (size_t)(p - j->at);
}

bool lmb_json_text(char *out, size_t room, lmb_json *j) {
    size_t n = 0;
    if (!take(j, '"')) return lmb_json_fault(j, "a text is expected");
    while (j->at < j->end && *j->at != '"') {
        char bytes[4];
        int k = character(bytes, j);
        if (k == 0) return lmb_json_fault(j, "a text has a character that is not allowed");
        if (out && n + (size_t)k >= room) return lmb_json_fault(j, "a text is too long");
        if (out) memcpy(out + n, bytes, (size_t)k);
        n += (size_t)k;
    }
    if (out) out[n] = '\0';
    return take(j, '"') || lmb_json_fault(j, "a text does not end");
}

// ---- numbers and the rest ------------------------------------------------------------------------

static const char *past_digits(const char *p, const char *end) {
    while (p < end && *p >= '0' && *p <= '9') p++;
    return p;
}

// the end of the number at p, NULL: there is none
static const char *past_number(const char *p, const char *end) {
    if (p < end && *p == '-') p++;
    const char *whole = p;
    p = past_digits(p, end);
    if (p == whole || (*whole == '0' && p - whole > 1)) return NULL;
    if (p < end && *p == '.') {
        const char *part = p + 1;
        p = past_digits(part, end);
        if (p == part) return NULL;
    }
    if (p < end && (*p == 'e' || *p == 'E')) {
        const char *power = p + 1 < end && (p[1] == '+' || p[1] == '-') ? p + 2 : p + 1;
        p = past_digits(power, end);
        if (p == power) return NULL;
    }
    return p;
}

bool lmb_json_number(double *out, lmb_json *j) {
    char copy[LONGEST_NUMBER] = "";
    const char *end = peek(j) ? past_number(j->at, j->end) : NULL;
    if (end == NULL || end - j->at >= LONGEST_NUMBER) return lmb_json_fault(j, "a number is expected");
    memcpy(copy, j->at, (size_t)(end - j->at));
    *out = strtod(copy, NULL);
    if (!isfinite(*out)) return lmb_json_fault(j, "a number is too large");
    j->at = end;
    return true;
}

static bool word(lmb_json *j, const char *word) {
    size_t n = strlen(word);
    if (peek(j) != word[0] || (size_t)(j->end - j->at) < n || memcmp(j->at, word, n) != 0) return false;
    j->at += n;
    return true;
}

bool lmb_json_flag(bool *out, lmb_json *j) {
    *out = word(j, "true");
    return *out || word(j, "false") || lmb_json_fault(j, "true or false is expected");
}

static bool skip(lmb_json *j, int depth) {
    double number;
    char c = peek(j), close = c == '{' ? '}' : ']';
    if (c == '"') return lmb_json_text(NULL, 0, j);
    if (c == 't' || c == 'f') return lmb_json_flag(&(bool){false}, j);
    if (c == 'n') return word(j, "null") || lmb_json_fault(j, "a value is expected");
    if (c != '{' && c != '[') return lmb_json_number(&number, j);
    if (depth == DEEPEST) return lmb_json_fault(j, "it is nested too deeply");
    lmb_json_enter(j, c);
    for (int i = 0; lmb_json_next(j, close, i); i = 1)
        if (c == '[' || (lmb_json_text(NULL, 0, j) && lmb_json_colon(j))) skip(j, depth + 1);
    return j->fault == NULL;
}

bool lmb_json_skip(lmb_json *j) { return skip(j, 0); }

int lmb_json_count(lmb_json *j) {
    int count = 0;
    if (peek(j) != '[') return lmb_json_fault(j, "a list is expected"), -1;
    lmb_json ahead = *j;
    lmb_json_enter(&ahead, '[');
    for (; count < INT_MAX && lmb_json_next(&ahead, ']', count); count++) skip(&ahead, 0);
    return count;
}

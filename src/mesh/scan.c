// mesh/scan.c: numbers and lines of a text in memory.
#include "mesh/scan.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

lmb_status lmb_scan_fail(lmb_scan *s, const char *format, ...) {
    if (s->status != LMB_OK) return s->status;
    char text[sizeof s->err->text];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    s->at = s->end;
    return s->status = lmb_fail(s->err, LMB_ERR_INPUT, (lmb_where){s->file, s->line, 0}, "%s", text);
}

lmb_status lmb_scan_memory(lmb_scan *s) {
    if (s->status == LMB_OK) s->status = lmb_fail_memory(s->err);
    s->at = s->end;
    return s->status;
}

// ---- numbers -----------------------------------------------------------------------------------

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

// e or d, sign, digits; behind them, or where it was if there is no exponent
static const char *scan_exponent(int *exponent, const char *at, const char *end) {
    *exponent = 0;
    if (at == end || strchr("eEdD", *at) == NULL || *at == '\0') return at;
    const char *p = at + 1;
    bool negative = p < end && *p == '-';
    if (p < end && (*p == '-' || *p == '+')) p++;
    if (p == end || !is_digit(*p)) return at;
    for (; p < end && is_digit(*p); p++)
        if (*exponent < 100000) *exponent = 10 * *exponent + (*p - '0');
    if (negative) *exponent = -*exponent;
    return p;
}

// digits x 10^exponent, correctly rounded: one operation where both are exact, else through strtod without a point,
// which every locale reads
static double compose(const char *digits, int count, int exponent) {
    static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    if (count <= 15 && exponent >= -22 && exponent <= 22) {
        int64_t mantissa = 0;
        for (int i = 0; i < count; i++) mantissa = 10 * mantissa + (digits[i] - '0');
        return exponent < 0 ? (double)mantissa / powers[-exponent] : (double)mantissa * powers[exponent];
    }
    char text[64];
    snprintf(text, sizeof text, "%.*se%d", count, digits, exponent);
    return strtod(text, NULL);
}

size_t lmb_scan_number(double *out, const char *at, const char *end) {
    char digits[40]; // further ones cannot be seen in a double, but for its last bit in rare cases
    const char *p = at;
    int count = 0, shift = 0, exponent;
    bool fraction = false, any = false, negative = p < end && *p == '-';
    if (p < end && (*p == '-' || *p == '+')) p++;
    for (; p < end && (is_digit(*p) || (*p == '.' && !fraction)); p++) {
        if (*p == '.') {
            fraction = true;
            continue;
        }
        any = true;
        if (count == 0 && *p == '0') {
            shift -= fraction;
        } else if (count < LMB_COUNT(digits)) {
            digits[count++] = *p;
            shift -= fraction;
        } else shift += !fraction;
    }
    if (!any) return 0;
    p = scan_exponent(&exponent, p, end);
    double value = count > 0 ? compose(digits, count, exponent + shift) : 0;
    *out = negative ? -value : value;
    return (size_t)(p - at);
}

// ---- pieces ------------------------------------------------------------------------------------

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

lmb_piece lmb_piece_trim(lmb_piece p) {
    while (p.length > 0 && is_blank(p.at[0])) p.at++, p.length--;
    while (p.length > 0 && is_blank(p.at[p.length - 1])) p.length--;
    return p;
}

bool lmb_piece_is(lmb_piece p, const char *word) {
    return (size_t)p.length == strlen(word) && strncasecmp(p.at, word, (size_t)p.length) == 0;
}

bool lmb_piece_number(double *out, lmb_piece p) {
    return p.length > 0 && lmb_scan_number(out, p.at, p.at + p.length) == (size_t)p.length && isfinite(*out);
}

bool lmb_piece_integer(int *out, lmb_piece p) {
    int64_t value = 0;
    int i = p.length > 0 && (p.at[0] == '-' || p.at[0] == '+');
    if (i == p.length) return false;
    for (; i < p.length; i++) {
        if (!is_digit(p.at[i]) || value > INT_MAX) return false;
        value = 10 * value + (p.at[i] - '0');
    }
    if (p.at[0] == '-') value = -value;
    *out = (int)value;
    return value >= INT_MIN && value <= INT_MAX;
}

lmb_piece lmb_piece_cut(lmb_piece *rest, char separator) {
    const char *found = rest->length > 0 ? memchr(rest->at, separator, (size_t)rest->length) : NULL;
    lmb_piece first = {rest->at, found ? (int)(found - rest->at) : rest->length};
    int used = first.length + (found != NULL);
    rest->at += used;
    rest->length -= used;
    return lmb_piece_trim(first);
}

bool lmb_scan_columns(lmb_piece *out, lmb_scan *s) {
    if (s->at >= s->end) return false;
    const char *found = memchr(s->at, '\n', (size_t)(s->end - s->at)), *stop = found ? found : s->end;
    if (stop - s->at > INT_MAX - 1) return lmb_scan_fail(s, "this line is longer than 2 GB"), false;
    *out = (lmb_piece){s->at, (int)(stop - s->at)};
    s->at = found ? found + 1 : s->end;
    s->line++;
    return true;
}

bool lmb_scan_line(lmb_piece *out, lmb_scan *s) {
    bool more = lmb_scan_columns(out, s);
    if (more) *out = lmb_piece_trim(*out);
    return more;
}

lmb_piece lmb_piece_columns(lmb_piece line, int from, int width) {
    if (from >= line.length) return (lmb_piece){line.at + line.length, 0};
    return lmb_piece_trim(
        (lmb_piece){line.at + from, line.length - from < width ? line.length - from : width});
}

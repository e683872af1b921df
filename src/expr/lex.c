// expr/lex.c: characters to tokens, and errors with their place in the text.
#include "expr/compile.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { DIGITS_MAX = 300 };

static bool is_digit(char ch) { return ch >= '0' && ch <= '9'; }
static bool is_letter(char ch) { return (ch >= 'a' && ch <= 'z') || (ch >= 'A' && ch <= 'Z') || ch == '_'; }
static bool is_space(char ch) { return ch == ' ' || ch == '\t' || ch == '\n' || ch == '\r'; }

// where is the place of text[0]; a newline begins the next line in column 1
lmb_where lmb_compiler_place(const lmb_compiler *c, int at) {
    lmb_where w = c->where;
    for (int i = 0; i < at; i++) {
        w.col++;
        if (c->text[i] == '\n' && w.line > 0) w.line++, w.col = 1;
    }
    return w;
}

bool lmb_compiler_fail(lmb_compiler *c, int at, const char *format, ...) {
    char text[sizeof((lmb_error){0}.text)];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    c->status = lmb_fail(c->err, LMB_ERR_INPUT, lmb_compiler_place(c, at), "%s", text);
    return false;
}

bool lmb_compiler_no_memory(lmb_compiler *c) {
    c->status = lmb_fail_memory(c->err);
    return false;
}

// e5, E-3: only if digits follow
static int scan_exponent(lmb_compiler *c, int *at) {
    const char *s = c->text + *at;
    if (*s != 'e' && *s != 'E') return 0;
    int sign = s[1] == '-' ? -1 : 1, value = 0;
    s += 1 + (s[1] == '-' || s[1] == '+');
    if (!is_digit(*s)) return 0;
    for (; is_digit(*s); s++)
        if (value < 100000) value = 10 * value + (*s - '0');
    *at = (int)(s - c->text);
    return sign * value;
}

// significant digits and exponent, without a point: strtod reads that in every locale
static bool scan_number(lmb_compiler *c) {
    char digits[DIGITS_MAX + 16];
    int n = 0, exponent = 0, at = c->start;
    bool fraction = false;
    for (; is_digit(c->text[at]) || (c->text[at] == '.' && !fraction); at++) {
        if (c->text[at] == '.') {
            fraction = true;
            continue;
        }
        exponent -= fraction;
        if (n == 0 && c->text[at] == '0') continue;
        if (n == DIGITS_MAX)
            return lmb_compiler_fail(c, c->start, "this number has more than %d digits; 17 are enough",
                                     DIGITS_MAX);
        digits[n++] = c->text[at];
    }
    if (n == 0) digits[n++] = '0';
    exponent += scan_exponent(c, &at);
    snprintf(digits + n, sizeof digits - (size_t)n, "e%d", exponent);
    c->number = strtod(digits, NULL);
    c->token = TOKEN_NUMBER, c->end = at;
    if (isfinite(c->number)) return true;
    return lmb_compiler_fail(c, c->start, "this number is too large; the largest is about 1.8e308");
}

static int skip_word(const lmb_compiler *c, int at) {
    while (is_letter(c->text[at]) || is_digit(c->text[at])) at++;
    return at;
}

// word { .word | [digits] }
static bool scan_path(lmb_compiler *c) {
    int at = skip_word(c, c->start);
    for (;;) {
        if (c->text[at] == '.') {
            if (!is_letter(c->text[at + 1]))
                return lmb_compiler_fail(c, at, "a name must follow the dot, as in pin.angle");
            at = skip_word(c, at + 1);
        } else if (c->text[at] == '[') {
            int digits = at + 1;
            while (is_digit(c->text[digits])) digits++;
            if (digits == at + 1 || c->text[digits] != ']')
                return lmb_compiler_fail(c, at, "an index is an integer in brackets, as in link[3]");
            at = digits + 1;
        } else break;
    }
    c->end = at;
    return true;
}

static bool scan_name(lmb_compiler *c) {
    if (!scan_path(c)) return false;
    size_t n = (size_t)(c->end - c->start);
    if (n > EXPR_NAME_MAX)
        return lmb_compiler_fail(c, c->start, "this name is longer than %d characters", EXPR_NAME_MAX);
    memcpy(c->name, c->text + c->start, n);
    c->name[n] = '\0';
    c->token = TOKEN_NAME;
    if (strcmp(c->name, "and") == 0) c->token = TOKEN_AND;
    if (strcmp(c->name, "or") == 0) c->token = TOKEN_OR;
    if (strcmp(c->name, "not") == 0) c->token = TOKEN_NOT;
    return true;
}

typedef struct sign {
    const char *text;
    int token;
    const char *remedy; // token 0: not part of the language
} sign;

// longer ones first
static const sign signs[] = {
    {"<=", TOKEN_LE, 0},
    {">=", TOKEN_GE, 0},
    {"==", TOKEN_EQ, 0},
    {"!=", TOKEN_NE, 0},
    {"&&", TOKEN_AND, 0},
    {"||", TOKEN_OR, 0},
    {"!", TOKEN_NOT, 0},
    {"**", 0, "use a^b for powers"},
    {"<>", 0, "use != for unequal"},
    {"=", 0, "use == to compare"},
    {"%", 0, "use mod(a, b) for the remainder, 0.01 for one per cent"},
    {"&", 0, "use 'and' or &&"},
    {"|", 0, "use 'or' or ||"},
};

static bool scan_sign(lmb_compiler *c) {
    const char *s = c->text + c->start;
    for (int i = 0; i < LMB_COUNT(signs); i++) {
        size_t n = strlen(signs[i].text);
        if (strncmp(s, signs[i].text, n) != 0) continue;
        c->token = signs[i].token, c->end = c->start + (int)n;
        if (signs[i].token) return true;
        return lmb_compiler_fail(c, c->start, "'%s' is not an operator; %s", signs[i].text, signs[i].remedy);
    }
    if (strchr("+-*/^()[],?:<>", *s)) {
        c->token = *s, c->end = c->start + 1;
        return true;
    }
    if (*s > ' ' && *s <= '~')
        return lmb_compiler_fail(c, c->start, "unexpected character '%c' in an expression; remove it", *s);
    return lmb_compiler_fail(c, c->start,
                             "unexpected byte 0x%02x; use plain ASCII characters such as - and *",
                             (unsigned)(unsigned char)*s);
}

bool lmb_lex_next(lmb_compiler *c) {
    c->last_end = c->end;
    c->start = c->end;
    while (is_space(c->text[c->start])) c->start++;
    const char *s = c->text + c->start;
    if (strncasecmp(s, ".nan", 4) == 0 || strncasecmp(s, ".inf", 4) == 0)
        return lmb_compiler_fail(c, c->start,
                                 "'%.4s' is not a finite number; give a finite value or omit the key", s);
    if (is_digit(*s) || (*s == '.' && is_digit(s[1]))) return scan_number(c);
    if (is_letter(*s)) return scan_name(c);
    if (*s != '\0') return scan_sign(c);
    c->token = TOKEN_END, c->end = c->start;
    return true;
}

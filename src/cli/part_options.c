// cli/part_options.c: options of `reduce` and `modes`, translated to keys of the part file.
#include "part_options.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__attribute__((format(printf, 1, 2))) static char *text(const char *format, ...) {
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int n = vsnprintf(NULL, 0, format, args);
    char *out = cli_alloc((size_t)n + 1, 1);
    vsnprintf(out, (size_t)n + 1, format, again);
    va_end(again);
    va_end(args);
    return out;
}

// takes ownership of name and value
static void add_key(part_options *o, char *name, char *value) {
    o->keys[o->key_count++] = (lmb_setting){name, value};
}

static void add_plain(part_options *o, const char *name, const char *value) {
    if (value) add_key(o, text("part.%s", name), text("%s", value));
}

// ---- interfaces --------------------------------------------------------------------------------

// "5mm" becomes "5 mm", as in files
static char *number(const char *from, size_t n) {
    char *out = cli_alloc(n + 2, 1);
    size_t k = 0;
    for (size_t i = 0; i < n; i++) {
        bool unit = i > 0 && isdigit((unsigned char)from[i - 1]) && isalpha((unsigned char)from[i]);
        bool exponent =
            unit && (from[i] == 'e' || from[i] == 'E') && i + 1 < n && strchr("+-0123456789", from[i + 1]);
        if (unit && !exponent && memchr(out, ' ', k) == NULL) out[k++] = ' ';
        out[k++] = from[i];
    }
    return out;
}

// set:left,rigid -> {set: left, tie: rigid}; at:1,2,3 -> {at: [1, 2, 3]}; a bare word is a set
static int add_interface(part_options *o, const char *given) {
    const char *equals = strchr(given, '='), *p = equals ? equals + 1 : NULL;
    if (p == NULL || equals == given || *p == '\0')
        return cli_error(2,
                         "--interface %s: expected NAME=set:left, NAME=face:12, NAME=node:17, NAME=at:x,y,z "
                         "or NAME={cylinder: {...}}",
                         given);
    if (*p == '{') { // as in files
        add_key(o, text("part.interfaces.%.*s", (int)(equals - given), given), text("%s", p));
        return 0;
    }
    char *value = text("{"), *more;
    int in_place = 0; // numbers of at: still missing
    const char *separator = "";
    while (*p) {
        size_t n = strcspn(p, ","), colon = strcspn(p, ":");
        char *word = number(p, n);
        if (in_place > 0) {
            more = text("%s%s%s", value, word, --in_place > 0 ? ", " : "]");
        } else if (colon < n && strncmp(p, "at:", 3) == 0) {
            char *first = number(p + 3, n - 3);
            more = text("%s%sat: [%s, ", value, separator, first);
            free(first);
            in_place = 2;
        } else if (colon < n) {
            bool size = strncmp(p, "radius:", 7) == 0;
            char *rest = size ? number(p + colon + 1, n - colon - 1)
                              : text("%.*s", (int)(n - colon - 1), p + colon + 1);
            more = text("%s%s%.*s: %s", value, separator, (int)colon, p, rest);
            free(rest);
        } else {
            bool tie = strcmp(word, "rigid") == 0 || strcmp(word, "average") == 0;
            more = text("%s%s%s: %.*s", value, separator, tie ? "tie" : "set", (int)n, p);
        }
        free(word), free(value);
        value = more, separator = ", ";
        p += n + (p[n] == ',');
    }
    if (in_place > 0) {
        free(value);
        return cli_error(2, "--interface %s: a position needs three numbers, at:x,y,z", given);
    }
    more = text("%s}", value);
    free(value);
    add_key(o, text("part.interfaces.%.*s", (int)(equals - given), given), more);
    return 0;
}

// ---- shapes ------------------------------------------------------------------------------------

// guyan, eigen:5 -> {eigen: 5}, {force: tip.y}: entries of a list
static void add_shapes(part_options *o) {
    char *list = text("["), *more;
    for (int i = 0; i < o->shapes.count; i++) {
        const char *s = o->shapes.v[i], *colon = *s == '{' ? NULL : strchr(s, ':');
        more = colon ? text("%s%s{%.*s: %s}", list, i ? ", " : "", (int)(colon - s), s, colon + 1)
                     : text("%s%s%s", list, i ? ", " : "", s);
        free(list);
        list = more;
    }
    more = text("%s]", list);
    free(list);
    add_key(o, text("part.shapes"), more);
}

static void add_modes(part_options *o) {
    const char *n = o->modes, *f = o->max_frequency;
    add_key(o, text("part.shapes"),
            text("[{craig_bampton: {%s%s%s%s%s}}]", n ? "count: " : "", n ? n : "", n && f ? ", " : "",
                 f ? "max_frequency: " : "", f ? f : ""));
}

// ---- all ---------------------------------------------------------------------------------------

int part_options_finish(part_options *o) {
    o->keys = cli_alloc((size_t)o->interfaces.count + 15, sizeof *o->keys);
    int code = settings_read(&o->parameters, &o->sets);
    if (code == 0 && settings_combinations(&o->parameters) > 1)
        code = cli_error(2, "a part takes only one value per parameter");
    if (code == 0 && o->shapes.count && (o->modes || o->max_frequency))
        code = cli_error(2, "--shape excludes --modes and --max-frequency; --shape craig_bampton:10 is "
                            "equivalent to --modes 10");
    add_plain(o, "material", o->material);
    add_plain(o, "unit", o->unit);
    add_plain(o, "frame", o->frame);
    add_plain(o, "solid", o->solid);
    add_plain(o, "order", o->order);
    add_plain(o, "elements_per_circle", o->per_circle);
    if (o->size) add_key(o, text("part.element_size"), number(o->size, strlen(o->size)));
    if (o->thickness) add_key(o, text("part.thickness"), number(o->thickness, strlen(o->thickness)));
    if (o->temperature) add_key(o, text("part.temperature"), number(o->temperature, strlen(o->temperature)));
    for (int i = 0; i < o->interfaces.count && code == 0; i++) code = add_interface(o, o->interfaces.v[i]);
    if (o->shapes.count) add_shapes(o);
    else if (o->modes || o->max_frequency) add_modes(o);
    return code;
}

void part_options_free(part_options *o) {
    for (int i = 0; i < o->key_count; i++) free((void *)o->keys[i].name), free((void *)o->keys[i].value);
    free(o->keys);
    settings_free(&o->parameters);
    cli_list_free(&o->interfaces), cli_list_free(&o->shapes), cli_list_free(&o->sets);
}

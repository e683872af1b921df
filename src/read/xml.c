// read/xml.c: XML without document types.
#include "read/xml.h"

#include <string.h>

static const char no_memory[] = "out of memory";

// ---- text --------------------------------------------------------------------------------------

lmb_xml_tag lmb_xml_fail(lmb_xml *x, const char *what) {
    if (x->wrong == NULL) x->wrong = what;
    return LMB_XML_END;
}

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
bool lmb_xml_name_character(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == ':' || c == '-' || c == '.' || (unsigned char)c >= 128;
}

static void skip(lmb_xml *x, size_t n) {
    for (; n > 0 && x->at < x->end; n--) x->line += *x->at++ == '\n';
}
static void skip_blanks(lmb_xml *x) {
    while (x->at < x->end && is_blank(*x->at)) skip(x, 1);
}
static bool begins(const lmb_xml *x, const char *text) {
    size_t n = strlen(text);
    return (size_t)(x->end - x->at) >= n && memcmp(x->at, text, n) == 0;
}

static bool skip_past(lmb_xml *x, const char *text) {
    while (x->at < x->end && !begins(x, text)) skip(x, 1);
    bool found = x->at < x->end;
    skip(x, strlen(text));
    return found;
}

static const char *copy(lmb_xml *x, const char *from, size_t n) {
    char *out = lmb_arena_get(x->arena, n + 1, 1);
    if (out == NULL) return lmb_xml_fail(x, no_memory), "";
    memcpy(out, from, n);
    return out;
}

static const char *read_name(lmb_xml *x) {
    const char *from = x->at;
    while (x->at < x->end && lmb_xml_name_character(*x->at)) x->at++;
    if (x->at == from) return lmb_xml_fail(x, "a name is missing"), "";
    return copy(x, from, (size_t)(x->at - from));
}

// UTF-8; false: no character
static bool put_character(char **to, unsigned long c) {
    if (c == 0 || c > 0x10ffff || (c >= 0xd800 && c < 0xe000)) return false;
    if (c < 0x80) return *(*to)++ = (char)c, true;
    int more = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
    static const int lead[] = {0, 0xc0, 0xe0, 0xf0};
    *(*to)++ = (char)(lead[more] | (int)(c >> (6 * more)));
    while (more-- > 0) *(*to)++ = (char)(0x80 | (int)((c >> (6 * more)) & 0x3f));
    return true;
}

// &lt; or &#65; at from, which ends with ; before end; NULL: none of XML's own
static const char *put_reference(char **to, const char *from, const char *end) {
    static const char *const names[] = {"&lt;", "&gt;", "&amp;", "&quot;", "&apos;"};
    for (int i = 0; i < LMB_COUNT(names); i++) {
        size_t n = strlen(names[i]);
        if ((size_t)(end - from) >= n && memcmp(from, names[i], n) == 0)
            return *(*to)++ = "<>&\"'"[i], from + n;
    }
    if (end - from < 4 || from[1] != '#') return NULL;
    int base = from[2] == 'x' ? 16 : 10, digits = 0;
    unsigned long c = 0;
    for (from += base == 16 ? 3 : 2; from < end && *from != ';' && digits < 8; from++, digits++) {
        const char *all = "0123456789abcdef", lower = (char)(*from | 0x20);
        const char *digit = *from ? strchr(all, *from >= 'A' ? lower : *from) : NULL;
        if (digit == NULL || digit - all >= base) return NULL;
        c = c * (unsigned long)base + (unsigned long)(digit - all);
    }
    if (digits == 0 || from >= end || *from != ';' || !put_character(to, c)) return NULL;
    return from + 1;
}

// "..." or '...'; what it stands for is never longer
static const char *read_value(lmb_xml *x) {
    char quote = x->at < x->end ? *x->at : '\0';
    if (quote != '"' && quote != '\'')
        return lmb_xml_fail(x, "the value of an attribute is not in quotes"), "";
    const char *from = x->at + 1, *end = memchr(from, quote, (size_t)(x->end - from));
    if (end == NULL) return lmb_xml_fail(x, "a quote does not close"), "";
    char *out = lmb_arena_get(x->arena, (size_t)(end - from) + 1, 1), *to = out;
    if (out == NULL) return lmb_xml_fail(x, no_memory), "";
    while (from < end && x->wrong == NULL) {
        const char *next = from + 1;
        if (*from == '<' || *from == '\0')
            lmb_xml_fail(x, "a character in a value must be written as a reference");
        else if (*from != '&') *to++ = is_blank(*from) ? ' ' : *from;
        else if ((next = put_reference(&to, from, end)) == NULL)
            lmb_xml_fail(x, "an unknown reference, & to ;");
        from = next;
    }
    *to = '\0';
    skip(x, (size_t)(end + 1 - x->at));
    return out;
}

// ---- tags --------------------------------------------------------------------------------------

static void read_attributes(lmb_xml *x) {
    for (x->count = 0; x->wrong == NULL; x->count++) {
        const char *before = x->at;
        skip_blanks(x);
        if (x->at >= x->end || *x->at == '>' || *x->at == '/') return;
        if (x->at == before) lmb_xml_fail(x, "a blank is missing before an attribute");
        if (x->count == LMB_XML_MOST_ATTRIBUTES) lmb_xml_fail(x, "an element has more than 64 attributes");
        if (x->wrong) return;
        lmb_xml_attribute *a = &x->list[x->count];
        a->name = read_name(x);
        skip_blanks(x);
        if (!begins(x, "=")) lmb_xml_fail(x, "an attribute has no value");
        if (x->wrong) return;
        skip(x, 1), skip_blanks(x);
        a->value = read_value(x);
    }
}

static lmb_xml_tag read_open(lmb_xml *x) {
    const char *name = read_name(x);
    read_attributes(x);
    x->empty = begins(x, "/");
    if (x->empty) skip(x, 1);
    if (!begins(x, ">")) lmb_xml_fail(x, "a tag does not end with >");
    if (x->depth == LMB_XML_MOST_DEPTH) lmb_xml_fail(x, "elements lie more than 128 deep");
    if (x->wrong) return LMB_XML_END;
    skip(x, 1);
    x->open[x->depth++] = name;
    return LMB_XML_OPEN;
}

static lmb_xml_tag read_close(lmb_xml *x) {
    const char *name = read_name(x);
    skip_blanks(x);
    if (!begins(x, ">")) lmb_xml_fail(x, "a tag does not end with >");
    if (x->depth == 0 || strcmp(x->open[x->depth - 1], name) != 0)
        lmb_xml_fail(x, "an element is closed that is not open");
    if (x->wrong) return LMB_XML_END;
    skip(x, 1);
    return LMB_XML_CLOSE;
}

lmb_xml_tag lmb_xml_next(lmb_xml *x) {
    for (;;) {
        bool text = false;
        for (; x->at < x->end && *x->at != '<'; skip(x, 1)) text = text || !is_blank(*x->at);
        if (text && x->depth == 0) return lmb_xml_fail(x, "text outside of the elements");
        if (x->at >= x->end) return x->depth > 0 ? lmb_xml_fail(x, "an element does not close") : LMB_XML_END;
        if (begins(x, "<!--")) {
            if (!skip_past(x, "-->")) return lmb_xml_fail(x, "a comment does not close");
        } else if (begins(x, "<?")) {
            if (!skip_past(x, "?>")) return lmb_xml_fail(x, "an instruction does not close");
        } else if (begins(x, "<![CDATA[") && x->depth > 0) {
            if (!skip_past(x, "]]>")) return lmb_xml_fail(x, "a CDATA section does not close");
        } else if (begins(x, "<!")) {
            return lmb_xml_fail(x, "a document type (<!DOCTYPE ...>) is not supported; remove it");
        } else {
            bool close = begins(x, "</");
            skip(x, close ? 2 : 1);
            return close ? read_close(x) : read_open(x);
        }
    }
}

const char *lmb_xml_get(const lmb_xml *x, const char *name) {
    for (int i = 0; i < x->count; i++)
        if (strcmp(x->list[i].name, name) == 0) return x->list[i].value;
    return NULL;
}

void lmb_xml_leave(lmb_xml *x) { x->depth--, x->empty = false; }

// ---- the tree ----------------------------------------------------------------------------------

// the element that has just opened, below parent
static lmb_xml_element *add_element(lmb_xml *x, lmb_xml_element *parent, const char *file) {
    lmb_xml_element *e = lmb_arena_get(x->arena, 1, sizeof *e);
    lmb_xml_attribute *list = lmb_arena_get(x->arena, (size_t)x->count + 1, sizeof *list);
    if (e == NULL || list == NULL) return lmb_xml_fail(x, no_memory), NULL;
    for (int i = 0; i < x->count; i++) {
        for (int k = 0; k < i; k++)
            if (strcmp(list[k].name, x->list[i].name) == 0)
                return lmb_xml_fail(x, "an attribute is duplicated"), NULL;
        list[i] = x->list[i];
    }
    *e = (lmb_xml_element){.name = x->open[x->depth - 1],
                           .where = {file, x->line, 1},
                           .count = x->count,
                           .attributes = list,
                           .parent = parent};
    if (parent && parent->last) parent->last->next = e;
    else if (parent) parent->first = e;
    if (parent) parent->last = e;
    return e;
}

lmb_status lmb_xml_parse(lmb_xml_element **out, lmb_arena *arena, const char *bytes, size_t size,
                         const char *file, lmb_error *err) {
    lmb_xml x = {.arena = arena, .at = bytes, .end = bytes + size, .line = 1};
    lmb_xml_element *at = NULL;
    long total = 0;
    *out = NULL;
    if (begins(&x, "\xef\xbb\xbf")) skip(&x, 3);
    for (lmb_xml_tag t; x.wrong == NULL && (t = lmb_xml_next(&x)) != LMB_XML_END;) {
        if (t == LMB_XML_OPEN) {
            if (at == NULL && *out) lmb_xml_fail(&x, "there are two elements around all others");
            else if (++total > LMB_XML_MOST_ELEMENTS) lmb_xml_fail(&x, "there are more than 100000 elements");
            else at = add_element(&x, at, file);
            if (x.wrong == NULL && *out == NULL) *out = at;
        }
        if (x.wrong == NULL && (t == LMB_XML_CLOSE || x.empty)) lmb_xml_leave(&x), at = at->parent;
    }
    if (x.wrong == NULL && *out == NULL) lmb_xml_fail(&x, "there is no element in this file");
    if (x.wrong == NULL) return LMB_OK;
    if (x.wrong == no_memory) return lmb_fail_memory(err);
    return lmb_fail(err, LMB_ERR_INPUT, (lmb_where){file, x.line, 1}, "not valid XML: %s", x.wrong);
}

const char *lmb_xml_text(const lmb_xml_element *e, const char *attribute) {
    for (int i = 0; e && i < e->count; i++)
        if (strcmp(e->attributes[i].name, attribute) == 0) return e->attributes[i].value;
    return NULL;
}

lmb_xml_element *lmb_xml_again(const lmb_xml_element *e, const char *name) {
    while (e && strcmp(e->name, name) != 0) e = e->next;
    return (lmb_xml_element *)e;
}

lmb_xml_element *lmb_xml_find(const lmb_xml_element *e, const char *name) {
    return lmb_xml_again(e ? e->first : NULL, name);
}

// read/yaml.c: parses YAML text to a tree of nodes with the events of libfyaml.
//
// The events, not the documents, of libfyaml are used: aliases are copied here, with a cap on the size of the
// result, and duplicate keys are detected here, with both places.
#include "read/yaml.h"

#include <libfyaml.h>
#include <stdio.h>
#include <string.h>

// A list or map that is still open.
typedef struct frame {
    lmb_node *node;
    const char *key; // MAP: the key whose value comes next, NULL: a key comes next
    lmb_where key_where;
    bool merge;       // the key is <<
    lmb_names names;  // MAP: keys so far, to their nodes
    lmb_node *merged; // MAP: the maps that << merges
} frame;

typedef struct builder {
    lmb_yaml_reader *r;
    const char *file, *text;
    size_t length;
    lmb_names anchors;
    lmb_node *root;
    lmb_where last; // of the latest event that had a place
    int documents, depth;
    frame frames[LMB_YAML_MAX_DEPTH];
} builder;

// ---- plain text --------------------------------------------------------------------------------

// length of the UTF-8 sequence at p, 0 if there is none
static size_t utf8_length(const unsigned char *p, size_t left) {
    size_t n = p[0] < 0x80 ? 1 : p[0] < 0xc2 ? 0 : p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3 : p[0] < 0xf5 ? 4 : 0;
    if (n == 0 || n > left) return 0;
    for (size_t i = 1; i < n; i++)
        if ((p[i] & 0xc0) != 0x80) return 0;
    if (p[0] == 0xe0 && p[1] < 0xa0) return 0; // overlong
    if (p[0] == 0xed && p[1] > 0x9f) return 0; // surrogates
    if (p[0] == 0xf0 && p[1] < 0x90) return 0;
    if (p[0] == 0xf4 && p[1] > 0x8f) return 0; // beyond U+10FFFF
    return n;
}

// rejects bytes that no text file has, before the parser sees them
static lmb_status check_bytes(const builder *b, const char *text, size_t length) {
    const unsigned char *p = (const unsigned char *)text;
    lmb_where w = {b->file, 1, 1};
    lmb_error *err = b->r->err;
    if (length >= 2 && ((p[0] == 0xff && p[1] == 0xfe) || (p[0] == 0xfe && p[1] == 0xff)))
        return lmb_fail(err, LMB_ERR_INPUT, w, "this file is UTF-16; save it as UTF-8");
    if (length >= 8 && memcmp(p, "\x89HDF\r\n\x1a\n", 8) == 0)
        return lmb_fail(err, LMB_ERR_INPUT, w,
                        "this is a results file (HDF5), not a model; use `limber info`");
    for (size_t i = 0, n; i < length; i += n, w.col++) {
        n = utf8_length(p + i, length - i);
        if (n == 0)
            return lmb_fail(err, LMB_ERR_INPUT, w,
                            "byte 0x%02x is not UTF-8; a model file must be plain text, saved as UTF-8",
                            p[i]);
        if ((p[i] < 0x20 && p[i] != '\t' && p[i] != '\n' && p[i] != '\r') || p[i] == 0x7f)
            return lmb_fail(err, LMB_ERR_INPUT, w,
                            "control character 0x%02x; a model file must be plain text", p[i]);
        if (p[i] == '\n') w.line++, w.col = 0;
    }
    return LMB_OK;
}

// ---- nodes -------------------------------------------------------------------------------------

static lmb_status fail(const builder *b, lmb_where where, const char *text) {
    return lmb_fail(b->r->err, LMB_ERR_INPUT, where, "%s", text);
}

static lmb_status fail_memory(const builder *b) { return lmb_fail_memory(b->r->err); }

static lmb_status new_node(lmb_node **out, builder *b, lmb_node_kind kind, lmb_where where) {
    if (++b->r->nodes > LMB_YAML_MAX_NODES)
        return lmb_fail(b->r->err, LMB_ERR_INPUT, b->last,
                        "the model has more than %d values (aliases count each time they are used); keep "
                        "bulk data in a separate file",
                        LMB_YAML_MAX_NODES);
    *out = lmb_node_create(b->r->s, kind, where);
    return *out ? LMB_OK : fail_memory(b);
}

// a deep copy, depth levels below the root
static lmb_status copy_node(lmb_node **out, builder *b, const lmb_node *n, int depth) {
    if (depth > LMB_YAML_MAX_DEPTH)
        return fail(b, b->last, "aliases are nested too deeply; write out the values");
    lmb_node *copy;
    lmb_status status = new_node(&copy, b, n->kind, n->where);
    if (status) return status;
    copy->quoted = n->quoted;
    copy->text = n->text;
    for (const lmb_node *child = n->first; child; child = child->next) {
        lmb_node *c;
        status = copy_node(&c, b, child, depth + 1);
        if (status) return status;
        lmb_node_append(copy, c, child->key);
        c->key_where = child->key_where;
    }
    *out = copy;
    return LMB_OK;
}

// ---- maps --------------------------------------------------------------------------------------

static lmb_status add_merge(builder *b, frame *f, lmb_node *value) {
    if (f->merged)
        return lmb_fail(b->r->err, LMB_ERR_INPUT, f->key_where, "duplicate key '<<'; write <<: [*a, *b]");
    bool ok = value->kind == LMB_NODE_MAP;
    if (value->kind == LMB_NODE_LIST) {
        ok = true;
        for (const lmb_node *n = value->first; n; n = n->next) ok = ok && n->kind == LMB_NODE_MAP;
    }
    if (!ok)
        return fail(b, f->key_where,
                    "<< merges only maps; write <<: *name or <<: [*a, *b] with anchors of maps");
    f->merged = value;
    return LMB_OK;
}

static lmb_status add_entry(builder *b, frame *f, lmb_node *value, const char *key) {
    void **slot = lmb_names_slot(&f->names, key);
    if (slot == NULL) return fail_memory(b);
    if (*slot) {
        const lmb_node *first = *slot;
        return lmb_fail(b->r->err, LMB_ERR_INPUT, value->key_where,
                        "duplicate key '%s' (first defined at line %d, column %d); remove or rename one", key,
                        first->key_where.line, first->key_where.col);
    }
    *slot = value;
    lmb_node_append(f->node, value, key);
    return LMB_OK;
}

// moves the entries of map that f does not have yet
static lmb_status take_entries(builder *b, frame *f, lmb_node *map) {
    lmb_status status = LMB_OK;
    for (lmb_node *n = map->first, *next; n && status == LMB_OK; n = next) {
        next = n->next;
        if (lmb_names_get(&f->names, n->key) == NULL) status = add_entry(b, f, n, n->key);
    }
    return status;
}

static lmb_status finish_map(builder *b, frame *f) {
    if (f->merged == NULL) return LMB_OK;
    if (f->merged->kind == LMB_NODE_MAP) return take_entries(b, f, f->merged);
    lmb_status status = LMB_OK;
    for (lmb_node *map = f->merged->first; map && status == LMB_OK; map = map->next)
        status = take_entries(b, f, map);
    return status;
}

// ---- values and keys ---------------------------------------------------------------------------

static frame *top(builder *b) { return b->depth > 0 ? &b->frames[b->depth - 1] : NULL; }

// puts a value where it belongs: into the open list or map, or as root
static lmb_status place_value(builder *b, lmb_node *value) {
    frame *f = top(b);
    if (f == NULL) {
        b->root = value;
        return LMB_OK;
    }
    if (f->node->kind == LMB_NODE_LIST) {
        lmb_node_append(f->node, value, NULL);
        return LMB_OK;
    }
    const char *key = f->key;
    f->key = NULL;
    value->key_where = f->key_where;
    return f->merge ? add_merge(b, f, value) : add_entry(b, f, value, key);
}

static bool expects_key(builder *b) {
    frame *f = top(b);
    return f && f->node->kind == LMB_NODE_MAP && f->key == NULL;
}

static lmb_status set_key(builder *b, const lmb_node *n) {
    frame *f = top(b);
    if (n->kind != LMB_NODE_SCALAR || *n->text == '\0')
        return fail(b, n->where, "missing or invalid key; write `key: value`");
    f->key = n->text;
    f->key_where = n->where;
    f->merge = !n->quoted && strcmp(n->text, "<<") == 0;
    return LMB_OK;
}

// a copy of a token's text in the arena; a text with a NUL byte ("\0") is refused
static lmb_status token_text(const char **out, builder *b, struct fy_token *token, lmb_where where) {
    size_t length = 0;
    const char *text = token ? fy_token_get_text(token, &length) : "";
    if (text == NULL) return fail_memory(b);
    if (memchr(text, '\0', length))
        return fail(b, where, "a text cannot contain a NUL character; remove the \\0");
    char *copy = lmb_arena_get(b->r->s->arena, length + 1, 1);
    if (copy == NULL) return fail_memory(b);
    memcpy(copy, text, length);
    *out = copy;
    return LMB_OK;
}

// a single-quoted text as written: '' is ', a line break is a space, n of them are n - 1 breaks, blanks
// around them are dropped. returns the length; out has room for the raw length.
static size_t unquote(char *out, const char *raw, size_t length) {
    size_t n = 0, solid = 0; // out[0, solid): not blanks that a line break would drop
    for (size_t i = 0; i < length;) {
        if (raw[i] != '\n' && raw[i] != '\r') {
            bool blank = raw[i] == ' ' || raw[i] == '\t';
            out[n++] = raw[i];
            i += raw[i] == '\'' ? 2 : 1;
            if (!blank) solid = n;
            continue;
        }
        int breaks = 0;
        for (; i < length && strchr("\r\n \t", raw[i]); i++)
            breaks += raw[i] == '\n' || (raw[i] == '\r' && (i + 1 == length || raw[i + 1] != '\n'));
        n = solid;
        if (breaks == 1) out[n++] = ' ';
        for (; breaks > 1; breaks--) out[n++] = '\n';
        solid = n;
    }
    return n;
}

// fy_token_get_text of libfyaml 0.7.12 loses memory for a text with many '': take it from the source
static lmb_status quoted_text(const char **out, builder *b, struct fy_token *token) {
    size_t start = fy_token_start_mark(token)->input_pos, end = fy_token_end_mark(token)->input_pos;
    if (start > end || end > b->length) return fail(b, b->last, "cannot read this text; use double quotes");
    char *copy = lmb_arena_get(b->r->s->arena, end - start + 1, 1);
    if (copy == NULL) return fail_memory(b);
    copy[unquote(copy, b->text + start, end - start)] = '\0';
    *out = copy;
    return LMB_OK;
}

static lmb_status set_anchor(builder *b, struct fy_token *anchor, lmb_node *n) {
    if (anchor == NULL) return LMB_OK;
    const char *name;
    lmb_status status = token_text(&name, b, anchor, n->where);
    if (status) return status;
    void **slot = lmb_names_slot(&b->anchors, name);
    if (slot == NULL) return fail_memory(b);
    *slot = n;
    return LMB_OK;
}

static lmb_status refuse_tag(builder *b, struct fy_token *tag, lmb_where where) {
    return tag ? fail(b, where,
                      "tags (!name) are not supported; remove it, or quote a text that begins with !")
               : LMB_OK;
}

// ---- events ------------------------------------------------------------------------------------

// the place of an event; events of missing values have none and take the latest
static lmb_where place_of(builder *b, struct fy_event *e, int shift) {
    const struct fy_mark *m = fy_event_start_mark(e);
    if (m) b->last = (lmb_where){b->file, m->line + 1, m->column + 1};
    lmb_where w = b->last;
    if (m && w.col > shift) w.col -= shift;
    return w;
}

static lmb_status on_scalar(builder *b, struct fy_event *e) {
    struct fy_token *token = e->scalar.value;
    enum fy_scalar_style style = token ? fy_token_scalar_style(token) : FYSS_PLAIN;
    // the mark of a quoted text is after its quote
    lmb_where where = place_of(b, e, style == FYSS_SINGLE_QUOTED || style == FYSS_DOUBLE_QUOTED);
    lmb_node *n;
    lmb_status status = refuse_tag(b, e->scalar.tag, where);
    if (status == LMB_OK) status = new_node(&n, b, LMB_NODE_SCALAR, where);
    if (status == LMB_OK && style == FYSS_SINGLE_QUOTED) status = quoted_text(&n->text, b, token);
    else if (status == LMB_OK) status = token_text(&n->text, b, token, where);
    if (status == LMB_OK) status = set_anchor(b, e->scalar.anchor, n);
    if (status) return status;
    n->quoted = style != FYSS_PLAIN;
    if (expects_key(b)) return set_key(b, n);
    if (!n->quoted && lmb_text_is_null(n->text)) n->kind = LMB_NODE_NULL;
    return place_value(b, n);
}

static lmb_status on_alias(builder *b, struct fy_event *e) {
    lmb_where where = place_of(b, e, 1); // the mark is after the *
    const char *name;
    lmb_node *copy;
    lmb_status status = token_text(&name, b, e->alias.anchor, where);
    if (status) return status;
    const lmb_node *n = lmb_names_get(&b->anchors, name);
    if (n == NULL)
        return lmb_fail(
            b->r->err, LMB_ERR_INPUT, where,
            "unknown alias '*%s'; define the anchor '&%s' above, or quote a text that begins with *", name,
            name);
    for (int i = 0; i < b->depth; i++)
        if (b->frames[i].node == n)
            return lmb_fail(b->r->err, LMB_ERR_INPUT, where,
                            "alias '*%s' contains itself; write out the values", name);
    if (expects_key(b)) return set_key(b, n);
    status = copy_node(&copy, b, n, b->depth);
    return status ? status : place_value(b, copy);
}

static lmb_status open_frame(builder *b, struct fy_event *e, lmb_node_kind kind, struct fy_token *anchor,
                             struct fy_token *tag) {
    lmb_where where = place_of(b, e, 0);
    if (expects_key(b))
        return fail(b, where, "a key must be a plain name, not a list or map; quote a name with brackets");
    if (b->depth == LMB_YAML_MAX_DEPTH)
        return fail(b, where, "lists and maps are nested too deeply; a model needs only a few levels");
    lmb_node *n;
    lmb_status status = refuse_tag(b, tag, where);
    if (status == LMB_OK) status = new_node(&n, b, kind, where);
    if (status == LMB_OK) status = set_anchor(b, anchor, n);
    if (status) return status;
    b->frames[b->depth++] = (frame){.node = n, .names = {.arena = b->r->scratch}};
    return LMB_OK;
}

static lmb_status close_frame(builder *b) {
    frame *f = &b->frames[--b->depth];
    lmb_status status = finish_map(b, f);
    return status ? status : place_value(b, f->node);
}

static lmb_status on_document(builder *b, struct fy_event *e) {
    lmb_where where = place_of(b, e, 0);
    if (b->documents++ == 0) return LMB_OK;
    return fail(
        b, where,
        "a second document begins here (---); a model file contains only one; move the rest to another file");
}

static lmb_status on_event(builder *b, struct fy_event *e) {
    switch (e->type) {
    case FYET_DOCUMENT_START: return on_document(b, e);
    case FYET_MAPPING_START:
        return open_frame(b, e, LMB_NODE_MAP, e->mapping_start.anchor, e->mapping_start.tag);
    case FYET_SEQUENCE_START:
        return open_frame(b, e, LMB_NODE_LIST, e->sequence_start.anchor, e->sequence_start.tag);
    case FYET_MAPPING_END:
    case FYET_SEQUENCE_END: return close_frame(b);
    case FYET_SCALAR: return on_scalar(b, e);
    case FYET_ALIAS: return on_alias(b, e);
    default: return LMB_OK;
    }
}

// ---- libfyaml's complaints ---------------------------------------------------------------------

// the remedy for a message of libfyaml, by a part of it
static const char *remedy(const char *message) {
    static const char *const hints[][2] = {
        {"tab character", "indent with spaces"},
        {"closing quote", "close the quote"},
        {"closing bracket", "close the list with ]"},
        {"closing brace", "close the map with }"},
        {"missing comma",
         "put a comma between the entries, close the bracket, or quote names such as \"link[i]\""},
        {"nested block mapping", "write one `key: value` per line, or quote a text that contains ': '"},
        {"multiline plain key", "write `key: value` with a space after the colon, and check the indentation"},
        {"multi-line plain key",
         "write `key: value` with a space after the colon, and check the indentation"},
        {"plain scalar cannot start", "quote the text"},
        {"escape", "in double quotes write \\\\ for a backslash, or use single quotes"},
        {"indent", "entries of a list or map must begin in the same column"},
        {"block sequence", "entries of a list must begin with `- ` in the same column"},
        {"block mapping", "entries of a map must be `key: value` and begin in the same column"},
    };
    for (int i = 0; i < LMB_COUNT(hints); i++)
        if (strstr(message, hints[i][0])) return hints[i][1];
    return "check brackets, quotes, colons and indentation here";
}

// a truncated text is reported at the line after the last: moves the place to its end
static lmb_where inside_text(const builder *b, lmb_where w) {
    int line = 1;
    const char *start = b->text, *end = b->text + b->length;
    for (const char *p; (p = memchr(start, '\n', (size_t)(end - start))) && p + 1 < end; line++)
        start = p + 1;
    if (w.line <= line) return w;
    while (end > start && (end[-1] == '\n' || end[-1] == '\r')) end--;
    return (lmb_where){w.file, line, (int)(end - start) + 1};
}

static lmb_status fail_parse(builder *b, struct fy_diag *diag) {
    void *iterator = NULL;
    const struct fy_diag_error *e = fy_diag_errors_iterate(diag, &iterator);
    if (e == NULL || e->msg == NULL) return fail(b, b->last, "invalid YAML; check the lines around here");
    lmb_where where =
        inside_text(b, (lmb_where){b->file, e->line > 0 ? e->line : 1, e->column > 0 ? e->column : 1});
    const frame *f = top(b);
    if (f && strstr(e->msg, "flow"))
        return lmb_fail(b->r->err, LMB_ERR_INPUT, where, "%s (opened at line %d, column %d); %s", e->msg,
                        f->node->where.line, f->node->where.col, remedy(e->msg));
    return lmb_fail(b->r->err, LMB_ERR_INPUT, where, "%s; %s", e->msg, remedy(e->msg));
}

static void swallow(struct fy_diag *diag, void *user, const char *text, size_t length) {
    (void)diag, (void)user, (void)text, (void)length;
}

static struct fy_diag *create_diag(void) {
    struct fy_diag_cfg cfg;
    fy_diag_cfg_default(&cfg);
    cfg.fp = NULL;
    cfg.output_fn = swallow;
    cfg.level = FYET_ERROR;
    cfg.colorize = false;
    struct fy_diag *diag = fy_diag_create(&cfg);
    if (diag) fy_diag_set_collect_errors(diag, true);
    return diag;
}

static lmb_status run_parser(builder *b, struct fy_parser *parser, struct fy_diag *diag) {
    lmb_status status = LMB_OK;
    for (struct fy_event *e; status == LMB_OK && (e = fy_parser_parse(parser));) {
        status = on_event(b, e);
        fy_parser_event_free(parser, e);
    }
    if (status == LMB_OK && fy_parser_get_stream_error(parser)) status = fail_parse(b, diag);
    return status;
}

static lmb_status parse_events(builder *b, const char *text, size_t length) {
    struct fy_diag *diag = create_diag();
    struct fy_parse_cfg cfg = {
        .flags = FYPCF_QUIET | FYPCF_COLLECT_DIAG | FYPCF_SLOPPY_FLOW_INDENTATION | FYPCF_JSON_NONE |
                 FYPCF_DEFAULT_VERSION_1_2,
        .diag = diag,
    };
    struct fy_parser *parser = diag ? fy_parser_create(&cfg) : NULL;
    lmb_status status = LMB_OK;
    if (parser == NULL || fy_parser_set_string(parser, text, length) != 0) status = fail_memory(b);
    else status = run_parser(b, parser, diag);
    if (parser) fy_parser_destroy(parser);
    if (diag) fy_diag_destroy(diag);
    return status;
}

static lmb_status check_root(const builder *b) {
    static const char form[] = "expected a map of sections (limber: 1, bodies: ..., joints: ...)";
    lmb_where start = {b->file, 1, 1};
    if (b->root == NULL || b->root->kind == LMB_NODE_NULL)
        return lmb_fail(b->r->err, LMB_ERR_INPUT, start, "the file is empty; %s", form);
    if (b->root->kind != LMB_NODE_MAP)
        return lmb_fail(b->r->err, LMB_ERR_INPUT, b->root->where, "%s, found %s", form,
                        b->root->kind == LMB_NODE_LIST ? "a list" : "a text");
    return LMB_OK;
}

lmb_status lmb_yaml_parse(lmb_node **out, lmb_yaml_reader *r, const char *text, size_t length,
                          const char *name) {
    builder *b = lmb_alloc(1, sizeof *b);
    if (b == NULL) return lmb_fail_memory(r->err);
    b->r = r;
    b->file = name;
    b->anchors.arena = r->scratch;
    b->last = (lmb_where){name, 1, 1};
    bool marked = length >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0; // byte order mark
    if (marked) text += 3, length -= 3;
    b->text = text;
    b->length = length;
    lmb_status status = check_bytes(b, text, length);
    if (status == LMB_OK && length > 0) status = parse_events(b, text, length);
    if (status == LMB_OK) status = check_root(b);
    if (status == LMB_OK) *out = b->root;
    lmb_free(b);
    return status;
}

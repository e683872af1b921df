// YAML texts and files to a tree: places, anchors, errors that say where and what to do.
#include "check.h"
#include "read/model_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static lmb_spec *read_text(const char *text, lmb_error *err) {
    lmb_spec *s = NULL;
    *err = (lmb_error){0};
    lmb_yaml_read_text(&s, text, strlen(text), "m.yaml", err);
    return s;
}

// the formatted error of a text that must fail
static const char *error_of_bytes(const char *text, size_t length) {
    static char out[1200];
    lmb_spec *s = NULL;
    lmb_error err = {0};
    lmb_status status = lmb_yaml_read_text(&s, text, length, "m.yaml", &err);
    CHECK(status == LMB_ERR_INPUT);
    CHECK(s == NULL);
    lmb_spec_destroy(s);
    return lmb_error_format(out, sizeof out, &err);
}

static const char *error_of(const char *text) { return error_of_bytes(text, strlen(text)); }

static const char *text_at(const lmb_node *map, const char *key) {
    const lmb_node *n = lmb_node_find(map, key);
    return n && n->kind == LMB_NODE_SCALAR ? n->text : NULL;
}

static const char *write_file(const char *name, const char *text) {
    const char *path = check_temp(name);
    FILE *f = fopen(path, "w");
    if (f == NULL) return path;
    fputs(text, f);
    fclose(f);
    return path;
}

static const char *error_of_file(const char *path) {
    static char out[1200];
    lmb_spec *s = NULL;
    lmb_error err = {0};
    CHECK(lmb_yaml_read_file(&s, path, &err) == LMB_ERR_INPUT);
    CHECK(s == NULL);
    lmb_spec_destroy(s);
    return lmb_error_format(out, sizeof out, &err);
}

TEST(tree_has_kinds_and_places) {
    lmb_error err;
    lmb_spec *s = read_text("limber: 1\nbodies:\n  arm: {mass: \"L/2\", at: [1, 2, 3]}\n  none:\n", &err);
    if (!CHECK(s != NULL)) return;
    const lmb_node *bodies = lmb_node_find(s->root, "bodies"), *arm = lmb_node_find(bodies, "arm");
    CHECK(s->root->kind == LMB_NODE_MAP && s->root->count == 2);
    CHECK(bodies->key_where.line == 2 && bodies->key_where.col == 1);
    CHECK(arm->kind == LMB_NODE_MAP && arm->count == 2);
    CHECK(arm->where.line == 3 && arm->where.col == 8);
    const lmb_node *mass = lmb_node_find(arm, "mass"), *at = lmb_node_find(arm, "at");
    CHECK(mass->quoted && mass->where.line == 3 && mass->where.col == 15); // of the quote
    CHECK(at->kind == LMB_NODE_LIST && at->count == 3);
    CHECK(at->first->next->where.col == 30);
    CHECK(lmb_node_find(bodies, "none")->kind == LMB_NODE_NULL);
    CHECK_TEXT(mass->where.file, "m.yaml");
    CHECK_TEXT(s->file, "m.yaml");
    CHECK_CONTAINS(s->text, "arm: {mass");
    lmb_spec_destroy(s);
}

TEST(nothing_is_nothing_only_without_quotes) {
    lmb_error err;
    lmb_spec *s = read_text("a: ~\nb: null\nc: 'null'\nd: \"\"\ne:\nf: true\n", &err);
    if (!CHECK(s != NULL)) return;
    CHECK(lmb_node_find(s->root, "a")->kind == LMB_NODE_NULL);
    CHECK(lmb_node_find(s->root, "b")->kind == LMB_NODE_NULL);
    CHECK_TEXT(text_at(s->root, "c"), "null");
    CHECK_TEXT(text_at(s->root, "d"), "");
    CHECK(lmb_node_find(s->root, "e")->kind == LMB_NODE_NULL);
    CHECK(lmb_node_find(s->root, "f")->kind == LMB_NODE_SCALAR && !lmb_node_find(s->root, "f")->quoted);
    lmb_spec_destroy(s);
}

TEST(quotes) {
    lmb_error err;
    lmb_spec *s =
        read_text("a: 'it''s'\nb: ''''''''''''''''''''''''''''''''\nc: 'one  \n  two\n\n\n  three '\n"
                  "d: \"tab\\t\\u00e9 \\\"q\\\"\"\ne: |\n  x\n  y\nf: >-\n  x\n  y\n'g''h': ''\n",
                  &err);
    if (!CHECK(s != NULL)) return;
    CHECK_TEXT(text_at(s->root, "a"), "it's");
    CHECK_TEXT(text_at(s->root, "b"), "'''''''''''''''");
    CHECK_TEXT(text_at(s->root, "c"), "one two\n\nthree ");
    CHECK_TEXT(text_at(s->root, "d"), "tab\t\xc3\xa9 \"q\"");
    CHECK_TEXT(text_at(s->root, "e"), "x\ny\n");
    CHECK_TEXT(text_at(s->root, "f"), "x y");
    CHECK_TEXT(text_at(s->root, "g'h"), "");
    lmb_spec_destroy(s);
}

TEST(json_is_yaml) {
    lmb_error err;
    lmb_spec *s =
        read_text("{\n\t\"limber\": 1,\n\t\"bodies\": {\n\t\t\"a\": {\"mass\": 1.5e0}\n\t}\n}\n", &err);
    if (!CHECK(s != NULL)) return;
    CHECK_TEXT(text_at(lmb_node_find(lmb_node_find(s->root, "bodies"), "a"), "mass"), "1.5e0");
    lmb_spec_destroy(s);
}

TEST(byte_order_mark_and_windows_lines) {
    lmb_error err;
    lmb_spec *s = read_text("\xef\xbb\xbflimber: 1\r\ntitle: \xc3\xa9t\xc3\xa9\r\n", &err);
    if (!CHECK(s != NULL)) return;
    CHECK_TEXT(text_at(s->root, "limber"), "1");
    CHECK_TEXT(text_at(s->root, "title"), "\xc3\xa9t\xc3\xa9");
    lmb_spec_destroy(s);
}

TEST(aliases_are_copies) {
    lmb_error err;
    lmb_spec *s = read_text("a: &x {p: 1, q: [2, 3]}\nb: *x\nc: [*x, *x]\n&k key: 1\nd: *k\n", &err);
    if (!CHECK(s != NULL)) return;
    const lmb_node *a = lmb_node_find(s->root, "a"), *b = lmb_node_find(s->root, "b");
    CHECK(a != b && b->kind == LMB_NODE_MAP && b->count == 2);
    CHECK_TEXT(text_at(b, "p"), "1");
    CHECK(lmb_node_find(b, "q")->count == 2);
    CHECK(lmb_node_find(s->root, "c")->first->next->count == 2);
    CHECK_TEXT(text_at(s->root, "d"), "key");
    lmb_spec_destroy(s);
}

TEST(merge_keys) {
    lmb_error err;
    lmb_spec *s =
        read_text("a: &a {x: 1, y: 2}\nb: &b {y: 3, z: 4}\nc: {<<: [*a, *b], x: 9}\nd:\n  <<: *b\n  w: 5\n"
                  "e: {\"<<\": 7}\n",
                  &err);
    if (!CHECK(s != NULL)) return;
    const lmb_node *c = lmb_node_find(s->root, "c"), *d = lmb_node_find(s->root, "d");
    CHECK(c->count == 3);
    CHECK_TEXT(text_at(c, "x"), "9"); // its own
    CHECK_TEXT(text_at(c, "y"), "2"); // of the first
    CHECK_TEXT(text_at(c, "z"), "4");
    CHECK(d->count == 3);
    CHECK_TEXT(text_at(d, "w"), "5");
    CHECK_TEXT(text_at(lmb_node_find(s->root, "e"), "<<"), "7");
    CHECK(lmb_node_find(s->root, "a")->count == 2);
    lmb_spec_destroy(s);
    CHECK_CONTAINS(error_of("a: &a 1\nb: {<<: *a}\n"), "m.yaml:2:5: error: << merges only maps");
    CHECK_CONTAINS(error_of("a: &a {}\nb: {<<: *a, <<: *a}\n"), "duplicate key '<<'");
}

TEST(alias_bombs_are_refused) {
    lmb_text t = {0};
    lmb_text_add(&t, "a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\n");
    for (int i = 1; i < 12; i++) {
        lmb_text_add(&t, "a%d: &a%d [", i, i);
        for (int k = 0; k < 10; k++) lmb_text_add(&t, "%s*a%d", k ? ", " : "", i - 1);
        lmb_text_add(&t, "]\n");
    }
    CHECK_CONTAINS(error_of(t.text), "more than 1000000 values");
    lmb_text_free(&t);
    CHECK_CONTAINS(error_of("a: &a [1, *a]\n"), "m.yaml:1:11: error: alias '*a' contains itself");
    CHECK_CONTAINS(error_of("a: *b\n"), "m.yaml:1:4: error: unknown alias '*b'");
}

TEST(aliases_cannot_nest_without_end) {
    lmb_text t = {0};
    lmb_text_add(&t, "a0: &a0 1\n");
    for (int i = 1; i < 300; i++) lmb_text_add(&t, "a%d: &a%d [*a%d]\n", i, i, i - 1);
    CHECK_CONTAINS(error_of(t.text), "aliases are nested too deeply");
    lmb_text_free(&t);
}

TEST(depth_is_limited) {
    char deep[2100];
    memset(deep, '[', 2000);
    deep[2000] = '\0';
    memcpy(deep, "a: ", 3);
    CHECK_CONTAINS(error_of(deep), "lists and maps are nested too deeply");
    lmb_text t = {0};
    for (int i = 0; i < 300; i++) lmb_text_add(&t, "%*sa:\n", i, "");
    CHECK_CONTAINS(error_of(t.text), "lists and maps are nested too deeply");
    lmb_text_free(&t);
}

TEST(double_keys_name_both_places) {
    CHECK_CONTAINS(error_of("bodies:\n  a: 1\n  b: 2\n  a: 3\n"),
                   "m.yaml:4:3: error: duplicate key 'a' (first defined at line 2, column 3)");
    lmb_text t = {0};
    for (int i = 0; i < 1000; i++) lmb_text_add(&t, "k%d: 1\n", i);
    lmb_text_add(&t, "k517: 1\n");
    CHECK_CONTAINS(error_of(t.text),
                   "m.yaml:1001:1: error: duplicate key 'k517' (first defined at line 518, column 1)");
    lmb_text_free(&t);
}

TEST(rubbish_is_refused_with_a_place) {
    CHECK_CONTAINS(error_of(""), "m.yaml:1:1: error: the file is empty; expected a map of sections");
    CHECK_CONTAINS(error_of("# nothing\n\n"), "the file is empty");
    CHECK_CONTAINS(error_of("---\n"), "the file is empty");
    CHECK_CONTAINS(error_of("- a\n- b\n"), "expected a map of sections");
    CHECK_CONTAINS(error_of("hello\n"), "found a text");
    CHECK_CONTAINS(error_of("a: 1\nb: \xff\xfe\n"), "m.yaml:2:4: error: byte 0xff is not UTF-8");
    CHECK_CONTAINS(error_of("a: \xc3"), "m.yaml:1:4: error: byte 0xc3 is not UTF-8");
    CHECK_CONTAINS(error_of("a: \xed\xa0\x80"), "is not UTF-8");
    CHECK_CONTAINS(error_of("a: \xc0\xaf"), "is not UTF-8");
    CHECK_CONTAINS(error_of_bytes("\xff\xfe"
                                  "a\0",
                                  4),
                   "UTF-16");
    CHECK_CONTAINS(error_of_bytes("a: 1\nb: \0\n", 10), "m.yaml:2:4: error: control character 0x00");
    CHECK_CONTAINS(error_of_bytes("\x89HDF\r\n\x1a\n", 8), "m.yaml:1:1: error: this is a results file");
    CHECK_CONTAINS(error_of("a: \"\\0\"\n"), "NUL");
    CHECK_CONTAINS(error_of("a: 1\n---\nb: 2\n"), "m.yaml:2:1: error: a second document");
    CHECK_CONTAINS(error_of("a: !!int 5\n"), "tags");
    CHECK_CONTAINS(error_of("? [a, b]\n: 1\n"), "a key must be a plain name");
    CHECK_CONTAINS(error_of(": 1\n"), "missing or invalid key");
}

// every place has a line and a column of the text, counted from one
TEST(places_of_errors_are_in_the_text) {
    static const char *const texts[] = {
        "a:\n  - b\n c", "a: [\n",       "a: {\n", "a:\n",       "a: 1\n\n]",      "\n\n:\n",
        "a: |\nb",       "a: &x\n*x",    "- \n-",  "a: 'b\n\n",  "{a: 1}\nb: 2\n", "a: 1\n b: 2\n",
        "---\n---\n",    "a: 1\n...\nb", "? \n",   "a: \"\\q\"", "a: 1\na\n",      "%TAG\n"};
    for (int i = 0; i < LMB_COUNT(texts); i++) {
        lmb_spec *s = NULL;
        lmb_error err = {0};
        if (lmb_yaml_read_text(&s, texts[i], strlen(texts[i]), "m.yaml", &err) != LMB_OK) {
            int line = 0, column = 0, lines = 1;
            char out[1200];
            for (const char *c = texts[i]; *c; c++) lines += *c == '\n';
            CHECK(sscanf(lmb_error_format(out, sizeof out, &err), "m.yaml:%d:%d:", &line, &column) == 2);
            if (!CHECK(line >= 1 && line <= lines && column >= 1)) check_note("%s", out);
        }
        lmb_spec_destroy(s);
    }
}

TEST(syntax_errors_say_what_to_do) {
    CHECK_CONTAINS(error_of("a:\n\tb: 1\n"), "m.yaml:2:1: error: tab character");
    CHECK_CONTAINS(error_of("a:\n\tb: 1\n"), "indent with spaces");
    CHECK_CONTAINS(error_of("a: [1, 2\nb: 3\n"), "opened at line 1, column 4");
    CHECK_CONTAINS(error_of("a: [link[i].tip, b]\n"), "quote names such as \"link[i]\"");
    CHECK_CONTAINS(error_of("a: \"no end\nb: 1\n"), "m.yaml:1:");
    CHECK_CONTAINS(error_of("a: \"no end\nb: 1\n"), "close the quote");
    CHECK_CONTAINS(error_of("a: b: c\n"), "one `key: value` per line");
    CHECK_CONTAINS(error_of("a: {b: 1, c"), "m.yaml:");
    CHECK_CONTAINS(error_of("a: @x\n"), "quote the text");
    CHECK_CONTAINS(error_of("%YAML 9.9\n---\na: 1\n"), "m.yaml:1:1: error: ");
}

TEST(texts_cannot_name_files) {
    CHECK_CONTAINS(error_of("include: a.yaml\n"),
                   "m.yaml:1:10: error: a model given as text cannot refer to other files");
    CHECK_CONTAINS(error_of("assemblies: {a: {file: leg.yaml}}\n"),
                   "a model given as text cannot refer to other files");
    CHECK_CONTAINS(error_of("repeat: {count: 2, assemblies: {\"a[i]\": {file: leg.yaml}}}\n"),
                   "a model given as text cannot refer to other files");
}

TEST(files_that_cannot_be_read) {
    CHECK_CONTAINS(error_of_file(check_temp("missing.yaml")), "no such file; check the name");
    CHECK_CONTAINS(error_of_file("/tmp"), "is a folder; name a");
    const char *path = write_file("secret.yaml", "limber: 1\n");
    chmod(path, 0);
    if (geteuid() != 0) CHECK_CONTAINS(error_of_file(path), "it may not be read");
    CHECK_CONTAINS(error_of_file("/dev/zero"), "larger than 64 MB");
    CHECK_CONTAINS(error_of_file(write_file("empty.yaml", "")), "the file is empty");
}

TEST(include_merges_sections) {
    write_file("inc_a.yaml", "limber: 1\nbodies: {b: {mass: 2}}\nparameters: {k: 3}\nrepeat: {count: 1}\n");
    write_file("inc_b.yaml", "include: inc_a.yaml\nanalyses: [{type: two}]\njoints: {j: {}}\n");
    const char *path = write_file("inc_main.yaml", "limber: 1\ninclude: [inc_a.yaml, inc_b.yaml]\n"
                                                   "bodies: {a: {mass: 1}}\nanalyses: [{type: one}]\n"
                                                   "repeat: [{count: 2}]\njoints:\n");
    lmb_spec *s = NULL;
    lmb_error err = {0};
    if (!CHECK_OK(lmb_yaml_read_file(&s, path, &err), err)) return;
    CHECK(lmb_node_find(s->root, "bodies")->count == 2);
    CHECK(lmb_node_find(s->root, "analyses")->count == 2);
    CHECK(lmb_node_find(s->root, "repeat")->count == 2);
    CHECK(lmb_node_find(s->root, "joints")->count == 1);
    CHECK_TEXT(text_at(lmb_node_find(s->root, "parameters"), "k"), "3");
    CHECK(lmb_node_find(s->root, "include") == NULL);
    CHECK_CONTAINS(lmb_node_find(lmb_node_find(s->root, "bodies"), "b")->where.file, "inc_a.yaml");
    CHECK_CONTAINS(s->text, "include: [inc_a.yaml");
    lmb_spec_destroy(s);
}

TEST(include_errors) {
    write_file("dup.yaml", "bodies:\n  a: {}\n");
    const char *path = write_file("dup_main.yaml", "limber: 1\ninclude: dup.yaml\nbodies:\n  a: {}\n");
    const char *text = error_of_file(path);
    CHECK_CONTAINS(text, "dup.yaml:2:3: error: name 'a' is already defined at ");
    CHECK_CONTAINS(text, "dup_main.yaml:4:3");
    write_file("scalar.yaml", "title: x\n");
    path = write_file("scalar_main.yaml", "limber: 1\ntitle: y\ninclude: scalar.yaml\n");
    CHECK_CONTAINS(error_of_file(path), "section 'title' is already defined at");
    write_file("circle_b.yaml", "include: circle_a.yaml\n");
    path = write_file("circle_a.yaml", "limber: 1\ninclude: circle_b.yaml\n");
    text = error_of_file(path);
    CHECK_CONTAINS(text, "circle_b.yaml:1:10: error: circular include: ");
    CHECK_CONTAINS(text, "circle_a.yaml -> ");
    path = write_file("gone_main.yaml", "limber: 1\ninclude: gone.yaml\n");
    CHECK_CONTAINS(error_of_file(path), "gone_main.yaml:2:10: error: cannot read");
    write_file("newer.yaml", "limber: 2\n");
    path = write_file("newer_main.yaml", "limber: 1\ninclude: newer.yaml\n");
    CHECK_CONTAINS(error_of_file(path), "newer.yaml:1:9: error: unsupported format version");
    write_file("mm.yaml", "units: mm-t-s\n");
    path = write_file("mm_main.yaml", "limber: 1\ninclude: mm.yaml\n");
    CHECK_CONTAINS(error_of_file(path), "included by a file with different units");
    path = write_file("form_main.yaml", "limber: 1\ninclude: {a: b}\n");
    CHECK_CONTAINS(error_of_file(path), "expected a file name");
}

TEST(files_name_each_other_only_so_deep) {
    for (int i = 0; i < 30; i++) {
        char name[40], text[80];
        snprintf(name, sizeof name, "deep%d.yaml", i);
        snprintf(text, sizeof text, "limber: 1\ninclude: deep%d.yaml\n", i + 1);
        write_file(name, text);
    }
    CHECK_CONTAINS(error_of_file(check_temp("deep0.yaml")), "nested more than 20 levels deep");
}

TEST(assembly_files_stand_as_models) {
    write_file("foot.yaml", "limber: 1\nbodies: {toe: {}}\n");
    write_file("leg.yaml", "limber: 1\nbodies: {shin: {}}\nassemblies: {foot: {file: foot.yaml}}\n");
    const char *path =
        write_file("walker.yaml", "limber: 1\nassemblies: {leg: {file: leg.yaml}}\n"
                                  "repeat: {count: 2, assemblies: {\"more[i]\": {file: foot.yaml}}}\n");
    lmb_spec *s = NULL;
    lmb_error err = {0};
    if (!CHECK_OK(lmb_yaml_read_file(&s, path, &err), err)) return;
    const lmb_node *leg = lmb_node_find(lmb_node_find(s->root, "assemblies"), "leg");
    const lmb_node *model = lmb_node_find(leg, "model");
    CHECK(lmb_node_find(lmb_node_find(model, "bodies"), "shin") != NULL);
    const lmb_node *foot = lmb_node_find(lmb_node_find(model, "assemblies"), "foot");
    CHECK(lmb_node_find(foot, "model") != NULL);
    CHECK_OK(lmb_spec_expand(s, NULL, 0, &err), err);
    const lmb_node *bodies = lmb_node_find(s->root, "bodies");
    CHECK(bodies->count == 4);
    CHECK(lmb_node_find(bodies, "leg.shin") && lmb_node_find(bodies, "leg.foot.toe"));
    CHECK(lmb_node_find(bodies, "more[2].toe") != NULL);
    lmb_spec_destroy(s);
    path = write_file("self.yaml", "limber: 1\nassemblies: {a: {file: self.yaml}}\n");
    CHECK_CONTAINS(error_of_file(path), "circular include: ");
    path = write_file("both.yaml", "limber: 1\nassemblies: {a: {file: foot.yaml, model: {}}}\n");
    CHECK_CONTAINS(error_of_file(path), "either 'file' or 'model'");
}

TEST(a_file_of_its_own_sees_no_outer_names) {
    write_file("closed.yaml", "limber: 1\nparameters: {own: 1}\nbodies: {b: {mass: outer}}\n");
    const char *path = write_file("open_main.yaml", "limber: 1\nparameters: {outer: 5}\n"
                                                    "assemblies: {a: {file: closed.yaml}}\n");
    lmb_spec *s = NULL;
    lmb_error err = {0};
    if (!CHECK_OK(lmb_yaml_read_file(&s, path, &err), err)) return;
    CHECK_OK(lmb_spec_expand(s, NULL, 0, &err), err);
    const lmb_node *b = lmb_node_find(lmb_node_find(s->root, "bodies"), "a.b");
    double v = 0;
    CHECK(lmb_spec_value(&v, s, lmb_node_find(b, "mass"), &err) == LMB_ERR_INPUT);
    CHECK_CONTAINS(err.text, "'outer'");
    lmb_spec_destroy(s);
}

// draw/scene.c: scenes are written as they are read, and what is wrong in them is refused by name.
#include "check.h"
#include "draw/scene.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// every key of the table
static const char whole[] = "{\"title\": \"all \\\"keys\\\" \xc3\xbc\", \"length\": 0.5, \"gravity\": [0, 0, "
                            "-9.8100000000000005], \"bodies\": [\n"
                            "{\"name\": \"rod\", \"kind\": \"modal\", \"q\": 0, \"v\": 3, \"color\": "
                            "\"red\", \"flex\": {\"shape\": \"rod\", "
                            "\"q\": 7, \"v\": 9, \"count\": 2, \"radius\": 0.01}},\n"
                            "{\"name\": \"rod[2]\", \"of\": \"rod\", \"kind\": \"modal\", \"q\": -1},\n"
                            "{\"name\": \"disc\", \"kind\": \"rigid\", \"q\": 9, \"shapes\": [\n"
                            "{\"kind\": \"cylinder\", \"at\": [1, 2, 3], \"rotation\": [0.59999999999999998, "
                            "0.80000000000000004, 0, 0], "
                            "\"size\": [0.10000000000000001, 0.20000000000000001, 0]}]}], \"markers\": [\n"
                            "{\"name\": \"\", \"body\": -1, \"at\": [0, 0, 0], \"rotation\": [1, 0, 0, 0]},\n"
                            "{\"name\": \"end\", \"body\": 2, \"at\": [1, 0, 0], \"rotation\": [1, 0, 0, 0], "
                            "\"q\": 16, \"v\": 11}], \"joints\": [\n"
                            "{\"name\": \"pin\", \"kind\": \"revolute\", \"markers\": [0, 1], \"inner\": "
                            "true, \"active\": 0}], \"forces\": [\n"
                            "{\"name\": \"weight\", \"kind\": \"spring\", \"markers\": [1, 0]}]}\n";

static lmb_status read_text(lmb_scene **out, const char *text, lmb_error *err) {
    *err = (lmb_error){0};
    return lmb_scene_read(out, text, strlen(text), "run.h5", err);
}

static bool refused(const char *text, const char *message) {
    lmb_scene *s;
    lmb_error err;
    bool ok = CHECK(read_text(&s, text, &err) == LMB_ERR_INPUT && s == NULL) &&
              CHECK_CONTAINS(err.text, "the scene in 'run.h5' is damaged: ") &&
              CHECK_CONTAINS(err.text, message);
    lmb_scene_destroy(s);
    if (!ok) check_note("%s", text);
    return ok;
}

// the whole scene with one piece replaced, for lmb_text_free
static char *with(const char *old, const char *new) {
    const char *at = strstr(whole, old);
    lmb_text t = {0};
    CHECK(at != NULL);
    lmb_text_add(&t, "%.*s%s%s", (int)(at - whole), whole, new, at + strlen(old));
    return t.text;
}

TEST(every_key_is_read_and_written) {
    lmb_scene *s;
    lmb_error err;
    lmb_text again = {0};
    if (!CHECK_OK(read_text(&s, whole, &err), err)) return;
    CHECK_TEXT(s->title, "all \"keys\" \xc3\xbc");
    CHECK(s->length == 0.5 && s->gravity.z == -9.81);
    CHECK(s->body_count == 3 && s->marker_count == 2 && s->joint_count == 1 && s->force_count == 1);
    const lmb_scene_body *rod = s->bodies, *part = rod + 1, *disc = rod + 2;
    CHECK(rod->flex && rod->flex->q == 7 && rod->flex->v == 9 && rod->flex->count == 2 &&
          rod->flex->radius == 0.01);
    CHECK_TEXT(part->of, "rod");
    CHECK(part->q == -1 && part->v == -1 && part->flex == NULL && part->color == NULL &&
          part->shape_count == 0);
    CHECK(disc->shape_count == 1 && disc->shapes[0].kind == LMB_SCENE_CYLINDER &&
          disc->shapes[0].rotation.x == 0.8);
    CHECK(disc->shapes[0].size.y == 0.2 && disc->shapes[0].at.z == 3);
    CHECK(s->markers[0].q == -1 && s->markers[1].q == 16 && s->markers[1].v == 11 && s->markers[1].body == 2);
    CHECK(s->joints[0].inner && s->joints[0].active == 0 && s->joints[0].markers[1] == 1);
    CHECK(!s->forces[0].inner && s->forces[0].active == -1 && s->forces[0].markers[0] == 1);
    CHECK(lmb_scene_write(&again, s));
    CHECK_TEXT(again.text, whole);
    lmb_text_free(&again);
    lmb_scene_destroy(s);
}

TEST(scenes_of_other_versions_are_read) {
    // the first one, and one with keys that are not known yet
    static const char *const texts[] = {"{\"title\": \"\", \"length\": 0, \"gravity\": [0, 0, 0], "
                                        "\"bodies\": [\n{\"name\": \"arm\", \"kind\": "
                                        "\"rigid\", \"q\": 0}],\n\"markers\": [\n{\"name\": \"\", \"body\": "
                                        "0, \"at\": [0, 0, 0], \"rotation\": [1, "
                                        "0, 0, 0]}],\n\"joints\": [],\n\"forces\": []}\n",
                                        "{\"later\": [{\"x\": [null, true, \"\\u00fc\\ud83d\\ude00\", 1e-3, "
                                        "{}]}], \"title\": \"\", \"length\": 0, "
                                        "\"gravity\": [0, 0, 0], \"bodies\": [{\"name\": \"arm\", \"new\": "
                                        "false, \"kind\": \"rigid\", \"q\": 0}], "
                                        "\"markers\": [], \"joints\": [], \"forces\": []}"};
    for (int i = 0; i < LMB_COUNT(texts); i++) {
        lmb_scene *s;
        lmb_error err;
        if (!CHECK_OK(read_text(&s, texts[i], &err), err)) continue;
        CHECK(s->body_count == 1 && s->bodies[0].q == 0 && s->bodies[0].v == -1);
        lmb_scene_destroy(s);
    }
}

// a value of each key, replaced by everything that it must not be
TEST(values_that_are_wrong_are_refused) {
    static const char *const anything = "null|{}|[{}]|nan|NaN|inf|-inf|tru|'x'|01|+1|.5|1.|1e|--1|";
    static const char *const no_number = "\"1\"|true|[1]|1e999|-1e999|1e31|-1e31";
    static const char *const no_index =
        "-2|0.5|-0.001|2147483648|-2147483648|1e300|1073741824|12345678901234567890";
    static const struct {
        const char *old, *key, *place;
        const char *values[3]; // to be set behind the key
    } all[] = {
        {"\"title\": \"all \\\"keys\\\" \xc3\xbc\"", "\"title\": ", "title: ", {anything, "1|true|[]"}},
        {"\"length\": 0.5", "\"length\": ", "length: ", {anything, no_number, "-1e-9"}},
        {"\"gravity\": [0, 0, -9.8100000000000005]",
         "\"gravity\": ",
         "gravity: ",
         {anything, "\"1\"|true|1|[]|[0, 0]|[0, 0, 0, 0]|[0, 0, 1e999]|[0, 0, 1e31]|[0, \"0\", 0]|[0, null, "
                    "0]|[0, 0, 0"}},
        {"\"kind\": \"rigid\"", "\"kind\": ", "bodies[2].kind: ", {anything, "1|true"}},
        {"\"q\": 9", "\"q\": ", "bodies[2].q: ", {anything, no_number, no_index}},
        {"\"v\": 3", "\"v\": ", "bodies[0].v: ", {anything, no_number, no_index}},
        {"\"q\": 7", "\"q\": ", "bodies[0].flex.q: ", {anything, no_number, no_index}},
        {"\"count\": 2",
         "\"count\": ",
         "bodies[0].flex.count: ",
         {anything, no_number, "-1|0.5|2147483648|1e300"}},
        {"\"radius\": 0.01", "\"radius\": ", "bodies[0].flex.radius: ", {anything, no_number, "-0.01"}},
        {"\"color\": \"red\"", "\"color\": ", "bodies[0].color: ", {anything, "1|[]|true"}},
        {"\"kind\": \"cylinder\"",
         "\"kind\": ",
         "bodies[2].shapes[0].kind: ",
         {anything, "1|\"cone\"|\"\"|\"cylinders\""}},
        {"[0.59999999999999998, 0.80000000000000004, 0, 0]",
         "",
         "bodies[2].shapes[0].rotation: ",
         {anything, "[0, 0, 0, 0]|[1, 0, 0]|[1, 1, 0, 0]|[1, 0, 0, 1e-2]"}},
        {"[0.10000000000000001, 0.20000000000000001, 0]",
         "",
         "bodies[2].shapes[0].size: ",
         {anything, "[-1, 0, 0]|[1, 1]|[1e308, 0, 0]"}},
        {"\"body\": 2", "\"body\": ", "markers[1].body: ", {anything, no_number, "-2|3|1.5|2147483647"}},
        {"\"q\": 16", "\"q\": ", "markers[1].q: ", {anything, no_number, no_index}},
        {"\"markers\": [0, 1]",
         "\"markers\": ",
         "joints[0].markers: ",
         {anything, "[0]|[]|[-1, 0]|[0, 2]|[0, 1.5]|[0, \"1\"]|[0, 1, 2147483648]|[0, 99]|0"}},
        {"\"inner\": true", "\"inner\": ", "joints[0].inner: ", {anything, "1|\"true\"|[]"}},
        {"\"active\": 0", "\"active\": ", "joints[0].active: ", {anything, no_number, no_index}},
        {"\"markers\": [1, 0]", "\"markers\": ", "forces[0].markers: ", {anything, "[2, 0]"}},
        {"\"of\": \"rod\"", "\"of\": ", "bodies[1].of: ", {anything, "\"disc\"|\"\"|1"}},
    };
    int count = 0;
    for (int i = 0; i < LMB_COUNT(all); i++)
        for (int k = 0; k < 3 && all[i].values[k]; k++)
            for (const char *v = all[i].values[k], *end; *v; v = *end ? end + 1 : end, count++) {
                char piece[200];
                end = v + strcspn(v, "|");
                snprintf(piece, sizeof piece, "%s%.*s", all[i].key, (int)(end - v), v);
                char *text = with(all[i].old, piece);
                refused(text, all[i].place);
                lmb_free(text);
            }
    check_note("%d values", count);
    CHECK(count > 400);
}

TEST(keys_that_are_missing_or_occur_twice_are_refused) {
    static const struct {
        const char *old, *new, *message;
    } all[] = {
        {"\"title\"", "\"tittle\"", "title: the key is missing"},
        {"\"length\"", "\"Length\"", "length: the key is missing"},
        {"\"gravity\"", "\"\"", "gravity: the key is missing"},
        {"\"bodies\"", "\"bodies \"", "bodies: the key is missing"},
        {"\"joints\"", "\"j\"", "joints: the key is missing"},
        {"\"forces\"", "\"a key that is longer than all that are known, and than their room\"",
         "forces: the key is missing"},
        {"\"name\": \"disc\", ", "", "bodies[2].name: the key is missing"},
        {", \"q\": 9", "", "bodies[2].q: the key is missing"},
        {", \"count\": 2", "", "bodies[0].flex.count: the key is missing"},
        {"\"size\"", "\"sizes\"", "bodies[2].shapes[0].size: the key is missing"},
        {"\"body\": 2, ", "", "markers[1].body: the key is missing"},
        {"\"markers\": [1, 0]", "\"marker\": [1, 0]", "forces[0].markers: the key is missing"},
        {"\"length\": 0.5", "\"length\": 0.5, \"length\": 0.5", "length: the key occurs twice"},
        {"\"count\": 2", "\"count\": 2, \"cou\\u006et\": 2", "bodies[0].flex.count: the key occurs twice"},
    };
    for (int i = 0; i < LMB_COUNT(all); i++) {
        char *text = with(all[i].old, all[i].new);
        refused(text, all[i].message);
        lmb_free(text);
    }
}

TEST(texts_that_are_not_json_are_refused) {
    static const char *const texts[] = {"",
                                        "x",
                                        "[]",
                                        "\"scene\"",
                                        "null",
                                        "1",
                                        "{",
                                        "{]",
                                        "{\"title\"}",
                                        "{\"title\" 1}",
                                        "{\"a\": 1 \"b\": 2}",
                                        "{,}",
                                        "{\"a\": 1,}",
                                        "{a: 1}",
                                        "{\"title\": 0x10}",
                                        "{\"later\": truex}",
                                        "{'a': 1}",
                                        "&a {}"};
    for (int i = 0; i < LMB_COUNT(texts); i++) refused(texts[i], "");
    // anything behind it, and every beginning
    char text[sizeof whole + 1];
    snprintf(text, sizeof text, "%s}", whole);
    refused(text, "something follows");
    for (size_t n = 0; n + 2 < sizeof whole; n++) {
        lmb_scene *s;
        char *start = malloc(n + 1);
        memcpy(start, whole, n);
        CHECK(lmb_scene_read(&s, start, n, "run.h5", &(lmb_error){0}) == LMB_ERR_INPUT && s == NULL);
        free(start);
    }
    // deep nesting: no recursion without end
    lmb_text deep = {0};
    lmb_text_add(&deep, "{\"later\": ");
    for (int i = 0; i < 100000; i++) lmb_text_add(&deep, "[");
    refused(deep.text, "nested too deeply");
    lmb_text_free(&deep);
}

TEST(texts_in_scenes) {
    static const struct {
        const char *json, *text; // NULL: refused
    } all[] = {
        {"\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\/\b\f\n\r\t"},
        {"\"\\u0041\\u00e9\\u20ac\\ud83d\\ude00\"", "A\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80"},
        {"\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\"", "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80"},
        {"\"\\u0000\"", NULL},
        {"\"\\ud83d\"", NULL},
        {"\"\\ude00\\ud83d\"", NULL},
        {"\"\\ud83d\\u0041\"", NULL},
        {"\"\\u00g0\"", NULL},
        {"\"\\x41\"", NULL},
        {"\"\n\"", NULL},
        {"\"\xc3\"", NULL},
        {"\"\xff\"", NULL},
        {"\"\xc0\x80\"", NULL},
        {"\"\xed\xa0\x80\"", NULL},
        {"\"\xf4\x90\x80\x80\"", NULL},
        {"\"\xe0\x80\x80\"", NULL},
    };
    for (int i = 0; i < LMB_COUNT(all); i++) {
        char *text = with("\"red\"", all[i].json);
        lmb_scene *s = NULL;
        lmb_error err;
        if (all[i].text == NULL) refused(text, "bodies[0].color: ");
        else if (CHECK_OK(read_text(&s, text, &err), err)) CHECK_TEXT(s->bodies[0].color, all[i].text);
        lmb_scene_destroy(s);
        lmb_free(text);
    }
}

// lists claim no more memory than the text can hold
TEST(lists_of_nothing_take_no_memory) {
    lmb_text t = {0};
    lmb_text_add(&t, "{\"bodies\": [0");
    for (int i = 0; i < 1000000; i++) lmb_text_add_n(&t, ",0", 2);
    lmb_text_add(&t, "]}");
    refused(t.text, "bodies: its entries lack keys");
    lmb_text_free(&t);
}

TEST(scenes_when_memory_ends) {
    lmb_status st = LMB_ERR_SYSTEM;
    for (long n = 0; st != LMB_OK && n < 100; n++) {
        lmb_scene *s = NULL;
        lmb_error err = {0};
        lmb_alloc_fail_after(n);
        st = lmb_scene_read(&s, whole, strlen(whole), "run.h5", &err);
        lmb_alloc_fail_after(-1);
        CHECK(st == LMB_OK ? s != NULL : st == LMB_ERR_SYSTEM && s == NULL && err.text[0]);
        lmb_scene_destroy(s);
    }
    CHECK(st == LMB_OK);
}

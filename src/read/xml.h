// read/xml.h: a reader of the XML that other programs write: tags one by one, or a tree.  Document types, and with them entities of
// their own, are refused, and so are elements that do not close.
#ifndef LMB_READ_XML_H
#define LMB_READ_XML_H

#include "core/core.h"

enum { LMB_XML_MOST_DEPTH = 128, LMB_XML_MOST_ATTRIBUTES = 64, LMB_XML_MOST_ELEMENTS = 100 * 1000 };

typedef struct lmb_xml_attribute {
    const char *name, *value;
} lmb_xml_attribute;

// ---- tag by tag --------------------------------------------------------------------------------

// Start with {.arena, .at, .end, .line = 1}.
typedef struct lmb_xml {
    lmb_arena *arena;
    const char *at, *end, *wrong; // wrong: what, NULL: nothing yet
    int line, depth;
    const char *open[LMB_XML_MOST_DEPTH]; // names of the elements around
    lmb_xml_attribute list[LMB_XML_MOST_ATTRIBUTES];
    int count;
    bool empty; // <name/>
} lmb_xml;

typedef enum lmb_xml_tag { LMB_XML_OPEN, LMB_XML_CLOSE, LMB_XML_END } lmb_xml_tag;

// Notes what is wrong, unless something was; LMB_XML_END.
lmb_xml_tag lmb_xml_fail(lmb_xml *x, const char *what);
bool lmb_xml_name_character(char c);
// The next tag. An element is in x->open[depth - 1] from its opening; after LMB_XML_CLOSE, and with x->empty, lmb_xml_leave it.
lmb_xml_tag lmb_xml_next(lmb_xml *x);
void lmb_xml_leave(lmb_xml *x);
const char *lmb_xml_get(const lmb_xml *x, const char *attribute); // NULL: not there

// ---- the tree ----------------------------------------------------------------------------------

typedef struct lmb_xml_element lmb_xml_element;
struct lmb_xml_element {
    const char *name;
    lmb_where where; // in file
    int count;
    const lmb_xml_attribute *attributes;
    lmb_xml_element *parent, *first, *last, *next;
};

// The element around all others; everything but the name of the file lives in arena. file: for messages, which give the line.
lmb_status lmb_xml_parse(lmb_xml_element **out, lmb_arena *arena, const char *bytes, size_t size,
                         const char *file, lmb_error *err);
const char *lmb_xml_text(const lmb_xml_element *e, const char *attribute);  // NULL: not there
lmb_xml_element *lmb_xml_find(const lmb_xml_element *e, const char *name);  // the first child; NULL: none
lmb_xml_element *lmb_xml_again(const lmb_xml_element *e, const char *name); // from e on; NULL: none

#endif

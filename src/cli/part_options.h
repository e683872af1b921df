// cli/part_options.h: options of `reduce` and `modes`, translated to keys of the part file.
#ifndef LMB_CLI_PART_OPTIONS_H
#define LMB_CLI_PART_OPTIONS_H

#include "cli.h"
#include "settings.h"

typedef struct part_options {
    cli_list interfaces, shapes, sets;
    const char *material, *unit, *size, *solid, *order, *per_circle, *frame, *thickness, *temperature, *modes,
        *max_frequency;
    bool no_cache, quiet, trust;
    // derived from the options
    settings parameters;
    int key_count;
    lmb_setting *keys;
} part_options;

// clang-format off
#define PART_OPTIONS(o)                                                                                            \
    {"--interface", "-i", "NAME=WHERE", "interface at set:left, face:12, node:17, at:x,y,z or '{cylinder: {...}}'; optional suffixes ,rigid ,average ,radius:r", .list = &(o).interfaces}, \
    {"--material", NULL, "NAME", "steel, aluminium, ..., or '{E: ..., nu: ..., density: ..., override: true}'", .value = &(o).material}, \
    {"--unit", NULL, "UNIT", "length unit of a mesh or CAD file: m, mm, in, ...", .value = &(o).unit},             \
    {"--size", NULL, "LENGTH", "element size for a CAD file: 5mm", .value = &(o).size},                            \
    {"--solid", NULL, "NAME", "the solid of a CAD file with several, by name or number", .value = &(o).solid},         \
    {"--order", NULL, "1|2", "linear or quadratic solids of a CAD file (default 2)", .value = &(o).order},              \
    {"--per-circle", NULL, "N", "elements around a full circle of curved faces of a CAD file, at least", .value = &(o).per_circle}, \
    {"--thickness", NULL, "LENGTH", "thickness of shells that have none in the file", .value = &(o).thickness},       \
    {"--temperature", NULL, "VALUE", "temperature of materials of a deck that depend on it", .value = &(o).temperature}, \
    {"--set", NULL, "NAME=VALUE", "override a parameter of the part file", .list = &(o).sets},          \
    CLI_TRUST_OPTION((o).trust),                                                                                   \
    {"--quiet", "-q", NULL, "print errors only", .flag = &(o).quiet}
// clang-format on

// Fills keys and parameters; 0, or 2 with a message.
int part_options_finish(part_options *o);
void part_options_free(part_options *o);

#endif

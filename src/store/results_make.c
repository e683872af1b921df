// store/results_make.c: the objects of a results file: header, groups, tables, slots for checkpoints.
#include "store/results_make.h"

#include "store/skin.h"

static bool make_set(hid_t place, const char *name, hid_t type, hid_t space, hid_t properties,
                     const void *data) {
    hid_t set = H5Dcreate2(place, name, type, space, H5P_DEFAULT, properties, H5P_DEFAULT);
    bool ok = set >= 0 && (data == NULL || H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0);
    lmb_h5_drop(set);
    return ok;
}

// a single text of fixed size; text has at least this many bytes
static bool make_text(hid_t place, const char *name, const char *text, size_t size) {
    hid_t type = lmb_h5_string(size), space = H5Screate(H5S_SCALAR);
    bool ok = type >= 0 && space >= 0 && make_set(place, name, type, space, H5P_DEFAULT, text);
    lmb_h5_drop(space);
    lmb_h5_drop(type);
    return ok;
}

// a list of fixed size whose storage exists from the start, with zeros if data is NULL
static bool make_list(hid_t place, const char *name, hid_t type, size_t count, const void *data) {
    hsize_t size = count;
    hid_t space = H5Screate_simple(1, &size, NULL), properties = H5Pcreate(H5P_DATASET_CREATE);
    bool ok = space >= 0 && properties >= 0 && H5Pset_alloc_time(properties, H5D_ALLOC_TIME_EARLY) >= 0 &&
              H5Pset_fill_time(properties, H5D_FILL_TIME_ALLOC) >= 0 &&
              make_set(place, name, type, space, properties, data);
    lmb_h5_drop(properties);
    lmb_h5_drop(space);
    return ok;
}

static size_t longest(const void *list, int count, lmb_h5_text_of text) {
    size_t size = 1;
    for (int i = 0; i < count; i++)
        if (strlen(text(list, i)) > size) size = strlen(text(list, i));
    return size;
}

// a list of texts, each as long as the longest
static bool make_texts(lmb_h5 *h, hid_t place, const char *name, const void *list, int count,
                       lmb_h5_text_of text) {
    size_t size = longest(list, count, text);
    char *flat = lmb_alloc((size_t)count, size);
    if (flat == NULL) return lmb_h5_reason(h, "out of memory");
    for (int i = 0; i < count; i++) memcpy(flat + (size_t)i * size, text(list, i), strlen(text(list, i)));
    hid_t type = lmb_h5_string(size);
    bool ok = type >= 0 && make_list(place, name, type, (size_t)count, flat);
    lmb_h5_drop(type);
    lmb_free(flat);
    return ok;
}

// chunks of about 64 KB: up to 1024 columns side by side, then as many rows as fit, 1 to 4096
void lmb_results_chunk(hsize_t shape[2], hsize_t columns, size_t element) {
    shape[1] = columns < 1024 ? columns : 1024;
    shape[0] = LMB_H5_CHUNK / (shape[1] * element);
    if (shape[0] > 4096) shape[0] = 4096;
    if (shape[0] < 1) shape[0] = 1;
}

static bool make_stream(hid_t place, const char *name, hid_t type, int rank, hsize_t columns) {
    hsize_t size[2] = {0, columns}, limit[2] = {H5S_UNLIMITED, columns}, chunk[2];
    lmb_results_chunk(chunk, columns, H5Tget_size(type));
    hid_t space = H5Screate_simple(rank, size, limit), properties = H5Pcreate(H5P_DATASET_CREATE);
    bool ok = space >= 0 && properties >= 0 && H5Pset_chunk(properties, rank, chunk) >= 0 &&
              H5Pset_fill_time(properties, H5D_FILL_TIME_NEVER) >= 0 &&
              make_set(place, name, type, space, properties, NULL);
    lmb_h5_drop(properties);
    lmb_h5_drop(space);
    return ok;
}

static hid_t make_folder(hid_t place, const char *name) {
    hid_t properties = H5Pcreate(H5P_GROUP_CREATE), id = H5I_INVALID_HID;
    if (properties >= 0 &&
        H5Pset_link_creation_order(properties, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED) >= 0)
        id = H5Gcreate2(place, name, H5P_DEFAULT, properties, H5P_DEFAULT);
    lmb_h5_drop(properties);
    return id;
}

static bool describe_set(hid_t place, const char *set, const char *attribute, const char *text) {
    hid_t id = H5Dopen2(place, set, H5P_DEFAULT);
    bool ok = id >= 0 && lmb_h5_text(id, attribute, text);
    lmb_h5_drop(id);
    return ok;
}

static bool make_tables(lmb_h5 *h, hid_t id, const lmb_group *g) {
    hid_t columns = make_folder(id, "columns"), units = make_folder(id, "units");
    bool ok = columns >= 0 && units >= 0;
    for (int k = 0; ok && k < g->table_count; k++) {
        const lmb_table *t = &g->tables[k];
        if (t->count == 0) continue;
        ok = make_stream(id, t->name, H5T_IEEE_F64LE, 2, (hsize_t)t->count) &&
             describe_set(id, t->name, "doc", t->doc) &&
             make_texts(h, columns, t->name, t->columns, t->count, lmb_h5_name_of) &&
             make_texts(h, units, t->name, t->columns, t->count, lmb_h5_unit_of);
    }
    if (ok && g->stat_count > 0)
        ok = make_list(id, "stats", H5T_IEEE_F64LE, (size_t)g->stat_count, NULL) &&
             make_texts(h, columns, "stats", g->stat_names, g->stat_count, lmb_h5_text_at);
    lmb_h5_drop(units);
    lmb_h5_drop(columns);
    return ok;
}

static bool make_events(hid_t id) {
    hid_t events = make_folder(id, "events"), text = lmb_h5_string(LMB_H5_EVENT);
    bool ok = events >= 0 && text >= 0 && make_stream(events, "time", H5T_IEEE_F64LE, 1, 1) &&
              make_stream(events, "text", text, 1, 1);
    lmb_h5_drop(text);
    lmb_h5_drop(events);
    return ok;
}

bool lmb_results_make_group(lmb_h5 *h, hid_t file, const lmb_group *g) {
    static const char status[LMB_H5_STATUS] = "running", text[LMB_H5_TEXT] = "";
    hid_t id = make_folder(file, g->name);
    bool ok = id >= 0 && lmb_h5_text(id, "type", g->type) &&
              (g->integrator == NULL || (lmb_h5_text(id, "integrator", g->integrator) &&
                                         lmb_h5_text(id, "formalism", g->formalism))) &&
              make_text(id, "status", status, sizeof status) && make_text(id, "text", text, sizeof text) &&
              make_list(id, "counts", H5T_STD_U64LE, 2, NULL) &&
              make_stream(id, "time", H5T_IEEE_F64LE, 1, 1) && describe_set(id, "time", "unit", "s") &&
              make_tables(h, id, g) && make_events(id) && (!g->linear || lmb_results_make_linear(id));
    for (int k = 0; ok && k < 2 && g->checkpoint_size > 0; k++)
        ok = make_list(id, lmb_h5_slot_names[k], H5T_STD_U8LE,
                       sizeof(lmb_h5_slot_header) + g->checkpoint_size, NULL);
    lmb_h5_drop(id);
    return ok;
}

static bool make_parameters(lmb_h5 *h, hid_t file, const lmb_results_info *info) {
    if (info->parameter_count == 0) return true;
    hid_t id = make_folder(file, "parameters");
    bool ok =
        id >= 0 && make_texts(h, id, "names", info->parameter_names, info->parameter_count, lmb_h5_text_at) &&
        make_list(id, "values", H5T_NATIVE_DOUBLE, (size_t)info->parameter_count, info->parameter_values);
    lmb_h5_drop(id);
    return ok;
}

static bool make_array(hid_t place, const char *name, hid_t type, int rank, const hsize_t *size,
                       const void *data) {
    if (data == NULL || size[0] == 0) return true;
    hid_t space = H5Screate_simple(rank, size, NULL), set = H5I_INVALID_HID;
    if (space >= 0) set = H5Dcreate2(place, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    bool ok = set >= 0 && H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0;
    lmb_h5_drop(set);
    lmb_h5_drop(space);
    return ok;
}

static bool make_skin(hid_t place, const char *name, const lmb_skin *s) {
    hid_t id = make_folder(place, name);
    hsize_t n = (hsize_t)s->node_count, m = (hsize_t)s->mode_count, ends = (hsize_t)s->end_count,
            r = (hsize_t)s->second_count, all = m + (hsize_t)s->residual_count;
    bool ok =
        id >= 0 && make_array(id, "x", H5T_NATIVE_DOUBLE, 2, (hsize_t[]){n, 3}, s->x) &&
        make_array(id, "triangles", H5T_NATIVE_INT32, 2, (hsize_t[]){(hsize_t)s->triangle_count, 3},
                   s->triangles) &&
        make_array(id, "lines", H5T_NATIVE_INT32, 2, (hsize_t[]){(hsize_t)s->line_count, 2}, s->lines) &&
        make_array(id, "modes", H5T_NATIVE_FLOAT, 3, (hsize_t[]){n, 3, m}, s->modes) &&
        make_array(id, "second", H5T_NATIVE_FLOAT, 3, (hsize_t[]){n, 3, r}, s->second) &&
        make_array(id, "quadratic", H5T_NATIVE_DOUBLE, 3, (hsize_t[]){r, m, m}, s->quadratic) &&
        make_array(id, "stress", H5T_NATIVE_FLOAT, 3, (hsize_t[]){n, 6, all}, s->stress) &&
        make_array(id, "bottom", H5T_NATIVE_FLOAT, 3, (hsize_t[]){n, 6, all}, s->bottom) &&
        make_array(id, "node", H5T_NATIVE_INT32, 1, &n, s->node) &&
        make_array(id, "end_node", H5T_NATIVE_INT32, 1, &ends, s->end_node) &&
        make_array(id, "forces", H5T_NATIVE_FLOAT, 3, (hsize_t[]){ends, 6, all}, s->forces) &&
        make_array(id, "ends", H5T_NATIVE_DOUBLE, 2, (hsize_t[]){ends, 3}, s->ends) &&
        make_array(id, "section", H5T_NATIVE_DOUBLE, 2, (hsize_t[]){ends, LMB_SECTION_SIZE}, s->section);
    lmb_h5_drop(id);
    return ok;
}

static bool make_skins(hid_t file, const lmb_results_info *info) {
    if (info->skin_count == 0) return true;
    hid_t id = make_folder(file, "flex");
    bool ok = id >= 0;
    for (int i = 0; i < info->skin_count && ok; i++) ok = make_skin(id, info->skin_names[i], &info->skins[i]);
    lmb_h5_drop(id);
    return ok;
}

bool lmb_results_make_header(lmb_h5 *h, hid_t file, const lmb_results_info *info) {
    int layout = LMB_H5_LAYOUT;
    const char *version = info->version ? info->version : "";
    bool ok = lmb_h5_text(file, "limber", version) &&
              lmb_h5_attribute(file, "layout", H5T_NATIVE_INT, &layout) &&
              lmb_h5_text(file, "created", info->created) && lmb_h5_text(file, "command", info->command) &&
              lmb_h5_text(file, "model_file", info->model_file);
    if (ok && info->model_text) ok = make_text(file, "model", info->model_text, strlen(info->model_text));
    for (int i = 0; ok && i < info->text_count; i++)
        ok = make_text(file, info->text_names[i], info->texts[i], strlen(info->texts[i]));
    return ok && make_skins(file, info) && make_parameters(h, file, info);
}

// no piece of metadata crosses a page of the system: a write that a kill cuts at the end of a page is whole or has not begun
static bool set_pages(hid_t creation) {
    return H5Pset_file_space_strategy(creation, H5F_FSPACE_STRATEGY_PAGE, false, 1) >= 0 &&
           H5Pset_file_space_page_size(creation, 4096) >= 0;
}

hid_t lmb_results_create_file(const char *path) {
    hid_t access = lmb_h5_access(LMB_H5_HEED), creation = H5Pcreate(H5P_FILE_CREATE), file = H5I_INVALID_HID;
    if (access >= 0 && creation >= 0 && set_pages(creation) &&
        H5Pset_link_creation_order(creation, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED) >= 0)
        file = lmb_h5_create_file(path, creation, access);
    lmb_h5_drop(creation);
    lmb_h5_drop(access);
    return file;
}

// upper bound of the bytes of the header
uint64_t lmb_results_header_size(const lmb_results_info *info, const lmb_group *groups, int count) {
    uint64_t size = LMB_H5_CHUNK + (info->model_text ? strlen(info->model_text) : 0);
    for (int i = 0; i < info->text_count; i++) size += strlen(info->texts[i]) + 1024;
    for (int i = 0; i < info->skin_count; i++) {
        const lmb_skin *s = &info->skins[i];
        uint64_t all = (uint64_t)(s->mode_count + s->residual_count),
                 sides = (s->stress != NULL) + (s->bottom != NULL);
        size += 16 * 1024 + (uint64_t)s->node_count * (28 + 12 * (uint64_t)s->mode_count + 24 * sides * all) +
                12 * (uint64_t)(s->triangle_count + s->line_count);
        size += (uint64_t)s->second_count *
                (12 * (uint64_t)s->node_count + 8 * (uint64_t)s->mode_count * (uint64_t)s->mode_count);
        size += (uint64_t)s->end_count * (28 + 8 * LMB_SECTION_SIZE + 24 * all);
    }
    for (int g = 0; g < count; g++) {
        size += LMB_H5_CHUNK + 2 * groups[g].checkpoint_size + (groups[g].linear ? LMB_H5_CHUNK : 0);
        for (int k = 0; k < groups[g].table_count; k++) {
            const lmb_table *t = &groups[g].tables[k];
            size_t texts =
                longest(t->columns, t->count, lmb_h5_name_of) + longest(t->columns, t->count, lmb_h5_unit_of);
            size += 4096 + (size_t)t->count * texts;
        }
    }
    return size;
}

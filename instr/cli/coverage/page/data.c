// Packages and classes as a script. Arrays without names, because there may be 30,000 of them:
//
//      bundle    [name, [numbers], [package...]]
//      package   [folder, name, [numbers], [file, class...]...]
//      class     [name, line, matches, numbers...]
//
// The numbers are missed and covered of each counter in the order of enum cover_counter.

#include "instr/cli/coverage/page/data.h"
#include "instr/base/utf8.h"
#include "instr/cli/coverage/text.h"

#include <string.h>

// Is it safe in a script that stands in an element, as it is?
static int is_plain(char c) {
    return c >= ' ' && c < 127 && !strchr("\"\\<>&'", c);
}

// Does a character show nothing, or change how the text around it looks (see report/text.c)?
static int is_deceptive(uint32_t c) {
    return c < ' ' || (c >= 127 && c < 160) || c == 0x61C || (c >= 0x200B && c <= 0x200F) ||
           (c >= 0x2028 && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069) || c == 0xFEFF;
}

static void put_string(struct instr_output *out, const char *text, int dots) {
    const char *end = text + strlen(text);
    instr_output_bytes(out, "\"", 1);
    while (text < end) {
        const char *plain = text;
        while (text < end && is_plain(*text) && !(dots && *text == '/')) text++;
        instr_output_bytes(out, plain, (size_t)(text - plain));
        if (text == end) break;
        char bytes[4];
        uint32_t c = instr_utf8_next(&text, end);
        if (dots && c == '/')
            instr_output_text(out, ".");
        else if (is_deceptive(c))
            instr_output_text(out, "?");
        else if (c < 127)
            instr_output_format(out, "\\u%04x", (unsigned)c);
        else
            instr_output_bytes(out, bytes, instr_utf8_put(c, bytes));
    }
    instr_output_bytes(out, "\"", 1);
}

static void put_numbers(struct instr_output *out, const struct cover_count *counts) {
    for (int i = 0; i < COVER_COUNTERS; i++) {
        if (i > 0) instr_output_bytes(out, ",", 1);
        cover_put_number(out, counts[i].missed);
        instr_output_bytes(out, ",", 1);
        cover_put_number(out, counts[i].covered);
    }
}

static uint32_t first_line(const struct cover_class *class) {
    uint32_t first = 0;
    for (uint32_t i = 0; i < class->method_count; i++) {
        uint32_t line = class->methods[i].first_line;
        if (line && (!first || line < first)) first = line;
    }
    return first;
}

static void put_class(struct instr_output *out, const struct cover_class *class) {
    const char *slash = strrchr(class->name, '/');
    instr_output_text(out, ",[");
    put_string(out, slash ? slash + 1 : class->name, 0);
    instr_output_bytes(out, ",", 1);
    cover_put_number(out, first_line(class));
    instr_output_text(out, class->match == COVER_OTHER_ID ? ",0," : ",1,");
    put_numbers(out, class->counts);
    instr_output_text(out, "]");
}

static void put_package(const struct cover_page_list *list, const struct cover_page_folder *folder,
                        struct instr_output *out) {
    instr_output_text(out, "\n[");
    put_string(out, folder->name, 0);
    instr_output_text(out, ",");
    put_string(out, folder->package->name, 1);
    instr_output_text(out, ",[");
    put_numbers(out, folder->package->counts);
    instr_output_text(out, "]");
    for (size_t i = 0; i < folder->count; i++) {
        const struct cover_page *page = &list->pages[folder->first + i];
        const struct cover_class *const *classes;
        size_t count = cover_page_classes(page, &classes);
        instr_output_text(out, ",\n[");
        put_string(out, page->file, 0);
        for (size_t c = 0; c < count; c++)
            if (cover_total(classes[c]->counts[COVER_INSTRUCTION]) > 0) put_class(out, classes[c]);
        instr_output_text(out, "]");
    }
    instr_output_text(out, "]");
}

void cover_put_data(const struct cover_page_list *list, struct instr_output *out) {
    const struct cover_model *model = list->model;
    size_t f = 0;
    instr_output_text(out, "var COVER = {\"bundles\":[");
    for (size_t b = 0; b < model->bundle_count; b++) {
        const char *comma = "";
        instr_output_text(out, b ? ",\n[" : "\n[");
        put_string(out, model->bundles[b]->name, 0);
        instr_output_text(out, ",[");
        put_numbers(out, model->bundles[b]->counts);
        instr_output_text(out, "],[");
        for (; f < list->folder_count && list->folders[f].bundle == model->bundles[b]; f++) {
            instr_output_text(out, comma);
            put_package(list, &list->folders[f], out);
            comma = ",";
        }
        instr_output_text(out, "]]");
    }
    instr_output_text(out, "]};\n");
}

// JaCoCo's table of classes.

#include "instr/cli/coverage/csv.h"
#include "instr/base/utf8.h"
#include "instr/cli/coverage/text.h"

#include <string.h>

static const struct {
    enum cover_counter counter;
    const char *name;
} columns[] = {
    {COVER_INSTRUCTION, "INSTRUCTION"}, {COVER_BRANCH, "BRANCH"}, {COVER_LINE, "LINE"},
    {COVER_COMPLEXITY, "COMPLEXITY"},   {COVER_METHOD, "METHOD"},
};
enum { COLUMNS = sizeof columns / sizeof *columns };

// --- names as in Java source ---

// Writes text of modified UTF-8 to the end or up to `length` bytes, with one character in place of
// another, and quotes doubled.
static void put_part(struct instr_output *out, const char *text, size_t length, char from,
                     char to) {
    const char *end = text + length;
    while (text < end) {
        char bytes[4];
        uint32_t c = instr_utf8_next(&text, end);
        if (c == (unsigned char)from) c = (unsigned char)to;
        if (c == '"') instr_output_bytes(out, "\"", 1);
        instr_output_bytes(out, bytes, instr_utf8_put(c, bytes));
    }
}

// The part of a name behind its package.
static const char *simple(const char *name) {
    const char *slash = strrchr(name, '/');
    return slash ? slash + 1 : name;
}

// Where the name of an anonymous class goes on after that of its outer class: at a $ behind which no
// identifier begins. NULL: it is not anonymous.
static const char *anonymous_part(const char *name) {
    const char *dollar = strrchr(name, '$');
    if (!dollar || !dollar[1]) return NULL;
    unsigned char c = (unsigned char)dollar[1];
    int starts = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c >= 0x80;
    return starts ? NULL : dollar;
}

static int needs_quotes(const char *text) {
    return text && strpbrk(text, ",\"") != NULL;
}

static void put_class_name(struct instr_output *out, const struct cover_class *class) {
    const char *name = simple(class->name);
    const char *anonymous = class->supertype ? anonymous_part(name) : NULL;
    const char *supertype = anonymous ? simple(class->supertype) : NULL;
    int quotes = needs_quotes(name) || needs_quotes(supertype);
    if (quotes) instr_output_bytes(out, "\"", 1);
    put_part(out, name, anonymous ? (size_t)(anonymous - name) : strlen(name), '$', '.');
    if (anonymous) {
        instr_output_text(out, ".new ");
        put_part(out, supertype, strlen(supertype), '$', '.');
        instr_output_text(out, "() {...}");
    }
    if (quotes) instr_output_bytes(out, "\"", 1);
}

static void put_package_name(struct instr_output *out, const char *name) {
    const char *text = *name ? name : "default";
    if (needs_quotes(text)) instr_output_bytes(out, "\"", 1);
    put_part(out, text, strlen(text), '/', '.');
    if (needs_quotes(text)) instr_output_bytes(out, "\"", 1);
}

// GROUP/BUNDLE if there are several bundles.
static void put_group(struct instr_output *out, const struct cover_model *model,
                      const struct cover_bundle *bundle) {
    const char *group = model->bundle_count > 1 ? model->name : NULL;
    int quotes = needs_quotes(group) || needs_quotes(bundle->name);
    if (quotes) instr_output_bytes(out, "\"", 1);
    if (group) {
        put_part(out, group, strlen(group), '\0', '\0');
        instr_output_bytes(out, "/", 1);
    }
    put_part(out, bundle->name, strlen(bundle->name), '\0', '\0');
    if (quotes) instr_output_bytes(out, "\"", 1);
}

// --- rows ---

static void put_row(struct instr_output *out, const struct cover_model *model,
                    const struct cover_bundle *bundle, const struct cover_package *package,
                    const struct cover_class *class) {
    put_group(out, model, bundle);
    instr_output_bytes(out, ",", 1);
    put_package_name(out, package->name);
    instr_output_bytes(out, ",", 1);
    put_class_name(out, class);
    for (size_t i = 0; i < COLUMNS; i++) {
        instr_output_bytes(out, ",", 1);
        cover_put_number(out, class->counts[columns[i].counter].missed);
        instr_output_bytes(out, ",", 1);
        cover_put_number(out, class->counts[columns[i].counter].covered);
    }
    instr_output_bytes(out, "\n", 1);
}

void cover_write_csv(const struct cover_model *model, struct instr_output *out) {
    instr_output_text(out, "GROUP,PACKAGE,CLASS");
    for (size_t i = 0; i < COLUMNS; i++)
        instr_output_format(out, ",%s_MISSED,%s_COVERED", columns[i].name, columns[i].name);
    instr_output_bytes(out, "\n", 1);
    for (size_t b = 0; b < model->bundle_count; b++)
        for (size_t p = 0; p < model->bundles[b]->package_count; p++) {
            const struct cover_package *package = model->bundles[b]->packages[p];
            for (size_t i = 0; i < package->class_count; i++)
                if (cover_total(package->classes[i]->counts[COVER_INSTRUCTION]))
                    put_row(out, model, model->bundles[b], package, package->classes[i]);
        }
}

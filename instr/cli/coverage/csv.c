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

static void put_simple(struct instr_output *out, const char *name, size_t length) {
    const char *slash = memrchr(name, '/', length);
    size_t skipped = slash ? (size_t)(slash + 1 - name) : 0;
    put_part(out, name + skipped, length - skipped, '$', '.');
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
    const char *anonymous = class->supertype ? anonymous_part(class->name) : NULL;
    int quotes = needs_quotes(class->name) || (anonymous && needs_quotes(class->supertype));
    if (quotes) instr_output_bytes(out, "\"", 1);
    if (anonymous) {
        put_simple(out, class->name, (size_t)(anonymous - class->name));
        instr_output_text(out, ".new ");
        put_simple(out, class->supertype, strlen(class->supertype));
        instr_output_text(out, "() {...}");
    } else {
        put_simple(out, class->name, strlen(class->name));
    }
    if (quotes) instr_output_bytes(out, "\"", 1);
}

static void put_field(struct instr_output *out, const char *text, char from, char to) {
    if (needs_quotes(text)) instr_output_bytes(out, "\"", 1);
    put_part(out, text, strlen(text), from, to);
    if (needs_quotes(text)) instr_output_bytes(out, "\"", 1);
}

// --- rows ---

static void put_row(struct instr_output *out, const struct cover_model *model,
                    const struct cover_bundle *bundle, const struct cover_package *package,
                    const struct cover_class *class) {
    if (model->bundle_count > 1) {
        put_field(out, model->name, '\0', '\0');
        instr_output_bytes(out, "/", 1);
    }
    put_field(out, bundle->name, '\0', '\0');
    instr_output_bytes(out, ",", 1);
    put_field(out, *package->name ? package->name : "default", '/', '.');
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

// A flame graph as one page: the stacks as data, and a script that draws them. All text is JSON in
// a script element: < is written as \u003c, so nothing of it ends the element.

#include "instr/report/flame.h"

#include "instr/base/utf8.h"
#include "instr/report/internal.h"
#include "instr/report/page.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

// A string of JSON (and of JavaScript) that cannot be taken for markup.
static void put_string(struct instr_output *out, const char *text) {
    instr_output_text(out, "\"");
    for (const char *end = text + strlen(text); text < end;) {
        uint32_t c = instr_utf8_next(&text, end);
        char bytes[4];
        if (c < ' ' || c == '"' || c == '\\' || c == '<' || c == '>' || c == '&' ||
            (c >= 0x7f && c < 0xa0) || (c >= 0x2000 && c < 0x2070) || c == 0x61c || c == 0xfeff)
            instr_output_format(out, "\\u%04x", (unsigned)c);
        else
            instr_output_bytes(out, bytes, instr_utf8_put(c, bytes));
    }
    instr_output_text(out, "\"");
}

// [bytes,count,"outermost",...,"class"]
static void put_stack(void *context, const struct instr_alloc_stack *stack) {
    struct instr_output *out = context;
    instr_output_format(out, ",\n[%" PRIu64 ",%" PRIu64, stack->bytes, stack->count);
    for (size_t i = 0; i < stack->depth; i++) {
        instr_output_text(out, ",");
        put_string(out, stack->frames[i]);
    }
    instr_output_text(out, "]");
}

void instr_flame(const void *content, struct instr_output *out) {
    const struct instr_alloc_report *report = content;
    instr_page_begin(out, report->pass,
                     report->sampled ? ": bytes allocated (estimated)" : ": bytes allocated",
                     instr_flame_css);
    instr_output_text(out, instr_flame_html);
    instr_output_text(out, "<script id=\"stacks\" type=\"application/json\">[null");
    instr_alloc_each_stack(report, put_stack, out);
    instr_output_text(out, "]</script>\n");
    instr_page_end(out, instr_flame_js);
}

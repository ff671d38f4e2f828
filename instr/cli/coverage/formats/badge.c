// The badge.

#include "instr/cli/coverage/formats/badge.h"
#include "instr/cli/coverage/formats/worst.h"

#include <stdio.h>

void cover_write_badge(const struct cover_model *model, struct instr_output *out) {
    struct cover_count count = model->counts[COVER_INSTRUCTION];
    unsigned percent = cover_percent(count);
    char value[16];
    snprintf(value, sizeof value, "%u %%", percent);
    const char *colour = percent >= 80 ? "#2e7d32" : percent >= 50 ? "#946200" : "#b3261e";
    if (cover_total(count) == 0) {
        snprintf(value, sizeof value, "no code");
        colour = "#5f6973";
    }
    unsigned right = 54, width = 62 + right;
    instr_output_format(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%u\" height=\"20\" role=\"img\" "
        "aria-label=\"coverage: %s\">\n<title>coverage: %s</title>\n"
        "<clipPath id=\"r\"><rect width=\"%u\" height=\"20\" rx=\"3\"/></clipPath>\n"
        "<g clip-path=\"url(#r)\">\n<rect width=\"62\" height=\"20\" fill=\"#3d444b\"/>\n"
        "<rect x=\"62\" width=\"%u\" height=\"20\" fill=\"%s\"/>\n</g>\n"
        "<g fill=\"#fff\" text-anchor=\"middle\" font-family=\"Verdana,DejaVu Sans,sans-serif\" "
        "font-size=\"11\">\n<text x=\"31\" y=\"14\">coverage</text>\n"
        "<text x=\"%u\" y=\"14\">%s</text>\n</g>\n</svg>\n",
        width, value, value, width, right, colour, 62 + right / 2, value);
}

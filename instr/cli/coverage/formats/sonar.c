// SonarQube's generic format.

#include "instr/cli/coverage/formats/sonar.h"
#include "instr/cli/coverage/formats/place.h"
#include "instr/cli/coverage/text.h"

struct document {
    const struct cover_model *model;
    struct instr_output *out;
};

static void put_line(struct instr_output *out, uint64_t number, const struct cover_line *line) {
    instr_output_text(out, "    <lineToCover");
    cover_put_attribute(out, "lineNumber", number);
    instr_output_text(out, line->instructions.covered ? " covered=\"true\"" : " covered=\"false\"");
    if (cover_total(line->branches) > 0) {
        cover_put_attribute(out, "branchesToCover", cover_total(line->branches));
        cover_put_attribute(out, "coveredBranches", line->branches.covered);
    }
    instr_output_text(out, "/>\n");
}

static void put_source(void *context, const struct cover_bundle *bundle,
                       const struct cover_source *source) {
    const struct document *document = context;
    char path[PATH_MAX];
    cover_source_path(document->model, bundle, source, path);
    instr_output_text(document->out, "  <file path=\"");
    cover_put_xml(document->out, path);
    instr_output_text(document->out, "\">\n");
    for (size_t i = 0; i < cover_lines_length(&source->lines); i++)
        if (cover_line_counts(&source->lines.line[i]))
            put_line(document->out, source->lines.first + i, &source->lines.line[i]);
    instr_output_text(document->out, "  </file>\n");
}

void cover_write_sonar(const struct cover_model *model, struct instr_output *out) {
    struct document document = {model, out};
    instr_output_text(out,
                      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<coverage version=\"1\">\n");
    cover_each_source(model, put_source, &document);
    instr_output_text(out, "</coverage>\n");
}

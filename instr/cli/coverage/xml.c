// JaCoCo's XML.

#include "instr/cli/coverage/xml.h"
#include "instr/cli/coverage/text.h"

static const char *const counters[] = {
    [COVER_INSTRUCTION] = "INSTRUCTION", [COVER_BRANCH] = "BRANCH", [COVER_LINE] = "LINE",
    [COVER_COMPLEXITY] = "COMPLEXITY",   [COVER_METHOD] = "METHOD", [COVER_CLASS] = "CLASS",
};

// <ELEMENT name="NAME", and is then open for more attributes.
static void begin(struct instr_output *out, const char *element, const char *name) {
    instr_output_bytes(out, "<", 1);
    instr_output_text(out, element);
    instr_output_text(out, " name=\"");
    cover_put_xml(out, name);
    instr_output_bytes(out, "\"", 1);
}

static void put_counters(const struct cover_count counts[COVER_COUNTERS],
                         struct instr_output *out) {
    for (int i = 0; i < COVER_COUNTERS; i++) {
        if (cover_total(counts[i]) == 0) continue;
        instr_output_text(out, "<counter type=\"");
        instr_output_text(out, counters[i]);
        instr_output_bytes(out, "\"", 1);
        cover_put_attribute(out, "missed", counts[i].missed);
        cover_put_attribute(out, "covered", counts[i].covered);
        instr_output_bytes(out, "/>", 2);
    }
}

static int is_empty(const struct cover_count counts[COVER_COUNTERS]) {
    for (int i = 0; i < COVER_COUNTERS; i++)
        if (cover_total(counts[i])) return 0;
    return 1;
}

static void put_method(const struct cover_method *method, struct instr_output *out) {
    begin(out, "method", method->name);
    instr_output_text(out, " desc=\"");
    cover_put_xml(out, method->descriptor);
    instr_output_bytes(out, "\"", 1);
    if (method->first_line || method->begins_at_zero)
        cover_put_attribute(out, "line", method->begins_at_zero ? 0 : method->first_line);
    instr_output_bytes(out, ">", 1);
    put_counters(method->counts, out);
    instr_output_text(out, "</method>");
}

static void put_class(const struct cover_class *class, struct instr_output *out) {
    begin(out, "class", class->name);
    if (class->source) {
        instr_output_text(out, " sourcefilename=\"");
        cover_put_xml(out, class->source);
        instr_output_bytes(out, "\"", 1);
    }
    if (is_empty(class->counts)) {
        instr_output_bytes(out, "/>", 2);
        return;
    }
    instr_output_bytes(out, ">", 1);
    for (uint32_t i = 0; i < class->method_count; i++) put_method(&class->methods[i], out);
    put_counters(class->counts, out);
    instr_output_text(out, "</class>");
}

static void put_line(uint32_t number, const struct cover_line *line, struct instr_output *out) {
    if (cover_total(line->instructions) == 0) return;
    instr_output_text(out, "<line");
    cover_put_attribute(out, "nr", number);
    cover_put_attribute(out, "mi", line->instructions.missed);
    cover_put_attribute(out, "ci", line->instructions.covered);
    cover_put_attribute(out, "mb", line->branches.missed);
    cover_put_attribute(out, "cb", line->branches.covered);
    instr_output_bytes(out, "/>", 2);
}

static void put_source(const struct cover_source *source, struct instr_output *out) {
    begin(out, "sourcefile", source->name);
    if (is_empty(source->counts)) {
        instr_output_bytes(out, "/>", 2);
        return;
    }
    instr_output_bytes(out, ">", 1);
    put_line(0, &source->lines.zero, out);
    for (uint32_t i = source->lines.first; i && i <= source->lines.last; i++)
        put_line(i, &source->lines.line[i - source->lines.first], out);
    put_counters(source->counts, out);
    instr_output_text(out, "</sourcefile>");
}

static void put_package(const struct cover_package *package, struct instr_output *out) {
    begin(out, "package", package->name);
    if (package->class_count == 0) {
        instr_output_bytes(out, "/>", 2);
        return;
    }
    instr_output_bytes(out, ">", 1);
    for (size_t i = 0; i < package->class_count; i++) put_class(package->classes[i], out);
    for (size_t i = 0; i < package->source_count; i++) put_source(package->sources[i], out);
    put_counters(package->counts, out);
    instr_output_text(out, "</package>");
}

static void put_bundle(const struct cover_bundle *bundle, struct instr_output *out) {
    for (size_t i = 0; i < bundle->package_count; i++) put_package(bundle->packages[i], out);
    put_counters(bundle->counts, out);
}

static void put_group(const struct cover_bundle *bundle, struct instr_output *out) {
    begin(out, "group", bundle->name);
    instr_output_bytes(out, ">", 1);
    put_bundle(bundle, out);
    instr_output_text(out, "</group>");
}

static void put_sessions(const struct cover_model *model, struct instr_output *out) {
    for (size_t i = 0; i < model->session_count; i++) {
        const struct cover_session *session = &model->sessions[i];
        instr_output_text(out, "<sessioninfo id=\"");
        cover_put_xml(out, session->id);
        instr_output_bytes(out, "\"", 1);
        cover_put_attribute(out, "start", session->start);
        cover_put_attribute(out, "dump", session->dump);
        instr_output_bytes(out, "/>", 2);
    }
}

void cover_write_xml(const struct cover_model *model, struct instr_output *out) {
    instr_output_text(out, "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>"
                           "<!DOCTYPE report PUBLIC \"-//JACOCO//DTD Report 1.1//EN\" "
                           "\"report.dtd\">");
    begin(out, "report", model->name);
    instr_output_bytes(out, ">", 1);
    put_sessions(model, out);
    if (model->bundle_count == 1) {
        put_bundle(model->bundles[0], out);
    } else {
        for (size_t i = 0; i < model->bundle_count; i++) put_group(model->bundles[i], out);
        put_counters(model->counts, out);
    }
    instr_output_text(out, "</report>");
}

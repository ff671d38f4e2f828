#include "instr/report/cost.h"

#include "instr/report/internal.h"
#include "instr/report/text.h"

static uint64_t total_of(const struct instr_cost *cost) {
    return instr_report_plus(instr_report_plus(cost->code_ns, cost->compilers_ns),
                             cost->rewriting_ns);
}

void instr_cost_line(const struct instr_cost *cost, struct instr_output *out) {
    char total[INSTR_DURATION_SIZE], code[INSTR_DURATION_SIZE], compilers[INSTR_DURATION_SIZE],
        rewriting[INSTR_DURATION_SIZE], bytes[INSTR_NUMBER_SIZE], methods[INSTR_NUMBER_SIZE],
        classes[INSTR_NUMBER_SIZE];
    if (!cost->known) {
        instr_output_text(out, "cost unknown\n");
        return;
    }
    instr_output_format(
        out,
        "cost about %s of CPU time (inserted code %s, the JVM's compilers %s, rewriting %s); "
        "%s bytes inserted into %s method%s of %s class%s\n",
        instr_duration(total_of(cost), total), instr_duration(cost->code_ns, code),
        instr_duration(cost->compilers_ns, compilers),
        instr_duration(cost->rewriting_ns, rewriting), instr_number(cost->bytes, bytes),
        instr_number(cost->methods, methods), cost->methods == 1 ? "" : "s",
        instr_number(cost->classes, classes), cost->classes == 1 ? "" : "es");
}

void instr_cost_json(const struct instr_cost *cost, struct instr_json *json, const char *key) {
    if (!cost->known) return;
    instr_json_open_flat(json, key, '{');
    instr_json_number(json, "total_ns", total_of(cost));
    instr_json_number(json, "code_ns", cost->code_ns);
    instr_json_number(json, "compilers_ns", cost->compilers_ns);
    instr_json_number(json, "rewriting_ns", cost->rewriting_ns);
    instr_json_number(json, "classes", cost->classes);
    instr_json_number(json, "methods", cost->methods);
    instr_json_number(json, "bytes", cost->bytes);
    instr_json_close(json, '}');
}

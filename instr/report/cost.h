// cost.h: what a pass has cost the program, as an estimate: a line below its table, and in JSON

#ifndef INSTR_REPORT_COST_H
#define INSTR_REPORT_COST_H

#include "instr/base/json.h"

#include <stdbool.h>
#include <stdint.h>

// Times are CPU time in nanoseconds.
struct instr_cost {
    bool known;
    uint64_t code_ns;      // the program's threads in inserted code
    uint64_t compilers_ns; // the JVM's compilers, for inserted code
    uint64_t rewriting_ns; // rewriting classes; this alone is measured
    uint64_t classes, methods;
    uint64_t bytes; // of code that was inserted
};

// "cost about 1.25 s of CPU time (inserted code 750 ms, the JVM's compilers 450 ms, rewriting 50.0 ms);
// 61,234 bytes inserted into 4,732 methods of 715 classes". Nothing if it is not known.
void instr_cost_line(const struct instr_cost *cost, struct instr_output *out);

// A member: {"total_ns","code_ns","compilers_ns","rewriting_ns","classes","methods","bytes"}. Nothing if it
// is not known.
void instr_cost_json(const struct instr_cost *cost, struct instr_json *json, const char *key);

#endif

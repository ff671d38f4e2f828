// What the files of a kind of results share.

#ifndef INSTR_REPORT_INTERNAL_H
#define INSTR_REPORT_INTERNAL_H

#include "instr/report/alloc.h"
#include "instr/report/exceptions.h"
#include "instr/report/methods.h"

// a + b; or the largest number: files may hold any.
uint64_t instr_report_plus(uint64_t a, uint64_t b);

// --- methods ---

struct instr_method_column {
    const char *head, *title;
    size_t offset; // of the field of struct instr_method_row
    int duration;
    int order; // enum instr_order; -1: none
};
enum { INSTR_METHOD_COLUMNS = 9 };

// Copies the columns that the report has. Returns how many.
size_t instr_method_columns(const struct instr_method_report *report,
                            struct instr_method_column columns[INSTR_METHOD_COLUMNS]);
uint64_t instr_method_value(const struct instr_method_row *row,
                            const struct instr_method_column *column);
// Is the value an estimate?
bool instr_method_is_estimate(const struct instr_method_row *row,
                              const struct instr_method_column *column);
// The sum of a column over all rows.
uint64_t instr_method_sum(const struct instr_method_report *report,
                          const struct instr_method_column *column);

void instr_methods_page(const void *content, struct instr_output *out, size_t top, size_t order);

// --- alloc ---

// Calls `each` for every stack; without sampled ones for every site as a stack of its class, its
// method with the line, and the class allocated.
void instr_alloc_each_stack(const struct instr_alloc_report *report,
                            void (*each)(void *context, const struct instr_alloc_stack *stack),
                            void *context);

// --- exceptions ---

// Writes a place, com.acme.Foo.bar:12, and where an exception ended.
void instr_exception_place(struct instr_output *out, const char *class_name, const char *method,
                           uint32_t line, int style);
void instr_exception_end(struct instr_output *out, const struct instr_exception_row *row,
                         int style);

void instr_exceptions_page(const void *content, struct instr_output *out, size_t top, size_t order);

#endif

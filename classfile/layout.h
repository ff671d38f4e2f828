// Where everything of an edited method comes to stand: the original instructions with the snippets among
// them, then the ways that branch edges take, then the exceptional exits.

#ifndef CF_LAYOUT_H
#define CF_LAYOUT_H

#include "classfile/edit.h"

// The snippets anchored at one pc, and the three places that they make of it.
struct cf_group {
    uint32_t pc;
    uint32_t first, count; // sites
    uint32_t before;       // start of all: where the snippets run by falling through begin
    uint32_t label;        // where jumps to pc lead
    uint32_t exit;         // where the exit snippets begin
    uint32_t instruction;  // where the instruction, or what replaces it, begins
    const struct cf_snippet *replacement;
};

// A detour of all edges from `pc` to `target`: their snippets, then a goto.
struct cf_detour {
    uint32_t pc, target;
    uint32_t first, count; // edges
    uint32_t at;           // new pc
    uint32_t jump;         // new pc of the goto
    int wide;
};

// Where the snippets of an exceptional exit come to stand, ending with athrow.
struct cf_exit {
    const struct cf_snippet **snippets; // in the order of the passes: run backwards
    uint32_t count;
    uint32_t at, end; // new pcs; equal: there is none
};

struct cf_layout {
    struct cf_edit *edit;
    struct cf_site *sites; // sorted
    uint32_t *site_at;     // new pc of each site's snippet
    struct cf_group *groups;
    uint32_t groups_count;
    uint32_t *label;  // by pc, and of code_length
    uint8_t *widened; // per branch of the code
    struct cf_edge *edges; // sorted
    struct cf_detour *detours;
    uint32_t detours_count;
    struct cf_exit thrown, thrown_early;
    uint32_t body_end, length; // of the new code
};

enum cf_status cf_layout_make(struct cf_layout *layout, struct cf_edit *edit);

// New pcs of an original pc: of its label, of the instruction itself, and of where falling into it from
// above arrives (the end of a range that ends there).
uint32_t cf_at_label(const struct cf_layout *layout, uint32_t pc);
uint32_t cf_at_instruction(const struct cf_layout *layout, uint32_t pc);
uint32_t cf_at_before(const struct cf_layout *layout, uint32_t pc);
// The group at `pc`, or NULL.
const struct cf_group *cf_group_at(const struct cf_layout *layout, uint32_t pc);
// The detour from `pc` to `target`, or NULL.
const struct cf_detour *cf_detour_of(const struct cf_layout *layout, uint32_t pc, uint32_t target);
// Where a branch at `pc` to `target` leads in the new code.
uint32_t cf_destination(const struct cf_layout *layout, uint32_t pc, uint32_t target);

// --- the parts of the encoder that work on a layout ---

// The new code array, layout->length bytes (emit.c).
enum cf_status cf_emit_code(const struct cf_layout *layout, uint8_t *code);
// The new StackMapTable's entries (stack_map.c). *wanted: 0 when the method shall have none but what it
// had, which is copied as it is then.
enum cf_status cf_emit_frames(const struct cf_layout *layout, struct cf_frame_writer *writer,
                              int *wanted);

struct cf_buffer { // grows in the class's arena
    struct cf_edit *edit;
    uint8_t *bytes;
    uint32_t length, capacity;
};
// Room for n more bytes, counted as written; NULL: out of memory, the edit has failed.
uint8_t *cf_extend(struct cf_buffer *buffer, uint32_t n);

// The exception table, its length in front (exceptions.c).
enum cf_status cf_emit_exceptions(const struct cf_layout *layout, struct cf_buffer *out);
// How many entries come before the original ones.
uint32_t cf_snippet_handlers(const struct cf_layout *layout);
// An attribute of the code whose offsets move, copied and mapped into `info` (its `length` bytes are
// there already) (tables.c).
enum cf_status cf_map_attribute(const struct cf_layout *layout, const struct cf_attribute *attribute,
                                uint8_t *info);

#endif

// Anchoring snippets, and writing the class around the new code.

#include "classfile/edit/internal.h"

enum cf_status cf_rewrite_begin(struct cf_rewrite *rewrite, struct cf_class *cls) {
    memset(rewrite, 0, sizeof *rewrite);
    rewrite->cls = cls;
    cf_pool_init(&rewrite->pool, cls);
    rewrite->callees = cf_pool_mark(&rewrite->pool);
    rewrite->utf8_stack_map_table = cls->utf8_stack_map_table;
    rewrite->code = cf_arena_zeroed(cls->arena, cls->methods_count, sizeof *rewrite->code);
    rewrite->passed = cls->constant_pool_end;
    if (!rewrite->code) return cf_fail(&cls->error, CF_NO_MEMORY, 0, "out of memory", 0);
    return CF_OK;
}

// Callees live as long as the rewrite.
static void keep_callees(struct cf_rewrite *rewrite, uint32_t last) {
    if (last >= rewrite->callees.count) rewrite->callees = cf_pool_mark(&rewrite->pool);
}

struct cf_callee cf_callee_new(struct cf_rewrite *rewrite, const char *class_name, const char *name,
                               const char *descriptor) {
    struct cf_callee callee = {0, 0, 0};
    struct cf_slice d = {(const uint8_t *)descriptor, (uint32_t)strlen(descriptor)};
    unsigned parameters, result;
    if (!cf_method_slots(d, &parameters, &result)) return callee;
    if (!*class_name || strchr(class_name, '.')) {
        cf_fail(&rewrite->pool.error, CF_MISUSE, 0, "a callee's class is written with slashes", 0);
        return callee;
    }
    callee.methodref =
        cf_add_reference(&rewrite->pool, CF_TAG_METHODREF, class_name, name, descriptor);
    callee.pops = (uint8_t)parameters;
    callee.pushes = (uint8_t)result;
    keep_callees(rewrite, callee.methodref);
    return callee;
}

int cf_callees_new(struct cf_rewrite *rewrite, const struct cf_method_name *names, unsigned count,
                   struct cf_callee *callees) {
    uint16_t methodrefs[CF_CALLEES];
    unsigned parameters = 0, result = 0;
    if (count > CF_CALLEES || !cf_add_methods(&rewrite->pool, names, count, methodrefs)) return 0;
    for (unsigned i = 0; i < count; i++) {
        struct cf_slice d = {(const uint8_t *)names[i].descriptor, names[i].descriptor_length};
        if (!cf_method_slots(d, &parameters, &result)) return 0;
        callees[i].methodref = methodrefs[i];
        callees[i].pops = (uint8_t)parameters;
        callees[i].pushes = (uint8_t)result;
        keep_callees(rewrite, methodrefs[i]);
    }
    return 1;
}

void cf_callees_keep(struct cf_callees *kept, const struct cf_rewrite *rewrite,
                     struct cf_pool_mark since, const struct cf_callee *callees, unsigned count) {
    cf_block_take(&kept->block, &rewrite->pool, since);
    kept->count = kept->block.count ? count : 0;
    for (unsigned i = 0; i < kept->count; i++) {
        kept->relative[i] = callees[i];
        kept->relative[i].methodref = (uint16_t)(callees[i].methodref - since.count);
    }
}

int cf_callees_again(struct cf_rewrite *rewrite, const struct cf_callees *kept,
                     struct cf_callee *callees) {
    uint32_t first = cf_block_add(&rewrite->pool, &kept->block);
    if (!first) return 0;
    for (unsigned i = 0; i < kept->count; i++) {
        callees[i] = kept->relative[i];
        callees[i].methodref = (uint16_t)(callees[i].methodref + first);
        keep_callees(rewrite, callees[i].methodref);
    }
    return 1;
}

static int is_method_of(const struct cf_class *cls, const struct cf_member *method) {
    return method >= cls->methods && method < cls->methods + cls->methods_count;
}

static void open_code(struct cf_edit *edit) {
    const struct cf_class *cls = edit->rewrite->cls;
    edit->code.cls = cls;
    edit->code.max_locals = 0;
    if (!is_method_of(cls, edit->method))
        cf_fail(&edit->error, CF_MISUSE, 0, "not a method of the class", 0);
    else if (!edit->method->code)
        cf_fail(&edit->error, CF_MISUSE, edit->method->offset, "the method has no code", 0);
    else
        cf_code_open(&edit->code, cls, edit->method, &edit->error);
}

// Code that could not be opened or scanned has no instructions. What is anchored there all the same only makes a mark.
static void close_code(struct cf_edit *edit) {
    struct cf_code *code = &edit->code;
    memset(&code->count, 0, sizeof *code - offsetof(struct cf_code, count));
    code->marks = edit->nowhere_bytes;
    edit->phases_known = 1;
}

// An edit whose code is not scanned yet. NULL: out of memory.
static struct cf_edit *open_edit(struct cf_rewrite *rewrite, const struct cf_member *method) {
    struct cf_class *cls = rewrite->cls;
    struct cf_edit *edit = cf_arena_alloc(cls->arena, sizeof *edit);
    if (!edit) return NULL;
    memset(&edit->error, 0, offsetof(struct cf_edit, nowhere) - offsetof(struct cf_edit, error));
    edit->rewrite = rewrite;
    edit->method = method;
    edit->code_limit = 65535;
    edit->mark = cf_pool_mark(&rewrite->pool);
    edit->sites = edit->first_sites;
    edit->locals = edit->first_locals;
    edit->thrown = edit->first_thrown;
    edit->thrown_early = edit->first_thrown_early;
    open_code(edit);
    edit->next_local = edit->code.max_locals;
    if (edit->error.status) close_code(edit);
    return edit;
}

enum cf_status cf_edit_begin(struct cf_rewrite *rewrite, const struct cf_member *method,
                             struct cf_edit **result) {
    struct cf_edit *edit = open_edit(rewrite, method);
    *result = edit;
    if (!edit) return CF_NO_MEMORY;
    CF_TRY(edit->error.status);
    if (cf_code_scan(&edit->code, &edit->error) != CF_OK) close_code(edit);
    return edit->error.status;
}

void cf_edits_begin(struct cf_rewrite *rewrite, const struct cf_member *const *methods,
                    uint32_t count, struct cf_edit **edits) {
    struct cf_code *codes[CF_EDITS];
    struct cf_error *errors[CF_EDITS];
    uint32_t n = 0;
    if (count && !rewrite->cls->utf8_line_number_table)
        cf_note_attributes(rewrite->cls, methods[0]);
    for (uint32_t i = 0; i < count; i++) {
        edits[i] = open_edit(rewrite, methods[i]);
        if (!edits[i] || edits[i]->error.status) continue;
        codes[n] = &edits[i]->code;
        errors[n++] = &edits[i]->error;
    }
    if (n) cf_code_scan_all(codes, errors, n);
    for (uint32_t i = 0; i < count; i++)
        if (edits[i] && edits[i]->error.status) close_code(edits[i]);
}

void cf_edit_abandon(struct cf_edit *edit) {
    struct cf_rewrite *rewrite = edit->rewrite;
    int keeps = rewrite->callees.count > edit->mark.count;
    cf_pool_rollback(&rewrite->pool, keeps ? rewrite->callees : edit->mark);
    if (rewrite->throwable >= rewrite->pool.count) rewrite->throwable = 0;
    if (rewrite->integer >= rewrite->pool.count) rewrite->integer = 0;
    if (rewrite->utf8_stack_map_table >= rewrite->pool.count) rewrite->utf8_stack_map_table = 0;
}

void cf_edit_keep_constants(struct cf_edit *edit) {
    edit->mark = cf_pool_mark(&edit->rewrite->pool);
}

static int has_anchors(const struct cf_edit *edit) {
    return edit->sites_count || edit->edges_count || edit->thrown_count || edit->thrown_early_count;
}

enum cf_status cf_edit_commit(struct cf_edit *edit) {
    struct cf_rewrite *rewrite = edit->rewrite;
    struct cf_new_code code;
    code.length = 0;
    if (!edit->error.status && has_anchors(edit)) cf_edit_encode(edit, &code);
    if (!edit->error.status && rewrite->pool.error.status) edit->error = rewrite->pool.error;
    if (edit->error.status) {
        cf_edit_abandon(edit);
        return edit->error.status;
    }
    if (code.length) {
        struct cf_new_code *place = &rewrite->code[edit->method - rewrite->cls->methods];
        uint32_t before = place->length ? place->length : edit->code.end - edit->method->code;
        rewrite->added += (int64_t)code.length - before;
        rewrite->methods_changed += !place->length;
        // Field by field: they were just written, and loading several at once would stall.
        place->at = code.at;
        place->length = code.length;
        place->lead = code.lead;
        place->edit = code.edit;
        place->body_end = code.body_end;
    }
    return CF_OK;
}

void *cf_longer(struct cf_edit *edit, void *list, uint32_t count, size_t size) {
    void *larger = cf_arena_alloc(edit->code.cls->arena, (count ? count * 2 : 8) * size);
    if (!larger)
        cf_fail(&edit->error, CF_NO_MEMORY, 0, "out of memory", 0);
    else if (count)
        memcpy(larger, list, count * size);
    return larger;
}

// The type of a new local variable; TOP: malformed descriptor.
static unsigned tag_of_descriptor(const char *descriptor) {
    struct cf_slice d = {(const uint8_t *)descriptor, (uint32_t)strlen(descriptor)};
    return cf_field_slots(d) ? cf_tag_of_letter[d.bytes[0]] : CF_TYPE_TOP;
}

uint32_t cf_new_local_of(struct cf_edit *edit, const char *descriptor, int live) {
    unsigned tag = cf_tag_of_letter[(uint8_t)descriptor[0]];
    if (tag == CF_TYPE_OBJECT || descriptor[tag != CF_TYPE_TOP])
        tag = tag_of_descriptor(descriptor);
    if (tag == CF_TYPE_TOP) {
        cf_fail(&edit->error, CF_MISUSE, 0, "malformed descriptor of a new local", 0);
        return 0;
    }
    uint32_t index = edit->next_local, slots = tag == CF_TYPE_LONG || tag == CF_TYPE_DOUBLE ? 2 : 1;
    if (index + slots > 65535) {
        cf_fail(&edit->error, CF_LIMIT, 0, "more than 65,535 local variables", 0);
        return 0;
    }
    edit->next_local += slots;
    if (!live) return index;
    struct cf_new_local *locals =
        cf_one_more(edit, edit->locals, edit->locals_count, 2, sizeof *locals);
    if (!locals) return 0;
    edit->locals = locals;
    struct cf_new_local *local = &locals[edit->locals_count++];
    local->index = index;
    local->nesting = edit->nesting;
    if (tag == CF_TYPE_OBJECT) {
        struct cf_slice d = {(const uint8_t *)descriptor, (uint32_t)strlen(descriptor)};
        local->type = cf_type_of(d);
    } else {
        memset(&local->type, 0, sizeof local->type);
        local->type.tag = (uint8_t)tag;
    }
    return index;
}

// Returns 1 if `instruction`, the anchor of `s`, is a valid index; otherwise the edit has failed.
static int is_instruction(struct cf_edit *edit, uint32_t instruction, const struct cf_snippet *s) {
    if (instruction < edit->code.count) return 1;
    cf_fail_snippet(s, UINT32_MAX, CF_MISUSE, "no instruction %u", instruction);
    return 0;
}

void cf_insert_before(struct cf_edit *edit, uint32_t instruction, const struct cf_snippet *s) {
    if (is_instruction(edit, instruction, s))
        cf_add_site(edit, edit->code.pc[instruction], CF_BEFORE, edit->nesting, s);
}

void cf_insert_after(struct cf_edit *edit, uint32_t instruction, const struct cf_snippet *s) {
    if (!is_instruction(edit, instruction, s)) return;
    if (cf_never_falls_through(edit->code.bytes[edit->code.pc[instruction]]))
        cf_fail_snippet(s, edit->code.pc[instruction], CF_MISUSE,
                        "after an instruction that never falls through", 0);
    else
        cf_add_site(edit, edit->code.pc[instruction + 1], CF_AFTER, -edit->nesting, s);
}

// What stands for an instruction that is removed.
static const struct cf_snippet *nop(struct cf_edit *edit) {
    struct cf_snippet *s = cf_snippet_new(edit);
    cf_op(s, CF_OP_nop);
    return s;
}

void cf_replace(struct cf_edit *edit, uint32_t instruction, const struct cf_snippet *s) {
    if (!is_instruction(edit, instruction, s)) return;
    uint32_t pc = edit->code.pc[instruction];
    for (uint32_t i = 0; i < edit->sites_count; i++)
        if (edit->sites[i].pc == pc && edit->sites[i].where == CF_REPLACE) {
            cf_fail_snippet(s, pc, CF_MISUSE, "instruction replaced by two passes", 0);
            return;
        }
    cf_add_site(edit, pc, CF_REPLACE, 0, s->length ? s : nop(edit));
}

const struct cf_snippet *cf_take_replacement(struct cf_edit *edit, uint32_t instruction) {
    for (uint32_t i = 0; instruction < edit->code.count && i < edit->sites_count; i++) {
        struct cf_site *site = &edit->sites[i];
        if (site->pc != edit->code.pc[instruction] || site->where != CF_REPLACE) continue;
        const struct cf_snippet *s = site->snippet;
        memmove(site, site + 1, (--edit->sites_count - i) * sizeof *site);
        return s;
    }
    return NULL;
}

static int insert_constructed(struct cf_edit *edit, const struct cf_snippet *s, int32_t order) {
    if (cf_edit_constructor(edit) != CF_OK) return 0;
    const struct cf_code *code = &edit->code;
    for (uint32_t i = 0; i < edit->delegates_count; i++)
        cf_add_site(edit, edit->delegates[i] + cf_opcodes[code->bytes[edit->delegates[i]]].length,
                    CF_ENTRY, order, s);
    return edit->delegates_count > 0;
}

int cf_insert_constructed(struct cf_edit *edit, const struct cf_snippet *s) {
    return insert_constructed(edit, s, edit->nesting);
}

void cf_insert_constructed_first(struct cf_edit *edit, const struct cf_snippet *s) {
    insert_constructed(edit, s, INT32_MIN);
}

// Is there such an edge? Of a switch only whether anything jumps there is known: it may have thousands.
static int is_edge(const struct cf_code *code, uint32_t pc, uint32_t target) {
    enum cf_operands operands = cf_opcodes[code->bytes[pc]].operands;
    if (operands == CF_BRANCH2 || operands == CF_BRANCH4)
        return cf_branch_target(code->bytes, pc) == target;
    return cf_is_switch(code->bytes[pc]) && code->marks[target] & CF_MARK_TARGET;
}

void cf_insert_edge(struct cf_edit *edit, uint32_t from, uint32_t to, const struct cf_snippet *s) {
    if (!is_instruction(edit, from, s) || !is_instruction(edit, to, s)) return;
    uint32_t pc = edit->code.pc[from];
    unsigned op = edit->code.bytes[pc];
    if (!is_edge(&edit->code, pc, edit->code.pc[to])) {
        cf_fail_snippet(s, pc, CF_MISUSE, "no jump leads to instruction %u", to);
        return;
    }
    if (op == CF_OP_goto || op == CF_OP_goto_w) { // its only edge: the way to it is the way on it
        cf_add_site(edit, pc, CF_EXIT, edit->nesting, s);
        return;
    }
    struct cf_edge *edges = cf_one_more(edit, edit->edges, edit->edges_count, 0, sizeof *edges);
    if (!edges || s == &edit->nowhere) return;
    edit->edges = edges;
    struct cf_edge edge = {pc, edit->code.pc[to], 0, s};
    edges[edit->edges_count++] = edge;
}

// --- the class ---

struct writer {
    uint8_t *bytes;
    size_t length;
};

static void copy(struct writer *w, const uint8_t *from, size_t n) {
    if (n) memcpy(w->bytes + w->length, from, n);
    w->length += n;
}

// Copies everything behind the constant pool. New code that is already in order is copied as a
// block.
static void copy_methods(struct writer *w, const struct cf_rewrite *rewrite) {
    const struct cf_class *cls = rewrite->cls;
    const uint8_t *out = rewrite->out.bytes;
    uint32_t from = cls->constant_pool_end; // of the class: all before is copied or in the piece
    uint32_t piece = 0, piece_end = 0;      // of the new code, still to be copied
    for (uint32_t i = 0; i < cls->methods_count; i++) {
        const struct cf_new_code *code = &rewrite->code[i];
        uint32_t at = cls->methods[i].code;
        if (!code->length) continue;
        if (from + code->lead != at || code->at - code->lead != piece_end) {
            copy(w, out + piece, piece_end - piece);
            copy(w, cls->bytes + from, at - from);
            piece = code->at;
        }
        piece_end = code->at + code->length;
        from = at + 6 + cf_be4(cls->bytes + at + 2);
    }
    if (piece_end > piece) copy(w, out + piece, piece_end - piece);
    copy(w, cls->bytes + from, cls->length - from);
}

enum cf_status cf_rewrite_encode(struct cf_rewrite *rewrite,
                                 void *(*allocate)(void *context, size_t size), void *context,
                                 uint8_t **bytes, size_t *length) {
    struct cf_class *cls = rewrite->cls;
    size_t size = cls->length;
    int changed = rewrite->methods_changed > 0;
    if (changed) size += rewrite->pool.length + (size_t)rewrite->added;
    struct writer w = {allocate(context, size), 0};
    if (!w.bytes) return cf_fail(&cls->error, CF_NO_MEMORY, 0, "out of memory", 0);
    copy(&w, cls->bytes, cls->constant_pool_end);
    if (changed) {
        cf_put2(w.bytes + 8, rewrite->pool.count);
        copy(&w, rewrite->pool.bytes, rewrite->pool.length);
    }
    copy_methods(&w, rewrite);
    *bytes = w.bytes;
    *length = size;
    return CF_OK;
}

// The new Code attribute of an edited method.

#include "classfile/edit/internal.h"

static inline uint32_t peak_of(const struct cf_snippet *s) {
    return s->peak > 0 ? (uint32_t)s->peak : 0;
}

static inline void raise_stack(uint32_t *most, uint32_t depth, const struct cf_snippet *s) {
    uint32_t need = depth + peak_of(s);
    if (need > *most) *most = need;
}

// The stack that snippets at the sites need on top of the depth there. The depth is computed only
// where it matters: it never exceeds the method's own max_stack.
static enum cf_status raise_at_sites(const struct cf_layout *l, uint32_t *most) {
    struct cf_edit *edit = l->edit;
    struct cf_depth walk;
    int started = 0;
    for (uint32_t i = 0; i < edit->sites_count; i++) {
        const struct cf_site *site = &l->sites[i];
        uint32_t depth = 0;
        if (edit->code.max_stack + peak_of(site->snippet) <= *most) continue;
        if (site->pc != 0 || site->where != CF_ENTRY) {
            if (!started++) CF_TRY(cf_depth_start(&walk, edit));
            CF_TRY(cf_depth_at(&walk, site->pc, &depth));
        }
        raise_stack(most, depth, site->snippet);
    }
    return CF_OK;
}

// The stack that the snippets of all passes at one place need. Each leaves the depth unchanged
// except a replacement, which has the effect of its instruction.
static enum cf_status max_stack(const struct cf_layout *l, uint32_t *result) {
    struct cf_edit *edit = l->edit;
    uint32_t most = edit->code.max_stack;
    for (uint32_t i = 0; i < l->thrown.count; i++)
        raise_stack(&most, 1, l->thrown.snippets[i].snippet);
    for (uint32_t i = 0; i < l->thrown_early.count; i++)
        raise_stack(&most, 1, l->thrown_early.snippets[i].snippet);
    if (most == 0 && (l->thrown.count || l->thrown_early.count)) most = 1;
    if (edit->code.max_stack + l->sites_peak > most) CF_TRY(raise_at_sites(l, &most));
    if (edit->edges_count) CF_TRY(cf_edit_depths(edit));
    for (uint32_t i = 0; i < edit->edges_count; i++) {
        uint32_t depth = edit->depths[l->edges[i].target];
        raise_stack(&most, depth == UINT16_MAX ? 0 : depth, l->edges[i].snippet);
    }
    if (most > 65535)
        return cf_fail(&edit->error, CF_LIMIT, 0, "would need %u stack slots (limit 65,535)", most);
    *result = most;
    return CF_OK;
}

// Is local 0 overwritten while it should hold `this`?
CF_SELDOM static int overwrites_this(const struct cf_edit *edit) {
    const struct cf_code *code = &edit->code;
    for (uint32_t i = 0; i < code->count; i++) {
        const uint8_t *p = code->bytes + code->pc[i];
        unsigned op = p[0];
        if (op >= CF_OP_istore_0 && op <= CF_OP_astore_3 && (op - CF_OP_istore_0) % 4 == 0)
            return 1;
        if (op >= CF_OP_istore && op <= CF_OP_astore && p[1] == 0) return 1;
        if (op == CF_OP_wide && p[1] >= CF_OP_istore && p[1] <= CF_OP_astore && cf_be2(p + 2) == 0)
            return 1;
    }
    return 0;
}

// May code throw before [0] and after [1] `this` is initialized?
static void find_throwing(const struct cf_edit *edit, int may_throw[2]) {
    const struct cf_code *code = &edit->code;
    const struct cf_phase *phase = edit->phases, *last = phase + edit->phases_count - 1;
    uint32_t delegate = 0;
    for (uint32_t i = 0; i < code->count && !(may_throw[0] & may_throw[1]); i++) {
        uint32_t pc = code->pc[i];
        if (!(cf_flags[code->bytes[pc]] & CF_MAY_THROW)) continue;
        if (delegate < edit->delegates_count && edit->delegates[delegate] == pc) {
            delegate++;
            continue;
        }
        while (phase < last && phase->end <= pc) phase++;
        int initialized = phase->end <= pc || phase->initialized;
        may_throw[initialized] = 1;
        if (initialized & (phase == last)) break; // and so is all that follows
    }
}

// Code that cannot throw needs no exceptional exit. The frame of the handler before the delegate
// call must be right for all code there: if `this` is not always in local 0, there is no such
// handler.
static void drop_idle_exits(struct cf_edit *edit) {
    int may_throw[2] = {0, edit->code.may_throw}, early = 0;
    if (edit->phases_count) {
        may_throw[1] = 0;
        find_throwing(edit, may_throw);
    }
    for (uint32_t i = 0; i < edit->phases_count; i++) early |= !edit->phases[i].initialized;
    if (!may_throw[1] && !cf_guards(edit, 0)) edit->thrown_count = 0;
    if (!edit->thrown_early_count) return;
    edit->early_entry = !early || !may_throw[0] || overwrites_this(edit);
    if (edit->early_entry && !cf_guards(edit, 1)) edit->thrown_early_count = 0;
}

static enum cf_status name_of_frames(struct cf_edit *edit, uint16_t *name) {
    struct cf_rewrite *rewrite = edit->rewrite;
    if (!rewrite->utf8_stack_map_table)
        rewrite->utf8_stack_map_table = cf_add_utf8(&rewrite->pool, "StackMapTable", 13);
    *name = rewrite->utf8_stack_map_table;
    if (!*name) edit->error = rewrite->pool.error;
    return edit->error.status;
}

// Writes the StackMapTable unless it has no frames, and counts it in `count` of attributes.
static inline enum cf_status put_stack_map_table(struct cf_buffer *out, const struct cf_layout *l,
                                                 uint32_t *count) {
    struct cf_edit *edit = l->edit;
    uint32_t start = out->length, frames = 0;
    uint16_t name;
    if (!cf_extend(out, 8)) return CF_NO_MEMORY;
    CF_TRY(cf_emit_frames(l, out, &frames));
    if (frames > 65535)
        return cf_fail(&edit->error, CF_LIMIT, 0, "%u stack map frames (limit 65,535)", frames);
    if (frames == 0) {
        out->length = start;
        return CF_OK;
    }
    CF_TRY(name_of_frames(edit, &name));
    uint8_t *p = out->bytes + start;
    cf_put2(p, name);
    cf_put4(p + 2, out->length - start - 6);
    cf_put2(p + 6, frames);
    ++*count;
    return CF_OK;
}

// Is it a StackMap of CLDC in a class below version 50? A JVM ignores it, but other tools read it
// later, and its offsets would be wrong.
static int is_stack_map(const struct cf_class *cls, uint32_t pos) {
    return CF_IS(cf_utf8(cls, cf_be2(cls->bytes + pos)), "StackMap");
}

static enum cf_status put_attributes(struct cf_buffer *out, const struct cf_layout *l) {
    struct cf_edit *edit = l->edit;
    const struct cf_code *code = &edit->code;
    const struct cf_class *cls = code->cls;
    int wanted = cf_frames_wanted(edit), written = !wanted, is_old = cls->major_version < 50;
    uint32_t count_at = out->length, count = 0, pos = code->attributes;
    uint32_t frames_at = wanted && code->stack_map_table ? code->stack_map_table - 6 : 0;
    if (!cf_extend(out, 2)) return CF_NO_MEMORY;
    for (uint32_t i = code->attributes_count; i-- > 0;) {
        uint32_t next = pos + 6 + cf_be4(cls->bytes + pos + 2);
        if (pos == frames_at) {
            CF_TRY(put_stack_map_table(out, l, &count));
            written = 1;
        } else if (!is_old || !is_stack_map(cls, pos)) {
            CF_TRY(cf_emit_attribute(l, out, pos));
            count++;
        }
        pos = next;
    }
    if (!written) CF_TRY(put_stack_map_table(out, l, &count));
    if (count > 65535) return cf_fail(&edit->error, CF_LIMIT, 0, "%u attributes", count);
    cf_put2(out->bytes + count_at, count);
    return CF_OK;
}

// The new pc up to which a constructor counts as not initialized: behind the snippets at its
// delegate calls.
static void note_constructed(struct cf_edit *edit, const struct cf_layout *l) {
    if (edit->constructor && !edit->delegates_count) edit->constructed_pc = l->length;
    for (uint32_t i = 0; i < edit->delegates_count; i++) {
        uint32_t pc = cf_at_label(l, edit->delegates[i] + 3);
        if (pc > edit->constructed_pc) edit->constructed_pc = pc;
    }
}

// Copies the bytes of the class between the last encoded method and this Code attribute: mostly the
// first bytes of a method_info.
static enum cf_status put_lead(struct cf_buffer *out, const struct cf_edit *edit, uint32_t lead) {
    const struct cf_class *cls = edit->code.cls;
    uint32_t from = edit->method->code - lead;
    uint8_t *p = cf_room(out, lead + CF_COPIED);
    if (!p) return CF_NO_MEMORY;
    if (lead <= CF_COPIED && cls->length - from >= CF_COPIED)
        memcpy(p, cls->bytes + from, CF_COPIED);
    else
        memcpy(p, cls->bytes + from, lead);
    out->length += lead;
    return CF_OK;
}

// Reserves memory, mostly enough for the whole class. Most of a very large one is not code.
static enum cf_status open_out(struct cf_rewrite *rewrite, struct cf_buffer *out) {
    const uint32_t most = 8u << 20;
    uint32_t length = rewrite->cls->length - rewrite->cls->constant_pool_end;
    return cf_room(out, 2 * (length < most ? length : most) + 4096) ? CF_OK : CF_NO_MEMORY;
}

#define HEADER 14 // from attribute_name_index to code_length

enum cf_status cf_edit_encode(struct cf_edit *edit, struct cf_new_code *result) {
    struct cf_layout layout;
    struct cf_rewrite *rewrite = edit->rewrite;
    uint32_t stack = 0;
    if (edit->snippets_throw) cf_sort_thrown(edit);
    if (edit->thrown_count | edit->thrown_early_count) drop_idle_exits(edit);
    if (!(edit->sites_count | edit->edges_count | edit->thrown_count | edit->thrown_early_count))
        return CF_OK;
    // Most of what comes is known: the code, and tables much like the old ones.
    const struct cf_code *code = &edit->code;
    uint32_t passed = rewrite->passed, lead = 0, rest = code->end - code->offset - code->length;
    struct cf_buffer out = {edit, rewrite->out.bytes, rewrite->out.length, rewrite->out.capacity};
    if (!out.bytes) CF_TRY(open_out(rewrite, &out));
    if (passed <= edit->method->code)
        CF_TRY(put_lead(&out, edit, lead = edit->method->code - passed));
    uint32_t start = out.length;
    CF_TRY(cf_layout_make(&layout, edit, HEADER, rest + 256, &out));
    note_constructed(edit, &layout);
    if (edit->next_local > 65535)
        return cf_fail(&edit->error, CF_LIMIT, 0, "more than 65,535 local variables", 0);
    CF_TRY(cf_emit_exceptions(&layout, &out));
    CF_TRY(put_attributes(&out, &layout));
    CF_TRY(max_stack(&layout, &stack)); // by now the frames have been read
    uint8_t *p = out.bytes + start;
    memcpy(p, code->cls->bytes + edit->method->code, 2);
    cf_put4(p + 2, out.length - start - 6);
    cf_put2(p + 6, stack);
    cf_put2(p + 8, edit->next_local);
    cf_put4(p + 10, layout.length);
    result->at = start;
    result->length = out.length - start;
    result->lead = lead;
    result->edit = edit;
    result->body_end = layout.body_end;
    rewrite->out.bytes = out.bytes;
    rewrite->out.length = out.length;
    rewrite->out.capacity = out.capacity;
    rewrite->passed = code->end;
    return CF_OK;
}

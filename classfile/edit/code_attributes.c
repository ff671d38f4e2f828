// Attributes of a Code attribute that hold bytecode offsets (JVMS 4.7.12 to 4.7.14, 4.7.20): their
// sizes stay, their offsets move.

#include "classfile/edit/internal.h"

struct table {
    const struct cf_layout *l;
    struct cf_reader r; // over the original
    uint8_t *info;      // the copy
    uint32_t base;      // offset of the original's info in the class file
};

static enum cf_status malformed(struct table *t, const char *reason) {
    return cf_fail(&t->l->edit->error, CF_MALFORMED, t->r.pos, reason, 0);
}

static void set2(struct table *t, uint32_t pos, uint32_t v) {
    cf_put2(t->info + (pos - t->base), v);
}

// A pc in the table, at the reader: read it, check it, and put `to` in its place.
static uint32_t next_pc(struct table *t, uint32_t *pos) {
    *pos = t->r.pos;
    uint32_t pc = cf_u2(&t->r);
    if (pc >= t->l->edit->code.length) { // the JVM refuses it as well (JVMS 4.7.12, 4.7.13)
        malformed(t, "offset out of the code");
        return 0;
    }
    return pc;
}

// --- the frequent ones: their entries are mapped as they are copied ---

static enum cf_status broken(const struct cf_layout *l, const uint8_t *at, const char *reason) {
    uint32_t offset = (uint32_t)(at - l->edit->code.cls->bytes);
    return cf_fail(&l->edit->error, CF_MALFORMED, offset, reason, 0);
}

// Begins an attribute of entries of `size` bytes, at `from`, at `to`: copies what is not an entry,
// and gives the end of the entries. NULL: it is too short for them.
static inline const uint8_t *begin_entries(const struct cf_layout *l, const uint8_t *from,
                                           uint8_t *to, uint32_t size) {
    uint32_t length = cf_be4(from + 2), n = length < 2 ? 0 : size * cf_be2(from + 6);
    if (length < 2 || length - 2 < n) {
        uint32_t offset = (uint32_t)(from + 6 - l->edit->code.cls->bytes);
        cf_fail(&l->edit->error, CF_TRUNCATED, offset, "truncated", 0);
        return NULL;
    }
    memcpy(to, from, 8);
    if (length - 2 > n) memcpy(to + 8 + n, from + 8 + n, length - 2 - n);
    return from + 8 + n;
}

// What pcs are mapped by, in one piece: stores through byte pointers would have it read again.
struct places {
    const struct cf_layout *l;
    const uint16_t *moved;
    const uint8_t *marks;
    uint32_t length;
};

static inline struct places places_of(const struct cf_layout *l) {
    struct places places = {l, l->moved, l->edit->code.marks, l->edit->code.length};
    return places;
}

// Where what begins at `pc` begins: parameters, and the first line, at the entry.
static inline uint32_t moved_start(const uint16_t *moved, uint32_t pc) {
    uint32_t by = moved[pc];
    return (uint16_t)(pc + (pc == 0 ? 0 : by));
}

// A line begins where falling into it arrives, so that what is inserted there belongs to it.
static inline uint32_t moved_line(struct places places, uint32_t pc) {
    if ((places.marks[pc] & CF_MARK_SPLIT) && pc != 0) return cf_at_before(places.l, pc);
    return moved_start(places.moved, pc);
}

// Of several lines at one pc HotSpot tells the first for the instruction there, and the last from
// the next one on. What is inserted parts the instruction from where its lines begin, so all become
// the first, but for the last one, which begins behind the instruction, unless another does so.
CF_SELDOM static uint32_t line_again(const struct cf_layout *l, const uint8_t *from,
                                     const uint8_t *end, uint32_t first) {
    const struct cf_code *code = &l->edit->code;
    uint32_t pc = cf_be2(from), next = pc + cf_instruction_length(code->bytes, pc, code->length);
    uint32_t then = end - from > 4 ? cf_be2(from + 4) : UINT32_MAX;
    if (next >= code->length || (then >= pc && then <= next)) return first;
    return moved_line(places_of(l), next) << 16 | cf_be2(from + 2);
}

static enum cf_status map_lines(const struct cf_layout *l, const uint8_t *from, uint8_t *to) {
    const uint8_t *end = begin_entries(l, from, to, 4);
    struct places places = places_of(l);
    uint32_t before = UINT32_MAX, first = 0;
    if (!end) return l->edit->error.status;
    for (from += 8, to += 8; from < end; from += 4, to += 4) {
        uint32_t entry = cf_be4(from), pc = entry >> 16;
        if (pc >= places.length) return broken(l, from, "line number out of the code");
        if (pc == before && (places.marks[pc] & CF_MARK_EDIT)) {
            cf_put4(to, line_again(l, from, end, first));
            continue;
        }
        before = pc;
        first = moved_line(places, pc) << 16 | (entry & 0xffff);
        cf_put4(to, first);
    }
    return CF_OK;
}

// A start_pc and its length, which are at `from`; written to `to`. Returns 0 when they leave the
// code.
static inline int map_range_at(struct places r, const uint8_t *from, uint8_t *to) {
    uint32_t range = cf_be4(from), start = range >> 16, length = range & 0xffff;
    uint32_t end = start + length;
    if (start >= r.length || end > r.length) return 0; // the JVM refuses it as well
    uint32_t first = moved_start(r.moved, start), last = (uint16_t)(end + r.moved[end]);
    if (r.marks[end] & CF_MARK_SPLIT) last = cf_at_before(r.l, end);
    cf_put4(to, first << 16 | (length && last > first ? last - first : 0));
    return 1;
}

// LocalVariableTable and LocalVariableTypeTable.
static enum cf_status map_variables(const struct cf_layout *l, const uint8_t *from, uint8_t *to) {
    const uint8_t *end = begin_entries(l, from, to, 10);
    struct places places = places_of(l);
    if (!end) return l->edit->error.status;
    for (from += 8, to += 8; from < end; from += 10, to += 10) {
        memcpy(to + 2, from + 2, 8);
        if (!map_range_at(places, from, to)) return broken(l, from, "range out of the code");
    }
    return CF_OK;
}

// --- the others: copied first, their offsets set in the copy ---

// A range at the reader. The JVM does not look at it, so one that is empty may lie behind the code.
static void map_range(struct table *t) {
    uint32_t pos = t->r.pos;
    if (!cf_need(&t->r, 4)) return;
    t->r.pos += 4;
    if (cf_be4(t->r.bytes + pos) == t->l->edit->code.length << 16)
        set2(t, pos, t->l->body_end);
    else if (!map_range_at(places_of(t->l), t->r.bytes + pos, t->info + (pos - t->base)))
        malformed(t, "range out of the code");
}

// javac's CharacterRangeTable (-Xjcov): start_pc, end_pc (the last byte), two positions, flags.
static enum cf_status map_characters(struct table *t) {
    uint32_t n = cf_u2(&t->r);
    while (n-- > 0 && !t->r.error->status) {
        uint32_t start_at, end_at, start = next_pc(t, &start_at), end = next_pc(t, &end_at);
        if (t->r.error->status) break;
        const struct cf_code *code = &t->l->edit->code;
        if (end >= code->length || start > end) return malformed(t, "range out of the code");
        set2(t, start_at, start == 0 ? 0 : cf_at_label(t->l, start));
        uint32_t to = end + 1 == code->length ? t->l->body_end : cf_at_before(t->l, end + 1);
        set2(t, end_at, to - 1);
        cf_skip(&t->r, 10);
    }
    return t->r.error->status;
}

#define DEEPEST 64

static enum cf_status skip_annotation(struct table *t, uint32_t depth);

static enum cf_status skip_value(struct table *t, uint32_t depth) {
    if (depth > DEEPEST) return malformed(t, "annotations nested too deeply");
    switch (cf_u1(&t->r)) {
    case 'e': cf_skip(&t->r, 4); break;
    case '@': return skip_annotation(t, depth + 1);
    case '[': {
        uint32_t n = cf_u2(&t->r);
        while (n-- > 0 && !t->r.error->status) CF_TRY(skip_value(t, depth + 1));
        break;
    }
    default: cf_skip(&t->r, 2); break;
    }
    return t->r.error->status;
}

static enum cf_status skip_annotation(struct table *t, uint32_t depth) {
    cf_skip(&t->r, 2);
    uint32_t n = cf_u2(&t->r);
    while (n-- > 0 && !t->r.error->status) {
        cf_skip(&t->r, 2);
        CF_TRY(skip_value(t, depth));
    }
    return t->r.error->status;
}

static enum cf_status map_offset(struct table *t) {
    uint32_t pos, pc = next_pc(t, &pos);
    if (t->r.error->status) return t->r.error->status;
    set2(t, pos, cf_at_instruction(t->l, pc));
    return CF_OK;
}

// The target_info of a type annotation (JVMS 4.7.20.1), as far as it can stand in code.
static enum cf_status map_target(struct table *t) {
    unsigned target_type = cf_u1(&t->r);
    uint32_t pos, n;
    switch (target_type) {
    case 0x40:
    case 0x41: // localvar_target
        n = cf_u2(&t->r);
        while (n-- > 0 && !t->r.error->status) {
            map_range(t);
            cf_skip(&t->r, 2);
        }
        break;
    case 0x42: // catch_target: entries for snippets come first in the new table, and no original one is left out
        pos = t->r.pos;
        n = cf_new_entry(t->l, cf_u2(&t->r));
        if (n > 65535) return malformed(t, "exception table index out of range");
        if (!t->r.error->status) set2(t, pos, n);
        break;
    case 0x43:
    case 0x44:
    case 0x45:
    case 0x46: // offset_target
        return map_offset(t);
    case 0x47:
    case 0x48:
    case 0x49:
    case 0x4A:
    case 0x4B: // type_argument_target
        CF_TRY(map_offset(t));
        cf_skip(&t->r, 1);
        break;
    default: return malformed(t, "type annotation with an unknown target");
    }
    return t->r.error->status;
}

static enum cf_status map_type_annotations(struct table *t) {
    uint32_t n = cf_u2(&t->r);
    while (n-- > 0 && !t->r.error->status) {
        CF_TRY(map_target(t));
        cf_skip(&t->r, 2u * cf_u1(&t->r)); // type_path
        CF_TRY(skip_annotation(t, 0));
    }
    return t->r.error->status;
}

CF_SELDOM static enum cf_status map_others(const struct cf_layout *l, const uint8_t *from,
                                           uint8_t *to, struct cf_slice name) {
    const struct cf_class *cls = l->edit->code.cls;
    uint32_t length = cf_be4(from + 2), info = (uint32_t)(from - cls->bytes) + 6;
    memcpy(to, from, 6 + length);
    struct table t = {l, cf_read(cls, info, length, &l->edit->error), to + 6, info};
    if (CF_IS(name, "CharacterRangeTable")) return map_characters(&t);
    if (CF_IS(name, "RuntimeVisibleTypeAnnotations") ||
        CF_IS(name, "RuntimeInvisibleTypeAnnotations"))
        return map_type_annotations(&t);
    return CF_OK; // unknown: kept as it is
}

enum cf_status cf_emit_attribute(const struct cf_layout *l, struct cf_buffer *out,
                                 uint32_t offset) {
    struct cf_class *cls = l->edit->rewrite->cls;
    // It lies within the Code attribute: cf_code_open has checked it.
    const uint8_t *from = cls->bytes + offset;
    uint32_t name = cf_be2(from);
    uint8_t *to = cf_extend(out, 6 + cf_be4(from + 2));
    if (!to) return CF_NO_MEMORY;
    for (int noted = 0;; noted = 1) {
        if (name && name == cls->utf8_line_number_table) return map_lines(l, from, to);
        if (name &&
            (name == cls->utf8_local_variable_table || name == cls->utf8_local_variable_type_table))
            return map_variables(l, from, to);
        if (noted) return map_others(l, from, to, cf_utf8(cls, name));
        cf_note_attribute(cls, name);
    }
}

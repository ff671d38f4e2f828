// The structure check: StackMapTable (JVMS 4.7.4). The forms, that frames stand at instructions,
// and that they fit into max_locals and max_stack; the types themselves are the verifier's.

#include "classfile/structure/internal.h"

enum {
    FRAME_SAME_LAST = 63,
    FRAME_SAME_1_LAST = 127,
    FRAME_EARLY_LARVAL = 246, // JDK 28, value classes: fields not yet set, then another frame
    FRAME_SAME_1_EXTENDED = 247,
    FRAME_CHOP_FIRST = 248,
    FRAME_SAME_EXTENDED = 251,
    FRAME_APPEND_LAST = 254,
    FRAME_FULL = 255
};

struct frame_check {
    struct cf_checker *c;
    uint32_t locals_count; // entries; their slots are in c->local_slots
    uint32_t locals_slots;
    int64_t pc; // of the frame before; -1: none
};

// A verification_type_info; returns its slots.
static uint32_t check_type(struct cf_checker *c) {
    uint32_t offset = c->r.pos, pc;
    unsigned tag = cf_u1(&c->r);
    switch (tag) {
    case 3:
    case 4: return 2; // double, long
    case 7: cf_check_index(c, CF_TAG_CLASS); return 1;
    case 8:
        pc = cf_u2(&c->r);
        if (c->error->status) return 1;
        if (pc >= c->code_length || !(c->marks[pc] & CF_CHECK_NEW))
            cf_reject(c, offset, "uninitialized type: there is no new at pc %u", pc);
        return 1;
    default:
        if (tag > 8) cf_reject(c, offset, "verification type %u", tag);
        return 1;
    }
}

static enum cf_status add_locals(struct frame_check *f, uint32_t count) {
    struct cf_checker *c = f->c;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t offset = c->r.pos, slots = check_type(c);
        CF_TRY(c->error->status);
        f->locals_slots += slots;
        if (f->locals_slots > c->max_locals)
            return cf_reject(c, offset, "frame has more than max_locals %u", c->max_locals);
        c->local_slots[f->locals_count++] = (uint8_t)slots;
    }
    return CF_OK;
}

static enum cf_status chop_locals(struct frame_check *f, uint32_t count) {
    if (count > f->locals_count)
        return cf_reject(f->c, f->c->r.pos, "frame chops %u locals, which are not there", count);
    while (count--) f->locals_slots -= f->c->local_slots[--f->locals_count];
    return CF_OK;
}

static enum cf_status check_stack(struct frame_check *f, uint32_t count) {
    struct cf_checker *c = f->c;
    uint32_t slots = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t offset = c->r.pos;
        slots += check_type(c);
        CF_TRY(c->error->status);
        if (slots > c->max_stack)
            return cf_reject(c, offset, "frame has more than max_stack %u", c->max_stack);
    }
    return CF_OK;
}

// The strict fields that are not set yet, then the type of the frame proper.
static unsigned check_early_larval(struct frame_check *f) {
    struct cf_checker *c = f->c;
    if (c->cls->major_version < 69)
        cf_reject(c, c->r.pos - 1, "frame type %u in a class of an older version",
                  FRAME_EARLY_LARVAL);
    uint32_t count = cf_u2(&c->r);
    for (uint32_t i = 0; i < count && c->error->status == CF_OK; i++) {
        uint32_t offset = c->r.pos;
        unsigned index = cf_check_index(c, CF_TAG_NAME_AND_TYPE);
        if (c->error->status) break;
        const struct cf_utf8_facts *name, *descriptor;
        cf_reference_facts(c, index, &name, &descriptor);
        if (!(descriptor->flags & CF_FACT_FIELD))
            cf_reject(c, offset, "NameAndType %u is not that of a field", index);
    }
    return cf_u1(&c->r);
}

static enum cf_status check_position(struct frame_check *f, uint32_t offset, uint32_t delta) {
    struct cf_checker *c = f->c;
    CF_TRY(c->error->status);
    f->pc += (int64_t)delta + 1; // the first frame stands at delta itself: -1 + delta + 1
    if (f->pc < c->code_length && (c->marks[f->pc] & CF_CHECK_START)) return CF_OK;
    return cf_reject(c, offset, "frame at pc %u, which is no instruction", (uint32_t)f->pc);
}

static enum cf_status check_full_frame(struct frame_check *f) {
    f->locals_count = f->locals_slots = 0;
    CF_TRY(add_locals(f, cf_u2(&f->c->r)));
    return check_stack(f, cf_u2(&f->c->r));
}

static enum cf_status check_frame(struct frame_check *f) {
    struct cf_checker *c = f->c;
    uint32_t offset = c->r.pos;
    unsigned type = cf_u1(&c->r);
    if (type == FRAME_EARLY_LARVAL) type = check_early_larval(f);
    CF_TRY(c->error->status);
    if (type <= FRAME_SAME_LAST) return check_position(f, offset, type);
    if (type <= FRAME_SAME_1_LAST) {
        CF_TRY(check_position(f, offset, type - FRAME_SAME_LAST - 1));
        return check_stack(f, 1);
    }
    if (type < FRAME_SAME_1_EXTENDED) return cf_reject(c, offset, "frame type %u", type);
    CF_TRY(check_position(f, offset, cf_u2(&c->r)));
    if (type == FRAME_SAME_1_EXTENDED) return check_stack(f, 1);
    if (type < FRAME_SAME_EXTENDED) return chop_locals(f, FRAME_SAME_EXTENDED - type);
    if (type <= FRAME_APPEND_LAST) return add_locals(f, type - FRAME_SAME_EXTENDED);
    return check_full_frame(f);
}

// The locals at pc 0: `this` and the parameters (JVMS 4.10.1.6). The code was found to have room
// for them.
static void set_initial_locals(struct frame_check *f) {
    struct cf_checker *c = f->c;
    const struct cf_utf8_facts *descriptor =
        cf_facts(c, c->member->descriptor_index, CF_KNOWN_DESCRIPTOR);
    if (!(c->member->access_flags & CF_ACC_STATIC)) c->local_slots[f->locals_count++] = 1;
    f->locals_slots = f->locals_count + descriptor->slots;
    for (unsigned i = 0; i < descriptor->parameters_count; i++)
        c->local_slots[f->locals_count++] = descriptor->parameters[i];
}

enum cf_status cf_check_stack_map_table(struct cf_checker *c) {
    struct frame_check f = {.c = c, .pc = -1};
    set_initial_locals(&f);
    uint32_t count = cf_u2(&c->r);
    for (uint32_t i = 0; i < count; i++) CF_TRY(check_frame(&f));
    return c->error->status;
}

// The verifier's instructions (JVMS 4.10.1.9): what each takes from the operand stack and the
// locals, and what it puts there. The same for both ways of verification.

#include "classfile/verify/internal.h"

// --- what is not there ---

cf_vtype *cf_v_bad_top(struct cf_verifier *v, const cf_vtype *top, const char *reason) {
    if (top[-1] == CF_V_NOTHING) return cf_v_fail(v, "operand stack is empty", 0), NULL;
    return cf_v_mismatch(v, reason, top[-1], CF_V_NOTHING), NULL;
}

cf_vtype *cf_v_bad_stack(struct cf_verifier *v, const cf_vtype *top, cf_vtype needed) {
    if (top[-1] == CF_V_NOTHING) return cf_v_fail(v, "operand stack is empty", 0), NULL;
    return cf_v_mismatch(v, "operand stack", top[-1], needed), NULL;
}

// Values of two slots, or parts of them.
CF_SELDOM static cf_vtype *bad_sizes(struct cf_verifier *v, const cf_vtype *top) {
    return cf_v_bad_top(v, top, "operand stack does not hold values of the sizes that are moved");
}

CF_SELDOM static cf_vtype *bad_array(struct cf_verifier *v, const cf_vtype *top) {
    return cf_v_bad_top(v, top, "operand stack does not hold the array that is needed");
}

CF_SELDOM static cf_vtype *fail(struct cf_verifier *v, const char *reason, uint32_t value) {
    return cf_v_fail(v, reason, value), NULL;
}

// NULL is needed where any reference is.
CF_SELDOM static cf_vtype *bad_local(struct cf_verifier *v, uint32_t index, cf_vtype needed) {
    int reference = needed == CF_V_NULL;
    if (!cf_v_is_local(v, index)) return fail(v, "local variable %u is above max_locals", index);
    cf_v_mismatch(v, reference ? "local variable %u holds no reference" : "local variable %u",
                  v->locals[index], reference ? CF_V_NOTHING : needed);
    v->failure->error.value = index;
    return NULL;
}

CF_SELDOM static int is_too_high(struct cf_verifier *v, const cf_vtype *top) {
    uint32_t most = cf_v_is_new(v) ? v->code.max_stack : v->old_stack;
    if ((uint32_t)(top - v->stack) - CF_V_SLACK <= most) return 0;
    cf_v_fail(v, "operand stack passes max_stack %u", most);
    return 1;
}

// --- locals ---

// What the table asks of a local, or of the top of the stack; NULL: any reference.
static cf_vtype needed_by(const struct cf_vrow *row) {
    uint32_t tag = row->needed & 0xFF, is_half = row->under == -2;
    return tag == CF_V_UNINITIALIZED ? CF_V_NULL : tag - is_half * (CF_V_LONG_2 - CF_V_LONG);
}

// A load of a local that does not hold what is needed, or is not there.
CF_SELDOM static cf_vtype *bad_load(struct cf_verifier *v, const struct cf_vrow *row,
                                    uint32_t index) {
    return bad_local(v, index, needed_by(row));
}

// Only astore takes return addresses. `last` is the last local that is set.
CF_SELDOM static int may_store(struct cf_verifier *v, const struct cf_vrow *row, uint32_t last,
                               const cf_vtype *top) {
    cf_vtype needed = needed_by(row);
    if (!cf_v_is_local(v, last)) return bad_local(v, last, needed), 0;
    if (needed == CF_V_NULL && CF_V_TAG(top[-1]) == CF_V_RETURN_ADDRESS) return 1;
    if (needed != CF_V_NULL) return cf_v_bad_stack(v, top, needed), 0;
    return cf_v_bad_top(v, top, "operand stack holds no reference"), 0;
}

static inline cf_vtype *store(struct cf_verifier *v, const struct cf_vrow *row, uint32_t index,
                              cf_vtype *top) {
    uint32_t two = row->under == -2;
    cf_vtype last = top[-1];
    if ((((uint8_t)(last ^ row->needed) & (uint8_t)row->mask) || !cf_v_is_local(v, index + two)) &&
        !may_store(v, row, index + two, top))
        return NULL;
    cf_v_set_local(v, index, two ? last - (CF_V_LONG_2 - CF_V_LONG) : last);
    if (two) cf_v_set_local(v, index + 1, last);
    return top + row->under;
}

CF_SELDOM static cf_vtype *wide(struct cf_verifier *v, const uint8_t *p, cf_vtype *top) {
    const struct cf_vrow *row = &cf_v_rows[p[1]];
    uint32_t index = cf_be2(p + 2);
    if (p[1] == CF_OP_ret) return fail(v, CF_V_NO_SUBROUTINES, 0);
    if (row->operand != 0xFF || (row->kind != CF_V_LOAD && row->kind != CF_V_STORE))
        return fail(v, "unknown opcode %u behind wide", p[1]);
    if (row->kind == CF_V_STORE) return store(v, row, index, top);
    if (!cf_v_is_local(v, index) || (uint8_t)(v->locals[index] ^ row->needed) & (uint8_t)row->mask)
        return bad_load(v, row, index);
    top[0] = v->locals[index];
    top[1] = row->second;
    return top + row->net;
}

// --- constants, arrays ---

CF_SELDOM static cf_vtype *load_constant(struct cf_verifier *v, const uint8_t *p, cf_vtype *top) {
    static const uint8_t types[32] = {
        [CF_TAG_INTEGER] = CF_V_INT,
        [CF_TAG_FLOAT] = CF_V_FLOAT,
        [CF_TAG_LONG] = CF_V_LONG,
        [CF_TAG_DOUBLE] = CF_V_DOUBLE,
        [CF_TAG_STRING] = CF_V_CLASS + CF_KNOWN_STRING,
        [CF_TAG_CLASS] = CF_V_CLASS + CF_KNOWN_CLASS_CLASS,
        [CF_TAG_METHOD_HANDLE] = CF_V_CLASS + CF_KNOWN_METHOD_HANDLE,
        [CF_TAG_METHOD_TYPE] = CF_V_CLASS + CF_KNOWN_METHOD_TYPE,
    };
    uint32_t index = *p == CF_OP_ldc ? p[1] : cf_be2(p + 1);
    if (!cf_v_is_constant(v, index)) return NULL;
    unsigned tag = cf_tag_at(v->cls, index);
    cf_vtype type = types[tag & 31];
    if (tag == CF_TAG_DYNAMIC && !(type = cf_v_dynamic(v, index))) return NULL;
    if (!type) return fail(v, "constant %u cannot be loaded", index);
    if (tag == CF_TAG_CLASS && v->cls->major_version < 49)
        return fail(v, "class constant %u cannot be loaded", index);
    if ((type == CF_V_LONG || type == CF_V_DOUBLE) != (*p == CF_OP_ldc2_w))
        return fail(v, "constant %u has not the size that is loaded", index);
    return cf_v_put(top, type);
}

// iaload to saload, and the stores, in their order, of which the fifth is for references.
static const uint8_t letters[] = "IJFD.BCS";
static const uint8_t elements[8] = {CF_V_INT,     CF_V_LONG, CF_V_FLOAT, CF_V_DOUBLE,
                                    CF_V_NOTHING, CF_V_INT,  CF_V_INT,   CF_V_INT};

static int is_array(cf_vtype type, unsigned which) {
    return type == CF_V_ARRAY_OF(1, letters[which]) || type == CF_V_NULL ||
           (which == CF_OP_baload - CF_OP_iaload && type == CF_V_ARRAY_OF(1, 'Z'));
}

static int is_array_of_references(cf_vtype type) {
    return type == CF_V_NULL ||
           (CF_V_TAG(type) == CF_V_ARRAY &&
            (CF_V_DIMENSIONS(type) > 1 || !CF_V_IS_LETTER(CF_V_ELEMENT(type))));
}

CF_SELDOM static cf_vtype *array_load(struct cf_verifier *v, unsigned op, cf_vtype *top) {
    unsigned which = op - CF_OP_iaload;
    if (top[-1] != CF_V_INT) return cf_v_bad_stack(v, top, CF_V_INT);
    if (!is_array(top[-2], which)) return bad_array(v, top - 1);
    return cf_v_put(top - 2, elements[which]);
}

CF_SELDOM static cf_vtype *array_store(struct cf_verifier *v, unsigned op, cf_vtype *top) {
    unsigned which = op - CF_OP_iastore;
    cf_vtype type = elements[which];
    int two = type == CF_V_LONG || type == CF_V_DOUBLE;
    if (two) type += CF_V_LONG_2 - CF_V_LONG;
    if (top[-1] != type) return cf_v_bad_stack(v, top, type);
    top -= 1 + two;
    if (top[-1] != CF_V_INT) return cf_v_bad_stack(v, top, CF_V_INT);
    return is_array(top[-2], which) ? top - 2 : bad_array(v, top - 1);
}

CF_SELDOM static cf_vtype *reference_load(struct cf_verifier *v, cf_vtype *top) {
    if (top[-1] != CF_V_INT) return cf_v_bad_stack(v, top, CF_V_INT);
    if (!is_array_of_references(top[-2])) return bad_array(v, top - 1);
    if (top[-2] != CF_V_NULL) top[-2] = cf_v_component(top[-2]);
    return top - 1;
}

CF_SELDOM static cf_vtype *reference_store(struct cf_verifier *v, cf_vtype *top) {
    if (CF_V_TAG(top[-1]) < CF_V_NULL)
        return cf_v_bad_top(v, top, "operand stack holds no initialized reference");
    if (top[-2] != CF_V_INT) return cf_v_bad_stack(v, top - 1, CF_V_INT);
    return is_array_of_references(top[-3]) ? top - 3 : bad_array(v, top - 2);
}

static cf_vtype *array_length(struct cf_verifier *v, cf_vtype *top) {
    if (CF_V_TAG(top[-1]) != CF_V_ARRAY && top[-1] != CF_V_NULL) return bad_array(v, top);
    top[-1] = CF_V_INT;
    return top;
}

// --- creation, casts ---

static cf_vtype class_operand(struct cf_verifier *v, const uint8_t *p) {
    uint32_t index = cf_be2(p + 1);
    return cf_v_is_constant(v, index) ? cf_v_class(v, index) : CF_V_TOP;
}

CF_SELDOM static cf_vtype *new_object(struct cf_verifier *v, const uint8_t *p, cf_vtype *top) {
    cf_vtype type = class_operand(v, p);
    if (!type) return NULL;
    if (!CF_V_IS_CLASS(type)) return fail(v, "new of an array", 0);
    *top = CF_V_MAKE(CF_V_UNINITIALIZED, v->pc);
    return top + 1;
}

// In place of its length.
static cf_vtype *put_array(struct cf_verifier *v, cf_vtype type, cf_vtype *top) {
    if (top[-1] != CF_V_INT) return cf_v_bad_stack(v, top, CF_V_INT);
    top[-1] = type;
    return top;
}

CF_SELDOM static cf_vtype *new_primitives(struct cf_verifier *v, const uint8_t *p, cf_vtype *top) {
    static const char types[] = "ZCFDBSIJ"; // T_BOOLEAN is 4
    if (p[1] < 4 || p[1] > 11) return fail(v, "newarray of type %u", p[1]);
    return put_array(v, CF_V_ARRAY_OF(1, (unsigned)types[p[1] - 4]), top);
}

CF_SELDOM static cf_vtype *new_references(struct cf_verifier *v, const uint8_t *p, cf_vtype *top) {
    cf_vtype type = class_operand(v, p);
    unsigned dimensions = 0, element = CF_V_TAG(type) - CF_V_CLASS;
    if (!type) return NULL;
    if (!CF_V_IS_CLASS(type)) {
        dimensions = CF_V_DIMENSIONS(type);
        element = CF_V_ELEMENT(type);
    }
    if (dimensions == 255) return fail(v, "array of 256 dimensions", 0);
    return put_array(v, CF_V_ARRAY_OF(dimensions + 1, element) | CF_V_NAME(type), top);
}

CF_SELDOM static cf_vtype *new_arrays(struct cf_verifier *v, const uint8_t *p, cf_vtype *top) {
    cf_vtype type = class_operand(v, p);
    unsigned dimensions = p[3];
    if (!type) return NULL;
    if (dimensions == 0 || CF_V_IS_CLASS(type) || dimensions > CF_V_DIMENSIONS(type))
        return fail(v, "multianewarray of %u dimensions", dimensions);
    for (; dimensions > 1; dimensions--, top--)
        if (top[-1] != CF_V_INT) return cf_v_bad_stack(v, top, CF_V_INT);
    return put_array(v, type, top);
}

CF_SELDOM static cf_vtype *check_cast(struct cf_verifier *v, const uint8_t *p, cf_vtype *top) {
    cf_vtype type = class_operand(v, p);
    if (!type) return NULL;
    if (CF_V_TAG(top[-1]) < CF_V_NULL)
        return cf_v_bad_top(v, top, "operand stack holds no initialized reference");
    top[-1] = *p == CF_OP_checkcast ? type : CF_V_INT;
    return top;
}

// --- moving on the stack ---

// Copies the `count` slots on top to below the `under` slots under them.
static inline cf_vtype *copy(struct cf_verifier *v, cf_vtype *top, int count, int under) {
    const cf_vtype *below = top - count;
    if (count == 1 ? !cf_v_is_single(top[-1]) : !cf_v_is_pair(top)) return bad_sizes(v, top);
    if (under && (under == 1 ? !cf_v_is_single(below[-1]) : !cf_v_is_pair(below)))
        return bad_sizes(v, top);
    for (int i = 1; i <= count + under; i++) top[count - i] = top[-i];
    for (int i = 1; i <= count; i++) top[-under - i] = top[count - i];
    return top + count;
}

CF_SELDOM static cf_vtype *swap(struct cf_verifier *v, cf_vtype *top) {
    cf_vtype type = top[-1];
    if (!cf_v_is_single(type) || !cf_v_is_single(top[-2])) return bad_sizes(v, top);
    top[-1] = top[-2];
    top[-2] = type;
    return top;
}

// --- all of them ---

// Mostly the constant was met before, and the words are equal.
static inline cf_vtype *use_member(struct cf_verifier *v, const struct cf_vrow *row,
                                   const uint8_t *p, cf_vtype *top) {
    uint32_t index = cf_be2(p + 1);
    if (index >= v->old_constants &&
        (!cf_v_is_known_new(v) || index >= v->cls->constant_pool_count))
        return cf_v_use_member(v, row, p, top);
    cf_vmemo memo = v->memo[index];
    if ((memo & CF_V_KINDS) != CF_V_IS_MEMBER) return cf_v_use_member(v, row, p, top);
    const struct cf_vmember *m = (const struct cf_vmember *)(uintptr_t)(memo - CF_V_IS_MEMBER);
    uint64_t object = (uint64_t)-row->under, n = (m->arguments & row->operand) + object;
    if (!(m->simple & CF_V_BIT(*p)) || (uint64_t)(top - v->stack) < n + CF_V_SLACK)
        return cf_v_use_member(v, row, p, top);
    const cf_vtype *needed = m->types + 1 - object;
    for (const cf_vtype *at = top - n; at < top; at++, needed++)
        if ((*at ^ *needed) & v->compared) return cf_v_use_member(v, row, p, top);
    top -= n;
    return row->second ? cf_v_put_result(m, top) : top;
}

// Of a row of the table that takes something from the stack: which operand is not there?
CF_SELDOM static cf_vtype *bad_step(struct cf_verifier *v, const struct cf_vrow *row,
                                    const cf_vtype *top) {
    uint32_t mask = row->mask >> 8 & 0xFF, needed = row->needed >> 8 & 0xFF;
    if (!((top[-1] ^ needed) & mask)) {
        top -= (row->mask >> 24) - 1;
        mask = row->mask >> 16 & 0xFF;
        needed = row->needed >> 16 & 0xFF;
    }
    return mask == 0xFF ? cf_v_bad_stack(v, top, needed)
                        : cf_v_bad_top(v, top, "operand stack holds no reference");
}

static inline cf_vtype *step(struct cf_verifier *v, const struct cf_vrow *row, cf_vtype *top) {
    cf_vtype pushed = v->locals[row->from]; // a constant
    uint32_t there =
        (uint32_t)((top[-1] & 0xFF) << 8 | (top[-(int)(row->mask >> 24)] & 0xFF) << 16);
    if ((there ^ row->needed) & row->mask & 0xFFFF00) return bad_step(v, row, top);
    top[row->under] = pushed;
    top[row->under + 1] = row->second;
    return top + row->net;
}

CF_SELDOM static cf_vtype *run_own(struct cf_verifier *v, const struct cf_vrow *row,
                                   const uint8_t *p, cf_vtype *top) {
    switch (row->kind) {
    case CF_V_WIDE: return wide(v, p, top);
    case CF_V_ARRAY_LOAD: return array_load(v, *p, top);
    case CF_V_ARRAY_STORE: return array_store(v, *p, top);
    case CF_V_REFERENCE_LOAD: return reference_load(v, top);
    case CF_V_REFERENCE_STORE: return reference_store(v, top);
    case CF_V_ARRAY_LENGTH: return array_length(v, top);
    case CF_V_POP: return cf_v_is_single(top[-1]) ? top - 1 : bad_sizes(v, top);
    case CF_V_POP2: return cf_v_is_pair(top) ? top - 2 : bad_sizes(v, top);
    case CF_V_DUP: return copy(v, top, 1, 0);
    case CF_V_COPY: return copy(v, top, row->operand, row->second);
    case CF_V_SWAP: return swap(v, top);
    case CF_V_NEW: return new_object(v, p, top);
    case CF_V_NEW_ARRAY: return new_primitives(v, p, top);
    case CF_V_NEW_REFERENCES: return new_references(v, p, top);
    case CF_V_NEW_ARRAYS: return new_arrays(v, p, top);
    case CF_V_CHECK_CAST: return check_cast(v, p, top);
    default: return fail(v, "unknown opcode %u", *p);
    }
}

// This is the loop that all the time goes into: it shall have its values in registers, so what is
// rare is called.
cf_vtype *cf_v_run(struct cf_verifier *v, cf_vtype *top, uint64_t stop, int *falls) {
    const uint8_t *code = v->code.bytes;
    uint8_t *marks = v->marks;
    const cf_vtype *locals = v->locals, *limit = v->stack + CF_V_SLACK + v->old_stack;
    uint64_t pc = v->pc;
    do {
        const uint8_t *p = code + pc;
        const struct cf_vrow *row = &cf_v_rows[*p];
        marks[pc] = CF_V_START;
        v->pc = (uint32_t)pc;
        pc += row->length;
        if (row->kind == CF_V_LOAD) { // many are
            int64_t local = row->from + (int64_t)(p[1] & row->operand);
            cf_vtype pushed = locals[local];
            if ((local >= v->old_locals && !cf_v_is_local(v, (uint32_t)local)) ||
                ((uint8_t)(pushed ^ row->needed) & (uint8_t)row->mask))
                return bad_load(v, row, (uint32_t)local);
            top[0] = pushed;
            top[1] = row->second;
            top += row->net;
        } else if (row->kind == CF_V_MEMBER) {
            if (!(top = use_member(v, row, p, top))) return NULL;
        } else if (row->kind == CF_V_PUSH) {
            top[0] = locals[row->from]; // a constant
            top[1] = row->second;
            top += row->net;
        } else if (row->kind >= CF_V_STEP) {
            if (!(top = step(v, row, top))) return NULL;
            if (row->kind > CF_V_STEP && (*falls = cf_v_leave(v, row, top)) <= 0)
                return *falls < 0 ? NULL : top;
        } else if (row->kind == CF_V_STORE) {
            if (!(top = store(v, row, (uint32_t)row->from + (p[1] & row->operand), top)))
                return NULL;
            if (v->unmatched) stop = 0;
        } else {
            top = row->kind == CF_V_LDC              ? load_constant(v, p, top)
                  : row->kind >= CF_V_INVOKE_SPECIAL ? cf_v_use_member(v, row, p, top)
                                                     : run_own(v, row, p, top);
            if (!top) return NULL;
            if (row->kind == CF_V_WIDE) pc += p[1] == CF_OP_iinc ? 6 : 4;
            if (v->unmatched && row->kind >= CF_V_STORE) stop = 0;
        }
        if (top > limit && is_too_high(v, top)) return NULL;
    } while (pc < stop);
    v->pc = (uint32_t)pc;
    return top;
}

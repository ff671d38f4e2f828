// stress: a pass for tests only, which uses every feature of the editor, in every method, and
// changes nothing that a program can observe. Whole JDKs that verify and run under it are the
// editor's proof. A hash of the method and the instruction selects the snippets at each place, so
// that every run is the same.

#include "rewriters/common.h"

struct method {
    struct cf_edit *edit;
    uint32_t counter, wide, text; // live locals: an int, a long, a String
    uint32_t seed;
};

static uint32_t draw(const struct method *m, uint32_t i) {
    uint32_t h = (m->seed ^ (i * 0x9E3779B9u)) * 0x85EBCA6Bu;
    return (h ^ (h >> 13)) * 0xC2B2AE35u >> 8;
}

static uint32_t seed_of(const struct cf_edit *edit) {
    struct cf_slice name = cf_member_name(edit->code.cls, edit->method);
    uint32_t h = edit->code.length;
    for (uint32_t i = 0; i < name.length; i++) h = h * 31 + name.bytes[i];
    return h;
}

static const struct cf_snippet *count(const struct method *m) {
    struct cf_snippet *s = cf_snippet_new(m->edit);
    cf_increment(s, m->counter, 1);
    return s;
}

// if (counter == 0) { counter += 1000; long local read and written }
static const struct cf_snippet *branch(const struct method *m) {
    struct cf_snippet *s = cf_snippet_new(m->edit);
    uint32_t skip = cf_label(s);
    cf_local(s, CF_OP_iload, m->counter);
    cf_branch_to(s, CF_OP_ifne, skip);
    cf_increment(s, m->counter, 1000);
    cf_local(s, CF_OP_lload, m->wide);
    cf_op(s, CF_OP_lconst_1);
    cf_op(s, CF_OP_ladd);
    cf_local(s, CF_OP_lstore, m->wide);
    cf_place(s, skip);
    return s;
}

// A loop that counts down, with two labels and a value on the stack between them.
static const struct cf_snippet *loop(const struct method *m) {
    struct cf_snippet *s = cf_snippet_new(m->edit);
    uint32_t again = cf_label(s), done = cf_label(s);
    cf_push_int(s, 2);
    cf_place(s, again);
    cf_op(s, CF_OP_dup);
    cf_branch_to(s, CF_OP_ifeq, done);
    cf_op(s, CF_OP_iconst_1);
    cf_op(s, CF_OP_isub);
    cf_branch_to(s, CF_OP_goto, again);
    cf_place(s, done);
    cf_op(s, CF_OP_pop);
    return s;
}

// An object created and dropped: new, dup, <init>.
static const struct cf_snippet *object(const struct method *m) {
    struct cf_snippet *s = cf_snippet_new(m->edit);
    struct cf_pool *pool = &m->edit->rewrite->pool;
    cf_op_constant(s, CF_OP_new, cf_add_class(pool, "java/lang/Object", 16), 0, 1);
    cf_op(s, CF_OP_dup);
    cf_op_constant(s, CF_OP_invokespecial,
                   cf_add_reference(pool, CF_TAG_METHODREF, "java/lang/Object", "<init>", "()V"), 1,
                   0);
    cf_op(s, CF_OP_pop);
    return s;
}

// if (counter < -1) try { 1 / 0 } catch (any) { }
static const struct cf_snippet *handler(const struct method *m) {
    struct cf_snippet *s = cf_snippet_new(m->edit);
    uint32_t start = cf_label(s), end = cf_label(s), caught = cf_label(s), done = cf_label(s);
    cf_handler(s, start, end, caught, 0);
    cf_local(s, CF_OP_iload, m->counter);
    cf_op(s, CF_OP_iconst_1);
    cf_op(s, CF_OP_iadd);
    cf_branch_to(s, CF_OP_ifge, done);
    cf_place(s, start);
    cf_op(s, CF_OP_iconst_1);
    cf_op(s, CF_OP_iconst_0);
    cf_op(s, CF_OP_idiv);
    cf_op(s, CF_OP_pop);
    cf_place(s, end);
    cf_branch_to(s, CF_OP_goto, done);
    cf_place(s, caught);
    cf_op(s, CF_OP_pop);
    cf_place(s, done);
    return s;
}

static const struct cf_snippet *entry(struct method *m) {
    struct cf_snippet *s = cf_snippet_new(m->edit);
    m->counter = cf_new_local(m->edit, "I", 1);
    cf_new_local(m->edit, "D", 0); // never used: a gap between live locals
    m->wide = cf_new_local(m->edit, "J", 1);
    m->text = cf_new_local(m->edit, "Ljava/lang/String;", 1);
    cf_push_int(s, (int32_t)(m->seed % 3));
    cf_local(s, CF_OP_istore, m->counter);
    cf_push_constant(s, cf_add_long(&m->edit->rewrite->pool, 1234567890123));
    cf_local(s, CF_OP_lstore, m->wide);
    cf_push_constant(s, cf_add_string(&m->edit->rewrite->pool, "stress", 6));
    cf_local(s, CF_OP_astore, m->text);
    return s;
}

static void push_result(const struct method *m, struct cf_snippet *s) {
    struct cf_slice d = cf_member_descriptor(m->edit->code.cls, m->edit->method);
    const uint8_t *close = d.bytes ? memchr(d.bytes, ')', d.length) : NULL;
    switch (close ? close[1] : 'V') {
    case 'V': break;
    case 'J': cf_op(s, CF_OP_lconst_0); break;
    case 'F': cf_op(s, CF_OP_fconst_0); break;
    case 'D': cf_op(s, CF_OP_dconst_0); break;
    case 'L':
    case '[': cf_op(s, CF_OP_aconst_null); break;
    default: cf_op(s, CF_OP_iconst_0); break;
    }
}

// if (counter < 0) return 0
static void insert_early_return(const struct method *m) {
    struct cf_snippet *s = cf_snippet_new(m->edit);
    uint32_t go_on = cf_label(s);
    cf_local(s, CF_OP_iload, m->counter);
    cf_branch_to(s, CF_OP_ifge, go_on);
    push_result(m, s);
    cf_insert_early_return(m->edit, s, go_on);
}

static const struct cf_snippet *drawn(const struct method *m, uint32_t number) {
    switch (number % 4) {
    case 0: return branch(m);
    case 1: return loop(m);
    case 2: return object(m);
    default: return count(m);
    }
}

static void edges_of(const struct method *m, uint32_t i) {
    const struct cf_code *code = &m->edit->code;
    const uint8_t *p = code->bytes + code->pc[i];
    uint32_t pc = code->pc[i];
    if (p[0] == CF_OP_tableswitch || p[0] == CF_OP_lookupswitch) {
        struct cf_switch sw;
        cf_switch_open(code, pc, &sw);
        cf_insert_edge(m->edit, i, cf_code_index(code, sw.default_pc), drawn(m, i));
        if (sw.count && cf_switch_target(&sw, 0) != sw.default_pc)
            cf_insert_edge(m->edit, i, cf_code_index(code, cf_switch_target(&sw, 0)), count(m));
    } else if (cf_opcodes[p[0]].operands == CF_BRANCH2 && p[0] != CF_OP_jsr) {
        uint32_t target = (uint16_t)(pc + cf_be2(p + 1));
        cf_insert_edge(m->edit, i, cf_code_index(code, target), drawn(m, i));
    }
}

// The same in another form: a constant pushed differently, a jump within the snippet.
static void replace(const struct method *m, uint32_t i) {
    const struct cf_code *code = &m->edit->code;
    const uint8_t *p = code->bytes + code->pc[i];
    struct cf_snippet *s = cf_snippet_new(m->edit);
    if (p[0] >= CF_OP_iconst_m1 && p[0] <= CF_OP_iconst_5) {
        cf_push_int(s, (int32_t)p[0] - CF_OP_iconst_0 + 1);
        cf_op(s, CF_OP_iconst_1);
        cf_op(s, CF_OP_isub);
        cf_replace(m->edit, i, s);
    } else if (p[0] == CF_OP_goto) {
        cf_branch_to_original(s, CF_OP_goto,
                              cf_code_index(code, (uint16_t)(code->pc[i] + cf_be2(p + 1))));
        cf_replace(m->edit, i, s);
    } else if (p[0] == CF_OP_ifeq || p[0] == CF_OP_ifne || p[0] == CF_OP_ifnull) {
        cf_branch_to_original(s, (enum cf_opcode)p[0],
                              cf_code_index(code, (uint16_t)(code->pc[i] + cf_be2(p + 1))));
        cf_replace(m->edit, i, s);
    }
}

static void edit_instruction(const struct method *m, uint32_t i) {
    uint32_t number = draw(m, i);
    unsigned op = m->edit->code.bytes[m->edit->code.pc[i]];
    switch (number % 11) {
    case 0: cf_insert_before(m->edit, i, drawn(m, number / 11)); break;
    case 1:
        if (!cf_never_falls_through(op)) cf_insert_after(m->edit, i, drawn(m, number / 11));
        break;
    case 2:
    case 3: edges_of(m, i); break;
    case 4: replace(m, i); break;
    default: break;
    }
}

static enum cf_status edit_method(struct rw_class *cls, struct cf_edit *edit) {
    struct method m = {.edit = edit, .seed = seed_of(edit)};
    (void)cls;
    if (rw_leave_alone(edit)) return CF_OK;
    // HotSpot's C2 crashes on an exception table in java.lang.Object.<init> (JDK 17 and 25).
    if (CF_IS(cf_this_name(edit->code.cls), "java/lang/Object")) return CF_OK;
    CF_TRY(cf_edit_constructor(edit));
    cf_insert_entry(edit, entry(&m));
    cf_insert_entry(edit, handler(&m));
    if (!edit->constructor) insert_early_return(&m);
    cf_insert_constructed(edit, branch(&m));
    for (uint32_t i = 0; i < edit->code.count; i++) edit_instruction(&m, i);
    cf_insert_exits(edit, m.seed % 2 ? branch(&m) : count(&m));
    cf_insert_thrown(edit, m.seed % 3 ? count(&m) : loop(&m));
    cf_insert_thrown_early(edit, branch(&m));
    return edit->error.status;
}

const struct rw_pass rw_pass_stress = {
    .name = "stress",
    .help = "uses all that the editor offers and changes nothing (for tests)",
    .runtime_class = "InstrCalls",
    .edit = edit_method,
};

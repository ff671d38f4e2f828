// Probes that need no code: which ones, and that what follows from the others is what happened, on
// random ways through random code.

#include "rewriters/derived.h"
#include "tests/unit/assembler.h"
#include "tests/unit/run.h"

#include <stdio.h>

static struct cf_arena arena;
static struct cf_class cls;
static struct cf_code code;
static struct cf_error error;
static struct rw_probes probes;
static struct rw_implications derived;
static uint8_t *bytes;

static void set_up(void) {
    cf_arena_init(&arena);
    memset(&error, 0, sizeof error);
    memset(&derived, 0, sizeof derived);
    bytes = NULL;
}

static void tear_down(void) {
    free(bytes);
    cf_arena_free(&arena);
}

struct range {
    unsigned start, end, handler;
};

// Class A with one method, its code given by what makes it once the constants are known.
static void begin(struct build *b, unsigned flags, struct assembler_name names[8]) {
    build_class_file(b, 52, CF_ACC_PUBLIC, "A");
    names[0] =
        (struct assembler_name){"call", build_reference(b, CF_TAG_METHODREF, "A", "g", "()V")};
    names[1] = (struct assembler_name){"own", build_reference(b, CF_TAG_FIELDREF, "A", "x", "I")};
    names[2] = (struct assembler_name){"other", build_reference(b, CF_TAG_FIELDREF, "B", "x", "I")};
    names[3] = (struct assembler_name){"text", build_named(b, CF_TAG_STRING, "text")};
    names[4] = (struct assembler_name){"number", build_constant(b, CF_TAG_INTEGER, 7, 4)};
    names[5] = (struct assembler_name){"class", build_class(b, "B")};
    names[6] = (struct assembler_name){NULL, 0};
    build_u2(b, 0);
    build_u2(b, 1);
    build_member(b, flags, "f", "(I)V", 1);
}

static void finish(struct build *b, const uint8_t *code_bytes, size_t size,
                   const struct range *ranges, unsigned ranges_count) {
    size_t length, place = build_code(b, 4, 4, code_bytes, size);
    build_u2(b, ranges_count);
    for (unsigned i = 0; i < ranges_count; i++) {
        build_u2(b, ranges[i].start);
        build_u2(b, ranges[i].end);
        build_u2(b, ranges[i].handler);
        build_u2(b, 0);
    }
    build_u2(b, 0);
    build_end(b, place);
    build_u2(b, 0);
    bytes = build_finish(b, &length);
    ck_assert_int_eq(cf_class_open(&cls, bytes, length, &arena), CF_OK);
    ck_assert_int_eq(cf_code_open(&code, &cls, &cls.methods[0], &error), CF_OK);
    ck_assert_int_eq(cf_code_scan(&code, &error), CF_OK);
    ck_assert_int_eq(rw_find_probes(&code, NULL, &probes, &error), CF_OK);
    ck_assert_int_eq(rw_find_derived(&code, &probes, &derived, &error), CF_OK);
}

// --- which ones ---

static const struct {
    unsigned flags;
    const char *code;
    struct range range; // end 0: none
    const char *probes; // kind, instruction
    const char *derived;
} cases[] = {
    // A conditional's two ways meet before the return.
    {CF_ACC_STATIC,
     "iload_0 ifeq:A iconst_1 istore_0 goto:B A: iconst_2 istore_0 B: iload_0 pop return",
     {0, 0, 0},
     "J4 F7 E9",
     "2<1 2<0"},
    // What may throw comes between.
    {CF_ACC_STATIC,
     "iload_0 ifeq:A iinc:0:1 A: invokestatic:call return",
     {0, 0, 0},
     "J1 F3 E4",
     ""},
    {CF_ACC_STATIC,
     "iload_0 ifeq:A iinc:0:1 A: iload_0 iload_0 idiv pop return",
     {0, 0, 0},
     "J1 F3 E7",
     ""},
    {CF_ACC_STATIC,
     "iload_0 ifeq:A iinc:0:1 A: iload_0 iload_0 imul pop return",
     {0, 0, 0},
     "J1 F3 E7",
     "2<1 2<0"},
    {CF_ACC_STATIC, "iload_0 ifeq:A iinc:0:1 A: ldc:text pop return", {0, 0, 0}, "J1 F3 E5", ""},
    {CF_ACC_STATIC,
     "iload_0 ifeq:A iinc:0:1 A: ldc:number pop return",
     {0, 0, 0},
     "J1 F3 E5",
     "2<1 2<0"},
    {CF_ACC_STATIC,
     "iload_0 ifeq:A iinc:0:1 A: aload_1 instanceof:class pop return",
     {0, 0, 0},
     "J1 F3 E6",
     ""},
    // A field of `this` can be read, as long as that is in local 0.
    {0,
     "iload_1 ifeq:A iinc:1:1 A: aload_0 getfield:own pop return",
     {0, 0, 0},
     "J1 F3 E6",
     "2<1 2<0"},
    {0, "iload_1 ifeq:A iinc:1:1 A: aload_0 getfield:other pop return", {0, 0, 0}, "J1 F3 E6", ""},
    {0,
     "iload_1 ifeq:A aload_2 astore_0 A: aload_0 getfield:own pop return",
     {0, 0, 0},
     "J1 F4 E7",
     ""},
    {0,
     "iload_1 ifeq:A aload_2 wide astore:0 A: aload_0 getfield:own pop return",
     {0, 0, 0},
     "J1 F4 E7",
     ""},
    {CF_ACC_STATIC,
     "iload_1 ifeq:A iinc:1:1 A: aload_0 getfield:own pop return",
     {0, 0, 0},
     "J1 F3 E6",
     ""},
    // The other way brings another object to the same instruction.
    {0,
     "iload_1 ifeq:A aload_2 goto:B A: aload_0 B: getfield:own pop return",
     {0, 0, 0},
     "J3 F5 E7",
     ""},
    // A way that branches off again does not follow from what came in.
    {CF_ACC_STATIC,
     "iload_0 ifeq:A iinc:0:1 A: iload_0 ifne:B return B: return",
     {0, 0, 0},
     "J1 F3 E5 E6",
     ""},
    // It is unknown how a handler was reached.
    {CF_ACC_STATIC,
     "iload_0 ifeq:A iinc:0:1 A: nop return pop return",
     {7, 8, 9},
     "J1 F3 E4 E6",
     "2<1 2<0"},
    {CF_ACC_STATIC, "iload_0 ifeq:A iinc:0:1 A: nop return", {0, 4, 7}, "J1 F3 E4", ""},
    // The start is come to by calls, too.
    {CF_ACC_STATIC, "S: iinc:0:-1 iload_0 ifne:S return", {0, 0, 0}, "J2 E3", ""},
    // A loop's way back, and the way on after jumps that nothing else leads to.
    {CF_ACC_STATIC,
     "nop L: iload_0 ifeq:X goto:M M: iinc:0:1 goto:L X: return",
     {0, 0, 0},
     "F1 J5 E6",
     ""},
    {CF_ACC_STATIC, "nop L: iinc:0:1 goto:M M: nop goto:L", {0, 0, 0}, "F1 J4", "1<0 1<1"},
    // A switch is one way to each of its places.
    {CF_ACC_STATIC,
     "iload_0 tableswitch:A:1:B B: iinc:0:1 A: nop return",
     {0, 0, 0},
     "J1 F3 E4",
     "2<1 2<0"},
    {CF_ACC_STATIC, "iload_0 tableswitch:A:1:A A: nop return", {0, 0, 0}, "E3", ""},
};

static void probes_text(char *text, size_t size) {
    static const char kinds[] = {
        [RW_PROBE_FALL] = 'F', [RW_PROBE_END] = 'E', [RW_PROBE_EDGE] = 'J'};
    size_t n = 0;
    text[0] = '\0';
    for (uint32_t i = 0; i < probes.count; i++)
        n += (size_t)snprintf(text + n, size - n, "%s%c%u", i ? " " : "",
                              kinds[probes.list[i].kind], probes.list[i].instruction);
}

static void derived_text(char *text, size_t size) {
    size_t n = 0;
    text[0] = '\0';
    for (uint32_t i = 0; i < derived.count; i++)
        n += (size_t)snprintf(text + n, size - n, "%s%u<%u", i ? " " : "", derived.list[i].probe,
                              derived.list[i].by);
}

START_TEST(probes_behind_a_join_are_derived) {
    struct assembler_name names[8];
    struct build b;
    char text[200];
    begin(&b, cases[_i].flags, names);
    struct assembler a = {.names = names};
    struct build_bytes assembled = assemble(&a, cases[_i].code);
    finish(&b, assembled.bytes, assembled.length, &cases[_i].range, cases[_i].range.end > 0);
    free(assembled.bytes);
    probes_text(text, sizeof text);
    ck_assert_msg(strcmp(text, cases[_i].probes) == 0, "%s: %s", cases[_i].code, text);
    derived_text(text, sizeof text);
    ck_assert_msg(strcmp(text, cases[_i].derived) == 0, "%s: %s", cases[_i].code, text);
}
END_TEST

// --- random ways through random code ---

enum { SLOTS = 24, SLOT = 3, WAYS = 300, MOST_STEPS = 400 };

static uint32_t state;

static uint32_t draw(uint32_t below) {
    state = state * 1664525 + 1013904223;
    return (state >> 8) % below;
}

// Instructions of three bytes each, padded with nop: jumps lead to any of them.
static void put_slot(struct build_bytes *to, unsigned slot, unsigned call) {
    unsigned target = draw(SLOTS);
    unsigned offset = (target - slot) * SLOT;
    switch (slot == SLOTS - 1 ? 0 : draw(8)) {
    case 0:
        build_append_number(to, CF_OP_return, 1);
        build_append_number(to, 0, 2);
        break;
    case 1:
        build_append_number(to, CF_OP_invokestatic, 1);
        build_append_number(to, call, 2);
        break;
    case 2:
    case 3:
        build_append_number(to, CF_OP_ifeq, 1);
        build_append_number(to, offset, 2);
        break;
    case 4:
        build_append_number(to, CF_OP_goto, 1);
        build_append_number(to, offset, 2);
        break;
    default: build_append_number(to, 0, 3);
    }
}

static void note(uint8_t *passed, enum rw_probe_kind kind, uint32_t from, uint32_t to) {
    for (uint32_t i = 0; i < probes.count; i++) {
        const struct rw_probe *p = &probes.list[i];
        if (p->kind == kind && p->instruction == from && (kind != RW_PROBE_EDGE || p->target == to))
            passed[i] = 1;
    }
}

static uint32_t index_at(uint32_t pc) {
    uint32_t i = 0;
    while (code.pc[i] != pc) i++;
    return i;
}

// Runs the code once; what throws goes to the handler, if it is covered.
static void run(uint8_t *passed) {
    uint32_t i = 0;
    for (unsigned step = 0; step < MOST_STEPS; step++) {
        unsigned op = code.bytes[code.pc[i]];
        if (op == CF_OP_return) {
            note(passed, RW_PROBE_END, i, 0);
            return;
        }
        if (op == CF_OP_invokestatic && draw(3) == 0) {
            struct cf_exception e = {0, 0, 0, 0};
            if (code.exception_table_length) e = cf_exception_at(&code, 0);
            if (code.pc[i] < e.start_pc || code.pc[i] >= e.end_pc) return;
            i = index_at(e.handler_pc);
            continue;
        }
        if (op == CF_OP_goto || (op == CF_OP_ifeq && draw(2))) {
            uint32_t target =
                index_at(code.pc[i] + (uint32_t)(int16_t)cf_be2(code.bytes + code.pc[i] + 1));
            note(passed, RW_PROBE_EDGE, i, target);
            i = target;
            continue;
        }
        i++;
        note(passed, RW_PROBE_FALL, i, 0);
    }
    // It was left in the midst of it: another time.
    memset(passed, 2, probes.count);
}

// What follows from the probes that have code.
static void follow(uint8_t *passed) {
    int more = 1;
    while (more) {
        more = 0;
        for (uint32_t i = 0; i < derived.count; i++)
            if (passed[derived.list[i].by] && !passed[derived.list[i].probe])
                passed[derived.list[i].probe] = 1, more = 1;
    }
}

START_TEST(what_follows_is_what_happened) {
    struct build b;
    struct assembler_name names[8];
    struct build_bytes made = {NULL, 0, 0};
    uint8_t passed[200], followed[200];
    state = (uint32_t)_i * 7919 + 1;
    begin(&b, CF_ACC_STATIC, names);
    for (unsigned slot = 0; slot < SLOTS; slot++) put_slot(&made, slot, names[0].index);
    build_append_number(&made, CF_OP_return, 1); // the end is not fallen off
    unsigned start = draw(SLOTS - 1), end = start + 1 + draw(SLOTS - 1 - start);
    struct range range = {start * SLOT, end * SLOT, draw(SLOTS) * SLOT};
    finish(&b, made.bytes, made.length, &range, draw(2));
    free(made.bytes);
    ck_assert_uint_lt(probes.count, sizeof passed);
    for (int way = 0; way < WAYS; way++) {
        memset(passed, 0, sizeof passed);
        run(passed);
        if (probes.count && passed[0] == 2) continue;
        memcpy(followed, passed, sizeof passed);
        for (uint32_t i = 0; i < derived.count; i++) followed[derived.list[i].probe] = 0;
        follow(followed);
        if (memcmp(followed, passed, sizeof passed) != 0) ck_abort_msg("way %d: other probes", way);
    }
}
END_TEST

int main(void) {
    Suite *suite = suite_create("derived");
    TCase *tcase = tcase_create("derived");
    tcase_add_checked_fixture(tcase, set_up, tear_down);
    tcase_add_loop_test(tcase, probes_behind_a_join_are_derived, 0,
                        (int)(sizeof cases / sizeof *cases));
    tcase_add_loop_test(tcase, what_follows_is_what_happened, 0, 200);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}

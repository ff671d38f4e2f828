// What handlers are for, and which athrow passes an exception on, as the pass exceptions sees it.

#include "rewriters/throws.h"
#include "tests/unit/assembler.h"
#include "tests/unit/run.h"
#include "tests/unit/subject.h"

#define MOST_RANGES 3

enum catches { ALL, THROWABLE, OTHER };

struct range {
    const char *start, *end, *handler; // labels
    enum catches catches;
};

struct expected {
    const char *name, *code;
    struct range ranges[MOST_RANGES]; // until start is NULL
    unsigned handlers[MOST_RANGES];   // what each range's handler is
    const char *again;                // for each athrow: y if it may throw again what was caught
};

#define PASSES (RW_HANDLER | RW_HANDLER_OF_ALL | RW_HANDLER_PASSES)

static const struct expected cases[] = {
    {"no handler", "aload_0 athrow", {{NULL, NULL, NULL, ALL}}, {0}, "n"},
    {"finally, by way of a local",
     "S: nop E: return H: astore_1 nop aload_1 athrow",
     {{"S", "E", "H", ALL}},
     {PASSES},
     "y"},
    {"synchronized: the handler covers itself",
     "S: nop E: return H: astore_1 aload_0 monitorexit M: aload_1 athrow",
     {{"S", "E", "H", ALL}, {"H", "M", "H", ALL}},
     {PASSES | RW_HANDLER_COVERS_ITSELF, PASSES | RW_HANDLER_COVERS_ITSELF},
     "y"},
    {"thrown again from the stack",
     "S: nop E: return H: nop athrow",
     {{"S", "E", "H", ALL}},
     {PASSES},
     "y"},
    {"beside an exception on the stack, one from a field, also cast, and one that a call returns",
     "S: nop E: return H: nop aload_0 ifnull:A aload_0 ifnull:B aload_0 ifnull:C getstatic:same "
     "athrow "
     "A: getstatic:same checkcast:Throwable athrow B: invokestatic:make athrow C: "
     "invokestatic:check athrow",
     {{"S", "E", "H", ALL}},
     {PASSES},
     "nnny"},
    {"code jumps to an athrow behind a field",
     "S: nop E: return H: nop aload_0 ifnull:T pop getstatic:same T: athrow",
     {{"S", "E", "H", ALL}},
     {PASSES},
     "y"},
    {"copied to another local, and cast",
     "S: nop E: return H: astore_1 aload_1 astore_2 aload_2 checkcast:Throwable athrow",
     {{"S", "E", "H", ALL}},
     {PASSES},
     "y"},
    {"another exception is thrown",
     "S: nop E: return H: astore_1 aload_0 athrow",
     {{"S", "E", "H", ALL}},
     {PASSES},
     "n"},
    {"a catch clause that throws again what it caught",
     "S: nop E: return H: astore_1 aload_1 athrow",
     {{"S", "E", "H", OTHER}},
     {RW_HANDLER},
     "n"},
    {"Throwable, passed on",
     "S: nop E: return H: astore_1 aload_1 athrow",
     {{"S", "E", "H", THROWABLE}},
     {RW_HANDLER | RW_HANDLER_PASSES},
     "y"},
    {"try with a resource",
     "S: nop E: return H: astore_1 R: aload_0 pop F: goto:T H2: astore_2 aload_1 aload_2 "
     "invokevirtual:addSuppressed T: aload_1 athrow",
     {{"S", "E", "H", THROWABLE}, {"R", "F", "H2", THROWABLE}},
     {RW_HANDLER | RW_HANDLER_PASSES, RW_HANDLER},
     "y"},
    {"Throwable, swallowed",
     "S: nop E: return H: astore_1 aload_0 pop return",
     {{"S", "E", "H", THROWABLE}},
     {RW_HANDLER},
     ""},
    {"Throwable, caught and another thrown",
     "S: nop E: return H: astore_1 aload_0 athrow",
     {{"S", "E", "H", THROWABLE}},
     {RW_HANDLER},
     "n"},
    {"one handler for all and for others is none that passes",
     "S: nop E: return H: astore_1 aload_1 athrow",
     {{"S", "E", "H", ALL}, {"S", "E", "H", OTHER}},
     {RW_HANDLER | RW_HANDLER_OF_ALL, RW_HANDLER | RW_HANDLER_OF_ALL},
     "n"},
    {"a handler that code jumps to",
     "S: nop E: aload_0 goto:H H: astore_1 aload_1 athrow",
     {{"S", "E", "H", ALL}},
     {PASSES | RW_HANDLER_JOINED},
     "y"},
    {"a handler that code runs into",
     "S: nop E: aload_0 H: astore_1 aload_1 athrow",
     {{"S", "E", "H", OTHER}},
     {RW_HANDLER | RW_HANDLER_JOINED},
     "n"},
    {"a handler that a switch leads to",
     "S: nop E: aload_0 iconst_0 tableswitch:H:5:H H: astore_1 aload_1 athrow",
     {{"S", "E", "H", ALL}},
     {PASSES | RW_HANDLER_JOINED},
     "y"},
};

static void build_ranges(struct build *b, const struct assembler *a, const struct range *ranges) {
    unsigned types[] = {0, build_class(b, "java/lang/Throwable"), build_class(b, "a/Other")};
    size_t place = build_counted(b, 0);
    for (unsigned i = 0; i < MOST_RANGES && ranges[i].start; i++) {
        build_more(b, place);
        build_u2(b, (unsigned)assembler_value(a, ranges[i].start));
        build_u2(b, (unsigned)assembler_value(a, ranges[i].end));
        build_u2(b, (unsigned)assembler_value(a, ranges[i].handler));
        build_u2(b, types[ranges[i].catches]);
    }
}

static void open_case(struct subject *s, struct assembler *a, const struct expected *c) {
    struct build b;
    struct assembler_name names[] = {{"addSuppressed", 0}, {"Throwable", 0}, {"same", 0},
                                     {"make", 0},          {"check", 0},     {NULL, 0}};
    build_class_file(&b, 49, CF_ACC_PUBLIC, "A");
    build_counted(&b, 0);
    build_counted(&b, 1);
    names[0].index = build_reference(&b, CF_TAG_METHODREF, "java/lang/Throwable", "addSuppressed",
                                     "(Ljava/lang/Throwable;)V");
    names[1].index = build_class(&b, "java/lang/Throwable");
    names[2].index = build_reference(&b, CF_TAG_FIELDREF, "A", "same", "La/Other;");
    names[3].index = build_reference(&b, CF_TAG_METHODREF, "A", "make", "()La/Other;");
    names[4].index = build_reference(&b, CF_TAG_METHODREF, "A", "check", "()V");
    a->names = names;
    struct build_bytes code = assemble(a, c->code);
    build_member(&b, CF_ACC_STATIC, "f", "(Ljava/lang/Throwable;)V", 1);
    size_t place = build_code(&b, 4, 4, code.bytes, code.length);
    free(code.bytes);
    build_ranges(&b, a, c->ranges);
    build_u2(&b, 0);
    build_end(&b, place);
    build_u2(&b, 0);
    open_subject(s, &b);
    begin(s, 0);
}

START_TEST(handlers_and_throws_are_distinguished) {
    const struct expected *c = &cases[_i];
    struct assembler a = {0};
    struct subject s;
    struct rw_throws throws;
    open_case(&s, &a, c);
    ck_assert_int_eq(rw_find_throws(&throws, s.edit), CF_OK);
    for (unsigned i = 0; i < MOST_RANGES && c->ranges[i].start; i++) {
        long pc = assembler_value(&a, c->ranges[i].handler);
        ck_assert_msg(throws.handlers[pc] == c->handlers[i], "%s: handler %u is %u, not %u",
                      c->name, i, throws.handlers[pc], c->handlers[i]);
    }
    const struct cf_code *code = &s.edit->code;
    size_t seen = 0;
    for (uint32_t i = 0; i < code->count; i++) {
        if (code->bytes[code->pc[i]] != CF_OP_athrow) continue;
        int32_t local;
        ck_assert_msg(rw_may_throw_again(&throws, i, &local) == (c->again[seen] == 'y'),
                      "%s: athrow %zu", c->name, seen);
        seen++;
    }
    ck_assert_uint_eq(seen, strlen(c->again));
    close_subject(&s);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("throws");
    TCase *tests = tcase_create("throws");
    tcase_add_loop_test(tests, handlers_and_throws_are_distinguished, 0,
                        (int)(sizeof cases / sizeof *cases));
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}

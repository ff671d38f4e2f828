// Which methods are too small for a clock, and which of those throw nothing.

#include "rewriters/tiny.h"
#include "tests/unit/assembler.h"
#include "tests/unit/run.h"
#include "tests/unit/subject.h"

struct expected {
    const char *name, *code;
    unsigned flags; // of the method
    enum rw_tiny tiny;
};

enum { BRIDGE = CF_ACC_BRIDGE | CF_ACC_SYNTHETIC };

static const struct expected cases[] = {
    {"a constant", "iconst_1 ireturn", CF_ACC_STATIC, RW_TINY_THROWS_NOTHING},
    {"nothing", "return", 0, RW_TINY_THROWS_NOTHING},
    {"a field of this", "aload_0 getfield:mine ireturn", 0, RW_TINY_THROWS_NOTHING},
    {"a field of this is set", "aload_0 iload_1 putfield:mine return", 0, RW_TINY_THROWS_NOTHING},
    {"a field of a parameter, which may be null", "aload_0 getfield:mine ireturn", CF_ACC_STATIC,
     RW_TINY},
    {"a field of something else", "aload_1 getfield:mine ireturn", 0, RW_TINY},
    {"a field after this was overwritten", "aload_1 astore_0 aload_0 getfield:mine ireturn", 0,
     RW_TINY},
    {"a field behind a jump that brings another object",
     "aload_1 iload_2 ifeq:F pop aload_0 F: getfield:mine ireturn", 0, RW_TINY},
    {"an inherited field", "aload_0 getfield:other ireturn", 0, RW_TINY},
    {"an element", "aload_1 iload_2 iaload ireturn", 0, RW_TINY},
    {"a division", "iload_1 iload_2 idiv ireturn", CF_ACC_STATIC, RW_TINY},
    {"a comparison", "iload_1 ifle:N iconst_1 ireturn N: iconst_0 ireturn", CF_ACC_STATIC,
     RW_TINY_THROWS_NOTHING},
    {"a static field of its own class", "getstatic:mine ireturn", CF_ACC_STATIC, RW_TINY},
    {"one of another class, which is initialized first", "getstatic:other ireturn", CF_ACC_STATIC,
     RW_NOT_TINY},
    {"a loop", "L: iload_1 ifne:L return", CF_ACC_STATIC, RW_NOT_TINY},
    {"a call", "invokestatic:call return", CF_ACC_STATIC, RW_NOT_TINY},
    {"a bridge", "aload_0 iload_1 iload_2 invokevirtual:same return", BRIDGE, RW_TINY},
    {"a bridge of an interface", "aload_0 iload_1 iload_2 invokeinterface:same return", BRIDGE,
     RW_TINY},
    {"a bridge to another name", "aload_0 invokevirtual:call return", BRIDGE, RW_NOT_TINY},
    {"a bridge to another class, which may have no time",
     "aload_0 iload_1 iload_2 invokespecial:above return", BRIDGE, RW_NOT_TINY},
    {"a method that calls one of its name", "aload_0 iload_1 iload_2 invokevirtual:same return", 0,
     RW_NOT_TINY},
    {"a bridge that makes an object", "new:A aload_0 iload_1 iload_2 invokevirtual:same return",
     BRIDGE, RW_NOT_TINY},
    {"a new object", "new:A areturn", CF_ACC_STATIC, RW_NOT_TINY},
    {"a new array", "iload_1 newarray:10 areturn", CF_ACC_STATIC, RW_NOT_TINY},
    {"an exception", "aload_1 athrow", CF_ACC_STATIC, RW_NOT_TINY},
    {"a monitor", "aload_1 monitorenter return", CF_ACC_STATIC, RW_NOT_TINY},
    {"a synchronized method", "iconst_1 ireturn", CF_ACC_SYNCHRONIZED, RW_NOT_TINY},
    {"many instructions",
     "iconst_1 pop iconst_1 pop iconst_1 pop iconst_1 pop iconst_1 pop iconst_1 pop iconst_1 pop "
     "iconst_1 pop iconst_1 pop iconst_1 pop iconst_1 pop iconst_1 pop iconst_1 pop iconst_1 pop "
     "iconst_1 pop iconst_1 pop iconst_1 pop iconst_1 pop iconst_1 pop iconst_1 pop return",
     CF_ACC_STATIC, RW_NOT_TINY},
};

static void open_case(struct subject *s, struct assembler *a, const struct expected *c) {
    struct build b;
    struct assembler_name names[] = {{"mine", 0}, {"other", 0}, {"call", 0}, {"A", 0},
                                     {"same", 0}, {"above", 0}, {NULL, 0}};
    build_class_file(&b, 49, CF_ACC_PUBLIC, "A");
    build_counted(&b, 0);
    build_counted(&b, 1);
    names[0].index = build_reference(&b, CF_TAG_FIELDREF, "A", "f", "I");
    names[1].index = build_reference(&b, CF_TAG_FIELDREF, "B", "f", "I");
    names[2].index = build_reference(&b, CF_TAG_METHODREF, "A", "m", "()V");
    names[3].index = build_class(&b, "A");
    names[4].index = build_reference(&b, CF_TAG_METHODREF, "A", "f", "(IJ)V");
    names[5].index = build_reference(&b, CF_TAG_METHODREF, "B", "f", "(IJ)V");
    a->names = names;
    struct build_bytes code = assemble(a, c->code);
    build_member(&b, c->flags, "f", "(II)V", 1);
    size_t place = build_code(&b, 4, 4, code.bytes, code.length);
    free(code.bytes);
    build_u2(&b, 0);
    build_u2(&b, 0);
    build_end(&b, place);
    build_u2(&b, 0);
    open_subject(s, &b);
    begin(s, 0);
}

START_TEST(what_is_too_small_for_a_clock) {
    const struct expected *c = &cases[_i];
    struct assembler a = {0};
    struct subject s;
    open_case(&s, &a, c);
    ck_assert_msg(rw_tiny(s.edit) == c->tiny, "%s: %d, not %d", c->name, rw_tiny(s.edit), c->tiny);
    close_subject(&s);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("tiny");
    TCase *tests = tcase_create("tiny");
    tcase_add_loop_test(tests, what_is_too_small_for_a_clock, 0,
                        (int)(sizeof cases / sizeof *cases));
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}

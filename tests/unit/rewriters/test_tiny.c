// Which methods are too small for a clock, and which no exception can leave.

#include "rewriters/never_throws.h"
#include "rewriters/tiny.h"
#include "tests/unit/assembler.h"
#include "tests/unit/run.h"
#include "tests/unit/subject.h"

struct expected {
    const char *name, *code;
    unsigned flags; // of the method
    unsigned is;
};

enum { BRIDGE = CF_ACC_BRIDGE | CF_ACC_SYNTHETIC };
enum { TINY = 1, NEVER_THROWS = 2 };

static const struct expected cases[] = {
    {"a constant", "iconst_1 ireturn", CF_ACC_STATIC, TINY | NEVER_THROWS},
    {"nothing", "return", 0, TINY | NEVER_THROWS},
    {"a field of this", "aload_0 getfield:mine ireturn", 0, TINY | NEVER_THROWS},
    {"a field of this is set", "aload_0 iload_1 putfield:mine return", 0, TINY | NEVER_THROWS},
    {"a field of a parameter, which may be null", "aload_0 getfield:mine ireturn", CF_ACC_STATIC,
     TINY},
    {"a field of something else", "aload_1 getfield:mine ireturn", 0, TINY},
    {"a field after this was overwritten", "aload_1 astore_0 aload_0 getfield:mine ireturn", 0,
     TINY},
    {"a field behind a jump that brings another object",
     "aload_1 iload_2 ifeq:F pop aload_0 F: getfield:mine ireturn", 0, TINY},
    {"a field of this behind a jump that keeps it",
     "iload_1 ifeq:F iconst_1 ireturn F: aload_0 getfield:mine ireturn", 0, TINY | NEVER_THROWS},
    {"a field of another class", "aload_0 getfield:other ireturn", 0, TINY},
    {"an inherited field, which may be missing", "aload_0 getfield:missing ireturn", 0, TINY},
    {"a field that is static", "aload_0 getfield:static ireturn", 0, TINY},
    {"a final field", "aload_0 getfield:final ireturn", 0, TINY | NEVER_THROWS},
    {"a field of this with an object, which may be flat", "aload_0 getfield:object areturn", 0,
     TINY},
    {"a field of this with an object is set", "aload_0 aload_1 putfield:object return", 0, TINY},
    {"a field of this with an array", "aload_0 getfield:array areturn", 0, TINY | NEVER_THROWS},
    {"a final field is set", "aload_0 iload_1 putfield:final return", 0, TINY},
    {"a sum of fields of this", "aload_0 getfield:mine aload_0 getfield:final iadd ireturn", 0,
     TINY | NEVER_THROWS},
    {"a field of this in a synchronized method", "aload_0 getfield:mine ireturn",
     CF_ACC_SYNCHRONIZED, 0},
    {"a coverage probe", "getstatic:probes bipush:7 iconst_1 bastore iconst_1 ireturn", 0,
     TINY | NEVER_THROWS},
    {"a getter with a probe",
     "getstatic:probes iconst_0 iconst_1 bastore aload_0 getfield:mine ireturn", 0,
     TINY | NEVER_THROWS},
    {"half a probe", "aload_1 iconst_0 iconst_1 bastore iconst_1 ireturn", 0, TINY},
    {"a probe that a jump enters",
     "iload_1 ifne:P aload_1 iconst_0 goto:Q P: getstatic:probes iconst_0 Q: iconst_1 bastore "
     "return",
     0, TINY},
    {"an array of another name", "getstatic:likewise iconst_0 iconst_1 bastore return", 0, 0},
    {"a loop over a field", "L: aload_0 getfield:mine ifne:L return", 0, 0},
    {"more than is tiny, but arithmetic alone",
     "iload_1 iload_1 iadd iload_1 iadd iload_1 iadd iload_1 iadd iload_1 iadd iload_1 iadd "
     "iload_1 "
     "iadd iload_1 iadd iload_1 iadd iload_1 iadd iload_1 iadd iload_1 iadd iload_1 iadd iload_1 "
     "iadd iload_1 iadd iload_1 iadd iload_1 iadd iload_1 iadd iload_1 iadd iload_1 iadd ireturn",
     CF_ACC_STATIC, NEVER_THROWS},
    {"an element", "aload_1 iload_2 iaload ireturn", 0, TINY},
    {"a division", "iload_1 iload_2 idiv ireturn", CF_ACC_STATIC, TINY},
    {"a comparison", "iload_1 ifle:N iconst_1 ireturn N: iconst_0 ireturn", CF_ACC_STATIC,
     TINY | NEVER_THROWS},
    {"a static field of its own class", "getstatic:mine ireturn", CF_ACC_STATIC, TINY},
    {"one of another class, which is initialized first", "getstatic:other ireturn", CF_ACC_STATIC,
     0},
    {"a loop", "L: iload_1 ifne:L return", CF_ACC_STATIC, 0},
    {"a call", "invokestatic:call return", CF_ACC_STATIC, 0},
    {"a bridge", "aload_0 iload_1 iload_2 invokevirtual:same return", BRIDGE, TINY},
    {"a bridge of an interface", "aload_0 iload_1 iload_2 invokeinterface:same return", BRIDGE,
     TINY},
    {"a bridge to another name", "aload_0 invokevirtual:call return", BRIDGE, 0},
    {"a bridge to another class, which may have no time",
     "aload_0 iload_1 iload_2 invokespecial:above return", BRIDGE, 0},
    {"a method that calls one of its name", "aload_0 iload_1 iload_2 invokevirtual:same return", 0,
     0},
    {"a bridge that makes an object", "new:A aload_0 iload_1 iload_2 invokevirtual:same return",
     BRIDGE, 0},
    {"a new object", "new:A areturn", CF_ACC_STATIC, 0},
    {"a new array", "iload_1 newarray:10 areturn", CF_ACC_STATIC, 0},
    {"an exception", "aload_1 athrow", CF_ACC_STATIC, 0},
    {"a monitor", "aload_1 monitorenter return", CF_ACC_STATIC, 0},
    {"a synchronized method", "iconst_1 ireturn", CF_ACC_SYNCHRONIZED, 0},
    {"many instructions",
     "iconst_1 pop iconst_1 pop iconst_1 pop iconst_1 pop iconst_1 pop iconst_1 pop iconst_1 pop "
     "iconst_1 pop iconst_1 pop iconst_1 pop iconst_1 pop iconst_1 pop iconst_1 pop iconst_1 pop "
     "iconst_1 pop iconst_1 pop iconst_1 pop iconst_1 pop iconst_1 pop iconst_1 pop return",
     CF_ACC_STATIC, NEVER_THROWS},
};

static void open_case(struct subject *s, struct assembler *a, const struct expected *c) {
    struct build b;
    struct assembler_name names[] = {{"mine", 0},  {"other", 0},  {"call", 0},     {"A", 0},
                                     {"same", 0},  {"above", 0},  {"missing", 0},  {"static", 0},
                                     {"final", 0}, {"probes", 0}, {"likewise", 0}, {"object", 0},
                                     {"array", 0}, {NULL, 0}};
    build_class_file(&b, 49, CF_ACC_PUBLIC, "A");
    build_counted(&b, 5);
    build_member(&b, 0, "f", "I", 0);
    build_member(&b, CF_ACC_STATIC, "s", "I", 0);
    build_member(&b, CF_ACC_FINAL, "c", "I", 0);
    build_member(&b, 0, "o", "LV;", 0);
    build_member(&b, 0, "a", "[LV;", 0);
    build_counted(&b, 1);
    names[0].index = build_reference(&b, CF_TAG_FIELDREF, "A", "f", "I");
    names[1].index = build_reference(&b, CF_TAG_FIELDREF, "B", "f", "I");
    names[2].index = build_reference(&b, CF_TAG_METHODREF, "A", "m", "()V");
    names[3].index = build_class(&b, "A");
    names[4].index = build_reference(&b, CF_TAG_METHODREF, "A", "f", "(IJ)V");
    names[5].index = build_reference(&b, CF_TAG_METHODREF, "B", "f", "(IJ)V");
    names[6].index = build_reference(&b, CF_TAG_FIELDREF, "A", "g", "I");
    names[7].index = build_reference(&b, CF_TAG_FIELDREF, "A", "s", "I");
    names[8].index = build_reference(&b, CF_TAG_FIELDREF, "A", "c", "I");
    names[9].index = build_reference(&b, CF_TAG_FIELDREF, "java/lang/InstrProbes0", "ajc$p", "[Z");
    names[10].index = build_reference(&b, CF_TAG_FIELDREF, "java/lang/InstrProbes0", "other", "[Z");
    names[11].index = build_reference(&b, CF_TAG_FIELDREF, "A", "o", "LV;");
    names[12].index = build_reference(&b, CF_TAG_FIELDREF, "A", "a", "[LV;");
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

START_TEST(what_a_method_is) {
    const struct expected *c = &cases[_i];
    struct assembler a = {0};
    struct subject s;
    open_case(&s, &a, c);
    int tiny = rw_is_tiny(s.edit), never = rw_never_throws(s.edit);
    ck_assert_msg(tiny == (c->is & TINY ? 1 : 0), "%s: tiny: %d", c->name, tiny);
    ck_assert_msg(never == (c->is & NEVER_THROWS ? 1 : 0), "%s: never throws: %d", c->name, never);
    close_subject(&s);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("tiny");
    TCase *tests = tcase_create("tiny");
    tcase_add_loop_test(tests, what_a_method_is, 0, (int)(sizeof cases / sizeof *cases));
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}

// Which constructors nothing but an exhausted stack can end before that of Object has returned.

#include "rewriters/plain_constructor.h"
#include "rewriters/tiny.h"
#include "tests/unit/assembler.h"
#include "tests/unit/run.h"
#include "tests/unit/subject.h"

enum { HANDLED = 1, FINALIZER = 2, NO_CONSTRUCTOR = 4 };

static const struct expected {
    const char *name, *super, *code;
    unsigned flags, first; // how many instructions begin it; 0: it is not plain
    int tiny;
} cases[] = {
    {"nothing else", "java/lang/Object", "aload_0 invokespecial:super return", 0, 2, 1},
    {"of a record", "java/lang/Record",
     "aload_0 invokespecial:super aload_0 iload_1 putfield:number return", 0, 2, 1},
    {"of another class", "B", "aload_0 invokespecial:super return", 0, 0, 0},
    {"of its own class", "java/lang/Object", "aload_0 invokespecial:this return", 0, 0, 0},
    {"a number is set before", "java/lang/Object",
     "aload_0 iload_1 putfield:number aload_0 invokespecial:super return", 0, 5, 1},
    {"a final number is set before", "java/lang/Object",
     "aload_0 iconst_1 putfield:final aload_0 invokespecial:super return", 0, 5, 1},
    {"the enclosing object is set before", "java/lang/Object",
     "aload_0 aload_3 putfield:outer aload_0 invokespecial:super return", 0, 5, 1},
    {"another object is set before, which a field may refuse", "java/lang/Object",
     "aload_0 aload_3 putfield:object aload_0 invokespecial:super return", 0, 0, 0},
    {"a field of another object is set before", "java/lang/Object",
     "aload_3 iload_1 putfield:number aload_0 invokespecial:super return", 0, 0, 0},
    {"an inherited field is set before", "java/lang/Object",
     "aload_0 iload_1 putfield:missing aload_0 invokespecial:super return", 0, 0, 0},
    {"a static field", "java/lang/Object",
     "aload_0 iload_1 putfield:static aload_0 invokespecial:super return", 0, 0, 0},
    {"a call before", "java/lang/Object", "invokestatic:call aload_0 invokespecial:super return", 0,
     0, 0},
    {"a division before", "java/lang/Object",
     "aload_0 iload_1 iload_2 idiv putfield:number aload_0 invokespecial:super return", 0, 0, 0},
    {"another object is made before", "java/lang/Object",
     "new:Object dup invokespecial:super pop aload_0 invokespecial:super return", 0, 0, 0},
    {"a jump before", "java/lang/Object",
     "iload_1 ifne:L iconst_1 pop L: aload_0 invokespecial:super return", 0, 0, 0},
    {"a loop back to the beginning", "java/lang/Object",
     "L: aload_0 invokespecial:super iload_1 ifne:L return", 0, 0, 0},
    {"a handler for the call", "java/lang/Object", "aload_0 invokespecial:super return pop return",
     HANDLED, 0, 0},
    {"a class with a finalizer", "java/lang/Object", "aload_0 invokespecial:super return",
     FINALIZER, 0, 0},
    {"no constructor", "java/lang/Object", "aload_0 invokespecial:super return", NO_CONSTRUCTOR, 0,
     0},
    {"a call after it", "java/lang/Object", "aload_0 invokespecial:super invokestatic:call return",
     0, 2, 0},
    {"no return", "java/lang/Object", "iconst_1 istore_1 aload_3 athrow", 0, 0, 0},
};

static void add_method(struct build *b, const char *name, const char *descriptor,
                       const struct build_bytes *code, int handled) {
    build_member(b, 0, name, descriptor, 1);
    size_t place = build_code(b, 4, 4, code->bytes, code->length);
    build_u2(b, handled ? 1 : 0);
    if (handled) {
        build_u2(b, 0);
        build_u2(b, 4);
        build_u2(b, 5);
        build_u2(b, 0);
    }
    build_u2(b, 0);
    build_end(b, place);
}

static void build_fields(struct build *b) {
    build_counted(b, 5);
    build_member(b, 0, "number", "I", 0);
    build_member(b, CF_ACC_FINAL, "final", "I", 0);
    build_member(b, 0, "object", "LV;", 0);
    build_member(b, CF_ACC_FINAL | CF_ACC_SYNTHETIC, "this$0", "LV;", 0);
    build_member(b, CF_ACC_STATIC, "static", "I", 0);
}

static void open_case(struct subject *s, const struct expected *c) {
    struct build b;
    build_subclass_file(&b, 49, CF_ACC_PUBLIC, "A", c->super);
    build_fields(&b);
    struct assembler_name names[] = {
        {"super", build_reference(&b, CF_TAG_METHODREF, c->super, "<init>", "()V")},
        {"this", build_reference(&b, CF_TAG_METHODREF, "A", "<init>", "()V")},
        {"call", build_reference(&b, CF_TAG_METHODREF, "A", "m", "()V")},
        {"number", build_reference(&b, CF_TAG_FIELDREF, "A", "number", "I")},
        {"final", build_reference(&b, CF_TAG_FIELDREF, "A", "final", "I")},
        {"object", build_reference(&b, CF_TAG_FIELDREF, "A", "object", "LV;")},
        {"outer", build_reference(&b, CF_TAG_FIELDREF, "A", "this$0", "LV;")},
        {"static", build_reference(&b, CF_TAG_FIELDREF, "A", "static", "I")},
        {"missing", build_reference(&b, CF_TAG_FIELDREF, "A", "missing", "I")},
        {"Object", build_class(&b, "java/lang/Object")},
        {NULL, 0}};
    struct assembler a = {.names = names};
    struct build_bytes code = assemble(&a, c->code);
    build_counted(&b, c->flags & FINALIZER ? 2 : 1);
    add_method(&b, c->flags & NO_CONSTRUCTOR ? "f" : "<init>", "(IILV;)V", &code,
               c->flags & HANDLED);
    if (c->flags & FINALIZER) add_method(&b, "finalize", "()V", &code, 0);
    free(code.bytes);
    build_u2(&b, 0);
    open_subject(s, &b);
    begin(s, 0);
}

START_TEST(what_begins_it) {
    const struct expected *c = &cases[_i];
    struct subject s;
    open_case(&s, c);
    unsigned first = rw_plain_constructor(s.edit);
    ck_assert_msg(first == c->first, "%s: %u instructions", c->name, first);
    ck_assert_msg(rw_is_tiny(s.edit) == c->tiny, "%s: tiny or not", c->name);
    close_subject(&s);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("plain_constructor");
    TCase *tests = tcase_create("plain_constructor");
    tcase_add_loop_test(tests, what_begins_it, 0, (int)(sizeof cases / sizeof *cases));
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}

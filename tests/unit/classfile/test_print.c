// Printing: what a class looks like as text, that the text is safe, and that broken classes are
// printed as far as they go.

#include "classfile/code.h"
#include "classfile/print.h"
#include "tests/unit/rich.h"
#include "tests/unit/run.h"

#include <stdio.h>

static struct cf_arena arena;
static struct cf_text text;
static struct cf_text_memory memory;

static void set_up(void) {
    cf_arena_init(&arena);
    memset(&memory, 0, sizeof memory);
    cf_text_init(&text, cf_text_to_memory, &memory);
}

static void tear_down(void) {
    cf_arena_free(&arena);
    free(memory.bytes);
}

// Prints a class; the text is in `memory`, what was printed before is forgotten.
static enum cf_status print_bytes(const uint8_t *bytes, size_t length) {
    struct cf_class cls;
    free(memory.bytes);
    memset(&memory, 0, sizeof memory);
    cf_text_init(&text, cf_text_to_memory, &memory);
    cf_arena_reset(&arena, 1 << 20);
    cf_class_open(&cls, bytes, length, &arena);
    return cf_print_class(&cls, &text);
}

static enum cf_status print_built(struct build *b) {
    size_t length;
    uint8_t *bytes = build_finish(b, &length);
    enum cf_status status = print_bytes(bytes, length);
    free(bytes);
    return status;
}

static void assert_has(const char *part) {
    ck_assert_msg(memory.bytes && strstr(memory.bytes, part), "no '%s' in:\n%.2000s", part,
                  memory.bytes);
}

// --- the whole ---

static const char smallest[] = "public class a.B implements c.D\n"
                               "  minor version: 3\n"
                               "  major version: 45\n"
                               "  flags: (0x0021) ACC_PUBLIC, ACC_SUPER\n"
                               "  this_class: #2                          // a/B\n"
                               "  super_class: #4                         // java/lang/Object\n"
                               "  interfaces: 1, fields: 0, methods: 1, attributes: 1\n"
                               "Constant pool:\n"
                               "   #1 = Utf8               a/B\n"
                               "   #2 = Class              #1             // a/B\n"
                               "   #3 = Utf8               java/lang/Object\n"
                               "   #4 = Class              #3             // java/lang/Object\n"
                               "   #5 = Utf8               c/D\n"
                               "   #6 = Class              #5             // c/D\n"
                               "   #7 = Utf8               run\n"
                               "   #8 = Utf8               (I[J)V\n"
                               "   #9 = Utf8               Code\n"
                               "  #10 = Utf8               Odd\n"
                               "{\n"
                               "  static void run(int, long[]);\n"
                               "    descriptor: (I[J)V\n"
                               "    flags: (0x0008) ACC_STATIC\n"
                               "    Code:\n"
                               "      stack=1, locals=2, args_size=2\n"
                               "         0: return\n"
                               "}\n"
                               "Odd: length = 0x2 (unknown attribute)\n"
                               " CA FE\n";

START_TEST(a_class_is_printed_as_javap_does_it) {
    struct build b;
    build_class_file(&b, 45, CF_ACC_PUBLIC | 0x0020, "a/B");
    b.minor_version = 3;
    b.body.length -= 2; // with an interface
    build_u2(&b, 1), build_u2(&b, build_class(&b, "c/D"));
    build_u2(&b, 0), build_u2(&b, 1);
    build_member(&b, CF_ACC_STATIC, "run", "(I[J)V", 1);
    size_t place = build_code(&b, 1, 2, (uint8_t[]){CF_OP_return}, 1);
    build_u4(&b, 0);
    build_end(&b, place);
    build_u2(&b, 1);
    place = build_attribute(&b, "Odd");
    build_u2(&b, 0xCAFE);
    build_end(&b, place);
    ck_assert_int_eq(print_built(&b), CF_OK);
    ck_assert_str_eq(memory.bytes, smallest);
}
END_TEST

START_TEST(all_attributes_are_printed) {
    size_t length;
    uint8_t *bytes = rich_class(&length);
    ck_assert_int_eq(print_bytes(bytes, length), CF_OK);
    free(bytes);
    static const char *const parts[] = {
        "Compiled from \"Rich.java\"\n",
        "  static final float f;\n    descriptor: F\n    flags: (0x0018) ACC_STATIC, ACC_FINAL\n"
        "    ConstantValue: float 1.1f\n",
        "ConstantValue: double NaNd\n",
        "  public static int f(int, long, java.lang.Object) throws java.lang.Exception;\n",
        "         0: new           #29                 // class java/lang/Object\n",
        "        28: invokeinterface #49,  3           // InterfaceMethod t/I.g:(J)V\n",
        "        33: invokedynamic #53,  0             // InvokeDynamic #0:call:()V\n",
        "        40: multianewarray #31,  2            // class \"[[I\"\n",
        "        46: newarray       int\n",
        "        49: iinc_w        0, -200\n",
        "        55: bipush        -1\n",
        "        62: tableswitch   { // 1 to 1\n"
        "                       1: 80\n"
        "                 default: 88\n"
        "            }\n",
        "        89: lookupswitch  { // 1\n"
        "                      -5: 108\n"
        "                 default: 108\n"
        "            }\n",
        "            12   110   108   any\n",
        "        frame_type = 252 /* append */\n          offset_delta = 12\n          locals = [ "
        "long ]\n",
        "          stack = [ uninitialized 0 ]\n",
        "          locals = [ top, class java/lang/Object ]\n          stack = [ float ]\n",
        "        line 11: 108\n",
        "           25      63     4 local   J\n",
        "LOCAL_VARIABLE, {start_pc=25, length=63, index=4; start_pc=88, length=0, index=4}, "
        "location=[ARRAY, TYPE_ARGUMENT(1)]\n",
        "      i                              final mandated\n",
        "          x=(byte) 1\n          x='\\u0001'\n          x=1\n          x=(short) 1\n       "
        "   x=true\n",
        "          x=\"a\\\"b\\n\"\n          x=class V\n",
        "  public static #155= #154 of #2;         // text=class t/Some of class t/Rich\n",
        "EnclosingMethod: #154.#162              // t.Some.m\n",
        "Deprecated: true\n",
        "  0: #191 REF_invokeStatic t/Rich.boot:(Ljava",
        "      #196 (II)V\n",
        "NestHost: class t/Some\nNestMembers:\n  t/Some\n",
        "LoadableDescriptors:\n  Lt/Some;\n",
        "  T text;\n    descriptor: I\n",
    };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) assert_has(parts[i]);
    ck_assert_ptr_null(strstr(memory.bytes, "error:"));
}
END_TEST

// A class of one field or method, each with a signature; as javap 25 prints their declarations.
static const struct declared {
    const char *descriptor, *signature, *line;
} declarations[] = {
    {"Ljava/util/Map;", "Ljava/util/Map<TK;[Ljava/util/List<*>;>;",
     "java.util.Map<K, java.util.List<?>[]> m;"},
    {"Lp/A$B;", "Lp/A<+TT;>.B<-Ljava/lang/Integer;>.C;",
     "p.A<? extends T>.B<? super java.lang.Integer>.C m;"},
    {"[[Ljava/lang/Object;", "[[TT;", "T[][] m;"},
    {"()V", "<T:Ljava/lang/Object;U::Ljava/lang/Runnable;:Lp/I<TT;>;>()TU;",
     "<T extends java.lang.Object, U extends java.lang.Runnable & p.I<T>> U m();"},
    {"(I[[Ljava/lang/Object;)I", "(I[[TT;)I", "int m(int, T[]...);"},
    {"()V", "()V^TE;^Lp/X;", "void m();"}, // there is no attribute Exceptions
    // What is malformed is left to the descriptor.
    {"I", "", "int m;"},
    {"I", "TT", "int m;"},
    {"I", "TT;X", "int m;"},
    {"I", "Lp/A<", "int m;"},
    {"I", "Lp/A<TT;", "int m;"},
    {"I", "L;", "int m;"},
    {"I", "[", "int m;"},
    {"()V", "<T>()V", "void m();"},
    {"()V", "<T:Lp/A;>", "void m();"},
    {"()V", "(TT;", "void m();"},
    {"()V", "()", "void m();"},
    {"()V", "()V^", "void m();"},
};

START_TEST(declarations_are_generic_as_their_signatures) {
    const struct declared *d = &declarations[_i];
    int is_method = d->descriptor[0] == '(';
    char line[200];
    struct build b;
    build_class_file(&b, 52, CF_ACC_PUBLIC, "A");
    if (is_method) build_u2(&b, 0); // fields
    build_u2(&b, 1);
    build_member(&b, is_method ? CF_ACC_ABSTRACT | CF_ACC_VARARGS : 0, "m", d->descriptor, 1);
    rich_one_index(&b, "Signature", build_utf8(&b, d->signature));
    if (!is_method) build_u2(&b, 0); // methods
    build_u2(&b, 0);                 // attributes
    ck_assert_int_eq(print_built(&b), CF_OK);
    snprintf(line, sizeof line, "{\n  %s%s\n", is_method ? "abstract " : "", d->line);
    assert_has(line);
}
END_TEST

START_TEST(modules_are_printed) {
    size_t length;
    uint8_t *bytes = rich_module(&length);
    ck_assert_int_eq(print_bytes(bytes, length), CF_OK);
    free(bytes);
    assert_has("open module acme@1.0\n");
    assert_has("  #6,20                                   // acme ACC_OPEN\n");
    assert_has("  1                                       // requires\n");
    assert_has("    #6,8000                                 // acme ACC_MANDATED\n");
    assert_has("    #9,0                                    // com/acme to ... 1\n");
    assert_has("    #11                                     // t/Some with ... 1\n");
    assert_has("ModuleMainClass: #11                    // t.Some\n");
    assert_has("hash: [abcd]\n");
}
END_TEST

START_TEST(fields_not_yet_set_are_printed) {
    size_t length;
    uint8_t *bytes = rich_value_class(&length);
    ck_assert_int_eq(print_bytes(bytes, length), CF_OK);
    free(bytes);
    assert_has("        frame_type = 246 /* early_larval */\n"
               "          unset_fields = [ x:I ]\n"
               "          frame_type = 255 /* full_frame */\n"
               "          offset_delta = 5\n"
               "          locals = [ this, int ]\n"
               "          stack = []\n");
    assert_has("flags: (0x0810) ACC_FINAL, ACC_STRICT_INIT\n");
}
END_TEST

// --- numbers ---

START_TEST(floats_read_as_in_java) {
    static const struct {
        uint32_t bits;
        const char *text;
    } cases[] = {
        {0x3F800000, "1.0"},         {0x3F8CCCCD, "1.1"},          {0x00000000, "0.0"},
        {0x80000000, "-0.0"},        {0x7F800000, "Infinity"},     {0xFF800000, "-Infinity"},
        {0x7FC00000, "NaN"},         {0x7F7FFFFF, "3.4028235E38"}, {0x00000001, "1.4E-45"},
        {0x4B189680, "1.0E7"},       {0x4B18967F, "9999999.0"},    {0x3A83126F, "0.001"},
        {0x3A83126E, "9.999999E-4"}, {0xC2C80000, "-100.0"},       {0x4F000000, "2.1474836E9"},
    };
    char buffer[32];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        ck_assert_str_eq(cf_float_text(cases[i].bits, buffer), cases[i].text);
}
END_TEST

START_TEST(doubles_read_as_in_java) {
    static const struct {
        uint64_t bits;
        const char *text;
    } cases[] = {
        {0x3FF0000000000000, "1.0"},
        {0x3FB999999999999A, "0.1"},
        {0x400921FB54442D18, "3.141592653589793"},
        {0x0000000000000001, "4.9E-324"},
        {0x7FEFFFFFFFFFFFFF, "1.7976931348623157E308"},
        {0x8000000000000000, "-0.0"},
        {0x7FF0000000000000, "Infinity"},
        {0x7FF8000000000001, "NaN"},
        {0x44B52D02C7E14AF6, "1.0E23"},
        {0x416312D000000000, "1.0E7"},
        {0x40C3880000000000, "10000.0"},
        {0x3F50624DD2F1A9FC, "0.001"},
        {0x7E37E43C8800759C, "1.0E300"},
    };
    char buffer[32];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        ck_assert_str_eq(cf_double_text(cases[i].bits, buffer), cases[i].text);
}
END_TEST

// --- names and texts ---

START_TEST(text_is_safe_for_a_terminal) {
    static const struct {
        const char *text;
        const char *printed;
    } cases[] = {
        {"plain", "plain"},
        {"a\tb\nc\rd\be\ff", "a\\tb\\nc\\rd\\be\\ff"},
        {"\x1b[31m", "\\u001b[31m"},
        {"\x7f", "\\u007f"},
        {"\xC0\x80", "\\u0000"},
        {"\xC2\x9B", "\\u009b"}, // CSI in one character
        {"\"'\\", "\\\"\\'\\\\"},
        {"\xC3\xA9\xE4\xB8\xAD", "\xC3\xA9\xE4\xB8\xAD"},
        {"\xED\xA0\xBD\xED\xB8\x80", "\xF0\x9F\x98\x80"}, // a surrogate pair
        {"\xED\xA0\xBDx", "\\ud83dx"},
        {"\xED\xB8\x80", "\\ude00"},
        {"\xE2\x80\xAE", "\\u202e"}, // right to left
        {"\xD8\x9C", "\\u061c"},
        {"\xE2\x80\xA8", "\\u2028"},
        {"\xEF\xBB\xBF", "\\ufeff"},
        {"\x80\xFFz", "\\x80\\xffz"},
        {"\xC3", "\\xc3"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct build b;
        char line[64];
        build_class_file(&b, 52, 0, "A");
        build_utf8(&b, cases[i].text);
        build_u4(&b, 0), build_u2(&b, 0);
        print_built(&b);
        snprintf(line, sizeof line, "#5 = Utf8               %s\n", cases[i].printed);
        assert_has(line);
    }
}
END_TEST

START_TEST(names_that_are_no_identifiers_are_quoted) {
    static const struct {
        const char *name;
        const char *printed;
    } cases[] = {
        {"a/b/C", "a/b/C"},    {"[I", "\"[I\""},         {"a-b", "\"a-b\""},     {"a/1", "\"a/1\""},
        {"a//b", "\"a//b\""},  {"\xC3\xA9", "\xC3\xA9"}, {"a b", "\"a b\""},     {"", "\"\""},
        {"a\nb", "\"a\\nb\""}, {"$_9", "$_9"},           {"a\"b", "\"a\\\"b\""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct build b;
        char line[64];
        build_class_file(&b, 52, 0, "A");
        build_class(&b, cases[i].name);
        build_u4(&b, 0), build_u2(&b, 0);
        print_built(&b);
        snprintf(line, sizeof line, "#6 = Class              #5              // %s\n",
                 cases[i].printed);
        assert_has(line);
    }
}
END_TEST

START_TEST(the_own_class_is_left_out) {
    static const uint8_t code[] = {CF_OP_invokestatic, 0, 9, CF_OP_invokestatic, 0, 12,
                                   CF_OP_return};
    struct build b;
    build_class_file(&b, 52, 0, "A");
    unsigned pair = build_name_and_type(&b, "m", "()V");          // 5 6 7
    build_utf8(&b, "");                                           // 8
    build_pair(&b, CF_TAG_METHODREF, 2, pair);                    // 9
    build_pair(&b, CF_TAG_METHODREF, build_class(&b, "B"), pair); // 10 11 12
    build_u2(&b, 0), build_u2(&b, 1);
    build_member(&b, CF_ACC_STATIC, "m", "()V", 1);
    size_t place = build_code(&b, 0, 0, code, sizeof code);
    build_u4(&b, 0);
    build_end(&b, place);
    build_u2(&b, 0);
    ck_assert_int_eq(print_built(&b), CF_OK);
    assert_has("// Method m:()V\n");
    assert_has("// Method B.m:()V\n");
}
END_TEST

// --- broken classes ---

START_TEST(a_file_that_is_not_a_class_file_is_named) {
    ck_assert_int_eq(print_bytes((const uint8_t *)"PK\3\4 a jar", 10), CF_MALFORMED);
    ck_assert_str_eq(memory.bytes, "error: not a class file: wrong magic (at offset 0)\n");
    ck_assert_int_eq(print_bytes((const uint8_t *)"", 0), CF_TRUNCATED);
    assert_has("error: truncated (at offset 0)\n");
}
END_TEST

START_TEST(a_class_that_ends_early_is_printed_up_to_there) {
    size_t length;
    uint8_t *bytes = rich_class(&length);
    ck_assert_int_eq(print_bytes(bytes, length - 1), CF_TRUNCATED);
    assert_has("  public abstract long[] g(int[]);\n");
    assert_has("NestHost: class t/Some\n");
    assert_has("error: truncated (at offset ");
    for (size_t n = 0; n < length; n++) {
        uint8_t *cut = malloc(n ? n : 1);
        memcpy(cut, bytes, n);
        ck_assert_int_eq(print_bytes(cut, n), CF_TRUNCATED);
        assert_has("error: truncated");
        free(cut);
    }
    free(bytes);
}
END_TEST

START_TEST(a_class_cut_in_its_constant_pool_shows_the_constants_before) {
    struct build b;
    size_t length;
    build_class_file(&b, 52, 0, "a/B");
    size_t cut = 10 + b.pool.length + 3 + 4;
    build_utf8(&b, "cut here");
    build_u4(&b, 0), build_u2(&b, 0);
    uint8_t *bytes = build_finish(&b, &length);
    ck_assert_int_eq(print_bytes(bytes, cut), CF_TRUNCATED);
    ck_assert_str_eq(memory.bytes, "  minor version: 0\n"
                                   "  major version: 52\n"
                                   "Constant pool:\n"
                                   "  #1 = Utf8               a/B\n"
                                   "  #2 = Class              #1              // a/B\n"
                                   "  #3 = Utf8               java/lang/Object\n"
                                   "  #4 = Class              #3              // java/lang/Object\n"
                                   "error: truncated: CONSTANT_Utf8 of 8 bytes (at offset 41)\n");
    free(bytes);
}
END_TEST

START_TEST(a_broken_attribute_does_not_hide_the_others) {
    struct build b;
    build_class_file(&b, 52, 0, "A");
    build_u4(&b, 0), build_u2(&b, 3);
    size_t place = build_attribute(&b, "InnerClasses");
    build_u2(&b, 7);
    build_end(&b, place);
    place = build_attribute(&b, "Synthetic");
    build_u1(&b, 0);
    build_end(&b, place);
    rich_one_index(&b, "SourceFile", build_utf8(&b, "A.java"));
    ck_assert_int_eq(print_built(&b), CF_TRUNCATED);
    assert_has("InnerClasses:\nerror: truncated (at offset ");
    assert_has("Synthetic: true\nerror: attribute has 1 bytes too many (at offset ");
    assert_has("SourceFile: \"A.java\"\n");
}
END_TEST

START_TEST(an_unknown_opcode_ends_the_code_only) {
    struct build b;
    build_class_file(&b, 52, 0, "A");
    build_u2(&b, 0), build_u2(&b, 2);
    for (int i = 0; i < 2; i++) {
        build_member(&b, CF_ACC_STATIC, i ? "second" : "first", "()V", 1);
        size_t place = build_code(&b, 0, 0, (uint8_t[]){CF_OP_nop, 0xFE, CF_OP_return}, 3);
        build_u2(&b, 1), build_u4(&b, 0x00000001), build_u4(&b, 0);
        build_u2(&b, 0);
        build_end(&b, place);
    }
    build_u2(&b, 0);
    ck_assert_int_eq(print_built(&b), CF_UNKNOWN);
    assert_has("         0: nop\n      error: instruction with opcode 254 is unknown or not whole");
    assert_has("             0     1     0   any\n");
    assert_has("static void second();\n");
}
END_TEST

START_TEST(indexes_that_lead_nowhere_are_printed_as_they_are) {
    static const uint8_t code[] = {CF_OP_new,       0xFF, 0xFF, CF_OP_ldc,   0,
                                   CF_OP_getstatic, 0,    5,    CF_OP_return};
    struct build b;
    build_class_file(&b, 52, 0, "A");
    build_pair(&b, CF_TAG_FIELDREF, 1, 0xFFFF); // 5
    build_method_handle(&b, 77, 6);             // 6: to itself
    build_constant(&b, CF_TAG_CLASS, 0, 2);     // 7
    build_u2(&b, 0), build_u2(&b, 1);
    build_member(&b, CF_ACC_STATIC, "m", "(broken", 1);
    size_t place = build_code(&b, 0, 0, code, sizeof code);
    build_u4(&b, 0);
    build_end(&b, place);
    build_u2(&b, 0);
    ck_assert_int_eq(print_built(&b), CF_OK);
    assert_has("#5 = Fieldref           #1.#65535      // #1.#65535\n");
    assert_has("#6 = MethodHandle       77:#6          // REF_0? #6\n");
    assert_has("         0: new           #65535              // #65535\n");
    assert_has("         3: ldc           #0                  // #0\n");
}
END_TEST

// --- the way out ---

static int one_piece(void *context, const char *bytes, size_t length) {
    (void)bytes;
    (void)length;
    return ++*(int *)context < 2;
}

START_TEST(a_writer_that_gives_up_is_left_alone) {
    size_t length;
    uint8_t *bytes = rich_class(&length);
    struct cf_class cls;
    int pieces = 0;
    ck_assert_int_eq(cf_class_open(&cls, bytes, length, &arena), CF_OK);
    cf_text_init(&text, one_piece, &pieces);
    ck_assert_int_eq(cf_print_class(&cls, &text), CF_LIMIT);
    ck_assert_int_eq(pieces, 2);
    free(bytes);
}
END_TEST

static int counted(void *context, const char *bytes, size_t length) {
    (void)bytes;
    *(uint64_t *)context += length;
    return 1;
}

// 20,000 constants that name one text of 10,000 bytes: 200 MB, if they were printed.
START_TEST(a_small_class_does_not_print_for_ever) {
    char *name = malloc(10001);
    memset(name, 'x', 10000);
    name[10000] = '\0';
    struct build b;
    build_class_file(&b, 52, 0, "A");
    unsigned utf8 = build_utf8(&b, name);
    for (int i = 0; i < 20000; i++) build_constant(&b, CF_TAG_STRING, utf8, 2);
    build_u4(&b, 0), build_u2(&b, 0);
    size_t length;
    uint8_t *bytes = build_finish(&b, &length);
    struct cf_class cls;
    uint64_t printed = 0;
    ck_assert_int_eq(cf_class_open(&cls, bytes, length, &arena), CF_OK);
    cf_text_init(&text, counted, &printed);
    ck_assert_int_eq(cf_print_class(&cls, &text), CF_LIMIT);
    ck_assert_uint_le(printed, (16u << 20) + 256 * length);
    free(bytes);
    free(name);
}
END_TEST

START_TEST(lines_are_laid_out) {
    text.indent = 2;
    cf_text_put(&text, "a  ");
    cf_text_column(&text, 8);
    cf_text_put(&text, "b  \n\n");
    cf_text_column(&text, 4);
    cf_text_put(&text, "c");
    cf_text_mutf8(&text, (struct cf_slice){(const uint8_t *)" d ", 3}, CF_ESCAPE_UNSAFE);
    cf_text_put(&text, "\n");
    cf_text_hex(&text, (const uint8_t *)"\x01\xAB\xFF", 3, 2);
    ck_assert_int_eq(cf_text_flush(&text), CF_OK);
    ck_assert_str_eq(memory.bytes, "  a     b\n\n    c d \n  01 AB\n  FF");
}
END_TEST

int main(void) {
    Suite *suite = suite_create("print");
    TCase *tests = tcase_create("print");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_set_timeout(tests, 30);
    tcase_add_test(tests, a_class_is_printed_as_javap_does_it);
    tcase_add_test(tests, all_attributes_are_printed);
    tcase_add_loop_test(tests, declarations_are_generic_as_their_signatures, 0,
                        sizeof declarations / sizeof *declarations);
    tcase_add_test(tests, modules_are_printed);
    tcase_add_test(tests, fields_not_yet_set_are_printed);
    tcase_add_test(tests, floats_read_as_in_java);
    tcase_add_test(tests, doubles_read_as_in_java);
    tcase_add_test(tests, text_is_safe_for_a_terminal);
    tcase_add_test(tests, names_that_are_no_identifiers_are_quoted);
    tcase_add_test(tests, the_own_class_is_left_out);
    tcase_add_test(tests, a_file_that_is_not_a_class_file_is_named);
    tcase_add_test(tests, a_class_that_ends_early_is_printed_up_to_there);
    tcase_add_test(tests, a_class_cut_in_its_constant_pool_shows_the_constants_before);
    tcase_add_test(tests, a_broken_attribute_does_not_hide_the_others);
    tcase_add_test(tests, an_unknown_opcode_ends_the_code_only);
    tcase_add_test(tests, indexes_that_lead_nowhere_are_printed_as_they_are);
    tcase_add_test(tests, a_writer_that_gives_up_is_left_alone);
    tcase_add_test(tests, a_small_class_does_not_print_for_ever);
    tcase_add_test(tests, lines_are_laid_out);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}

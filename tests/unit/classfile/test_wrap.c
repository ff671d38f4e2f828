// Wrappers for native methods: what the class file says of them, and what is left alone. That they
// run is shown on real JVMs.

#include "classfile/format/annotations.h"
#include "classfile/structure.h"
#include "classfile/verify.h"
#include "classfile/wrap.h"
#include "instr/engine.h"
#include "tests/unit/build.h"
#include "tests/unit/run.h"

#include <stdio.h>

#define PREFIX "pre$"

static struct cf_arena arena;
static struct build b;
static uint8_t *bytes, *result;
static size_t length, size;
static struct cf_class cls, after;
static struct cf_wrap wrap;
static struct cf_error error;

static void *allocate(void *context, size_t n) {
    (void)context;
    return malloc(n);
}

static void set_up(void) {
    cf_arena_init(&arena);
    memset(&error, 0, sizeof error);
    bytes = result = NULL;
}

static void tear_down(void) {
    free(bytes);
    free(result);
    cf_arena_free(&arena);
}

static void begin_class(unsigned flags, unsigned methods) {
    build_class_file(&b, 52, flags, "t/T");
    build_u2(&b, 0);
    build_u2(&b, methods);
}

static void open_class(void) {
    build_u2(&b, 0);
    bytes = build_finish(&b, &length);
    ck_assert_int_eq(cf_class_open(&cls, bytes, length, &arena), CF_OK);
    ck_assert_int_eq(cf_wrap_begin(&wrap, &cls, PREFIX), CF_OK);
}

// Encodes, and holds the result to the rules of the format and of verification.
static void encode(void) {
    struct cf_verify_failure failure;
    error.status = CF_OK;
    ck_assert_int_eq(cf_wrap_encode(&wrap, allocate, NULL, &result, &size), CF_OK);
    ck_assert_int_eq(cf_class_open(&after, result, size, &arena), CF_OK);
    ck_assert_int_eq(cf_check_structure(&after, &error), CF_OK);
    ck_assert_int_eq(cf_verify_class(&after, NULL, NULL, &failure), CF_OK);
}

static void wrap_method(unsigned i, enum cf_status expected) {
    error.status = CF_OK;
    ck_assert_int_eq(cf_wrap_native(&wrap, &cls.methods[i], &error), expected);
}

static void is_member(const struct cf_member *m, unsigned flags, const char *name,
                      const char *descriptor) {
    ck_assert_uint_eq(m->access_flags, flags);
    ck_assert(cf_slice_is(cf_member_name(&after, m), name, strlen(name)));
    ck_assert(cf_slice_is(cf_member_descriptor(&after, m), descriptor, strlen(descriptor)));
}

// Every kind of parameter and result; long ones, so that all forms of loads are used.
static const char *const descriptors[] = {"()V",      "(I)I",
                                          "(J)J",     "(F)F",
                                          "(D)D",     "(Ljava/lang/String;)Ljava/lang/String;",
                                          "([[J)[[J", "(ZBCS)Z",
                                          "(JDJD)B",  "(IJFDLx/Y;[I)C",
                                          "(DIDI)S",  "([Lx/Y;)Lx/Y;"};
#define DESCRIPTORS (sizeof descriptors / sizeof *descriptors)

START_TEST(wrappers_stand_where_the_natives_stood) {
    unsigned flags[] = {CF_ACC_PUBLIC | CF_ACC_NATIVE | CF_ACC_SYNCHRONIZED | CF_ACC_FINAL,
                        CF_ACC_PROTECTED | CF_ACC_STATIC | CF_ACC_NATIVE | CF_ACC_VARARGS};
    unsigned n = DESCRIPTORS;
    char name[16], prefixed[24];
    begin_class(CF_ACC_PUBLIC, 2 * n);
    for (unsigned i = 0; i < 2 * n; i++) {
        sprintf(name, "m%u", i);
        build_member(&b, flags[i % 2], name, descriptors[i / 2], 0);
    }
    open_class();
    for (unsigned i = 0; i < 2 * n; i++) wrap_method(i, CF_OK);
    encode();
    ck_assert_uint_eq(after.methods_count, 4 * n);
    ck_assert_mem_eq(result + 10, bytes + 10, cls.constant_pool_end - 10);
    for (unsigned i = 0; i < 2 * n; i++) {
        sprintf(name, "m%u", i);
        sprintf(prefixed, PREFIX "m%u", i);
        is_member(&after.methods[i], flags[i % 2] & ~(unsigned)CF_ACC_NATIVE, name,
                  descriptors[i / 2]);
        ck_assert(after.methods[i].code);
        is_member(&after.methods[2 * n + i],
                  CF_ACC_PRIVATE | CF_ACC_NATIVE | CF_ACC_SYNTHETIC | (i % 2 ? CF_ACC_STATIC : 0),
                  prefixed, descriptors[i / 2]);
        ck_assert(!after.methods[2 * n + i].code);
    }
}
END_TEST

START_TEST(a_method_of_255_slots_is_wrapped) {
    char descriptor[300] = "(";
    for (int i = 0; i < 127; i++) strcat(descriptor, "J");
    strcat(descriptor, ")D");
    begin_class(CF_ACC_PUBLIC, 1);
    build_member(&b, CF_ACC_NATIVE, "f", descriptor, 0);
    open_class();
    wrap_method(0, CF_OK);
    encode();
}
END_TEST

// An annotation of each kind of element value, then one that is looked for.
static void build_annotations(const char *last) {
    size_t place = build_attribute(&b, "RuntimeVisibleAnnotations");
    unsigned name = build_utf8(&b, "v"), number = build_constant(&b, CF_TAG_INTEGER, 7, 4);
    build_u2(&b, 2);
    build_u2(&b, build_utf8(&b, "Lx/A;"));
    build_u2(&b, 4);
    build_u2(&b, name), build_u1(&b, 'I'), build_u2(&b, number);
    build_u2(&b, name), build_u1(&b, 'e'), build_u2(&b, name), build_u2(&b, name);
    build_u2(&b, name), build_u1(&b, '@'), build_u2(&b, name), build_u2(&b, 0);
    build_u2(&b, name), build_u1(&b, '['), build_u2(&b, 2);
    for (int i = 0; i < 2; i++) build_u1(&b, 's'), build_u2(&b, name);
    build_u2(&b, build_utf8(&b, last));
    build_u2(&b, 0);
    build_end(&b, place);
}

START_TEST(attributes_stay_with_the_wrapper_and_are_found) {
    static const char *const types[] = {"Lx/B;", "Lx/Last;", NULL};
    begin_class(CF_ACC_PUBLIC, 1);
    build_member(&b, CF_ACC_NATIVE, "f", "()V", 2);
    build_annotations("Lx/Last;");
    size_t place = build_attribute(&b, "Exceptions");
    build_u2(&b, 1), build_u2(&b, build_class(&b, "java/io/IOException"));
    build_end(&b, place);
    open_class();
    ck_assert_ptr_eq(cf_annotation_of(&cls, &cls.methods[0], types), types[1]);
    wrap_method(0, CF_OK);
    ck_assert_int_eq(cf_wrap_encode(&wrap, allocate, NULL, &result, &size), CF_OK);
    ck_assert_int_eq(cf_class_open(&after, result, size, &arena), CF_OK);
    struct cf_member *was = &cls.methods[0], *is = &after.methods[0];
    ck_assert_uint_eq(is->attributes_count, 3);
    ck_assert_mem_eq(result + is->offset + 8, bytes + was->offset + 8, was->end - was->offset - 8);
    ck_assert_ptr_eq(cf_annotation_of(&after, is, types), types[1]);
    ck_assert_ptr_null(cf_annotation_of(&after, &after.methods[1], types));
}
END_TEST

START_TEST(annotations_that_do_not_hold_together_end_the_search) {
    static const char *const types[] = {"Lx/Last;", NULL};
    begin_class(CF_ACC_PUBLIC, 2);
    build_member(&b, CF_ACC_NATIVE, "f", "()V", 1); // nested without end
    size_t place = build_attribute(&b, "RuntimeVisibleAnnotations");
    build_u2(&b, 2), build_u2(&b, 1), build_u2(&b, 1), build_u2(&b, 1);
    for (int i = 0; i < 5000; i++) build_u1(&b, '['), build_u2(&b, 1);
    build_end(&b, place);
    build_member(&b, CF_ACC_NATIVE, "g", "()V", 1); // cut
    place = build_attribute(&b, "RuntimeVisibleAnnotations");
    build_u2(&b, 65535), build_u2(&b, 1), build_u2(&b, 65535);
    build_end(&b, place);
    open_class();
    ck_assert_ptr_null(cf_annotation_of(&cls, &cls.methods[0], types));
    ck_assert_ptr_null(cf_annotation_of(&cls, &cls.methods[1], types));
}
END_TEST

START_TEST(what_is_not_wrapped_stays_byte_for_byte) {
    begin_class(CF_ACC_PUBLIC, 3);
    build_member(&b, CF_ACC_NATIVE, "f", "()V", 0);
    build_member(&b, CF_ACC_STATIC, "g", "()V", 1);
    size_t place = build_code(&b, 0, 0, (uint8_t[]){CF_OP_return}, 1);
    build_u2(&b, 0), build_u2(&b, 0);
    build_end(&b, place);
    build_member(&b, CF_ACC_NATIVE, "h", "()V", 0);
    open_class();
    wrap_method(0, CF_OK);
    wrap_method(1, CF_MISUSE);
    encode();
    ck_assert_uint_eq(after.methods_count, 4);
    for (unsigned i = 1; i < 3; i++)
        ck_assert_mem_eq(result + after.methods[i].offset, bytes + cls.methods[i].offset,
                         cls.methods[i].end - cls.methods[i].offset);
    ck_assert_uint_eq(after.methods[1].end - after.methods[1].offset,
                      cls.methods[1].end - cls.methods[1].offset);
}
END_TEST

START_TEST(what_cannot_be_native_is_left_alone) {
    begin_class(CF_ACC_PUBLIC, 4);
    build_member(&b, CF_ACC_NATIVE, "<init>", "()V", 0);
    build_member(&b, CF_ACC_NATIVE | CF_ACC_ABSTRACT, "f", "()V", 0);
    build_member(&b, CF_ACC_NATIVE, "f", "(", 0);
    build_member(&b, CF_ACC_PUBLIC, "f", "()V", 0);
    open_class();
    for (unsigned i = 0; i < 4; i++) wrap_method(i, CF_MISUSE);
    ck_assert_uint_eq(wrap.count, 0);
}
END_TEST

START_TEST(interfaces_are_left_alone) {
    begin_class(CF_ACC_INTERFACE | CF_ACC_ABSTRACT, 1);
    build_member(&b, CF_ACC_NATIVE | CF_ACC_PUBLIC, "f", "()V", 0);
    open_class();
    wrap_method(0, CF_MISUSE);
}
END_TEST

START_TEST(the_prefixed_name_may_be_taken) {
    begin_class(CF_ACC_PUBLIC, 4);
    build_member(&b, CF_ACC_NATIVE, "f", "()V", 0);
    build_member(&b, CF_ACC_NATIVE, PREFIX "f", "()V", 0);
    build_member(&b, CF_ACC_NATIVE, "f", "(I)V", 0);
    build_member(&b, CF_ACC_NATIVE, PREFIX "g", "(I)V", 0);
    open_class();
    ck_assert(!cf_wrap_is_prefixed(&wrap, &cls.methods[0]));
    ck_assert(cf_wrap_is_prefixed(&wrap, &cls.methods[1]));
    wrap_method(0, CF_UNSUPPORTED);
    wrap_method(2, CF_OK);
    encode();
}
END_TEST

START_TEST(a_full_table_of_methods_has_no_room) {
    begin_class(CF_ACC_PUBLIC, 65534);
    unsigned name = build_utf8(&b, "f"), descriptor = build_utf8(&b, "()V");
    for (unsigned i = 0; i < 65534; i++) { // all the same, which is nothing to this layer
        build_u2(&b, CF_ACC_NATIVE), build_u2(&b, name), build_u2(&b, descriptor), build_u2(&b, 0);
    }
    open_class();
    wrap_method(0, CF_OK);
    wrap_method(1, CF_LIMIT);
    ck_assert_int_eq(cf_wrap_encode(&wrap, allocate, NULL, &result, &size), CF_OK);
    ck_assert_int_eq(cf_class_open(&after, result, size, &arena), CF_OK);
    ck_assert_uint_eq(after.methods_count, 65535);
}
END_TEST

START_TEST(a_full_constant_pool_has_no_room) {
    begin_class(CF_ACC_PUBLIC, 3);
    build_member(&b, CF_ACC_NATIVE, "f", "()V", 0);
    build_member(&b, CF_ACC_NATIVE, "g", "()V", 0);
    build_member(&b, CF_ACC_NATIVE, "h", "()V", 0);
    while (b.constants < 65535 - 7) build_constant(&b, CF_TAG_INTEGER, b.constants, 4);
    open_class();
    wrap_method(0, CF_OK); // "Code", the name, its type, the reference
    wrap_method(1, CF_OK);
    wrap_method(2, CF_LIMIT);
    encode();
    ck_assert_uint_eq(after.constant_pool_count, 65535);
    ck_assert_uint_eq(after.methods_count, 5);
}
END_TEST

START_TEST(a_name_may_leave_no_room) {
    char *name = malloc(65536);
    memset(name, 'x', 65535);
    name[65535] = '\0';
    begin_class(CF_ACC_PUBLIC, 1);
    build_member(&b, CF_ACC_NATIVE, name, "()V", 0);
    open_class();
    wrap_method(0, CF_LIMIT);
    free(name);
}
END_TEST

// --- wrappers in the engine ---

static struct instr_options options;
static struct instr_methods *methods;
static struct instr_engine *engine;
static struct instr_rewritten rewritten;
static char reasons[1024];
static int fixed_for_inner;

static int wraps_all(struct rw_class *c, const struct cf_member *native, const char *fixed,
                     const char **why) {
    (void)fixed;
    *why = CF_IS(cf_member_name(c->rewrite->cls, native), "no") ? "no means no" : NULL;
    return !*why;
}

static enum cf_status push_id(struct rw_class *c, struct cf_edit *edit) {
    struct cf_snippet *s = cf_snippet_new(edit);
    cf_push_int(s, c->method_id(c, edit->method));
    cf_op(s, CF_OP_pop);
    cf_insert_entry(edit, s);
    return edit->error.status;
}

// Wants f alone, without a word on others.
static int wraps_f(struct rw_class *c, const struct cf_member *native, const char *fixed,
                   const char **why) {
    (void)why;
    if (fixed) fixed_for_inner++;
    return CF_IS(cf_member_name(c->rewrite->cls, native), "f");
}

static const struct rw_pass outer = {
    .name = "outer", .flags = RW_ONLY_WRAPPERS, .wraps = wraps_all, .edit = push_id};
// Edits methods, too.
static const struct rw_pass inner = {.name = "inner", .wraps = wraps_f, .edit = push_id};
static const struct rw_pass plain = {.name = "plain", .edit = push_id};

static void note_reason(void *context, const struct instr_skipped_item *kept) {
    (void)context;
    sprintf(reasons + strlen(reasons), "%d %s: %s\n", kept->pass, kept->method, kept->reason);
}

// f()V and no()V are native, g()V has code.
static void rewrite_natives(enum instr_occasion occasion) {
    char line[INSTR_ERROR_SIZE];
    struct instr_origin origin = {.occasion = occasion};
    begin_class(CF_ACC_PUBLIC, 3);
    build_member(&b, CF_ACC_NATIVE, "f", "()V", 0);
    build_member(&b, CF_ACC_STATIC, "g", "()V", 1);
    size_t place = build_code(&b, 0, 0, (uint8_t[]){CF_OP_return}, 1);
    build_u2(&b, 0), build_u2(&b, 0);
    build_end(&b, place);
    build_member(&b, CF_ACC_NATIVE, "no", "()V", 0);
    build_u2(&b, 0);
    bytes = build_finish(&b, &length);
    ck_assert_int_eq(instr_options_parse(&options, "calls,timing,natives", line, sizeof line), 0);
    options.passes[0].pass = &outer;
    options.passes[1].pass = &plain;
    options.passes[2].pass = &inner;
    for (unsigned i = 0; i < 3; i++) options.passes[i].number = i;
    methods = instr_methods_new();
    engine = instr_engine_new(&options, methods, "java/lang/");
    memset(reasons, 0, sizeof reasons);
    fixed_for_inner = 0;
    for (int again = 0; again < 2; again++) { // the same class again: nothing is reported twice
        free(rewritten.bytes);
        instr_engine_rewrite_known(engine, &origin, bytes, length, allocate, NULL, &rewritten);
    }
    instr_engine_skipped(engine, note_reason, NULL);
    result = rewritten.bytes;
    if (result) ck_assert_int_eq(cf_class_open(&after, result, rewritten.length, &arena), CF_OK);
}

static void free_engine(void) {
    instr_engine_free(engine);
    instr_methods_free(methods);
    instr_options_free(&options);
    memset(&rewritten, 0, sizeof rewritten);
}

#define SAID_NO "0 no()V: no means no\n"
static const struct instr_wrapped_method f_only = {{(const uint8_t *)"f", 1},
                                                   {(const uint8_t *)"()V", 3}};

START_TEST(passes_share_one_wrapper) {
    rewrite_natives(INSTR_CLASS_NEW);
    ck_assert_str_eq(reasons, SAID_NO);
    ck_assert_uint_eq(after.methods_count, 4);
    is_member(&after.methods[0], 0, "f", "()V");
    is_member(&after.methods[2], CF_ACC_NATIVE, "no", "()V");
    is_member(&after.methods[3], CF_ACC_PRIVATE | CF_ACC_SYNTHETIC | CF_ACC_NATIVE,
              "instr$natives$f", "()V");
    // Ids under the name that the application knows, one for each pass that had the method.
    ck_assert_int_ge(instr_methods_find(methods, 0, "t/T", "f", "()V"), 0);
    ck_assert_int_ge(instr_methods_find(methods, 2, "t/T", "f", "()V"), 0);
    ck_assert_int_ge(instr_methods_find(methods, 1, "t/T", "g", "()V"), 0);
    ck_assert_int_ge(instr_methods_find(methods, 2, "t/T", "g", "()V"), 0);
    ck_assert_int_eq(instr_methods_count(methods), 4);
    ck_assert_int_eq(fixed_for_inner, 0);
    free_engine();
}
END_TEST

START_TEST(before_the_runtime_is_there_only_wrappers_come) {
    rewrite_natives(INSTR_CLASS_EARLY);
    ck_assert_uint_eq(after.methods_count, 4);
    ck_assert_int_eq(instr_methods_find(methods, 1, "t/T", "g", "()V"), -1);
    free_engine();
}
END_TEST

START_TEST(members_of_a_loaded_class_stay) {
    rewrite_natives(INSTR_CLASS_LOADED);
    ck_assert_str_eq(
        reasons, "0 f()V: the class was already loaded, and methods of a loaded class cannot be "
                 "wrapped\n2 f()V: the class was already loaded, and methods of a loaded class "
                 "cannot be wrapped\n" SAID_NO);
    ck_assert_uint_eq(after.methods_count, 3);
    ck_assert_int_eq(fixed_for_inner, 4); // two methods, twice
    ck_assert_int_ge(instr_methods_find(methods, 1, "t/T", "g", "()V"), 0);
    free_engine();
}
END_TEST

START_TEST(bare_wrappers_are_the_same_methods) {
    rewrite_natives(INSTR_CLASS_NEW);
    struct instr_origin origin = {
        .occasion = INSTR_CLASS_WRAPPED, .pass_through = 1, .wrapped = &f_only, .wrapped_count = 1};
    uint8_t *full = rewritten.bytes;
    struct cf_class first = after;
    instr_engine_rewrite_known(engine, &origin, bytes, length, allocate, NULL, &rewritten);
    result = rewritten.bytes;
    ck_assert_int_eq(cf_class_open(&after, result, rewritten.length, &arena), CF_OK);
    ck_assert_uint_eq(after.methods_count, first.methods_count);
    for (unsigned i = 0; i < after.methods_count; i++) {
        struct cf_slice name = cf_member_name(&first, &first.methods[i]);
        ck_assert(cf_slice_equal(cf_member_name(&after, &after.methods[i]), name));
        ck_assert_uint_eq(after.methods[i].access_flags, first.methods[i].access_flags);
    }
    ck_assert_uint_lt(after.methods[0].end - after.methods[0].offset,
                      first.methods[0].end - first.methods[0].offset);
    free(full);
    free_engine();
}
END_TEST

START_TEST(a_wrapped_class_is_wrapped_the_same_way_again) {
    rewrite_natives(INSTR_CLASS_NEW);
    size_t first = rewritten.length;
    uint8_t *copy = malloc(first);
    memcpy(copy, rewritten.bytes, first);
    struct instr_origin origin = {
        .occasion = INSTR_CLASS_WRAPPED, .wrapped = &f_only, .wrapped_count = 1};
    free(rewritten.bytes);
    instr_engine_rewrite_known(engine, &origin, bytes, length, allocate, NULL, &rewritten);
    result = rewritten.bytes;
    ck_assert_uint_eq(rewritten.length, first);
    ck_assert_mem_eq(rewritten.bytes, copy, first);
    free(copy);
    free_engine();
}
END_TEST

// Whatever passes want now, and whether any is left: the JVM refuses the class without them.
START_TEST(only_the_wrappers_that_a_class_has_are_made_again) {
    static const struct instr_wrapped_method no_only = {{(const uint8_t *)"no", 2},
                                                        {(const uint8_t *)"()V", 3}};
    rewrite_natives(INSTR_CLASS_NEW);
    struct instr_origin origin = {
        .occasion = INSTR_CLASS_WRAPPED, .wrapped = &no_only, .wrapped_count = 1};
    uint8_t *before = rewritten.bytes;
    for (unsigned passes = 0; passes < 2; passes++) {
        origin.excluded_passes = passes ? 0 : UINT64_MAX;
        instr_engine_rewrite_known(engine, &origin, bytes, length, allocate, NULL, &rewritten);
        ck_assert_int_eq(cf_class_open(&after, rewritten.bytes, rewritten.length, &arena), CF_OK);
        ck_assert_uint_eq(after.methods_count, 4);
        is_member(&after.methods[0], CF_ACC_NATIVE, "f", "()V");
        is_member(&after.methods[2], 0, "no", "()V");
        is_member(&after.methods[3], CF_ACC_PRIVATE | CF_ACC_SYNTHETIC | CF_ACC_NATIVE,
                  "instr$natives$no", "()V");
        if (!passes) free(rewritten.bytes);
    }
    result = rewritten.bytes;
    free(before);
    free_engine();
}
END_TEST

int main(void) {
    Suite *suite = suite_create("wrap");
    TCase *tests = tcase_create("wrap");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, wrappers_stand_where_the_natives_stood);
    tcase_add_test(tests, a_method_of_255_slots_is_wrapped);
    tcase_add_test(tests, attributes_stay_with_the_wrapper_and_are_found);
    tcase_add_test(tests, annotations_that_do_not_hold_together_end_the_search);
    tcase_add_test(tests, what_is_not_wrapped_stays_byte_for_byte);
    tcase_add_test(tests, what_cannot_be_native_is_left_alone);
    tcase_add_test(tests, interfaces_are_left_alone);
    tcase_add_test(tests, the_prefixed_name_may_be_taken);
    tcase_add_test(tests, a_full_table_of_methods_has_no_room);
    tcase_add_test(tests, a_full_constant_pool_has_no_room);
    tcase_add_test(tests, a_name_may_leave_no_room);
    tcase_add_test(tests, passes_share_one_wrapper);
    tcase_add_test(tests, before_the_runtime_is_there_only_wrappers_come);
    tcase_add_test(tests, members_of_a_loaded_class_stay);
    tcase_add_test(tests, bare_wrappers_are_the_same_methods);
    tcase_add_test(tests, a_wrapped_class_is_wrapped_the_same_way_again);
    tcase_add_test(tests, only_the_wrappers_that_a_class_has_are_made_again);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}

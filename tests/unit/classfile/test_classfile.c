// Opening a class file and looking into it: what is accepted, what is refused and where, and that
// no question about it, however wrong, does harm.

#include "classfile/code.h"
#include "classfile/base/mutf8.h"
#include "tests/unit/rich.h"
#include "tests/unit/run.h"

#include <stdio.h>

static struct cf_arena arena;
static struct cf_class cls;
static uint8_t *bytes;
static size_t length;

static void set_up(void) {
    cf_arena_init(&arena);
}

static void tear_down(void) {
    cf_arena_free(&arena);
    free(bytes);
    bytes = NULL;
}

static enum cf_status open_bytes(void) {
    cf_arena_reset(&arena, 1 << 20);
    return cf_class_open(&cls, bytes, length, &arena);
}

// Finishes the class with no fields, methods or attributes, and opens it.
static enum cf_status open_empty(struct build *b) {
    build_u4(b, 0);
    build_u2(b, 0);
    bytes = build_finish(b, &length);
    return open_bytes();
}

static void assert_slice(struct cf_slice slice, const char *text) {
    ck_assert_ptr_nonnull(slice.bytes);
    ck_assert_uint_eq(slice.length, strlen(text));
    ck_assert(memcmp(slice.bytes, text, slice.length) == 0);
}

static void assert_none(struct cf_slice slice) {
    ck_assert_ptr_null(slice.bytes);
    ck_assert_uint_eq(slice.length, 0);
}

// --- what opens ---

START_TEST(the_smallest_class_opens) {
    struct build b;
    build_class_file(&b, 52, CF_ACC_PUBLIC, "a/B");
    ck_assert_int_eq(open_empty(&b), CF_OK);
    ck_assert_uint_eq(cls.major_version, 52);
    ck_assert_uint_eq(cls.access_flags, CF_ACC_PUBLIC);
    assert_slice(cf_this_name(&cls), "a/B");
    assert_slice(cf_class_name(&cls, cls.super_class), "java/lang/Object");
    ck_assert_uint_eq(cls.fields_count, 0);
    ck_assert_uint_eq(cls.methods_count, 0);
    ck_assert_uint_eq(cls.attributes_count, 0);
}
END_TEST

START_TEST(oldest_and_future_versions_open) {
    static const unsigned versions[][2] = {{45, 3}, {45, 65535}, {72, 65535}, {99, 0}, {65535, 1}};
    for (size_t i = 0; i < sizeof versions / sizeof *versions; i++) {
        struct build b;
        build_class_file(&b, versions[i][0], 0, "A");
        b.minor_version = versions[i][1];
        ck_assert_int_eq(open_empty(&b), CF_OK);
        ck_assert_uint_eq(cls.major_version, versions[i][0]);
        ck_assert_uint_eq(cls.minor_version, versions[i][1]);
        free(bytes);
        bytes = NULL;
    }
}
END_TEST

START_TEST(every_constant_is_indexed) {
    static const struct {
        uint8_t tag, size;
    } kinds[] = {{3, 4},  {4, 4},  {5, 8},  {6, 8},  {7, 2},  {8, 2},  {9, 4},  {10, 4},
                 {11, 4}, {12, 4}, {15, 3}, {16, 2}, {17, 4}, {18, 4}, {19, 2}, {20, 2}};
    enum { KINDS = sizeof kinds / sizeof *kinds };
    unsigned index[KINDS];
    struct build b;
    build_class_file(&b, 69, 0, "A");
    for (int i = 0; i < KINDS; i++)
        index[i] =
            build_constant(&b, kinds[i].tag, 0x0101010101010101u * kinds[i].tag, kinds[i].size);
    unsigned text = build_utf8(&b, "text"), empty = build_utf8(&b, "");
    ck_assert_int_eq(open_empty(&b), CF_OK);
    for (int i = 0; i < KINDS; i++) {
        ck_assert_uint_eq(cf_tag_at(&cls, index[i]), kinds[i].tag);
        const uint8_t *entry = cf_entry(&cls, index[i], kinds[i].tag);
        ck_assert_uint_eq(entry[0], kinds[i].tag);
        ck_assert_uint_eq(entry[kinds[i].size - 1], kinds[i].tag);
        ck_assert_ptr_null(cf_entry(&cls, index[i], kinds[i].tag == 3 ? 4 : 3));
    }
    ck_assert_uint_eq(cf_tag_at(&cls, index[2] + 1), 0); // the second index of the long
    assert_slice(cf_utf8(&cls, text), "text");
    assert_slice(cf_utf8(&cls, empty), "");
}
END_TEST

START_TEST(names_behind_constants_are_found) {
    struct build b;
    build_class_file(&b, 69, 0, "A");
    unsigned string = build_named(&b, CF_TAG_STRING, "s"),
             type = build_named(&b, CF_TAG_METHOD_TYPE, "()V");
    unsigned pair = build_name_and_type(&b, "n", "I");
    unsigned field = build_reference(&b, CF_TAG_FIELDREF, "C", "f", "J");
    unsigned indy = build_dynamic(&b, CF_TAG_INVOKE_DYNAMIC, 3, "d", "()I");
    ck_assert_int_eq(open_empty(&b), CF_OK);
    struct cf_slice owner, name, descriptor;
    assert_slice(cf_named(&cls, string, CF_TAG_STRING), "s");
    assert_slice(cf_named(&cls, type, CF_TAG_METHOD_TYPE), "()V");
    ck_assert_int_eq(cf_name_and_type(&cls, pair, &name, &descriptor), 1);
    assert_slice(name, "n");
    assert_slice(descriptor, "I");
    ck_assert_int_eq(cf_reference(&cls, field, &owner, &name, &descriptor), 1);
    assert_slice(owner, "C");
    assert_slice(name, "f");
    assert_slice(descriptor, "J");
    ck_assert_int_eq(cf_reference(&cls, indy, &owner, &name, &descriptor), 1);
    assert_none(owner);
    assert_slice(name, "d");
}
END_TEST

START_TEST(wrong_indexes_give_nothing) {
    struct build b;
    build_class_file(&b, 69, 0, "A");
    unsigned text = build_utf8(&b, "text");
    unsigned astray = build_constant(&b, CF_TAG_CLASS, 0xFFFF, 2);
    unsigned to_long = build_constant(&b, CF_TAG_LONG, 0, 8);
    unsigned to_second = build_constant(&b, CF_TAG_STRING, to_long + 1, 2);
    unsigned broken = build_pair(&b, CF_TAG_FIELDREF, astray, text);
    unsigned pair = build_pair(&b, CF_TAG_NAME_AND_TYPE, text, 0);
    ck_assert_int_eq(open_empty(&b), CF_OK);
    struct cf_slice owner, name, descriptor;
    const unsigned wrong[] = {0, cls.constant_pool_count, 0xFFFF, 0xFFFFFFFFu, to_long + 1, broken};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_none(cf_utf8(&cls, wrong[i]));
        assert_none(cf_class_name(&cls, wrong[i]));
        ck_assert_int_eq(cf_name_and_type(&cls, wrong[i], &name, &descriptor), 0);
        ck_assert_int_eq(cf_reference(&cls, wrong[i], &owner, &name, &descriptor), 0);
    }
    ck_assert_uint_eq(cf_tag_at(&cls, 0xFFFFFFFFu), 0);
    ck_assert_ptr_null(cf_entry(&cls, 0xFFFFFFFFu, 0));
    ck_assert_ptr_null(cf_entry(&cls, 0, 0));
    assert_none(cf_class_name(&cls, text));
    assert_none(cf_class_name(&cls, astray));
    assert_none(cf_named(&cls, to_second, CF_TAG_STRING));
    ck_assert_int_eq(cf_name_and_type(&cls, pair, &name, &descriptor), 0);
}
END_TEST

START_TEST(an_unknown_attribute_is_seen_as_it_stands) {
    bytes = rich_class(&length);
    ck_assert_int_eq(open_bytes(), CF_OK);
    struct cf_error error = {0};
    struct cf_walk walk = cf_class_attributes(&cls, &error);
    struct cf_attribute a;
    int found = 0;
    while (cf_next_attribute(&walk, &a))
        if (CF_IS(a.name, "com.acme.Odd")) {
            ck_assert_uint_eq(a.length, 4);
            ck_assert_uint_eq(cf_be4(cls.bytes + a.info), 0xDEADBEEFu);
            found++;
        }
    ck_assert_int_eq(found, 1);
    ck_assert_int_eq(error.status, CF_OK);
}
END_TEST

START_TEST(members_are_walked) {
    bytes = rich_class(&length);
    ck_assert_int_eq(open_bytes(), CF_OK);
    struct cf_error error = {0};
    struct cf_walk walk = cf_walk_fields(&cls, &error);
    struct cf_member field;
    char names[16] = "";
    while (cf_next_field(&walk, &field)) {
        struct cf_slice name = cf_member_name(&cls, &field);
        strncat(names, (const char *)name.bytes, name.length);
    }
    ck_assert_str_eq(names, "ifjdl");
    ck_assert_uint_eq(cls.methods_count, 2);
    assert_slice(cf_member_name(&cls, &cls.methods[0]), "f");
    ck_assert_uint_ne(cls.methods[0].code, 0);
    ck_assert_uint_eq(cls.methods[1].code, 0);
}
END_TEST

// --- what does not open ---

static void assert_refused(enum cf_status status, uint32_t offset) {
    ck_assert_int_eq(open_bytes(), status);
    ck_assert_int_eq(cls.error.status, status);
    ck_assert_ptr_nonnull(cls.error.reason);
    if (offset != UINT32_MAX) ck_assert_uint_eq(cls.error.offset, offset);
}

START_TEST(a_class_cut_off_anywhere_is_refused) {
    uint8_t *(*const classes[])(size_t *) = {rich_class, rich_module, rich_value_class};
    for (int i = 0; i < 3; i++) {
        size_t whole;
        uint8_t *all = classes[i](&whole);
        for (size_t n = 0; n < whole; n++) {
            bytes = malloc(n ? n : 1); // its exact length, for the sanitizer's sake
            memcpy(bytes, all, n);
            length = n;
            assert_refused(CF_TRUNCATED, UINT32_MAX);
            free(bytes);
        }
        bytes = all;
        length = whole;
        ck_assert_int_eq(open_bytes(), CF_OK);
        free(bytes);
        bytes = NULL;
    }
}
END_TEST

START_TEST(a_utf8_longer_than_the_file_is_named) {
    for (unsigned more = 0; more < 2; more++) { // the last constant, and not the last
        struct build b;
        build_class_file(&b, 52, 0, "A");
        uint32_t offset = 10 + (uint32_t)b.pool.length, first = b.constants;
        build_utf8(&b, "0123456789");
        cf_put2(b.pool.bytes + b.pool.length - 12, 4000);
        b.constants += more;
        ck_assert_int_eq(open_empty(&b), CF_TRUNCATED);
        char text[100];
        ck_assert_uint_eq(cls.error.offset, offset);
        cf_error_text(&cls.error, text, sizeof text);
        ck_assert_ptr_nonnull(strstr(text, "truncated: CONSTANT_Utf8 of 4000 bytes (at offset "));
        ck_assert_uint_eq(cls.constant_pool_count, first);
        free(bytes);
        bytes = NULL;
    }
}
END_TEST

START_TEST(the_head_opens_whatever_is_behind_it) {
    bytes = rich_class(&length);
    ck_assert_int_eq(open_bytes(), CF_OK);
    struct cf_class head;
    uint32_t end = cls.fields - 2;
    memset(bytes + end, 0xFF, 2); // as many fields as there can be
    ck_assert_int_eq(cf_class_open_head(&head, bytes, length, &arena), CF_OK);
    ck_assert(cf_slice_equal(cf_this_name(&head), cf_this_name(&cls)));
    ck_assert(cf_slice_equal(cf_class_name(&head, head.super_class),
                             cf_class_name(&cls, cls.super_class)));
    ck_assert_uint_eq(head.interfaces_count, cls.interfaces_count);
    ck_assert_uint_eq(head.interfaces, cls.interfaces);
    ck_assert(!head.fields_count && !head.methods_count && !head.attributes_count);
    ck_assert_int_ne(open_bytes(), CF_OK);
    for (length = 0; length < end; length++) {
        cf_arena_reset(&arena, 1 << 20);
        ck_assert_int_eq(cf_class_open_head(&head, bytes, length, &arena), CF_TRUNCATED);
    }
}
END_TEST

START_TEST(of_a_pool_cut_off_the_whole_entries_are_indexed) {
    size_t whole;
    uint8_t *all = rich_class(&whole);
    struct cf_class uncut;
    struct cf_arena other;
    cf_arena_init(&other);
    ck_assert_int_eq(cf_class_open(&uncut, all, whole, &other), CF_OK);
    unsigned readable = 1;
    for (size_t n = 10; n <= uncut.constant_pool_end; n++) {
        bytes = malloc(n);
        memcpy(bytes, all, n);
        length = n;
        ck_assert_int_eq(open_bytes(), CF_TRUNCATED);
        ck_assert_uint_le(cls.error.offset, n);
        // The next entry becomes readable with its last byte: where the one behind it begins.
        for (unsigned next = readable; next <= uncut.constant_pool_count; next++) {
            int last = next == uncut.constant_pool_count;
            uint32_t start = last ? uncut.constant_pool_end : uncut.constant_pool[next];
            if (start == n) readable = next;
        }
        ck_assert_uint_eq(cls.constant_pool_count, readable);
        for (unsigned i = 0; i < readable; i++)
            ck_assert_uint_eq(cls.constant_pool[i], uncut.constant_pool[i]);
        free(bytes);
        bytes = NULL;
    }
    ck_assert_uint_eq(readable, uncut.constant_pool_count);
    cf_arena_free(&other);
    free(all);
}
END_TEST

START_TEST(a_file_that_is_not_a_class_file_is_refused) {
    bytes = malloc(64);
    memset(bytes, 'x', 64);
    length = 64;
    assert_refused(CF_MALFORMED, 0);
    length = 0;
    assert_refused(CF_TRUNCATED, 0);
}
END_TEST

START_TEST(bytes_behind_the_class_are_refused) {
    struct build b;
    build_class_file(&b, 52, 0, "A");
    build_u4(&b, 0), build_u2(&b, 0), build_u1(&b, 0);
    bytes = build_finish(&b, &length);
    assert_refused(CF_MALFORMED, (uint32_t)length - 1);
}
END_TEST

START_TEST(unknown_tags_are_refused) {
    static const unsigned tags[] = {0, 2, 13, 14, 21, 255};
    for (size_t i = 0; i < sizeof tags / sizeof *tags; i++) {
        struct build b;
        build_class_file(&b, 52, 0, "A");
        uint32_t offset = 10 + (uint32_t)b.pool.length;
        build_constant(&b, tags[i], 0, 8);
        ck_assert_int_eq(open_empty(&b), CF_UNKNOWN);
        ck_assert_uint_eq(cls.error.offset, offset);
        ck_assert_uint_eq(cls.error.value, tags[i]);
        free(bytes);
        bytes = NULL;
    }
}
END_TEST

START_TEST(a_long_or_double_cannot_be_last) {
    for (unsigned tag = CF_TAG_LONG; tag <= CF_TAG_DOUBLE; tag++) {
        struct build b;
        build_class_file(&b, 52, 0, "A");
        build_constant(&b, tag, 1, 8);
        b.constants--;
        ck_assert_int_eq(open_empty(&b), CF_MALFORMED);
        free(bytes);
        bytes = NULL;
    }
}
END_TEST

START_TEST(a_pool_without_room_for_index_0_is_refused) {
    struct build b;
    build_class_file(&b, 52, 0, "A");
    b.constants = 0;
    ck_assert_int_eq(open_empty(&b), CF_MALFORMED);
}
END_TEST

START_TEST(lengths_that_overflow_are_refused) {
    struct build b;
    build_class_file(&b, 52, 0, "A");
    build_u4(&b, 0);
    build_u2(&b, 1);
    build_u2(&b, build_utf8(&b, "X"));
    build_u4(&b, 0xFFFFFFFFu);
    build_u4(&b, 0);
    bytes = build_finish(&b, &length);
    assert_refused(CF_TRUNCATED, UINT32_MAX);
}
END_TEST

static unsigned allocations_left;

static void *failing_allocate(size_t size) {
    if (allocations_left == 0) return NULL;
    allocations_left--;
    return malloc(size);
}

START_TEST(out_of_memory_is_an_error) {
    struct build b;
    build_class_file(&b, 52, 0, "A");
    for (int i = 0; i < 30000; i++) build_constant(&b, CF_TAG_INTEGER, 0, 4);
    ck_assert_int_eq(open_empty(&b), CF_OK);
    for (unsigned n = 0; n < 4; n++) {
        struct cf_arena poor;
        cf_arena_init(&poor);
        poor.allocate = failing_allocate;
        allocations_left = n;
        enum cf_status status = cf_class_open(&cls, bytes, length, &poor);
        ck_assert(status == CF_NO_MEMORY || (status == CF_OK && n > 0));
        cf_arena_free(&poor);
    }
}
END_TEST

// --- descriptors ---

START_TEST(method_descriptors_are_counted) {
    static const struct {
        const char *descriptor;
        int good;
        unsigned parameters, result;
    } cases[] = {
        {"()V", 1, 0, 0},       {"(IJ)D", 1, 3, 2},
        {"([J[[D)[J", 1, 2, 1}, {"(Ljava/lang/Object;Z)Z", 1, 2, 1},
        {"", 0, 0, 0},          {"()", 0, 0, 0},
        {"(V)V", 0, 0, 0},      {"(I", 0, 0, 0},
        {"I", 0, 0, 0},         {"()VV", 0, 0, 0},
        {"(L;)V", 0, 0, 0},     {"(Lx)V", 0, 0, 0},
        {"([)V", 0, 0, 0},      {"()[V", 0, 0, 0},
        {"(I)", 0, 0, 0},       {"(II)Lx", 0, 0, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct cf_slice s = {(const uint8_t *)cases[i].descriptor,
                             (uint32_t)strlen(cases[i].descriptor)};
        unsigned parameters = 0, result = 0;
        ck_assert_msg(cf_method_slots(s, &parameters, &result) == cases[i].good, "%s",
                      cases[i].descriptor);
        if (!cases[i].good) continue;
        ck_assert_uint_eq(parameters, cases[i].parameters);
        ck_assert_uint_eq(result, cases[i].result);
    }
    struct cf_slice none = {NULL, 0}; // what a wrong index gives
    unsigned parameters, result;
    ck_assert_int_eq(cf_method_slots(none, &parameters, &result), 0);
}
END_TEST

// The names of classes may have a closing parenthesis.
START_TEST(the_result_is_behind_the_parameters) {
    static const char *const cases[][2] = {
        {"()V", "V"},         {"(IJ)[J", "[J"}, {"(La)b;[Lc);)Ld)e;", "Ld)e;"},
        {"()Ld)e;", "Ld)e;"}, {"(La)b;", NULL}, {"(La", NULL},
        {"I", NULL},          {"(]", NULL},     {"", NULL}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct cf_slice d = {(const uint8_t *)cases[i][0], (uint32_t)strlen(cases[i][0])};
        struct cf_slice result = cf_result_type(d);
        if (!cases[i][1]) {
            ck_assert_msg(result.bytes == NULL, "%s", cases[i][0]);
            continue;
        }
        ck_assert_uint_eq(result.length, strlen(cases[i][1]));
        ck_assert_mem_eq(result.bytes, cases[i][1], result.length);
    }
}
END_TEST

START_TEST(a_method_takes_255_slots_at_most) {
    char text[300];
    unsigned parameters, result;
    memset(text, 'J', sizeof text);
    text[0] = '(';
    for (unsigned longs = 126; longs < 130; longs++) {
        memcpy(text + 1 + longs, "I)V", 3);
        struct cf_slice s = {(const uint8_t *)text, longs + 4};
        ck_assert_int_eq(cf_method_slots(s, &parameters, &result), longs * 2 + 1 <= 255);
        memset(text + 1 + longs, 'J', 3);
    }
}
END_TEST

START_TEST(field_descriptors_are_measured) {
    char deep[300];
    memset(deep, '[', sizeof deep);
    deep[255] = deep[256] = 'I';
    struct cf_slice dimensions_255 = {(const uint8_t *)deep, 256};
    struct cf_slice dimensions_256 = {(const uint8_t *)deep, 257};
    ck_assert_uint_eq(cf_field_slots(dimensions_255), 1);
    deep[255] = '[';
    ck_assert_uint_eq(cf_field_slots(dimensions_256), 0);
    static const struct {
        const char *text;
        unsigned slots;
    } cases[] = {{"I", 1}, {"J", 2},  {"D", 2}, {"[J", 1}, {"La;", 1},
                 {"V", 0}, {"II", 0}, {"", 0},  {"La", 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct cf_slice s = {(const uint8_t *)cases[i].text, (uint32_t)strlen(cases[i].text)};
        ck_assert_uint_eq(cf_field_slots(s), cases[i].slots);
    }
}
END_TEST

START_TEST(what_a_descriptor_does_to_the_stack) {
    static const struct {
        const char *text;
        int good, effect;
    } cases[] = {{"I", 1, 1},   {"J", 1, 2},   {"[J", 1, 1},    {"La;", 1, 1},
                 {"()V", 1, 0}, {"()D", 1, 2}, {"(J)V", 1, -2}, {"(I[[JLa;D)La;", 1, -4},
                 {"", 0, 0},    {"V", 0, 0},   {"x", 0, 0},     {"(", 0, 0},
                 {"(I", 0, 0},  {"(I)", 0, 0}, {"(La)V", 0, 0}, {"(V)V", 0, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct cf_slice s = {(const uint8_t *)cases[i].text, (uint32_t)strlen(cases[i].text)};
        int effect = 0;
        ck_assert_msg(cf_descriptor_effect(s, &effect) == cases[i].good, "%s", cases[i].text);
        if (cases[i].good) ck_assert_int_eq(effect, cases[i].effect);
    }
}
END_TEST

START_TEST(a_type_ends_where_it_ends_whatever_the_length_of_its_name) {
    for (uint32_t name = 0; name < 40; name++) {
        uint8_t text[64];
        memset(text, 'x', sizeof text);
        text[0] = 'L';
        text[1 + name] = ';';
        text[2 + name] = ';'; // the first one counts
        const uint8_t *end = name ? text + 2 + name : NULL;
        for (uint32_t behind = 0; behind < 12; behind++)
            ck_assert_ptr_eq(cf_after_type(text, text + 2 + name + behind), end);
        ck_assert_ptr_null(cf_after_type(text, text + 1 + name)); // cut off before it
    }
}
END_TEST

// --- instructions ---

START_TEST(each_instruction_has_the_length_of_its_row) {
    uint8_t code[8] = {0};
    for (unsigned op = 0; op < 256; op++) {
        code[0] = (uint8_t)op;
        uint32_t n = op < CF_OPCODE_COUNT ? cf_opcodes[op].length : 0;
        if (op == CF_OP_tableswitch || op == CF_OP_lookupswitch || op == CF_OP_wide) continue;
        ck_assert_uint_eq(cf_instruction_length(code, 0, sizeof code), n);
        for (uint32_t cut = 1; cut < n; cut++)
            ck_assert_uint_eq(cf_instruction_length(code, 0, cut), 0);
    }
}
END_TEST

START_TEST(wide_instructions_are_measured) {
    for (unsigned op = 0; op < 256; op++) {
        const uint8_t code[] = {CF_OP_wide, (uint8_t)op, 1, 2, 3, 4};
        uint32_t n = 0;
        if (op == CF_OP_iinc)
            n = 6;
        else if (op == CF_OP_ret || (op >= CF_OP_iload && op <= CF_OP_aload) ||
                 (op >= CF_OP_istore && op <= CF_OP_astore))
            n = 4;
        ck_assert_uint_eq(cf_instruction_length(code, 0, 6), n);
        if (n) ck_assert_uint_eq(cf_instruction_length(code, 0, n - 1), 0);
    }
}
END_TEST

START_TEST(switches_are_measured_at_each_padding) {
    for (uint32_t pc = 0; pc < 4; pc++) {
        uint8_t code[64] = {0};
        uint32_t operands = (pc + 4) & ~3u;
        code[pc] = CF_OP_tableswitch;
        cf_put4(code + operands + 4, 5);
        cf_put4(code + operands + 8, 7);
        ck_assert_uint_eq(cf_instruction_length(code, pc, sizeof code), operands + 24 - pc);
        ck_assert_uint_eq(cf_instruction_length(code, pc, operands + 23), 0);
        cf_put4(code + operands + 8, 4); // high below low
        ck_assert_uint_eq(cf_instruction_length(code, pc, sizeof code), 0);
        cf_put4(code + operands + 4, 0x80000000u), cf_put4(code + operands + 8, 0x7FFFFFFFu);
        ck_assert_uint_eq(cf_instruction_length(code, pc, sizeof code), 0);
        code[pc] = CF_OP_lookupswitch;
        cf_put4(code + operands + 4, 2);
        ck_assert_uint_eq(cf_instruction_length(code, pc, sizeof code), operands + 24 - pc);
        ck_assert_uint_eq(cf_instruction_length(code, pc, operands + 23), 0);
        cf_put4(code + operands + 4, 0x20000000u); // times 8 wraps around
        ck_assert_uint_eq(cf_instruction_length(code, pc, sizeof code), 0);
    }
}
END_TEST

START_TEST(code_is_opened_and_scanned) {
    bytes = rich_class(&length);
    ck_assert_int_eq(open_bytes(), CF_OK);
    struct cf_error error = {0};
    struct cf_code code;
    ck_assert_int_eq(cf_code_open(&code, &cls, &cls.methods[0], &error), CF_OK);
    ck_assert_uint_eq(code.length, 110);
    ck_assert_uint_eq(code.exception_table_length, 2);
    ck_assert_uint_ne(code.stack_map_table, 0);
    ck_assert_int_eq(cf_code_scan(&code, &error), CF_OK);
    ck_assert_uint_eq(code.branches_count, 1);
    ck_assert_uint_eq(code.branches[0].target, 12);
    ck_assert_uint_eq(code.switches_count, 2);
    ck_assert_uint_eq(code.returns_count, 2);
    struct cf_switch sw;
    cf_switch_open(&code, 62, &sw);
    ck_assert_int_eq(cf_switch_match(&sw, 0), 1);
    ck_assert_uint_eq(cf_switch_target(&sw, 0), 80);
    ck_assert_uint_eq(sw.default_pc, 88);
    cf_switch_open(&code, 89, &sw);
    ck_assert_int_eq(cf_switch_match(&sw, 0), -5);
    ck_assert_uint_eq(cf_switch_target(&sw, 0), 108);
}
END_TEST

// --- modified UTF-8 ---

START_TEST(an_attribute_without_a_name_is_not_a_stack_map_table) {
    struct build b;
    static const uint8_t code[] = {CF_OP_return};
    build_class_file(&b, 52, 0, "A");
    build_counted(&b, 0);
    build_counted(&b, 1);
    build_member(&b, CF_ACC_STATIC, "f", "()V", 1);
    size_t place = build_code(&b, 0, 0, code, sizeof code);
    build_u2(&b, 0), build_u2(&b, 1);
    build_u2(&b, 0), build_u4(&b, 2), build_u2(&b, 0); // name_index 0
    build_end(&b, place);
    build_u2(&b, 0);
    bytes = build_finish(&b, &length);
    struct cf_error error = {0};
    struct cf_code opened;
    ck_assert_int_eq(open_bytes(), CF_OK);
    ck_assert_int_eq(cf_code_open(&opened, &cls, &cls.methods[0], &error), CF_OK);
    ck_assert_uint_eq(opened.stack_map_table, 0);
}
END_TEST

START_TEST(modified_utf8_is_checked) {
    static const struct {
        const char *text;
        uint32_t length, good;
    } cases[] = {
        {"plain", 5, 5},
        {"\xC0\x80", 2, 2},
        {"a\0b", 3, 1},
        {"\xC3\xA9", 2, 2},
        {"\xE4\xB8\xAD", 3, 3},
        {"\xED\xA0\xBD\xED\xB8\x80", 6, 6},
        {"\xF0\x9F\x98\x80", 4, 0},
        {"x\x80", 2, 1},
        {"\xC3", 1, 0},
        {"\xE4\xB8", 2, 0},
        {"\xC1\xBF", 2, 0},
        {"\xE0\x9F\xBF", 3, 0},
        {"\xC3\x41", 2, 0},
        {"\xFF", 1, 0},
        {"\xE0\x80\x80", 3, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        ck_assert_uint_eq(cf_mutf8_check((const uint8_t *)cases[i].text, cases[i].length, 0),
                          cases[i].good);
    ck_assert_uint_eq(cf_mutf8_check((const uint8_t *)"\xC1\xBF", 2, 1), 2);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("classfile");
    TCase *tests = tcase_create("classfile");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, the_smallest_class_opens);
    tcase_add_test(tests, the_head_opens_whatever_is_behind_it);
    tcase_add_test(tests, oldest_and_future_versions_open);
    tcase_add_test(tests, every_constant_is_indexed);
    tcase_add_test(tests, names_behind_constants_are_found);
    tcase_add_test(tests, wrong_indexes_give_nothing);
    tcase_add_test(tests, an_unknown_attribute_is_seen_as_it_stands);
    tcase_add_test(tests, members_are_walked);
    tcase_add_test(tests, a_class_cut_off_anywhere_is_refused);
    tcase_add_test(tests, a_utf8_longer_than_the_file_is_named);
    tcase_add_test(tests, of_a_pool_cut_off_the_whole_entries_are_indexed);
    tcase_add_test(tests, a_file_that_is_not_a_class_file_is_refused);
    tcase_add_test(tests, bytes_behind_the_class_are_refused);
    tcase_add_test(tests, unknown_tags_are_refused);
    tcase_add_test(tests, a_long_or_double_cannot_be_last);
    tcase_add_test(tests, a_pool_without_room_for_index_0_is_refused);
    tcase_add_test(tests, lengths_that_overflow_are_refused);
    tcase_add_test(tests, out_of_memory_is_an_error);
    tcase_add_test(tests, method_descriptors_are_counted);
    tcase_add_test(tests, the_result_is_behind_the_parameters);
    tcase_add_test(tests, a_method_takes_255_slots_at_most);
    tcase_add_test(tests, field_descriptors_are_measured);
    tcase_add_test(tests, what_a_descriptor_does_to_the_stack);
    tcase_add_test(tests, a_type_ends_where_it_ends_whatever_the_length_of_its_name);
    tcase_add_test(tests, each_instruction_has_the_length_of_its_row);
    tcase_add_test(tests, wide_instructions_are_measured);
    tcase_add_test(tests, switches_are_measured_at_each_padding);
    tcase_add_test(tests, code_is_opened_and_scanned);
    tcase_add_test(tests, an_attribute_without_a_name_is_not_a_stack_map_table);
    tcase_add_test(tests, modified_utf8_is_checked);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}

// What the editor promises of the bytes it writes. That they verify and run is shown on real JVMs;
// here is what only the bytes show.

#include "classfile/edit/internal.h"
#include "classfile/frames.h"
#include "tests/unit/run.h"
#include "tests/unit/subject.h"

// --- tests ---

START_TEST(a_class_without_an_edit_is_written_as_it_was) {
    struct subject s;
    METHOD(&s, 52, "()V", 0, 0, CF_OP_return);
    cf_new_local(s.edit, "J", 1);
    ck_assert_int_eq(cf_edit_commit(s.edit), CF_OK);
    encode(&s);
    ck_assert_uint_eq(s.size, s.length);
    ck_assert_mem_eq(s.result, s.bytes, s.length);
    close_subject(&s);
}
END_TEST

START_TEST(the_original_pool_is_a_prefix_and_new_constants_are_found_again) {
    struct subject s;
    METHOD(&s, 52, "()V", 0, 0, CF_OP_return);
    struct cf_callee a = cf_callee_new(&s.rewrite, "Q", "m", "(I)V");
    struct cf_callee b = cf_callee_new(&s.rewrite, "Q", "m", "(I)V");
    ck_assert_uint_eq(a.methodref, b.methodref);
    ck_assert_uint_eq(s.rewrite.pool.count, s.cls.constant_pool_count + 6u);
    struct cf_snippet *call = cf_snippet_new(s.edit);
    cf_push_int(call, 7);
    cf_call(call, a);
    cf_insert_entry(s.edit, call);
    commit(&s);
    ck_assert_mem_eq(s.result + 10, s.bytes + 10, s.cls.constant_pool_end - 10);
    ck_assert_uint_eq(s.after.constant_pool_count, s.cls.constant_pool_count + 6u);
    close_subject(&s);
}
END_TEST

START_TEST(a_method_that_fails_takes_its_constants_back) {
    struct subject s;
    METHOD(&s, 52, "()V", 0, 0, CF_OP_return);
    uint32_t before = s.rewrite.pool.count;
    struct cf_snippet *odd = cf_snippet_new(s.edit);
    cf_push_constant(odd, cf_add_string(&s.rewrite.pool, "left over", 9));
    cf_insert_entry(s.edit, odd); // leaves a value on the stack
    ck_assert_int_eq(cf_edit_commit(s.edit), CF_MISUSE);
    ck_assert_uint_eq(s.rewrite.pool.count, before);
    encode(&s);
    ck_assert_uint_eq(s.size, s.length);
    ck_assert_mem_eq(s.result, s.bytes, s.length);
    close_subject(&s);
}
END_TEST

// As in instr/examples/count_fields.c, which makes its callee in the first method that needs it.
START_TEST(callees_outlive_an_edit_that_fails) {
    struct build b;
    struct subject s;
    build_class_file(&b, 49, CF_ACC_PUBLIC, "A");
    build_counted(&b, 0);
    build_counted(&b, 2);
    for (unsigned i = 0; i < 2; i++) {
        static const uint8_t code[] = {CF_OP_return};
        build_member(&b, CF_ACC_STATIC, i ? "g" : "f", "()V", 1);
        size_t place = build_code(&b, 0, 0, code, sizeof code);
        build_u2(&b, 0);
        build_u2(&b, 0);
        build_end(&b, place);
    }
    build_u2(&b, 0);
    open_subject(&s, &b);
    begin(&s, 0);
    struct cf_callee made = cf_callee_new(&s.rewrite, "Q", "m", "()V");
    struct cf_snippet *odd = cf_snippet_new(s.edit);
    cf_push_constant(odd, cf_add_string(&s.rewrite.pool, "left over", 9));
    cf_call(odd, made);
    cf_insert_entry(s.edit, odd); // leaves a value on the stack
    uint32_t all = s.rewrite.pool.count;
    ck_assert_int_eq(cf_edit_commit(s.edit), CF_MISUSE);
    ck_assert_uint_eq(s.rewrite.pool.count, all - 2); // without the string
    begin(&s, 1);
    ck_assert_uint_ne(cf_add_string(&s.rewrite.pool, "another", 7), made.methodref);
    struct cf_snippet *call = cf_snippet_new(s.edit);
    cf_call(call, made);
    cf_insert_entry(s.edit, call);
    commit(&s);
    struct cf_code code = code_of(&s, 1);
    struct cf_slice class_name, name, descriptor;
    ck_assert_uint_eq(code.bytes[0], CF_OP_invokestatic);
    ck_assert(cf_reference(&s.after, cf_be2(code.bytes + 1), &class_name, &name, &descriptor));
    ck_assert(CF_IS(class_name, "Q") && CF_IS(name, "m") && CF_IS(descriptor, "()V"));
    close_subject(&s);
}
END_TEST

START_TEST(snippets_stand_in_the_order_of_the_header) {
    struct subject s;
    METHOD(&s, 52, "()V", 0, 0, CF_OP_nop, CF_OP_return);
    for (int pass = 0; pass < 2; pass++) {
        s.edit->nesting = pass;
        cf_insert_entry(s.edit, push_and_pop(s.edit, 0 + pass));
        cf_insert_before(s.edit, 1, push_and_pop(s.edit, 2 + pass));
        cf_insert_after(s.edit, 0, push_and_pop(s.edit, 4 + pass));
        cf_insert_exits(s.edit, push_and_pop(s.edit, -1 + pass));
    }
    commit(&s);
    ASSERT_CODE(&s, CF_OP_iconst_0, CF_OP_pop, CF_OP_iconst_1, CF_OP_pop, // entry: 0 outermost
                CF_OP_nop, CF_OP_iconst_5, CF_OP_pop, CF_OP_iconst_4, CF_OP_pop, // after: 1 first
                CF_OP_iconst_2, CF_OP_pop, CF_OP_iconst_3, CF_OP_pop,            // before
                CF_OP_iconst_0, CF_OP_pop, CF_OP_iconst_m1, CF_OP_pop,
                CF_OP_return); // exit: 1 first
    close_subject(&s);
}
END_TEST

START_TEST(a_loop_to_the_first_instruction_does_not_run_the_entry) {
    struct subject s;
    METHOD(&s, 49, "()V", 0, 0, CF_OP_nop, CF_OP_goto, 0xff, 0xff);
    cf_insert_entry(s.edit, nops(s.edit, 3));
    commit(&s);
    ASSERT_CODE(&s, CF_OP_nop, CF_OP_nop, CF_OP_nop, CF_OP_nop, CF_OP_goto, 0xff, 0xff);
    close_subject(&s);
}
END_TEST

START_TEST(a_jump_runs_what_is_before_its_target_but_not_what_is_after_the_one_above) {
    struct subject s;
    METHOD(&s, 49, "(I)V", 1, 1, CF_OP_iload_0, CF_OP_ifeq, 0, 4, CF_OP_nop, CF_OP_return);
    cf_insert_after(s.edit, 2, nops(s.edit, 1));
    cf_insert_before(s.edit, 3, nops(s.edit, 2));
    commit(&s);
    ASSERT_CODE(&s, CF_OP_iload_0, CF_OP_ifeq, 0, 5, CF_OP_nop, CF_OP_nop, CF_OP_nop, CF_OP_nop,
                CF_OP_return);
    close_subject(&s);
}
END_TEST

START_TEST(an_edge_is_where_the_jump_is) {
    struct subject s;
    METHOD(&s, 49, "(I)V", 1, 1, CF_OP_iload_0, CF_OP_ifeq, 0, 4, CF_OP_nop, CF_OP_return);
    cf_insert_edge(s.edit, 1, 3, nops(s.edit, 1));
    cf_insert_edge(s.edit, 1, 3, push_and_pop(s.edit, 2));
    cf_insert_before(s.edit, 3, push_and_pop(s.edit, 3));
    commit(&s);
    ASSERT_CODE(&s, CF_OP_iload_0, CF_OP_ifne, 0, 9, CF_OP_nop, CF_OP_iconst_2, CF_OP_pop,
                CF_OP_goto, 0, 4, CF_OP_nop, CF_OP_iconst_3, CF_OP_pop, CF_OP_return);
    close_subject(&s);
}
END_TEST

// So it jumps forward, and the handlers of the switch cover it.
START_TEST(edges_of_a_switch_are_behind_it) {
    struct subject s;
    METHOD(&s, 49, "(I)V", 1, 1, CF_OP_iload_0, CF_OP_lookupswitch, 0, 0, 0, 0, 0, 20, 0, 0, 0, 1,
           0, 0, 0, 7, 0, 0, 0, 21, CF_OP_nop, CF_OP_nop, CF_OP_return);
    cf_insert_edge(s.edit, 1, 4, nops(s.edit, 1));
    cf_insert_edge(s.edit, 1, 3, push_and_pop(s.edit, 2));
    cf_insert_edge(s.edit, 1, 4, push_and_pop(s.edit, 3));
    cf_insert_before(s.edit, 2, nops(s.edit, 1));
    commit(&s);
    ASSERT_CODE(&s, CF_OP_iload_0, CF_OP_lookupswitch, 0, 0, 0, 0, 0, 19, 0, 0, 0, 1, 0, 0, 0, 7, 0,
                0, 0, 24, CF_OP_iconst_2, CF_OP_pop, CF_OP_goto, 0, 11, CF_OP_nop, CF_OP_iconst_3,
                CF_OP_pop, CF_OP_goto, 0, 6, CF_OP_nop, CF_OP_nop, CF_OP_nop, CF_OP_return);
    close_subject(&s);
}
END_TEST

// Where nothing follows the switch.
START_TEST(an_edge_of_a_switch_at_the_end_is_a_detour) {
    struct subject s;
    METHOD(&s, 49, "(I)V", 1, 1, CF_OP_iload_0, CF_OP_lookupswitch, 0, 0, 0xff, 0xff, 0xff, 0xff, 0,
           0, 0, 0);
    cf_insert_edge(s.edit, 1, 0, nops(s.edit, 1));
    commit(&s);
    ASSERT_CODE(&s, CF_OP_iload_0, CF_OP_lookupswitch, 0, 0, 0, 0, 0, 11, 0, 0, 0, 0, CF_OP_nop,
                CF_OP_goto, 0xff, 0xf3);
    close_subject(&s);
}
END_TEST

// Where a goto might not reach, and where the snippet itself jumps.
START_TEST(an_edge_that_cannot_be_where_the_jump_is_is_a_detour) {
    static uint8_t code[32765] = {CF_OP_iload_0, CF_OP_ifeq, 0, 4};
    struct subject s;
    code[sizeof code - 1] = CF_OP_return;
    method(&s, 49, "(I)V", 1, 1, code, sizeof code);
    cf_insert_edge(s.edit, 1, 3, nops(s.edit, 1));
    commit(&s);
    struct cf_code fresh = code_of(&s, 0);
    ck_assert_uint_eq(fresh.length, sizeof code + 4);
    ck_assert_uint_eq(fresh.bytes[1], CF_OP_ifeq);
    ck_assert_uint_eq(fresh.bytes[sizeof code], CF_OP_nop);
    close_subject(&s);
    METHOD(&s, 49, "(I)V", 1, 1, CF_OP_iload_0, CF_OP_ifeq, 0, 4, CF_OP_nop, CF_OP_return);
    struct cf_snippet *jumping = cf_snippet_new(s.edit);
    uint32_t end = cf_label(jumping);
    cf_branch_to(jumping, CF_OP_goto, end);
    cf_place(jumping, end);
    cf_insert_edge(s.edit, 1, 3, jumping);
    commit(&s);
    ASSERT_CODE(&s, CF_OP_iload_0, CF_OP_ifeq, 0, 5, CF_OP_nop, CF_OP_return, CF_OP_goto, 0, 3,
                CF_OP_goto, 0xff, 0xfc);
    close_subject(&s);
}
END_TEST

START_TEST(switches_lead_where_they_led_at_every_padding) {
    for (unsigned shift = 0; shift < 4; shift++)
        for (unsigned more = 1; more < 5; more++) {
            uint8_t code[40] = {0};
            uint32_t n = 0;
            while (n < shift) code[n++] = CF_OP_nop;
            code[n++] = CF_OP_iload_0;
            uint32_t pc = n;
            code[n++] = CF_OP_tableswitch;
            while (n & 3) n++;
            uint32_t table = n;
            n += 20;
            cf_put4(code + table, n - pc);          // default: the return
            cf_put4(code + table + 4, 5);           // low
            cf_put4(code + table + 8, 6);           // high
            cf_put4(code + table + 12, n - pc + 1); // 5: the nop
            cf_put4(code + table + 16, n - pc);     // 6
            code[n++] = CF_OP_return;
            code[n++] = CF_OP_nop;
            code[n++] = CF_OP_return;
            struct subject s;
            method(&s, 49, "(I)V", 1, 1, code, n);
            cf_insert_entry(s.edit, nops(s.edit, more));
            cf_insert_before(s.edit, s.edit->code.count - 2, nops(s.edit, more));
            commit(&s);
            struct cf_code after = code_of(&s, 0);
            ck_assert_uint_eq(after.switches_count, 1);
            struct cf_switch sw;
            cf_switch_open(&after, after.switches[0], &sw);
            ck_assert_uint_eq(sw.pc, pc + more);
            ck_assert_int_eq(sw.low, 5);
            ck_assert_uint_eq(sw.count, 2);
            ck_assert_uint_eq(after.bytes[sw.default_pc], CF_OP_return);
            ck_assert_uint_eq(cf_switch_target(&sw, 1), sw.default_pc);
            ck_assert_uint_eq(cf_switch_target(&sw, 0), sw.default_pc + 1);
            ck_assert_uint_eq(after.length, sw.default_pc + 3 + more);
            close_subject(&s);
        }
}
END_TEST

START_TEST(branches_that_no_longer_reach_become_wide) {
    static uint8_t code[32780];
    memset(code, CF_OP_nop, sizeof code);
    code[0] = CF_OP_iload_0;
    code[1] = CF_OP_ifeq; // forward as far as it goes: 32,767
    cf_put2(code + 2, 32767);
    code[sizeof code - 4] = CF_OP_goto; // and back: -32,768
    cf_put2(code + sizeof code - 3, 0x8000);
    code[sizeof code - 1] = CF_OP_return;
    struct subject s;
    method(&s, 49, "(I)V", 1, 1, code, sizeof code);
    uint32_t middle = s.edit->code.count / 2;
    cf_insert_before(s.edit, middle, nops(s.edit, 1));
    commit(&s);
    struct cf_code after = code_of(&s, 0);
    ck_assert_uint_eq(after.length, sizeof code + 1 + 5 + 2);
    ck_assert_uint_eq(after.bytes[1], CF_OP_ifne);
    ck_assert_uint_eq(cf_be2(after.bytes + 2), 8);
    ck_assert_uint_eq(after.bytes[4], CF_OP_goto_w);
    ck_assert_uint_eq(4 + cf_be4(after.bytes + 5), 32768 + 5 + 1);
    uint32_t back = after.length - 6;
    ck_assert_uint_eq(after.bytes[back], CF_OP_goto_w);
    ck_assert_uint_eq(back + cf_be4(after.bytes + back + 1), sizeof code - 4 - 32768 + 5);
    close_subject(&s);
}
END_TEST

START_TEST(a_method_past_the_limit_says_how_long_it_would_be) {
    static uint8_t code[65533];
    char text[200];
    memset(code, CF_OP_nop, sizeof code);
    code[sizeof code - 1] = CF_OP_return;
    struct subject s;
    method(&s, 52, "()V", 0, 0, code, sizeof code);
    cf_insert_entry(s.edit, nops(s.edit, 3));
    ck_assert_int_eq(cf_edit_commit(s.edit), CF_LIMIT);
    ck_assert_str_eq(cf_error_text(&s.edit->error, text, sizeof text),
                     "would grow to 65536 bytes (limit 65,535)");
    begin(&s, 0);
    cf_insert_entry(s.edit, nops(s.edit, 2)); // 65,535 it may have
    commit(&s);
    ck_assert_uint_eq(code_of(&s, 0).length, 65535);
    close_subject(&s);
}
END_TEST

START_TEST(a_full_pool_keeps_the_method) {
    struct build b;
    struct subject s;
    build_class_file(&b, 52, CF_ACC_PUBLIC, "A");
    build_counted(&b, 0);
    build_counted(&b, 1);
    build_member(&b, CF_ACC_STATIC, "f", "()V", 1);
    size_t place = build_code(&b, 0, 0, (const uint8_t[]){CF_OP_return}, 1);
    build_u2(&b, 0);
    build_u2(&b, 0);
    build_end(&b, place);
    build_u2(&b, 0);
    while (b.constants < 65530) build_constant(&b, CF_TAG_INTEGER, b.constants, 4);
    open_subject(&s, &b);
    begin(&s, 0);
    char text[200];
    struct cf_snippet *call = cf_snippet_new(s.edit);
    cf_call(call,
            cf_callee_new(&s.rewrite, "Q", "m", "()V")); // six constants; there is room for five
    cf_insert_entry(s.edit, call);
    ck_assert_int_eq(cf_edit_commit(s.edit), CF_LIMIT);
    ck_assert_str_eq(cf_error_text(&s.edit->error, text, sizeof text),
                     "the constant pool is full (65,535 entries)");
    cf_pool_rollback(&s.rewrite.pool, (struct cf_pool_mark){0, 65530});
    s.rewrite.pool.limit = 65532; // as cf_pool_init has it where a JVM has three more
    ck_assert_uint_ne(cf_add_integer(&s.rewrite.pool, 1), 0);
    ck_assert_uint_ne(cf_add_integer(&s.rewrite.pool, 2), 0);
    ck_assert_uint_eq(cf_add_integer(&s.rewrite.pool, 3), 0);
    ck_assert_str_eq(s.rewrite.pool.error.reason,
                     "the constant pool that the JVM has of the class is full (65,535 entries)");
    cf_pool_rollback(&s.rewrite.pool, (struct cf_pool_mark){0, 65530});
    begin(&s, 0);
    cf_insert_entry(s.edit, nops(s.edit, 1)); // what needs no constant still goes
    commit(&s);
    ck_assert_uint_eq(s.after.constant_pool_count, 65530);
    close_subject(&s);
}
END_TEST

// Methods that are edited once more push the same numbers again.
START_TEST(a_large_pool_has_no_number_twice) {
    struct subject s;
    METHOD(&s, 52, "()V", 0, 0, CF_OP_return);
    struct cf_pool *pool = &s.rewrite.pool;
    enum { MANY = 40000 };
    for (int32_t i = 0; i < MANY; i++) ck_assert_uint_ne(cf_add_integer(pool, i), 0);
    uint32_t count = pool->count;
    ck_assert_uint_le(count, MANY + s.cls.constant_pool_count);
    for (int32_t i = 0; i < MANY; i++) ck_assert_uint_ne(cf_add_integer(pool, i), 0);
    ck_assert_uint_eq(pool->count, count);
    close_subject(&s);
}
END_TEST

START_TEST(max_stack_and_max_locals_are_exact) {
    struct subject s;
    // Two values of junk lie below the one that is returned.
    METHOD(&s, 49, "()I", 3, 2, CF_OP_iconst_1, CF_OP_iconst_2, CF_OP_iconst_3, CF_OP_ireturn);
    uint32_t local = cf_new_local(s.edit, "J", 1);
    ck_assert_uint_eq(local, 2);
    struct cf_snippet *entry = cf_snippet_new(s.edit);
    cf_op(entry, CF_OP_lconst_0);
    cf_local(entry, CF_OP_lstore, local);
    cf_insert_entry(s.edit, entry);
    cf_insert_exits(s.edit, push_and_pop(s.edit, 1));
    commit(&s);
    ck_assert_uint_eq(code_of(&s, 0).max_stack, 4);
    ck_assert_uint_eq(code_of(&s, 0).max_locals, 4);
    close_subject(&s);
}
END_TEST

START_TEST(locals_beyond_255_take_wide_forms) {
    struct subject s;
    METHOD(&s, 49, "()V", 0, 300, CF_OP_return);
    uint32_t local = cf_new_local(s.edit, "I", 1);
    struct cf_snippet *entry = cf_snippet_new(s.edit);
    cf_op(entry, CF_OP_iconst_0);
    cf_local(entry, CF_OP_istore, local);
    cf_increment(entry, local, 1);
    cf_insert_entry(s.edit, entry);
    commit(&s);
    ASSERT_CODE(&s, CF_OP_iconst_0, CF_OP_wide, CF_OP_istore, 1, 44, CF_OP_wide, CF_OP_iinc, 1, 44,
                0, 1, CF_OP_return);
    close_subject(&s);
}
END_TEST

START_TEST(tables_with_offsets_move_along) {
    struct build b;
    struct subject s;
    const uint8_t code[] = {CF_OP_nop, CF_OP_iconst_0, CF_OP_pop, CF_OP_return};
    size_t place = method_head(&b, 49, "()V", 1, 1, code, sizeof code);
    build_u2(&b, 1); // try { iconst_0 } catch: the return, of any
    const unsigned entry[] = {1, 2, 3, 0};
    for (unsigned i = 0; i < 4; i++) build_u2(&b, entry[i]);
    build_u2(&b, 2);
    size_t lines = build_attribute(&b, "LineNumberTable");
    const unsigned line_entries[] = {2, 0, 10, 2, 11};
    for (unsigned i = 0; i < 5; i++) build_u2(&b, line_entries[i]);
    build_end(&b, lines);
    size_t variables = build_attribute(&b, "LocalVariableTable");
    const unsigned variable[] = {1, 1, 3, build_utf8(&b, "v"), build_utf8(&b, "I"), 0};
    for (unsigned i = 0; i < 6; i++) build_u2(&b, variable[i]);
    build_end(&b, variables);
    build_end(&b, place);
    build_u2(&b, 0);
    open_subject(&s, &b);
    begin(&s, 0);
    cf_insert_entry(s.edit, nops(s.edit, 5));
    cf_insert_after(s.edit, 1, nops(s.edit, 7));
    commit(&s);
    struct cf_code after = code_of(&s, 0);
    struct cf_exception e = cf_exception_at(&after, 0);
    ck_assert_uint_eq(e.start_pc, 6);
    ck_assert_uint_eq(e.end_pc, 14); // what runs after the instruction is still in its range
    ck_assert_uint_eq(e.handler_pc, 15);
    struct cf_error error = {.status = CF_OK};
    struct cf_walk walk = cf_walk_attributes(&s.after, after.attributes, 2, after.end, &error);
    struct cf_attribute a;
    ck_assert(cf_next_attribute(&walk, &a));
    const uint8_t *p = s.after.bytes + a.info;
    ck_assert_uint_eq(cf_be2(p + 2), 0); // the entry belongs to the first line
    ck_assert_uint_eq(cf_be2(p + 6), 14);
    ck_assert(cf_next_attribute(&walk, &a));
    p = s.after.bytes + a.info;
    ck_assert_uint_eq(cf_be2(p + 2), 6);
    ck_assert_uint_eq(cf_be2(p + 4), 16 - 6);
    close_subject(&s);
}
END_TEST

// A JVM refuses that in classes below version 51, and must see it to do so.
START_TEST(a_switch_of_old_code_that_is_not_padded_with_zeros_keeps_the_method) {
    static const uint8_t code[] = {CF_OP_iload_0, CF_OP_lookupswitch, 0, 1, 0, 0, 0, 11, 0, 0, 0, 0,
                                   CF_OP_return};
    for (unsigned version = 50; version < 52; version++) {
        struct build b;
        struct subject s;
        size_t place = method_head(&b, version, "(I)V", 1, 1, code, sizeof code);
        build_u2(&b, 0), build_u2(&b, 0);
        build_end(&b, place);
        build_u2(&b, 0);
        open_subject(&s, &b);
        enum cf_status status = cf_edit_begin(&s.rewrite, &s.cls.methods[0], &s.edit);
        ck_assert_int_eq(status, version == 50 ? CF_MALFORMED : CF_OK);
        if (version == 50) ck_assert_str_eq(s.edit->error.reason, "switch padded with %u");
        close_subject(&s);
    }
}
END_TEST

static void assert_lines(struct subject *s, const unsigned (*expected)[2], uint32_t count) {
    struct cf_code after = code_of(s, 0);
    struct cf_error error = {.status = CF_OK};
    struct cf_walk walk = cf_walk_attributes(&s->after, after.attributes, 1, after.end, &error);
    struct cf_attribute a;
    ck_assert(cf_next_attribute(&walk, &a));
    const uint8_t *p = s->after.bytes + a.info;
    ck_assert_uint_eq(cf_be2(p), count);
    for (uint32_t i = 0; i < count; i++) {
        ck_assert_uint_eq(cf_be2(p + 2 + 4 * i), expected[i][0]);
        ck_assert_uint_eq(cf_be2(p + 4 + 4 * i), expected[i][1]);
    }
}

// Of several lines at one pc HotSpot tells the first for the instruction there, and the last for
// those behind it. Where nothing is inserted all stays as it is.
START_TEST(lines_at_one_pc_mean_the_same_as_before) {
    static const uint8_t code[] = {CF_OP_nop, CF_OP_nop, CF_OP_nop, CF_OP_nop, CF_OP_return};
    static const unsigned lines[][2] = {{0, 10}, {0, 11}, {0, 12}, {2, 20}, {2, 21},
                                        {3, 30}, {3, 31}, {4, 40}, {4, 41}};
    static const unsigned moved[][2] = {{0, 10},  {0, 10},  {6, 12},  {7, 20}, {7, 20},
                                        {10, 30}, {10, 31}, {11, 40}, {11, 41}};
    struct build b;
    struct subject s;
    size_t place = method_head(&b, 49, "()V", 1, 1, code, sizeof code);
    build_u2(&b, 0);
    build_u2(&b, 1);
    size_t table = build_attribute(&b, "LineNumberTable");
    build_u2(&b, 9);
    for (unsigned i = 0; i < 9; i++) build_u2(&b, lines[i][0]), build_u2(&b, lines[i][1]);
    build_end(&b, table);
    build_end(&b, place);
    build_u2(&b, 0);
    open_subject(&s, &b);
    begin(&s, 0);
    cf_insert_entry(s.edit, nops(s.edit, 5));
    cf_insert_before(s.edit, 2, nops(s.edit, 2));
    commit(&s);
    assert_lines(&s, moved, 9);
    close_subject(&s);
}
END_TEST

// --- memory that gives out ---

static long allocations_left;

static void *allocate_until(size_t n) {
    return allocations_left-- > 0 ? malloc(n) : NULL;
}

static enum cf_status edit_all(struct subject *s, struct cf_arena *arena) {
    CF_TRY(cf_class_open(&s->cls, s->bytes, s->length, arena));
    CF_TRY(cf_rewrite_begin(&s->rewrite, &s->cls));
    enum cf_status status = cf_edit_begin(&s->rewrite, &s->cls.methods[0], &s->edit);
    if (status != CF_OK) return status;
    uint32_t local = cf_new_local(s->edit, "J", 1);
    struct cf_snippet *entry = cf_snippet_new(s->edit);
    uint32_t label = cf_label(entry);
    cf_op(entry, CF_OP_lconst_0);
    cf_local(entry, CF_OP_lstore, local);
    cf_op(entry, CF_OP_iconst_0);
    cf_branch_to(entry, CF_OP_ifeq, label);
    for (int i = 0; i < 40; i++) cf_op(entry, CF_OP_nop);
    cf_place(entry, label);
    cf_insert_entry(s->edit, entry);
    for (uint32_t i = 0; i < 20; i++) cf_insert_before(s->edit, 0, push_and_pop(s->edit, 70000));
    cf_insert_thrown(s->edit, nops(s->edit, 1));
    CF_TRY(cf_edit_commit(s->edit));
    return cf_rewrite_encode(&s->rewrite, allocate, NULL, &s->result, &s->size);
}

START_TEST(memory_that_gives_out_is_an_error_and_no_more) {
    struct subject s;
    METHOD(&s, 52, "()V", 1, 0, CF_OP_aconst_null, CF_OP_monitorenter, CF_OP_return);
    int succeeded = 0;
    for (long n = 0; n < 200 && !succeeded; n++) {
        struct cf_arena arena;
        cf_arena_init(&arena);
        arena.allocate = allocate_until;
        arena.limit = 0;
        allocations_left = n;
        enum cf_status status = edit_all(&s, &arena);
        ck_assert(status == CF_OK || status == CF_NO_MEMORY);
        succeeded = status == CF_OK;
        cf_arena_free(&arena);
    }
    ck_assert(succeeded);
    // Arenas take chunks, so a limit on bytes stops at many more places.
    succeeded = 0;
    for (size_t limit = 1; limit < 1 << 20 && !succeeded; limit += 16) {
        struct cf_arena arena;
        cf_arena_init(&arena);
        arena.smallest = 64;
        arena.limit = limit;
        free(s.result);
        s.result = NULL;
        enum cf_status status = edit_all(&s, &arena);
        ck_assert(status == CF_OK || status == CF_NO_MEMORY);
        succeeded = status == CF_OK;
        cf_arena_free(&arena);
    }
    ck_assert(succeeded);
    close_subject(&s);
}
END_TEST

// --- what takes no longer than it may ---

START_TEST(room_for_more_than_two_gigabytes_is_refused) {
    struct subject s;
    METHOD(&s, 52, "()V", 0, 0, CF_OP_return);
    struct cf_buffer empty = {s.edit, NULL, 0, 0};
    ck_assert_ptr_null(cf_room(&empty, 0x80000001));
    ck_assert_int_eq(s.edit->error.status, CF_LIMIT);
    close_subject(&s);
}
END_TEST

// Frames of one byte that repeat 65,000 types each, in code with a label of a snippet.
static enum cf_status repeat_frames(unsigned frames) {
    enum { INTS = 65000 };
    struct build b;
    struct subject s;
    struct build_bytes code = {NULL, 0, 0};
    for (unsigned i = 0; i <= frames; i++) build_append_number(&code, CF_OP_nop, 1);
    build_append_number(&code, CF_OP_return, 1);
    size_t place = method_head(&b, 52, "()V", 0, 65000, code.bytes, code.length);
    build_u2(&b, 0);
    build_u2(&b, 1);
    size_t table = build_attribute(&b, "StackMapTable");
    build_u2(&b, frames);
    build_u1(&b, CF_FRAME_FULL), build_u2(&b, 1);
    build_u2(&b, INTS);
    for (unsigned i = 0; i < INTS; i++) build_u1(&b, CF_TYPE_INTEGER);
    build_u2(&b, 0);
    for (unsigned i = 1; i < frames; i++) build_u1(&b, 0);
    build_end(&b, table);
    build_end(&b, place);
    build_u2(&b, 0);
    open_subject(&s, &b);
    begin(&s, 0);
    struct cf_snippet *jump = cf_snippet_new(s.edit);
    uint32_t label = cf_label(jump);
    cf_push_int(jump, 1);
    cf_branch_to(jump, CF_OP_ifne, label);
    cf_op(jump, CF_OP_nop);
    cf_place(jump, label);
    cf_insert_entry(s.edit, jump);
    enum cf_status status = cf_edit_commit(s.edit);
    free(code.bytes);
    close_subject(&s);
    return status;
}

START_TEST(frames_take_no_longer_than_those_of_real_code) {
    ck_assert_int_eq(repeat_frames(50), CF_OK);
    ck_assert_int_eq(repeat_frames(30000), CF_LIMIT);
}
END_TEST

// 65,535 ranges that end behind an instruction of 65,000 bytes.
START_TEST(ranges_behind_a_long_instruction_take_no_time) {
    enum { CASES = 16000, ENTRIES = 65535 };
    struct build b;
    struct subject s;
    struct build_bytes code = {NULL, 0, 0};
    build_append_number(&code, CF_OP_iconst_0, 1);
    build_append_number(&code, CF_OP_tableswitch << 16, 3);
    build_append_number(&code, 12 + 4 * CASES + 3, 4);
    build_append_number(&code, 0, 4), build_append_number(&code, CASES - 1, 4);
    for (unsigned i = 0; i < CASES; i++) build_append_number(&code, 12 + 4 * CASES + 3, 4);
    unsigned end = (unsigned)code.length;
    build_append_number(&code, CF_OP_return << 8 | CF_OP_athrow, 2);
    size_t place = method_head(&b, 49, "()V", 1, 0, code.bytes, code.length);
    build_u2(&b, ENTRIES);
    for (unsigned i = 0; i < ENTRIES; i++)
        build_u2(&b, 0), build_u2(&b, end), build_u2(&b, end + 1), build_u2(&b, 0);
    build_u2(&b, 0);
    build_end(&b, place);
    build_u2(&b, 0);
    open_subject(&s, &b);
    begin(&s, 0);
    cf_insert_entry(s.edit, nops(s.edit, 1));
    ck_assert_int_eq(cf_edit_commit(s.edit), CF_OK);
    free(code.bytes);
    close_subject(&s);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("edit");
    TCase *tests = tcase_create("edit");
    tcase_set_timeout(tests, 0);
    suite_add_tcase(suite, tests);
    tcase_add_test(tests, a_class_without_an_edit_is_written_as_it_was);
    tcase_add_test(tests, the_original_pool_is_a_prefix_and_new_constants_are_found_again);
    tcase_add_test(tests, a_method_that_fails_takes_its_constants_back);
    tcase_add_test(tests, callees_outlive_an_edit_that_fails);
    tcase_add_test(tests, snippets_stand_in_the_order_of_the_header);
    tcase_add_test(tests, a_loop_to_the_first_instruction_does_not_run_the_entry);
    tcase_add_test(tests,
                   a_jump_runs_what_is_before_its_target_but_not_what_is_after_the_one_above);
    tcase_add_test(tests, an_edge_is_where_the_jump_is);
    tcase_add_test(tests, edges_of_a_switch_are_behind_it);
    tcase_add_test(tests, an_edge_of_a_switch_at_the_end_is_a_detour);
    tcase_add_test(tests, an_edge_that_cannot_be_where_the_jump_is_is_a_detour);
    tcase_add_test(tests, switches_lead_where_they_led_at_every_padding);
    tcase_add_test(tests, branches_that_no_longer_reach_become_wide);
    tcase_add_test(tests, a_method_past_the_limit_says_how_long_it_would_be);
    tcase_add_test(tests, a_full_pool_keeps_the_method);
    tcase_add_test(tests, a_large_pool_has_no_number_twice);
    tcase_add_test(tests, max_stack_and_max_locals_are_exact);
    tcase_add_test(tests, locals_beyond_255_take_wide_forms);
    tcase_add_test(tests, tables_with_offsets_move_along);
    tcase_add_test(tests, a_switch_of_old_code_that_is_not_padded_with_zeros_keeps_the_method);
    tcase_add_test(tests, lines_at_one_pc_mean_the_same_as_before);
    tcase_add_test(tests, memory_that_gives_out_is_an_error_and_no_more);
    TCase *limits = tcase_create("limits");
    suite_add_tcase(suite, limits);
    tcase_add_test(limits, room_for_more_than_two_gigabytes_is_refused);
    tcase_add_test(limits, frames_take_no_longer_than_those_of_real_code);
    tcase_add_test(limits, ranges_behind_a_long_instruction_take_no_time);
    return run_suite(suite);
}

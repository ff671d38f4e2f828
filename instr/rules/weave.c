// Rules as bytecode. At each place:
//
//      [rule; InstrRules.enter; ifeq end]      if it is guarded: it is off, or the thread is in a rule
//      condition, with jumps to `leave`
//      actions
//      leave: [rule; InstrRules.leave]
//      end:
//
// Methods of InstrRules swallow what they throw, so no handler is needed. Numbers are longs or doubles
// on the stack. What the method may change meanwhile, its parameters, is copied at the entry.

#include "instr/rules/weave.h"
#include "instr/rules/weave_values.h"
#include "classfile/format/lines.h"

#include <float.h>
#include <stdio.h>
#include <string.h>

// --- actions ---

// Each key is cut by itself. A number needs none of that, and a stack is cut frame by frame.
static void push_key(const struct rule_weaving *w, const struct instr_rule_value *key,
                     const struct rule_moment *at) {
    enum rule_type type = rule_type_of(w, key, at);
    rule_push(w, key, at, OBJECT);
    if (key->kind != RULE_STACK && (type == OBJECT || type == UNKNOWN))
        rule_call(w, at->s, "key", "(Ljava/lang/Object;)Ljava/lang/Object;");
}

static void push_keys(const struct rule_weaving *w, const struct instr_rule_action *action,
                      const struct rule_moment *at) {
    static const char *const makers[] = {
        "", "", "(Ljava/lang/Object;Ljava/lang/Object;)Ljava/lang/Object;",
        "(Ljava/lang/Object;Ljava/lang/Object;Ljava/lang/Object;)Ljava/lang/Object;"};
    for (unsigned i = 0; i < action->key_count; i++) push_key(w, action->keys[i], at);
    if (action->key_count > 1) rule_call(w, at->s, "key", makers[action->key_count]);
}

// Counts as the pass calls does: for a number of this method.
static void count_here(const struct rule_weaving *w, const struct instr_rule_table *table,
                       const struct rule_moment *at) {
    char owner[128];
    struct cf_slice detail = {(const uint8_t *)table->name, (uint32_t)strlen(table->name)};
    int id;
    if (rw_site_id(w->cls, w->edit, 0, detail, &id) != CF_OK) return;
    snprintf(owner, sizeof owner, "%sInstrCalls", w->cls->runtime_package);
    cf_push_int(at->s, id);
    rule_call_jdk(w, at->s, owner, "enter", "(I)V");
}

static void reduce(const struct rule_weaving *w, const struct instr_rule_action *action,
                   const struct rule_moment *at) {
    const struct instr_rule_table *table = &w->rule->tables[action->table];
    char descriptor[64];
    if (table->reduction == INSTR_RULE_COUNT && !table->keys) {
        count_here(w, table, at);
        return;
    }
    cf_push_int(at->s, (int32_t)table->number);
    push_keys(w, action, at);
    const char *key = action->key_count ? "Ljava/lang/Object;" : "", *value = "";
    if (action->value) {
        enum rule_type type = rule_type_of(w, action->value, at);
        bool whole = rule_is_whole(type);
        rule_push(w, action->value, at, whole ? LONG : DOUBLE);
        value = whole ? "J" : "D";
    }
    snprintf(descriptor, sizeof descriptor, "(I%s%s)V", key, value);
    rule_call(w, at->s, action->value ? "add" : "count", descriptor);
}

// Are methods of the JDK, which may have the rule themselves, called for the value? Not for numbers, nor
// where an object is compared with null.
static bool calls_jdk(const struct rule_weaving *w, const struct instr_rule_value *v,
                      const struct rule_moment *at) {
    if (v->kind == RULE_NULL) return false;
    if (!v->left) return rule_type_of(w, v, at) == OBJECT;
    bool equality = v->kind == RULE_EQUAL || v->kind == RULE_NOT_EQUAL;
    if (equality && (v->left->kind == RULE_NULL || v->right->kind == RULE_NULL))
        return rule_type_of(w, v->left->kind == RULE_NULL ? v->right : v->left, at) != OBJECT;
    return calls_jdk(w, v->left, at) || (v->right && calls_jdk(w, v->right, at));
}

// An object is assigned as it is, but numbers are made of what the rule has.
static bool assigns_number(const struct rule_weaving *w, const struct instr_rule_action *action) {
    if (action->does == RULE_SETS && action->target->kind == RULE_PARAMETER)
        return !strchr("L[", rule_parameter_of(w, action->target)->type);
    return (action->does == RULE_SETS || action->does == RULE_RETURNS) &&
           !strchr("L[", w->result_type);
}

static bool is_guarded(const struct rule_weaving *w, const struct rule_moment *at) {
    const struct instr_rule *rule = w->rule;
    if (rule->guarded || (rule->condition && calls_jdk(w, rule->condition, at))) return true;
    for (const struct instr_rule_action *a = rule->actions; a; a = a->next)
        if (a->value && assigns_number(w, a) && calls_jdk(w, a->value, at)) return true;
    return false;
}

static void enter(const struct rule_weaving *w, const struct rule_moment *at, uint32_t otherwise) {
    if (!is_guarded(w, at)) return;
    cf_push_int(at->s, (int32_t)w->rule->number);
    rule_call(w, at->s, "enter", "(I)Z");
    cf_branch_to(at->s, CF_OP_ifeq, otherwise);
}

static void leave(const struct rule_weaving *w, const struct rule_moment *at) {
    if (!is_guarded(w, at)) return;
    cf_push_int(at->s, (int32_t)w->rule->number);
    rule_call(w, at->s, "leave", "(I)V");
}

static void throw_made(const struct rule_weaving *w, const struct instr_rule_action *action,
                       const struct rule_moment *at) {
    uint32_t none = cf_label(at->s);
    rule_push_text(w, at->s, action->class_name);
    if (action->value)
        rule_push(w, action->value, at, OBJECT);
    else
        cf_op(at->s, CF_OP_aconst_null);
    rule_push_this(w, at);
    rule_call(w, at->s, "make",
              "(Ljava/lang/String;Ljava/lang/Object;Ljava/lang/Object;)Ljava/lang/Throwable;");
    cf_op(at->s, CF_OP_dup);
    cf_branch_to(at->s, CF_OP_ifnull, none);
    leave(w, at);
    cf_op(at->s, CF_OP_athrow);
    cf_place(at->s, none);
    cf_op(at->s, CF_OP_pop);
}

static const char *copied(const struct rule_weaving *w, struct cf_slice text) {
    char *copy = rule_allocate(w, text.length + 1u);
    if (!copy) return "I";
    memcpy(copy, text.bytes, text.length);
    copy[text.length] = '\0';
    return copy;
}

// The descriptor of a parameter, as a local has it.
static const char *parameter_type(const struct rule_weaving *w, unsigned index) {
    struct cf_slice d = cf_member_descriptor(w->edit->code.cls, w->edit->method);
    const uint8_t *p = d.bytes + 1, *end = d.bytes + d.length;
    for (unsigned i = 0; i < index && p; i++) p = cf_after_type(p, end);
    const uint8_t *next = p ? cf_after_type(p, end) : NULL;
    return next ? copied(w, (struct cf_slice){p, (uint32_t)(next - p)}) : "I";
}

// Narrows a long or double to what a local of this type holds.
static void narrow(struct cf_snippet *s, char letter) {
    static const struct {
        char letter;
        enum cf_opcode op;
    } second[] = {{'B', CF_OP_i2b}, {'C', CF_OP_i2c}, {'S', CF_OP_i2s}};
    if (letter == 'F') cf_op(s, CF_OP_d2f);
    if (strchr("BCSI", letter)) cf_op(s, CF_OP_l2i);
    for (size_t i = 0; i < 3; i++)
        if (letter == second[i].letter) cf_op(s, second[i].op);
}

// Is the parameter of this type, or where that is Object, one that is an object or is boxed as such? Rules
// know other numbers as long and double.
static bool is_of_type(const struct rule_weaving *w, const struct instr_rule_value *v,
                       const char *descriptor) {
    const char *type = parameter_type(w, (unsigned)v->number);
    return strcmp(descriptor, "Ljava/lang/Object;") == 0 ? strchr("L[ZCJD", *type) != NULL
                                                         : strcmp(descriptor, type) == 0;
}

// The number that the value is in any call. False: it is not known before.
static bool is_literal(const struct instr_rule_value *v, double *number) {
    double sign = v->kind == RULE_NEGATIVE ? -1 : 1;
    if (v->kind == RULE_NEGATIVE) v = v->left;
    *number = sign * (v->kind == RULE_REAL ? v->real : (double)v->number);
    return v->kind == RULE_INTEGER || v->kind == RULE_REAL;
}

// What is known to be no number, or too large for the type, would become another one silently.
static void check_number(const struct rule_weaving *w, const struct instr_rule_value *v,
                         char letter) {
    static const struct {
        char letter;
        double least, most;
        const char *reason;
    } types[] = {{'B', INT8_MIN, INT8_MAX, "rule: a byte is from -128 to 127"},
                 {'C', 0, UINT16_MAX, "rule: a char is from 0 to 65535"},
                 {'S', INT16_MIN, INT16_MAX, "rule: a short is from -32768 to 32767"},
                 {'I', INT32_MIN, INT32_MAX, "rule: an int is from -2147483648 to 2147483647"},
                 {'J', -0x1p63, 0x1p63, "rule: the number is too large for a long"},
                 {'F', -FLT_MAX, FLT_MAX, "rule: the number is too large for a float"}};
    double number;
    if (v->kind == RULE_TEXT || v->kind == RULE_NULL)
        rule_misuse(w, letter == 'Z' ? "rule: a boolean can be neither a text nor null"
                                     : "rule: a number or char can be neither a text nor null");
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (types[i].letter == letter && is_literal(v, &number) &&
            (number < types[i].least || number > types[i].most))
            rule_misuse(w, types[i].reason);
}

// Pushes what a local or result of this descriptor can hold without a cast, which could fail.
static void push_assigned(const struct rule_weaving *w, const struct instr_rule_value *v,
                          const struct rule_moment *at, const char *descriptor) {
    char letter = *descriptor;
    enum rule_type type = letter == 'C' ? LONG : rule_type_of_letter(letter);
    bool text = strcmp(descriptor, "Ljava/lang/String;") == 0 ||
                strcmp(descriptor, "Ljava/lang/Object;") == 0;
    if (type != OBJECT) {
        check_number(w, v, letter);
        rule_push(w, v, at, type);
        narrow(at->s, letter);
    } else if (v->kind == RULE_NULL || (v->kind == RULE_TEXT && text) ||
               (v->kind == RULE_PARAMETER && is_of_type(w, v, descriptor))) {
        rule_push(w, v, at, OBJECT);
    } else {
        rule_misuse(
            w, "rule: an object can be null, a parameter of the same type, or a text where it is "
               "a String");
    }
}

static void set(const struct rule_weaving *w, const struct instr_rule_action *action,
                const struct rule_moment *at) {
    bool is_result = action->target->kind == RULE_RESULT;
    if (is_result && !at->result) return; // the method threw, or has none
    const char *type =
        is_result ? at->result_type : parameter_type(w, (unsigned)action->target->number);
    uint32_t local = is_result ? at->result : rule_parameter_of(w, action->target)->local;
    push_assigned(w, action->value, at, type);
    cf_local(at->s, cf_store_of(*type), local);
}

// Pushes a value as `instr watch` shows it: a float is not a double.
static void push_shown(const struct rule_weaving *w, const struct instr_rule_value *v,
                       const struct rule_moment *at) {
    bool is_float = v->kind == RULE_PARAMETER
                        ? rule_parameter_of(w, v)->type == 'F'
                        : v->kind == RULE_RESULT && at->result && *at->result_type == 'F';
    if (!is_float) {
        rule_push(w, v, at, OBJECT);
        return;
    }
    rule_push(w, v, at, DOUBLE);
    cf_op(at->s, CF_OP_d2f);
    rule_call(w, at->s, "box", "(F)Ljava/lang/Object;");
}

// The values, or all arguments and the result, then how the call ended.
static void print(const struct rule_weaving *w, const struct instr_rule_action *action,
                  const struct rule_moment *at) {
    static const struct instr_rule_value result = {.kind = RULE_RESULT},
                                         thrown = {.kind = RULE_THROWN},
                                         elapsed = {.kind = RULE_ELAPSED};
    struct cf_slice detail = {(const uint8_t *)w->cls->pass->name,
                              (uint32_t)strlen(w->cls->pass->name)};
    bool all = !action->key_count;
    unsigned count = all ? w->parameter_count : action->key_count;
    int id;
    if (rw_site_id(w->cls, w->edit, 0, detail, &id) != CF_OK) return;
    rule_push(w, &elapsed, at, LONG);
    cf_push_int(at->s, (int32_t)count);
    rule_call(w, at->s, "values", "(I)Ljava/lang/Object;");
    for (unsigned i = 0; i < count; i++) {
        struct instr_rule_value parameter = {.kind = RULE_PARAMETER, .number = i};
        cf_op(at->s, CF_OP_dup);
        cf_push_int(at->s, (int32_t)i);
        push_shown(w, all ? &parameter : action->keys[i], at);
        rule_call(w, at->s, "value", "(Ljava/lang/Object;ILjava/lang/Object;)V");
    }
    cf_push_int(at->s, all && at->result);
    push_shown(w, all && at->result ? &result : &thrown, at);
    cf_push_int(at->s, id);
    rule_call(w, at->s, "print", "(JLjava/lang/Object;ZLjava/lang/Object;I)V");
}

static void act(const struct rule_weaving *w, const struct instr_rule_action *action,
                const struct rule_moment *at) {
    switch (action->does) {
    case RULE_REDUCES: reduce(w, action, at); break;
    case RULE_DELAYS:
        rule_push(w, action->value, at, LONG);
        rule_call(w, at->s, "delay", "(J)V");
        break;
    case RULE_THROWS: throw_made(w, action, at); break;
    case RULE_RETURNS: break; // see put_at_entry
    case RULE_SETS: set(w, action, at); break;
    case RULE_PRINTS: print(w, action, at); break;
    }
}

static void put(const struct rule_weaving *w, const struct rule_moment *at) {
    const struct instr_rule *rule = w->rule;
    uint32_t past = cf_label(at->s), end = cf_label(at->s);
    enter(w, at, end);
    if (rule->condition) rule_branch(w, rule->condition, at, false, past);
    for (const struct instr_rule_action *a = rule->actions; a; a = a->next) act(w, a, at);
    cf_place(at->s, past);
    leave(w, at);
    cf_place(at->s, end);
}

// --- places ---

static const struct instr_rule_action *find_return(const struct instr_rule *rule) {
    const struct instr_rule_action *a = rule->actions;
    while (a && a->does != RULE_RETURNS) a = a->next;
    return a;
}

// Ends with the result, where the editor goes on with the exits of the passes that have entered.
static void put_return(const struct rule_weaving *w, const struct instr_rule_action *returns,
                       const struct rule_moment *at) {
    uint32_t go_on = cf_label(at->s), yes = cf_label(at->s);
    enter(w, at, go_on);
    cf_op(at->s, CF_OP_iconst_0);
    cf_branch_to(at->s, CF_OP_ifne, go_on); // never, but the method must be reached for verifiers
    if (w->rule->condition) {
        rule_branch(w, w->rule->condition, at, true, yes);
        leave(w, at);
        cf_branch_to(at->s, CF_OP_goto, go_on);
        cf_place(at->s, yes);
    }
    for (const struct instr_rule_action *a = w->rule->actions; a != returns; a = a->next)
        act(w, a, at);
    static const struct instr_rule_value null = {.kind = RULE_NULL}, zero = {.kind = RULE_INTEGER};
    const struct instr_rule_value *nothing = strchr("L[", w->result_type) ? &null : &zero;
    if (w->result_type != 'V')
        push_assigned(w, returns->value ? returns->value : nothing, at, w->result);
    leave(w, at);
    cf_insert_early_return(w->edit, at->s, go_on);
}

static void put_at_entry(struct rule_weaving *w) {
    struct rule_moment at = {.s = cf_snippet_new(w->edit), .has_this = !w->edit->constructor};
    const struct instr_rule_action *returns = find_return(w->rule);
    if (returns) {
        put_return(w, returns, &at);
        return;
    }
    put(w, &at);
    cf_insert_entry(w->edit, at.s);
}

static void put_at_exits(struct rule_weaving *w) {
    struct rule_moment at = {.s = cf_snippet_new(w->edit), .has_this = true};
    bool keeps = w->rule->uses_result && w->result_type != 'V';
    if (!w->edit->code.returns_count) return;
    at.result_type = w->result;
    if (keeps) {
        at.result = cf_new_local(w->edit, w->result, 0);
        cf_local(at.s, cf_store_of(w->result_type), at.result);
    }
    put(w, &at);
    if (keeps) cf_local(at.s, cf_load_of(w->result_type), at.result);
    cf_insert_exits(w->edit, at.s);
}

static const struct cf_snippet *thrown(struct rule_weaving *w, bool early) {
    struct rule_moment at = {.s = cf_snippet_new(w->edit), .has_this = !early};
    bool keeps = w->rule->uses_thrown;
    if (keeps) {
        at.thrown = cf_new_local(w->edit, "Ljava/lang/Throwable;", 0);
        cf_local(at.s, CF_OP_astore, at.thrown);
    }
    put(w, &at);
    if (keeps) cf_local(at.s, CF_OP_aload, at.thrown);
    return at.s;
}

static void put_at_throws(struct rule_weaving *w) {
    cf_insert_thrown(w->edit, thrown(w, false));
    if (w->edit->constructor) cf_insert_thrown_early(w->edit, thrown(w, true));
}

static void set_time(const struct rule_weaving *w, struct cf_snippet *s, bool now) {
    if (now)
        rule_call_jdk(w, s, "java/lang/System", "nanoTime", "()J");
    else
        cf_op(s, CF_OP_lconst_0);
    cf_local(s, CF_OP_lstore, w->start);
}

static void put_after_call(struct rule_weaving *w, uint32_t i, const char *result) {
    struct rule_moment at = {.s = cf_snippet_new(w->edit), .has_this = !w->edit->constructor};
    bool keeps = w->rule->uses_result && *result != 'V';
    at.result_type = result;
    if (keeps) {
        at.result = cf_new_local(w->edit, result, 0);
        cf_local(at.s, cf_store_of(*result), at.result);
    }
    put(w, &at);
    if (keeps) cf_local(at.s, cf_load_of(*result), at.result);
    if (w->rule->timed) {
        struct cf_snippet *before = cf_snippet_new(w->edit);
        set_time(w, before, true);
        cf_insert_before(w->edit, i, before);
    }
    cf_insert_after(w->edit, i, at.s);
}

static void put_at_call(struct rule_weaving *w, uint32_t i, struct cf_slice descriptor) {
    if (w->rule->uses_result || w->rule->timed) {
        struct cf_slice result = cf_result_type(descriptor);
        put_after_call(w, i, result.length ? copied(w, result) : "V");
        return;
    }
    struct rule_moment at = {.s = cf_snippet_new(w->edit), .has_this = !w->edit->constructor};
    put(w, &at);
    cf_insert_before(w->edit, i, at.s);
}

// False: there is none.
static bool put_at_calls(struct rule_weaving *w) {
    const struct cf_code *code = &w->edit->code;
    struct cf_slice owner, name, descriptor;
    bool any = false;
    for (uint32_t i = 0; i < code->count; i++) {
        unsigned op = code->bytes[code->pc[i]];
        if (op < CF_OP_invokevirtual || op > CF_OP_invokeinterface) continue;
        if (!cf_reference(code->cls, cf_be2(code->bytes + code->pc[i] + 1), &owner, &name,
                          &descriptor) ||
            !owner.bytes || CF_IS(name, "<init>"))
            continue;
        if (!rw_watch_class_matches(w->rule->called.class_name, owner) ||
            !rw_watch_method_matches(&w->rule->called, name, descriptor))
            continue;
        put_at_call(w, i, descriptor);
        any = true;
    }
    return any;
}

// False: the method has no code there.
static bool put_at_line(struct rule_weaving *w) {
    const struct cf_code *code = &w->edit->code;
    const uint16_t *lines = cf_lines(code);
    bool any = false;
    for (uint32_t i = 0; lines && i < code->count; i++) {
        bool begins = lines[code->pc[i]] == w->rule->line &&
                      (i == 0 || lines[code->pc[i - 1]] != w->rule->line);
        if (!begins) continue;
        struct rule_moment at = {.s = cf_snippet_new(w->edit), .has_this = !w->edit->constructor};
        put(w, &at);
        cf_insert_before(w->edit, i, at.s);
        any = true;
    }
    return any;
}

// --- the method ---

static bool is_used(const struct instr_rule *rule, unsigned parameter) {
    return rule->uses[parameter / 64] >> parameter % 64 & 1;
}

static void list_parameters(struct rule_weaving *w, bool is_static) {
    struct cf_slice d = cf_member_descriptor(w->edit->code.cls, w->edit->method);
    const uint8_t *p = d.bytes + 1, *end = d.bytes + d.length;
    uint32_t local = !is_static;
    while (p && p < end && *p != ')' && w->parameter_count < 255) {
        w->parameters[w->parameter_count++] = (struct rule_parameter){(char)*p, local};
        local += *p == 'J' || *p == 'D' ? 2 : 1;
        p = cf_after_type(p, end);
    }
    struct cf_slice result = cf_result_type(d);
    w->result = result.length ? copied(w, result) : "V";
    w->result_type = *w->result;
}

// A copy of `this`, which verifiers know in handlers, too.
static void keep_this(struct rule_weaving *w, struct cf_snippet *s) {
    struct cf_slice name = cf_this_name(w->edit->code.cls);
    if (!w->rule->uses_this || w->self == UINT32_MAX) return;
    char *type = rule_allocate(w, (size_t)name.length + 3);
    if (!type) return;
    snprintf(type, (size_t)name.length + 3, "L%.*s;", (int)name.length, (const char *)name.bytes);
    w->self = cf_new_local(w->edit, type, 1);
    if (w->edit->constructor)
        cf_op(s, CF_OP_aconst_null);
    else
        cf_local(s, CF_OP_aload, 0);
    cf_local(s, CF_OP_astore, w->self);
    if (!w->edit->constructor) return;
    struct cf_snippet *constructed = cf_snippet_new(w->edit);
    cf_local(constructed, CF_OP_aload, 0);
    cf_local(constructed, CF_OP_astore, w->self);
    cf_insert_constructed(w->edit, constructed);
}

// Copies what is used behind the entry, and reads the clock.
static void keep_at_entry(struct rule_weaving *w) {
    struct cf_snippet *s = cf_snippet_new(w->edit);
    for (unsigned i = 0; i < w->parameter_count; i++) {
        struct rule_parameter *parameter = &w->parameters[i];
        if (!is_used(w->rule, i)) continue;
        uint32_t copy = cf_new_local(w->edit, parameter_type(w, i), 1);
        cf_local(s, cf_load_of(parameter->type), parameter->local);
        cf_local(s, cf_store_of(parameter->type), copy);
        parameter->local = copy;
    }
    keep_this(w, s);
    if (w->rule->timed) {
        w->start = cf_new_local(w->edit, "J", 1);
        set_time(w, s, w->rule->at != INSTR_RULE_CALL);
    }
    cf_insert_entry(w->edit, s);
}

static enum cf_status put_all(struct rule_weaving *w, bool *any) {
    enum instr_rule_at at = w->rule->at;
    *any = true;
    CF_TRY(cf_edit_constructor(w->edit));
    if (at != INSTR_RULE_ENTRY) keep_at_entry(w);
    switch (at) {
    case INSTR_RULE_ENTRY: put_at_entry(w); break;
    case INSTR_RULE_RETURN: put_at_exits(w); break;
    case INSTR_RULE_THROW: put_at_throws(w); break;
    case INSTR_RULE_EXIT:
        put_at_exits(w);
        put_at_throws(w);
        break;
    case INSTR_RULE_CALL: *any = put_at_calls(w); break;
    case INSTR_RULE_LINE: *any = put_at_line(w); break;
    }
    return w->edit->error.status;
}

static bool is_class_of_rule(const struct rw_class *cls, const struct instr_rule *rule,
                             struct cf_slice name) {
    const struct rw_supertypes *above = rule->subtypes ? cls->service(cls, "supertypes") : NULL;
    return instr_match(rule->classes, (const char *)name.bytes, name.length) ||
           (above && instr_match_any(rule->classes, above->names, above->count));
}

enum cf_status instr_rule_weave(struct rw_class *cls, struct cf_edit *edit) {
    const struct cf_class *c = edit->code.cls;
    struct cf_slice owner = cf_this_name(c), name = cf_member_name(c, edit->method),
                    descriptor = cf_member_descriptor(c, edit->method);
    const struct instr_rule *rule = instr_rule_of(cls->pass);
    unsigned parameters, result;
    if (rw_leave_alone(edit) || !owner.bytes || !is_class_of_rule(cls, rule, owner) ||
        !rw_watch_method_matches(&rule->target, name, descriptor) ||
        !cf_method_slots(descriptor, &parameters, &result)) // a broken class, which the JVM refuses
        return CF_OK;
    bool is_static = edit->method->access_flags & CF_ACC_STATIC;
    struct rule_weaving *w = cf_arena_zeroed(c->arena, 1, sizeof *w);
    if (!w) return cf_fail(&edit->error, CF_NO_MEMORY, 0, "out of memory", 0);
    *w = (struct rule_weaving){
        .cls = cls, .edit = edit, .rule = rule, .self = is_static ? UINT32_MAX : 0};
    list_parameters(w, is_static);
    bool any;
    enum cf_status status = put_all(w, &any);
    if (status == CF_MISUSE)
        __atomic_store_n(&rule->found->refused, edit->error.reason, __ATOMIC_RELAXED);
    if (status == CF_OK && any) __atomic_store_n(&rule->found->woven, 1, __ATOMIC_RELAXED);
    return status;
}

// What plug-ins put into methods: counts, histograms and events, with conditions; and calls that are skipped.
//
//      count:     id; InstrCalls.enter
//      observe:   value as a long, id; InstrPlugin.observe
//      only_if:   value as a long or double, number; lcmp or dcmp; jump behind the rest
//      emit:      value as a long, or 0, id; InstrPlugin.emit
//      call_helper: values; InstrHelperN.METHOD (helpers.c)
//      skip_if:   a condition; the method returns 0 or null, or goes on
//
// An elapsed time is that since a local was set: at the entry of the method, or before the call. Arguments
// of a call are below others on the stack, which go to locals meanwhile.

#include "instr/plugins/internal.h"
#include "rewriters/keeps_this.h"

#include <stdio.h>
#include <string.h>

enum { ENTER, OBSERVE, EMIT, NANO_TIME };

static struct cf_callee callee(struct instr_code *code, unsigned which) {
    static const struct {
        const char *class_name, *name, *descriptor;
    } methods[] = {
        [ENTER] = {"InstrCalls", "enter", "(I)V"},
        [OBSERVE] = {"InstrPlugin", "observe", "(JI)V"},
        [EMIT] = {"InstrPlugin", "emit", "(JI)V"},
        [NANO_TIME] = {"java/lang/System", "nanoTime", "()J"},
    };
    struct rw_class *cls = code->of->in;
    char name[128];
    if (!cls->callees[which].methodref) {
        snprintf(name, sizeof name, "%s%s", which == NANO_TIME ? "" : cls->runtime_package,
                 methods[which].class_name);
        cls->callees[which] =
            cf_callee_new(cls->rewrite, name, methods[which].name, methods[which].descriptor);
    }
    return cls->callees[which];
}

// --- places ---

// A place where something is put.
struct place {
    struct instr_code *code;
    const struct instr_at *at;
    struct instr_found_call call; // of AT_BEFORE and AT_AFTER
    struct cf_snippet *snippet;
    bool dry; // only checked: rewritten files go without it
};

// plug-in sql: 'queries': an object is not a number
static int misuse(struct instr_code *code, const char *reason) {
    enum { SIZE = 512 };
    char *text = cf_arena_alloc(code->edit->code.cls->arena, SIZE);
    const char *quote = code->name ? "'" : "";
    if (text)
        snprintf(text, SIZE, "plug-in %s: %s%.254s%s%s%s", code->of->plugin->made.name, quote,
                 code->name ? code->name : "", quote, code->name ? ": " : "", reason);
    cf_fail(&code->edit->error, CF_MISUSE, 0, text ? text : reason, 0);
    return -1;
}

static bool is_at_call(const struct instr_at *at) {
    return at->where == INSTR_AT_BEFORE || at->where == INSTR_AT_AFTER;
}

static int find_place(struct place *p, struct instr_code *code, const struct instr_at *at) {
    *p = (struct place){.code = code, .at = at};
    if (!at || at->size < sizeof *at) return misuse(code, "struct instr_at is too small");
    if (at->where > INSTR_AT_AFTER) return misuse(code, "no such place");
    if (is_at_call(at) && !instr_plugin_find_call(code, at->call, &p->call))
        return misuse(code, "the method has no such call");
    if (cf_edit_constructor(code->edit) != CF_OK) return -1;
    // No misuse, which would cost the method the rest: plug-ins may ask it for every method.
    if (at->where == INSTR_AT_CONSTRUCTED && !code->edit->constructor) return -1;
    p->snippet = cf_snippet_new(code->edit);
    return 0;
}

static void insert_thrown(struct cf_edit *edit, const struct cf_snippet *s) {
    cf_insert_thrown(edit, s);
    if (edit->constructor) cf_insert_thrown_early(edit, s);
}

static int insert(const struct place *p) {
    struct cf_edit *edit = p->code->edit;
    switch (p->at->where) {
    case INSTR_AT_ENTRY: cf_insert_entry(edit, p->snippet); break;
    case INSTR_AT_CONSTRUCTED: cf_insert_constructed(edit, p->snippet); break;
    case INSTR_AT_RETURN: cf_insert_exits(edit, p->snippet); break;
    case INSTR_AT_THROWN: insert_thrown(edit, p->snippet); break;
    case INSTR_AT_BEFORE: cf_insert_before(edit, p->call.at->instruction, p->snippet); break;
    default: cf_insert_after(edit, p->call.at->instruction, p->snippet); break;
    }
    return edit->error.status == CF_OK ? 0 : -1;
}

// --- values ---

static uint32_t slots_of(char type) {
    return type == 'J' || type == 'D' ? 2 : 1;
}

enum cf_opcode instr_plugin_return_of(char type) {
    if (type == 'V') return CF_OP_return;
    return (enum cf_opcode)(cf_load_of(type) + CF_OP_ireturn - CF_OP_iload);
}

uint32_t instr_plugin_read_types(struct cf_slice descriptor, char types[INSTR_PLUGIN_PARAMETERS],
                                 char *result) {
    unsigned slots, result_slots;
    *result = 'V';
    if (!cf_method_slots(descriptor, &slots, &result_slots)) return 0;
    const uint8_t *p = descriptor.bytes + 1, *end = descriptor.bytes + descriptor.length;
    uint32_t n = 0;
    for (; p < end && *p != ')' && n < INSTR_PLUGIN_PARAMETERS; p = cf_after_type(p, end))
        types[n++] = (char)*p;
    *result = (char)p[1];
    return n;
}

// 1 for an object, 0 for null, without a call: rewritten files have counters alone to call.
static void push_presence(const struct place *p) {
    static const char object[] = "java/lang/Object";
    uint16_t cls = cf_add_class(&p->code->edit->rewrite->pool, object, sizeof object - 1);
    cf_op_constant(p->snippet, CF_OP_instanceof, cls, 1, 1);
    cf_op(p->snippet, CF_OP_i2l);
}

// Makes a long of the value on the stack: of an object 1, of null 0.
static void widen(const struct place *p, char type) {
    switch (type) {
    case 'J': break;
    case 'F': cf_op(p->snippet, CF_OP_f2l); break;
    case 'D': cf_op(p->snippet, CF_OP_d2l); break;
    case 'L':
    case '[': push_presence(p); break;
    default: cf_op(p->snippet, CF_OP_i2l); break;
    }
}

static void push_copy(const struct place *p, char type) {
    cf_op(p->snippet, slots_of(type) == 2 ? CF_OP_dup2 : CF_OP_dup);
}

// The local that has what is in `slot` at the entry; `type` is a descriptor.
static uint32_t copy_of(struct instr_code *code, uint32_t slot, const char *type) {
    struct cf_edit *edit = code->edit;
    enum { SLOTS = 256 };
    if (!code->copies)
        code->copies = cf_arena_zeroed(edit->code.cls->arena, SLOTS, sizeof *code->copies);
    if (!code->copies) {
        cf_fail(&edit->error, CF_NO_MEMORY, 0, "out of memory", 0);
        return 0;
    }
    uint32_t *copy = &code->copies[slot];
    if (*copy) return *copy;
    *copy = cf_new_local_of(edit, type, 1);
    struct cf_snippet *s = cf_snippet_new(edit);
    cf_local(s, cf_load_of(*type), slot);
    cf_local(s, cf_store_of(*type), *copy);
    cf_insert_entry(edit, s);
    return *copy;
}

// The method may have changed what is in the slot, and handlers do not know it: there it is from a copy.
static void push_slot(const struct place *p, uint32_t slot, const char *type) {
    if (!p->dry && p->at->where != INSTR_AT_ENTRY) slot = copy_of(p->code, slot, type);
    cf_local(p->snippet, cf_load_of(*type), slot);
}

static void push_parameter(const struct place *p, const char *types, uint32_t index,
                           struct cf_slice type) {
    uint32_t slot = p->code->edit->method->access_flags & CF_ACC_STATIC ? 0 : 1;
    const char *text = instr_plugin_text(p->code->of, type, false);
    for (uint32_t i = 0; i < index; i++) slot += slots_of(types[i]);
    if (text)
        push_slot(p, slot, text);
    else
        cf_fail(&p->code->edit->error, CF_NO_MEMORY, 0, "out of memory", 0);
}

static uint32_t new_local(const struct place *p, char letter) {
    const char type[] = {letter, '\0'};
    bool object = letter == 'L' || letter == '[';
    return cf_new_local(p->code->edit, object ? "Ljava/lang/Object;" : type, 0);
}

// The arguments above go to locals, and come back.
static void push_argument(const struct place *p, const char *types, uint32_t count,
                          uint32_t index) {
    uint32_t locals[INSTR_PLUGIN_PARAMETERS];
    char type = types[index];
    if (p->dry) {
        cf_op(p->snippet, instr_plugin_nothing_of(type));
        return;
    }
    for (uint32_t i = count; i-- > index + 1;) {
        locals[i] = new_local(p, types[i]);
        cf_local(p->snippet, cf_store_of(types[i]), locals[i]);
    }
    push_copy(p, type);
    if (index + 1 == count) return;
    uint32_t value = new_local(p, type);
    cf_local(p->snippet, cf_store_of(type), value);
    for (uint32_t i = index + 1; i < count; i++)
        cf_local(p->snippet, cf_load_of(types[i]), locals[i]);
    cf_local(p->snippet, cf_load_of(type), value);
}

// Sets the local to the time, or to 0.
static struct cf_snippet *set_time(struct instr_code *code, uint32_t local, bool now) {
    struct cf_snippet *s = cf_snippet_new(code->edit);
    if (now)
        cf_call(s, callee(code, NANO_TIME));
    else
        cf_op(s, CF_OP_lconst_0);
    cf_local(s, CF_OP_lstore, local);
    return s;
}

static void push_elapsed(const struct place *p) {
    struct instr_code *code = p->code;
    if (p->dry) {
        cf_op(p->snippet, CF_OP_lconst_0);
        return;
    }
    uint32_t *local = p->at->where == INSTR_AT_AFTER ? &code->call_start : &code->start;
    if (!*local) {
        *local = cf_new_local(code->edit, "J", 1);
        cf_insert_entry(code->edit, set_time(code, *local, p->at->where != INSTR_AT_AFTER));
    }
    if (p->at->where == INSTR_AT_AFTER && !p->call.at->timed) {
        cf_insert_before(code->edit, p->call.at->instruction, set_time(code, *local, true));
        p->call.at->timed = true;
    }
    cf_call(p->snippet, callee(code, NANO_TIME));
    cf_local(p->snippet, CF_OP_lload, *local);
    cf_op(p->snippet, CF_OP_lsub);
}

// The type of parameter `index` in a descriptor that has so many; of the result behind the last one.
static struct cf_slice type_at(struct cf_slice descriptor, uint32_t index) {
    const uint8_t *p = descriptor.bytes + 1, *end = descriptor.bytes + descriptor.length, *next;
    for (uint32_t i = 0; i < index && *p != ')'; i++) p = cf_after_type(p, end);
    if (*p == ')') p++;
    next = *p == 'V' ? p + 1 : cf_after_type(p, end);
    return (struct cf_slice){p, (uint32_t)(next - p)};
}

static struct cf_slice slice_of(const char *text) {
    return (struct cf_slice){(const uint8_t *)text, (uint32_t)strlen(text)};
}

// Is the place before super() or this(), or a handler, which may be for what is before?
static bool is_early(const struct place *p) {
    const struct cf_edit *edit = p->code->edit;
    if (!edit->constructor) return false;
    if (!is_at_call(p->at))
        return p->at->where == INSTR_AT_ENTRY || p->at->where == INSTR_AT_THROWN;
    uint32_t pc = edit->code.pc[p->call.at->instruction];
    if (p->at->where == INSTR_AT_AFTER) pc += cf_opcodes[edit->code.bytes[pc]].length;
    for (uint32_t i = edit->phases_count; i-- > 0;)
        if (edit->phases[i].start <= pc) return !edit->phases[i].initialized;
    return false;
}

static bool keeps_this(struct instr_code *code) {
    if (!code->keeps_this) code->keeps_this = rw_keeps_this(&code->edit->code) ? 1 : -1;
    return code->keeps_this > 0;
}

// "Lcom/acme/Shop;", for as long as the edit: types of locals refer to it. NULL: out of memory.
static const char *own_type(struct instr_code *code) {
    struct cf_slice name = cf_this_name(code->edit->code.cls);
    if (code->own) return code->own;
    char *own = cf_arena_alloc(code->edit->code.cls->arena, (size_t)name.length + 3);
    if (own)
        snprintf(own, (size_t)name.length + 3, "L%.*s;", (int)name.length,
                 (const char *)name.bytes);
    return code->own = own;
}

// A copy that a constructor has from where `this` is initialized on; at the entry it is not.
static uint32_t copy_of_self(struct instr_code *code, const char *own) {
    struct cf_edit *edit = code->edit;
    if (code->self) return code->self;
    code->self = cf_new_local_of(edit, own, 1);
    struct cf_snippet *none = cf_snippet_new(edit), *keep = cf_snippet_new(edit);
    cf_op(none, CF_OP_aconst_null);
    cf_local(none, CF_OP_astore, code->self);
    cf_insert_entry(edit, none);
    cf_local(keep, CF_OP_aload, 0);
    cf_local(keep, CF_OP_astore, code->self);
    cf_insert_constructed_first(edit, keep);
    return code->self;
}

static int push_this(const struct place *p, struct cf_slice *type) {
    const struct cf_edit *edit = p->code->edit;
    const char *own = own_type(p->code);
    if (edit->method->access_flags & CF_ACC_STATIC || is_early(p))
        return misuse(p->code, "there is no `this` at this place");
    if (!own) {
        cf_fail(&p->code->edit->error, CF_NO_MEMORY, 0, "out of memory", 0);
        return -1;
    }
    *type = slice_of("Ljava/lang/Object;");
    bool is_there = keeps_this(p->code) && (edit->constructor || is_at_call(p->at));
    if (is_there || p->dry || p->at->where == INSTR_AT_CONSTRUCTED)
        cf_local(p->snippet, CF_OP_aload, 0);
    else if (edit->constructor)
        cf_local(p->snippet, CF_OP_aload, copy_of_self(p->code, own));
    else
        push_slot(p, 0, own);
    return 0;
}

static int push_thrown(const struct place *p, struct cf_slice *type) {
    if (p->at->where != INSTR_AT_THROWN)
        return misuse(p->code, "there is no exception at this place");
    *type = slice_of("Ljava/lang/Throwable;");
    cf_op(p->snippet, CF_OP_dup);
    return 0;
}

static int push_elapsed_value(const struct place *p, struct cf_slice *type) {
    enum instr_where where = (enum instr_where)p->at->where;
    if (where != INSTR_AT_RETURN && where != INSTR_AT_THROWN && where != INSTR_AT_AFTER)
        return misuse(p->code, "no time has passed at this place");
    *type = slice_of("J");
    push_elapsed(p);
    return 0;
}

static int push_declared(const struct place *p, const struct instr_value *value,
                         struct cf_slice *type) {
    enum instr_where where = (enum instr_where)p->at->where;
    char types[INSTR_PLUGIN_PARAMETERS], result;
    const struct cf_class *cls = p->code->edit->code.cls;
    struct cf_slice descriptor =
        is_at_call(p->at) ? p->call.descriptor : cf_member_descriptor(cls, p->code->edit->method);
    uint32_t count = instr_plugin_read_types(descriptor, types, &result);
    if (value->what == INSTR_RESULT) {
        if ((where != INSTR_AT_RETURN && where != INSTR_AT_AFTER) || result == 'V')
            return misuse(p->code, "there is no result at this place");
        *type = type_at(descriptor, count);
        push_copy(p, result);
        return 0;
    }
    if (where == INSTR_AT_AFTER || value->index >= count)
        return misuse(p->code, "there is no such argument at this place");
    *type = type_at(descriptor, value->index);
    if (where == INSTR_AT_BEFORE)
        push_argument(p, types, count, value->index);
    else
        push_parameter(p, types, value->index, *type);
    return 0;
}

// Pushes the value as it is, of this type.
static int push_raw(const struct place *p, const struct instr_value *value, struct cf_slice *type) {
    if (!value || value->size < sizeof *value)
        return misuse(p->code, "struct instr_value is too small");
    switch ((enum instr_what)value->what) {
    case INSTR_ARGUMENT:
    case INSTR_RESULT: return push_declared(p, value, type);
    case INSTR_ELAPSED: return push_elapsed_value(p, type);
    case INSTR_THIS: return push_this(p, type);
    case INSTR_THROWN: return push_thrown(p, type);
    default: return misuse(p->code, "no such value");
    }
}

// Pushes the value as a long; one with a fraction as a double if it is `exact`. *type is the first letter
// of its own type, or 't' for a time.
static int push(const struct place *p, const struct instr_value *value, bool exact, char *type) {
    struct cf_slice own;
    if (push_raw(p, value, &own) != 0) return -1;
    *type = value->what == INSTR_ELAPSED ? INSTR_PLUGIN_TIMES : (char)*own.bytes;
    if (exact && *type == 'F') cf_op(p->snippet, CF_OP_f2d);
    if (exact && (*type == 'F' || *type == 'D')) return 0;
    if (value->what != INSTR_ELAPSED) widen(p, *type);
    return 0;
}

// --- conditions ---

static void push_long(struct cf_snippet *s, int64_t number) {
    if (number < INT32_MIN || number > INT32_MAX) {
        cf_push_constant(s, cf_add_long(&s->edit->rewrite->pool, number));
        return;
    }
    cf_push_int(s, (int32_t)number);
    cf_op(s, CF_OP_i2l);
}

// Compares with the number what is on the stack. NaN is not equal to it, and neither less nor more.
static void compare(const struct place *p, char type) {
    const struct instr_test *only_if = p->at->only_if;
    struct cf_snippet *s = p->snippet;
    if (type != 'F' && type != 'D') {
        push_long(s, only_if->number);
        cf_op(s, CF_OP_lcmp);
        return;
    }
    cf_push_constant(s, cf_add_double(&s->edit->rewrite->pool, (double)only_if->number));
    bool less = only_if->is == INSTR_LESS || only_if->is == INSTR_AT_MOST;
    cf_op(s, less ? CF_OP_dcmpg : CF_OP_dcmpl);
}

// Jumps to the label unless the test is met.
static int test(const struct place *p, uint32_t otherwise) {
    static const enum cf_opcode jumps[] = {
        [INSTR_EQUAL] = CF_OP_ifne,    [INSTR_NOT_EQUAL] = CF_OP_ifeq, [INSTR_LESS] = CF_OP_ifge,
        [INSTR_AT_LEAST] = CF_OP_iflt, [INSTR_MORE] = CF_OP_ifle,      [INSTR_AT_MOST] = CF_OP_ifgt,
    };
    const struct instr_test *only_if = p->at->only_if;
    char type;
    if (only_if->size < sizeof *only_if) return misuse(p->code, "struct instr_test is too small");
    if (only_if->is > INSTR_AT_MOST) return misuse(p->code, "no such comparison");
    if (push(p, only_if->value, true, &type) != 0) return -1;
    if ((type == 'L' || type == '[') && (only_if->number != 0 || only_if->is > INSTR_NOT_EQUAL))
        return misuse(p->code, "an object can be compared with null only");
    compare(p, type);
    cf_branch_to(p->snippet, jumps[only_if->is], otherwise);
    return 0;
}

// --- what is put there ---

enum { LONGEST_NAME = 254 }; // bytes

// The id of what is counted here. Files that are rewritten have ids of methods only.
static int find_id(const struct place *p, char kind, const char *name, int *id) {
    struct instr_code *code = p->code;
    struct rw_class *cls = code->of->in;
    char detail[LONGEST_NAME + 2];
    int n = snprintf(detail, sizeof detail, "%c%s", kind, name);
    uint32_t pc = is_at_call(p->at) ? code->edit->code.pc[p->call.at->instruction] : 0;
    struct cf_slice text = {(const uint8_t *)detail, (uint32_t)n};
    enum cf_status status = code->of->plugin->offline ? rw_method_id(cls, code->edit, id)
                                                      : rw_site_id(cls, code->edit, pc, text, id);
    return status == CF_OK ? 0 : -1;
}

static int put_named(struct instr_code *code, const struct instr_at *at, char kind,
                     const char *name, const struct instr_value *value) {
    struct place p;
    int id = -1;
    char type = 'J';
    if (find_place(&p, code, at) != 0) return -1;
    p.dry = code->of->plugin->offline && kind != INSTR_PLUGIN_COUNT;
    uint32_t end = at->only_if ? cf_label(p.snippet) : 0;
    if (at->only_if && test(&p, end) != 0) return -1;
    if (value && push(&p, value, false, &type) != 0) return -1;
    if (value && (type == 'L' || type == '[')) return misuse(code, "an object is not a number");
    if (!name || !*name || strlen(name) > LONGEST_NAME)
        return misuse(code, "the name of a counter must have 1 to 254 bytes");
    if (p.dry) return 0;
    if (!value && kind == INSTR_PLUGIN_EVENTS) cf_op(p.snippet, CF_OP_lconst_0);
    if (kind == INSTR_PLUGIN_VALUES && type == INSTR_PLUGIN_TIMES) kind = INSTR_PLUGIN_TIMES;
    if (find_id(&p, kind, name, &id) != 0) return -1;
    cf_push_int(p.snippet, id);
    cf_call(p.snippet, callee(code, kind == INSTR_PLUGIN_COUNT    ? ENTER
                                    : kind == INSTR_PLUGIN_EVENTS ? EMIT
                                                                  : OBSERVE));
    if (at->only_if) cf_place(p.snippet, end);
    return insert(&p);
}

// Counts, observes the value, or emits an event with it (`kind`).
static int put(struct instr_code *code, const struct instr_at *at, char kind, const char *name,
               const struct instr_value *value) {
    if (!instr_plugin_has_code(code)) return -1;
    code->name = name && *name ? name : NULL;
    int result = kind != INSTR_PLUGIN_COUNT && kind != INSTR_PLUGIN_EVENTS && !value
                     ? misuse(code, "there is no value")
                     : put_named(code, at, kind, name, value);
    code->name = NULL;
    return result;
}

int instr_plugin_count(struct instr_code *code, const struct instr_at *at, const char *counter) {
    return put(code, at, INSTR_PLUGIN_COUNT, counter, NULL);
}

int instr_plugin_observe(struct instr_code *code, const struct instr_at *at, const char *histogram,
                         const struct instr_value *value) {
    return put(code, at, INSTR_PLUGIN_VALUES, histogram, value);
}

int instr_plugin_emit(struct instr_code *code, const struct instr_at *at, const char *event,
                      const struct instr_value *value) {
    if (instr_plugin_has_code(code) && !code->of->plugin->plugin.drain)
        return misuse(code, "it has no function `drain`, which gets events");
    return put(code, at, INSTR_PLUGIN_EVENTS, event, value);
}

// --- helpers ---

static bool fits(struct cf_slice has, struct cf_slice wanted) {
    if (*wanted.bytes == 'I') return strchr("ZBCSI", *has.bytes) != NULL;
    if (CF_IS(wanted, "Ljava/lang/Object;")) return *has.bytes == 'L' || *has.bytes == '[';
    return cf_slice_equal(has, wanted);
}

// Each is found on the stack below nothing else, so they go to locals first.
static int push_values(const struct place *p, struct cf_slice descriptor,
                       const struct instr_value *const *values, uint32_t count) {
    uint32_t locals[INSTR_PLUGIN_PARAMETERS];
    char types[INSTR_PLUGIN_PARAMETERS];
    for (uint32_t i = 0; i < count; i++) {
        struct cf_slice type;
        if (push_raw(p, values[i], &type) != 0) return -1;
        if (!fits(type, type_at(descriptor, i)))
            return misuse(p->code, "the helper's parameter is of another type");
        if (p->dry) continue;
        types[i] = (char)*type.bytes;
        locals[i] = new_local(p, types[i]);
        cf_local(p->snippet, cf_store_of(types[i]), locals[i]);
    }
    for (uint32_t i = 0; i < count && !p->dry; i++)
        cf_local(p->snippet, cf_load_of(types[i]), locals[i]);
    return 0;
}

static const struct instr_plugin_helper *find_helper(const struct instr_code *code,
                                                     const char *name) {
    const struct instr_plugin_helper *h = code->of->plugin->helpers;
    char internal[INSTR_PLUGIN_NAME];
    size_t n = name ? strlen(name) : 0;
    if (n >= sizeof internal) return NULL;
    for (size_t i = 0; i < n; i++) internal[i] = name[i] == '.' ? '/' : name[i];
    internal[n] = '\0';
    while (h && strcmp(h->name, internal) != 0) h = h->next;
    return h;
}

int instr_plugin_call_helper(struct instr_code *code, const struct instr_at *at,
                             const char *class_name, const char *method,
                             const struct instr_value *const *values, uint32_t count) {
    if (!instr_plugin_has_code(code)) return -1;
    const struct instr_plugin_helper *helper = find_helper(code, class_name);
    const struct cf_member *m =
        helper && method ? instr_plugin_find_helped(helper, method, count) : NULL;
    struct place p;
    char result;
    if (!m || (count && !values))
        return misuse(code, "no helper has this method with so many parameters");
    struct cf_slice descriptor = cf_member_descriptor(&helper->cls, m);
    if (find_place(&p, code, at) != 0) return -1;
    p.dry = code->of->plugin->offline;
    uint32_t end = at->only_if ? cf_label(p.snippet) : 0;
    if (at->only_if && test(&p, end) != 0) return -1;
    if (push_values(&p, descriptor, values, count) != 0) return -1;
    if (p.dry) return 0;
    cf_call(p.snippet, cf_callee_new(code->edit->rewrite, helper->bridge, method,
                                     instr_plugin_text(code->of, descriptor, false)));
    result = (char)*type_at(descriptor, count).bytes;
    if (result != 'V') cf_op(p.snippet, slots_of(result) == 2 ? CF_OP_pop2 : CF_OP_pop);
    if (at->only_if) cf_place(p.snippet, end);
    return insert(&p);
}

// --- calls that are not made ---

enum cf_opcode instr_plugin_nothing_of(char type) {
    switch (type) {
    case 'J': return CF_OP_lconst_0;
    case 'F': return CF_OP_fconst_0;
    case 'D': return CF_OP_dconst_0;
    case 'L':
    case '[': return CF_OP_aconst_null;
    default: return CF_OP_iconst_0;
    }
}

// Puts `s` in the place of the call, unless a plug-in has done so: all do it alike.
static int replace_once(struct instr_code *code, uint32_t instruction, const struct cf_snippet *s) {
    struct cf_edit *edit = code->edit;
    const struct cf_snippet *there = cf_take_replacement(edit, instruction);
    bool same =
        !there || (there->length == s->length && memcmp(there->bytes, s->bytes, s->length) == 0);
    cf_replace(edit, instruction, same ? s : there);
    if (!same)
        return misuse(code, "a kit around this call is there already; the plug-in must come first");
    return edit->error.status == CF_OK ? 0 : -1;
}

int instr_plugin_skip(struct instr_code *code, uint32_t n) {
    struct instr_found_call call;
    char types[INSTR_PLUGIN_PARAMETERS], result;
    if (!instr_plugin_has_code(code)) return -1;
    if (!instr_plugin_find_call(code, n, &call)) return misuse(code, "the method has no such call");
    if (CF_IS(call.name, "<init>"))
        return misuse(code, "the call of a constructor cannot be skipped");
    struct cf_snippet *s = cf_snippet_new(code->edit);
    for (uint32_t i = instr_plugin_read_types(call.descriptor, types, &result); i-- > 0;)
        cf_op(s, slots_of(types[i]) == 2 ? CF_OP_pop2 : CF_OP_pop);
    const struct cf_code *c = &code->edit->code;
    if (c->bytes[c->pc[call.at->instruction]] != CF_OP_invokestatic) cf_op(s, CF_OP_pop);
    if (result != 'V') cf_op(s, instr_plugin_nothing_of(result));
    if (!s->length) cf_op(s, CF_OP_nop);
    return replace_once(code, call.at->instruction, s);
}

// One level inside of what else the plug-in puts at the entry, which runs first.
int instr_plugin_skip_if(struct instr_code *code, const struct instr_test *condition) {
    const struct instr_at at = {.size = sizeof at, .where = INSTR_AT_ENTRY, .only_if = condition};
    struct place p;
    char types[INSTR_PLUGIN_PARAMETERS], result;
    if (!instr_plugin_has_code(code) || find_place(&p, code, &at) != 0) return -1;
    if (code->edit->constructor) return misuse(code, "a constructor cannot be left at its entry");
    uint32_t go_on = cf_label(p.snippet);
    if (condition) {
        if (test(&p, go_on) != 0) return -1;
    } else {
        cf_op(p.snippet, CF_OP_iconst_0);
        cf_branch_to(p.snippet, CF_OP_ifne, go_on);
    }
    instr_plugin_read_types(cf_member_descriptor(code->edit->code.cls, code->edit->method), types,
                            &result);
    if (result != 'V') cf_op(p.snippet, instr_plugin_nothing_of(result));
    code->edit->nesting++;
    cf_insert_early_return(code->edit, p.snippet, go_on);
    code->edit->nesting--;
    return code->edit->error.status == CF_OK ? 0 : -1;
}

// The table of functions that plug-ins get, and what they look at.

#include "instr/plugins/internal.h"

#include "classfile/format/annotations.h"
#include "classfile/format/lines.h"

#include <stdio.h>
#include <string.h>

enum { NAME_SIZE = 1024 };

const char *instr_plugin_text(const struct instr_class *cls, struct cf_slice text, bool dots) {
    if (!text.bytes) return NULL;
    char *copy = cf_arena_alloc(cls->in->rewrite->cls->arena, (size_t)text.length + 1);
    if (!copy) return NULL;
    memcpy(copy, text.bytes, text.length);
    copy[text.length] = '\0';
    for (uint32_t i = 0; dots && i < text.length; i++)
        if (copy[i] == '/') copy[i] = '.';
    return copy;
}

// --- handles ---

static _Thread_local struct instr_plugin_callback *running;

void instr_plugin_enter(struct instr_plugin_callback *callback) {
    callback->outer = running;
    running = callback;
}

void instr_plugin_leave(const struct instr_plugin_callback *callback) {
    running = callback->outer;
}

static bool take(bool right) {
    if (running && !right) running->misused = true;
    return right;
}

bool instr_plugin_has_class(const struct instr_class *cls) {
    return take(cls && running && running->cls == cls);
}

bool instr_plugin_has_code(const struct instr_code *code) {
    return take(code && running && running->code == code);
}

// --- names ---

static const struct cf_class *class_of(const struct instr_class *cls) {
    return cls->in->rewrite->cls;
}

static const char *class_name(const struct instr_class *cls) {
    if (!instr_plugin_has_class(cls)) return NULL;
    return instr_plugin_text(cls, cf_this_name(class_of(cls)), true);
}

static const char *super_name(const struct instr_class *cls) {
    if (!instr_plugin_has_class(cls)) return NULL;
    return instr_plugin_text(cls, cf_class_name(class_of(cls), class_of(cls)->super_class), true);
}

static const char *interface_name(const struct instr_class *cls, uint32_t n) {
    if (!instr_plugin_has_class(cls)) return NULL;
    const struct cf_class *of = class_of(cls);
    if (n >= of->interfaces_count) return NULL;
    return instr_plugin_text(cls, cf_class_name(of, cf_be2(of->bytes + of->interfaces + 2 * n)),
                             true);
}

// Copies as much as the plug-in's version of the structure has. Both begin with their size.
static void answer(void *to, void *from, uint32_t size) {
    uint32_t n;
    if (!to) return;
    memcpy(&n, to, sizeof n);
    if (n > size) n = size;
    memcpy(from, &n, sizeof n);
    memcpy(to, from, n);
}

// --- supertypes and loaders ---

static uint64_t *note_of(const struct instr_class *cls) {
    return (uint64_t *)(uintptr_t)cls->in->service(cls->in, "note");
}

// The name with slashes. False: it is too long.
static bool get_internal(const char *name, char internal[NAME_SIZE]) {
    size_t n = strlen(name);
    if (n >= NAME_SIZE) return false;
    for (size_t i = 0; i <= n; i++) internal[i] = name[i] == '.' ? '/' : name[i];
    return true;
}

// Asks the JVM. `above`: the name is that of a direct supertype.
static int ask(const struct instr_class *cls, bool above, const char *name, const char *super) {
    char internal[NAME_SIZE], internal_super[NAME_SIZE];
    const struct instr_plugin_jvm *jvm = cls->plugin->jvm;
    const uint64_t *note = note_of(cls);
    if (strcmp(name, super) == 0) return INSTR_YES;
    if (strcmp(name, "java.lang.Object") == 0) return INSTR_NO;
    if (!jvm || !note || !get_internal(name, internal) || !get_internal(super, internal_super))
        return INSTR_UNKNOWN;
    return jvm->is_a(*note, above, internal, internal_super);
}

// The answer for one more supertype.
static int either(int a, int b) {
    if (a == INSTR_YES || b == INSTR_YES) return INSTR_YES;
    return a == INSTR_UNKNOWN || b == INSTR_UNKNOWN ? INSTR_UNKNOWN : INSTR_NO;
}

static int is_a(const struct instr_class *cls, const char *name, const char *super) {
    if (!instr_plugin_has_class(cls) || !name || !super) return INSTR_UNKNOWN;
    if (strcmp(name, super) == 0 || strcmp(super, "java.lang.Object") == 0) return INSTR_YES;
    const char *own = class_name(cls), *above = super_name(cls), *next;
    if (!own || strcmp(name, own) != 0) return ask(cls, false, name, super);
    int result = above ? ask(cls, true, above, super) : INSTR_NO;
    for (uint32_t n = 0; (next = interface_name(cls, n)); n++)
        result = either(result, ask(cls, true, next, super));
    if (result == INSTR_UNKNOWN && cls->plugin->jvm && note_of(cls))
        cls->plugin->jvm->ask_again(note_of(cls));
    return result;
}

static int loader(const struct instr_class *cls, struct instr_loader_info *info) {
    if (!instr_plugin_has_class(cls)) return 0;
    struct instr_loader_info found = {.size = 0};
    const uint64_t *note = note_of(cls);
    if (!cls->plugin->jvm || !note ||
        !cls->plugin->jvm->loader(*note, class_of(cls)->arena, &found))
        return 0;
    answer(info, &found, sizeof found);
    return 1;
}

static int matches(const char *patterns, const char *name) {
    char reason[INSTR_ERROR_SIZE], internal[NAME_SIZE];
    if (!patterns || !name || !get_internal(name, internal)) return INSTR_UNKNOWN;
    struct instr_match *match = instr_match_new();
    int result = match && instr_match_add(match, patterns, reason, sizeof reason) == 0
                     ? instr_match(match, internal, strlen(internal))
                     : INSTR_UNKNOWN;
    instr_match_free(match);
    return result;
}

// --- methods ---

static uint32_t line_at(struct instr_code *code, uint32_t pc) {
    if (!code->lines) code->lines = cf_lines(&code->edit->code);
    return code->lines ? code->lines[pc] : 0;
}

static void method(struct instr_code *code, struct instr_method_info *info) {
    if (!instr_plugin_has_code(code)) return;
    const struct cf_class *cls = code->edit->code.cls;
    const struct cf_member *member = code->edit->method;
    struct instr_method_info found = {
        .access_flags = member->access_flags,
        .name = instr_plugin_text(code->of, cf_member_name(cls, member), false),
        .descriptor = instr_plugin_text(code->of, cf_member_descriptor(cls, member), false),
        .line = line_at(code, 0),
    };
    answer(info, &found, sizeof found);
}

// `member` NULL: the class.
static int has_annotation(const struct cf_class *cls, const struct cf_member *member,
                          const char *annotation) {
    char type[1024];
    if (!annotation) return INSTR_NO;
    int n = snprintf(type, sizeof type, "L%s;", annotation);
    if (n < 0 || n >= (int)sizeof type) return INSTR_NO;
    for (char *c = type; *c; c++)
        if (*c == '.') *c = '/';
    const char *const types[] = {type, NULL};
    return cf_annotation_of(cls, member, types) != NULL;
}

static int annotated(struct instr_code *code, const char *annotation) {
    if (!instr_plugin_has_code(code)) return INSTR_NO;
    return has_annotation(code->edit->code.cls, code->edit->method, annotation);
}

static int class_annotated(const struct instr_class *cls, const char *annotation) {
    if (!instr_plugin_has_class(cls)) return INSTR_NO;
    return has_annotation(class_of(cls), NULL, annotation);
}

static bool is_call(const struct cf_code *code, uint32_t i) {
    unsigned opcode = code->bytes[code->pc[i]];
    return opcode >= CF_OP_invokevirtual && opcode <= CF_OP_invokeinterface;
}

static void list_calls(struct instr_code *code) {
    const struct cf_code *c = &code->edit->code;
    code->calls = cf_arena_zeroed(c->cls->arena, (size_t)c->count + 1, sizeof *code->calls);
    for (uint32_t i = 0; code->calls && i < c->count; i++)
        if (is_call(c, i)) code->calls[code->calls_count++].instruction = i;
}

bool instr_plugin_find_call(struct instr_code *code, uint32_t n, struct instr_found_call *call) {
    const struct cf_code *c = &code->edit->code;
    if (!code->calls) list_calls(code);
    if (n >= code->calls_count) return false;
    call->at = &code->calls[n];
    return cf_reference(c->cls, cf_be2(c->bytes + c->pc[call->at->instruction] + 1),
                        &call->class_name, &call->name, &call->descriptor) &&
           call->class_name.bytes;
}

static int call(struct instr_code *code, uint32_t n, struct instr_call *result) {
    struct instr_found_call at;
    if (!instr_plugin_has_code(code)) return 0;
    if (!instr_plugin_find_call(code, n, &at)) return 0;
    uint32_t pc = code->edit->code.pc[at.at->instruction];
    struct instr_call found = {
        .line = line_at(code, pc),
        .class_name = instr_plugin_text(code->of, at.class_name, true),
        .name = instr_plugin_text(code->of, at.name, false),
        .descriptor = instr_plugin_text(code->of, at.descriptor, false),
        .is_static = code->edit->code.bytes[pc] == CF_OP_invokestatic,
    };
    if (!found.class_name || !found.name || !found.descriptor) return 0;
    answer(result, &found, sizeof found);
    return 1;
}

const struct instr_host instr_plugin_host = {
    .size = sizeof(struct instr_host),
    .api = INSTR_PLUGIN_API,
    .options = instr_plugin_options,
    .add = instr_plugin_add,
    .class_name = class_name,
    .super_name = super_name,
    .interface_name = interface_name,
    .is_a = is_a,
    .matches = matches,
    .method = method,
    .annotated = annotated,
    .call = call,
    .count = instr_plugin_count,
    .observe = instr_plugin_observe,
    .class_annotated = class_annotated,
    .skip = instr_plugin_skip,
    .skip_if = instr_plugin_skip_if,
    .emit = instr_plugin_emit,
    .loader = loader,
    .add_helper = instr_plugin_add_helper,
    .call_helper = instr_plugin_call_helper,
};

// Wrapping native methods: prefixes, early classes, classes that have wrappers.

#include "instr/retransform/native_prefix.h"

#include "instr/base/array.h"
#include "instr/report/text.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define METHODS_SHOWN 10

static struct {
    bool has_vmstart; // a JVM with can_generate_early_vmstart: JDK 9 or later
    jvmtiEnv *last;   // behind the environments of all other agents; NULL: not created yet
    atomic_bool used;
    // An engine without passes, for wrappers that only call the native methods.
    struct instr_options options;
    struct instr_methods *methods;
    struct instr_engine *_Atomic engine; // NULL: the JVM does not know the prefix
} wrapper;

static bool wraps_only(const struct instr_options *options, size_t i) {
    return (options->passes[i].pass->flags & RW_ONLY_WRAPPERS) != 0;
}

uint64_t instr_wrapping_passes(const struct instr_options *options) {
    uint64_t wrapping = 0;
    for (size_t i = 0; i < options->pass_count && i < 64; i++)
        if (wraps_only(options, i)) wrapping |= UINT64_C(1) << i;
    return wrapping;
}

static bool wraps(const struct instr_options *options) {
    for (size_t i = 0; i < options->pass_count; i++)
        if (options->passes[i].pass->wraps) return true;
    return false;
}

bool instr_wraps_only(const struct instr_options *options) {
    for (size_t i = 0; i < options->pass_count; i++)
        if (!wraps_only(options, i)) return false;
    return true;
}

bool instr_native_prefix_any(void) {
    return atomic_load(&wrapper.engine) != NULL;
}

bool instr_wraps_early(const struct instr_options *options) {
    static const char *const packages[] = {"java/", "jdk/", "sun/"};
    for (size_t k = 0; k < options->pass_count; k++) {
        const struct instr_match *include = options->passes[k].include;
        if (!wraps_only(options, k) || !include) continue;
        for (size_t i = 0; i < sizeof packages / sizeof *packages; i++)
            if (instr_match_below(include, packages[i])) return true;
    }
    return false;
}

static bool check(jvmtiError error, char *reason, size_t size) {
    if (error == JVMTI_ERROR_NONE) return true;
    snprintf(reason, size, "native methods cannot be wrapped in this JVM (JVM TI error %d)",
             (int)error);
    return false;
}

// It lasts until the JVM ends.
static bool make_engine(char *reason, size_t size) {
    wrapper.methods = instr_methods_new();
    struct instr_engine *engine =
        wrapper.methods ? instr_engine_new(&wrapper.options, wrapper.methods, "") : NULL;
    atomic_store(&wrapper.engine, engine);
    if (engine) return true;
    instr_methods_free(wrapper.methods);
    snprintf(reason, size, "out of memory");
    return false;
}

bool instr_native_prefix_prepare(jvmtiEnv *jvmti, const struct instr_options *options,
                                 bool is_early, char *reason, size_t size) {
    jvmtiCapabilities wanted, potential;
    if (!wraps(options) || instr_native_prefix_any()) return true;
    memset(&wanted, 0, sizeof wanted);
    jvmtiError error = (*jvmti)->GetPotentialCapabilities(jvmti, &potential);
    if (!check(error, reason, size)) return false;
    wanted.can_set_native_method_prefix = 1;
    wanted.can_get_constant_pool = 1;
    wrapper.has_vmstart = potential.can_generate_early_vmstart;
    if (is_early) {
        // JDK 8 has neither capability: its hooks are early without them.
        wanted.can_generate_early_vmstart = potential.can_generate_early_vmstart;
        wanted.can_generate_early_class_hook_events =
            potential.can_generate_early_class_hook_events;
    }
    error = (*jvmti)->AddCapabilities(jvmti, &wanted);
    if (error == JVMTI_ERROR_NONE)
        error = (*jvmti)->SetNativeMethodPrefix(jvmti, INSTR_NATIVE_PREFIX);
    return check(error, reason, size) && make_engine(reason, size);
}

bool instr_native_prefix_start(JavaVM *vm, const struct instr_options *options, char *reason,
                               size_t size) {
    jvmtiEnv *jvmti = NULL;
    jvmtiCapabilities wanted;
    if (!wraps(options) || wrapper.last) return true;
    if ((*vm)->GetEnv(vm, (void **)&jvmti, JVMTI_VERSION_1_2) != JNI_OK)
        return check(JVMTI_ERROR_NOT_AVAILABLE, reason, size);
    memset(&wanted, 0, sizeof wanted);
    wanted.can_set_native_method_prefix = 1;
    jvmtiError error = (*jvmti)->AddCapabilities(jvmti, &wanted);
    if (error == JVMTI_ERROR_NONE)
        error = (*jvmti)->SetNativeMethodPrefix(jvmti, INSTR_NATIVE_PREFIX);
    if (error != JVMTI_ERROR_NONE)
        (*jvmti)->DisposeEnvironment(jvmti);
    else
        wrapper.last = jvmti;
    return check(error, reason, size);
}

void instr_native_prefix_mark_used(void) {
    atomic_store(&wrapper.used, true);
}

bool instr_native_prefix_used(void) {
    return atomic_load(&wrapper.used);
}

// No thread uses the engine, because no class has wrappers.
void instr_native_prefix_end(void) {
    if (instr_native_prefix_used() || !instr_native_prefix_any()) return;
    instr_engine_free(atomic_exchange(&wrapper.engine, NULL));
    if (wrapper.last) (*wrapper.last)->DisposeEnvironment(wrapper.last);
    wrapper.last = NULL;
    instr_methods_free(wrapper.methods);
    wrapper.methods = NULL;
}

// --- early classes ---

// A JVM looks for a native method under its prefixed name first, and removes the prefix after that.
// For the bootstrap loader this search calls Java code (ClassLoader.findNative), which needs the
// system properties from JDK 15 on. When the class that holds copies of them is loaded, they are
// available. JDK 8 has neither that class nor the problem, but its JVM calls natives before the
// standard streams exist.
// The loading of a class does not show when its methods will be called: HotSpot loads some classes
// only to verify others. Input and output always happen later, so their classes need not wait.
enum instr_occasion instr_native_prefix_early_occasion(const char *class_name) {
    static atomic_int ready;
    static const char *const later[] = {"java/io/", "java/net/", "java/util/", "sun/net/",
                                        "sun/nio/"};
    if (!ready && (strcmp(class_name, "jdk/internal/util/StaticProperty") == 0 ||
                   (!wrapper.has_vmstart && strcmp(class_name, "java/io/FileDescriptor") == 0)))
        ready = 1;
    for (size_t i = 0; i < sizeof later / sizeof *later; i++)
        if (strncmp(class_name, later[i], strlen(later[i])) == 0) return INSTR_CLASS_EARLY;
    return ready ? INSTR_CLASS_EARLY : INSTR_CLASS_FIRST;
}

// --- is a class wrapped? ---

// The size of a constant behind its tag, except for Utf8 (JVMS table 4.4-A); 0: unknown tag.
static unsigned constant_size(unsigned tag) {
    static const uint8_t sizes[] = {
        [CF_TAG_INTEGER] = 4,       [CF_TAG_FLOAT] = 4,          [CF_TAG_LONG] = 8,
        [CF_TAG_DOUBLE] = 8,        [CF_TAG_CLASS] = 2,          [CF_TAG_STRING] = 2,
        [CF_TAG_FIELDREF] = 4,      [CF_TAG_METHODREF] = 4,      [CF_TAG_INTERFACE_METHODREF] = 4,
        [CF_TAG_NAME_AND_TYPE] = 4, [CF_TAG_METHOD_HANDLE] = 3,  [CF_TAG_METHOD_TYPE] = 2,
        [CF_TAG_DYNAMIC] = 4,       [CF_TAG_INVOKE_DYNAMIC] = 4, [CF_TAG_MODULE] = 2,
        [CF_TAG_PACKAGE] = 2};
    return tag < sizeof sizes ? sizes[tag] : 0;
}

// A constant pool of `count` constants, as GetConstantPool has it.
struct pool {
    const uint8_t **at; // of each constant, behind its tag; NULL: there is none
    uint32_t count;
};

// False: it is malformed.
static bool index_pool(struct pool *pool, const uint8_t *p, size_t length) {
    const uint8_t *end = p + length;
    for (uint32_t i = 1; i < pool->count && p < end; i++) {
        unsigned tag = *p++, size = constant_size(tag);
        if (tag == CF_TAG_UTF8 && end - p >= 2) size = 2 + cf_be2(p);
        if (size == 0 || (size_t)(end - p) < size) return false;
        if (tag == CF_TAG_UTF8 || tag == CF_TAG_NAME_AND_TYPE) pool->at[i] = p - 1;
        if (tag == CF_TAG_LONG || tag == CF_TAG_DOUBLE) i++;
        p += size;
    }
    return true;
}

static struct cf_slice utf8_at(const struct pool *pool, uint32_t index) {
    const uint8_t *p = index < pool->count ? pool->at[index] : NULL;
    return p && *p == CF_TAG_UTF8 ? (struct cf_slice){p + 3, cf_be2(p + 1)}
                                  : (struct cf_slice){NULL, 0};
}

// The wrapper calls the renamed method, so its name and descriptor are a constant.
static bool find_wrapped(const struct pool *pool, struct instr_wrapped *wrapped) {
    static const char prefix[] = INSTR_NATIVE_PREFIX;
    const uint32_t n = sizeof prefix - 1;
    size_t capacity = 0;
    for (uint32_t i = 1; i < pool->count; i++) {
        const uint8_t *p = pool->at[i];
        if (!p || *p != CF_TAG_NAME_AND_TYPE) continue;
        struct cf_slice name = utf8_at(pool, cf_be2(p + 1)), type = utf8_at(pool, cf_be2(p + 3));
        if (name.length <= n || memcmp(name.bytes, prefix, n) != 0) continue;
        if (!INSTR_ARRAY_RESERVE(wrapped->methods, capacity, wrapped->count + 1)) return false;
        name = (struct cf_slice){name.bytes + n, name.length - n};
        wrapped->methods[wrapped->count++] = (struct instr_wrapped_method){name, type};
    }
    return true;
}

// The current constant pool shows which methods got wrappers when the class was defined. Lists of
// methods would show it, too, but the JVM would create a jmethodID for each method, which lives as
// long as the class, and it lists methods of linked classes only.
bool instr_native_prefix_find(jvmtiEnv *jvmti, jclass loaded, struct instr_wrapped *wrapped) {
    jint count = 0, length = 0;
    unsigned char *bytes = NULL;
    memset(wrapped, 0, sizeof *wrapped);
    if (!instr_native_prefix_used() ||
        (*jvmti)->GetConstantPool(jvmti, loaded, &count, &length, &bytes) != JVMTI_ERROR_NONE)
        return false;
    wrapped->pool = bytes;
    struct pool pool = {calloc((size_t)count + 1, sizeof *pool.at), (uint32_t)count};
    bool ok = pool.at && index_pool(&pool, bytes, (size_t)length) && find_wrapped(&pool, wrapped);
    free(pool.at);
    if (ok && wrapped->count) return true;
    instr_native_prefix_close(jvmti, wrapped);
    return false;
}

void instr_native_prefix_close(jvmtiEnv *jvmti, struct instr_wrapped *wrapped) {
    if (wrapped->pool) (*jvmti)->Deallocate(jvmti, wrapped->pool);
    free(wrapped->methods);
    memset(wrapped, 0, sizeof *wrapped);
}

bool instr_native_prefix_rewrap(const struct instr_wrapped *wrapped, const uint8_t *bytes,
                                size_t length, void *(*allocate)(void *context, size_t n),
                                void *context, struct instr_rewritten *result) {
    struct instr_origin origin = {.occasion = INSTR_CLASS_WRAPPED,
                                  .pass_through = 1,
                                  .wrapped = wrapped->methods,
                                  .wrapped_count = wrapped->count};
    struct instr_engine *engine = atomic_load(&wrapper.engine);
    memset(result, 0, sizeof *result);
    if (engine)
        instr_engine_rewrite_known(engine, &origin, bytes, length, allocate, context, result);
    return result->bytes != NULL;
}

// --- methods that cannot be wrapped ---

enum { METHOD_TEXT = 400 };

struct listing {
    int pass; // id of the pass
    size_t count, most;
    void (*each)(void *context, const char *method);
    void *context;
};

static int into_text(void *text, const void *bytes, size_t length) {
    size_t used = strlen(text), room = METHOD_TEXT - 1 - used;
    if (length > room) length = room;
    memcpy((char *)text + used, bytes, length);
    ((char *)text)[used + length] = '\0';
    return 0;
}

static void list_method(void *context, const struct instr_skipped_item *item) {
    struct listing *listing = context;
    if (item->pass != listing->pass || !instr_is_loaded_before(item)) return;
    if (listing->count++ >= listing->most) return;
    size_t name = strcspn(item->method, "(");
    char method[512], text[METHOD_TEXT] = "", error[INSTR_ERROR_SIZE];
    struct instr_output out;
    snprintf(method, sizeof method, "%.*s", (int)(name < 500 ? name : 500), item->method);
    instr_output_sink(&out, into_text, text);
    instr_report_method(&out, item->class_name, method, item->method + name, INSTR_PLAIN);
    instr_output_close(&out, error, sizeof error);
    listing->each(listing->context, text);
}

size_t instr_native_prefix_unwrapped(struct instr_engine *engine,
                                     const struct instr_options *options, size_t i, size_t most,
                                     void (*each)(void *context, const char *method),
                                     void *context) {
    struct listing listing = {(int)options->passes[i].number, 0, most, each, context};
    if (options->passes[i].pass->wraps) instr_engine_skipped(engine, list_method, &listing);
    return listing.count;
}

struct list {
    struct instr_output *out;
    const char *separator;
};

static void print_method(void *context, const char *method) {
    struct list *list = context;
    instr_output_text(list->out, list->separator);
    instr_output_text(list->out, method);
    list->separator = ", ";
}

static void report_pass(struct instr_engine *engine, const struct instr_options *options,
                        size_t i) {
    char number[INSTR_NUMBER_SIZE], error[INSTR_ERROR_SIZE];
    struct instr_output out;
    const char *name = options->passes[i].pass->name;
    size_t count = instr_native_prefix_unwrapped(engine, options, i, 0, NULL, NULL);
    if (count == 0) return;
    instr_output_descriptor(&out, STDERR_FILENO);
    instr_output_format(&out, "instr: %s: %s native method%s", name, instr_number(count, number),
                        count == 1 ? " cannot be wrapped because its class was already loaded"
                                   : "s cannot be wrapped because their classes were already "
                                     "loaded");
    struct list list = {&out, ": "};
    instr_native_prefix_unwrapped(engine, options, i, METHODS_SHOWN, print_method, &list);
    if (count > METHODS_SHOWN)
        instr_output_format(&out, " and %s more (%s.file lists all)",
                            instr_number(count - METHODS_SHOWN, number), name);
    instr_output_text(&out, "\n");
    instr_output_close(&out, error, sizeof error);
}

void instr_native_prefix_report(struct instr_engine *engine, const struct instr_options *options) {
    for (size_t i = 0; i < options->pass_count; i++)
        if (!options->passes[i].terms.quiet) report_pass(engine, options, i);
}

// Wrapping native methods: prefixes, early classes, classes that have wrappers.

#include "instr/retransform/native_prefix.h"

#include "instr/options/compare.h"
#include "instr/report/text.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MOST_PREFIXES 32 // as many as the engine's rounds
#define METHODS_SHOWN 10

static struct {
    bool has_vmstart; // a JVM with can_generate_early_vmstart: JDK 9 or later
    jvmtiEnv *last;   // behind the environments of all other agents; NULL: not created yet
    atomic_bool used;
    // The passes that wrapped first, and their engine: wrapped methods have their prefixes.
    struct instr_options options;
    struct instr_methods *methods;
    struct instr_engine *_Atomic engine; // NULL: nothing was wrapped
} wrapper;

uint64_t instr_wrapping_passes(const struct instr_options *options) {
    uint64_t wrapping = 0;
    for (size_t i = 0; i < options->pass_count && i < 64; i++)
        if (options->passes[i].pass->wraps) wrapping |= UINT64_C(1) << i;
    return wrapping;
}

bool instr_wraps(const struct instr_options *options) {
    return instr_wrapping_passes(options) != 0;
}

bool instr_wraps_only(const struct instr_options *options) {
    for (size_t i = 0; i < options->pass_count; i++)
        if (!options->passes[i].pass->wraps) return false;
    return true;
}

bool instr_native_prefix_any(void) {
    return atomic_load(&wrapper.engine) != NULL;
}

bool instr_wraps_early(const struct instr_options *options) {
    static const char *const packages[] = {"java/", "jdk/", "sun/"};
    for (size_t k = 0; k < options->pass_count; k++) {
        const struct instr_match *include = options->passes[k].include;
        if (!options->passes[k].pass->wraps || !include) continue;
        for (size_t i = 0; i < sizeof packages / sizeof *packages; i++)
            if (instr_match_below(include, packages[i])) return true;
    }
    return false;
}

// Does the pass wrap, and is it not on for another owner, too, who comes first?
static bool wraps_first(const struct instr_options *options, size_t i) {
    const struct instr_pass_options *pass = &options->passes[i];
    return pass->pass->wraps && instr_find_pass(options, pass->pass) == pass;
}

static jvmtiError set_prefixes(jvmtiEnv *jvmti, const struct instr_options *options) {
    char names[MOST_PREFIXES][INSTR_PREFIX_SIZE], *prefixes[MOST_PREFIXES];
    jint n = 0;
    for (size_t i = 0; i < options->pass_count && i < MOST_PREFIXES; i++) {
        if (!wraps_first(options, i)) continue;
        prefixes[n] = instr_native_prefix(options->passes[i].pass, names[n]);
        n++;
    }
    return n == 1 ? (*jvmti)->SetNativeMethodPrefix(jvmti, prefixes[0])
                  : (*jvmti)->SetNativeMethodPrefixes(jvmti, n, prefixes);
}

static bool check(jvmtiError error, char *reason, size_t size) {
    if (error == JVMTI_ERROR_NONE) return true;
    snprintf(reason, size, "native methods cannot be wrapped in this JVM (JVM TI error %d)",
             (int)error);
    return false;
}

// Makes an engine of only the passes that wrap. It lasts until the JVM ends.
static bool make_engine(const struct instr_options *options, char *reason, size_t size) {
    struct instr_options *own = &wrapper.options;
    own->passes = calloc(options->pass_count + 1, sizeof *own->passes);
    for (size_t i = 0; own->passes && i < options->pass_count; i++)
        if (wraps_first(options, i)) own->passes[own->pass_count++].pass = options->passes[i].pass;
    wrapper.methods = instr_methods_new();
    struct instr_engine *engine =
        own->passes && wrapper.methods ? instr_engine_new(own, wrapper.methods, "") : NULL;
    atomic_store(&wrapper.engine, engine);
    if (engine) return true;
    free(own->passes);
    instr_methods_free(wrapper.methods);
    memset(own, 0, sizeof *own);
    snprintf(reason, size, "out of memory");
    return false;
}

bool instr_native_prefix_prepare(jvmtiEnv *jvmti, const struct instr_options *options,
                                 bool is_early, char *reason, size_t size) {
    jvmtiCapabilities wanted, potential;
    if (!instr_wraps(options) || instr_native_prefix_any()) return true;
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
    if (error == JVMTI_ERROR_NONE) error = set_prefixes(jvmti, options);
    return check(error, reason, size) && make_engine(options, reason, size);
}

bool instr_native_prefix_start(JavaVM *vm, const struct instr_options *options, char *reason,
                               size_t size) {
    jvmtiEnv *jvmti = NULL;
    jvmtiCapabilities wanted;
    if (!instr_wraps(options) || wrapper.last) return true;
    if ((*vm)->GetEnv(vm, (void **)&jvmti, JVMTI_VERSION_1_2) != JNI_OK)
        return check(JVMTI_ERROR_NOT_AVAILABLE, reason, size);
    memset(&wanted, 0, sizeof wanted);
    wanted.can_set_native_method_prefix = 1;
    jvmtiError error = (*jvmti)->AddCapabilities(jvmti, &wanted);
    if (error == JVMTI_ERROR_NONE) error = set_prefixes(jvmti, options);
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
    free(wrapper.options.passes);
    memset(&wrapper.options, 0, sizeof wrapper.options);
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

static bool pool_has_prefix(const uint8_t *p, size_t length) {
    static const char start[] = "instr$";
    const uint8_t *end = p + length;
    while (end - p >= 3) {
        unsigned tag = *p++, size = constant_size(tag);
        if (tag == CF_TAG_UTF8) {
            size = cf_be2(p);
            p += 2;
            if (size > sizeof start - 1 && (size_t)(end - p) >= size &&
                memcmp(p, start, sizeof start - 1) == 0)
                return true;
        } else if (size == 0) {
            return false;
        }
        if ((size_t)(end - p) < size) return false;
        p += size;
    }
    return false;
}

// The current constant pool shows whether the class got wrappers when it was defined. Lists of
// methods would show it, too, but the JVM would create a jmethodID for each method, which lives as
// long as the class, and it lists methods of linked classes only.
enum instr_occasion instr_native_prefix_occasion(jvmtiEnv *jvmti, jclass redefined) {
    jint count = 0, length = 0;
    unsigned char *pool = NULL;
    if (!instr_native_prefix_any()) return INSTR_CLASS_LOADED;
    if ((*jvmti)->GetConstantPool(jvmti, redefined, &count, &length, &pool) != JVMTI_ERROR_NONE)
        return INSTR_CLASS_LOADED;
    bool wrapped = pool_has_prefix(pool, (size_t)length);
    (*jvmti)->Deallocate(jvmti, pool);
    return wrapped ? INSTR_CLASS_WRAPPED : INSTR_CLASS_LOADED;
}

bool instr_native_prefix_rewrap(const uint8_t *bytes, size_t length,
                                void *(*allocate)(void *context, size_t n), void *context,
                                struct instr_rewritten *result) {
    struct instr_origin origin = {.occasion = INSTR_CLASS_WRAPPED, .pass_through = 1};
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
    if (options->quiet) return;
    for (size_t i = 0; i < options->pass_count; i++) report_pass(engine, options, i);
}

// natives: calls of native methods and exceptions that leave them, and how long they took.
//
// A native method has no code, so the engine renames it and puts a wrapper in its place
// (classfile/wrap.h); the pass chooses which, and edits the wrapper as timing edits a method:
//
//      entry:        id; enter -> saved; System.nanoTime -> start
//      exit:         start, saved, id; exit
//      exception:    dup, start, saved, id; thrown
//
// Wrappers of JDK methods may run before the runtime is loaded. In classes that are loaded so early
// they check whether it is there, and do not call System.nanoTime before.

#include "rewriters/natives.h"
#include "rewriters/common.h"

#include "classfile/format/annotations.h"

enum { ENTER, CLOCK, EXIT, THROWN };

static const struct cf_callee *callees_of(struct rw_class *cls) {
    static const struct cf_method_name names[] = {
        [ENTER] = CF_METHOD_OF("InstrTiming", "enter", "(I)J"),
        [CLOCK] = CF_METHOD_OF("java/lang/System", "nanoTime", "()J"),
        [EXIT] = CF_METHOD_OF("InstrTiming", "exit", "(JJI)V"),
        [THROWN] = CF_METHOD_OF("InstrTiming", "thrown", "(Ljava/lang/Throwable;JJI)V"),
    };
    static const struct cf_method_name early[] = {
        [ENTER] = CF_METHOD_OF("InstrNatives", "enter", "(I)J"),
        [CLOCK] = CF_METHOD_NAME("clock", "()J"),
        [EXIT] = CF_METHOD_NAME("exit", "(JJI)V"),
        [THROWN] = CF_METHOD_NAME("thrown", "(Ljava/lang/Throwable;JJI)V"),
    };
    return rw_callees(cls, cls->early ? early : names, sizeof names / sizeof *names);
}

// --- which methods are skipped ---

static const char intrinsic[] =
    "is a HotSpot intrinsic, which compiled code does not call and HotSpot must find unchanged";
static const char caller_sensitive[] = "depends on its caller (@CallerSensitive)";
static const char counts_frames[] = "inspects its callers on the stack and would find its wrapper";
static const char polymorphic[] = "is signature polymorphic";
static const char objects_own[] = "is a method of java.lang.Object";
static const char registers[] =
    "registers the native methods of its class under the names that the JVM knows";
static const char finds_natives[] = "runs while the JVM looks up native methods";
static const char serializes[] =
    "its modifiers are part of the default serialVersionUID, and the class declares none";

// Newer JDKs mark such methods with annotations; on JDK 8 they are known by name. Some native
// methods are those that the JVM looks for on the stack. `methods` NULL: all of the class.
static const struct known {
    const char *class_name; // or a package, ending with a slash
    const char *methods;    // separated and enclosed by blanks
    const char *why;
} known[] = {
    {"java/lang/Object", NULL, objects_own},
    {"java/lang/invoke/MethodHandle", NULL, polymorphic},
    {"java/lang/invoke/VarHandle", NULL, polymorphic},
    {"jdk/internal/loader/", NULL, finds_natives},
    {"java/lang/ClassLoader$NativeLibrary", NULL, finds_natives},
    {"java/lang/Throwable", " fillInStackTrace ", counts_frames},
    {"java/lang/SecurityManager", NULL, counts_frames},
    {"java/lang/StackStreamFactory$AbstractStackWalker", NULL, counts_frames},
    {"java/security/AccessController", NULL, counts_frames},
    {"jdk/internal/reflect/Reflection", NULL, counts_frames},
    {"sun/reflect/Reflection", NULL, counts_frames},
    {"java/lang/Class",
     " isInstance isAssignableFrom isInterface isArray isPrimitive getModifiers getSuperclass"
     " getComponentType ",
     intrinsic},
    {"java/lang/Float", NULL, intrinsic},
    {"java/lang/Double", NULL, intrinsic},
    {"java/lang/System", " currentTimeMillis nanoTime arraycopy identityHashCode ", intrinsic},
    {"java/lang/Thread", " currentThread isInterrupted ", intrinsic},
    {"java/lang/reflect/Array", " getLength newArray ", intrinsic},
    {"java/util/zip/CRC32", " update updateBytes updateByteBuffer ", intrinsic},
    {"sun/misc/Unsafe", NULL, intrinsic},
    {"jdk/jfr/internal/JVM", " counterTime getClassId getEventWriter ", intrinsic},
};

static int is_listed(const char *methods, struct cf_slice name) {
    if (!methods) return 1;
    for (const char *m = methods + 1; *m; m += strcspn(m, " ") + 1)
        if (cf_slice_is(name, m, strcspn(m, " "))) return 1;
    return 0;
}

static int is_class(struct cf_slice name, const char *listed) {
    size_t n = strlen(listed);
    int package = listed[n - 1] == '/';
    return name.length >= n && (package || name.length == n) && memcmp(name.bytes, listed, n) == 0;
}

static const char *known_reason(const struct cf_class *cls, const struct cf_member *m) {
    struct cf_slice class_name = cf_this_name(cls), name = cf_member_name(cls, m);
    for (unsigned i = 0; i < sizeof known / sizeof *known; i++)
        if (is_class(class_name, known[i].class_name) && is_listed(known[i].methods, name))
            return known[i].why;
    return CF_IS(name, "registerNatives") ? registers : NULL;
}

static const char *annotated_reason(const struct cf_class *cls, const struct cf_member *m) {
    static const char *const types[] = {"Ljdk/internal/vm/annotation/IntrinsicCandidate;",
                                        "Ljdk/internal/HotSpotIntrinsicCandidate;",
                                        "Ljdk/internal/reflect/CallerSensitive;",
                                        "Lsun/reflect/CallerSensitive;", NULL};
    const char *type = cf_annotation_of(cls, m, types);
    if (!type) return NULL;
    return type == types[0] || type == types[1] ? intrinsic : caller_sensitive;
}

// A class without a serialVersionUID gets one that is computed from the modifiers of all members
// that are not private (Java Object Serialization Specification 4.6), and a wrapper is not native.
// A class that is serializable because of its superclass is not recognized here.
static int gives_version(const struct cf_class *cls, const struct cf_member *m) {
    struct cf_error error = {.status = CF_OK};
    struct cf_member field;
    int serializable = 0;
    if (m->access_flags & CF_ACC_PRIVATE) return 0;
    for (uint32_t i = 0; i < cls->interfaces_count; i++) {
        struct cf_slice name = cf_class_name(cls, cf_be2(cls->bytes + cls->interfaces + 2 * i));
        serializable |=
            CF_IS(name, "java/io/Serializable") || CF_IS(name, "java/io/Externalizable");
    }
    if (!serializable) return 0;
    struct cf_walk fields = cf_walk_fields(cls, &error);
    while (cf_next_field(&fields, &field))
        if (CF_IS(cf_member_name(cls, &field), "serialVersionUID")) return 0;
    return 1;
}

const char *rw_native_refusal(const struct cf_class *cls, const struct cf_member *native) {
    const char *why = known_reason(cls, native);
    if (!why) why = annotated_reason(cls, native);
    return !why && gives_version(cls, native) ? serializes : why;
}

static int wraps(struct rw_class *cls, const struct cf_member *native, const char *fixed,
                 const char **why) {
    (void)fixed;
    *why = rw_native_refusal(cls->rewrite->cls, native);
    return !*why;
}

// --- the wrapper ---

static enum cf_status edit_wrapper(struct rw_class *cls, struct cf_edit *edit) {
    int id;
    CF_TRY(rw_method_id(cls, edit, &id));
    const struct cf_callee *callees = callees_of(cls);
    uint32_t saved = cf_new_local(edit, "J", 1), start = cf_new_local(edit, "J", 1);
    struct cf_snippet *entry = cf_snippet_new(edit);
    cf_push_int(entry, id);
    cf_call(entry, callees[ENTER]);
    cf_local(entry, CF_OP_lstore, saved);
    cf_call(entry, callees[CLOCK]);
    cf_local(entry, CF_OP_lstore, start);
    cf_insert_entry(edit, entry);
    cf_edit_snippets_throw(edit); // `thrown`: an UnsatisfiedLinkError with the method's own name
    for (unsigned thrown = 0; thrown < 2; thrown++) {
        struct cf_snippet *leave = cf_snippet_new(edit);
        if (thrown) cf_op(leave, CF_OP_dup);
        cf_local(leave, CF_OP_lload, start);
        cf_local(leave, CF_OP_lload, saved);
        cf_push_int(leave, id);
        cf_call(leave, callees[thrown ? THROWN : EXIT]);
        if (thrown)
            cf_insert_thrown(edit, leave);
        else
            cf_insert_exits(edit, leave);
    }
    return edit->error.status;
}

static const struct rw_option options[] = {
    {"list", "no|yes", "also report which native methods were bound, when, and to which library"},
    {NULL, NULL, NULL}};

const struct rw_pass rw_pass_natives = {
    .name = "natives",
    .help = "calls, exceptional exits and latencies of native methods",
    .options = options,
    .timed = 1,
    .flags = RW_ONLY_WRAPPERS,
    .needs_agent = RW_NATIVES_NEED_AGENT,
    .runtime_class = "InstrNatives",
    .wraps = wraps,
    .edit = edit_wrapper,
};

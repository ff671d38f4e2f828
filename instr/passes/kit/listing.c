#include "instr/passes/kit/listing.h"

#include "instr/base/clock.h"
#include "instr/kit/applied.h"
#include "instr/kit/option.h"
#include "instr/kit/template.h"
#include "instr/kit/weave.h"
#include "instr/passes/kit/define.h"
#include "instr/vm/runtime.h"

#include <string.h>

enum { METHODS_SHOWN = 100, NAME_SIZE = 1024 };

struct listing {
    struct instr_json *json;
    jvmtiEnv *jvmti;
    JNIEnv *jni;
    const struct instr_kit_loaded *loaded;
    jclass runs; // InstrKitRuns, a global reference that stays
    jmethodID runs_of;
};

static void add_method(void *listing, const char *method) {
    instr_json_text(((struct listing *)listing)->json, NULL, method);
}

static void add_run(void *listing, const char *method, int number) {
    struct listing *l = listing;
    if (!l->runs_of) return;
    jlong runs = (*l->jni)->CallStaticLongMethod(l->jni, l->runs, l->runs_of, (jint)number);
    if ((*l->jni)->ExceptionCheck(l->jni)) runs = 0;
    (*l->jni)->ExceptionClear(l->jni);
    instr_json_open_flat(l->json, NULL, '{');
    instr_json_text(l->json, "method", method);
    instr_json_number(l->json, "runs", (uint64_t)runs);
    instr_json_close(l->json, '}');
}

static void add_bridges(struct listing *l, const struct instr_kit_advice *advice) {
    struct instr_kit_bridge_state state;
    instr_json_open(l->json, "loaders", '[');
    for (size_t i = 0; i < l->loaded->count; i++) {
        if (!instr_kit_is_bridge(advice, &l->loaded->classes[i])) continue;
        instr_kit_bridge_look(l->jvmti, l->jni, l->loaded->classes[i].class, &state);
        instr_json_open_flat(l->json, NULL, '{');
        instr_json_text(l->json, "loader", *state.loader ? state.loader : NULL);
        instr_json_number(l->json, "failures", state.failures);
        instr_json_bool(l->json, "off", state.off);
        instr_json_text(l->json, "failure", *state.failure ? state.failure : NULL);
        instr_json_close(l->json, '}');
    }
    instr_json_close(l->json, ']');
}

static void add_advice(struct listing *l, const struct instr_kit *kit, size_t index) {
    const struct instr_kit_advice *advice = &kit->advices[index];
    struct instr_json *json = l->json;
    instr_json_open(json, NULL, '{');
    instr_json_text(json, "advice", advice->name);
    instr_json_open(json, "targets", '[');
    for (size_t i = 0; i < advice->target_count; i++)
        instr_json_text(json, NULL, advice->targets[i].text);
    instr_json_close(json, ']');
    instr_json_open(json, "methods", '[');
    struct instr_kit_applied_totals totals =
        instr_kit_applied_get(kit->applied, index, METHODS_SHOWN, add_method, l);
    instr_json_close(json, ']');
    instr_json_number(json, "class_count", totals.classes);
    instr_json_number(json, "method_count", totals.methods);
    instr_json_text(json, "refusal", *totals.refusal ? totals.refusal : NULL);
    instr_json_open(json, "runs", '[');
    instr_kit_applied_runs(kit->applied, index, add_run, l);
    instr_json_close(json, ']');
    add_bridges(l, advice);
    instr_json_close(json, '}');
}

// --- State<T> ---

static bool is_of(const struct instr_kit *kit, const struct instr_kit_loaded_class *class,
                  const char **original) {
    char package[NAME_SIZE], name[NAME_SIZE];
    struct cf_slice class_name = {(const uint8_t *)class->name, (uint32_t)strlen(class->name)};
    if (instr_kit_package(class_name, package, sizeof package) >= sizeof package) return false;
    for (size_t i = 0; i < kit->class_count; i++) {
        instr_kit_expand(kit->classes[i].name, package, name, sizeof name);
        *original = kit->classes[i].original;
        if (strcmp(name, class->name) == 0) return true;
    }
    return false;
}

static uint64_t state_count(const struct listing *l, jclass type, jobject state, const char *name) {
    jmethodID method = (*l->jni)->GetMethodID(l->jni, type, name, "()J");
    jlong count = method ? (*l->jni)->CallLongMethod(l->jni, state, method) : 0;
    if ((*l->jni)->ExceptionCheck(l->jni)) count = 0;
    (*l->jni)->ExceptionClear(l->jni);
    return (uint64_t)count;
}

static void add_state(struct listing *l, jclass class, jfieldID field, const char *original,
                      const char *name) {
    char dotted[NAME_SIZE];
    jobject state = (*l->jni)->GetStaticObjectField(l->jni, class, field);
    if (!state) return;
    jclass type = (*l->jni)->GetObjectClass(l->jni, state);
    instr_kit_dotted(original, dotted, sizeof dotted);
    instr_json_open_flat(l->json, NULL, '{');
    instr_json_text(l->json, "class", dotted);
    instr_json_text(l->json, "field", name);
    instr_json_number(l->json, "instances", state_count(l, type, state, "added"));
    instr_json_number(l->json, "dropped", state_count(l, type, state, "dropped"));
    instr_json_close(l->json, '}');
    (*l->jni)->DeleteLocalRef(l->jni, type);
    (*l->jni)->DeleteLocalRef(l->jni, state);
}

static void add_field(struct listing *l, jclass class, jfieldID field, const char *original) {
    char *name = NULL, *type = NULL;
    jint flags = 0;
    if ((*l->jvmti)->GetFieldName(l->jvmti, class, field, &name, &type, NULL) != JVMTI_ERROR_NONE)
        return;
    (*l->jvmti)->GetFieldModifiers(l->jvmti, class, field, &flags);
    if (flags & CF_ACC_STATIC && strcmp(type, "Ljava/lang/InstrKitState;") == 0)
        add_state(l, class, field, original, name);
    (*l->jvmti)->Deallocate(l->jvmti, (unsigned char *)name);
    (*l->jvmti)->Deallocate(l->jvmti, (unsigned char *)type);
}

static void add_states(struct listing *l, const struct instr_kit *kit) {
    instr_json_open(l->json, "states", '[');
    for (size_t i = 0; i < l->loaded->count; i++) {
        jclass class = l->loaded->classes[i].class;
        const char *original;
        jfieldID *fields = NULL;
        jint count = 0;
        if (!is_of(kit, &l->loaded->classes[i], &original)) continue;
        if ((*l->jvmti)->GetClassFields(l->jvmti, class, &count, &fields) != JVMTI_ERROR_NONE)
            continue;
        for (jint k = 0; k < count; k++) add_field(l, class, fields[k], original);
        (*l->jvmti)->Deallocate(l->jvmti, (unsigned char *)fields);
    }
    instr_json_close(l->json, ']');
}

void instr_kit_list(struct instr_json *json, jvmtiEnv *jvmti, JNIEnv *jni,
                    const struct instr_kit_loaded *loaded, const struct instr_pass_options *pass) {
    const struct instr_kit *kit = instr_kit_of(pass->pass);
    uint64_t now = instr_clock_now();
    struct listing l = {.json = json, .jvmti = jvmti, .jni = jni, .loaded = loaded};
    l.runs = instr_runtime_class("InstrKitRuns");
    if (l.runs) l.runs_of = (*jni)->GetStaticMethodID(jni, l.runs, "of", "(I)J");
    (*jni)->ExceptionClear(jni);
    instr_json_open(json, NULL, '{');
    instr_json_text(json, "kit", pass->pass->name);
    instr_json_text(json, "path", kit->path);
    instr_json_text(json, "hash", kit->hash);
    instr_json_text(json, "by", *pass->owner.name ? pass->owner.name : NULL);
    uint64_t ends = instr_pass_ends(pass);
    if (ends) instr_json_number(json, "ends_in_ns", ends > now ? ends - now : 0);
    instr_json_open(json, "advices", '[');
    for (size_t i = 0; i < kit->advice_count; i++) add_advice(&l, kit, i);
    instr_json_close(json, ']');
    add_states(&l, kit);
    instr_json_close(json, '}');
}

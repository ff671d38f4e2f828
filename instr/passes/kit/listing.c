#include "instr/passes/kit/listing.h"

#include "instr/base/clock.h"
#include "instr/kit/applied.h"
#include "instr/kit/option.h"
#include "instr/passes/kit/define.h"
#include "instr/passes/kit/states.h"
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

static uint64_t state_count(const struct listing *l, jclass type, jobject state, const char *name) {
    jmethodID method = (*l->jni)->GetMethodID(l->jni, type, name, "()J");
    jlong count = method ? (*l->jni)->CallLongMethod(l->jni, state, method) : 0;
    if ((*l->jni)->ExceptionCheck(l->jni)) count = 0;
    (*l->jni)->ExceptionClear(l->jni);
    return (uint64_t)count;
}

// A class of the kit whose States are listed.
struct listed_class {
    struct listing *listing;
    const struct instr_kit *kit;
    const struct instr_kit_loaded_class *class;
};

static void add_state(void *listed, const char *field, jobject state) {
    const struct listed_class *c = listed;
    struct listing *l = c->listing;
    char dotted[NAME_SIZE];
    const char *original;
    if (!instr_kit_has_class(c->kit, c->class, &original)) return;
    jclass type = (*l->jni)->GetObjectClass(l->jni, state);
    instr_kit_dotted(original, dotted, sizeof dotted);
    instr_json_open_flat(l->json, NULL, '{');
    instr_json_text(l->json, "class", dotted);
    instr_json_text(l->json, "field", field);
    instr_json_number(l->json, "instances", state_count(l, type, state, "added"));
    instr_json_number(l->json, "dropped", state_count(l, type, state, "dropped"));
    instr_json_close(l->json, '}');
    (*l->jni)->DeleteLocalRef(l->jni, type);
}

static void add_states(struct listing *l, const struct instr_kit *kit) {
    instr_json_open(l->json, "states", '[');
    for (size_t i = 0; i < l->loaded->count; i++) {
        struct listed_class c = {l, kit, &l->loaded->classes[i]};
        instr_kit_states_each(l->jvmti, l->jni, c.class->class, add_state, &c);
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

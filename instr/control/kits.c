// The command kits.

#include "instr/control/operation.h"

#include "instr/kit/applied.h"
#include "instr/kit/option.h"
#include "instr/passes/kit/loaded.h"
#include "instr/vm/agent_state.h"

#include <string.h>

enum { METHODS_SHOWN = 100 };

struct listing {
    struct instr_json json;
    jvmtiEnv *jvmti;
    JNIEnv *jni;
    struct instr_kit_loaded loaded;
};

static void add_method(void *listing, const char *method) {
    instr_json_text(&((struct listing *)listing)->json, NULL, method);
}

static void add_bridges(struct listing *l, const struct instr_kit_advice *advice) {
    struct instr_kit_bridge_state state;
    instr_json_open(&l->json, "loaders", '[');
    for (size_t i = 0; i < l->loaded.count; i++) {
        if (!instr_kit_is_bridge(advice, &l->loaded.classes[i])) continue;
        instr_kit_bridge_look(l->jvmti, l->jni, l->loaded.classes[i].class, &state);
        instr_json_open_flat(&l->json, NULL, '{');
        instr_json_text(&l->json, "loader", *state.loader ? state.loader : NULL);
        instr_json_number(&l->json, "failures", state.failures);
        instr_json_bool(&l->json, "off", state.off);
        instr_json_text(&l->json, "failure", *state.failure ? state.failure : NULL);
        instr_json_close(&l->json, '}');
    }
    instr_json_close(&l->json, ']');
}

static void add_advice(struct listing *l, const struct instr_kit *kit, size_t index) {
    const struct instr_kit_advice *advice = &kit->advices[index];
    struct instr_json *json = &l->json;
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
    add_bridges(l, advice);
    instr_json_close(json, '}');
}

static void add_kit(struct listing *l, const struct instr_pass_options *pass) {
    const struct instr_kit *kit = instr_kit_of(pass->pass);
    struct instr_json *json = &l->json;
    instr_json_open(json, NULL, '{');
    instr_json_text(json, "kit", pass->pass->name);
    instr_json_text(json, "path", kit->path);
    instr_json_text(json, "hash", kit->hash);
    instr_json_text(json, "by", *pass->owner.name ? pass->owner.name : NULL);
    instr_json_open(json, "advices", '[');
    for (size_t i = 0; i < kit->advice_count; i++) add_advice(l, kit, i);
    instr_json_close(json, ']');
    instr_json_close(json, '}');
}

// kits:
//
//      {
//        "kits": [{
//          "kit",                  its name
//          "path", "hash", "by",   by: null for the command line of the JVM
//          "advices": [{
//            "advice", "targets",
//            "methods": [TEXT...], the first METHODS_SHOWN into which it was woven
//            "class_count", "method_count",
//            "refusal",            why it is not called from a class; null
//            "loaders": [{"loader", "failures", "off", "failure"}]    each that has classes of it
//          }...]
//        }...]
//      }
void instr_command_kits(struct instr_request *request, struct instr_reply *reply) {
    struct listing l = {.jvmti = request->agent->jvmti, .jni = instr_reply_jni(reply)};
    unsigned ticket;
    if (!l.jni) return;
    if (!instr_kit_loaded_find(l.jvmti, l.jni, &l.loaded)) {
        instr_reply_fail(reply, "the JVM does not list its loaded classes");
        return;
    }
    const struct instr_plan *plan = instr_plans_take(&request->agent->plans, &ticket);
    l.json = instr_json_start(instr_reply_document(reply));
    instr_json_open(&l.json, NULL, '{');
    instr_json_open(&l.json, "kits", '[');
    for (size_t i = 0; plan && i < plan->options.pass_count; i++) {
        const struct instr_pass_options *pass = &plan->options.passes[i];
        if (pass->pass->made && strcmp(pass->pass->made->kind, instr_kit_source.key) == 0)
            add_kit(&l, pass);
    }
    instr_json_close(&l.json, ']');
    instr_json_close(&l.json, '}');
    instr_reply_document_end(reply);
    instr_plans_give_back(&request->agent->plans, ticket);
    instr_kit_loaded_free(l.jni, &l.loaded);
}

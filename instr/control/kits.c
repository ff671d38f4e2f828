// The command kits.

#include "instr/control/operation.h"

#include "instr/kit/option.h"
#include "instr/passes/kit/listing.h"
#include "instr/vm/agent_state.h"

#include <string.h>

// kits: {"kits": [...]}, each as in listing.h
void instr_command_kits(struct instr_request *request, struct instr_reply *reply) {
    jvmtiEnv *jvmti = request->agent->jvmti;
    JNIEnv *jni = instr_reply_jni(reply);
    struct instr_kit_loaded loaded;
    unsigned ticket;
    if (!jni) return;
    if (!instr_kit_loaded_find(jvmti, jni, &loaded)) {
        instr_reply_fail(reply, "the JVM does not list its loaded classes");
        return;
    }
    const struct instr_plan *plan = instr_plans_take(&request->agent->plans, &ticket);
    struct instr_json json = instr_json_start(instr_reply_document(reply));
    instr_json_open(&json, NULL, '{');
    instr_json_open(&json, "kits", '[');
    for (size_t i = 0; plan && i < plan->options.pass_count; i++) {
        const struct instr_pass_options *pass = &plan->options.passes[i];
        if (pass->pass->made && strcmp(pass->pass->made->kind, instr_kit_source.key) == 0)
            instr_kit_list(&json, jvmti, jni, &loaded, pass);
    }
    instr_json_close(&json, ']');
    instr_json_close(&json, '}');
    instr_reply_document_end(reply);
    instr_plans_give_back(&request->agent->plans, ticket);
    instr_kit_loaded_free(&loaded);
}

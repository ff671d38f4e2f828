#include "instr/vm/jvm_facts.h"
#include "instr/vm/other_agents.h"
#include "instr/options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// The capabilities that the agent and its passes can use.
#define CAPABILITIES(CAPABILITY)                                                                   \
    CAPABILITY(can_retransform_classes)                                                            \
    CAPABILITY(can_retransform_any_class)                                                          \
    CAPABILITY(can_redefine_classes)                                                               \
    CAPABILITY(can_redefine_any_class)                                                             \
    CAPABILITY(can_generate_all_class_hook_events)                                                 \
    CAPABILITY(can_generate_early_class_hook_events)                                               \
    CAPABILITY(can_generate_early_vmstart)                                                         \
    CAPABILITY(can_get_bytecodes)                                                                  \
    CAPABILITY(can_set_native_method_prefix)                                                       \
    CAPABILITY(can_tag_objects)                                                                    \
    CAPABILITY(can_generate_vm_object_alloc_events)                                                \
    CAPABILITY(can_generate_sampled_object_alloc_events)                                           \
    CAPABILITY(can_generate_exception_events)

static struct {
    int known;
    jvmtiCapabilities at_start;
} facts;

void instr_jvm_facts_at_start(jvmtiEnv *jvmti) {
    facts.known = (*jvmti)->GetPotentialCapabilities(jvmti, &facts.at_start) == JVMTI_ERROR_NONE;
}

static void property(jvmtiEnv *jvmti, struct instr_json *json, const char *key, const char *name) {
    char *value = NULL;
    if ((*jvmti)->GetSystemProperty(jvmti, name, &value) != JVMTI_ERROR_NONE) value = NULL;
    instr_json_text(json, key, value);
    if (value) (*jvmti)->Deallocate(jvmti, (unsigned char *)value);
}

static void capabilities(jvmtiEnv *jvmti, struct instr_json *json) {
    jvmtiCapabilities now, start;
    memset(&now, 0, sizeof now);
    (*jvmti)->GetPotentialCapabilities(jvmti, &now);
    start = facts.known ? facts.at_start : now;
    const char *never = facts.known ? "no" : "not later";
    instr_json_open(json, "capabilities", '{');
#define MEMBER(name)                                                                               \
    instr_json_text(json, #name, now.name ? "always" : start.name ? "at start" : never);
    CAPABILITIES(MEMBER)
#undef MEMBER
    instr_json_close(json, '}');
}

static void agent(void *context, const char *kind, const char *name) {
    struct instr_json *json = context;
    instr_json_open_flat(json, NULL, '{');
    instr_json_text(json, "kind", kind);
    instr_json_text(json, "name", name);
    instr_json_close(json, '}');
}

void instr_jvm_facts_members(jvmtiEnv *jvmti, struct instr_json *json) {
    char version[32];
    jint number = 0;
    (*jvmti)->GetVersionNumber(jvmti, &number);
    snprintf(version, sizeof version, "%d.%d", (number & JVMTI_VERSION_MASK_MAJOR) >> 16,
             (number & JVMTI_VERSION_MASK_MINOR) >> 8);
    property(jvmti, json, "jvm", "java.vm.name");
    property(jvmti, json, "jvm_version", "java.vm.version");
    property(jvmti, json, "jvm_info", "java.vm.info");
    instr_json_text(json, "jvmti_version", version);
    capabilities(jvmti, json);
    instr_json_open(json, "agents", '[');
    instr_agents_each(agent, json);
    instr_json_close(json, ']');
}

static void write_facts(const void *jvmti, struct instr_output *out) {
    struct instr_json json = instr_json_start(out);
    instr_json_open(&json, NULL, '{');
    instr_jvm_facts_members(*(jvmtiEnv *const *)jvmti, &json);
    instr_json_close(&json, '}');
}

int instr_jvm_facts_write(jvmtiEnv *jvmti, const char *pattern, char *error, size_t size) {
    char *path = instr_expand_file(pattern, (long)getpid());
    return instr_output_file(path, write_facts, &jvmti, error, size);
}

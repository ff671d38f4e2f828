#include "instr/control/unmatched.h"

#include "instr/control/suggest_pattern.h"
#include "instr/passes/watch/implementations.h"
#include "instr/passes/watch/suggest.h"
#include "instr/rules/option.h"
#include "instr/rules/rules.h"
#include "instr/vm/loaded_classes.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void see_loaded(jvmtiEnv *jvmti, JNIEnv *jni, struct instr_patterns *patterns) {
    struct instr_loaded_classes loaded;
    if (!instr_loaded_classes_open(jvmti, jni, &loaded)) return;
    for (jint i = 0; i < loaded.count; i++) {
        char *signature = NULL; // Lcom/acme/Foo;
        if ((*jvmti)->GetClassSignature(jvmti, loaded.all[i], &signature, NULL) != JVMTI_ERROR_NONE)
            continue;
        if (*signature == 'L') instr_patterns_see(patterns, signature + 1, strlen(signature) - 2);
        (*jvmti)->Deallocate(jvmti, (unsigned char *)signature);
    }
    instr_loaded_classes_close(&loaded);
}

static bool all_match(const struct instr_patterns *patterns) {
    for (size_t i = 0; i < patterns->count; i++)
        if (!patterns->rows[i].matches) return false;
    return true;
}

void instr_note_unmatched(jvmtiEnv *jvmti, JNIEnv *jni, struct instr_reply *reply,
                          struct instr_patterns *patterns) {
    char meant[400];
    if (!all_match(patterns)) see_loaded(jvmti, jni, patterns);
    for (size_t i = 0; i < patterns->count; i++) {
        if (patterns->rows[i].matches) continue;
        const char *text = patterns->rows[i].text;
        instr_suggest_pattern(jvmti, jni, text, meant, sizeof meant);
        instr_reply_note(reply, "no loaded class matches %s%.200s%s%s%s%s",
                         patterns->rows[i].option, text,
                         strpbrk(text, "#(") ? ": a pattern names classes, no methods" : "",
                         *meant ? "; did you mean " : "", meant, *meant ? "?" : "");
    }
}

// --- rules ---

#define RULE_PREFIX "rule: " // of reasons

// NULL: the pass is not one.
static const struct instr_rule *rule_of(const struct rw_pass *pass) {
    return pass->made && pass->made->kind == instr_rule_source.key ? instr_rule_of(pass) : NULL;
}

uint32_t instr_last_rule(struct instr_plans *plans) {
    unsigned ticket;
    uint32_t last = 0;
    const struct instr_plan *plan = instr_plans_take(plans, &ticket);
    for (size_t i = 0; plan && i < plan->options.pass_count; i++) {
        const struct instr_rule *rule = rule_of(plan->options.passes[i].pass);
        if (rule && rule->number > last) last = rule->number;
    }
    instr_plans_give_back(plans, ticket);
    return last;
}

const char *instr_rule_refusal(struct instr_plans *plans, const char *pass) {
    unsigned ticket;
    const struct instr_plan *plan = instr_plans_take(plans, &ticket);
    const char *reason = NULL;
    for (size_t i = 0; plan && i < plan->options.pass_count; i++) {
        const struct rw_pass *one = plan->options.passes[i].pass;
        const struct instr_rule *rule = rule_of(one);
        if (rule && strcmp(one->name, pass) == 0 &&
            !__atomic_load_n(&rule->found->woven, __ATOMIC_RELAXED))
            reason = __atomic_load_n(&rule->found->refused, __ATOMIC_RELAXED);
    }
    instr_plans_give_back(plans, ticket);
    size_t prefix = strlen(RULE_PREFIX);
    return reason && strncmp(reason, RULE_PREFIX, prefix) == 0 ? reason + prefix : reason;
}

// An abstract method has code in what implements it: CLASS+.METHOD. Else methods of similar names.
static void find_meant(jvmtiEnv *jvmti, JNIEnv *jni, const struct instr_rule *rule, char *text,
                       size_t size) {
    struct instr_implementations found = {NULL, NULL, 0};
    if (!rule->subtypes) instr_watch_implementations(jvmti, jni, rule->pattern, &found);
    if (found.patterns)
        snprintf(text, size, "%.*s", (int)strcspn(found.patterns, ":"), found.patterns);
    else
        instr_watch_suggest_for_rule(jvmti, jni, rule->pattern, text, size);
    free(found.patterns);
    free(found.methods);
}

// A method that is there, but was skipped, is reported as such.
static void note_rule(jvmtiEnv *jvmti, JNIEnv *jni, struct instr_reply *reply, const char *name,
                      const struct instr_rule *rule) {
    char meant[800];
    if (instr_watch_is_loaded(jvmti, jni, rule->pattern)) {
        if (rule->at == INSTR_RULE_LINE)
            instr_reply_note(reply, "%s: no loaded method of this name has code at line %u", name,
                             rule->line);
        if (rule->at == INSTR_RULE_CALL)
            instr_reply_note(reply, "%s: no loaded method of this name calls %.200s", name,
                             rule->call);
        return;
    }
    if (instr_watch_is_native(jvmti, jni, rule->pattern)) {
        instr_reply_note(
            reply,
            "%s: %.300s is native and has no bytecode: a rule can be where it is called, "
            "as in 'com.acme.**.*(..) call %.300s'",
            name, rule->pattern, rule->pattern);
        return;
    }
    find_meant(jvmti, jni, rule, meant, sizeof meant);
    instr_reply_note(reply, "%s: no method of the loaded classes matches%s%s%s", name,
                     *meant ? "; did you mean "
                            : "; the rule waits for classes that are loaded later",
                     meant, *meant ? "?" : "");
}

void instr_note_unmatched_rules(jvmtiEnv *jvmti, JNIEnv *jni, struct instr_reply *reply,
                                struct instr_plans *plans, uint32_t last) {
    unsigned ticket;
    const struct instr_plan *plan = instr_plans_take(plans, &ticket);
    for (size_t i = 0; plan && i < plan->options.pass_count; i++) {
        const struct rw_pass *pass = plan->options.passes[i].pass;
        const struct instr_rule *rule = rule_of(pass);
        if (rule && rule->number > last && !__atomic_load_n(&rule->found->woven, __ATOMIC_RELAXED))
            note_rule(jvmti, jni, reply, pass->name, rule);
    }
    instr_plans_give_back(plans, ticket);
}

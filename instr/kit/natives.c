#include "instr/kit/natives.h"
#include "instr/kit/applied.h"
#include "instr/kit/weave.h"
#include "rewriters/natives.h"
#include "rewriters/watch_methods.h"

#include <stdio.h>
#include <string.h>

enum { REASON_SIZE = 400 };

// The reasons of the pass natives go on from the name of the method.
static const char *unwrapped(const char *why, char *reason, size_t size) {
    bool whole = strncmp(why, "the ", 4) == 0 || strncmp(why, "its ", 4) == 0 ||
                 strncmp(why, "only ", 5) == 0;
    snprintf(reason, size, "is native, and gets no wrapper: %s%s", whole ? "" : "it ", why);
    return reason;
}

const char *instr_kit_native_misfit(const struct cf_class *cls, const struct cf_member *method,
                                    bool offline, char *reason, size_t size) {
    if (!(method->access_flags & CF_ACC_NATIVE)) return NULL;
    const char *why = offline ? RW_NATIVES_NEED_AGENT : rw_native_refusal(cls, method);
    return why ? unwrapped(why, reason, size) : NULL;
}

// "com.acme.Files.open(java.lang.String) is native, ..."
static void refuse(const struct instr_kit *kit, size_t advice, const struct cf_class *file,
                   const struct cf_member *method, const char *why) {
    struct cf_slice class = cf_this_name(file), name = cf_member_name(file, method);
    char text[2 * REASON_SIZE], types[REASON_SIZE], reason[REASON_SIZE];
    rw_watch_types(cf_member_descriptor(file, method), types, sizeof types);
    int n = snprintf(text, sizeof text, "%.*s", class.length < 200 ? (int)class.length : 200,
                     (const char *)class.bytes);
    for (int i = 0; i < n; i++)
        if (text[i] == '/') text[i] = '.';
    snprintf(text + n, sizeof text - (size_t)n, ".%.*s%.100s %s",
             name.length < 100 ? (int)name.length : 100, (const char *)name.bytes, types,
             unwrapped(why, reason, sizeof reason));
    instr_kit_applied_refuse(kit->applied, advice, text);
}

// In classes that are loaded before there is a runtime no advice can be called.
int instr_kit_wraps(struct rw_class *cls, const struct cf_member *native, const char *fixed,
                    const char **why) {
    const struct instr_kit *kit = cls->pass->data;
    const struct cf_class *file = cls->rewrite->cls;
    bool wanted = false;
    *why = NULL;
    if (cls->early) return 0;
    for (size_t i = 0; i < kit->advice_count; i++) {
        const struct instr_kit_advice *advice = &kit->advices[i];
        if (advice->calls || !kit_is_called(cls, i) || !kit_is_target(cls, advice, file, native))
            continue;
        wanted = true;
        *why = strcmp(kit->package, INSTR_KIT_WOVEN) == 0 ? RW_NATIVES_NEED_AGENT
                                                          : rw_native_refusal(file, native);
        if (*why || fixed) refuse(kit, i, file, native, *why ? *why : fixed);
    }
    return wanted && !*why;
}

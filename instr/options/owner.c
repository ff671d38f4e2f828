// Who switched a pass on.

#include "instr/options.h"

#include <stdio.h>
#include <string.h>

static int may_hold(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           (c && strchr("._@+-", c));
}

int instr_owner_set(struct instr_owner *owner, const char *name, size_t length) {
    if (length == 0 || length >= sizeof owner->name) return -1;
    for (size_t i = 0; i < length; i++)
        if (!may_hold(name[i])) return -1;
    memcpy(owner->name, name, length);
    owner->name[length] = '\0';
    return 0;
}

void instr_owner_set_login(struct instr_owner *owner, const char *name) {
    size_t n = 0;
    for (; name[n] && n < sizeof owner->name - 1; n++)
        owner->name[n] = may_hold(name[n]) ? name[n] : '_';
    owner->name[n] = '\0';
}

const char *instr_owner_text(const struct instr_owner *owner) {
    return owner->name[0] ? owner->name : "the command line";
}

const char *instr_owner_who(const struct instr_owner *owner, char text[INSTR_WHO_SIZE]) {
    snprintf(text, INSTR_WHO_SIZE, owner->acting ? "%s, as uid %u" : "%s (uid %u)",
             instr_owner_text(owner), (unsigned)owner->uid);
    return text;
}

int instr_owner_is_quiet(const struct instr_options *options, const struct instr_owner *owner) {
    for (size_t i = 0; i < options->pass_count; i++)
        if (instr_owner_same(&options->passes[i].owner, owner))
            return options->passes[i].terms.quiet;
    return 0;
}

int instr_owner_same(const struct instr_owner *a, const struct instr_owner *b) {
    return strcmp(a->name, b->name) == 0;
}

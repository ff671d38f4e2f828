// Passes that options make, and their names.

#include "instr/options/made.h"

#include "instr/base/array.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

// Appends the pass to both lists.
static int append_pass(struct instr_option_parser *p, const struct rw_pass *pass) {
    struct instr_options *options = p->options;
    size_t capacity = p->pass_count + 1, on_capacity = options->pass_count;
    if (!INSTR_ARRAY_RESERVE(p->passes, capacity, p->pass_count + 2) ||
        !INSTR_ARRAY_RESERVE(options->passes, on_capacity, options->pass_count + 1))
        return instr_option_no_memory(p, pass->made->kind);
    struct instr_pass_options *one = &p->passes[p->pass_count];
    one[0] = one[1] = (struct instr_pass_options){0};
    *one = (struct instr_pass_options){.pass = pass,
                                       .number = (unsigned)p->pass_count++,
                                       .late = p->late,
                                       .top = INSTR_TOP_DEFAULT,
                                       .given = INSTR_GIVEN_PASS};
    options->passes[options->pass_count++] =
        (struct instr_pass_options){.pass = pass, .owner = p->owner};
    rw_pass_hold(pass);
    return 0;
}

// instr_pass_source.make calls it.
static int add_made(void *parser, const struct rw_pass *pass) {
    struct instr_option_parser *p = parser;
    int result =
        p->options->pass_count == INSTR_MOST_ON
            ? instr_option_fail(p, pass->made->kind, "%d passes are on already", INSTR_MOST_ON)
            : append_pass(p, pass);
    if (result == 0) {
        p->made = pass->made;
        p->made_count++;
    } else {
        rw_pass_release(pass);
    }
    return result;
}

int instr_option_make(struct instr_option_parser *p, const struct instr_pass_source *source,
                      const char *value) {
    char reason[INSTR_ERROR_SIZE] = "";
    if (p->only_values)
        return instr_option_fail(p, source->key, "makes a pass; only values can be set: key=value");
    if (!*value) return instr_option_fail(p, source->key, "has an empty value");
    p->made = NULL;
    p->made_count = 0;
    if (source->make(value, p->late, add_made, p, reason, sizeof reason) == 0) return 0;
    return *reason ? instr_option_fail(p, source->key, "%s", reason) : -1;
}

int instr_option_name(struct instr_option_parser *p, const char *name) {
    size_t length = strlen(name);
    if (!p->made)
        return instr_option_fail(p, "name", "expects an option before it that makes a pass");
    if (p->made_count > 1)
        return instr_option_fail(p, "name", "names one %s, and the file has several",
                                 p->made->kind);
    for (size_t i = 0; i < length; i++)
        if (!(isalnum((unsigned char)name[i]) || (i && strchr("-_", name[i]))) ||
            length >= sizeof p->made->name)
            return instr_option_fail(p, "name",
                                     "must be 1 to %zu letters, digits, - and _: '%.64s'",
                                     sizeof p->made->name - 1, name);
    if (!length) return instr_option_fail(p, "name", "has an empty value");
    memcpy(p->made->name, name, length + 1);
    return 0;
}

bool instr_option_made_hint(const char *key, char *hint, size_t size) {
    size_t kind = strcspn(key, "0123456789"), digits = strspn(key + kind, "0123456789");
    if (!digits || key[kind + digits] != '.' || !instr_option_source(key, kind)) return false;
    snprintf(hint, size, "unknown; name=NAME names the %.*s first, then NAME%s", (int)kind, key,
             key + kind + digits);
    return true;
}

static int is_taken(const struct instr_option_parser *p, const struct rw_pass *by,
                    const char *name) {
    if (rw_pass_named(name, strlen(name))) return 1;
    for (size_t i = 0; i < p->options->pass_count; i++)
        if (p->options->passes[i].pass != by && strcmp(p->options->passes[i].pass->name, name) == 0)
            return 1;
    return 0;
}

int instr_option_settle_names(struct instr_option_parser *p) {
    for (size_t i = rw_pass_count(); i < p->pass_count; i++) {
        const struct rw_pass *pass = p->passes[i].pass;
        struct rw_made *made = pass->made;
        if (p->passes[i].given & INSTR_ON_ALREADY) continue;
        if (made->name[0] && is_taken(p, pass, made->name))
            return instr_option_fail(p, made->kind,
                                     "a pass named '%s' is there already; name=NAME names this one",
                                     made->name);
        made->numbered = !made->name[0];
        for (unsigned n = 1; !made->name[0] || is_taken(p, pass, made->name); n++)
            snprintf(made->name, sizeof made->name, "%.20s%u", made->kind, n);
    }
    return 0;
}

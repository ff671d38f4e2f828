// The parser of options: lists, keys and files.

#include "instr/options.h"
#include "instr/base/file.h"
#include "instr/options/copy.h"
#include "instr/options/jacoco.h"
#include "instr/options/made.h"
#include "instr/options/parse.h"
#include "instr/options/terms.h"
#include "rewriters/test_methods.h"
#include "rewriters/watch_methods.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    MOST_DEPTH = 8,
    MOST_CONFIG = 1 << 20,
    // Bits of instr_pass_options.given, beside those of parse.h and one for each row of
    // instr_pass_option_rows:
    OWN_SCOPE = 1u << 29, // the text gives the pass a scope of its own
    FIRST_OWN = 8         // number of the first bit for the pass's own options
};

// --- keys ---

static int unknown(struct instr_option_parser *p, const char *key) {
    char nearest[INSTR_NAME_SIZE], hint[160];
    if (p->file && strpbrk(key, ", \t"))
        return instr_option_fail(p, key, "unknown; in a file, write one option per line");
    if (instr_jacoco_hint(key, hint, sizeof hint) || instr_option_made_hint(key, hint, sizeof hint))
        return instr_option_fail(p, key, "%s", hint);
    instr_nearest_option(key, nearest);
    return instr_option_fail(p, key, "unknown; did you mean '%s'?", nearest);
}

// Sets `bit` in `given`; an error if it is already set.
static int give_once(struct instr_option_parser *p, const char *key, unsigned *given,
                     unsigned bit) {
    if (*given & bit) return instr_option_fail(p, key, "given twice");
    *given |= bit;
    return 0;
}

static int add_pass(struct instr_option_parser *p, const char *name,
                    struct instr_pass_options *pass) {
    if (p->only_values)
        return instr_option_fail(p, name, "is a pass; only values can be set: key=value");
    if (give_once(p, name, &pass->given, INSTR_GIVEN_PASS) != 0) return -1;
    if (pass->given & INSTR_ON_ALREADY) return 0;
    if (p->options->pass_count == INSTR_MOST_ON)
        return instr_option_fail(p, name, "%d passes are on already", INSTR_MOST_ON);
    struct instr_pass_options *on = &p->options->passes[p->options->pass_count++];
    *on = (struct instr_pass_options){.pass = pass->pass, .owner = p->owner};
    return 0; // settle() fills in the rest
}

// A word without a value: a pass, or a mistake.
static int parse_word(struct instr_option_parser *p, const char *word) {
    for (size_t i = 0; p->passes[i].pass; i++)
        if (strcmp(p->passes[i].pass->name, word) == 0) return add_pass(p, word, &p->passes[i]);
    const char *argument = instr_option_argument(word);
    if (argument) return instr_option_fail(p, word, "needs a value: %.64s=%s", word, argument);
    return unknown(p, word);
}

static int read_config(struct instr_option_parser *p, const char *name);

static int parse_global(struct instr_option_parser *p, size_t i, const char *value) {
    const struct instr_option_row *row = &instr_option_rows[i];
    void *field = (char *)p->options + row->offset;
    if (row->kind == INSTR_KIND_CONFIG) return read_config(p, value);
    if (row->kind != INSTR_KIND_PATTERNS && give_once(p, row->key, &p->given, 1u << i) != 0)
        return -1;
    p->given |= 1u << i;
    return instr_option_set(p, row, row->key, value, field);
}

// An option of this pass alone.
static int parse_own(struct instr_option_parser *p, struct instr_pass_options *pass, size_t i,
                     const char *key, const char *value) {
    size_t count = 0;
    while (pass->pass->options[count].key) count++;
    if (!pass->values) pass->values = calloc(count, sizeof *pass->values);
    if (!pass->values) return instr_option_no_memory(p, key);
    if (give_once(p, key, &pass->given, 1u << (FIRST_OWN + i)) != 0) return -1;
    const char *words = pass->pass->options[i].argument;
    int chosen = 0;
    uint64_t bytes = 0;
    if (strchr(words, '|') && instr_option_set_choice(p, key, value, words, &chosen) != 0)
        return -1;
    if (strcmp(words, "SIZE") == 0 && (instr_option_size(value, &bytes) != 0 || bytes == 0))
        return instr_option_fail(p, key, "must be a size, such as 512K, not '%.64s'", value);
    const char *wrong = strcmp(words, "TESTS") == 0 ? rw_test_methods_check(value) : NULL;
    if (wrong) return instr_option_fail(p, key, "%s, not '%.64s'", wrong, value);
    if (strcmp(words, "FILE") == 0) return instr_option_set_file(p, key, value, &pass->values[i]);
    return instr_option_set_text(p, key, value, &pass->values[i]);
}

// `key` is pass.name; `name` points behind the dot.
static int parse_pass_option(struct instr_option_parser *p, struct instr_pass_options *pass,
                             const char *key, const char *name, const char *value) {
    for (size_t i = 0; instr_pass_option_rows[i].key; i++) {
        const struct instr_option_row *row = &instr_pass_option_rows[i];
        if (strcmp(row->key, name) != 0 || !instr_pass_has(pass->pass, row)) continue;
        if (row->kind == INSTR_KIND_PATTERNS) {
            // Patterns accumulate within one text, but replace the scope that the text changes.
            if (!(pass->given & OWN_SCOPE)) {
                instr_option_forget_patterns(&pass->include);
                instr_option_forget_patterns(&pass->exclude);
            }
            pass->given |= OWN_SCOPE | 1u << i;
            pass->own_scope = 1;
        } else if (give_once(p, key, &pass->given, 1u << i) != 0) {
            return -1;
        }
        if (strcmp(name, "for") == 0) pass->ends = 0; // it begins anew
        return instr_option_set(p, row, key, value, (char *)pass + row->offset);
    }
    for (size_t i = 0; pass->pass->options && pass->pass->options[i].key; i++)
        if (strcmp(pass->pass->options[i].key, name) == 0) return parse_own(p, pass, i, key, value);
    return unknown(p, key);
}

static int nameless(struct instr_option_parser *p, const char *value) {
    char nearest[INSTR_NAME_SIZE];
    instr_nearest_option(value, nearest);
    return instr_option_fail(p, "", "no name before '=%.64s'; did you mean '%s'?", value, nearest);
}

// Behind it commas are JaCoCo's.
static const char jacoco[] = "coverage=jacoco:";

static const char *jacocos_options(const char *key, const char *value) {
    size_t key_length = strcspn(jacoco, "="), rest = sizeof jacoco - 1 - key_length - 1;
    int is = strlen(key) == key_length && memcmp(key, jacoco, key_length) == 0 &&
             strncmp(value, jacoco + key_length + 1, rest) == 0;
    return is ? value + rest : NULL;
}

static int parse_pair(struct instr_option_parser *p, const char *key, const char *value) {
    const char *jacocos = jacocos_options(key, value);
    const struct instr_pass_source *source = instr_option_source(key, strlen(key));
    if (!*key) return nameless(p, value);
    if (source) return instr_option_make(p, source, value);
    if (strcmp(key, "name") == 0 && instr_option_argument(key)) return instr_option_name(p, value);
    for (size_t i = 0; instr_option_rows[i].key; i++) {
        if (strcmp(instr_option_rows[i].key, key) != 0) continue;
        return *value ? parse_global(p, i, value) : instr_option_fail(p, key, "has an empty value");
    }
    for (size_t i = 0; p->passes[i].pass; i++) {
        const char *name = p->passes[i].pass->name;
        size_t n = strlen(name);
        if (!n || strncmp(name, key, n) != 0) continue;
        if (key[n] == '\0' && jacocos)
            return add_pass(p, key, &p->passes[i]) == 0
                       ? instr_jacoco_options(p, jacocos, parse_pair)
                       : -1;
        if (key[n] == '\0') return instr_option_fail(p, key, "is a pass and takes no value");
        if (key[n] != '.') continue;
        if (!p->passes[i].pass->made && !instr_option_argument(key)) return unknown(p, key);
        if (!*value) return instr_option_fail(p, key, "has an empty value");
        return parse_pass_option(p, &p->passes[i], key, key + n + 1, value);
    }
    return unknown(p, key);
}

// Removes blanks at both ends, in place.
static char *trim(char *text) {
    while (*text == ' ' || *text == '\t') text++;
    size_t n = strlen(text);
    while (n > 0 && strchr(" \t\r", text[n - 1])) n--;
    text[n] = '\0';
    return text;
}

// Parses one word or pair, and modifies `item`.
static int parse_item(struct instr_option_parser *p, char *item) {
    char *equals = strchr(item, '=');
    if (!equals) return parse_word(p, trim(item));
    *equals = '\0';
    return parse_pair(p, trim(item), trim(equals + 1));
}

// --- lists and files ---

// The end of the item at `c`, at a comma or at the end of the list. A comma does not end an item
// between braces and parentheses, nor between quotes there and in what makes a pass. If one of them
// is not closed, the next comma ends the item.
static const char *item_end(const char *c) {
    const char *first = NULL;
    int depth = 0, source = instr_option_source(c, strcspn(c, "=")) != NULL;
    char quote = '\0';
    for (; *c; c++) {
        if (*c == ',' && !first) first = c;
        if (*c == ',' && !depth && !quote) return c;
        if (*c == '\\' && c[1]) {
            c++;
        } else if (quote) {
            if (*c == quote) quote = '\0';
        } else if ((depth || source) && (*c == '"' || *c == '\'')) {
            quote = *c;
        } else if (strchr("({", *c)) {
            depth++;
        } else if (depth && strchr(")}", *c)) {
            depth--;
        }
    }
    return (depth || quote) && first ? first : c;
}

// Splits the list at its commas and removes the escapes from each item.
static int parse_list(struct instr_option_parser *p, const char *list) {
    char *item = malloc(strlen(list) + 1);
    if (!item) return instr_option_no_memory(p, "config");
    int result = 0;
    const char *c = list;
    while (result == 0 && *list) {
        size_t n = 0;
        int raw = strncmp(c, jacoco, sizeof jacoco - 1) == 0;
        for (const char *end = raw ? c + strlen(c) : item_end(c); c < end; c++) {
            if (!raw && *c == '\\' && (c[1] == ',' || c[1] == '\\')) c++;
            item[n++] = *c;
        }
        item[n] = '\0';
        result = *trim(item) ? parse_item(p, item)
                             : instr_option_fail(p, "", "empty item between two commas");
        if (!*c++) break;
    }
    free(item);
    return result;
}

static int parse_lines(struct instr_option_parser *p, char *text, size_t length) {
    for (char *line = text, *end = text + length; line < end;) {
        char *newline = memchr(line, '\n', (size_t)(end - line));
        if (!newline) newline = end;
        p->line++;
        if (memchr(line, '\0', (size_t)(newline - line)))
            return instr_option_fail(p, "config", "contains a NUL byte: not a text file");
        *newline = '\0';
        char *item = trim(line);
        if (*item && *item != '#' && parse_item(p, item) != 0) return -1;
        line = newline + 1;
    }
    return 0;
}

// Reads the whole file, with room for one more byte. NULL after an error.
static char *read_whole(struct instr_option_parser *p, const char *name, size_t *length) {
    const char *why = NULL;
    int fd = instr_file_open(name, &why);
    FILE *file = fd >= 0 ? fdopen(fd, "r") : NULL;
    if (!file) {
        instr_option_fail(p, "config", "%.120s: %s", name, why ? why : strerror(errno));
        if (fd >= 0) close(fd);
        return NULL;
    }
    char *text = malloc(MOST_CONFIG + 1);
    *length = text ? fread(text, 1, MOST_CONFIG + 1, file) : 0;
    int failed = !text || ferror(file) || *length > MOST_CONFIG;
    if (!text)
        instr_option_no_memory(p, "config");
    else if (ferror(file))
        instr_option_fail(p, "config", "%.120s: %s", name, strerror(errno));
    else if (failed)
        instr_option_fail(p, "config", "%.120s: larger than 1 MB", name);
    fclose(file);
    if (!failed) return text;
    free(text);
    return NULL;
}

static int read_config(struct instr_option_parser *p, const char *name) {
    if (p->depth == MOST_DEPTH)
        return instr_option_fail(p, "config", "configuration files are nested more than %d deep",
                                 MOST_DEPTH);
    size_t length = 0;
    char *text = read_whole(p, name, &length);
    if (!text) return -1;
    const char *file = p->file;
    unsigned line = p->line;
    p->file = name;
    p->line = 0;
    p->depth++;
    p->options->config++;
    // Some editors write a byte order mark.
    size_t mark = length >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
    int result = parse_lines(p, text + mark, length - mark);
    p->depth--;
    p->file = file;
    p->line = line;
    free(text);
    return result;
}

// --- the whole ---

unsigned instr_max_overhead(const struct instr_options *options,
                            const struct instr_pass_options *pass) {
    if (pass->max_overhead) return pass->max_overhead % INSTR_ANY_OVERHEAD;
    if (pass->terms.max_overhead) return pass->terms.max_overhead % INSTR_ANY_OVERHEAD;
    if (options->max_overhead) return options->max_overhead % INSTR_ANY_OVERHEAD;
    return pass->late ? INSTR_LATE_OVERHEAD : 0;
}

const char *instr_pass_option(const struct instr_pass_options *pass, const char *key) {
    for (size_t i = 0; pass->values && pass->pass->options[i].key; i++)
        if (strcmp(pass->pass->options[i].key, key) == 0) return pass->values[i];
    return NULL;
}

static int is_owners(const struct instr_option_parser *p, const struct instr_pass_options *pass) {
    return instr_owner_same(&p->owner, &pass->owner);
}

static void add_known(struct instr_option_parser *p, const struct rw_pass *pass) {
    p->passes[p->pass_count] = (struct instr_pass_options){
        .pass = pass, .number = (unsigned)p->pass_count, .late = p->late, .top = INSTR_TOP_DEFAULT};
    p->pass_count++;
    rw_pass_hold(pass);
}

static int prepare(struct instr_option_parser *p) {
    size_t on = p->options->pass_count, most = rw_pass_count() + on;
    if (!p->options->passes) p->options->passes = calloc(most + 1, sizeof *p->options->passes);
    p->passes = calloc(most + 1, sizeof *p->passes);
    if (!p->options->passes || !p->passes) return instr_option_no_memory(p, "");
    for (size_t i = 0; i < rw_pass_count(); i++) add_known(p, rw_pass_at(i));
    for (size_t i = 0; i < on; i++)
        if (p->options->passes[i].pass->made && is_owners(p, &p->options->passes[i]))
            add_known(p, p->options->passes[i].pass);
    return 0;
}

// Moves what belongs to the pass; `from` keeps its name and owner only.
static void move_pass(struct instr_pass_options *to, struct instr_pass_options *from) {
    *to = *from;
    *from = (struct instr_pass_options){.pass = to->pass, .owner = to->owner};
}

// Moves the owner's passes that are on already to the parser, which changes them.
static void inherit(struct instr_option_parser *p) {
    for (size_t k = 0; k < p->options->pass_count; k++)
        for (size_t i = 0; p->passes[i].pass; i++) {
            struct instr_pass_options *on = &p->options->passes[k];
            if (p->passes[i].pass != on->pass || !is_owners(p, on)) continue;
            move_pass(&p->passes[i], on);
            p->passes[i].given = INSTR_ON_ALREADY;
        }
}

// Finds the classes of a pass that names methods.
static int find_classes(struct instr_option_parser *p, struct instr_pass_options *pass) {
    const char *methods = instr_pass_option(pass, "methods"), *made = pass->pass->classes,
               *above = pass->pass->supertypes;
    char key[INSTR_NAME_SIZE], reason[256];
    if (!(pass->pass->flags & RW_NAMES_METHODS)) return 0;
    snprintf(key, sizeof key, "%s.methods", pass->pass->name);
    instr_option_forget_patterns(&pass->only);
    instr_option_forget_patterns(&pass->supertypes);
    pass->only = instr_match_new();
    if (above) pass->supertypes = instr_match_new();
    if (!pass->only || (above && !pass->supertypes)) return instr_option_no_memory(p, key);
    if ((made && instr_match_add(pass->only, made, reason, sizeof reason) != 0) ||
        (above && instr_match_add(pass->supertypes, above, reason, sizeof reason) != 0))
        return instr_option_fail(p, pass->pass->name, "%s", reason);
    if (!methods) return 0;
    for (const char *text = methods, *end;; text = end + 1) {
        struct rw_watch_pattern pattern;
        const char *fault = rw_watch_split(text, &pattern, &end);
        if (fault)
            return instr_option_fail(p, key, "'%.*s' %s", (int)(end - text > 64 ? 64 : end - text),
                                     text, fault);
        bool plus = rw_watch_take_plus(&pattern) && !pass->pass->made;
        char *classes = strndup(text, pattern.class_name.length);
        if (plus && !pass->supertypes) pass->supertypes = instr_match_new();
        if (!classes || (plus && !pass->supertypes)) {
            free(classes);
            return instr_option_no_memory(p, key);
        }
        int failed =
            instr_match_add(pass->only, classes, reason, sizeof reason) != 0 ||
            (plus && instr_match_add(pass->supertypes, classes, reason, sizeof reason) != 0);
        free(classes);
        if (failed) return instr_option_fail(p, key, "%s", reason);
        if (*end == '\0') return 0;
    }
}

// The scope of a pass that the text switches on without one: that of the owner's last pass that has
// no scope of its own either, or that of the options.
static void inherit_scope(const struct instr_option_parser *p, struct instr_pass_options *pass) {
    struct instr_match *include = p->include, *exclude = p->exclude;
    for (size_t i = 0; p->passes[i].pass; i++)
        if (p->passes[i].given & INSTR_ON_ALREADY && !p->passes[i].own_scope &&
            !p->passes[i].only) {
            include = p->passes[i].include;
            exclude = p->passes[i].exclude;
        }
    instr_option_share_patterns(&pass->include, include);
    instr_option_share_patterns(&pass->exclude, exclude);
}

// A scope that comes without passes is for those of the owner. If none of them takes it, the command
// must not look as if it had succeeded.
static int check_scope_is_used(struct instr_option_parser *p) {
    unsigned include = instr_option_bit("include"), exclude = instr_option_bit("exclude");
    if (!p->changing || !p->options->pass_count || !(p->given & (include | exclude))) return 0;
    const char *key = p->given & include ? "include" : "exclude", *own = NULL;
    for (size_t i = 0; p->passes[i].pass; i++) {
        const struct instr_pass_options *pass = &p->passes[i];
        if (!(pass->given & INSTR_ON_ALREADY) || pass->pass->flags & RW_NAMES_METHODS) continue;
        if (!pass->own_scope) return 0;
        own = pass->pass->name;
    }
    const char *owner = instr_owner_text(&p->owner);
    if (!own) return instr_option_fail(p, key, "%s has no active pass that takes it", owner);
    return instr_option_fail(p, key, "each pass of %s has classes of its own; use '%s.%s'", owner,
                             own, key);
}

// Gives each pass its scope: its own one, or that of the text, which is for the passes that the text
// names, or for all if it names none.
static int settle_scopes(struct instr_option_parser *p) {
    unsigned include = instr_option_bit("include"), exclude = instr_option_bit("exclude"),
             named = 0;
    for (size_t i = 0; p->passes[i].pass; i++) named |= p->passes[i].given & INSTR_GIVEN_PASS;
    if (!named && check_scope_is_used(p) != 0) return -1;
    for (size_t i = 0; p->passes[i].pass; i++) {
        struct instr_pass_options *pass = &p->passes[i];
        unsigned given = pass->given;
        int is_named = (given & INSTR_GIVEN_PASS) != 0 || (!named && !pass->own_scope);
        if (pass->pass->flags & RW_NAMES_METHODS ||
            !(given & (INSTR_GIVEN_PASS | INSTR_ON_ALREADY)))
            continue;
        if (given & OWN_SCOPE) {
            if (!pass->include && given & INSTR_GIVEN_PASS)
                instr_option_share_patterns(&pass->include, p->options->include);
            if (!pass->exclude && given & INSTR_GIVEN_PASS)
                instr_option_share_patterns(&pass->exclude, p->options->exclude);
        } else if (is_named && p->given & (include | exclude)) {
            instr_option_share_patterns(&pass->include, p->options->include);
            instr_option_share_patterns(&pass->exclude, p->options->exclude);
            pass->own_scope = 0;
        } else if (!(given & INSTR_ON_ALREADY)) {
            inherit_scope(p, pass);
        }
    }
    // The scope of passes does not change that of the options, except where there are no passes.
    if (p->changing && (p->options->pass_count || !(p->given & (include | exclude)))) {
        instr_option_share_patterns(&p->options->include, p->include);
        instr_option_share_patterns(&p->options->exclude, p->exclude);
    }
    return 0;
}

// What a pass that is made needs.
static int settle_made(struct instr_option_parser *p) {
    unsigned allowed = p->given & instr_option_bit("allow") ? p->options->allow : 0;
    for (size_t i = rw_pass_count(); i < p->pass_count; i++) {
        const struct instr_pass_options *pass = &p->passes[i];
        const struct rw_made *made = pass->pass->made;
        char words[INSTR_WORDS_SIZE];
        if (pass->given & INSTR_ON_ALREADY) continue;
        if (made->needs & ~allowed)
            return instr_option_fail(
                p, made->kind, "'%s' changes what the program does: allow=%s allows it", made->name,
                instr_option_words(instr_option_argument("allow"), made->needs, words));
    }
    return 0;
}

// Would the one result overwrite the other? Devices and pipes take both.
static int is_one_file(const char *a, const char *b) {
    struct stat st;
    return a && b && strcmp(a, b) == 0 && (stat(a, &st) != 0 || S_ISREG(st.st_mode));
}

static int check_files(struct instr_option_parser *p) {
    const struct instr_options *o = p->options;
    const char *files[] = {o->stats, o->facts}, *const keys[] = {"stats", "facts"};
    if (is_one_file(o->stats, o->facts))
        return instr_option_fail(p, "facts", "the file is that of 'stats', too");
    for (size_t i = 0; i < o->pass_count; i++) {
        const struct instr_pass_options *pass = &o->passes[i], *other = o->passes;
        char key[INSTR_NAME_SIZE];
        snprintf(key, sizeof key, "%s.file", pass->pass->name);
        for (size_t k = 0; k < sizeof files / sizeof *files; k++)
            if (is_one_file(pass->file, files[k]))
                return instr_option_fail(p, key, "the file is that of '%s', too", keys[k]);
        for (; other < pass; other++)
            if (is_one_file(pass->file, other->file))
                return instr_option_fail(p, key, "the file is that of '%s.file'%s%s, too",
                                         other->pass->name, is_owners(p, other) ? "" : " of ",
                                         is_owners(p, other) ? ""
                                                             : instr_owner_text(&other->owner));
    }
    return 0;
}

// Moves the options of each pass to the passes that are on.
static int settle(struct instr_option_parser *p) {
    for (size_t i = 0; p->passes[i].pass; i++) {
        struct instr_pass_options *pass = &p->passes[i];
        if (!pass->given || pass->given & (INSTR_GIVEN_PASS | INSTR_ON_ALREADY)) continue;
        char key[64];
        snprintf(key, sizeof key, "%.60s.*", pass->pass->name);
        if (p->only_values)
            return instr_option_fail(p, key, "the pass is not enabled by %s",
                                     instr_owner_text(&p->owner));
        return instr_option_fail(p, key, "these options do not enable the pass; add '%s'",
                                 pass->pass->name);
    }
    if (settle_scopes(p) != 0 || instr_option_settle_names(p) != 0 || settle_made(p) != 0 ||
        instr_option_terms_settle(p) != 0)
        return -1;
    for (size_t k = 0; k < p->options->pass_count; k++)
        for (size_t i = 0; p->passes[i].pass; i++) {
            struct instr_pass_options *on = &p->options->passes[k];
            if (p->passes[i].pass != on->pass || !is_owners(p, on)) continue;
            p->passes[i].owner = on->owner;
            move_pass(on, &p->passes[i]);
            if (find_classes(p, on) != 0) return -1;
        }
    return check_files(p);
}

static int parse_text(struct instr_option_parser *p, const char *text) {
    int result = prepare(p);
    if (result == 0) inherit(p);
    if (result == 0) instr_option_terms_begin(p);
    if (result == 0) result = parse_list(p, text ? text : "");
    if (result == 0) result = settle(p);
    for (size_t i = 0; p->passes && p->passes[i].pass; i++) instr_option_free_pass(&p->passes[i]);
    free(p->passes);
    instr_match_free(p->include);
    instr_match_free(p->exclude);
    if (result != 0) instr_options_free(p->options);
    return result;
}

int instr_options_parse(struct instr_options *options, const char *text, char *error, size_t size) {
    memset(options, 0, sizeof *options);
    struct instr_option_parser parser = {.options = options, .error = error, .error_size = size};
    if (size > 0) error[0] = '\0';
    return parse_text(&parser, text);
}

int instr_options_change_as(struct instr_options *options, const struct instr_options *base,
                            enum instr_change change, const struct instr_owner *owner,
                            const char *text, char *error, size_t size) {
    struct instr_option_parser parser = {.options = options,
                                         .changing = 1,
                                         .only_values = change == INSTR_SET,
                                         .late = 1,
                                         .error = error,
                                         .error_size = size};
    if (owner) parser.owner = *owner;
    if (size > 0) error[0] = '\0';
    if (instr_options_copy(options, base) != 0) return instr_option_no_memory(&parser, "");
    parser.include = options->include;
    parser.exclude = options->exclude;
    options->include = options->exclude = NULL;
    return parse_text(&parser, text);
}

int instr_options_change(struct instr_options *options, const struct instr_options *base,
                         enum instr_change change, const char *text, char *error, size_t size) {
    return instr_options_change_as(options, base, change, NULL, text, error, size);
}

// instr_pass_source.make calls it.
static int take_made(void *to, const struct rw_pass *pass) {
    const struct rw_pass **made = to;
    rw_pass_release(*made);
    *made = pass;
    return 0;
}

int instr_options_remake(struct instr_options *options, size_t pass, char *error, size_t size) {
    struct instr_option_parser parser = {.options = options, .error = error, .error_size = size};
    struct instr_pass_options *on = &options->passes[pass];
    const struct rw_made *old = on->pass->made;
    const struct instr_pass_source *source = instr_option_source(old->kind, strlen(old->kind));
    const struct rw_pass *made = NULL;
    snprintf(error, size, "out of memory");
    int result = source->make(old->text, 1, take_made, &made, error, size);
    if (result != 0 || made->made->content == old->content) {
        rw_pass_release(made);
        return result;
    }
    memcpy(made->made->name, old->name, sizeof old->name);
    made->made->numbered = old->numbered;
    made->made->of_command = old->of_command;
    rw_pass_release(on->pass);
    on->pass = made;
    return find_classes(&parser, on) == 0 ? 1 : -1;
}

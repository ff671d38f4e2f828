// The patterns of files in the text of a rule: a JVM in another folder, or of another user, may not be
// able to read them.

#include "instr/rules/files.h"

#include "instr/base/array.h"
#include "instr/rules/rules.h"

#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct text {
    char *bytes; // ends with '\0'
    size_t length, capacity;
    bool failed; // out of memory
};

static void put(struct text *t, const char *bytes, size_t n) {
    if (t->failed || !INSTR_ARRAY_RESERVE(t->bytes, t->capacity, t->length + n + 1)) {
        t->failed = true;
        return;
    }
    memcpy(t->bytes + t->length, bytes, n);
    t->bytes[t->length += n] = '\0';
}

static void put_pattern(struct text *t, const char *from, size_t n) {
    for (; n && isspace((unsigned char)*from); from++) n--;
    while (n && isspace((unsigned char)from[n - 1])) n--;
    if (!n || *from == '#') return;
    for (size_t i = 0; i < n; i++) {
        if (from[i] == '"' || from[i] == '\\') put(t, "\\", 1);
        put(t, from + i, 1);
    }
    put(t, "|", 1);
}

// Puts "A|B|" for the file's patterns A and B. False: they cannot be read, or are too long.
static bool put_patterns(struct text *t, const char *name, size_t length) {
    char path[PATH_MAX], content[INSTR_RULE_LONGEST];
    snprintf(path, sizeof path, "%.*s", (int)length, name);
    FILE *file = fopen(path, "re");
    size_t n = file ? fread(content, 1, sizeof content - 1, file) : 0;
    bool whole = file && !ferror(file) && feof(file) && !memchr(content, '\0', n);
    if (file) fclose(file);
    content[n] = '\0';
    if (!whole) return false;
    put(t, "~ \"", 3);
    for (size_t from = 0, k; from < n; from += k + 1) {
        k = strcspn(content + from, "\n|");
        put_pattern(t, content + from, k);
    }
    put(t, "|\"", 2); // not empty, even if there are comments only
    return true;
}

// The length of the name in "~ @NAME" or "~ @'PATH'"; 0: it is something else, or has escapes.
static size_t file_name(const char *at, const char **name) {
    size_t n = 0;
    if (*at != '~') return 0;
    at += 1 + strspn(at + 1, " \t");
    *name = at + 1;
    if (*at != '@') return 0;
    if (**name == '"' || **name == '\'') {
        const char quote[] = {*(*name)++, '\\', '\0'};
        n = strcspn(*name, quote);
        return (*name)[n] == quote[0] ? n : 0;
    }
    for (const char *c = *name; isalnum((unsigned char)*c) || *c == '_' || *c == '$' || *c < 0; c++)
        n++;
    return n;
}

// The end of what begins at `at`: a string, or one character.
static const char *past_one(const char *at) {
    char quote = *at++;
    if (quote != '"' && quote != '\'') return at;
    while (*at && *at != quote) at += *at == '\\' && at[1] ? 2 : 1;
    return *at ? at + 1 : at;
}

char *instr_rule_with_files(const char *text) {
    struct text t = {0};
    const char *name = text;
    put(&t, "", 0);
    for (const char *at = text, *end; *at; at = end) {
        size_t n = file_name(at, &name);
        end = past_one(at);
        if (n && put_patterns(&t, name, n))
            end = name + n + (name[-1] != '@');
        else
            put(&t, at, (size_t)(end - at));
    }
    if (!t.failed && t.length <= INSTR_RULE_LONGEST) return t.bytes;
    free(t.bytes);
    return t.failed ? NULL : strdup(text);
}

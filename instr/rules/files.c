// The patterns of files in the text of a rule: a JVM in another folder, or of another user, may not be
// able to read them.

#include "instr/rules/files.h"

#include "instr/base/array.h"
#include "instr/base/file.h"
#include "instr/base/utf8.h"
#include "instr/rules/rules.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

size_t instr_rule_not_utf8(const char *text) {
    static const char bad[] = {'\xEF', '\xBF', '\xBD', '\0'}; // the character itself is a good one
    const char *at = text, *end = text + strlen(text);
    while (at < end) {
        const char *from = at;
        if (instr_utf8_next(&at, end) == INSTR_UTF8_BAD && strncmp(from, bad, 3) != 0)
            return (size_t)(from - text);
    }
    return (size_t)(end - text);
}

// The bytes read, at most `most` + 1; -1: errno says why.
static ssize_t read_all(int fd, char *bytes, size_t most) {
    size_t length = 0;
    ssize_t n = 1;
    while (n > 0 && length <= most) {
        n = read(fd, bytes + length, most + 1 - length);
        if (n > 0) length += (size_t)n;
        if (n < 0 && errno == EINTR) n = 1;
    }
    return n < 0 ? -1 : (ssize_t)length;
}

static const char *fault_of(const char *text, ssize_t length, size_t most) {
    if (length < 0) return strerror(errno);
    if ((size_t)length > most) return "it is too large";
    if (memchr(text, '\0', (size_t)length)) return "it is not a text";
    return instr_rule_not_utf8(text) < (size_t)length ? "it is not UTF-8" : NULL;
}

char *instr_rule_read_file(const char *path, size_t most, const char **why) {
    static const char mark[] = {'\xEF', '\xBB', '\xBF'}; // some editors begin a file with it
    int fd = instr_file_open(path, why);
    if (fd < 0) return NULL;
    char *text = malloc(most + 2);
    ssize_t length = text ? read_all(fd, text, most) : 0;
    if (text && length >= 0) text[length] = '\0';
    close(fd);
    *why = text ? fault_of(text, length, most) : "out of memory";
    if (!*why && length >= 3 && memcmp(text, mark, 3) == 0)
        memmove(text, text + 3, (size_t)length - 2);
    if (!*why) return text;
    free(text);
    return NULL;
}

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
    char path[PATH_MAX];
    const char *why;
    snprintf(path, sizeof path, "%.*s", (int)length, name);
    char *content = instr_rule_read_file(path, INSTR_RULE_LONGEST, &why);
    if (!content) return false;
    put(t, "~ \"", 3);
    for (size_t from = 0, k, n = strlen(content); from < n; from += k + 1) {
        k = strcspn(content + from, "\n|");
        put_pattern(t, content + from, k);
    }
    put(t, "|\"", 2); // not empty, even if there are comments only
    free(content);
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

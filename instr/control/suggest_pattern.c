#include "instr/control/suggest_pattern.h"

#include "instr/match.h"
#include "instr/options.h"
#include "instr/passes/watch/suggest.h"
#include "instr/vm/loaded_classes.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { NAME_SIZE = 512 }; // longer names are not compared

// A pattern that may have been meant.
struct candidate {
    char text[NAME_SIZE];
    struct instr_match *match; // in lower case
};

static void to_lower(char *text) {
    for (; *text; text++) *text = (char)tolower((unsigned char)*text);
}

static bool open_candidate(struct candidate *c) {
    char lower[NAME_SIZE], reason[INSTR_ERROR_SIZE];
    strcpy(lower, c->text);
    to_lower(lower);
    c->match = instr_match_new();
    return c->match && instr_match_add(c->match, lower, reason, sizeof reason) == 0;
}

// Writes the candidate with the letters that the name, with dots, has before the first wildcard.
static void write_as(const struct candidate *c, const char *name, char *text, size_t size) {
    size_t same = strcspn(c->text, "*");
    snprintf(text, size, "%.*s%s", (int)same, name, c->text + same);
}

// Does the class of this signature, Lcom/acme/Foo;, match?
static bool matches(const struct candidate *c, const char *signature, char *text, size_t size) {
    char name[NAME_SIZE], lower[NAME_SIZE];
    size_t length = strlen(signature);
    if (*signature != 'L' || length >= NAME_SIZE) return false;
    length -= 2;
    memcpy(name, signature + 1, length);
    name[length] = '\0';
    strcpy(lower, name);
    to_lower(lower);
    if (!instr_match(c->match, lower, length)) return false;
    for (char *at = name; *at; at++)
        if (*at == '/') *at = '.';
    write_as(c, name, text, size);
    return true;
}

// Finds a loaded class that the candidate matches, whatever the case of its letters.
static bool try(jvmtiEnv *jvmti, const struct instr_loaded_classes *loaded, struct candidate *c,
                char *text, size_t size) {
    bool found = false;
    if (open_candidate(c))
        for (jint i = 0; i < loaded->count && !found; i++) {
            char *signature = NULL;
            if ((*jvmti)->GetClassSignature(jvmti, loaded->all[i], &signature, NULL) !=
                JVMTI_ERROR_NONE)
                continue;
            found = matches(c, signature, text, size);
            (*jvmti)->Deallocate(jvmti, (unsigned char *)signature);
        }
    instr_match_free(c->match);
    return found;
}

// Up to the method, or the whole.
static size_t class_length(const char *pattern) {
    return strcspn(pattern, "#(");
}

void instr_suggest_pattern(jvmtiEnv *jvmti, JNIEnv *jni, const char *pattern, char *text,
                           size_t size) {
    struct instr_loaded_classes loaded;
    struct candidate c;
    *text = '\0';
    if (strlen(pattern) + sizeof ".**" > NAME_SIZE) return;
    if (!instr_loaded_classes_open(jvmti, jni, &loaded)) return;
    bool has_star = strchr(pattern, '*') != NULL;
    snprintf(c.text, sizeof c.text, "%.*s", (int)class_length(pattern), pattern);
    bool found = try(jvmti, &loaded, &c, text, size);
    if (!found && !has_star) {
        strcat(c.text, ".**");
        found = try(jvmti, &loaded, &c, text, size);
    }
    if (!found) instr_watch_suggest_class(jvmti, jni, pattern, text, size);
    const char *dot = strrchr(pattern, '.');
    if (!found && !*text && !has_star && dot) {
        snprintf(c.text, sizeof c.text, "%.*s", (int)(dot - pattern), pattern);
        try(jvmti, &loaded, &c, text, size);
    }
    instr_loaded_classes_close(&loaded);
}

// Code for tests, as text: "aload_0 invokespecial:init L1: iinc:1:-1 goto:L1 return". Operands are
// numbers, labels, or names of constants (enum below). The switches are written with their default
// and one case: "tableswitch:L1:5:L2".

#ifndef TESTS_ASSEMBLER_H
#define TESTS_ASSEMBLER_H

#include "tests/unit/build.h"

#include <stdio.h>

struct assembler_name {
    const char *name;
    unsigned index;
};

struct assembler {
    const struct assembler_name *names; // ends with name == NULL
    struct build_bytes code;
    struct {
        char name[8];
        unsigned pc;
    } labels[20];
    unsigned labels_count;
    int pass; // 0: finds the labels, 1: writes
};

static inline long assembler_value(const struct assembler *a, const char *text) {
    char *end;
    long value = strtol(text, &end, 0);
    if (end != text && !*end) return value;
    for (unsigned i = 0; i < a->labels_count; i++)
        if (strcmp(a->labels[i].name, text) == 0) return a->labels[i].pc;
    for (const struct assembler_name *n = a->names; n->name; n++)
        if (strcmp(n->name, text) == 0) return n->index;
    if (a->pass == 0) return 0;
    fprintf(stderr, "assembler: unknown '%s'\n", text);
    abort();
}

static inline void assembler_put(struct assembler *a, long value, unsigned size) {
    build_append_number(&a->code, (uint64_t)value, size);
}

static inline void assembler_switch(struct assembler *a, unsigned op, char **parts) {
    long pc = (long)a->code.length - 1;
    while (a->code.length % 4) assembler_put(a, 0, 1);
    assembler_put(a, assembler_value(a, parts[0]) - pc, 4);
    if (op == CF_OP_lookupswitch) assembler_put(a, 1, 4);
    assembler_put(a, assembler_value(a, parts[1]), 4);
    if (op == CF_OP_tableswitch) assembler_put(a, assembler_value(a, parts[1]), 4);
    assembler_put(a, assembler_value(a, parts[2]) - pc, 4);
}

static inline void assembler_operands(struct assembler *a, unsigned op, char **parts, int wide) {
    long pc = (long)a->code.length - 1;
    unsigned size = wide ? 2 : 1;
    switch (cf_opcodes[op].operands) {
    case CF_NONE:
    case CF_WIDE: break;
    case CF_S1:
    case CF_CP1:
    case CF_ATYPE: assembler_put(a, assembler_value(a, parts[0]), 1); break;
    case CF_LOCAL: assembler_put(a, assembler_value(a, parts[0]), size); break;
    case CF_IINC:
        assembler_put(a, assembler_value(a, parts[0]), size);
        assembler_put(a, assembler_value(a, parts[1]), size);
        break;
    case CF_BRANCH2: assembler_put(a, assembler_value(a, parts[0]) - pc, 2); break;
    case CF_BRANCH4: assembler_put(a, assembler_value(a, parts[0]) - pc, 4); break;
    case CF_TABLESWITCH:
    case CF_LOOKUPSWITCH: assembler_switch(a, op, parts); break;
    case CF_MULTIANEWARRAY:
        assembler_put(a, assembler_value(a, parts[0]), 2);
        assembler_put(a, assembler_value(a, parts[1]), 1);
        break;
    case CF_INVOKEINTERFACE:
        assembler_put(a, assembler_value(a, parts[0]), 2);
        assembler_put(a, assembler_value(a, parts[1]), 1);
        assembler_put(a, 0, 1);
        break;
    case CF_INVOKEDYNAMIC:
        assembler_put(a, assembler_value(a, parts[0]), 2);
        assembler_put(a, 0, 2);
        break;
    default: assembler_put(a, assembler_value(a, parts[0]), 2);
    }
}

// One word of the text. Returns 1 when it is `wide`.
static inline int assembler_word(struct assembler *a, char *word, int wide) {
    char *parts[5] = {word, "0", "0", "0", "0"};
    size_t n = strlen(word);
    if (word[n - 1] == ':') {
        word[n - 1] = '\0';
        if (a->pass == 0) {
            strcpy(a->labels[a->labels_count].name, word);
            a->labels[a->labels_count++].pc = (unsigned)a->code.length;
        }
        return 0;
    }
    for (int i = 1; i < 5; i++) {
        char *colon = strchr(parts[i - 1], ':');
        if (!colon) break;
        *colon = '\0';
        parts[i] = colon + 1;
    }
    unsigned op = 0;
    while (op < CF_OPCODE_COUNT && strcmp(cf_opcodes[op].name, parts[0]) != 0) op++;
    if (op == CF_OPCODE_COUNT) {
        assembler_put(a, assembler_value(a, parts[0]), 1); // a byte as it is
        return 0;
    }
    assembler_put(a, op, 1);
    assembler_operands(a, op, parts + 1, wide);
    return op == CF_OP_wide;
}

// The bytes are the caller's to free.
static inline struct build_bytes assemble(struct assembler *a, const char *text) {
    for (a->pass = 0; a->pass < 2; a->pass++) {
        char copy[2000], *rest = copy;
        int wide = 0;
        a->code.length = 0;
        if (a->pass == 0) a->labels_count = 0;
        snprintf(copy, sizeof copy, "%s", text);
        for (char *word = strtok_r(copy, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
            wide = assembler_word(a, word, wide);
    }
    struct build_bytes code = a->code;
    memset(&a->code, 0, sizeof a->code);
    return code;
}

#endif

// Prints what a kit says, and writes its classes as they are defined for one package:
//
//      kit_dump KIT PACKAGE OUT
//
// PACKAGE is "" or "com/acme/". OUT/boot gets the classes of the bootstrap loader, OUT/own the others.

#include "instr/kit/template.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

static const char *package, *out;

static void *allocate(void *context, size_t size) {
    (void)context;
    return malloc(size);
}

static void write_class(const char *folder, const char *name, const uint8_t *bytes, size_t length) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s/%s.class", out, folder, name);
    for (char *slash = path + strlen(out); (slash = strchr(slash + 1, '/'));) {
        *slash = '\0';
        mkdir(path, 0777);
        *slash = '/';
    }
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(bytes, 1, length, file) != length || fclose(file) != 0) {
        perror(path);
        exit(1);
    }
}

static void dump_class(const struct instr_kit_class *c) {
    char name[2048];
    uint8_t *bytes;
    size_t length;
    instr_kit_expand(c->name, package, name, sizeof name);
    if (!instr_kit_class_bytes(c, package, allocate, NULL, &bytes, &length)) exit(1);
    printf("class %s = %s%s\n", c->original, name, c->boot ? " (boot)" : "");
    write_class(c->boot ? "boot" : "own", name, bytes, length);
    free(bytes);
}

static void print_text(const char *label, const char *template_text) {
    char text[2048];
    instr_kit_expand(template_text, package, text, sizeof text);
    printf("%s%s", label, text);
}

static void dump_method(const struct instr_kit_method *m) {
    static const char *const roles[] = {"enter",  "constructed", "returned",
                                        "thrown", "exit",        "instead"};
    static const char *const values[] = {"argument", "this",    "field",  "method",
                                         "all",      "entered", "result", "thrown"};
    printf("  %s %s:%u", roles[m->role], m->source.file, m->source.line);
    print_text(" ", m->name);
    print_text("", m->descriptor);
    if (m->skips) printf(" skips");
    printf("\n");
    for (size_t i = 0; i < m->parameter_count; i++) {
        const struct instr_kit_parameter *p = &m->parameters[i];
        printf("    %s", values[p->value]);
        if (p->value == INSTR_KIT_ARGUMENT) printf(" %u", p->index);
        if (p->value == INSTR_KIT_FIELD) printf(" %s", p->field);
        print_text(" ", p->type);
        if (p->held) print_text(" held ", p->held);
        printf("\n");
    }
}

static void dump_advice(const struct instr_kit_advice *a) {
    printf("advice %s:%s%s%s\n", a->name, a->calls ? " calls" : "",
           a->outermost ? " outermost" : "", a->required ? " required" : "");
    for (size_t i = 0; i < a->target_count; i++)
        printf("  target %s%s\n", a->targets[i].text,
               a->targets[i].subtypes ? " and subtypes" : "");
    if (a->annotated) printf("  annotated %s\n", instr_match_text(a->annotated));
    if (a->annotated_class) printf("  annotated class %s\n", instr_match_text(a->annotated_class));
    if (a->loader) printf("  loader %s\n", instr_match_text(a->loader));
    if (a->callers) printf("  callers %s\n", instr_match_text(a->callers));
    for (size_t i = 0; i < a->rethrow_count; i++) {
        print_text("  rethrow ", a->rethrow[i]);
        printf("\n");
    }
    for (unsigned r = 0; r < INSTR_KIT_ROLES; r++)
        if (a->methods[r]) dump_method(a->methods[r]);
    for (size_t i = 0; i < a->class_count; i++) {
        print_text("  needs ", a->classes[i]->name);
        printf("\n");
    }
}

int main(int argc, char **argv) {
    char text[1000];
    struct instr_kit *kit = argc == 4 ? instr_kit_open(argv[1]) : NULL;
    if (!kit || !kit->usable) {
        printf("%s\n",
               kit ? instr_kit_error(kit, text, sizeof text) : "usage: kit_dump KIT PACKAGE OUT");
        return 1;
    }
    package = argv[2];
    out = argv[3];
    mkdir(out, 0777);
    printf("kit %s %s\n", kit->name, kit->marker);
    for (size_t i = 0; i < kit->advice_count; i++) dump_advice(&kit->advices[i]);
    for (size_t i = 0; i < kit->class_count; i++) dump_class(&kit->classes[i]);
    for (const struct instr_kit_runtime_class *c = instr_kit_runtime_classes; c->name; c++)
        write_class("boot", c->name, c->bytes, c->length);
    instr_kit_free(kit);
    return 0;
}

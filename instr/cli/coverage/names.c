#include "instr/cli/coverage/names.h"

#include "instr/report/text.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A string that is being written; `open` fails without memory.
struct text {
    FILE *out;
    char *chars;
    size_t length;
};

static int begin(struct text *text) {
    *text = (struct text){NULL, NULL, 0};
    text->out = open_memstream(&text->chars, &text->length);
    return text->out ? 0 : -1;
}

static char *end(struct text *text) {
    if (fclose(text->out) == 0) return text->chars;
    free(text->chars);
    return NULL;
}

static void put_name(FILE *out, const char *name, size_t length) {
    for (size_t i = 0; i < length; i++)
        fputc(name[i] == '/' || name[i] == '$' ? '.' : name[i], out);
}

char *cover_package_name(const struct cover_package *package) {
    char *name = strdup(package->name[0] ? package->name : "default");
    for (char *c = name; c && *c; c++)
        if (*c == '/') *c = '.';
    return name;
}

char *cover_class_name(const struct cover_class *class) {
    struct text text;
    if (begin(&text) != 0) return NULL;
    put_name(text.out, class->name, strlen(class->name));
    return end(&text);
}

char *cover_source_name(const struct cover_source *source) {
    struct text text;
    if (begin(&text) != 0) return NULL;
    fprintf(text.out, "%s/%s", source->package->name, source->name);
    return end(&text);
}

// Compilers number anonymous classes: no identifier begins with a digit.
static int is_anonymous(const char *name) {
    const char *last = strrchr(name, '$');
    return last && isdigit((unsigned char)last[1]);
}

// Writes a field descriptor; returns what is behind it.
static const char *put_type(FILE *out, const char *type) {
    size_t dimensions = strspn(type, "[");
    type += dimensions;
    if (*type == 'L') {
        size_t length = strcspn(type, ";");
        put_name(out, type + 1, length - 1);
        type += length + (type[length] == ';');
    } else if (*type) {
        const char *primitive = instr_report_primitive(*type++);
        fputs(primitive ? primitive : "?", out);
    }
    while (dimensions-- > 0) fputs("[]", out);
    return type;
}

static void put_parameters(FILE *out, const char *descriptor) {
    const char *at = descriptor[0] == '(' ? descriptor + 1 : "";
    fputc('(', out);
    while (*at && *at != ')') {
        at = put_type(out, at);
        if (*at && *at != ')') fputs(", ", out);
    }
    fputc(')', out);
}

char *cover_method_name(const struct cover_class *class, const struct cover_method *method) {
    struct text text;
    int constructor = strcmp(method->name, "<init>") == 0;
    if (begin(&text) != 0) return NULL;
    put_name(text.out, class->name, strlen(class->name));
    fputc('.', text.out);
    if (strcmp(method->name, "<clinit>") == 0) {
        fputs("static {...}", text.out);
    } else if (constructor && is_anonymous(class->name)) {
        fputs("{...}", text.out);
    } else {
        const char *slash = strrchr(class->name, '/');
        const char *simple = slash ? slash + 1 : class->name;
        if (constructor)
            put_name(text.out, simple, strlen(simple));
        else
            fputs(method->name, text.out);
        put_parameters(text.out, method->descriptor);
    }
    return end(&text);
}

#include "instr/vm/hotspot_structs.h"

#include <dlfcn.h>
#include <string.h>

// Opens libjvm.so, which is found by a function of the JVM's function table. The JVM keeps it loaded.
static void *open_jvm(JavaVM *vm) {
    Dl_info info;
    void *function;
    memcpy(&function, &(*vm)->DestroyJavaVM, sizeof function);
    if (!dladdr(function, &info) || !info.dli_fname) return NULL;
    return dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
}

// The word that the JVM exports under this name; 0: there is none.
static uint64_t exported(void *jvm, const char *name) {
    uint64_t value = 0;
    const void *at = dlsym(jvm, name);
    if (at) memcpy(&value, at, sizeof value);
    return value;
}

// A table that the JVM exports: entries of `stride` bytes each; the last has no type.
struct table {
    const char *entries;
    uint64_t stride, type;
};

static struct table open_table(void *jvm, const char *name, const char *stride, const char *type) {
    struct table t = {.stride = exported(jvm, stride), .type = exported(jvm, type)};
    uint64_t entries = exported(jvm, name);
    if (t.stride) memcpy(&t.entries, &entries, sizeof t.entries);
    return t;
}

static const char *text_at(const char *entry, uint64_t offset) {
    const char *text;
    memcpy(&text, entry + offset, sizeof text);
    return text;
}

static uint64_t word_at(const char *entry, uint64_t offset) {
    uint64_t word;
    memcpy(&word, entry + offset, sizeof word);
    return word;
}

void instr_hotspot_each_field(JavaVM *vm,
                              void (*each)(void *context, const struct instr_hotspot_field *field),
                              void *context) {
    void *jvm = open_jvm(vm);
    if (!jvm) return;
    struct table t = open_table(jvm, "gHotSpotVMStructs", "gHotSpotVMStructEntryArrayStride",
                                "gHotSpotVMStructEntryTypeNameOffset");
    uint64_t name = exported(jvm, "gHotSpotVMStructEntryFieldNameOffset");
    uint64_t offset = exported(jvm, "gHotSpotVMStructEntryOffsetOffset");
    uint64_t address = exported(jvm, "gHotSpotVMStructEntryAddressOffset");
    for (const char *e = t.entries; e && name && offset && address; e += t.stride) {
        const struct instr_hotspot_field field = {text_at(e, t.type), text_at(e, name),
                                                  word_at(e, offset), text_at(e, address)};
        if (!field.type || !field.name) break;
        each(context, &field);
    }
    dlclose(jvm);
}

uint64_t instr_hotspot_size(JavaVM *vm, const char *type) {
    void *jvm = open_jvm(vm);
    if (!jvm) return 0;
    struct table t = open_table(jvm, "gHotSpotVMTypes", "gHotSpotVMTypeEntryArrayStride",
                                "gHotSpotVMTypeEntryTypeNameOffset");
    uint64_t size = exported(jvm, "gHotSpotVMTypeEntrySizeOffset"), found = 0;
    for (const char *e = t.entries; e && size; e += t.stride) {
        const char *name = text_at(e, t.type);
        if (!name) break;
        if (strcmp(name, type) == 0) found = word_at(e, size);
    }
    dlclose(jvm);
    return found;
}

// Classes that have some of everything: all constants, all attributes, all forms of frames,
// annotations with all kinds of values, and an unknown attribute.

#ifndef TESTS_RICH_H
#define TESTS_RICH_H

#include "tests/unit/build.h"

// --- annotations ---

// @t/An with one element of each kind, an array and an annotation among them.
static inline void rich_annotation(struct build *b) {
    static const char kinds[] = "BCISZ";
    unsigned integer = build_constant(b, CF_TAG_INTEGER, 1, 4), name = build_utf8(b, "x");
    unsigned type = build_utf8(b, "Lt/An;"), text = build_utf8(b, "a\"b\n");
    build_u2(b, type);
    build_u2(b, 13);
    for (const char *k = kinds; *k; k++) {
        build_u2(b, name);
        build_u1(b, (uint8_t)*k);
        build_u2(b, integer);
    }
    static const struct {
        char kind;
        uint8_t tag, size;
    } others[] = {{'D', CF_TAG_DOUBLE, 8}, {'F', CF_TAG_FLOAT, 4}, {'J', CF_TAG_LONG, 8}};
    for (unsigned i = 0; i < 3; i++) {
        build_u2(b, name);
        build_u1(b, (uint8_t)others[i].kind);
        build_u2(b, build_constant(b, others[i].tag, 7, others[i].size));
    }
    build_u2(b, name), build_u1(b, 's'), build_u2(b, text);
    build_u2(b, name), build_u1(b, 'c'), build_u2(b, build_utf8(b, "V"));
    build_u2(b, name), build_u1(b, 'e'), build_u2(b, type), build_u2(b, text);
    build_u2(b, name), build_u1(b, '@'), build_u2(b, type), build_u2(b, 0);
    build_u2(b, name), build_u1(b, '['), build_u2(b, 2);
    build_u1(b, 's'), build_u2(b, text), build_u1(b, '['), build_u2(b, 0);
}

static inline void rich_annotations(struct build *b, const char *name) {
    size_t place = build_attribute(b, name);
    build_u2(b, 1);
    rich_annotation(b);
    build_end(b, place);
}

// One type annotation with the given target_type and target_info, and a path of two steps.
static inline void rich_type_annotation(struct build *b, unsigned type, const void *info,
                                        size_t length) {
    build_u1(b, type);
    build_some(b, info, length);
    build_some(b, "\x02\x00\x00\x03\x01", 5);
    build_u2(b, build_utf8(b, "Lt/An;"));
    build_u2(b, 0);
}

// --- code ---

// static int f(int, long, Object): every kind of operand, in code that holds together.
static inline void rich_instructions(struct build *b, struct build_bytes *code) {
#define CODE(...)                                                                                  \
    build_append(code, (const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}))
#define CODE2(op, index) CODE(op, (uint8_t)((index) >> 8), (uint8_t)(index))
    unsigned object = build_class(b, "java/lang/Object"), array = build_class(b, "[[I");
    unsigned field = build_reference(b, CF_TAG_FIELDREF, "t/Rich", "i", "I");
    unsigned special = build_reference(b, CF_TAG_METHODREF, "java/lang/Object", "<init>", "()V");
    unsigned interface = build_reference(b, CF_TAG_INTERFACE_METHODREF, "t/I", "g", "(J)V");
    unsigned indy = build_dynamic(b, CF_TAG_INVOKE_DYNAMIC, 0, "call", "()V");
    unsigned condy = build_dynamic(b, CF_TAG_DYNAMIC, 0, "value", "I");
    unsigned wide_constant = build_constant(b, CF_TAG_LONG, 1u << 20, 8);
    CODE2(CF_OP_new, object);                                                         // 0
    CODE(CF_OP_dup);                                                                  // 3
    CODE2(CF_OP_invokespecial, special);                                              // 4
    CODE(CF_OP_iload_0, CF_OP_ifeq, 0, 4, CF_OP_nop);                                 // 7 8 11
    CODE2(CF_OP_getstatic, field);                                                    // 12
    CODE(CF_OP_pop);                                                                  // 15
    CODE2(CF_OP_ldc_w, condy);                                                        // 16
    CODE(CF_OP_pop);                                                                  // 19
    CODE2(CF_OP_ldc2_w, wide_constant);                                               // 20
    CODE(CF_OP_lstore, 4);                                                            // 23
    CODE(CF_OP_aload_3, CF_OP_lload, 4);                                              // 25 26
    CODE(CF_OP_invokeinterface, (uint8_t)(interface >> 8), (uint8_t)interface, 3, 0); // 28
    CODE(CF_OP_invokedynamic, (uint8_t)(indy >> 8), (uint8_t)indy, 0, 0);             // 33
    CODE(CF_OP_iconst_1, CF_OP_iconst_2, CF_OP_multianewarray, (uint8_t)(array >> 8),
         (uint8_t)array,
         2);                                                                      // 38 39 40
    CODE(CF_OP_pop, CF_OP_iconst_1, CF_OP_newarray, 10, CF_OP_pop);               // 44 45 46 48
    CODE(CF_OP_wide, CF_OP_iinc, 0, 0, 0xFF, 0x38);                               // 49
    CODE(CF_OP_bipush, 0xFF, CF_OP_sipush, 0xFF, 0, CF_OP_pop2);                  // 55 57 60
    CODE(CF_OP_iload_0);                                                          // 61
    CODE(CF_OP_tableswitch, 0, 0, 0, 0, 26, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 18); // 62, padded by 1
    CODE(CF_OP_iload_0, CF_OP_wide, CF_OP_lload, 0, 4, CF_OP_pop2);               // 80 81 85
    CODE(CF_OP_ireturn);                                                          // 86
    CODE(CF_OP_nop);                                                              // 87
    CODE(CF_OP_iload_0);                                                          // 88
    CODE(CF_OP_lookupswitch, 0, 0, 0, 0, 0, 19, 0, 0, 0, 1, 0xFF, 0xFF, 0xFF, 0xFB, 0, 0, 0,
         19);                            // 89
    CODE(CF_OP_iconst_0, CF_OP_ireturn); // 108 109
#undef CODE
#undef CODE2
}

static inline void rich_frames(struct build *b) {
    size_t place = build_attribute(b, "StackMapTable");
    unsigned object = build_class(b, "java/lang/Object");
    build_u2(b, 7);
    build_some(b, "\xFC\x00\x0C\x04", 4);             // append at 12: a long
    build_some(b, "\x43\x05", 2);                     // same_locals_1_stack_item at 16: null
    build_some(b, "\xF7\x00\x2C\x08\x00\x00", 6);     // ... extended at 61: uninitialized at 0
    build_some(b, "\xFA\x00\x12", 3);                 // chop at 80
    build_some(b, "\x07", 1);                         // same at 88
    build_some(b, "\xFF\x00\x12\x00\x02\x00\x07", 7); // full at 107... patched below
    build_u2(b, object);
    build_some(b, "\x00\x01\x02", 3); // stack: float
    build_some(b, "\xFB\x00\x00", 3); // same_frame_extended
    build_end(b, place);
    // The full frame stands at 108, the last at 109.
    uint8_t *full = b->body.bytes + place + 2 + 4 + 2 + 6 + 3 + 1;
    cf_put2(full + 1, 19);
}

static inline void rich_code_tables(struct build *b) {
    size_t place = build_attribute(b, "LineNumberTable");
    build_some(b, "\x00\x02\x00\x00\x00\x0A\x00\x6C\x00\x0B", 10);
    build_end(b, place);
    place = build_attribute(b, "LocalVariableTable");
    unsigned name = build_utf8(b, "local");
    build_u2(b, 2), build_u2(b, 25), build_u2(b, 63), build_u2(b, name);
    build_u2(b, build_utf8(b, "J")), build_u2(b, 4);
    build_u2(b, 0), build_u2(b, 110), build_u2(b, name);
    build_u2(b, build_utf8(b, "Ljava/lang/Object;")), build_u2(b, 3);
    build_end(b, place);
    place = build_attribute(b, "LocalVariableTypeTable");
    build_u2(b, 1), build_u2(b, 0), build_u2(b, 110), build_u2(b, name);
    build_u2(b, build_utf8(b, "TT;")), build_u2(b, 3);
    build_end(b, place);
    place = build_attribute(b, "CharacterRangeTable");
    build_u2(b, 1), build_u2(b, 0), build_u2(b, 109), build_u4(b, 0x1004), build_u4(b, 0x1008);
    build_u2(b, 1);
    build_end(b, place);
    place = build_attribute(b, "RuntimeVisibleTypeAnnotations");
    build_u2(b, 5);
    rich_type_annotation(b, 0x40, "\x00\x02\x00\x19\x00\x3F\x00\x04\x00\x58\x00\x00\x00\x04", 14);
    rich_type_annotation(b, 0x42, "\x00\x00", 2);
    rich_type_annotation(b, 0x44, "\x00\x00", 2);
    rich_type_annotation(b, 0x45, "\x00\x21", 2);
    rich_type_annotation(b, 0x47, "\x00\x04\x00", 3);
    build_end(b, place);
}

static inline void rich_method(struct build *b) {
    struct build_bytes code = {NULL, 0, 0};
    rich_instructions(b, &code);
    build_member(b, CF_ACC_PUBLIC | CF_ACC_STATIC, "f", "(IJLjava/lang/Object;)I", 3);
    size_t place = build_code(b, 6, 6, code.bytes, code.length);
    free(code.bytes);
    build_u2(b, 2);
    build_u2(b, 0), build_u2(b, 12), build_u2(b, 108),
        build_u2(b, build_class(b, "java/lang/Error"));
    build_u2(b, 12), build_u2(b, 110), build_u2(b, 108), build_u2(b, 0);
    build_u2(b, 6);
    rich_frames(b);
    rich_code_tables(b);
    build_end(b, place);
    place = build_attribute(b, "Exceptions");
    build_u2(b, 1), build_u2(b, build_class(b, "java/lang/Exception"));
    build_end(b, place);
    place = build_attribute(b, "MethodParameters");
    build_u1(b, 3), build_u2(b, build_utf8(b, "i")), build_u2(b, 0x8010), build_u4(b, 0),
        build_u4(b, 0);
    build_end(b, place);
}

static inline void rich_abstract_method(struct build *b) {
    build_member(b, CF_ACC_PUBLIC | CF_ACC_ABSTRACT, "g", "([I)[J", 8);
    rich_annotations(b, "RuntimeVisibleAnnotations");
    rich_annotations(b, "RuntimeInvisibleAnnotations");
    static const char *const names[] = {"RuntimeVisibleParameterAnnotations",
                                        "RuntimeInvisibleParameterAnnotations"};
    for (unsigned i = 0; i < 2; i++) {
        size_t place = build_attribute(b, names[i]);
        build_u1(b, 1), build_u2(b, 1);
        rich_annotation(b);
        build_end(b, place);
    }
    size_t place = build_attribute(b, "AnnotationDefault");
    build_u1(b, '@');
    rich_annotation(b);
    build_end(b, place);
    place = build_attribute(b, "RuntimeInvisibleTypeAnnotations");
    build_u2(b, 6);
    rich_type_annotation(b, 0x01, "\x00", 1);
    rich_type_annotation(b, 0x12, "\x00\x01", 2);
    rich_type_annotation(b, 0x14, "", 0);
    rich_type_annotation(b, 0x15, "", 0);
    rich_type_annotation(b, 0x16, "\x00", 1);
    rich_type_annotation(b, 0x17, "\x00\x00", 2);
    build_end(b, place);
    build_end(b, build_attribute(b, "Synthetic"));
    build_end(b, build_attribute(b, "Deprecated"));
}

// --- the class ---

static inline void rich_field(struct build *b, const char *descriptor, unsigned value) {
    char name[2] = {(char)(descriptor[0] | 0x20), 0};
    build_member(b, CF_ACC_STATIC | CF_ACC_FINAL, name, descriptor, 1);
    size_t place = build_attribute(b, "ConstantValue");
    build_u2(b, value);
    build_end(b, place);
}

static inline void rich_fields(struct build *b) {
    build_u2(b, 5);
    rich_field(b, "I", build_constant(b, CF_TAG_INTEGER, 0xFFFFFFFFu, 4));
    rich_field(b, "F", build_constant(b, CF_TAG_FLOAT, 0x3F8CCCCDu, 4)); // 1.1f
    rich_field(b, "J", build_constant(b, CF_TAG_LONG, UINT64_C(1) << 40, 8));
    rich_field(b, "D", build_constant(b, CF_TAG_DOUBLE, UINT64_C(0x7FF8000000000000), 8));
    rich_field(b, "Ljava/lang/String;", build_named(b, CF_TAG_STRING, "text"));
}

static inline void rich_one_index(struct build *b, const char *name, unsigned index) {
    size_t place = build_attribute(b, name);
    build_u2(b, index);
    build_end(b, place);
}

static inline void rich_list(struct build *b, const char *name, unsigned index) {
    size_t place = build_attribute(b, name);
    build_u2(b, 1), build_u2(b, index);
    build_end(b, place);
}

static inline void rich_bootstrap_methods(struct build *b) {
    static const char descriptor[] =
        "(Ljava/lang/invoke/MethodHandles$Lookup;Ljava/lang/String;Ljava/lang/invoke/MethodType;)"
        "Ljava/lang/invoke/CallSite;";
    unsigned method = build_reference(b, CF_TAG_METHODREF, "t/Rich", "boot", descriptor);
    unsigned handle = build_method_handle(b, 6, method);
    size_t place = build_attribute(b, "BootstrapMethods");
    build_u2(b, 1), build_u2(b, handle), build_u2(b, 3);
    build_u2(b, build_named(b, CF_TAG_STRING, "argument"));
    build_u2(b, build_named(b, CF_TAG_METHOD_TYPE, "(II)V"));
    build_u2(b, handle);
    build_end(b, place);
}

static inline void rich_class_attributes(struct build *b) {
    unsigned some = build_class(b, "t/Some"), text = build_utf8(b, "text");
    build_u2(b, 20);
    rich_one_index(b, "SourceFile", build_utf8(b, "Rich.java"));
    size_t place = build_attribute(b, "InnerClasses");
    build_u2(b, 2), build_u2(b, some), build_u2(b, 0), build_u2(b, 0), build_u2(b, 0);
    build_u2(b, some), build_u2(b, 2), build_u2(b, text), build_u2(b, 0x0609);
    build_end(b, place);
    place = build_attribute(b, "EnclosingMethod");
    build_u2(b, some), build_u2(b, build_name_and_type(b, "m", "()V"));
    build_end(b, place);
    build_end(b, build_attribute(b, "Synthetic"));
    build_end(b, build_attribute(b, "Deprecated"));
    rich_one_index(b, "Signature", build_utf8(b, "<T:Ljava/lang/Object;>Ljava/lang/Object;"));
    place = build_attribute(b, "SourceDebugExtension");
    build_some(b, "SMAP\nx\x1b[31m\n", 12);
    build_end(b, place);
    rich_one_index(b, "SourceID", text);
    rich_one_index(b, "CompilationID", text);
    rich_annotations(b, "RuntimeVisibleAnnotations");
    place = build_attribute(b, "RuntimeVisibleTypeAnnotations");
    build_u2(b, 3);
    rich_type_annotation(b, 0x00, "\x00", 1);
    rich_type_annotation(b, 0x10, "\xFF\xFF", 2);
    rich_type_annotation(b, 0x11, "\x00\x00", 2);
    build_end(b, place);
    rich_bootstrap_methods(b);
    rich_one_index(b, "NestHost", some);
    rich_list(b, "NestMembers", some);
    rich_list(b, "PermittedSubclasses", some);
    rich_list(b, "Preload", some);
    rich_list(b, "LoadableDescriptors", build_utf8(b, "Lt/Some;"));
    place = build_attribute(b, "Record");
    build_u2(b, 1), build_u2(b, text), build_u2(b, build_utf8(b, "I")), build_u2(b, 1);
    rich_one_index(b, "Signature", build_utf8(b, "TT;"));
    build_end(b, place);
    place = build_attribute(b, "com.acme.Odd");
    build_some(b, "\xDE\xAD\xBE\xEF", 4);
    build_end(b, place);
    rich_annotations(b, "RuntimeInvisibleAnnotations");
}

// All but modules and frame type 246.
static inline uint8_t *rich_class(size_t *length) {
    struct build b;
    build_class_file(&b, 69, CF_ACC_PUBLIC | CF_ACC_SYNCHRONIZED | CF_ACC_ABSTRACT, "t/Rich");
    rich_fields(&b);
    build_u2(&b, 2);
    rich_method(&b);
    rich_abstract_method(&b);
    rich_class_attributes(&b);
    return build_finish(&b, length);
}

// A module-info with every list filled, and the attributes of the JDK's own modules.
static inline uint8_t *rich_module(size_t *length) {
    struct build b;
    build_class_file(&b, 69, CF_ACC_MODULE, "module-info");
    cf_put2(b.body.bytes + 4, 0); // no super class
    unsigned module = build_named(&b, CF_TAG_MODULE, "acme"), version = build_utf8(&b, "1.0");
    unsigned package = build_named(&b, CF_TAG_PACKAGE, "com/acme"),
             some = build_class(&b, "t/Some");
    build_u2(&b, 0), build_u2(&b, 0), build_u2(&b, 6);
    size_t place = build_attribute(&b, "Module");
    build_u2(&b, module), build_u2(&b, 0x0020), build_u2(&b, version);
    build_u2(&b, 1), build_u2(&b, module), build_u2(&b, 0x8000), build_u2(&b, 0);
    for (int i = 0; i < 2; i++) { // exports, opens
        build_u2(&b, 1), build_u2(&b, package), build_u2(&b, 0), build_u2(&b, 1);
        build_u2(&b, module);
    }
    build_u2(&b, 1), build_u2(&b, some);
    build_u2(&b, 1), build_u2(&b, some), build_u2(&b, 1), build_u2(&b, some);
    build_end(&b, place);
    rich_list(&b, "ModulePackages", package);
    rich_one_index(&b, "ModuleMainClass", some);
    rich_one_index(&b, "ModuleTarget", version);
    rich_one_index(&b, "ModuleResolution", 1);
    place = build_attribute(&b, "ModuleHashes");
    build_u2(&b, build_utf8(&b, "SHA-256")), build_u2(&b, 1), build_u2(&b, module);
    build_some(&b, "\x00\x02\xAB\xCD", 4);
    build_end(&b, place);
    return build_finish(&b, length);
}

// A value class whose constructor branches before super(): a frame of type 246 lists the field not
// set yet.
static inline uint8_t *rich_value_class(size_t *length) {
    static const uint8_t code[] = {CF_OP_iload_1, CF_OP_ifeq,    0,          4,           CF_OP_nop,
                                   CF_OP_aload_0, CF_OP_iload_1, CF_OP_pop2, CF_OP_return};
    struct build b;
    build_class_file(&b, 72, CF_ACC_FINAL, "t/Value");
    b.minor_version = 65535;
    build_u2(&b, 1);
    build_member(&b, CF_ACC_STRICT | CF_ACC_FINAL, "x", "I", 0);
    build_u2(&b, 1);
    build_member(&b, 0, "<init>", "(I)V", 1);
    size_t place = build_code(&b, 2, 2, code, sizeof code);
    build_u2(&b, 0), build_u2(&b, 1);
    size_t table = build_attribute(&b, "StackMapTable");
    build_u2(&b, 1);
    build_u1(&b, 246), build_u2(&b, 1), build_u2(&b, build_name_and_type(&b, "x", "I"));
    build_some(&b, "\xFF\x00\x05\x00\x02\x06\x01\x00\x00", 9); // full: this uninitialized, int
    build_end(&b, table);
    build_end(&b, place);
    build_u2(&b, 0);
    return build_finish(&b, length);
}

#endif

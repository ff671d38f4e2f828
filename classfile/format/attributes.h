// The table of attributes (JVMS 4.7), one row each, for checking and printing:
//
//      name  since  places  form  print
//
//      since   the major version from which the attribute has its meaning; in older classes a JVM
//              ignores it. For an attribute that began as a preview, the version of that preview
//      places  C class, F field, M method, B Code (a method's body), R record component; elsewhere
//              it has no meaning. REPEATS: it may occur more than once in one place
//      form    what it consists of, a letter each:
//                  1 2        so many bytes
//                  # *        a length of two bytes and so many bytes, all bytes that are left
//                  U C M P H  the index of a Utf8, Class, Module, Package, MethodHandle
//                  u n        the index of a Utf8, of a NameAndType, or 0
//                  T L        the index of a field descriptor, of a loadable constant
//                  @ = A      an annotation, a value in one, attributes
//                  (...)      a count of two bytes, and as many times what is in between
//                  <...>      the same with a count of one byte
//              Other letters stand for what has a check of its own (structure/tables.c)
//      print   cf_print_... of print/internal.h

#ifndef CF_ATTRIBUTES_H
#define CF_ATTRIBUTES_H

enum { // where an attribute stands
    CF_IN_CLASS = 1,
    CF_IN_FIELD = 2,
    CF_IN_METHOD = 4,
    CF_IN_CODE = 8,
    CF_IN_RECORD = 16,
    CF_REPEATS = 32
};

#define CF_AT_C CF_IN_CLASS
#define CF_AT_F CF_IN_FIELD
#define CF_AT_M CF_IN_METHOD
#define CF_AT_B CF_IN_CODE
#define CF_AT_BR (CF_IN_CODE | CF_REPEATS)
#define CF_AT_CFM (CF_IN_CLASS | CF_IN_FIELD | CF_IN_METHOD)
#define CF_AT_CFMR (CF_AT_CFM | CF_IN_RECORD)
#define CF_AT_CFMBR (CF_AT_CFMR | CF_IN_CODE)
#define CF_AT_FLAG (CF_AT_CFM | CF_REPEATS)

// clang-format off
#define CF_ATTRIBUTES(ROW) \
    ROW(Code,                                 45, M,     "k",                                code) \
    ROW(ConstantValue,                        45, F,     "v",                                constant_value) \
    ROW(StackMapTable,                        50, B,     "s",                                stack_map_table) \
    ROW(LineNumberTable,                      45, BR,    "(p2)",                             line_number_table) \
    ROW(LocalVariableTable,                   45, BR,    "d",                                local_variable_table) \
    ROW(LocalVariableTypeTable,               49, BR,    "g",                                local_variable_table) \
    ROW(CharacterRangeTable,                  45, BR,    "(ex22222)",                        character_range_table) \
    ROW(Exceptions,                           45, M,     "(C)",                              exceptions) \
    ROW(InnerClasses,                         45, C,     "(i)",                              inner_classes) \
    ROW(EnclosingMethod,                      49, C,     "Cn",                               enclosing_method) \
    ROW(Synthetic,                            45, FLAG,  "",                                 nothing) \
    ROW(Deprecated,                           45, FLAG,  "",                                 nothing) \
    ROW(Signature,                            49, CFMR,  "U",                                signature) \
    ROW(SourceFile,                           45, C,     "U",                                source_file) \
    ROW(SourceDebugExtension,                 49, C,     "*",                                source_debug_extension) \
    ROW(SourceID,                             45, C,     "U",                                one_utf8) \
    ROW(CompilationID,                        45, C,     "U",                                one_utf8) \
    ROW(RuntimeVisibleAnnotations,            49, CFMR,  "(@)",                              annotations) \
    ROW(RuntimeInvisibleAnnotations,          49, CFMR,  "(@)",                              annotations) \
    ROW(RuntimeVisibleParameterAnnotations,   49, M,     "<(@)>",                            parameter_annotations) \
    ROW(RuntimeInvisibleParameterAnnotations, 49, M,     "<(@)>",                            parameter_annotations) \
    ROW(RuntimeVisibleTypeAnnotations,        52, CFMBR, "(a)",                              type_annotations) \
    ROW(RuntimeInvisibleTypeAnnotations,      52, CFMBR, "(a)",                              type_annotations) \
    ROW(AnnotationDefault,                    49, M,     "=",                                annotation_default) \
    ROW(BootstrapMethods,                     51, C,     "(H(L))",                           bootstrap_methods) \
    ROW(MethodParameters,                     52, M,     "<u2>",                             method_parameters) \
    ROW(Module,                               53, C,     "M2u(M2u)(P2(M))(P2(M))(C)(C(C))",  module) \
    ROW(ModulePackages,                       53, C,     "(P)",                              module_packages) \
    ROW(ModuleMainClass,                      53, C,     "C",                                module_main_class) \
    ROW(ModuleTarget,                         53, C,     "u",                                module_target) \
    ROW(ModuleHashes,                         53, C,     "U(M#)",                            module_hashes) \
    ROW(ModuleResolution,                     53, C,     "2",                                module_resolution) \
    ROW(NestHost,                             55, C,     "C",                                one_class) \
    ROW(NestMembers,                          55, C,     "(C)",                              class_list) \
    ROW(Record,                               58, C,     "(UTA)",                            record) \
    ROW(PermittedSubclasses,                  59, C,     "(C)",                              class_list) \
    ROW(Preload,                              62, C,     "(C)",                              class_list) \
    ROW(LoadableDescriptors,                  66, C,     "(T)",                              descriptor_list)
// clang-format on

#endif

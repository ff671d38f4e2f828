// The table of attributes (JVMS 4.7), one row each, for checking and printing:
//
//      name  since  places  check  print
//
//      since   the major version from which the attribute has its meaning; in older classes a JVM
//              ignores it. For an attribute that began as a preview, the version of that preview
//      places  C class, F field, M method, B Code (a method's body), R record component; elsewhere
//              it has no meaning. REPEATS: it may occur more than once in one place
//      check   cf_check_... of structure/internal.h
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
    ROW(Code,                                 45, M,     code,                  code) \
    ROW(ConstantValue,                        45, F,     constant_value,        constant_value) \
    ROW(StackMapTable,                        50, B,     stack_map_table,       stack_map_table) \
    ROW(LineNumberTable,                      45, BR,    line_number_table,     line_number_table) \
    ROW(LocalVariableTable,                   45, BR,    local_variable_table,  local_variable_table) \
    ROW(LocalVariableTypeTable,               49, BR,    local_variable_types,  local_variable_table) \
    ROW(CharacterRangeTable,                  45, BR,    character_range_table, character_range_table) \
    ROW(Exceptions,                           45, M,     classes,               exceptions) \
    ROW(InnerClasses,                         45, C,     inner_classes,         inner_classes) \
    ROW(EnclosingMethod,                      49, C,     enclosing_method,      enclosing_method) \
    ROW(Synthetic,                            45, FLAG,  nothing,               nothing) \
    ROW(Deprecated,                           45, FLAG,  nothing,               nothing) \
    ROW(Signature,                            49, CFMR,  utf8,                  signature) \
    ROW(SourceFile,                           45, C,     utf8,                  source_file) \
    ROW(SourceDebugExtension,                 49, C,     any_bytes,             source_debug_extension) \
    ROW(SourceID,                             45, C,     utf8,                  one_utf8) \
    ROW(CompilationID,                        45, C,     utf8,                  one_utf8) \
    ROW(RuntimeVisibleAnnotations,            49, CFMR,  annotations,           annotations) \
    ROW(RuntimeInvisibleAnnotations,          49, CFMR,  annotations,           annotations) \
    ROW(RuntimeVisibleParameterAnnotations,   49, M,     parameter_annotations, parameter_annotations) \
    ROW(RuntimeInvisibleParameterAnnotations, 49, M,     parameter_annotations, parameter_annotations) \
    ROW(RuntimeVisibleTypeAnnotations,        52, CFMBR, type_annotations,      type_annotations) \
    ROW(RuntimeInvisibleTypeAnnotations,      52, CFMBR, type_annotations,      type_annotations) \
    ROW(AnnotationDefault,                    49, M,     annotation_default,    annotation_default) \
    ROW(BootstrapMethods,                     51, C,     bootstrap_methods,     bootstrap_methods) \
    ROW(MethodParameters,                     52, M,     method_parameters,     method_parameters) \
    ROW(Module,                               53, C,     module,                module) \
    ROW(ModulePackages,                       53, C,     packages,              module_packages) \
    ROW(ModuleMainClass,                      53, C,     one_class,             module_main_class) \
    ROW(ModuleTarget,                         53, C,     optional_utf8,         module_target) \
    ROW(ModuleHashes,                         53, C,     module_hashes,         module_hashes) \
    ROW(ModuleResolution,                     53, C,     two_bytes,             module_resolution) \
    ROW(NestHost,                             55, C,     one_class,             one_class) \
    ROW(NestMembers,                          55, C,     classes,               class_list) \
    ROW(Record,                               58, C,     record,                record) \
    ROW(PermittedSubclasses,                  59, C,     classes,               class_list) \
    ROW(Preload,                              62, C,     classes,               class_list) \
    ROW(LoadableDescriptors,                  66, C,     descriptors,           descriptor_list)
// clang-format on

#endif

// listing.h: a kit that is on, as JSON: for the command kits, and for the option KIT.file

#ifndef INSTR_PASSES_KIT_LISTING_H
#define INSTR_PASSES_KIT_LISTING_H

#include "instr/base/json.h"
#include "instr/options.h"
#include "instr/passes/kit/loaded.h"

// Adds the object
//
//      {
//        "kit",                  its name
//        "path", "hash", "by",   by: null for the command line of the JVM
//        "ends_in_ns",           until it is switched off; missing: never
//        "advices": [{
//          "advice", "targets",
//          "methods": [TEXT...], the first METHODS_SHOWN into which it was woven
//          "class_count", "method_count",
//          "refusal",            why it is not called from a class; null
//          "runs": [{"method", "runs"}...],         all methods, if runs are counted (KIT.file)
//          "loaders": [{"loader", "failures", "off", "failure"}]    each that has classes of it
//        }...]
//        "states": [{"class", "field", "instances", "dropped"}...]  instances: those that have got values
//      }
void instr_kit_list(struct instr_json *json, jvmtiEnv *jvmti, JNIEnv *jni,
                    const struct instr_kit_loaded *loaded, const struct instr_pass_options *pass);

#endif

// locations.h: protection domains whose classes come from somewhere.

#ifndef INSTR_PASSES_COVERAGE_LOCATIONS_H
#define INSTR_PASSES_COVERAGE_LOCATIONS_H

#include <stdbool.h>

#include <jni.h>

// Does its code source have a location? Runs Java code of the JDK the first time for a domain. NULL: no.
bool instr_has_location(JNIEnv *jni, jobject domain);

#endif

// recording.h: does this run of the JVM record an AOT cache (JEP 483)?

#ifndef INSTR_RECORDING_H
#define INSTR_RECORDING_H

#include <jni.h>

// At the end of such a run the JVM writes down which classes it had. Where one of its own has been
// changed by an agent it gives up, and the exit status is not the program's; a JDK 25 crashed. The
// JVM's flags tell, through the table that it exports for debuggers
// (gHotSpotVMStructs); 0 also where that is not to be had.
int instr_records_cache(JavaVM *vm);

#endif

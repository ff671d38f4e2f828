// hsperfdata.h: a HotSpot JVM's file of performance data, /tmp/hsperfdata_USER/PID, which can be read
// without an attach

#ifndef INSTR_PROCESS_HSPERFDATA_H
#define INSTR_PROCESS_HSPERFDATA_H

#include <stddef.h>
#include <stdint.h>

// The string `name` ("sun.rt.javaCommand") in the file's bytes. 1: `text` holds it, cut to fit. 0:
// there is no such string, or the bytes are not such a file.
int instr_hsperfdata_string(const uint8_t *bytes, size_t length, const char *name, char *text,
                            size_t size);

#endif

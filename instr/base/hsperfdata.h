// hsperfdata.h: a HotSpot JVM's file of performance data, /tmp/hsperfdata_USER/PID, which can be read
// without an attach

#ifndef INSTR_BASE_HSPERFDATA_H
#define INSTR_BASE_HSPERFDATA_H

#include <stddef.h>
#include <stdint.h>

// The string `name` ("sun.rt.javaCommand") in the file's bytes. 1: `text` holds it, cut to fit. 0:
// there is no such string, or the bytes are not such a file.
int instr_hsperfdata_string(const uint8_t *bytes, size_t length, const char *name, char *text,
                            size_t size);

// Where the number `name` ("sun.rt.safepointTime"), a jlong in the file's byte order, stands in the
// bytes. NULL: there is no such number.
const uint8_t *instr_hsperfdata_number(const uint8_t *bytes, size_t length, const char *name);

#endif

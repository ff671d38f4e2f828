// What a HotSpot JVM tells about itself in its file of performance data, /tmp/hsperfdata_USER/PID,
// which needs neither an attach nor its consent.

#ifndef INSTR_PERFDATA_H
#define INSTR_PERFDATA_H

#include <stddef.h>
#include <stdint.h>

// The string `name` ("sun.rt.javaCommand") in the file's bytes. 1: in `text`, cut to fit; 0: it is
// not there, or the bytes are no such file.
int instr_perfdata_string(const uint8_t *bytes, size_t length, const char *name, char *text,
                          size_t size);

#endif

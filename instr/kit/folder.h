// folder.h: the class files of a folder, as if they were stored in a jar

#ifndef INSTR_KIT_FOLDER_H
#define INSTR_KIT_FOLDER_H

#include "instr/kit/jar.h"

// Reads all class files in the folder and below, but not those of META-INF; not sorted yet. Returns true; or false with
// `reason`, which names the file.
bool instr_jar_read_folder(struct instr_jar *jar, const char *folder,
                           char reason[INSTR_JAR_REASON_SIZE]);

// Reads `length` bytes. False: the file has fewer, or cannot be read.
bool instr_read_whole(int fd, uint8_t *bytes, size_t length);

#endif

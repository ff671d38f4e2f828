// class_path.h: class files of jars and of a JDK, opened when they are looked for

#ifndef INSTR_KIT_CLASS_PATH_H
#define INSTR_KIT_CLASS_PATH_H

#include "instr/kit/link.h"

struct instr_class_path;

// An empty one; NULL: out of memory.
struct instr_class_path *instr_class_path_new(void);
void instr_class_path_free(struct instr_class_path *path);

// Adds a jar. Returns true; or false with `reason`, which does not name the jar.
bool instr_class_path_add(struct instr_class_path *path, const char *jar,
                          char reason[INSTR_JAR_REASON_SIZE]);
// Takes JDK classes from this JDK. Returns false if there is none at `home`.
bool instr_class_path_jdk(struct instr_class_path *path, const char *home);

// What instr_kit_link asks. A class that is nowhere is unknown if it may be the JDK's and there is no JDK, if a jar
// has classes in others, or if there is no jar.
struct instr_kit_world instr_class_path_world(struct instr_class_path *path);

// Has one of the jars classes in others, which are not in the path?
bool instr_class_path_leads_further(const struct instr_class_path *path);

// Calls `visit` for each class of the jars whose name is `wanted` (NULL: for all), until it returns false. `keeps`: the
// classes stay open, so that the next call need not read them again; otherwise each is freed behind `visit`.
void instr_class_path_each(struct instr_class_path *path, bool keeps,
                           bool (*wanted)(void *context, struct cf_slice name),
                           bool (*visit)(void *context, const struct cf_class *cls), void *context);

#endif

// find_jdk.h: the JDK of the user's environment

#ifndef INSTR_CLI_FIND_JDK_H
#define INSTR_CLI_FIND_JDK_H

#include "instr/kit/class_path.h"

// Takes JDK classes from the JDK of $JAVA_HOME, or else from that of java in $PATH. Returns false if there is none.
bool cli_find_jdk(struct instr_class_path *path);

#endif

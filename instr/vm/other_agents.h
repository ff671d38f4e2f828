// other_agents.h: other agents in this JVM, as far as they are visible without asking the JVM

#ifndef INSTR_VM_OTHER_AGENTS_H
#define INSTR_VM_OTHER_AGENTS_H

// Calls `each` with the path of every library that has an agent's entry points (libinstrument.so
// stands for all Java agents), and with every option -javaagent:, -agentlib: and -agentpath: of the
// command line and of JAVA_TOOL_OPTIONS. Our own library is skipped. `kind` is "library" or
// "option". Options are cut at '=': what follows may be secret.
void instr_agents_each(void (*each)(void *context, const char *kind, const char *name),
                       void *context);

// Is a Java agent (java.lang.instrument) loaded, or was one ever loaded?
int instr_agents_java(void);

// May debuggers use this JVM (JDWP)?
int instr_agents_debugger(void);

#endif

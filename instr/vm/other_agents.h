// Other agents in this JVM, as far as they can be seen without asking the JVM.

#ifndef INSTR_AGENTS_H
#define INSTR_AGENTS_H

// Calls `each` with the path of every library that has an agent's entry points, our own left out
// (libinstrument.so stands for all Java agents), and with every option -javaagent:, -agentlib: and
// -agentpath: of the command line and of JAVA_TOOL_OPTIONS that does not name our library. `kind`
// is "library" or "option". Options are without what follows a '=', which may be secret.
void instr_agents_each(void (*each)(void *context, const char *kind, const char *name),
                       void *context);

// Is there a Java agent (java.lang.instrument), or was there one?
int instr_agents_java(void);

#endif

// What the pass exceptions and the agent's half of it agree on.

#ifndef RW_EXCEPTIONS_H
#define RW_EXCEPTIONS_H

// A bit of the note of a class: no thread can throw an exception into another one. JDK 20 removed Thread.stop().
#define RW_NOTHING_FROM_OTHERS 1u

#endif

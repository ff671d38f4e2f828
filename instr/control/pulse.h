// pulse.h: keeps clients informed while the control thread is busy
//
//      control thread   ---begin----------- a command ------------end-->
//      pulse                  beat    beat    beat    beat
//
// The control thread runs commands one after the other, and some take many seconds. Meanwhile a
// second thread beats: it accepts and greets new clients, and sends a line to each client that waits,
// at least every two seconds. A client can therefore tell an agent that is busy from one that does
// not respond. The thread starts with the first command and ends when no command runs for a while.

#ifndef INSTR_CONTROL_PULSE_H
#define INSTR_CONTROL_PULSE_H

#include <stdbool.h>
#include <stdint.h>

struct instr_client;

// What the control thread does at the moment.
struct instr_busy {
    const char *command;         // its name
    struct instr_client *client; // for which it runs; NULL: for none
    uint64_t since;              // CLOCK_MONOTONIC ns
};

// Called by the thread while the control thread is busy, and only then: it may use whatever the
// control thread owns, except the client for which the command runs. `note`: it is time for a line.
typedef void instr_beat(const struct instr_busy *busy, bool note, uint64_t now);

void instr_pulse_use(instr_beat *beat);

// The control thread says when it is busy, and when no longer. Not nested.
void instr_pulse_begin(const char *command, struct instr_client *client);
void instr_pulse_end(void);

// Makes the thread end soon. Any thread may call this.
void instr_pulse_stop(void);

#endif

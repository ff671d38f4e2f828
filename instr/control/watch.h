// watch.h: the clients that watch calls

#ifndef INSTR_CONTROL_WATCH_H
#define INSTR_CONTROL_WATCH_H

#include "instr/base/json.h"

// Adds "watches": [{"by", "methods", "ago_ns"}], one row for each client. "by" is null without a name.
void instr_watch_clients(struct instr_json *json);

#endif

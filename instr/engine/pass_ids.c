#include "instr/engine/pass_ids.h"

enum { FEW = 8 };

static void note(struct instr_pass_ids *n, const void *pass, unsigned number) {
    if (n->count == INSTR_NUMBERS) return;
    n->given[n->count].pass = pass;
    n->given[n->count].number = number;
    n->given[n->count].on = 1;
    n->count++;
}

unsigned instr_pass_ids_take(struct instr_pass_ids *n, const void *pass, unsigned own, uint64_t now,
                             int apart, int *again) {
    unsigned had = 0;
    for (unsigned i = 0; i < n->count; i++) had += n->given[i].pass == pass;
    *again = 0;
    for (unsigned i = 0; i < n->count && !(apart && had < FEW); i++) {
        if (n->given[i].pass != pass || n->given[i].on || now < n->given[i].free_at) continue;
        n->given[i].on = 1;
        *again = 1;
        return n->given[i].number;
    }
    unsigned number = had ? n->next++ : own;
    note(n, pass, number);
    return number;
}

void instr_pass_ids_leave(struct instr_pass_ids *n, unsigned number, uint64_t free_at) {
    for (unsigned i = 0; i < n->count; i++) {
        if (n->given[i].number != number) continue;
        n->given[i].on = 0;
        n->given[i].free_at = free_at;
    }
}

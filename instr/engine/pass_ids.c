#include "instr/engine/pass_ids.h"

#include "instr/base/clock.h"

enum { FEW = 8 };

static void note(struct instr_pass_ids *n, const void *pass, unsigned number) {
    if (n->count == INSTR_NUMBERS) return;
    n->given[n->count].pass = pass;
    n->given[n->count].number = number;
    n->given[n->count].on = 1;
    n->count++;
}

unsigned instr_pass_ids_take(struct instr_pass_ids *ids, const void *pass, unsigned own,
                             uint64_t now, int apart, int *again) {
    unsigned had = 0;
    for (unsigned i = 0; i < ids->count; i++) had += ids->given[i].pass == pass;
    *again = 0;
    for (unsigned i = 0; i < ids->count && !(apart && had < FEW); i++) {
        if (ids->given[i].pass != pass || ids->given[i].on || now < ids->given[i].free_at) continue;
        ids->given[i].on = 1;
        *again = 1;
        return ids->given[i].number;
    }
    unsigned number = had || own == INSTR_NO_NUMBER ? ids->next++ : own;
    note(ids, pass, number);
    return number;
}

void instr_pass_ids_leave(struct instr_pass_ids *ids, unsigned number, uint64_t free_at) {
    for (unsigned i = 0; i < ids->count; i++) {
        if (ids->given[i].number != number) continue;
        ids->given[i].on = 0;
        ids->given[i].free_at = free_at;
    }
}

void instr_pass_ids_free_left(struct instr_pass_ids *ids, uint64_t free_at) {
    for (unsigned i = 0; i < ids->count; i++)
        if (!ids->given[i].on && ids->given[i].free_at == INSTR_NEVER)
            ids->given[i].free_at = free_at;
}

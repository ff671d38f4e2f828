// engine_book.h: what engines have done: the account, and which classes and methods were kept as
// they were. Engines that follow each other share one book. All functions may be called by any
// number of threads at once.

#ifndef INSTR_ENGINE_BOOK_H
#define INSTR_ENGINE_BOOK_H

#include "instr/engine.h"

struct instr_book;

// An empty book with one holder; NULL: out of memory.
struct instr_book *instr_book_new(void);
// One holder more; one less, and with the last one the book is gone.
void instr_book_take(struct instr_book *book);
void instr_book_close(struct instr_book *book);

// The account, but for what is on sheets, for the caller alone until it unlocks the book.
struct instr_account *instr_book_lock(struct instr_book *book);
void instr_book_unlock(struct instr_book *book);

// Adds to the account.
void instr_book_add(struct instr_book *book, const struct instr_account *more);

// A part of the account that one thread at a time adds to, without a lock. NULL: out of memory.
struct instr_sheet *instr_book_sheet(struct instr_book *book);
void instr_sheet_add(struct instr_sheet *sheet, const struct instr_account *more);
// The sheet is gone; what is on it stays in the book.
void instr_book_close_sheet(struct instr_book *book, struct instr_sheet *sheet);
// All of the account. What is being added meanwhile is in it, or some of it, or not yet.
struct instr_account instr_book_account(struct instr_book *book);

// Remembers why a class, or a method (with name m and descriptor d), was kept; of a pass, or an
// interface, the first time alone. Without memory, or beyond some thousands, nothing is remembered,
// and 0 returned.
unsigned instr_book_keep(struct instr_book *book, struct cf_slice name, struct cf_slice m,
                         struct cf_slice d, const char *reason, int pass);
// Calls `each` for what is remembered, in the order of its happening; the book is locked meanwhile.
void instr_book_each(struct instr_book *book,
                     void (*each)(void *context, const struct instr_kept *kept), void *context);

#endif

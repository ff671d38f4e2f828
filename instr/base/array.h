// Arrays that grow. The owner keeps a pointer, a count and a capacity, all zero at first, and frees
// the pointer with free():
//
//      if (!INSTR_ARRAY_RESERVE(list->items, list->capacity, list->count + 1)) ... out of memory
//      list->items[list->count++] = item;

#ifndef INSTR_BASE_ARRAY_H
#define INSTR_BASE_ARRAY_H

#include <stdbool.h>
#include <stddef.h>

// Makes room for at least `count` elements of `size` bytes. `array` is the address of the pointer.
// The capacity at least doubles when it grows. Returns false when memory runs out or the size in
// bytes overflows: the array then stays as it was.
bool instr_array_reserve(void *array, size_t *capacity, size_t count, size_t size);

#define INSTR_ARRAY_RESERVE(items, capacity, count)                                                \
    instr_array_reserve(&(items), &(capacity), (count), sizeof *(items))

#endif

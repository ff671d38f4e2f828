#include "instr/base/array.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { SMALLEST = 16 };

bool instr_array_reserve(void *array, size_t *capacity, size_t count, size_t size) {
    if (count <= *capacity) return true;
    size_t wanted = *capacity <= SIZE_MAX / 2 ? *capacity * 2 : count;
    if (wanted < count) wanted = count;
    if (wanted < SMALLEST) wanted = SMALLEST;
    if (wanted > SIZE_MAX / size) return false;
    void *items;
    memcpy(&items, array, sizeof items); // the caller's pointer has a type of its own
    items = realloc(items, wanted * size);
    if (!items) return false;
    memcpy(array, &items, sizeof items);
    *capacity = wanted;
    return true;
}

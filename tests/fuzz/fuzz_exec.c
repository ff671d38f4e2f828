// .exec files. Whatever the bytes are, the reader ends at a place within them; what it finds is
// written and read again, and is the same, one by one and merged.

#include "tests/fuzz/fuzz.h"

#include "instr/coverage/exec_reader.h"
#include "instr/coverage/exec_store.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static struct instr_exec_reader reader, again;
static struct instr_exec_file out;

static int file_of(const uint8_t *data, size_t size) {
    int fd = memfd_create("exec", 0);
    MUST(fd >= 0 && write(fd, data, size) == (ssize_t)size && lseek(fd, 0, SEEK_SET) == 0);
    return fd;
}

static int has_hits(const struct instr_exec_class *class) {
    return instr_exec_hits(class) > 0;
}

static void same_class(const struct instr_exec_class *a, const struct instr_exec_class *b) {
    MUST(a->id == b->id && a->probes == b->probes && a->name_length == b->name_length);
    MUST(memcmp(a->name, b->name, a->name_length) == 0);
    MUST(memcmp(a->bits, b->bits, a->probes / 8 + (a->probes % 8 != 0)) == 0);
}

static void check_found(enum instr_exec_found found, const uint8_t *data, size_t size) {
    MUST(reader.whole <= reader.position && reader.position <= size && !reader.error[0]);
    if (found == INSTR_EXEC_FOUND_SESSION) {
        MUST(strlen(reader.session.id) == reader.session.id_length);
        return;
    }
    MUST(strlen(reader.class.name) == reader.class.name_length);
    MUST(instr_exec_hits(&reader.class) <= reader.class.probes && data);
}

// The blocks of `copy` are those of the input that have something in them.
static void compare(const uint8_t *data, size_t size, int copy) {
    int fd = file_of(data, size);
    instr_exec_read_descriptor(&reader, fd, "input");
    instr_exec_read_descriptor(&again, copy, "copy");
    enum instr_exec_found found;
    while ((found = instr_exec_read(&reader)) > INSTR_EXEC_NOTHING) {
        if (found == INSTR_EXEC_FOUND_CLASS && !has_hits(&reader.class)) continue;
        MUST(instr_exec_read(&again) == found);
        if (found == INSTR_EXEC_FOUND_CLASS)
            same_class(&reader.class, &again.class);
        else
            MUST(reader.session.id_length == again.session.id_length &&
                 strcmp(reader.session.id, again.session.id) == 0 &&
                 reader.session.start == again.session.start &&
                 reader.session.dump == again.session.dump);
    }
    MUST(instr_exec_read(&again) == INSTR_EXEC_NOTHING);
    instr_exec_read_close(&reader);
    instr_exec_read_close(&again);
    close(fd);
}

// Each class that was added is there, with the hits of all.
static void check_store(const struct instr_exec_store *store) {
    size_t n = 0;
    for (const struct instr_exec_entry *e = store->first; e; e = e->next, n++)
        MUST(instr_exec_store_find(store, e->class.id) == e && e->class.bits == e->bits);
    MUST(n == store->count);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct instr_exec_store store;
    char error[512];
    int fd = file_of(data, size), copy = memfd_create("copy", 0);
    instr_exec_store_init(&store);
    instr_exec_read_descriptor(&reader, fd, "input");
    instr_exec_open_descriptor(&out, copy);
    enum instr_exec_found found;
    while ((found = instr_exec_read(&reader)) > INSTR_EXEC_NOTHING) {
        check_found(found, data, size);
        if (found == INSTR_EXEC_FOUND_SESSION) {
            MUST(instr_exec_write_session(&out, &reader.session) == 1);
            continue;
        }
        MUST(instr_exec_write_class(&out, &reader.class) == has_hits(&reader.class));
        size_t before = store.count;
        enum instr_exec_added added = instr_exec_store_add(&store, &reader.class, 0);
        MUST(added != INSTR_EXEC_NO_MEMORY && (added == INSTR_EXEC_ADDED || store.count == before));
    }
    MUST((found == INSTR_EXEC_BAD) == (reader.error[0] != '\0') &&
         instr_exec_read(&reader) == found);
    MUST(found == INSTR_EXEC_BAD || reader.whole == size);
    MUST(found == INSTR_EXEC_NOTHING || strncmp(reader.error, "input: byte ", 12) == 0);
    instr_exec_read_close(&reader);
    MUST(instr_exec_close(&out, error, sizeof error) == 0 && lseek(copy, 0, SEEK_SET) == 0);
    check_store(&store);
    compare(data, size, copy);
    instr_exec_store_free(&store);
    instr_exec_class_id(data, size);
    close(fd);
    close(copy);
    return 0;
}

// Buffered output; a file appears whole or not at all, where it can be replaced. The first error is remembered, and reported
// when the output is closed. Needs no memory but the structure.
//
//      struct instr_output out;
//      instr_output_open(&out, "out.json");
//      instr_output_text(&out, "{}\n");
//      if (instr_output_close(&out, error, sizeof error) != 0) ... print error ...

#ifndef INSTR_BASE_OUTPUT_H
#define INSTR_BASE_OUTPUT_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct instr_output {
    int fd;     // -1: closed
    int failed; // errno of the first failure, 0: none
    int owned;  // `fd` is closed at the end
    int (*sink)(void *context, const void *bytes, size_t length); // used instead of `fd`
    void *sink_context;
    size_t used;
    char path[PATH_MAX];      // as given, for messages; "" for a descriptor
    char target[PATH_MAX];    // what `temporary` is renamed to
    char temporary[PATH_MAX]; // "" if the file is written in place
    char buffer[8192];
};

// Begins to write the file `path`. A regular file is written under another name and renamed when it
// is complete, or overwritten then if it cannot be replaced: until then the old file stays. Other files
// (/dev/full, a pipe) are written directly. Symbolic links are followed, except those of other users
// than root. A pipe without a reader, or whose reader has stopped reading, fails after ten seconds.
void instr_output_open(struct instr_output *out, const char *path);

// Could the file be written now, as far as can be seen without changing anything? `makes_folders`:
// missing directories would be made. Returns 0; or -1 with one line in `error`.
int instr_output_check(const char *path, bool makes_folders, char *error, size_t size);

// Writes to a descriptor that stays open.
void instr_output_descriptor(struct instr_output *out, int fd);

// Passes the output in pieces to `sink`, which returns 0 or an errno.
void instr_output_sink(struct instr_output *out,
                       int (*sink)(void *context, const void *bytes, size_t length), void *context);

void instr_output_bytes(struct instr_output *out, const void *bytes, size_t length);
void instr_output_text(struct instr_output *out, const char *text);
__attribute__((format(printf, 2, 3))) void instr_output_format(struct instr_output *out,
                                                               const char *format, ...);

// Writes the rest of the buffer and closes the output. Returns 0; or -1 with one line in `error`,
// "out.json: No space left on device": then no file was created or changed; or it had to
// be overwritten, and the line ends with the name of a file that has all of it.
int instr_output_close(struct instr_output *out, char *error, size_t size);

// Has `write` write a whole file; `path` is freed here, and NULL stands for out of memory. Returns
// 0 with "written to PATH" in `line`; or -1 with an error as above.
int instr_output_file(char *path, void (*write)(const void *content, struct instr_output *out),
                      const void *content, char *line, size_t size);

#endif

// What git diff prints: any text gives files with names and ranges of lines.

#include "tests/fuzz/fuzz.h"

#include "instr/cli/coverage/changes.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct cover_changes changes = {0};
    struct cover_package package = {.name = "com/acme"};
    struct cover_source source = {.name = "A.java", .package = &package};
    char *text = malloc(size + 1);
    if (!text) return 0;
    if (size) memcpy(text, data, size);
    text[size] = '\0';
    MUST(cover_changes_parse(&changes, text) == 0);
    for (size_t i = 0; i < changes.count; i++) {
        const struct cover_changed_file *file = &changes.files[i];
        MUST(file->path);
        for (size_t k = 0; k < file->count; k++) {
            MUST(file->ranges[k].first <= file->ranges[k].last);
            (void)cover_has_changed(file, file->ranges[k].last);
        }
    }
    size_t *longest = calloc(changes.count + 1, sizeof *longest);
    MUST(longest);
    cover_changes_claim(&changes, &source, longest);
    const struct cover_changed_file *found = cover_changes_find(&changes, &source, longest);
    free(longest);
    MUST(!found || strstr(found->path, "com/acme/A.java"));
    cover_changes_free(&changes);
    free(text);
    return 0;
}

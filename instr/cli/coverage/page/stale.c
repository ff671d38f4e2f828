// Pages that are no longer in the report.

#include "instr/cli/coverage/page/stale.h"
#include "instr/cli/agent_library.h"
#include "instr/cli/cli.h"
#include "instr/cli/input.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int by_text(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

// "FOLDER/FILE" of each page, sorted. NULL: out of memory.
static char **names_of(const struct cover_page_list *list) {
    char **names = calloc(list->count + 1, sizeof *names);
    for (size_t i = 0; names && i < list->count; i++) {
        names[i] = cli_concat(list->pages[i].folder, "/", list->pages[i].file, NULL);
        if (names[i]) continue;
        while (i > 0) free(names[--i]);
        free(names);
        return NULL;
    }
    if (names) qsort(names, list->count, sizeof *names, by_text);
    return names;
}

enum { MOST_FOLDERS = 2 }; // that a page is in, below that of the report

// Removes a file below the folder, and what folders it leaves empty. Links to folders are not followed.
static void remove_page(int folder, char *name, int depth) {
    char *slash = strchr(name, '/');
    if (!slash) {
        if (depth > 0 && cli_ends_with(name, ".html")) unlinkat(folder, name, 0);
        return;
    }
    *slash = '\0';
    if (depth == MOST_FOLDERS || strcmp(name, "..") == 0 || strcmp(name, ".") == 0) return;
    int below = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (below < 0) return;
    remove_page(below, slash + 1, depth + 1);
    close(below);
    unlinkat(folder, name, AT_REMOVEDIR);
}

static void remove_stale(const struct cover_page_list *list, int folder, char *text) {
    char **names = names_of(list), *rest = NULL;
    if (!names) return;
    for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
        if (!bsearch(&line, names, list->count, sizeof *names, by_text))
            remove_page(folder, line, 0);
    for (size_t i = 0; i < list->count; i++) free(names[i]);
    free(names);
}

void cover_remove_stale(const struct cover_page_list *list, const char *path, const char *names) {
    struct cli_bytes bytes;
    char reason[CLI_REASON_SIZE];
    int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0) return;
    if (access(names, F_OK) == 0 && cli_read_file(names, &bytes, reason) == 0) {
        char *text = strndup((const char *)bytes.bytes, bytes.length);
        if (text) remove_stale(list, folder, text);
        free(text);
        free(bytes.bytes);
    }
    close(folder);
}

void cover_put_names(const struct cover_page_list *list, struct instr_output *out) {
    for (size_t i = 0; i < list->count; i++) {
        const struct cover_page *page = &list->pages[i];
        if (strchr(page->folder, '\n') || strchr(page->file, '\n')) continue;
        instr_output_text(out, page->folder);
        instr_output_text(out, "/");
        instr_output_text(out, page->file);
        instr_output_text(out, "\n");
    }
}

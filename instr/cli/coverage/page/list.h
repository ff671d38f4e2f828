// The pages of a report: one for each source file, and for each class that names none.
//
//      com.acme/Shop.java.html         MODULE/com.acme/Shop.java.html where there are several bundles
//
// The names are those of JaCoCo's pages, so links to them stay valid. Bytes that could mean something
// to a browser or a file system become =XX.

#ifndef INSTR_CLI_COVERAGE_PAGE_LIST_H
#define INSTR_CLI_COVERAGE_PAGE_LIST_H

#include "instr/cli/coverage/formats/sources.h"
#include "instr/cli/coverage/model.h"

struct cover_page {
    const struct cover_bundle *bundle;
    const struct cover_package *package;
    const struct cover_source *source; // NULL: only the class
    const struct cover_class *class;   // NULL: those of the source file
    const struct cover_lines *lines;
    const char *folder;       // "com.acme", of its package
    char *file;               // "Shop.java.html"
    struct cover_place place; // of the source file; path NULL: not found
};

// A package with its pages: `count` of them from number `first` on.
struct cover_page_folder {
    const struct cover_bundle *bundle;
    const struct cover_package *package;
    char *name;
    size_t first, count;
};

struct cover_page_list {
    const struct cover_model *model;
    struct cover_page *pages;
    struct cover_page_folder *folders;
    size_t count, capacity, folder_count, folder_capacity;
};

// What has no code has no page. Returns 0; -1: out of memory. It ends with cover_page_list_free in
// either case.
int cover_page_list_make(struct cover_page_list *list, const struct cover_model *model);
void cover_page_list_free(struct cover_page_list *list);

// The classes of a page.
size_t cover_page_classes(const struct cover_page *page, const struct cover_class *const **classes);

// The folder of the files that pages share.
#define COVER_PAGE_SHARED "instr-resources"

#endif

// One file with all pages, or a folder (site.h).

#include "instr/cli/coverage/page/html.h"
#include "instr/cli/cli.h"
#include "instr/cli/coverage/page/data.h"
#include "instr/cli/coverage/page/files.h"
#include "instr/cli/coverage/page/site.h"
#include "instr/cli/coverage/page/source.h"

#include <stdlib.h>

static void put_single(const struct cover_page_list *list, struct instr_output *out) {
    cover_put_head(list->model->name, NULL, out);
    instr_output_text(out, "<style>\n");
    instr_output_text(out, instr_coverage_css);
    instr_output_text(out, "</style>\n</head>\n<body>\n");
    cover_put_index(list->model, out);
    instr_output_text(out, "<div id=\"page\" hidden></div>\n");
    for (size_t i = 0; i < list->count; i++) {
        const struct cover_page *page = &list->pages[i];
        instr_output_format(out, "<template data-page=\"%s/%s\">\n", page->folder, page->file);
        cover_put_page(list, page, 1, out);
        instr_output_text(out, "</template>\n");
    }
    instr_output_text(out, "<script>\n");
    cover_put_data(list, out);
    instr_output_text(out, "</script>\n<script>\n");
    instr_output_text(out, instr_coverage_js);
    instr_output_text(out, "</script>\n");
    cover_put_foot(out);
}

static int make_single(const struct cover_page_list *list, const char *path) {
    struct instr_output *out = malloc(sizeof *out);
    if (!out) return cli_no_memory();
    cli_output_open(out, path);
    put_single(list, out);
    int status = cli_output_close(out);
    free(out);
    return status;
}

int cover_make_html(const struct cover_model *model, const char *path) {
    struct cover_page_list list;
    int status = cover_page_list_make(&list, model) == 0 ? CLI_OK : cli_no_memory();
    if (status == CLI_OK)
        status =
            cli_ends_with(path, ".html") ? make_single(&list, path) : cover_make_site(&list, path);
    cover_page_list_free(&list);
    return status;
}

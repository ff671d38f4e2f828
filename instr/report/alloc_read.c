// Results of the pass alloc read from JSON. Classes are added up anew, of what the sites say.

#include "instr/report/read_internal.h"

#include <limits.h>

static int read_site(struct instr_reader *r, const json_t *object,
                     struct instr_alloc_report *report) {
    struct instr_alloc_site site = {0};
    uint64_t line = 0;
    if (!json_is_object(object))
        return instr_reader_fail(r, "%s[%zu] is not an object", r->list, r->index);
    if (instr_reader_text(r, object, "class", &site.class_name) != 0 ||
        instr_reader_text(r, object, "site_class", &site.site_class) != 0 ||
        instr_reader_text(r, object, "site_method", &site.site_method) != 0 ||
        instr_reader_number(r, object, "site_line", &line) != 0 ||
        instr_reader_number(r, object, "count", &site.count) != 0 ||
        instr_reader_number(r, object, "bytes", &site.bytes) != 0 ||
        instr_reader_number(r, object, "live_count", &site.live_count) != 0 ||
        instr_reader_number(r, object, "live_bytes", &site.live_bytes) != 0)
        return -1;
    site.site_line = line > UINT32_MAX ? 0 : (uint32_t)line;
    if (json_object_get(object, "live_bytes")) report->live = 1;
    instr_alloc_report_add(report, &site);
    return 0;
}

int instr_alloc_read(struct instr_reader *r, const json_t *root, struct instr_report_file *file) {
    const json_t *sites = json_object_get(root, "sites");
    struct instr_alloc_report *report = &file->alloc_report;
    instr_alloc_report_init(report, file->report.pass);
    file->alloc = 1;
    r->list = "sites";
    for (r->index = 0; r->index < json_array_size(sites); r->index++)
        if (read_site(r, json_array_get(sites, r->index), report) != 0) return -1;
    return instr_alloc_report_finish(report) == 0 ? 0 : instr_reader_fail(r, "out of memory");
}

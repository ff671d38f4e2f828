// Results of the pass alloc read from JSON, and their kind. The totals of classes are computed from
// the sites.

#include "instr/report/flame.h"
#include "instr/report/internal.h"
#include "instr/report/read.h"

static int read_site(struct instr_reader *r, const json_t *object, void *context) {
    struct instr_alloc_report *report = context;
    struct instr_alloc_site site = {0};
    uint64_t line = 0;
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

// The stacks being read, which the report points to once all are there.
struct stacks {
    struct instr_alloc_report *report;
    const json_t *texts;
    struct instr_alloc_stack *stacks;
};

static int read_stack(struct instr_reader *r, const json_t *object, void *context) {
    struct stacks *s = context;
    struct instr_alloc_stack *stack = &s->stacks[s->report->stack_count];
    const json_t *frames = json_object_get(object, "frames");
    size_t depth = json_array_size(frames);
    const char **texts = instr_alloc_room(s->report, (depth + 1) * sizeof *texts);
    if (!json_is_array(frames)) return instr_reader_fail_at(r, "frames", "not a list");
    for (size_t i = 0; texts && i < depth; i++) {
        const json_t *number = json_array_get(frames, i);
        json_int_t at = json_is_integer(number) ? json_integer_value(number) : -1;
        texts[i] = at < 0 ? NULL : json_string_value(json_array_get(s->texts, (size_t)at));
        if (!texts[i]) return instr_reader_fail_at(r, "frames", "not a list of known frames");
    }
    if (!texts) return instr_reader_fail(r, "out of memory");
    stack->frames = texts;
    stack->depth = depth;
    if (instr_reader_number(r, object, "count", &stack->count) != 0 ||
        instr_reader_number(r, object, "bytes", &stack->bytes) != 0)
        return -1;
    s->report->stack_count++;
    return 0;
}

static int read_stacks(struct instr_reader *r, struct instr_alloc_report *report) {
    size_t count = instr_reader_count(r, "stacks");
    struct stacks s = {report, json_object_get(r->root, "frames"), NULL};
    const json_t *list = json_object_get(r->root, "stacks");
    if (list && !json_is_array(list)) return instr_reader_fail(r, "\"stacks\" is not a list");
    if (!count) return 0;
    s.stacks = instr_alloc_room(report, count * sizeof *s.stacks);
    if (!s.stacks) return instr_reader_fail(r, "out of memory");
    report->stacks = s.stacks;
    return instr_reader_each(r, "stacks", read_stack, &s);
}

static int read_report(struct instr_reader *r, void *content) {
    struct instr_alloc_report *report = content;
    instr_alloc_report_init(report, json_string_value(json_object_get(r->root, "pass")));
    instr_reader_cost(r, &report->cost);
    report->sampled = json_is_true(json_object_get(r->root, "sampled"));
    if (instr_reader_each(r, "sites", read_site, report) != 0) return -1;
    if (read_stacks(r, report) != 0) return -1;
    return instr_alloc_report_finish(report) == 0 ? 0 : instr_reader_fail(r, "out of memory");
}

static void free_report(void *content) {
    instr_alloc_report_free(content);
}

static void page(const void *content, struct instr_output *out, size_t top, size_t order) {
    (void)top;
    (void)order;
    instr_flame(content, out);
}

const struct instr_report_kind instr_report_kind_alloc = {
    .format = &instr_alloc_format,
    .list = "sites",
    .size = sizeof(struct instr_alloc_report),
    .read = read_report,
    .free = free_report,
    .orders = (const char *const[]){"bytes", NULL},
    .page = page,
};

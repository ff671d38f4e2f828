// What of a class was covered.

#include "instr/cli/coverage/analysis.h"
#include "classfile/inline.h"
#include "instr/base/array.h"
#include "instr/cli/coverage/filters.h"
#include "instr/cli/coverage/flow.h"
#include "instr/options.h"
#include "rewriters/uncovered.h"

#include <stdlib.h>
#include <string.h>

// --- the workspace ---

int cover_workspace_init(struct cover_workspace *workspace) {
    memset(workspace, 0, sizeof *workspace);
    cf_arena_init(&workspace->scratch);
    cf_arena_init(&workspace->kept);
    int a = cover_line_set_init(&workspace->method), b = cover_line_set_init(&workspace->lines);
    return a == 0 && b == 0 ? 0 : -1;
}

void cover_workspace_free(struct cover_workspace *workspace) {
    cf_arena_free(&workspace->scratch);
    cf_arena_free(&workspace->kept);
    cover_line_set_free(&workspace->method);
    cover_line_set_free(&workspace->lines);
    free(workspace->inlined);
}

// --- a method ---

struct analyser {
    const struct cover_input *input;
    struct cover_workspace *workspace;
    struct cf_class cls;
    struct cover_class *result;
    struct cover_class_facts facts;
    const char **inlined_names; // by mapping of the SMAP, the class in `kept`; NULL: not yet
    int named;                  // whether all classes of the SMAP are noted
    size_t inlined_before;      // notes of other classes
    uint64_t steps;             // that find_inlined took
    struct cf_error *error;
};

static enum cf_status no_memory(struct analyser *analyser) {
    return cf_fail(analyser->error, CF_NO_MEMORY, 0, "out of memory", 0);
}

static char *keep_text(struct analyser *analyser, struct cf_slice text) {
    char *copy = cf_arena_alloc(&analyser->workspace->kept, (size_t)text.length + 1);
    if (!copy) {
        no_memory(analyser);
        return NULL;
    }
    if (text.length) memcpy(copy, text.bytes, text.length);
    copy[text.length] = '\0';
    return copy;
}

// The counters of one instruction.
static struct cover_line count_instruction(const struct cover_instruction *insn, unsigned op) {
    uint32_t covered = cover_branches_covered(insn);
    struct cover_line line = {.instructions = {!covered, covered > 0}};
    if (insn->branches >= 2)
        line.branches = (struct cover_count){insn->branches - covered, covered};
    line.begun = insn->begun && !covered;
    if (insn->branches == 2 && cover_is_jump(op) && !insn->branches_changed) {
        line.never_yes = !cover_branch_covered(insn, 1);
        line.never_no = !cover_branch_covered(insn, 0);
    }
    return line;
}

static void count_branches(struct cover_method *method, struct cover_count branches) {
    uint32_t total = branches.missed + branches.covered;
    if (total < 2) return;
    uint32_t covered = branches.covered ? branches.covered - 1 : 0;
    method->counts[COVER_COMPLEXITY].covered += covered;
    method->counts[COVER_COMPLEXITY].missed += total - covered - 1;
}

// Counts the instructions that no filter ignores.
static void count_method(struct analyser *analyser, const struct cover_code *code,
                         const struct cover_flow *flow, struct cover_method *method) {
    for (uint32_t i = 0; i < flow->count; i++) {
        uint32_t number = code->line[i];
        if (flow->list[i].ignored) continue;
        struct cover_line line = count_instruction(&flow->list[i], code->op[i]);
        cover_sum(&method->counts[COVER_INSTRUCTION], line.instructions);
        cover_sum(&method->counts[COVER_BRANCH], line.branches);
        count_branches(method, line.branches);
        if (number == COVER_UNKNOWN_LINE) continue;
        cover_line_set_add(&analyser->workspace->method, number, &line);
        if (number == 0)
            method->begins_at_zero = 1;
        else if (!method->first_line || number < method->first_line)
            method->first_line = number;
        if (number > method->last_line) method->last_line = number;
    }
    int covered = method->counts[COVER_INSTRUCTION].covered > 0;
    method->counts[COVER_METHOD] = (struct cover_count){!covered, covered > 0};
    cover_sum(&method->counts[COVER_COMPLEXITY], method->counts[COVER_METHOD]);
    method->counts[COVER_LINE] = cover_line_set_count(&analyser->workspace->method);
}

// --- lines that were inlined elsewhere ---

// A line that was inlined elsewhere counts as one instruction, covered if it was here or there.
// JaCoCo looks at all lines from the first to the last of a method or class. Returns 1 if there were
// such lines.
static int apply_inlined(const uint8_t *inlined, struct cover_line_set *set,
                         struct cover_count counts[COVER_COUNTERS]) {
    int applied = 0;
    uint32_t first = COVER_LINES, last = 0;
    for (uint32_t i = 0; i < set->count; i++) {
        if (set->used[i] < first) first = set->used[i];
        if (set->used[i] > last) last = set->used[i];
    }
    for (uint32_t i = first; i <= last; i++) {
        if (inlined[i] == COVER_NOT_INLINED) continue;
        const struct cover_line *before = &set->at[i];
        int covered = before->instructions.covered > 0 || inlined[i] == COVER_INLINED_COVERED;
        struct cover_line line = {.instructions = {!covered, covered > 0}};
        counts[COVER_INSTRUCTION].missed += line.instructions.missed - before->instructions.missed;
        counts[COVER_INSTRUCTION].covered +=
            line.instructions.covered - before->instructions.covered;
        counts[COVER_BRANCH].missed -= before->branches.missed;
        counts[COVER_BRANCH].covered -= before->branches.covered;
        cover_line_set_put(set, i, &line);
        applied = 1;
    }
    counts[COVER_LINE] = cover_line_set_count(set);
    return applied;
}

// The same for a method, and what it changes of its class.
static void apply_to_method(struct analyser *analyser, struct cover_method *method) {
    struct cover_count *all = analyser->result->counts;
    if (!apply_inlined(analyser->input->inlined, &analyser->workspace->method, method->counts))
        return;
    int covered = method->counts[COVER_INSTRUCTION].covered > 0;
    struct cover_count one = {!covered, covered > 0};
    for (int i = COVER_COMPLEXITY; i <= COVER_METHOD; i++) {
        all[i].missed += one.missed - method->counts[i].missed;
        all[i].covered += one.covered - method->counts[i].covered;
        method->counts[i] = one;
    }
}

static void apply_to_class(struct analyser *analyser) {
    apply_inlined(analyser->input->inlined, &analyser->workspace->lines, analyser->result->counts);
}

static void note_inlined(struct analyser *analyser, uint32_t mapping, uint32_t line, int covered) {
    struct cover_workspace *w = analyser->workspace;
    const char **name = &analyser->inlined_names[mapping];
    if (!*name) *name = keep_text(analyser, analyser->facts.smap.list[mapping].class_name);
    if (!*name) return;
    if (w->inlined_count) { // the instructions of a line follow each other
        struct cover_inlined_line *last = &w->inlined[w->inlined_count - 1];
        if (last->into == analyser->result && last->class_name == *name && last->line == line) {
            last->covered |= covered;
            return;
        }
    }
    // Each takes some bytes of a class file, unless hundreds of mappings are of the same line.
    if (w->inlined_count - analyser->inlined_before >= analyser->input->length) return;
    if (!INSTR_ARRAY_RESERVE(w->inlined, w->inlined_capacity, w->inlined_count + 1)) {
        no_memory(analyser);
        return;
    }
    w->inlined[w->inlined_count++] =
        (struct cover_inlined_line){analyser->result, *name, line, covered};
}

// A class that an SMAP names counts as a class, even if it has no methods and no line of it was inlined.
static void note_named(struct analyser *analyser) {
    const struct cover_class_facts *facts = &analyser->facts;
    for (uint32_t k = 0; !analyser->named && k < facts->smap.count; k++)
        if (!cover_is_own_line(facts, &facts->smap.list[k]))
            note_inlined(analyser, k, COVER_ONLY_NAMED, 0);
    analyser->named = 1;
}

// Notes which lines of other classes a method has got, and which of them were covered in it.
static void find_inlined(struct analyser *analyser, const struct cover_code *code,
                         const struct cover_flow *flow) {
    const struct cover_class_facts *facts = &analyser->facts;
    enum { MOST_STEPS = 1 << 27 }; // more than a class takes that a compiler has written
    if (!facts->first_inlined_line || facts->release < COVER_0_8_15 || analyser->input->inlined)
        return;
    note_named(analyser);
    for (uint32_t i = 0, next; i < flow->count; i = next) {
        uint32_t line = code->line[i];
        int covered = 0;
        for (next = i; next < flow->count && code->line[next] == line; next++)
            covered |= cover_branches_covered(&flow->list[next]) > 0;
        if (line == COVER_UNKNOWN_LINE || line < facts->first_inlined_line) continue;
        if ((analyser->steps += facts->smap.count) > MOST_STEPS) return;
        for (uint32_t k = 0; k < facts->smap.count; k++) {
            const struct cover_mapping *m = &facts->smap.list[k];
            if (line < m->to || line - m->to >= m->count || cover_is_own_line(facts, m)) continue;
            uint32_t from = m->from + (line - m->to);
            if (from < COVER_ONLY_NAMED) note_inlined(analyser, k, from, covered);
        }
    }
}

// Adds a method with code to the class.
static void add_method(struct analyser *analyser, const struct cover_code *code,
                       const struct cover_flow *flow) {
    struct cover_class *cls = analyser->result;
    struct cover_line_set *lines = &analyser->workspace->method;
    struct cover_method method = {.name = NULL};
    count_method(analyser, code, flow, &method);
    if (cover_total(method.counts[COVER_INSTRUCTION]) > 0) {
        method.name = keep_text(analyser, code->name);
        method.descriptor = keep_text(analyser, code->descriptor);
        cover_line_set_add_all(&analyser->workspace->lines, lines);
        cover_add(cls->counts, method.counts);
        if (analyser->input->inlined) apply_to_method(analyser, &method);
        method.begun = cover_line_set_begun(lines, &method.begun_lines);
        cls->methods[cls->method_count++] = method;
    }
    cover_line_set_clear(lines);
}

// --- a class ---

static struct cf_slice name_of_source(const struct cf_class *cls, struct cf_error *error) {
    struct cf_slice name = {NULL, 0};
    struct cf_walk walk = cf_class_attributes(cls, error);
    struct cf_attribute a;
    while (cf_next_attribute(&walk, &a))
        if (CF_IS(a.name, "SourceFile") && a.length == 2)
            name = cf_utf8(cls, cf_be2(cls->bytes + a.info));
    return name;
}

static enum cf_status start(struct analyser *analyser) {
    const struct cf_class *cls = &analyser->cls;
    struct cover_class *result = cf_arena_zeroed(&analyser->workspace->kept, 1, sizeof *result);
    if (!result) return no_memory(analyser);
    analyser->result = result;
    struct cf_slice source = name_of_source(cls, analyser->error);
    struct cf_slice super = cf_class_name(cls, cls->super_class);
    if (cls->interfaces_count) super = cf_class_name(cls, cf_be2(cls->bytes + cls->interfaces));
    result->name = keep_text(analyser, cf_this_name(cls));
    if (source.bytes) result->source = keep_text(analyser, source);
    if (super.bytes) result->supertype = keep_text(analyser, super);
    uint32_t with_code = 0;
    for (uint32_t i = 0; i < cls->methods_count; i++) with_code += cls->methods[i].code != 0;
    result->methods =
        cf_arena_zeroed(&analyser->workspace->kept, with_code + 1, sizeof *result->methods);
    return result->methods ? analyser->error->status : no_memory(analyser);
}

// A method with code and its probes.
struct method {
    struct cover_code code;
    struct rw_probes probes;
};

// Opens all methods with code. Returns their probes.
static enum cf_status open_methods(struct analyser *analyser, const struct cf_inlined *inlined,
                                   struct method *methods, uint32_t *count, size_t *probes) {
    const struct cf_class *cls = &analyser->cls;
    int line_zero = analyser->input->release != COVER_0_8_6;
    for (uint32_t m = 0; m < cls->methods_count; m++) {
        if (!cls->methods[m].code) continue;
        struct method *method = &methods[(*count)++];
        CF_TRY(cover_code_open(&method->code, cls, &cls->methods[m],
                               inlined->returns ? inlined->returns[m] : NULL, line_zero,
                               analyser->error));
        CF_TRY(rw_find_probes(&method->code.code, method->code.returns, &method->probes,
                              analyser->error));
        *probes += method->probes.count;
    }
    return CF_OK;
}

// Data with another number of probes may be of an agent for which line 0 is a line.
static enum cf_status try_line_zero(struct analyser *analyser, struct method *methods,
                                    uint32_t count, size_t *probes) {
    int any = 0;
    size_t all = 0;
    for (uint32_t m = 0; m < count; m++) any |= methods[m].code.has_line_zero;
    for (uint32_t m = 0; any && m < count; m++) {
        CF_TRY(rw_find_probes_with_line_zero(&methods[m].code.code, methods[m].code.returns,
                                             &methods[m].probes, analyser->error));
        all += methods[m].probes.count;
    }
    if (any) *probes = all;
    return CF_OK;
}

static void analyse_method(struct analyser *analyser, const struct method *method,
                           size_t first_probe) {
    struct cover_flow flow;
    struct cf_error *error = analyser->error;
    if (cover_flow_find(&flow, &method->code, &method->probes, analyser->input->bits, first_probe,
                        error) != CF_OK)
        return;
    find_inlined(analyser, &method->code, &flow);
    if (cover_filter(&analyser->facts, &method->code, &flow, error) == CF_OK)
        add_method(analyser, &method->code, &flow);
}

static enum cf_status analyse_methods(struct analyser *analyser, const struct cf_inlined *inlined) {
    const struct cover_input *input = analyser->input;
    size_t probes = 0, first_probe = 0;
    uint32_t count = 0;
    struct method *methods = cf_arena_zeroed(&analyser->workspace->scratch,
                                             analyser->cls.methods_count + 1u, sizeof *methods);
    if (!methods) return no_memory(analyser);
    CF_TRY(open_methods(analyser, inlined, methods, &count, &probes));
    if (input->bits && probes != input->probes)
        CF_TRY(try_line_zero(analyser, methods, count, &probes));
    if (input->bits && probes != input->probes)
        return cf_fail(analyser->error, CF_MISUSE, 0, COVER_OTHER_PROBES, 0);
    for (uint32_t m = 0; m < count && !analyser->error->status; m++) {
        analyse_method(analyser, &methods[m], first_probe);
        first_probe += methods[m].probes.count;
    }
    struct cover_class *result = analyser->result;
    result->counts[COVER_LINE] = cover_line_set_count(&analyser->workspace->lines);
    if (input->inlined) apply_to_class(analyser);
    cover_line_set_begun(&analyser->workspace->lines, &result->begun_lines);
    if (result->method_count || input->inlined) // as JaCoCo has it
        result->counts[COVER_CLASS] = (struct cover_count){
            result->counts[COVER_METHOD].covered == 0, result->counts[COVER_METHOD].covered > 0};
    return analyser->error->status;
}

static int left_out(const struct cf_class *cls, enum cover_release release) {
    struct cf_slice name = cf_this_name(cls);
    if (cls->access_flags & CF_ACC_MODULE) return 1; // the attribute does not count here
    if (instr_scope_is_ours((const char *)name.bytes, name.length)) return 1;
    if (release == COVER_0_8_6) return (cls->access_flags & CF_ACC_SYNTHETIC) != 0;
    static const char package[] = "/package-info";
    size_t n = sizeof package - 1;
    return name.length >= n && memcmp(name.bytes + name.length - n, package, n) == 0;
}

static enum cf_status open_inlined(struct analyser *analyser, struct cf_inlined *inlined) {
    struct cf_arena *scratch = &analyser->workspace->scratch;
    const struct cover_input *input = analyser->input;
    struct cf_class *cls = &analyser->cls;
    enum cf_status status = cf_class_open(cls, input->bytes, input->length, scratch);
    if (status != CF_OK) {
        *analyser->error = cls->error;
        return status;
    }
    CF_TRY(cf_inline_subroutines(cls, inlined, analyser->error));
    if (!inlined->bytes) return CF_OK;
    status = cf_class_open(cls, inlined->bytes, inlined->length, scratch);
    if (status != CF_OK) *analyser->error = cls->error;
    return status;
}

enum cf_status cover_analyse(const struct cover_input *input, struct cover_workspace *workspace,
                             struct cover_class **result, struct cf_error *error) {
    struct analyser analyser = {.input = input,
                                .workspace = workspace,
                                .inlined_before = workspace->inlined_count,
                                .error = error};
    struct cf_inlined inlined = {NULL, 0, NULL};
    struct cover_lines lines;
    *result = NULL;
    memset(error, 0, sizeof *error);
    cf_arena_reset(&workspace->scratch, 1 << 20);
    CF_TRY(open_inlined(&analyser, &inlined));
    if (left_out(&analyser.cls, input->release)) return CF_OK;
    CF_TRY(rw_check_uncovered(&analyser.cls, error));
    CF_TRY(start(&analyser));
    CF_TRY(cover_class_facts(&analyser.facts, &analyser.cls, input->release, error));
    analyser.inlined_names = cf_arena_zeroed(&workspace->scratch, analyser.facts.smap.count + 1,
                                             sizeof *analyser.inlined_names);
    if (!analyser.inlined_names) return no_memory(&analyser);
    enum cf_status status = analyse_methods(&analyser, &inlined);
    if (cover_line_set_take(&workspace->lines, &lines) != 0) status = no_memory(&analyser);
    if (status != CF_OK) {
        cover_lines_free(&lines);
        return status;
    }
    *result = analyser.result;
    (*result)->lines = lines;
    return CF_OK;
}

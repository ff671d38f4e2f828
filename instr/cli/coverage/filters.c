// The table of filters, and how they take effect.

#include "instr/cli/coverage/filters.h"
#include "instr/cli/coverage/filter_coroutine.h"
#include "instr/cli/coverage/filter_kotlin.h"
#include "instr/cli/coverage/filter_kotlin_code.h"
#include "instr/cli/coverage/filter_methods.h"
#include "instr/cli/coverage/filter_switch.h"
#include "instr/cli/coverage/filter_try.h"
#include "instr/cli/coverage/match.h"

// --- the table ---

enum { ALL, KOTLIN, OTHERS }; // languages

static const struct {
    void (*filter)(struct cover_filtering *f);
    enum cover_release first, last; // releases of JaCoCo
    int language;                   // since 0.8.15; before, all filters saw all classes
} filters[] = {
    {cover_filter_synthetic_class, COVER_0_8_15, COVER_NEWEST, ALL},
    {cover_filter_synthetic, COVER_0_8_6, COVER_NEWEST, OTHERS},
    {cover_filter_enum, COVER_0_8_6, COVER_NEWEST, ALL},
    {cover_filter_bridge, COVER_0_8_6, COVER_NEWEST, ALL},
    {cover_filter_private_constructor, COVER_0_8_6, COVER_NEWEST, ALL},
    {cover_filter_enum_constructor, COVER_0_8_6, COVER_NEWEST, ALL},
    {cover_filter_record, COVER_0_8_6, COVER_NEWEST, ALL},
    {cover_filter_generated, COVER_0_8_6, COVER_NEWEST, ALL},
    {cover_filter_synchronized, COVER_0_8_6, COVER_NEWEST, ALL},
    {cover_filter_resources, COVER_0_8_6, COVER_NEWEST, ALL},
    {cover_filter_resources_old, COVER_0_8_6, COVER_NEWEST, ALL},
    {cover_filter_resources_ecj, COVER_0_8_6, COVER_NEWEST, ALL},
    {cover_filter_finally, COVER_0_8_6, COVER_NEWEST, ALL},
    {cover_filter_assert, COVER_0_8_15, COVER_NEWEST, ALL},
    {cover_filter_string_switch, COVER_0_8_6, COVER_NEWEST, ALL},
    {cover_filter_string_switch_ecj_old, COVER_0_8_6, COVER_0_8_6, ALL},
    {cover_filter_string_switch_ecj, COVER_0_8_15, COVER_NEWEST, ALL},
    {cover_filter_exhaustive_switch, COVER_0_8_15, COVER_NEWEST, ALL},
    {cover_filter_record_pattern, COVER_0_8_15, COVER_NEWEST, ALL},
    {cover_filter_kotlin_generated, COVER_0_8_6, COVER_NEWEST, KOTLIN},
    {cover_filter_kotlin_accessor, COVER_0_8_15, COVER_NEWEST, KOTLIN},
    {cover_filter_kotlin_serializable, COVER_0_8_15, COVER_NEWEST, KOTLIN},
    {cover_filter_kotlin_enum, COVER_0_8_15, COVER_NEWEST, KOTLIN},
    {cover_filter_kotlin_overloads, COVER_0_8_15, COVER_NEWEST, KOTLIN},
    {cover_filter_kotlin_static, COVER_0_8_15, COVER_NEWEST, KOTLIN},
    {cover_filter_kotlin_safe_call, COVER_0_8_15, COVER_NEWEST, KOTLIN},
    {cover_filter_kotlin_lateinit_old, COVER_0_8_6, COVER_0_8_6, KOTLIN},
    {cover_filter_kotlin_lateinit, COVER_0_8_15, COVER_NEWEST, KOTLIN},
    {cover_filter_kotlin_when, COVER_0_8_6, COVER_NEWEST, KOTLIN},
    {cover_filter_kotlin_when_string, COVER_0_8_6, COVER_NEWEST, KOTLIN},
    {cover_filter_kotlin_cast, COVER_0_8_6, COVER_NEWEST, KOTLIN},
    {cover_filter_kotlin_not_null, COVER_0_8_6, COVER_NEWEST, KOTLIN},
    {cover_filter_kotlin_value_class, COVER_0_8_15, COVER_NEWEST, KOTLIN},
    {cover_filter_kotlin_boxed, COVER_0_8_15, COVER_NEWEST, KOTLIN},
    {cover_filter_kotlin_default_arguments, COVER_0_8_6, COVER_NEWEST, KOTLIN},
    {cover_filter_kotlin_inline, COVER_0_8_6, COVER_NEWEST, KOTLIN},
    {cover_filter_coroutine_old, COVER_0_8_6, COVER_0_8_6, KOTLIN},
    {cover_filter_coroutine, COVER_0_8_15, COVER_NEWEST, KOTLIN},
    {cover_filter_kotlin_default_methods, COVER_0_8_6, COVER_NEWEST, KOTLIN},
    {cover_filter_kotlin_compose, COVER_0_8_15, COVER_NEWEST, KOTLIN},
};

// --- facts ---

static enum cf_status look_at_annotations(struct cover_class_facts *facts,
                                          const struct cf_attribute *attribute) {
    struct cover_annotations walk = cover_annotations(facts->cls, attribute);
    struct cf_slice type;
    while (cover_next_annotation(&walk, &type)) {
        facts->is_generated |= cover_is_generated(type);
        facts->is_kotlin |= CF_IS(type, "Lkotlin/Metadata;");
        facts->is_value_class |= CF_IS(type, "Lkotlin/jvm/JvmInline;");
    }
    return CF_OK;
}

// JaCoCo 0.8.6 knows a class's own lines by the name of the file, later releases by that of the class.
int cover_is_own_line(const struct cover_class_facts *facts, const struct cover_mapping *m) {
    if (m->from != m->to) return 0;
    return facts->release < COVER_0_8_15 ? cf_slice_equal(m->file, facts->source)
                                         : cf_slice_equal(m->class_name, facts->name);
}

static enum cf_status read_smap(struct cover_class_facts *facts, struct cf_error *error) {
    if (cover_smap_read(&facts->smap, facts->cls) != 0)
        return cf_fail(error, CF_NO_MEMORY, 0, "out of memory", 0);
    for (uint32_t i = 0; i < facts->smap.count; i++) {
        const struct cover_mapping *m = &facts->smap.list[i];
        if (cover_is_own_line(facts, m)) continue;
        if (!facts->first_inlined_line || m->to < facts->first_inlined_line)
            facts->first_inlined_line = m->to;
    }
    return CF_OK;
}

enum cf_status cover_class_facts(struct cover_class_facts *facts, const struct cf_class *cls,
                                 enum cover_release release, struct cf_error *error) {
    memset(facts, 0, sizeof *facts);
    facts->cls = cls;
    facts->companion_line = COVER_NOT_SEEN;
    facts->release = release;
    facts->name = cf_this_name(cls);
    facts->is_synthetic = (cls->access_flags & CF_ACC_SYNTHETIC) != 0;
    facts->super = cf_class_name(cls, cls->super_class);
    struct cf_walk walk = cf_class_attributes(cls, error);
    struct cf_attribute a;
    while (cf_next_attribute(&walk, &a)) {
        if (cover_has_annotations(&a)) CF_TRY(look_at_annotations(facts, &a));
        if (CF_IS(a.name, "SourceFile") && a.length == 2)
            facts->source = cf_utf8(cls, cf_be2(cls->bytes + a.info));
        if (CF_IS(a.name, "Synthetic")) facts->is_synthetic = 1;
        if (CF_IS(a.name, "ScalaSig") || CF_IS(a.name, "Scala")) facts->is_scala = 1;
    }
    if (facts->is_kotlin) CF_TRY(read_smap(facts, error));
    return error->status;
}

// --- what filters say ---

struct branch {
    uint32_t target;              // names the new branch
    uint32_t instruction, number; // covered if this branch is
    struct branch *next;
};

struct cover_replacement {
    uint32_t instruction;
    struct branch *branches, **last;
    struct cover_replacement *next;
};

static void *allocate(struct cover_filtering *f, size_t count, size_t size) {
    void *memory = cf_arena_zeroed(f->code->cls->arena, count, size);
    if (!memory) cf_fail(f->error, CF_NO_MEMORY, 0, "out of memory", 0);
    return memory;
}

int cover_spend(struct cover_filtering *f, uint64_t steps) {
    enum { MOST_STEPS = 1 << 27 };
    return (f->facts->steps += steps) <= MOST_STEPS;
}

void cover_ignore(struct cover_filtering *f, uint32_t first, uint32_t last) {
    for (uint32_t i = first; i <= last && i < f->flow->count; i++) f->flow->list[i].ignored = 1;
}

void cover_ignore_method(struct cover_filtering *f) {
    if (f->flow->count) cover_ignore(f, 0, f->flow->count - 1);
}

// Shortens the way for the next time.
static uint32_t representative(const struct cover_filtering *f, uint32_t i) {
    while (f->merged[i]) {
        uint32_t next = f->merged[i] - 1;
        if (f->merged[next]) f->merged[i] = f->merged[next];
        i = next;
    }
    return i;
}

void cover_merge(struct cover_filtering *f, uint32_t a, uint32_t b) {
    if (a >= f->flow->count || b >= f->flow->count) return;
    if (!f->merged) f->merged = allocate(f, f->flow->count, sizeof *f->merged);
    if (!f->merged) return;
    a = representative(f, a);
    b = representative(f, b);
    if (a != b) f->merged[b] = a + 1;
}

struct cover_replacement *cover_replace(struct cover_filtering *f, uint32_t instruction) {
    struct cover_replacement *replacement = allocate(f, 1, sizeof *replacement);
    if (!replacement) return NULL;
    replacement->instruction = instruction;
    replacement->last = &replacement->branches;
    *f->last_replacement = replacement;
    f->last_replacement = &replacement->next;
    return replacement;
}

void cover_replacement_add(struct cover_filtering *f, struct cover_replacement *replacement,
                           uint32_t target, uint32_t instruction, uint32_t number) {
    struct branch *branch = replacement ? allocate(f, 1, sizeof *branch) : NULL;
    if (!branch) return;
    *branch = (struct branch){target, instruction, number, NULL};
    *replacement->last = branch;
    replacement->last = &branch->next;
}

// --- how it takes effect ---

// Copies count as their representative, which is covered where any of them is.
static void merge_all(struct cover_filtering *f) {
    struct cover_instruction *list = f->flow->list;
    if (!f->merged) return;
    for (uint32_t i = 0; i < f->flow->count; i++) {
        if (!f->merged[i]) continue;
        struct cover_instruction *to = &list[representative(f, i)];
        if (to->words < list[i].words) {
            uint64_t *covered = allocate(f, list[i].words, sizeof *covered);
            if (!covered) return;
            memcpy(covered, to->covered, to->words * sizeof *covered);
            to->covered = covered;
            to->words = list[i].words;
        }
        for (uint32_t k = 0; k < list[i].words; k++) to->covered[k] |= list[i].covered[k];
        to->begun |= list[i].begun;
        list[i].ignored = 1;
    }
    for (uint32_t i = 0; i < f->flow->count; i++) {
        if (!f->merged[i]) continue;
        const struct cover_instruction *to = &list[representative(f, i)];
        list[i].branches = to->branches;
        list[i].words = to->words;
        list[i].covered = to->covered;
    }
}

static int branch_is_covered(const struct cover_filtering *f, const struct branch *branch) {
    const struct cover_instruction *insn = &f->flow->list[branch->instruction];
    if (branch->number != COVER_ANY_BRANCH) return cover_branch_covered(insn, branch->number);
    return cover_branches_covered(insn) > 0;
}

// Gives an instruction its new branches: one for each distinct target, in the order of their first use.
static void replace(struct cover_filtering *f, const struct cover_replacement *replacement) {
    struct cover_instruction *insn = &f->flow->list[replacement->instruction];
    uint32_t *numbers = allocate(f, f->flow->count * UINT64_C(2), sizeof *numbers), count = 0,
             all = 0;
    for (const struct branch *b = replacement->branches; b; b = b->next) all++;
    uint64_t *covered = allocate(f, all / 64 + 1, sizeof *covered);
    if (!numbers || !covered) return;
    for (const struct branch *b = replacement->branches; b; b = b->next) {
        uint32_t *number = &numbers[b->target];
        if (!*number) *number = ++count;
        if (branch_is_covered(f, b))
            covered[(*number - 1) / 64] |= UINT64_C(1) << (*number - 1) % 64;
    }
    insn->branches = count;
    insn->covered = covered;
    insn->words = all / 64 + 1;
    insn->branches_changed = 1;
}

// The last replacement of an instruction counts.
static void replace_all(struct cover_filtering *f) {
    if (!f->replacements) return;
    const struct cover_replacement **last = allocate(f, f->flow->count, sizeof *last);
    if (!last) return;
    for (const struct cover_replacement *r = f->replacements; r; r = r->next)
        last[r->instruction] = r;
    for (const struct cover_replacement *r = f->replacements; r && !f->error->status; r = r->next)
        if (last[r->instruction] == r) replace(f, r);
}

enum cf_status cover_filter(struct cover_class_facts *facts, const struct cover_code *code,
                            struct cover_flow *flow, struct cf_error *error) {
    struct cover_filtering f = {.facts = facts, .code = code, .flow = flow, .error = error};
    f.last_replacement = &f.replacements;
    if (facts->release == COVER_UNFILTERED || flow->count == 0) return CF_OK;
    for (size_t i = 0; i < sizeof filters / sizeof *filters && !error->status; i++) {
        if (facts->release < filters[i].first || facts->release > filters[i].last) continue;
        if (facts->release >= COVER_0_8_15 && filters[i].language == KOTLIN && !facts->is_kotlin)
            continue;
        if (facts->release >= COVER_0_8_15 && filters[i].language == OTHERS && facts->is_kotlin)
            continue;
        filters[i].filter(&f);
    }
    merge_all(&f);
    replace_all(&f);
    return error->status;
}

// instr coverage tests: what each test covered. A file of tests has a session for each test, with the
// test's name (com.acme.FooTest.bar), followed by the classes that the test covered. Blocks are
// handled as they are read; memory grows with the number of tests.

#include "instr/base/array.h"
#include "instr/cli/exec/classes.h"
#include "instr/cli/exec/exec.h"
#include "instr/cli/exec/line.h"
#include "instr/options.h"
#include "instr/report/text.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { MOST_VERSIONS = 16 };

struct test {
    char *name;
    uint64_t runs, milliseconds;
    size_t classes, hits; // of the run at hand; `most_` of any
    size_t most_classes, most_hits;
    int is_test;   // its name begins with that of a class that was covered
    int wanted;    // it covered what was asked for
    char *changed; // a class that has changed, if it covered one
};

// A class as it is now, in --changed.
struct now {
    char *name;
    uint64_t id;
};

struct tests {
    struct cli_exec_files files;
    const char *class_name;
    char *internal; // class_name with slashes
    char *similar;  // a class with a similar name, with dots
    struct cli_words classes, changed;
    int here;  // --classes was not given: the current folder takes its place
    long line; // 0: not given
    struct cli_line_probes versions[MOST_VERSIONS]; // of the class with the line
    size_t versions_count;
    int known_class;                     // some test covered a class of that name
    size_t versions_found, others_found; // how often in the files: a version at hand, another one
    struct now *now;
    size_t now_count, now_capacity;
    struct test *list;
    size_t count, capacity;
    json_t *indexes; // in the list, by name
    struct test *current;
    struct instr_exec_store store; // all classes
};

// --- tests by their names ---

static void end_run(struct tests *t) {
    struct test *test = t->current;
    if (!test) return;
    if (test->classes > test->most_classes) test->most_classes = test->classes;
    if (test->hits > test->most_hits) test->most_hits = test->hits;
    test->classes = test->hits = 0;
    t->current = NULL;
}

// The test of this name, which is added if it is new; NULL: out of memory.
static struct test *test_named(struct tests *t, const char *name) {
    const json_t *known = json_object_get(t->indexes, name);
    if (known) return &t->list[json_integer_value(known)];
    char *copy = strdup(name);
    if (!copy || !INSTR_ARRAY_RESERVE(t->list, t->capacity, t->count + 1) ||
        json_object_set_new_nocheck(t->indexes, name, json_integer((json_int_t)t->count)) != 0) {
        free(copy);
        return NULL;
    }
    t->list[t->count] = (struct test){.name = copy};
    return &t->list[t->count++];
}

static int take_session(void *context, const struct instr_exec_session *session, size_t file) {
    struct tests *t = context;
    (void)file;
    end_run(t);
    t->current = test_named(t, session->id);
    if (!t->current) return cli_no_memory();
    t->current->runs++;
    if (session->dump > session->start) t->current->milliseconds += session->dump - session->start;
    return CLI_OK;
}

// --- what is asked for ---

static int by_name(const void *a, const void *b) {
    return strcmp(((const struct now *)a)->name, ((const struct now *)b)->name);
}

// The first of the current classes that is not before `name`; t->now_count: none.
static size_t now_from(const struct tests *t, const char *name) {
    size_t low = 0, high = t->now_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (strcmp(t->now[middle].name, name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

// Is there a current class in the package of this one?
static int package_is_there(const struct tests *t, const char *name) {
    const char *slash = strrchr(name, '/');
    size_t n = slash ? (size_t)(slash + 1 - name) : 0;
    char package[65536];
    memcpy(package, name, n);
    package[n] = '\0';
    for (size_t i = now_from(t, package); i < t->now_count; i++) {
        if (strncmp(t->now[i].name, package, n) != 0) return 0;
        if (!strchr(t->now[i].name + n, '/')) return 1;
    }
    return 0;
}

static int has_changed(const struct tests *t, const struct instr_exec_class *class) {
    size_t i = now_from(t, class->name);
    if (i == t->now_count || strcmp(t->now[i].name, class->name) != 0)
        return package_is_there(t, class->name);
    for (; i < t->now_count && strcmp(t->now[i].name, class->name) == 0; i++)
        if (t->now[i].id == class->id) return 0;
    return 1;
}

// A class with the name that is asked for, but in a package, or in letters of another case.
static void note_similar(struct tests *t, const char *name) {
    size_t n = strlen(t->internal), length = strlen(name);
    if (t->similar || length < n || strcasecmp(name + length - n, t->internal) != 0) return;
    if (length == n || strchr("/$", name[length - n - 1])) t->similar = strdup(name);
    for (char *c = t->similar; c && *c; c++)
        if (*c == '/') *c = '.';
}

static int covers(struct tests *t, const struct instr_exec_class *class) {
    note_similar(t, class->name);
    if (strcmp(class->name, t->internal) != 0) return 0;
    t->known_class = 1;
    if (t->line == 0) return 1;
    int found = 0;
    for (size_t v = 0; v < t->versions_count; v++)
        found |= t->versions[v].id == class->id && t->versions[v].probes == class->probes;
    t->versions_found += (size_t)found;
    t->others_found += !found;
    for (size_t v = 0; v < t->versions_count; v++) {
        const struct cli_line_probes *line = &t->versions[v];
        if (line->id != class->id || line->probes != class->probes || !line->bits) continue;
        for (size_t i = 0; i < class->probes / 8 + (class->probes % 8 != 0); i++)
            if (line->bits[i] & class->bits[i]) return 1;
    }
    return 0;
}

static int take_class(void *context, const struct instr_exec_class *class, size_t file) {
    struct tests *t = context;
    if (!t->current)
        return cli_error("%s: a class precedes the first session, so it belongs to no test",
                         t->files.paths[file]);
    size_t hits = instr_exec_hits(class);
    t->current->classes += hits > 0;
    t->current->hits += hits;
    if (hits == 0) return 0;
    if (cli_exec_store(&t->store, &t->files, class, file) != CLI_OK) return CLI_FAILED;
    if (t->internal) t->current->wanted |= covers(t, class);
    if (t->changed.count > 0 && !t->current->changed && has_changed(t, class)) {
        t->current->wanted = 1;
        if (!(t->current->changed = strdup(class->name))) return cli_no_memory();
    }
    return CLI_OK;
}

// --- tests and other sessions ---

static int compare_names(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

// com.acme.FooTest.bar is a test if there is a class com/acme/FooTest. The test need not have covered
// that class: a method that throws may pass no probe.
static int is_test(const char *name, const char *const *classes, size_t count) {
    const char *end = strrchr(name, '.');
    char *class = end ? strndup(name, (size_t)(end - name)) : NULL;
    if (!class) return 0;
    for (char *c = class; *c; c++)
        if (*c == '.') *c = '/';
    const char *key = class;
    int found = bsearch(&key, classes, count, sizeof *classes, compare_names) != NULL;
    free(class);
    return found;
}

static int find_tests(struct tests *t) {
    const char **classes = malloc((t->store.count + 1) * sizeof *classes);
    size_t n = 0;
    if (!classes) return cli_no_memory();
    for (const struct instr_exec_entry *e = t->store.first; e; e = e->next)
        classes[n++] = e->class.name;
    qsort(classes, n, sizeof *classes, compare_names);
    for (size_t i = 0; i < t->count; i++) t->list[i].is_test = is_test(t->list[i].name, classes, n);
    free(classes);
    return CLI_OK;
}

// --- the answers ---

static void put_list(struct tests *t, struct instr_output *out, size_t top) {
    char a[INSTR_NUMBER_SIZE], b[INSTR_NUMBER_SIZE], c[INSTR_NUMBER_SIZE], d[INSTR_DURATION_SIZE];
    instr_output_format(out, "%s test%s", instr_number(t->count, a), cli_plural(t->count, "s"));
    if (top < t->count) instr_output_format(out, "; the first %s:", instr_number(top, a));
    instr_output_format(out, "\n  %8s  %8s  %8s  %8s  test\n", "runs", "time", "classes", "hit");
    for (size_t i = 0; i < t->count && i < top; i++) {
        const struct test *test = &t->list[i];
        instr_output_format(out, "  %8s  %8s  %8s  %8s  ", instr_number(test->runs, a),
                            instr_duration(test->milliseconds * 1000000, d),
                            instr_number(test->most_classes, b), instr_number(test->most_hits, c));
        instr_report_text(out, test->name, INSTR_PLAIN);
        instr_output_text(out, "\n");
    }
}

// The names of the wanted tests. Sessions that are not tests by their name are reported instead, if
// there are others that are.
static void put_wanted(const struct tests *t, struct instr_output *out) {
    int named = 0;
    for (size_t i = 0; i < t->count; i++) named |= t->list[i].is_test;
    for (size_t i = 0; i < t->count; i++) {
        const struct test *test = &t->list[i];
        if (!test->wanted) continue;
        if (named && !test->is_test) {
            cli_error("%s was also covered outside of tests, in the session %s: any test may "
                      "need it",
                      test->changed ? test->changed : "it", test->name);
            continue;
        }
        instr_report_text(out, test->name, INSTR_PLAIN);
        instr_output_text(out, "\n");
    }
}

static int print(struct tests *t, long top) {
    static struct instr_output out;
    cli_output_open(&out, NULL);
    if (t->internal || t->changed.count > 0)
        put_wanted(t, &out);
    else
        put_list(t, &out, (size_t)top);
    return cli_output_close(&out);
}

// --- the current class files ---

static int take_now(void *context, const struct cli_class_file *file) {
    struct tests *t = context;
    char *name = strdup(file->name);
    if (!name || !INSTR_ARRAY_RESERVE(t->now, t->now_capacity, t->now_count + 1)) {
        free(name);
        return cli_no_memory();
    }
    t->now[t->now_count++] = (struct now){name, file->id};
    return CLI_OK;
}

static int take_version(void *context, const struct cli_class_file *file) {
    struct tests *t = context;
    char reason[256];
    if (t->versions_count == MOST_VERSIONS) return 0;
    struct cli_line_probes *version = &t->versions[t->versions_count];
    if (cli_find_line_probes(file, (unsigned)t->line, version, reason, sizeof reason) != 0)
        return cli_error("%s: %s", t->class_name, reason);
    t->versions_count++;
    return CLI_OK;
}

static int find_line(struct tests *t) {
    // This folder was not named, so what its links lead to was not, either.
    enum cli_links links = t->here ? CLI_LINKS_KEPT : CLI_LINKS_FOLLOWED;
    if (cli_each_class_file(t->classes.count, t->classes.items, links, t->internal, take_version,
                            t) != 0)
        return CLI_FAILED;
    for (size_t i = 0; i < t->versions_count; i++)
        if (t->versions[i].bits) return CLI_OK;
    if (t->versions_count > 0)
        return cli_error("%s has no code on line %ld", t->class_name, t->line);
    if (!t->here) return cli_error("%s is not below the paths of --classes", t->class_name);
    return cli_error("there is no class file of %s below this folder; --classes PATH says where it "
                     "is",
                     t->class_name);
}

// --- the command ---

static int read_arguments(struct tests *t, int argc, char **argv, long *top) {
    static char this_folder[] = ".";
    const struct cli_option options[] = {
        {"--class", .text = &t->class_name},        {"--line", .number = &t->line, 1, 65535},
        {"--classes", .words = &t->classes},        {"--changed", .words = &t->changed},
        {"--top", .number = top, 0, CLI_MOST_ROWS}, {NULL}};
    int status = cli_exec_arguments("coverage tests", argc, argv, options, &t->files);
    if (status != CLI_OK) return status;
    if (t->line && !t->class_name) return cli_usage("coverage tests", "--line needs --class");
    if (t->class_name && t->changed.count > 0)
        return cli_usage("coverage tests", "--class and --changed exclude each other");
    t->here = t->line && t->classes.count == 0;
    if (t->here) t->classes.items[t->classes.count++] = this_folder;
    if (!t->class_name) return CLI_OK;
    if (!(t->internal = strdup(t->class_name))) return cli_no_memory();
    for (char *c = t->internal; *c; c++)
        if (*c == '.') *c = '/';
    return CLI_OK;
}

static void free_tests(struct tests *t) {
    for (size_t i = 0; i < t->count; i++) {
        free(t->list[i].name);
        free(t->list[i].changed);
    }
    for (size_t i = 0; i < t->now_count; i++) free(t->now[i].name);
    for (size_t i = 0; i < t->versions_count; i++) free(t->versions[i].bits);
    free(t->list);
    json_decref(t->indexes);
    free(t->now);
    free(t->internal);
    free(t->similar);
    instr_exec_store_free(&t->store);
    cli_exec_files_free(&t->files);
}

// A class that was compiled anew has other probes: which of its lines tests covered is then unknown.
static int check_versions(const struct tests *t) {
    if (!t->others_found) return CLI_OK;
    const char *some = t->versions_found ? "some of the tests" : "the tests";
    cli_error("%s: its class file is not the one that %s ran with (another id), so the lines that "
              "they covered are unknown; run them again, or give the old file by --classes",
              t->class_name, some);
    return t->versions_found ? CLI_OK : CLI_FAILED;
}

static int answer(struct tests *t, long top) {
    struct cli_exec_visitor visitor = {take_session, take_class, t, 0};
    if (t->line > 0 && find_line(t) != CLI_OK) return CLI_FAILED;
    if (cli_each_class_file(t->changed.count, t->changed.items, CLI_LINKS_FOLLOWED, NULL, take_now,
                            t) != 0)
        return CLI_FAILED;
    if (t->now_count > 0) qsort(t->now, t->now_count, sizeof *t->now, by_name);
    int status = cli_exec_each(&t->files, &visitor);
    end_run(t);
    if (status != CLI_OK) return status;
    if (find_tests(t) != CLI_OK) return CLI_FAILED;
    if (t->internal && !t->known_class)
        return cli_error("no test covers a class %s%s%s%s", t->class_name,
                         t->similar ? "; did you mean " : "", t->similar ? t->similar : "",
                         t->similar ? "?" : "");
    if (check_versions(t) != CLI_OK) return CLI_FAILED;
    return print(t, top);
}

int cli_exec_tests(int argc, char **argv) {
    struct tests tests = {.files = {NULL, 0, 0}, .indexes = json_object()};
    long top = CLI_MOST_ROWS;
    instr_exec_store_init(&tests.store);
    int status = read_arguments(&tests, argc, argv, &top);
    if (status == CLI_OK) status = answer(&tests, top);
    free_tests(&tests);
    return status;
}

// instr exec tests: what each test covered. A file of tests has for each of them a session with the
// test's name (com.acme.FooTest.bar), followed by the classes that it covered. Blocks are looked at
// as they come; what is held goes with the number of tests.

#include "instr/cli/exec/exec.h"
#include "instr/cli/exec/classes.h"
#include "instr/options.h"
#include "instr/report/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_WORDS = 64, MOST_VERSIONS = 16 };

struct test {
    char *name;
    uint64_t runs, milliseconds;
    size_t classes, hits; // of the run at hand; `most_` of any
    size_t most_classes, most_hits;
    int is_test;   // its name begins with that of a class that was covered
    int wanted;    // it covered what was asked for
    char *changed; // a class that has changed, if it covered one
};

// A class as it is now.
struct now {
    char *name;
    uint64_t id;
};

struct tests {
    struct cli_exec_files files;
    const char *class_name, *line_text, *top_text;
    char *internal; // class_name with slashes
    char *classes[MOST_WORDS], *changed[MOST_WORDS];
    size_t classes_count, changed_count;
    int here; // --classes was not given: this folder is looked through
    unsigned line;
    struct cli_line_probes versions[MOST_VERSIONS]; // of the class with the line
    size_t versions_count;
    int known_class; // some test covered a class of that name
    struct now *now;
    size_t now_count, now_capacity;
    struct test *list;
    size_t count, capacity;
    size_t *table; // index + 1 by name
    size_t slots;
    struct test *current;
    struct instr_exec_store store; // all classes
};

static int no_memory(void) {
    cli_error("instr: out of memory");
    return -1;
}

// --- tests by their names ---

static size_t hash(const char *name) {
    uint64_t h = UINT64_C(14695981039346656037); // FNV-1a
    for (; *name; name++) h = (h ^ (uint8_t)*name) * UINT64_C(1099511628211);
    return (size_t)(h ^ h >> 32);
}

static size_t slot_of(const struct tests *t, const char *name) {
    size_t slot = hash(name) & (t->slots - 1);
    while (t->table[slot] && strcmp(t->list[t->table[slot] - 1].name, name) != 0)
        slot = (slot + 1) & (t->slots - 1);
    return slot;
}

static int make_room(struct tests *t) {
    if (t->count == t->capacity) {
        size_t capacity = t->capacity ? t->capacity * 2 : 256;
        struct test *list = realloc(t->list, capacity * sizeof *list);
        if (!list) return -1;
        t->list = list;
        t->capacity = capacity;
    }
    if (t->count * 2 < t->slots) return 0;
    size_t slots = t->slots ? t->slots * 2 : 1024;
    size_t *table = calloc(slots, sizeof *table);
    if (!table) return -1;
    free(t->table);
    t->table = table;
    t->slots = slots;
    for (size_t i = 0; i < t->count; i++) table[slot_of(t, t->list[i].name)] = i + 1;
    return 0;
}

static void end_run(struct tests *t) {
    struct test *test = t->current;
    if (!test) return;
    if (test->classes > test->most_classes) test->most_classes = test->classes;
    if (test->hits > test->most_hits) test->most_hits = test->hits;
    test->classes = test->hits = 0;
    t->current = NULL;
}

static int take_session(void *context, const struct instr_exec_session *session, size_t file) {
    struct tests *t = context;
    (void)file;
    end_run(t);
    if (make_room(t) != 0) return no_memory();
    size_t slot = slot_of(t, session->id);
    if (!t->table[slot]) {
        struct test *test = &t->list[t->count];
        memset(test, 0, sizeof *test);
        if (!(test->name = strdup(session->id))) return no_memory();
        t->table[slot] = ++t->count;
    }
    t->current = &t->list[t->table[slot] - 1];
    t->current->runs++;
    if (session->dump > session->start) t->current->milliseconds += session->dump - session->start;
    return 0;
}

// --- what is asked for ---

static int by_name(const void *a, const void *b) {
    return strcmp(((const struct now *)a)->name, ((const struct now *)b)->name);
}

// The first class as it is now that is not before `name`; t->now_count: none.
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

// Is there a class now in the package of this one?
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

static int covers(struct tests *t, const struct instr_exec_class *class) {
    if (strcmp(class->name, t->internal) != 0) return 0;
    t->known_class = 1;
    if (t->line == 0) return 1;
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
    if (!t->current) {
        cli_error("instr: %s: there is a class before the first session, so it is of no test",
                  t->files.paths[file]);
        return -1;
    }
    size_t hits = instr_exec_hits(class);
    t->current->classes += hits > 0;
    t->current->hits += hits;
    if (hits == 0) return 0;
    if (cli_exec_store(&t->store, &t->files, class, file) != 0) return -1;
    if (t->internal) t->current->wanted |= covers(t, class);
    if (t->changed_count > 0 && !t->current->changed && has_changed(t, class)) {
        t->current->wanted = 1;
        if (!(t->current->changed = strdup(class->name))) return no_memory();
    }
    return 0;
}

// --- tests and other sessions ---

static int compare_names(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

// A test com.acme.FooTest.bar is one because there is a class com/acme/FooTest; it need not have
// covered it, for a method that throws may pass no probe.
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
    if (!classes) return no_memory();
    for (const struct instr_exec_entry *e = t->store.first; e; e = e->next)
        classes[n++] = e->class.name;
    qsort(classes, n, sizeof *classes, compare_names);
    for (size_t i = 0; i < t->count; i++) t->list[i].is_test = is_test(t->list[i].name, classes, n);
    free(classes);
    return 0;
}

// --- the answers ---

static void put_list(struct tests *t, struct instr_output *out, size_t top) {
    char a[INSTR_NUMBER_SIZE], b[INSTR_NUMBER_SIZE], c[INSTR_NUMBER_SIZE], d[INSTR_DURATION_SIZE];
    instr_output_format(out, "%s test%s", instr_number(t->count, a), t->count == 1 ? "" : "s");
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

// The names of those that are wanted. What is no test by its name is told when there are others
// that are.
static void put_wanted(const struct tests *t, struct instr_output *out) {
    int named = 0;
    for (size_t i = 0; i < t->count; i++) named |= t->list[i].is_test;
    for (size_t i = 0; i < t->count; i++) {
        const struct test *test = &t->list[i];
        if (!test->wanted) continue;
        if (named && !test->is_test) {
            cli_error(
                "instr: outside of tests%s%s was covered as well, in the session %s: any test "
                "may need it",
                test->changed ? ", " : " it", test->changed ? test->changed : "", test->name);
            continue;
        }
        instr_report_text(out, test->name, INSTR_PLAIN);
        instr_output_text(out, "\n");
    }
}

static int print(struct tests *t, long top) {
    static struct instr_output out;
    char error[INSTR_ERROR_SIZE];
    instr_output_descriptor(&out, STDOUT_FILENO);
    if (t->internal || t->changed_count > 0)
        put_wanted(t, &out);
    else
        put_list(t, &out, (size_t)top);
    if (instr_output_close(&out, error, sizeof error) == 0) return CLI_OK;
    cli_error("%s", error);
    return CLI_FAILED;
}

// --- what is there now ---

static int take_now(void *context, const struct cli_class_file *file) {
    struct tests *t = context;
    if (t->now_count == t->now_capacity) {
        size_t capacity = t->now_capacity ? t->now_capacity * 2 : 1024;
        struct now *now = realloc(t->now, capacity * sizeof *now);
        if (!now) return no_memory();
        t->now = now;
        t->now_capacity = capacity;
    }
    char *name = strdup(file->name);
    if (!name) return no_memory();
    t->now[t->now_count++] = (struct now){name, file->id};
    return 0;
}

static int take_version(void *context, const struct cli_class_file *file) {
    struct tests *t = context;
    char reason[256];
    if (t->versions_count == MOST_VERSIONS) return 0;
    struct cli_line_probes *version = &t->versions[t->versions_count];
    if (cli_find_line_probes(file, t->line, version, reason, sizeof reason) != 0) {
        cli_error("instr: %s: %s", t->class_name, reason);
        return -1;
    }
    t->versions_count++;
    return 0;
}

static int find_line(struct tests *t) {
    if (cli_each_class_file(t->classes_count, t->classes, t->internal, take_version, t) != 0)
        return -1;
    int code = 0;
    for (size_t i = 0; i < t->versions_count; i++) code |= t->versions[i].bits != NULL;
    if (t->versions_count == 0)
        cli_error(t->here ? "instr: no class file of %s is below this folder; --classes PATH tells "
                            "where it is"
                          : "instr: %s is not below the paths of --classes",
                  t->class_name);
    else if (!code)
        cli_error("instr: %s has no code on line %u", t->class_name, t->line);
    return code ? 0 : -1;
}

// --- arguments ---

static int add_word(const char *option, char **list, size_t *count, const char **value) {
    if (!*value) return CLI_OK;
    if (*count == MOST_WORDS)
        return cli_exec_usage("tests", "%s at most %d times", option, MOST_WORDS);
    list[(*count)++] = (char *)(uintptr_t)*value;
    *value = NULL;
    return CLI_OK;
}

// --classes and --changed may come more than once, so options are read one by one.
static int read_arguments(struct tests *t, int argc, char **argv) {
    const char *classes = NULL, *changed = NULL;
    const struct cli_exec_option options[] = {
        {"--class", &t->class_name, NULL}, {"--line", &t->line_text, NULL},
        {"--classes", &classes, NULL},     {"--changed", &changed, NULL},
        {"--top", &t->top_text, NULL},     {NULL, NULL, NULL}};
    for (int i = 0; i < argc; i++) {
        int n = 1;
        for (const struct cli_exec_option *o = options; o->name; o++)
            if (strcmp(argv[i], o->name) == 0) n = i + 1 < argc ? 2 : 1;
        int status = cli_exec_some_arguments("tests", n, argv + i, options, &t->files);
        if (status == CLI_OK)
            status = add_word("--classes", t->classes, &t->classes_count, &classes);
        if (status == CLI_OK)
            status = add_word("--changed", t->changed, &t->changed_count, &changed);
        if (status != CLI_OK) return status;
        i += n - 1;
    }
    return CLI_OK;
}

static int check_arguments(struct tests *t, long *top) {
    if (t->files.count == 0) return cli_exec_usage("tests", "which file?");
    if (t->top_text && (*top = cli_number(t->top_text, 1, 100000000)) < 0)
        return cli_exec_usage("tests", "--top must be a number, not '%.64s'", t->top_text);
    if (t->line_text) {
        long line = cli_number(t->line_text, 0, 65535);
        if (line < 0)
            return cli_exec_usage("tests", "--line must be a number, not '%.64s'", t->line_text);
        t->line = (unsigned)line;
        if (!t->class_name) return cli_exec_usage("tests", "--line goes with --class");
        static char this_folder[] = ".";
        t->here = t->classes_count == 0;
        if (t->here) t->classes[t->classes_count++] = this_folder;
    }
    if (t->class_name && t->changed_count > 0)
        return cli_exec_usage("tests", "either --class or --changed");
    if (!t->class_name) return CLI_OK;
    if (!(t->internal = strdup(t->class_name))) return no_memory(), CLI_FAILED;
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
    free(t->table);
    free(t->now);
    free(t->internal);
    instr_exec_store_free(&t->store);
    cli_exec_files_free(&t->files);
}

static int answer(struct tests *t, long top) {
    struct cli_exec_visitor visitor = {take_session, take_class, t, 0};
    if (t->line > 0 && find_line(t) != 0) return CLI_FAILED;
    if (cli_each_class_file(t->changed_count, t->changed, NULL, take_now, t) != 0)
        return CLI_FAILED;
    if (t->now_count > 0) qsort(t->now, t->now_count, sizeof *t->now, by_name);
    int status = cli_exec_each(&t->files, &visitor);
    end_run(t);
    if (status != CLI_OK) return status;
    if (find_tests(t) != 0) return CLI_FAILED;
    if (t->internal && !t->known_class) {
        cli_error("instr: no test covers a class %s", t->class_name);
        return CLI_FAILED;
    }
    return print(t, top);
}

int cli_exec_tests(int argc, char **argv) {
    struct tests tests = {.files = {NULL, 0, 0}};
    long top = 100000000;
    instr_exec_store_init(&tests.store);
    int status = read_arguments(&tests, argc, argv);
    if (status == CLI_OK) status = check_arguments(&tests, &top);
    if (status == CLI_OK) status = answer(&tests, top);
    free_tests(&tests);
    return status;
}

// The formats of coverage reports, of models that are made by hand: whatever a name holds, the result
// stays well-formed, and is UTF-8.

#include "instr/cli/coverage/formats/badge.h"
#include "instr/cli/coverage/formats/cobertura.h"
#include "instr/cli/coverage/formats/lcov.h"
#include "instr/cli/coverage/formats/markdown.h"
#include "instr/cli/coverage/formats/sonar.h"
#include "instr/cli/coverage/formats/sources.h"
#include "instr/cli/coverage/formats/table.h"
#include "instr/cli/coverage/formats/worst.h"
#include "instr/cli/coverage/page/data.h"
#include "instr/cli/coverage/page/list.h"
#include "instr/cli/coverage/page/source.h"
#include "instr/base/utf8.h"
#include "tests/unit/run.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// --- output into memory ---

static char *text;
static size_t length;

static int take(void *context, const void *bytes, size_t n) {
    (void)context;
    text = realloc(text, length + n + 1);
    memcpy(text + length, bytes, n);
    text[length += n] = '\0';
    return 0;
}

static void begin(struct instr_output *out) {
    length = 0;
    take(NULL, "", 0);
    instr_output_sink(out, take, NULL);
}

static void end(struct instr_output *out) {
    char error[256];
    ck_assert_int_eq(instr_output_close(out, error, sizeof error), 0);
}

static const char *written(void (*write)(const struct cover_model *, struct instr_output *),
                           const struct cover_model *model) {
    static struct instr_output out;
    begin(&out);
    write(model, &out);
    end(&out);
    return text;
}

// --- a model: one package with two classes of one source file, and one class of none ---

enum { LINES = 4 };

struct sample {
    struct cover_method method;
    struct cover_class first, second, alone;
    struct cover_class *classes[3];
    struct cover_source source;
    struct cover_source *sources[1];
    struct cover_package package;
    struct cover_package *packages[1];
    struct cover_bundle bundle;
    struct cover_bundle *bundles[1];
    struct cover_session session;
    struct cover_line lines[LINES];
    uint64_t times[LINES];
    struct cover_model model;
};

static void count(struct cover_count *counts) {
    for (int i = 0; i < COVER_COUNTERS; i++) counts[i] = (struct cover_count){2, 6};
}

static void make_class(struct sample *s, struct cover_class *class, const char *name) {
    *class = (struct cover_class){.name = name, .methods = &s->method, .method_count = 1};
    count(class->counts);
}

static void make(struct sample *s) {
    memset(s, 0, sizeof *s);
    s->method = (struct cover_method){"run", "(ILjava/lang/String;)V", 10, 13, .counts = {{0}}};
    count(s->method.counts);
    make_class(s, &s->first, "com/acme/Shop");
    make_class(s, &s->second, "com/acme/Shop$Cart");
    make_class(s, &s->alone, "com/acme/Alone");
    s->second.match = COVER_OTHER_ID;
    s->classes[0] = &s->first;
    s->classes[1] = &s->second;
    s->classes[2] = &s->alone;
    s->lines[0] = (struct cover_line){{0, 5}, {0, 0}, .begun = 0};
    s->lines[1] = (struct cover_line){{1, 3}, {1, 1}, .never_yes = 1};
    s->lines[2] = (struct cover_line){{2, 0}, {4, 0}, .begun = 0};
    s->lines[3] = (struct cover_line){{2, 0}, {0, 0}, .begun = 1};
    s->source = (struct cover_source){"Shop.java", &s->package, s->classes, 2,
                                      .lines = {10, 13, s->lines, s->times}};
    count(s->source.counts);
    s->first.file = s->second.file = &s->source;
    s->sources[0] = &s->source;
    s->package = (struct cover_package){"com/acme", s->classes, s->sources, 3, 1, .counts = {{0}}};
    count(s->package.counts);
    s->packages[0] = &s->package;
    s->bundle = (struct cover_bundle){"shop", s->packages, 1, .counts = {{0}}};
    count(s->bundle.counts);
    s->bundles[0] = &s->bundle;
    s->session = (struct cover_session){"one", 1000, 2000};
    s->model = (struct cover_model){.name = "Report",
                                    .bundles = s->bundles,
                                    .bundle_count = 1,
                                    .sessions = &s->session,
                                    .session_count = 1};
    count(s->model.counts);
}

// --- names ---

static const char *const evil[] = {
    "<script>alert(1)</script>",
    "</script><script>alert(1)//",
    "\"><img src=x onerror=alert(1)>",
    "' onmouseover='alert(1)",
    "&lt;&#60;&amp;",
    "]]><!--",
    "a\nend_of_record\nSF:b,c",
    "| a | `b` *c* [d](e) @f <g>",
    "\x01\x1b[31m\x7f",
    "\xff\xfe\xc3(\xe2\x82",
    "\xed\xa0\x80 alone, \xed\xa0\xbd\xed\xb8\x80 a pair",
    "\xc0\x80 and \xef\xbf\xbe \xef\xbf\xbf",
    "\xe2\x80\xae right to left \xe2\x80\xa8",
    "${x} {{y}} <%= z %> --> */",
    "../../../etc/passwd",
    "",
};
enum { EVIL = sizeof evil / sizeof *evil, PLACES = 7 };

// Puts the name into one of the places that have names.
static void place(struct sample *s, int where, const char *name) {
    make(s);
    switch (where) {
    case 0: s->model.name = name; break;
    case 1: s->bundle.name = name; break;
    case 2: s->package.name = name; break;
    case 3: s->first.name = s->alone.name = *name ? name : "x"; break;
    case 4: s->source.name = name; break;
    case 5: s->method.name = name; break;
    case 6: s->method.descriptor = name; break;
    }
}

// --- checks ---

static void check_utf8(const char *what) {
    const char *end = what + strlen(what);
    while (what < end) {
        const char *from = what;
        uint32_t c = instr_utf8_next(&what, end);
        char bytes[4];
        if (what - from != (ptrdiff_t)instr_utf8_put(c, bytes) ||
            memcmp(bytes, from, (size_t)(what - from)) != 0)
            ck_abort_msg("not UTF-8: %.40s", from);
        if (c < ' ' && c != '\n') ck_abort_msg("a control character: %u", c);
    }
}

// The end of a tag that begins at `c`, with its quoted attributes.
static const char *tag_end(const char *c) {
    while (*c && *c != '>') {
        if (*c == '"') c = strchr(c + 1, '"');
        if (!c) return NULL;
        if (*c == '<' && c[-1] != '=') return NULL;
        c++;
    }
    return *c ? c : NULL;
}

// Are elements nested, attributes quoted, and references whole?
static void check_xml(const char *what) {
    char open[32][32];
    int depth = 0;
    check_utf8(what);
    ck_assert_ptr_null(strstr(what, "\xef\xbf\xbe")); // no characters of XML
    ck_assert_ptr_null(strstr(what, "\xef\xbf\xbf"));
    for (const char *c = what; *c; c++) {
        if (*c == '&') {
            size_t n = strspn(c + 1, "#abcdefghijklmnopqrstuvwxyz0123456789");
            ck_assert_msg(n > 0 && c[n + 1] == ';', "%.40s", c);
        }
        if (*c != '<') continue;
        const char *stop = tag_end(c + 1);
        ck_assert_msg(stop != NULL, "%.60s", c);
        if (c[1] != '?' && c[1] != '!') {
            int closes = c[1] == '/';
            char name[32] = "";
            sscanf(c + 1 + closes, "%31[a-zA-Z]", name);
            ck_assert_msg(*name, "%.60s", c);
            if (closes) {
                ck_assert_int_gt(depth, 0);
                ck_assert_str_eq(open[--depth], name);
            } else if (stop[-1] != '/') {
                ck_assert_int_lt(depth, 32);
                strcpy(open[depth++], name);
            }
        }
        c = stop;
    }
    ck_assert_int_eq(depth, 0);
}

// Are there only these elements, and no attribute that is a script?
static void check_elements(const char *what, const char *const *names) {
    check_utf8(what);
    for (const char *c = what; (c = strchr(c, '<')); c++) {
        char name[32] = "";
        sscanf(c + 1 + (c[1] == '/'), "%31[a-z0-9]", name);
        int known = 0;
        for (int i = 0; names[i]; i++) known |= strcmp(names[i], name) == 0;
        ck_assert_msg(known, "%.60s", c);
        const char *stop = tag_end(c + 1);
        ck_assert_msg(stop != NULL, "%.60s", c);
        for (const char *a = c; a < stop; a++)
            if (*a == '"')
                a = strchr(a + 1, '"');
            else
                ck_assert_msg(strncmp(a, " on", 3) != 0, "%.60s", c);
        c = stop;
    }
}

START_TEST(xml_is_well_formed) {
    struct sample s;
    for (int where = 0; where < PLACES; where++) {
        place(&s, where, evil[_i]);
        check_xml(written(cover_write_cobertura, &s.model));
        check_xml(written(cover_write_sonar, &s.model));
        check_xml(written(cover_write_badge, &s.model));
    }
}
END_TEST

START_TEST(lcov_has_only_its_records) {
    static const char *const records[] = {"TN:", "SF:", "FN:",   "FNDA:", "FNF:", "FNH:", "DA:",
                                          "LF:", "LH:", "BRDA:", "BRF:",  "BRH:", NULL};
    struct sample s;
    for (int where = 0; where < PLACES; where++) {
        place(&s, where, evil[_i]);
        int ends = 0;
        written(cover_write_lcov, &s.model);
        check_utf8(text);
        for (char *rest = text, *line; (line = strsep(&rest, "\n")) && rest;) {
            int known = 0, commas = 0;
            for (int i = 0; records[i]; i++)
                known |= strncmp(line, records[i], strlen(records[i])) == 0;
            for (const char *c = line; *c; c++) commas += *c == ',';
            ends += strcmp(line, "end_of_record") == 0;
            ck_assert_msg(known || strcmp(line, "end_of_record") == 0, "%s", line);
            if (strncmp(line, "FN", 2) == 0) ck_assert_int_le(commas, 1);
        }
        ck_assert_int_eq(ends, 1);
    }
}
END_TEST

START_TEST(markdown_has_only_its_own_marks) {
    static const char *const elements[] = {"details", "summary", "code", NULL};
    struct sample s;
    for (int where = 0; where < PLACES; where++) {
        place(&s, where, evil[_i]);
        check_elements(written(cover_write_markdown, &s.model), elements);
        for (char *rest = text, *line; (line = strsep(&rest, "\n"));) {
            int cells = 0;
            for (const char *c = line; *c; c++) cells += *c == '|';
            ck_assert_msg(cells == 0 || cells == 4 || cells == 5, "%s", line);
            ck_assert_msg(!strpbrk(line, "`@["), "%s", line);
        }
    }
}
END_TEST

START_TEST(the_table_is_of_lines_that_can_be_read) {
    struct sample s;
    static struct instr_output out;
    size_t lines = 0;
    for (int where = 0; where < PLACES; where++) {
        size_t found = 0;
        place(&s, where, evil[_i]);
        begin(&out);
        cover_write_table(&s.model, &out, 0);
        end(&out);
        check_utf8(text);
        for (const char *c = text; *c; c++) found += *c == '\n';
        if (lines) ck_assert_uint_eq(found, lines);
        lines = found;
    }
}
END_TEST

START_TEST(pages_have_only_their_own_elements) {
    static const char *const elements[] = {
        "main",    "p",     "a",     "h1",    "dl", "div", "dt", "dd", "span", "small", "details",
        "summary", "table", "thead", "tbody", "tr", "td",  "th", "em", "kbd",  NULL};
    struct sample s;
    static struct instr_output out;
    for (int where = 0; where < PLACES; where++) {
        for (int groups = 1; groups <= 2; groups++) {
            struct cover_page_list list;
            struct cover_bundle *two[] = {&s.bundle, &s.bundle};
            place(&s, where, evil[_i]);
            s.model.counted = 1;
            s.model.bundles = two;
            s.model.bundle_count = (size_t)groups;
            ck_assert_int_eq(cover_page_list_make(&list, &s.model), 0);
            ck_assert_uint_eq(list.count, 2 * (size_t)groups);
            for (size_t i = 0; i < list.count; i++) {
                begin(&out);
                cover_put_page(&list, &list.pages[i], groups == 2, &out);
                end(&out);
                check_elements(text, elements);
            }
            begin(&out);
            cover_put_data(&list, &out);
            end(&out);
            check_utf8(text);
            ck_assert_ptr_null(strpbrk(text, "<>&'"));
            cover_page_list_free(&list);
        }
    }
}
END_TEST

// Each is a file below the report, and none is another's.
START_TEST(pages_have_names_of_their_own) {
    struct sample s;
    struct cover_page_list list;
    make(&s);
    s.source.name = evil[_i];
    s.alone.name = "com/acme/Shop.java"; // the same page as Shop.java, but for a number
    if (_i == 0) s.source.name = "Shop.java";
    ck_assert_int_eq(cover_page_list_make(&list, &s.model), 0);
    ck_assert_str_ne(list.pages[0].file, list.pages[1].file);
    for (size_t i = 0; i < list.count; i++) {
        const char *name = list.pages[i].file;
        ck_assert_msg(strcmp(name + strlen(name) - 5, ".html") == 0, "%s", name);
        ck_assert_int_ne(name[0], '.');
        for (; *name; name++) ck_assert_msg(isalnum(*name) || strchr("._-$=", *name), "%s", name);
    }
    cover_page_list_free(&list);
}
END_TEST

START_TEST(long_names_are_cut_and_stay_apart) {
    static char a[3000], b[3000];
    struct sample s;
    struct cover_page_list list;
    memset(a, 'a', sizeof a - 1);
    memcpy(b, a, sizeof b);
    b[sizeof b - 2] = 'b';
    make(&s);
    s.source.name = a;
    s.alone.name = b;
    ck_assert_int_eq(cover_page_list_make(&list, &s.model), 0);
    ck_assert_uint_lt(strlen(list.pages[0].file), 255);
    ck_assert_str_ne(list.pages[0].file, list.pages[1].file);
    cover_page_list_free(&list);
}
END_TEST

static const struct {
    struct cover_count count;
    unsigned percent;
} shares[] = {{{0, 0}, 100},
              {{1, 0}, 0},
              {{0, 1}, 100},
              {{1, 999999}, 99},
              {{999999, 1}, 0},
              {{1, 1}, 50},
              {{UINT32_MAX, UINT32_MAX}, 50}};

START_TEST(a_share_is_whole_only_if_all_is_covered) {
    ck_assert_uint_eq(cover_percent(shares[_i].count), shares[_i].percent);
}
END_TEST

// --- sources ---

static char folder[64];

static void write_file(const char *path, const char *content) {
    char whole[256], *slash;
    snprintf(whole, sizeof whole, "%s/%s", folder, path);
    for (slash = strchr(whole + strlen(folder) + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(whole, 0777);
        *slash = '/';
    }
    FILE *file = fopen(whole, "w");
    ck_assert_ptr_nonnull(file);
    fputs(content, file);
    fclose(file);
}

static void make_folder(void) {
    strcpy(folder, "/tmp/instr-sources-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
}

static void remove_folder(void) {
    char command[128];
    snprintf(command, sizeof command, "rm -r %s", folder);
    ck_assert_int_eq(system(command), 0);
}

static const struct {
    const char *package, *name, *found; // below the folder; NULL: none
} wanted[] = {
    {"com/acme", "A.java", "x/com/acme/A.java"},
    {"org/other", "A.java", NULL}, // three files, and none is better
    {"com/acme/deep", "K.kt", "kotlin/deep/K.kt"},
    {"com/acme/util", "K.kt", "kotlin/util/K.kt"},
    {"com/acme/gone", "K.kt", NULL},
    {"anything", "Only.java", "x/somewhere/Only.java"},
    {"", "Root.java", "Root.java"},
    {"com/acme", "Missing.java", NULL},
    {"com/acme", "../A.java", NULL},
    // Of two packages whose names end alike, each has its own.
    {"util", "U.java", "src/main/util/U.java"},
    {"app/util", "U.java", "src/main/app/util/U.java"},
};

START_TEST(sources_are_found_by_package_or_by_name) {
    struct cover_place found;
    write_file("x/com/acme/A.java", "a");
    write_file("x/org/acme/A.java", "a");
    write_file("A.java", "a");
    write_file("kotlin/deep/K.kt", "k");
    write_file("kotlin/util/K.kt", "k");
    write_file("x/somewhere/Only.java", "o");
    write_file("Root.java", "r");
    write_file("x/y/Root.java", "r");
    write_file("src/main/app/util/U.java", "u");
    write_file("src/main/util/U.java", "u");
    struct cover_sources *sources = cover_sources_new(NULL, 4);
    ck_assert_int_eq(cover_sources_add(sources, folder, NULL), 0);
    int any = cover_sources_find(sources, NULL, wanted[_i].package, wanted[_i].name, &found);
    ck_assert_int_eq(any, wanted[_i].found != NULL);
    if (wanted[_i].found) {
        ck_assert_str_eq(found.path + strlen(folder) + 1, wanted[_i].found);
    }
    cover_sources_free(sources);
}
END_TEST

START_TEST(sources_of_the_module_come_first) {
    struct cover_place found;
    char first[128], second[128];
    write_file("a/com/acme/A.java", "of a");
    write_file("b/com/acme/A.java", "\xEF\xBB\xBFof b");
    snprintf(first, sizeof first, "%s/a", folder);
    snprintf(second, sizeof second, "%s/b", folder);
    struct cover_sources *sources = cover_sources_new(NULL, 4);
    cover_sources_add(sources, first, "a");
    cover_sources_add(sources, second, "b");
    ck_assert_int_eq(cover_sources_find(sources, "b", "com/acme", "A.java", &found), 1);
    struct cli_bytes bytes;
    char reason[CLI_REASON_SIZE];
    ck_assert_int_eq(cover_sources_read(sources, &found, &bytes, reason), 0);
    ck_assert_uint_eq(bytes.length, 4); // without the mark of the order of bytes
    ck_assert_int_eq(memcmp(bytes.bytes, "of b", 4), 0);
    free(bytes.bytes);
    cover_sources_free(sources);
}
END_TEST

START_TEST(sources_of_other_encodings_become_utf8) {
    struct cover_place found;
    struct cli_bytes bytes;
    char reason[CLI_REASON_SIZE];
    write_file("A.java", "\xFC \x80");
    struct cover_sources *sources = cover_sources_new("ISO-8859-1", 4);
    cover_sources_add(sources, folder, NULL);
    ck_assert_int_eq(cover_sources_find(sources, NULL, "", "A.java", &found), 1);
    ck_assert_int_eq(cover_sources_read(sources, &found, &bytes, reason), 0);
    ck_assert_int_eq((int)bytes.length, 5);
    ck_assert_int_eq(memcmp(bytes.bytes, "\xC3\xBC \xC2\x80", 5), 0);
    free(bytes.bytes);
    cover_sources_free(sources);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("coverage formats");
    TCase *names = tcase_create("names"), *files = tcase_create("sources");
    tcase_add_loop_test(names, xml_is_well_formed, 0, EVIL);
    tcase_add_loop_test(names, lcov_has_only_its_records, 0, EVIL);
    tcase_add_loop_test(names, markdown_has_only_its_own_marks, 0, EVIL);
    tcase_add_loop_test(names, the_table_is_of_lines_that_can_be_read, 0, EVIL);
    tcase_add_loop_test(names, pages_have_only_their_own_elements, 0, EVIL);
    tcase_add_loop_test(names, pages_have_names_of_their_own, 0, EVIL);
    tcase_add_test(names, long_names_are_cut_and_stay_apart);
    tcase_add_loop_test(names, a_share_is_whole_only_if_all_is_covered, 0,
                        sizeof shares / sizeof *shares);
    tcase_add_checked_fixture(files, make_folder, remove_folder);
    tcase_add_loop_test(files, sources_are_found_by_package_or_by_name, 0,
                        sizeof wanted / sizeof *wanted);
    tcase_add_test(files, sources_of_the_module_come_first);
    tcase_add_test(files, sources_of_other_encodings_become_utf8);
    suite_add_tcase(suite, names);
    suite_add_tcase(suite, files);
    return run_suite(suite);
}

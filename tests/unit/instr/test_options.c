// Options: what they set, what is refused and in which words, and that a list survives formatting.

#include "instr/options.h"
#include "instr/options/names.h"
#include "tests/unit/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct instr_options options;
static char error[INSTR_ERROR_SIZE];

static void parse(const char *text) {
    ck_assert_msg(instr_options_parse(&options, text, error, sizeof error) == 0, "%s", error);
}

static void refuse(const char *text, const char *expected) {
    ck_assert_msg(instr_options_parse(&options, text, error, sizeof error) == -1, "%s", text);
    ck_assert_str_eq(error, expected);
    ck_assert_ptr_null(options.passes);
    ck_assert_uint_eq(options.pass_count, 0);
}

// A file that holds `text`; its name is in `config`.
static char config[64];
static void write_config(const char *text, size_t length) {
    strcpy(config, "/tmp/instr-options-XXXXXX");
    int fd = mkstemp(config);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(write(fd, text, length), (ssize_t)length);
    close(fd);
}

START_TEST(no_options_are_a_dormant_agent) {
    parse(NULL);
    ck_assert_uint_eq(options.pass_count, 0);
    ck_assert_ptr_null(options.include);
    ck_assert_int_eq(options.runtime, INSTR_RUNTIME_DIRECT);
    instr_options_free(&options);
    parse("");
    instr_options_free(&options);
    instr_options_free(&options);
}
END_TEST

START_TEST(every_option_sets_its_field) {
    parse("timing.file=a%p.json,timing,calls,timing.top=7,include=com.acme.**:org.foo.*,"
          "include=x.Y,exclude=com.acme.X,huge=yes,runtime=path,stats=s.json,verify=off,quiet=yes,"
          "verbose=yes,memory=8M,control=/run/a\\,b");
    ck_assert_uint_eq(options.pass_count, 2);
    ck_assert_str_eq(options.passes[0].pass->name, "timing");
    ck_assert_str_eq(options.passes[0].file, "a%p.json");
    ck_assert_uint_eq(options.passes[0].top, 7);
    ck_assert_str_eq(options.passes[1].pass->name, "calls");
    ck_assert_ptr_null(options.passes[1].file);
    ck_assert_uint_eq(options.passes[1].top, INSTR_TOP_DEFAULT);
    ck_assert_str_eq(instr_match_text(options.include), "com.acme.**:org.foo.*:x.Y");
    ck_assert_str_eq(instr_match_text(options.exclude), "com.acme.X");
    ck_assert(options.huge && options.quiet && options.verbose && options.verify);
    ck_assert_int_eq(options.runtime, INSTR_RUNTIME_PATH);
    ck_assert_str_eq(options.stats, "s.json");
    ck_assert_str_eq(options.control, "/run/a,b");
    ck_assert_uint_eq(options.memory, 8u << 20);
    instr_options_free(&options);
}
END_TEST

// JaCoCo's string, and the list that says the same in our words. A file of its own name, and a comma
// in a value, need no escapes.
static const char *const jacocos[][2] = {
    {"coverage=jacoco:", "coverage,coverage.bootstrap=no"},
    {"quiet=yes,coverage=jacoco:destfile=a,b%p\\,c.exec,append=false",
     "coverage,coverage.bootstrap=no,quiet=yes,"
     "coverage.file=a\\,b%%p\\\\\\,c.exec,coverage.append=no"},
    {"coverage=jacoco:includes=com.acme.*:org.foo.**:x.Y,excludes=*Test",
     "coverage,coverage.bootstrap=no,"
     "coverage.include=com.acme.**:org.foo.**:x.Y,coverage.exclude=**Test"},
    {"timing,coverage=jacoco:output=file,dumponexit=true,jmx=false,sessionid=s-1,includes=*,"
     "exclclassloader=sun.reflect.DelegatingClassLoader",
     "timing,coverage,coverage.session=s-1,coverage.bootstrap=no"},
    {"coverage=jacoco:inclnolocationclasses=true,inclbootstrapclasses=true",
     "coverage,coverage.nolocation=yes,coverage.bootstrap=yes,coverage.include=**"},
    {"coverage=jacoco:inclbootstrapclasses=true,includes=java.util.*",
     "coverage,coverage.bootstrap=yes,coverage.include=java.util.**"},
    // Values that are empty stand for options that are not given.
    {"coverage=jacoco:destfile=x.exec,includes=,excludes=,sessionid=,exclclassloader=,jmx=,"
     "address=,classdumpdir=",
     "coverage,coverage.file=x.exec,coverage.bootstrap=no"},
    {"coverage=jacoco:destfile=,append=,inclnolocationclasses=,inclbootstrapclasses=,output=,"
     "dumponexit=,port=",
     "coverage,coverage.bootstrap=no"},
    // So do empty patterns of a list.
    {"coverage=jacoco:includes=*In:,excludes=::a.*::b.C:",
     "coverage,coverage.bootstrap=no,coverage.include=**In,coverage.exclude=a.**:b.C"},
    {"coverage=jacoco:includes=:,excludes=:::", "coverage,coverage.bootstrap=no"},
    {"coverage=jacoco:includes=:*:,inclbootstrapclasses=TRUE,append=False",
     "coverage,coverage.append=no,coverage.bootstrap=yes,coverage.include=**"},
    // The scope is that of coverage alone.
    {"timing,include=org.foo.Calc,coverage=jacoco:includes=*.T,excludes=a.B",
     "timing,coverage,include=org.foo.Calc,coverage.bootstrap=no,coverage.include=**.T,"
     "coverage.exclude=a.B"},
    {"include=org.foo.**,coverage=jacoco:excludes=a.B",
     "coverage,include=org.foo.**,coverage.bootstrap=no,coverage.include=org.foo.**,"
     "coverage.exclude=a.B"},
};

START_TEST(jacocos_options_are_translated) {
    parse(jacocos[_i][1]);
    char *expected = instr_options_format(&options);
    instr_options_free(&options);
    parse(jacocos[_i][0]);
    char *found = instr_options_format(&options);
    instr_options_free(&options);
    ck_assert_str_eq(found, expected);
    free(expected);
    free(found);
}
END_TEST

START_TEST(a_backslash_takes_a_comma_into_a_value) {
    parse("timing, stats = a\\,b\\\\c\\d ,quiet=yes");
    ck_assert_str_eq(options.stats, "a,b\\c\\d");
    ck_assert_int_eq(options.quiet, 1);
    instr_options_free(&options);
}
END_TEST

#define JACOCOS "an option of JaCoCo's agent; write it behind coverage=jacoco:"

static const struct {
    const char *text, *expected;
} refused[] = {
    {"timng", "option 'timng': unknown; did you mean 'timing'?"},
    {"clals", "option 'clals': unknown; did you mean 'calls'?"},
    {"timing,inclde=a.*", "option 'inclde': unknown; did you mean 'include'?"},
    {"timing,timing.fle=a", "option 'timing.fle': unknown; did you mean 'timing.file'?"},
    {"coverage,destFile=a", "option 'destFile': " JACOCOS " or as coverage.file"},
    {"coverage,append=true", "option 'append': " JACOCOS " or as coverage.append"},
    {"coverage,includes=a.*",
     "option 'includes': " JACOCOS " or as coverage.include, whose ** is JaCoCo's *"},
    {"coverage,coverage.excludes=a.*",
     "option 'coverage.excludes': " JACOCOS " or as coverage.exclude, whose ** is JaCoCo's *"},
    {"coverage,sessionid=a", "option 'sessionid': " JACOCOS " or as coverage.session"},
    {"coverage,inclbootstrapclasses=true",
     "option 'inclbootstrapclasses': " JACOCOS " or as coverage.bootstrap"},
    {"coverage,inclNoLocationClasses=true",
     "option 'inclNoLocationClasses': " JACOCOS " or as coverage.nolocation"},
    {"coverage,exclclassloader=x", "option 'exclclassloader': " JACOCOS
                                   ", where it can only be sun.reflect.DelegatingClassLoader"},
    {"coverage,dumponexit", "option 'dumponexit': " JACOCOS ", where it can only be true"},
    {"coverage,coverage.dumponexit=true",
     "option 'coverage.dumponexit': " JACOCOS ", where it can only be true"},
    {"coverage,output=file", "option 'output': " JACOCOS ", where it can only be file"},
    {"coverage,jmx=true", "option 'jmx': " JACOCOS ", where it can only be false"},
    {"coverage,port=6300", "option 'port': an option of JaCoCo's agent, whose options stand behind "
                           "coverage=jacoco:; this one is not offered there either"},
    {"coverage,address=*", "option 'address': an option of JaCoCo's agent, whose options stand "
                           "behind coverage=jacoco:; this one is not offered there either"},
    {"coverage,classdumpdir",
     "option 'classdumpdir': an option of JaCoCo's agent, whose options stand behind "
     "coverage=jacoco:; this one is not offered there either"},
    {"coverage,jacoco:destfile=x", "option 'jacoco:destfile': " JACOCOS " or as coverage.file"},
    {"coverage,jacoco:x=x",
     "option 'jacoco:x': options of JaCoCo's agent stand behind coverage=jacoco:"},
    {"timing,file=a", "option 'file': unknown; did you mean 'calls.file'?"},
    {"timing,timing", "option 'timing': given twice"},
    {"timing,stats=a,stats=b", "option 'stats': given twice"},
    {"timing,calls,calls.file=a,timing.file=a",
     "option 'calls.file': the file is that of 'timing.file', too"},
    {"timing,stats=a,timing.file=a", "option 'timing.file': the file is that of 'stats', too"},
    {"stats=a,facts=a", "option 'facts': the file is that of 'stats', too"},
    {"timing,timing.top=1,timing.top=1", "option 'timing.top': given twice"},
    {"timing=1", "option 'timing': is a pass and takes no value"},
    {"include", "option 'include': needs a value: include=PATTERNS"},
    {"huge", "option 'huge': needs a value: huge=no|yes"},
    {"include=", "option 'include': has an empty value"},
    {"timing,timing.file= ", "option 'timing.file': has an empty value"},
    {"timing.top=3", "option 'timing.*': these options do not enable the pass; add 'timing'"},
    {"control=no", "option 'control': must be on, off, or a folder: /DIR, not 'no'"},
    {"control=/2345678901234567890123456789012345678901234567890123456789012345",
     "option 'control': the folder may have at most 64 bytes"},
    {"huge=ye", "option 'huge': must be no or yes, not 'ye'"},
    {"max-overhead=101%",
     "option 'max-overhead': must be a share such as 5% or 0.5%, or off, not '101%'"},
    {"max-overhead=no",
     "option 'max-overhead': must be a share such as 5% or 0.5%, or off, not 'no'"},
    {"batch-threads=3", "option 'batch-threads': must be auto, 1 or 2, not '3'"},
    {"runtime=jar", "option 'runtime': must be direct or path, not 'jar'"},
    {"timing,timing.top=-1", "option 'timing.top': must be a number from 0 to 1000000, not '-1'"},
    {"timing,timing.top=99999999999999999999",
     "option 'timing.top': must be a number from 0 to 1000000, not '99999999999999999999'"},
    {"memory=8MB", "option 'memory': must be a size from 64K to 1024G, such as 8M, not '8MB'"},
    {"memory=1", "option 'memory': must be a size from 64K to 1024G, such as 8M, not '1'"},
    {"memory=99999999999G",
     "option 'memory': must be a size from 64K to 1024G, such as 8M, not '99999999999G'"},
    {"include=a..b", "option 'include': pattern 'a..b' contains two dots in a row"},
    {"coverage=x", "option 'coverage': is a pass and takes no value"},
    {"coverage=jacoco:port=6300", "option 'coverage=jacoco:port': is not offered"},
    {"coverage=jacoco:output=tcpserver",
     "option 'coverage=jacoco:output': is offered only as file"},
    {"coverage=jacoco:includes=a.?",
     "option 'coverage=jacoco:includes': the wildcard ? is not offered"},
    {"coverage=jacoco:append=yes",
     "option 'coverage=jacoco:append': must be true or false, not 'yes'"},
    {"coverage=jacoco:append=true,quiet=yes",
     "option 'coverage=jacoco:quiet': JaCoCo's agent has no such option; jacoco: has to stand "
     "last"},
    {"coverage=jacoco:destfile", "option 'coverage=jacoco:destfile': needs a value"},
    {"coverage,coverage=jacoco:", "option 'coverage': given twice"},
    {"timing=jacoco:append=true", "option 'timing': is a pass and takes no value"},
    {"=timing,calls", "options: no name before '=timing'; did you mean 'timing'?"},
    {"timing,,calls", "options: empty item between two commas"},
    {"stats=a%d", "option 'stats': in a file name, % must be followed by p (the process id) or %"},
    {"stats=a%2", "option 'stats': in a file name, % must be followed by p (the process id) or %"},
    {"stats=a%2Fb%g0",
     "option 'stats': in a file name, % must be followed by p (the process id) or %"},
    {"stats=a%", "option 'stats': in a file name, % must be followed by p (the process id) or %"},
    {"a\nb\x1b[1m", "option 'a?b?[1m': unknown; did you mean 'alloc'?"},
    {"config=/does/not/exist", "option 'config': /does/not/exist: No such file or directory"},
    {"config=/tmp", "option 'config': /tmp: Is a directory"},
    {"config=/dev/zero", "option 'config': /dev/zero: not a regular file"},
};

START_TEST(a_mistake_is_refused_in_one_clear_line) {
    refuse(refused[_i].text, refused[_i].expected);
}
END_TEST

START_TEST(a_long_mistake_stays_one_line) {
    char text[5000];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    ck_assert_int_eq(instr_options_parse(&options, text, error, sizeof error), -1);
    ck_assert_uint_lt(strlen(error), 200);
    ck_assert_int_eq(instr_options_parse(&options, text, error, 10), -1);
    ck_assert_uint_eq(strlen(error), 9);
}
END_TEST

START_TEST(a_file_holds_one_option_per_line) {
    static const char text[] =
        "\xEF\xBB\xBF# what to do\r\n  timing\r\n\n\ttiming.file = a,b\\,c.json \n"
        "include=com.acme.**\ninclude=x.Y";
    write_config(text, sizeof text - 1);
    char list[128];
    snprintf(list, sizeof list, "calls,config=%s,quiet=yes", config);
    parse(list);
    unlink(config);
    ck_assert_uint_eq(options.pass_count, 2);
    ck_assert_str_eq(options.passes[1].file, "a,b\\,c.json");
    ck_assert_str_eq(instr_match_text(options.include), "com.acme.**:x.Y");
    char *format = instr_options_format(&options);
    ck_assert_str_eq(format, "calls,timing,timing.file=a\\,b\\\\\\,c.json,"
                             "include=com.acme.**:x.Y,quiet=yes");
    free(format);
    instr_options_free(&options);
}
END_TEST

START_TEST(a_mistake_in_a_file_names_its_line) {
    write_config("timing\n\nhuge=7\n", 15);
    char list[128], expected[256];
    snprintf(list, sizeof list, "config=%s", config);
    snprintf(expected, sizeof expected, "%s:3: option 'huge': must be no or yes, not '7'", config);
    refuse(list, expected);
    unlink(config);
    write_config("timing,calls\n", 13);
    snprintf(list, sizeof list, "config=%s", config);
    snprintf(expected, sizeof expected,
             "%s:1: option 'timing,calls': unknown; in a file, write one option per line", config);
    refuse(list, expected);
    unlink(config);
    write_config("tim\0ing\n", 8);
    snprintf(list, sizeof list, "config=%s", config);
    snprintf(expected, sizeof expected,
             "%s:1: option 'config': contains a NUL byte: not a text file", config);
    refuse(list, expected);
    unlink(config);
}
END_TEST

START_TEST(a_file_that_names_itself_is_refused) {
    write_config("", 0);
    FILE *file = fopen(config, "w");
    fprintf(file, "config=%s\n", config);
    fclose(file);
    char list[128], expected[256];
    snprintf(list, sizeof list, "config=%s", config);
    snprintf(expected, sizeof expected,
             "%s:1: option 'config': configuration files are nested more than 8 deep", config);
    refuse(list, expected);
    unlink(config);
}
END_TEST

static const char *const round_trips[] = {
    "",
    "timing",
    ("calls,timing,timing.file=a.json,timing.top=0,include=a.*:b.**,exclude=c.D,huge=yes,"
     "runtime=path,stats=/x/%p%%.json,verify=off,quiet=yes,verbose=yes,memory=8388608"),
    "control=off",
    "timing,control=/a\\,b",
    "calls,calls.file=a\\,b\\\\c",
    "calls,calls.include=a.*,timing,timing.include=b.*,timing.exclude=b.C",
    "calls,max-overhead=2.500%",
    "calls,max-overhead=off",
};

START_TEST(formatting_gives_the_same_options_again) {
    parse(round_trips[_i]);
    char *format = instr_options_format(&options);
    ck_assert_str_eq(format, round_trips[_i]);
    free(format);
    instr_options_free(&options);
}
END_TEST

START_TEST(passes_that_come_late_have_a_limit) {
    static const struct {
        const char *start, *late;
        unsigned of_calls, of_timing; // thousandths of a percent; calls is the one of the start
    } rows[] = {{"calls", "timing", 0, 10000},
                {"calls", "timing,max-overhead=off", 0, 0},
                {"calls", "timing,max-overhead=2.5%", 2500, 2500},
                {"calls,max-overhead=off", "timing", 0, 0},
                {"calls,max-overhead=5%", "timing", 5000, 5000},
                {"calls", "calls,timing", 0, 10000}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct instr_options later, copy;
        parse(rows[i].start);
        ck_assert_int_eq(
            instr_options_change(&later, &options, INSTR_ENABLE, rows[i].late, error, sizeof error),
            0);
        ck_assert_int_eq(instr_options_copy(&copy, &later), 0);
        ck_assert_uint_eq(instr_max_overhead(&copy, &copy.passes[0]), rows[i].of_calls);
        ck_assert_uint_eq(instr_max_overhead(&copy, &copy.passes[1]), rows[i].of_timing);
        instr_options_free(&copy);
        instr_options_free(&later);
        instr_options_free(&options);
    }
}
END_TEST

START_TEST(a_file_name_may_hold_the_process_id) {
    char *name = instr_expand_file("/a/%p-%%-%p.json", 4711);
    ck_assert_str_eq(name, "/a/4711-%-4711.json");
    free(name);
    name = instr_expand_file("/w/feature%2Fx/%%2F%p%C3%9f.exec", 4711);
    ck_assert_str_eq(name, "/w/feature%2Fx/%2F4711%C3%9f.exec");
    free(name);
}
END_TEST

static const struct {
    const char *list, *name;
    int platform, expected;
} scopes[] = {
    {"timing", "com/acme/Foo", 0, 1},
    {"timing", "java/util/List", 1, 0},
    {"timing,include=java.util.**", "java/util/List", 1, 1},
    {"timing,include=java.util.**", "com/acme/Foo", 0, 0},
    {"timing,include=java.util.**,exclude=java.util.L*", "java/util/List", 1, 0},
    {"timing,exclude=com.acme.**", "com/acme/Foo", 0, 0},
    {"timing,exclude=com.acme.**", "com/other/Foo", 0, 1},
    {"timing,include=**", "java/lang/InstrTiming", 1, 0},
    {"timing,include=**", "java/lang/Instr", 1, 0},
    {"timing,include=**", "java/lang/instrument/Foo", 1, 1},
    {"timing,include=**", "instr/runtime/Foo", 0, 0},
};

START_TEST(the_scope_is_include_or_not_platform_minus_exclude) {
    parse(scopes[_i].list);
    int result = instr_scope_matches(&options, scopes[_i].name, strlen(scopes[_i].name),
                                     scopes[_i].platform);
    ck_assert_msg(result == scopes[_i].expected, "%s %s", scopes[_i].list, scopes[_i].name);
    instr_options_free(&options);
}
END_TEST

static const struct {
    const char *list, *name;
    uint64_t expected; // a bit for each pass
} pass_scopes[] = {
    {"timing,calls,include=a.**", "a/B", 3},
    {"timing,calls,include=a.**,calls.include=b.**", "a/B", 1},
    {"calls.include=b.**,timing,calls,include=a.**", "b/B", 2},
    {"timing,calls,calls.include=b.**", "a/B", 1},
    {"timing,calls,calls.exclude=a.**,include=**", "a/B", 1},
    {"timing,calls,calls.include=a.*,exclude=a.B", "a/B", 0},
    {"timing,calls,calls.include=a.*,calls.exclude=a.C,exclude=a.B", "a/B", 2},
    {"timing,calls,calls.include=a.*,calls.include=b.*", "b/B", 3},
};

START_TEST(a_pass_may_have_a_scope_of_its_own) {
    parse(pass_scopes[_i].list);
    const char *name = pass_scopes[_i].name;
    uint64_t found = instr_scope_passes(&options, name, strlen(name), 0);
    ck_assert_msg(found == pass_scopes[_i].expected, "%s", pass_scopes[_i].list);
    instr_options_free(&options);
}
END_TEST

static void change(enum instr_change kind, const char *owner, const char *text) {
    struct instr_options next;
    struct instr_owner who = {.name = ""};
    strcpy(who.name, owner);
    ck_assert_msg(instr_options_change_as(&next, &options, kind, &who, text, error, sizeof error) ==
                      0,
                  "%s", error);
    instr_options_free(&options);
    options = next;
}

static void expect_format(const char *expected) {
    char *format = instr_options_format(&options);
    ck_assert_str_eq(format, expected);
    free(format);
}

START_TEST(a_scope_is_that_of_the_passes_that_are_named_with_it) {
    parse("");
    change(INSTR_ENABLE, "", "timing,include=a.**,exclude=a.X");
    expect_format("timing,include=a.**,exclude=a.X");
    change(INSTR_ENABLE, "", "calls"); // as the pass before
    expect_format("timing,calls,include=a.**,exclude=a.X");
    change(INSTR_ENABLE, "", "calls,include=b.**");
    expect_format("timing,timing.include=a.**,timing.exclude=a.X,calls,calls.include=b.**");
    change(INSTR_SET, "", "calls.exclude=b.X");
    expect_format("timing,timing.include=a.**,timing.exclude=a.X,calls,calls.exclude=b.X");
    change(INSTR_SET, "", "include=c.**"); // not for calls, which has its own one now
    expect_format("timing,timing.include=c.**,calls,calls.exclude=b.X");
    change(INSTR_ENABLE, "", "calls,timing,include=c.**");
    expect_format("timing,calls,include=c.**");
    ck_assert_int_eq(instr_options_exclude(&options, "c.X:c.Y", error, sizeof error), 0);
    expect_format("timing,calls,include=c.**,exclude=c.X:c.Y");
    ck_assert_ptr_eq(options.passes[0].exclude, options.passes[1].exclude);
    ck_assert_int_eq(instr_options_exclude(&options, "c..X", error, sizeof error), -1);
    instr_options_free(&options);
}
END_TEST

START_TEST(a_file_has_one_result) {
    struct instr_options next;
    struct instr_owner bob = {.name = "bob"};
    parse("timing,calls,timing.file=/dev/stdout,calls.file=/dev/stdout");
    instr_options_free(&options);
    parse("calls,calls.file=a.json");
    ck_assert_int_eq(instr_options_change_as(&next, &options, INSTR_ENABLE, &bob,
                                             "timing,timing.file=a.json", error, sizeof error),
                     -1);
    ck_assert_str_eq(error, "option 'timing.file': the file is that of 'calls.file' of the command "
                            "line, too");
    change(INSTR_ENABLE, "bob", "calls,calls.file=b.json");
    change(INSTR_ENABLE, "bob", "calls,calls.file=b.json,include=b.**");
    instr_options_free(&options);
}
END_TEST

START_TEST(owners_do_not_move_the_passes_of_each_other) {
    parse("calls,include=s.**");
    change(INSTR_ENABLE, "alice", "calls,include=a.**");
    change(INSTR_ENABLE, "bob", "timing"); // without a scope it is that of the start
    change(INSTR_ENABLE, "bob", "calls,calls.include=b.**,calls.file=b.json");
    change(INSTR_SET, "alice", "include=c.**");
    static const char *const include[] = {"s.**", "c.**", "s.**", "b.**"};
    static const char *const owner[] = {"the command line", "alice", "bob", "bob"};
    ck_assert_uint_eq(options.pass_count, 4);
    struct instr_options next;
    struct instr_owner alice = {.name = "alice"};
    ck_assert_int_eq(instr_options_change_as(&next, &options, INSTR_SET, &alice, "timing.top=1",
                                             error, sizeof error),
                     -1);
    ck_assert_str_eq(error, "option 'timing.*': the pass is not enabled by alice");
    for (size_t i = 0; i < 4; i++) {
        ck_assert_str_eq(instr_match_text(options.passes[i].include), include[i]);
        ck_assert_str_eq(instr_owner_text(&options.passes[i].owner), owner[i]);
    }
    ck_assert_ptr_null(options.passes[1].file);
    ck_assert_str_eq(options.passes[3].file, "b.json");
    struct instr_options rest;
    ck_assert_int_eq(instr_options_without_owner(&rest, &options, options.passes[1].pass,
                                                 &options.passes[1].owner),
                     0);
    ck_assert_uint_eq(rest.pass_count, 3);
    ck_assert_str_eq(instr_owner_text(&rest.passes[0].owner), "the command line");
    instr_options_free(&rest);
    instr_options_free(&options);
}
END_TEST

START_TEST(a_scope_that_no_pass_takes_is_refused) {
    parse("calls");
    change(INSTR_ENABLE, "alice", "calls,calls.include=a.**");
    change(INSTR_ENABLE, "bob", "watch,watch.methods=a.B.c");
    static const struct {
        enum instr_change kind;
        const char *owner, *text, *expected;
    } rows[] = {
        {INSTR_SET, "carol", "include=b.**",
         "option 'include': carol has no active pass that takes it"},
        {INSTR_ENABLE, "carol", "exclude=b.**",
         "option 'exclude': carol has no active pass that takes it"},
        {INSTR_SET, "bob", "include=b.**",
         "option 'include': bob has no active pass that takes it"},
        {INSTR_SET, "alice", "include=b.**",
         "option 'include': each pass of alice has classes of its own; use 'calls.include'"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct instr_options next;
        struct instr_owner owner = {.name = ""};
        strcpy(owner.name, rows[i].owner);
        ck_assert_int_eq(instr_options_change_as(&next, &options, rows[i].kind, &owner,
                                                 rows[i].text, error, sizeof error),
                         -1);
        ck_assert_str_eq(error, rows[i].expected);
    }
    change(INSTR_ENABLE, "alice", "timing");
    change(INSTR_SET, "alice", "include=b.**");
    ck_assert_str_eq(instr_match_text(options.passes[3].include), "b.**");
    ck_assert_str_eq(instr_match_text(options.passes[1].include), "a.**");
    instr_options_free(&options);
}
END_TEST

START_TEST(limits_are_those_of_who_gives_them) {
    parse("calls,max-overhead=5%");
    change(INSTR_ENABLE, "alice", "timing");
    change(INSTR_ENABLE, "bob", "timing,alloc,max-overhead=off,alloc.max-overhead=20%");
    static const struct {
        const char *change, *owner;
        unsigned limits[4];
    } rows[] = {{NULL, NULL, {5000, 5000, 0, 20000}},
                {"max-overhead=2%", "alice", {5000, 2000, 0, 20000}},
                {"max-overhead=3%", "bob", {5000, 2000, 3000, 20000}},
                {"max-overhead=1%", "", {1000, 2000, 3000, 20000}},
                {"max-overhead=off", "alice", {1000, 0, 3000, 20000}}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (rows[i].change) change(INSTR_SET, rows[i].owner, rows[i].change);
        for (size_t k = 0; k < 4; k++)
            ck_assert_uint_eq(instr_max_overhead(&options, &options.passes[k]), rows[i].limits[k]);
    }
    struct instr_options none;
    struct instr_owner carol = {.name = "carol"};
    ck_assert_int_eq(instr_options_change_as(&none, &options, INSTR_SET, &carol, "max-overhead=1%",
                                             error, sizeof error),
                     -1);
    ck_assert_str_eq(error, "option 'max-overhead': carol has no active pass");
    instr_options_free(&options);
}
END_TEST

START_TEST(quiet_are_the_passes_of_who_wants_it) {
    parse("calls,quiet=yes");
    change(INSTR_ENABLE, "alice", "calls");
    change(INSTR_ENABLE, "bob", "timing,quiet=yes");
    change(INSTR_ENABLE, "bob", "calls");
    static const int quiet[] = {1, 0, 1, 1};
    for (size_t i = 0; i < 4; i++) ck_assert_int_eq(options.passes[i].terms.quiet, quiet[i]);
    change(INSTR_SET, "bob", "quiet=no");
    ck_assert_int_eq(options.passes[2].terms.quiet, 0);
    ck_assert_int_eq(options.quiet, 1); // as of the start
    ck_assert_int_eq(instr_owner_is_quiet(&options, &options.passes[0].owner), 1);
    ck_assert_int_eq(instr_owner_is_quiet(&options, &options.passes[2].owner), 0);
    instr_options_free(&options);
}
END_TEST

static uint64_t expiry_of(size_t pass) {
    return options.passes[pass].terms.expiry / 1000000000;
}

START_TEST(a_time_is_for_the_passes_of_its_owner) {
    parse("calls,for=1h");
    change(INSTR_ENABLE, "alice", "calls");
    change(INSTR_ENABLE, "bob", "calls,for=2s");
    change(INSTR_ENABLE, "bob", "timing"); // as the passes that bob has
    static const uint64_t first[] = {3600, 0, 2, 2}, then[] = {3600, 60, 5, 5};
    ck_assert_uint_eq(options.pass_count, 4);
    for (size_t i = 0; i < 4; i++) ck_assert_uint_eq(expiry_of(i), first[i]);
    for (size_t i = 0; i < 4; i++) options.passes[i].terms.expires = 100 + i;
    change(INSTR_SET, "bob", "for=5s");
    change(INSTR_SET, "alice", "for=1m");
    for (size_t i = 0; i < 4; i++) ck_assert_uint_eq(expiry_of(i), then[i]);
    ck_assert_uint_eq(instr_pass_ends(&options.passes[0]), 100);
    ck_assert_uint_eq(instr_pass_ends(&options.passes[3]), 0); // begins anew
    struct instr_options next;
    struct instr_owner carol = {.name = "carol"};
    ck_assert_int_eq(
        instr_options_change_as(&next, &options, INSTR_SET, &carol, "for=2s", error, sizeof error),
        -1);
    ck_assert_str_eq(error, "option 'for': carol has no active pass");
    options.passes[2].ends = 50;
    ck_assert_int_eq(instr_options_without_ended(&next, &options, 99), 0);
    ck_assert_uint_eq(next.pass_count, 3);
    ck_assert_str_eq(next.passes[2].pass->name, "timing");
    ck_assert_uint_eq(next.expiry / 1000000000, 3600);
    instr_options_free(&next);
    instr_options_free(&options);
}
END_TEST

START_TEST(at_most_64_passes_are_on) {
    struct instr_options next;
    struct instr_owner who = {.name = ""};
    parse("calls");
    for (int i = 1; i < 64; i++) {
        snprintf(who.name, sizeof who.name, "%d", i);
        change(INSTR_ENABLE, who.name, "calls");
    }
    strcpy(who.name, "last");
    ck_assert_int_eq(
        instr_options_change_as(&next, &options, INSTR_ENABLE, &who, "calls", error, sizeof error),
        -1);
    ck_assert_str_eq(error, "option 'calls': 64 passes are on already");
    ck_assert_uint_eq(instr_scope_passes(&options, "a/B", 3, 0), UINT64_MAX);
    instr_options_free(&options);
}
END_TEST

static const struct {
    const char *name;
    size_t length;
    int result;
    const char *login;
} names[] = {
    {"alice", 5, 0, "alice"},
    {"A.b_c@d+e-1", 11, 0, "A.b_c@d+e-1"},
    {"", 0, -1, ""},
    {"a b", 3, -1, "a_b"},
    {"a\033[2J", 5, -1, "a__2J"},
    {"a\0b", 3, -1, "a"},
    {"DOMAIN\\user", 11, -1, "DOMAIN_user"},
    {"12345678901234567890123456789012", 32, 0, "12345678901234567890123456789012"},
    {"123456789012345678901234567890123", 33, -1, "12345678901234567890123456789012"},
};

START_TEST(a_name_is_short_and_printable) {
    struct instr_owner owner = {.name = "before"};
    ck_assert_int_eq(instr_owner_set(&owner, names[_i].name, names[_i].length), names[_i].result);
    ck_assert_str_eq(owner.name, names[_i].result == 0 ? names[_i].name : "before");
    instr_owner_set_login(&owner, names[_i].name);
    ck_assert_str_eq(owner.name, names[_i].login);
}
END_TEST

static void count(void *context, const char *name, const char *argument, const char *help) {
    ck_assert_msg(strlen(help) > 10, "%s has no help", name);
    ck_assert_msg(!strpbrk(help, "\n\t"), "%s: the help is not one line", name);
    if (argument) ck_assert_ptr_eq(instr_option_argument(name), argument);
    ++*(int *)context;
}

START_TEST(every_option_has_a_line_of_help) {
    int n = 0;
    instr_each_option(count, &n);
    ck_assert_int_ge(n, 2 + 9 + 4);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("options");
    TCase *tcase = tcase_create("options");
    tcase_add_test(tcase, no_options_are_a_dormant_agent);
    tcase_add_test(tcase, every_option_sets_its_field);
    tcase_add_test(tcase, a_backslash_takes_a_comma_into_a_value);
    tcase_add_loop_test(tcase, a_mistake_is_refused_in_one_clear_line, 0,
                        sizeof refused / sizeof *refused);
    tcase_add_test(tcase, a_long_mistake_stays_one_line);
    tcase_add_test(tcase, a_file_holds_one_option_per_line);
    tcase_add_test(tcase, a_mistake_in_a_file_names_its_line);
    tcase_add_test(tcase, a_file_that_names_itself_is_refused);
    tcase_add_loop_test(tcase, jacocos_options_are_translated, 0,
                        (int)(sizeof jacocos / sizeof *jacocos));
    tcase_add_loop_test(tcase, formatting_gives_the_same_options_again, 0,
                        sizeof round_trips / sizeof *round_trips);
    tcase_add_test(tcase, passes_that_come_late_have_a_limit);
    tcase_add_test(tcase, a_file_name_may_hold_the_process_id);
    tcase_add_loop_test(tcase, the_scope_is_include_or_not_platform_minus_exclude, 0,
                        sizeof scopes / sizeof *scopes);
    tcase_add_loop_test(tcase, a_pass_may_have_a_scope_of_its_own, 0,
                        sizeof pass_scopes / sizeof *pass_scopes);
    tcase_add_test(tcase, a_scope_is_that_of_the_passes_that_are_named_with_it);
    tcase_add_test(tcase, a_file_has_one_result);
    tcase_add_test(tcase, owners_do_not_move_the_passes_of_each_other);
    tcase_add_test(tcase, a_time_is_for_the_passes_of_its_owner);
    tcase_add_test(tcase, quiet_are_the_passes_of_who_wants_it);
    tcase_add_test(tcase, a_scope_that_no_pass_takes_is_refused);
    tcase_add_test(tcase, limits_are_those_of_who_gives_them);
    tcase_add_test(tcase, at_most_64_passes_are_on);
    tcase_add_loop_test(tcase, a_name_is_short_and_printable, 0, sizeof names / sizeof *names);
    tcase_add_test(tcase, every_option_has_a_line_of_help);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}

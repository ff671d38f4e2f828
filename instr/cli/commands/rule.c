// instr rule: adds a rule to a JVM, ends it, or extends its time.

#include "instr/cli/commands/rule.h"
#include "instr/cli/commands/rule_explain.h"
#include "instr/cli/agent_library.h"
#include "instr/cli/commands/switch.h"
#include "instr/cli/bring.h"
#include "instr/cli/internal.h"
#include "instr/cli/talk.h"
#include "instr/report/text.h"
#include "instr/rules/files.h"
#include "instr/rules/parse.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ANSWER_MS = 10000 };

struct request {
    struct cli_control control;
    const char *name, *allow, *drop, *limit;
    uint64_t time, extend; // ns; 0: not given
};

// --- the text ---

int cli_rule_check(const char *text, bool prints) {
    struct instr_rule_error error;
    struct instr_rule *rule = instr_rule_parse(text, &error);
    if (rule) {
        bool ok = prints || !rule->prints;
        instr_rule_free(rule);
        return ok ? CLI_OK : cli_usage("rule", "'instr watch --print VALUES' prints calls");
    }
    cli_error("the rule is wrong: %s", error.text);
    size_t before = 0;
    for (uint32_t i = 0; i < error.offset && text[i]; i++)
        before += (text[i] & 0xc0) != 0x80; // bytes that begin a character
    bool shown = strlen(text) < 400 && !strpbrk(text, "\n\r\t\033");
    if (shown) fprintf(stderr, "  %s\n  %*s^\n", text, (int)before, "");
    return CLI_USAGE;
}

int cli_rule_take(char **rule, bool prints) {
    int status = cli_rule_check(*rule, prints);
    if (status != CLI_OK) return status;
    char *whole = instr_rule_with_files(*rule);
    free(*rule);
    *rule = whole;
    return whole ? CLI_OK : cli_no_memory();
}

// The option for one rule: its name and what is given for it. NULL: out of memory.
static char *rule_option(const struct request *r, const char *text, const char *name) {
    size_t room = 2 * (strlen(text) + (r->limit ? strlen(r->limit) : 0)) + 300;
    char *list = malloc(room), *to = list;
    if (!list) return NULL;
    to += sprintf(to, "rule=");
    cli_append_value(&to, text);
    if (name) to += snprintf(to, 80, ",name=%s", name);
    if (r->time)
        to += snprintf(to, 80, ",%s.for=%llums", name, (unsigned long long)(r->time / 1000000));
    if (r->limit) {
        to += snprintf(to, 80, ",%s.max-overhead=", name);
        cli_append_value(&to, r->limit);
    }
    return list;
}

// The option for a text, or a file, and `allow` (NULL: nothing) with it, without what is for single rules. NULL: out of memory.
static char *allowed(const char *text, const char *name, const char *allow) {
    const struct request none = {0};
    char *rule = rule_option(&none, text, name);
    if (!rule || !allow) return rule;
    char *list = cli_concat(rule, ",allow=", allow, NULL);
    free(rule);
    return list;
}

// A name that no pass of the JVM has.
static void find_name(const json_t *status, unsigned *n, char name[33]) {
    const json_t *passes = json_object_get(status, "passes");
    for (;;) {
        size_t index;
        const json_t *item;
        bool taken = false;
        snprintf(name, 33, "rule%u", ++*n);
        json_array_foreach(passes, index, item) taken |=
            json_is_string(item) && strcmp(json_string_value(item), name) == 0;
        if (!taken) return;
    }
}

// The rules of a text, or of a file of the user's (@FILE), with the patterns of files in them. The caller
// frees the options, also after an error.
static int read_rules(const struct request *r, const char *text, struct instr_options *options) {
    char error[INSTR_ERROR_SIZE];
    int status = *text == '@' ? CLI_OK : cli_rule_check(text, false);
    if (status != CLI_OK) return status;
    char *list = allowed(text, NULL, r->allow);
    if (!list) return cli_no_memory();
    if (instr_options_parse(options, list, error, sizeof error) != 0) {
        cli_error("%s", error);
        status = CLI_USAGE;
    }
    free(list);
    return status;
}

// Names for the rules, where the user has given none, and all as one list of options. NULL: out of memory.
static char *list_rules(const struct request *r, const struct instr_options *rules,
                        const json_t *status) {
    char *list = strdup("");
    unsigned n = 0;
    for (size_t i = 0; i < rules->pass_count && list; i++) {
        struct rw_made *made = rules->passes[i].pass->made;
        if (r->name)
            snprintf(made->name, sizeof made->name, "%s", r->name);
        else
            find_name(status, &n, made->name);
        char *one = rule_option(r, made->text, made->name);
        char *more = one ? cli_concat(list, i ? "," : "", one, NULL) : NULL;
        free(one);
        free(list);
        list = more;
    }
    if (!list || !r->allow) return list;
    char *whole = cli_concat(list, ",allow=", r->allow, NULL);
    free(list);
    return whole;
}

static int send_rules(const struct request *r, const struct instr_options *rules,
                      struct cli_session *session) {
    struct cli_event event;
    cli_session_limit(session, ANSWER_MS);
    json_t *passes = cli_session_ask(session, "status", &event);
    session->limit = INSTR_NEVER;
    if (!passes) return cli_control_end(&event);
    char *list = list_rules(r, rules, passes);
    json_decref(passes);
    if (!list) return cli_no_memory();
    int status = cli_control_introduce(session, &r->control.owner);
    if (status == CLI_OK)
        status = cli_control_run(session, 2, (const char *const[]){"enable", list}, r->control.json,
                                 cli_switch_show);
    free(list);
    char time[INSTR_DURATION_SIZE];
    for (size_t i = 0; i < rules->pass_count && status == CLI_OK && !r->control.json; i++) {
        const struct rw_made *made = rules->passes[i].pass->made;
        printf("instr: %s ends in %s; 'instr rules %ld' shows its tables\n", made->name,
               instr_duration(r->time ? r->time : made->lease, time), r->control.pid);
    }
    return status;
}

static int add(const struct request *r, const char *text) {
    struct cli_session session;
    struct instr_options rules = {0};
    int brought, status = read_rules(r, text, &rules);
    if (status == CLI_OK && r->name && rules.pass_count > 1)
        status = cli_usage("rule", "--name names one rule, and the file has several");
    if (status == CLI_OK && r->name && strlen(r->name) > 32)
        status = cli_usage("rule", "--name: a name has at most 32 characters");
    if (status == CLI_OK) status = cli_bring(&session, r->control.pid, NULL, &brought);
    if (status == CLI_OK) {
        status = send_rules(r, &rules, &session);
        cli_session_close(&session);
        if (status != CLI_OK && brought) cli_take_back(r->control.pid);
    }
    instr_options_free(&rules);
    return status;
}

// --- the command ---

// Is a rule of this name on? Otherwise that is printed. A pass of this name is not meant.
static int find_rule(struct cli_session *session, const char *name) {
    struct cli_event event;
    const json_t *pass;
    size_t i;
    bool found = false;
    cli_session_limit(session, ANSWER_MS);
    json_t *answer = cli_session_ask(session, "status", &event);
    session->limit = INSTR_NEVER;
    json_array_foreach(json_object_get(answer, "enabled"), i, pass) found |=
        strcmp(cli_text(pass, "kind"), "rule") == 0 && strcmp(cli_text(pass, "pass"), name) == 0 &&
        !json_is_true(json_object_get(pass, "of_command"));
    int status = answer ? CLI_OK : cli_control_end(&event);
    json_decref(answer);
    if (status != CLI_OK || found) return status;
    return cli_error("no rule is called %.64s; 'instr rules %ld' lists those that are on", name,
                     (long)session->process.pid);
}

// Gives the agent a command for the rule of this name.
static int change(const struct request *r, const char *name, const char *const words[2],
                  cli_printer shown) {
    struct cli_session session;
    int status = cli_control_connect(&session, r->control.pid);
    if (status != CLI_OK) return status;
    status = find_rule(&session, name);
    if (status == CLI_OK) status = cli_control_introduce(&session, &r->control.owner);
    if (status == CLI_OK) status = cli_control_run(&session, 2, words, r->control.json, shown);
    cli_session_close(&session);
    return status;
}

static int extend(const struct request *r, const char *name) {
    char text[128];
    snprintf(text, sizeof text, "%.60s.for=%llums", name,
             (unsigned long long)(r->extend / 1000000));
    return change(r, name, (const char *const[]){"set", text}, cli_switch_show);
}

static int read_request(struct request *r, int argc, char **argv) {
    const char *as = NULL;
    const struct cli_option options[] = {{"--name", .text = &r->name},
                                         {"--for", .time = &r->time},
                                         {"for", .time = &r->time},
                                         {"--allow", .text = &r->allow},
                                         {"--max-overhead", .text = &r->limit},
                                         {"--drop", .text = &r->drop},
                                         {"--extend", .time = &r->extend},
                                         {"--as", .text = &as},
                                         {NULL}};
    int status = cli_control_arguments(&r->control, "rule", argc, argv, options, 0, 1,
                                       "a process id and a rule");
    if (status != CLI_OK) return status;
    if ((r->drop != NULL) + (r->control.argc == 1) != 1)
        return cli_usage("rule", "expects a process id and a rule, --drop NAME, or --extend TIME "
                                 "NAME");
    if ((r->drop || r->extend) &&
        (r->name || r->time || r->allow || r->limit || (r->drop && r->extend)))
        return cli_usage("rule", "--drop and --extend stand alone");
    return cli_control_sign("rule", as, &r->control.owner);
}

// --explain TEXT [PATH...]
static int explain(const char *text, int argc, char **argv) {
    struct instr_rule_error error;
    int status = cli_rule_check(text, false);
    if (status != CLI_OK) return status;
    struct instr_rule *rule = instr_rule_parse(text, &error);
    char *list = rule ? allowed(text, "rule1", "delay:throw:return:set") : NULL;
    status = list ? cli_rule_explain(rule, list, argc, argv) : cli_no_memory();
    instr_rule_free(rule);
    free(list);
    return status;
}

int cli_rule(int argc, char **argv) {
    struct request r = {0};
    for (int i = 0; i < argc; i++) {
        const char *text = NULL;
        const struct cli_option options[] = {{"--explain", .text = &text}, {NULL}};
        if (strcmp(argv[i], "--explain") != 0) continue;
        if (cli_arguments("rule", &argc, argv, options) != CLI_OK) return CLI_USAGE;
        return explain(text, argc, argv);
    }
    int status = read_request(&r, argc, argv);
    if (status != CLI_OK) return status;
    if (r.drop)
        return change(&r, r.drop, (const char *const[]){"disable", r.drop},
                      cli_switch_show_restored);
    return r.extend ? extend(&r, r.control.argv[0]) : add(&r, r.control.argv[0]);
}

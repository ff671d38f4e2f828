// instr status: what the agent in a JVM is doing, and has done.

#include "instr/cli/talk.h"
#include "instr/report/text.h"

#include <stdio.h>
#include <string.h>

static void line(const char *name, const char *text) {
    printf("%-10s ", name);
    cli_print(text);
    putchar('\n');
}

static void passes(const json_t *document) {
    char text[512] = "";
    size_t index;
    json_t *pass;
    json_array_foreach(json_object_get(document, "passes"), index, pass) {
        size_t n = strlen(text);
        snprintf(text + n, sizeof text - n, "%s%s", index ? ", " : "", json_string_value(pass));
    }
    line("passes", *text ? text : "none");
    if (*cli_text(document, "include")) line("include", cli_text(document, "include"));
    if (*cli_text(document, "exclude")) line("exclude", cli_text(document, "exclude"));
}

static void figures(const json_t *document) {
    char a[INSTR_NUMBER_SIZE], b[INSTR_NUMBER_SIZE], c[INSTR_NUMBER_SIZE],
        time[INSTR_DURATION_SIZE];
    printf("%-10s %s classes changed, %s methods\n", "now",
           instr_number(cli_count(document, "classes_now"), a),
           instr_number(cli_count(document, "methods_now"), b));
    printf("%-10s %s seen, %s changed, %s kept as they were\n", "classes",
           instr_number(cli_count(document, "classes_seen"), a),
           instr_number(cli_count(document, "classes_changed"), b),
           instr_number(cli_count(document, "classes_skipped"), c));
    printf("%-10s %s changed, %s kept as they were\n", "methods",
           instr_number(cli_count(document, "methods_changed"), a),
           instr_number(cli_count(document, "methods_skipped"), b));
    if (cli_count(document, "classes_total"))
        printf("%-10s %s of %s loaded classes so far\n", "under way",
               instr_number(cli_count(document, "classes_done"), a),
               instr_number(cli_count(document, "classes_total"), b));
    if (cli_count(document, "interfaces_skipped"))
        printf("%-10s %s with code left as they were\n", "interfaces",
               instr_number(cli_count(document, "interfaces_skipped"), a));
    if (cli_count(document, "classes_over_limit"))
        printf("%-10s %s left as they are, by max-classes or max-methods\n", "limits",
               instr_number(cli_count(document, "classes_over_limit"), a));
    if (cli_count(document, "classes_refused_now"))
        printf("%-10s %s that the JVM does not let be changed\n", "refused",
               instr_number(cli_count(document, "classes_refused_now"), a));
    printf("%-10s %s\n", "rewriting", instr_duration(cli_count(document, "rewriting_ns"), time));
    if (cli_count(document, "expires_in_ns"))
        printf("%-10s all is switched off in %s\n", "expiry",
               instr_duration(cli_count(document, "expires_in_ns"), time));
    printf("%-10s %s bytes\n", "memory",
           instr_number(cli_count(json_object_get(document, "memory_bytes"), "all"), a));
}

static void agents(const json_t *document) {
    size_t index;
    json_t *agent;
    json_array_foreach(json_object_get(document, "agents"), index, agent)
        line(index ? "" : "agents", cli_text(agent, "name"));
}

static void kept(const json_t *document) {
    size_t index;
    json_t *item;
    char text[1024];
    json_array_foreach(json_object_get(document, "skipped"), index, item) {
        const char *method = cli_text(item, "method");
        snprintf(text, sizeof text, "%s%s%s: %s", cli_text(item, "class"), *method ? "." : "",
                 method, cli_text(item, "reason"));
        line(index ? "" : "skipped", text);
    }
}

static void show(const json_t *document, const struct instr_target *target) {
    char text[512];
    char inner[32] = "";
    if (target->inner_pid != target->pid)
        snprintf(inner, sizeof inner, " (%ld inside)", (long)target->inner_pid);
    snprintf(text, sizeof text, "%ld%s, %s %s", (long)target->pid, inner, cli_text(document, "jvm"),
             cli_text(document, "jvm_version"));
    line("JVM", text);
    snprintf(text, sizeof text, "%s, %s", cli_text(document, "agent"), cli_text(document, "state"));
    line("agent", text);
    passes(document);
    figures(document);
    agents(document);
    kept(document);
}

int cli_status(int argc, char **argv) {
    struct cli_control control;
    struct cli_session session;
    int status = cli_control_arguments(&control, "status", argc, argv);
    if (status != CLI_OK) return status;
    if (control.argc) return cli_usage("status", "instr: status: only a process id");
    if (cli_control_connect(&session, control.pid) != CLI_OK) return CLI_FAILED;
    status = cli_control_run(&session, 1, (const char *const[]){"status"}, control.json, show);
    cli_session_close(&session);
    return status;
}

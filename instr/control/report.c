// The command report.

#include "instr/control/operation.h"

#include "instr/passes/coverage/coverage.h"
#include "instr/retransform/current_results.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

// Sends coverage as the bytes of an .exec file.
static void report_coverage(struct instr_reply *reply, JNIEnv *jni, bool reset) {
    char error[INSTR_ERROR_SIZE], bytes[16 * 1024];
    ssize_t n = 0;
    int fd = memfd_create("instr-exec", MFD_CLOEXEC);
    if (fd < 0) {
        instr_reply_fail(reply, "the coverage cannot be stored: %s", strerror(errno));
        return;
    }
    if (instr_coverage_write_descriptor(jni, reset, fd, error, sizeof error) != 0)
        instr_reply_fail(reply, "%s", error);
    else if (lseek(fd, 0, SEEK_SET) == 0)
        while ((n = read(fd, bytes, sizeof bytes)) > 0) instr_reply_bytes(reply, bytes, (size_t)n);
    if (n < 0) instr_reply_fail(reply, "the coverage cannot be read back: %s", strerror(errno));
    close(fd);
}

struct taking {
    struct instr_reply *reply;
    bool taken;
};

// The form of the pass's file, with the owner as its first member.
struct naming {
    struct instr_output *to;
    const struct instr_owner *owner;
    bool named;
};

static int name_owner(void *context, const void *bytes, size_t length) {
    struct naming *naming = context;
    const char *from = bytes, *name = naming->owner->name;
    if (!naming->named && length > 0 && *from == '{') {
        const char *quote = *name ? "\"" : ""; // names have no characters to escape
        instr_output_format(naming->to, "{\n  \"by\": %s%s%s,", quote, *name ? name : "null",
                            quote);
        naming->named = true;
        from++;
        length--;
    }
    instr_output_bytes(naming->to, from, length);
    return 0;
}

static bool take(void *context, const struct instr_pass_options *pass,
                 const struct instr_report_format *format, const void *report) {
    struct taking *taking = context;
    struct naming naming = {instr_reply_document(taking->reply), &pass->owner, false};
    struct instr_output out;
    char error[INSTR_ERROR_SIZE];
    instr_output_sink(&out, name_owner, &naming);
    format->json(report, &out);
    instr_output_close(&out, error, sizeof error);
    instr_reply_document_end(taking->reply);
    return taking->taken = true;
}

// report PASS [reset] [all]: a document with the form of the pass's file and "by", its owner (null:
// the command line); with `all` one for each owner. For coverage the bytes of an .exec file. With
// reset the pass counts anew from now on.
void instr_command_report(struct instr_request *request, struct instr_reply *reply) {
    struct taking taking = {reply, false};
    struct instr_owner owner;
    const struct instr_results_taker taker = {take, &taking};
    char reason[INSTR_ERROR_SIZE];
    instr_operation_take_all(request);
    bool reset = request->argc == 2 && strcmp(request->argv[1], "reset") == 0;
    if (request->argc != 1 + reset) {
        instr_reply_fail(reply, "report: expects a pass, and 'reset', 'all' or nothing");
        return;
    }
    JNIEnv *jni = instr_reply_jni(reply);
    if (!jni || !instr_operation_owner(request, reply, &owner)) return;
    const char *name = request->argv[0];
    if (strcmp(name, "coverage") == 0 && instr_operation_is_on(request->agent, name))
        report_coverage(reply, jni, reset);
    else if (!instr_current_results_report(request->agent, jni, name, &owner, request->all, reset,
                                           &taker, reason, sizeof reason))
        instr_reply_fail(reply, "%s", reason);
    else if (!taking.taken)
        instr_reply_fail(reply, "pass '%s' has no results", name);
}

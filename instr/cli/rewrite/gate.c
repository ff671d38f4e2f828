// The classes that are added to what is rewritten.
//
// Rewritten code cannot call the runtime itself: its method ids would collide with those of other
// rewritten files, and a named module does not see the bootstrap class path. So each class path
// ("root") in an archive gets gates of its own, in a package that exists already, and beside them
// classes that hold the names of the ids.

#include "instr/cli/rewrite/gate.h"

#include "classfile/format/build.h"
#include "instr/base/hash.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_UTF8 = 65535, POOL_START = 10, HEADS = 4, MOST_PIECES = 8000 };

// Beside the gates; generated for each root.
static const char *const made[] = {"InstrRows", "InstrCovered", "InstrProbes"};

size_t cli_gate_count(void) {
    size_t n = 0;
    while (cli_gate_classes[n].name) n++;
    return n + sizeof made / sizeof *made;
}

const char *cli_gate_name(size_t i) {
    size_t n = cli_gate_count() - sizeof made / sizeof *made;
    return i < n ? cli_gate_classes[i].name : made[i - n];
}

int cli_gate_serves(const char *runtime_class) {
    for (size_t i = 0; cli_gate_classes[i].name; i++)
        if (strcmp(cli_gate_classes[i].name, runtime_class) == 0) return 1;
    return 0;
}

char *cli_gate_prefix(const char *package, size_t length, uint64_t key) {
    char *prefix = malloc(length + sizeof "/Instr$0123456789abcdef$");
    if (!prefix) return NULL;
    memcpy(prefix, package, length);
    sprintf(prefix + length, "%sInstr$%016" PRIx64 "$", length ? "/" : "", key);
    return prefix;
}

// --- output ---

static void put(struct cli_sink *to, const void *bytes, size_t n) {
    cli_sink_write(to, bytes, n);
}

static int hand_over(struct cli_sink *from, struct cli_bytes *out) {
    if (from->error) {
        cli_sink_free(from);
        return -1;
    }
    out->bytes = from->bytes;
    out->length = from->used;
    return 0;
}

// --- renaming ---

// The size of a constant pool entry with its tag (JVMS 4.4); 0: it is invalid.
static size_t entry_size(const uint8_t *p, size_t left) {
    static const uint8_t sizes[] = {[CF_TAG_INTEGER] = 5,       [CF_TAG_FLOAT] = 5,
                                    [CF_TAG_LONG] = 9,          [CF_TAG_DOUBLE] = 9,
                                    [CF_TAG_CLASS] = 3,         [CF_TAG_STRING] = 3,
                                    [CF_TAG_FIELDREF] = 5,      [CF_TAG_METHODREF] = 5,
                                    [CF_TAG_NAME_AND_TYPE] = 5, [CF_TAG_INTERFACE_METHODREF] = 5,
                                    [CF_TAG_METHOD_HANDLE] = 4, [CF_TAG_METHOD_TYPE] = 3,
                                    [CF_TAG_DYNAMIC] = 5,       [CF_TAG_INVOKE_DYNAMIC] = 5,
                                    [CF_TAG_MODULE] = 3,        [CF_TAG_PACKAGE] = 3};
    if (left < 3) return 0;
    size_t size = *p == CF_TAG_UTF8 ? 3 + (size_t)cf_be2(p + 1) : *p < sizeof sizes ? sizes[*p] : 0;
    return size <= left ? size : 0;
}

// Copies the entry at `p`, with its prefix replaced if it is in the gates' package. -1: too long.
static int copy_entry(struct cli_sink *to, const uint8_t *p, size_t size, const char *prefix) {
    size_t package = sizeof CLI_GATE_PACKAGE - 1, length = strlen(prefix);
    if (!prefix[0] || *p != CF_TAG_UTF8 || size - 3 < package ||
        memcmp(p + 3, CLI_GATE_PACKAGE, package) != 0) {
        put(to, p, size);
        return 0;
    }
    size_t rest = size - 3 - package;
    if (length + rest > MOST_UTF8) return -1;
    uint8_t head[3] = {CF_TAG_UTF8};
    cf_put2(head + 1, (uint32_t)(length + rest));
    put(to, head, sizeof head);
    put(to, prefix, length);
    put(to, p + 3 + package, rest);
    return 0;
}

int cli_gate_rename(const uint8_t *bytes, size_t length, unsigned from, const char *prefix,
                    struct cli_bytes *out) {
    struct cli_sink to = {.fd = -1};
    size_t at = POOL_START;
    if (length < POOL_START) return -1;
    put(&to, bytes, POOL_START);
    unsigned count = cf_be2(bytes + 8);
    for (unsigned i = 1; i < count; i++) {
        size_t size = entry_size(bytes + at, length - at);
        if (!size || copy_entry(&to, bytes + at, size, i < from ? "" : prefix) != 0) {
            cli_sink_free(&to);
            return -1;
        }
        if (bytes[at] == CF_TAG_LONG || bytes[at] == CF_TAG_DOUBLE) i++;
        at += size;
    }
    put(&to, bytes + at, length - at);
    return hand_over(&to, out);
}

// --- the class of the rows ---

// The length of the next piece, which ends after a dot, so that no name is split.
static size_t piece_length(const char *text, size_t left) {
    if (left <= MOST_UTF8) return left;
    size_t n = MOST_UTF8;
    while (n > 0 && text[n - 1] != '.') n--;
    return n ? n : MOST_UTF8;
}

static size_t count_pieces(const char *text, size_t length) {
    size_t n = 0;
    for (size_t at = 0; at < length; n++) at += piece_length(text + at, length - at);
    return n;
}

// Ends the class and copies it to `out`.
static int finish(struct cf_build *build, struct cli_bytes *out) {
    const uint8_t *bytes;
    size_t length;
    if (cf_build_end(build, &bytes, &length) != CF_OK || !(out->bytes = malloc(length))) return -1;
    memcpy(out->bytes, bytes, length);
    out->length = length;
    return 0;
}

// Element `i` of the array on the stack.
static void store_string(struct cf_build *build, unsigned i, const char *text, size_t length) {
    cf_build_op(build, CF_OP_dup);
    cf_build_op2(build, CF_OP_sipush, i);
    cf_build_op2(build, CF_OP_ldc_w, cf_add_string(&build->pool, text, length));
    cf_build_op(build, CF_OP_aastore);
}

// The strings that Offline.register takes (runtime-java/offline/OfflineTable.java).
static void store_strings(struct cf_build *build, const struct cli_rewrite *rewrite,
                          const struct cli_root *root, const char *rows, size_t rows_length) {
    char identity[17], range[32], passes[1024] = "";
    size_t n = 0;
    unsigned element = 0;
    const struct instr_options *options = &rewrite->counting;
    for (size_t i = 0; i < options->pass_count && n < sizeof passes; i++)
        n += (size_t)snprintf(passes + n, sizeof passes - n, "%s%s.%d", i ? "." : "",
                              options->passes[i].pass->name, options->passes[i].pass->timed != 0);
    uint64_t seed = instr_hash(rewrite->options_text, strlen(rewrite->options_text), 0);
    seed = instr_hash(root->prefix, strlen(root->prefix), seed);
    snprintf(identity, sizeof identity, "%016" PRIx64, instr_hash(rows, rows_length, seed));
    snprintf(range, sizeof range, "%" PRIu32 ".%" PRIu32, root->first, root->end);
    const char *heads[] = {identity, passes, rewrite->options_text, range};
    for (; element < HEADS; element++)
        store_string(build, element, heads[element], strlen(heads[element]));
    for (size_t at = 0; at < rows_length;) {
        size_t piece = piece_length(rows + at, rows_length - at);
        store_string(build, element++, rows + at, piece);
        at += piece;
    }
}

// final class NAME { static String[] rows() { return new String[] {...}; } }
static int make_rows(const struct cli_rewrite *rewrite, const struct cli_root *root,
                     const char *simple, const struct cli_sink *rows_of, struct cli_bytes *out) {
    const char *rows = rows_of->bytes ? (const char *)rows_of->bytes : "";
    size_t rows_length = rows_of->used;
    size_t strings = HEADS + count_pieces(rows, rows_length);
    char name[1024 + 64];
    if (strings > MOST_PIECES ||
        snprintf(name, sizeof name, "%s%s", root->prefix, simple) >= (int)sizeof name)
        return -1;
    struct cf_arena arena;
    struct cf_build build;
    cf_arena_init(&arena);
    cf_build_begin(&build, &arena, CF_ACC_FINAL, name);
    cf_build_method(&build, CF_ACC_STATIC, "rows", "()[Ljava/lang/String;", 4, 0);
    cf_build_op2(&build, CF_OP_sipush, (unsigned)strings);
    cf_build_op2(&build, CF_OP_anewarray, cf_add_class(&build.pool, "java/lang/String", 16));
    store_strings(&build, rewrite, root, rows, rows_length);
    cf_build_op(&build, CF_OP_areturn);
    int result = finish(&build, out);
    cf_arena_free(&arena);
    return result;
}

// --- the class of the probes ---

// public final class InstrProbes {
//     public static final boolean[] p0 = InstrCoverage.array(0);
//     ...
// }
static int make_probes(const struct cli_root *root, struct cli_bytes *out) {
    char name[1024 + 64], coverage[1024 + 64], field[16];
    if (root->holders_end - root->holder > MOST_PIECES - 1000 || root->holders_end > INT16_MAX ||
        snprintf(name, sizeof name, "%sInstrProbes", root->prefix) >= (int)sizeof name ||
        snprintf(coverage, sizeof coverage, "%sInstrCoverage", root->prefix) >=
            (int)sizeof coverage)
        return -1;
    struct cf_arena arena;
    struct cf_build build;
    cf_arena_init(&arena);
    cf_build_begin(&build, &arena, CF_ACC_PUBLIC | CF_ACC_FINAL, name);
    for (uint32_t i = root->holder; i < root->holders_end; i++) {
        snprintf(field, sizeof field, "p%" PRIu32, i);
        cf_build_field(&build, CF_ACC_PUBLIC | CF_ACC_STATIC | CF_ACC_FINAL, field, "[Z");
    }
    cf_build_method(&build, CF_ACC_STATIC, "<clinit>", "()V", 1, 0);
    uint16_t array = cf_add_reference(&build.pool, CF_TAG_METHODREF, coverage, "array", "(I)[Z");
    for (uint32_t i = root->holder; i < root->holders_end; i++) {
        snprintf(field, sizeof field, "p%" PRIu32, i);
        cf_build_op2(&build, CF_OP_sipush, i);
        cf_build_op2(&build, CF_OP_invokestatic, array);
        cf_build_op2(&build, CF_OP_putstatic,
                     cf_add_reference(&build.pool, CF_TAG_FIELDREF, name, field, "[Z"));
    }
    cf_build_op(&build, CF_OP_return);
    int result = finish(&build, out);
    cf_arena_free(&arena);
    return result;
}

int cli_gate_make(const struct cli_rewrite *rewrite, const struct cli_root *root, size_t i,
                  struct cli_bytes *out) {
    if (root->rows.error || root->covered.error) return -1;
    size_t n = cli_gate_count() - sizeof made / sizeof *made;
    if (i == n) return make_rows(rewrite, root, made[0], &root->rows, out);
    if (i == n + 1) return make_rows(rewrite, root, made[1], &root->covered, out);
    if (i == n + 2) return make_probes(root, out);
    const struct cli_gate_class *gate = &cli_gate_classes[i];
    return cli_gate_rename(gate->bytes, gate->length, 1, root->prefix, out);
}

int cli_gate_write(const struct cli_rewrite *rewrite, const struct cli_root *root,
                   const char *folder, const char *prefix) {
    char path[PATH_MAX];
    int status = CLI_OK;
    for (size_t i = 0; i < cli_gate_count() && status == CLI_OK; i++) {
        struct cli_bytes bytes;
        int n = snprintf(path, sizeof path, "%s/%s%s.class", folder, prefix, cli_gate_name(i));
        if (n >= (int)sizeof path) return cli_error("%s: %s", folder, strerror(ENAMETOOLONG));
        if (cli_gate_make(rewrite, root, i, &bytes) != 0)
            return cli_error("%s: out of memory", path);
        status = cli_write_file(path, &bytes);
        free(bytes.bytes);
    }
    return status;
}

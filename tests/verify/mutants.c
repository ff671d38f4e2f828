// Classes whose code is broken a little, with what our verifier says of each: mutants ROUNDS SEED
// OUT DIR [VERSION]. Every class below DIR is broken ROUNDS times, by one or two small changes to
// one method's code, frames or limits, and written to OUT, for a JVM to say what it thinks
// (Judge.java). With VERSION (of classes below 50: the type inference) the version of the classes
// is set to it first, where that is possible.
//
// A record of OUT: u2 length and text of our verdict (empty: verified; "-...": not checked), u4
// length and the class.

#include "classfile/code.h"
#include "classfile/structure.h"
#include "classfile/verify.h"
#include "tests/class_file.h"

static uint64_t state;
static unsigned rounds, version;
static unsigned long written, refused;
static FILE *out;
static struct cf_arena arena, arena_after;

static uint32_t draw(uint32_t below) { // xorshift
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)(state >> 16) % below;
}

// --- changes ---

static uint32_t any_instruction(const struct cf_code *code) {
    return code->pc[draw(code->count)];
}

static void change_byte(uint8_t *bytes, uint32_t start, uint32_t length) {
    if (length == 0) return;
    uint8_t *p = bytes + start + draw(length);
    static const int steps[] = {1, -1, 2, -2, 8, -8};
    *p = (uint8_t)(draw(3) ? *p + steps[draw(6)] : (int)draw(256));
}

// Another opcode with operands of the same kind.
static void change_opcode(const struct cf_code *code, uint8_t *bytes) {
    uint32_t pc = any_instruction(code);
    uint8_t *p = bytes + code->offset + pc;
    if (*p >= CF_OPCODE_COUNT || cf_opcodes[*p].length == 0) return;
    for (int i = 0; i < 200; i++) {
        unsigned op = draw(CF_OPCODE_COUNT);
        if (cf_opcodes[op].length != cf_opcodes[*p].length) continue;
        if (draw(4) && cf_opcodes[op].operands != cf_opcodes[*p].operands) continue;
        *p = (uint8_t)op;
        return;
    }
}

// Another constant of the same kind.
static void change_constant(const struct cf_code *code, uint8_t *bytes) {
    for (int i = 0; i < 50; i++) {
        uint8_t *p = bytes + code->offset + any_instruction(code);
        if (*p >= CF_OPCODE_COUNT) continue; // broken before
        unsigned operands = cf_opcodes[*p].operands;
        if (operands != CF_CP2 && operands != CF_FIELD && operands != CF_INVOKE &&
            operands != CF_CLASS && operands != CF_INVOKEINTERFACE &&
            operands != CF_INVOKEDYNAMIC && operands != CF_MULTIANEWARRAY)
            continue;
        unsigned tag = cf_tag_at(code->cls, cf_be2(p + 1));
        for (int k = 0; k < 200; k++) {
            unsigned index = draw(code->cls->constant_pool_count);
            if (cf_tag_at(code->cls, index) != tag) continue;
            cf_put2(p + 1, index);
            return;
        }
    }
}

static void change_branch(const struct cf_code *code, uint8_t *bytes) {
    if (code->branches_count == 0) return;
    uint32_t pc = code->branches[draw(code->branches_count)].pc;
    uint8_t *p = bytes + code->offset + pc;
    if (*p < CF_OP_goto_w) cf_put2(p + 1, any_instruction(code) - pc);
}

static void swap_instructions(const struct cf_code *code, uint8_t *bytes) {
    if (code->count < 2) return;
    uint32_t i = draw(code->count - 1), a = code->pc[i], b = code->pc[i + 1], end = code->pc[i + 2];
    uint8_t *p = bytes + code->offset, copy[16];
    if (end - b != b - a || b - a > sizeof copy) return;
    memcpy(copy, p + a, b - a);
    memcpy(p + a, p + b, b - a);
    memcpy(p + b, copy, b - a);
}

static void change_exception(const struct cf_code *code, uint8_t *bytes) {
    if (code->exception_table_length == 0) return;
    uint8_t *p = bytes + code->exception_table + 8 * draw(code->exception_table_length);
    unsigned field = draw(4);
    if (field < 3)
        cf_put2(p + 2 * field, any_instruction(code));
    else
        change_constant(code, bytes);
}

static void change(const struct cf_code *code, uint8_t *bytes) {
    switch (draw(12)) {
    case 0: change_byte(bytes, code->offset, code->length); break;
    case 1:
    case 2: change_opcode(code, bytes); break;
    case 3: change_constant(code, bytes); break;
    case 4: change_branch(code, bytes); break;
    case 5: swap_instructions(code, bytes); break;
    case 6: change_exception(code, bytes); break;
    case 7: change_byte(bytes, code->offset - 7, 1); break; // max_stack
    case 8: change_byte(bytes, code->offset - 5, 1); break; // max_locals
    case 9: // turn an instruction into a nop, or into pops
        bytes[code->offset + any_instruction(code)] = draw(2) ? CF_OP_nop : CF_OP_pop;
        break;
    default:
        if (code->stack_map_table_length > 2)
            change_byte(bytes, code->stack_map_table + 2, code->stack_map_table_length - 2);
        else
            change_opcode(code, bytes);
    }
}

// --- verdicts ---

static void verdict(uint8_t *bytes, uint32_t length, char *text, size_t size) {
    struct cf_class cls;
    struct cf_verify_failure failure;
    struct cf_error error = {.status = CF_OK};
    text[0] = '\0';
    if (cf_class_open(&cls, bytes, length, &arena_after) != CF_OK) {
        snprintf(text, size, "-does not open");
    } else if (cf_verify_class(&cls, NULL, NULL, &failure) == CF_OK) {
        if (cf_check_structure(&cls, &error) != CF_OK) {
            text[0] = '+'; // a JVM may refuse it, though the verifier need not
            cf_error_text(&error, text + 1, size - 1);
        }
    } else {
        cf_verify_text(&cls, &failure, text, size);
    }
    cf_arena_reset(&arena_after, 1 << 20);
}

static void write_record(const uint8_t *bytes, uint32_t length, const char *text) {
    uint8_t head[6];
    size_t n = strlen(text);
    cf_put2(head, (uint32_t)n);
    cf_put4(head + 2, length);
    if (fwrite(head, 1, 2, out) != 2 || fwrite(text, 1, n, out) != n ||
        fwrite(head + 2, 1, 4, out) != 4 || fwrite(bytes, 1, length, out) != length) {
        perror("mutants");
        exit(2);
    }
    written++;
    refused += n != 0;
}

static void break_class(const struct cf_class *cls, uint8_t *broken) {
    char text[600];
    struct cf_code code;
    for (unsigned round = 0; round < rounds; round++) {
        struct cf_error error = {.status = CF_OK};
        const struct cf_member *m = &cls->methods[draw(cls->methods_count)];
        if (!m->code || cf_code_open(&code, cls, m, &error) != CF_OK ||
            cf_code_scan(&code, &error) != CF_OK)
            continue;
        memcpy(broken, cls->bytes, cls->length);
        for (uint32_t k = 1 + (draw(3) == 0); k > 0; k--) change(&code, broken);
        if (memcmp(broken, cls->bytes, cls->length) == 0) continue;
        verdict(broken, cls->length, text, sizeof text);
        write_record(broken, cls->length, text);
    }
}

// What is not allowed in classes of the wanted version keeps its own.
static void set_version(const struct cf_class *cls, uint8_t *bytes) {
    for (unsigned i = 1; version && i < cls->constant_pool_count; i++) {
        unsigned tag = cf_tag_at(cls, i);
        if (tag >= CF_TAG_METHOD_HANDLE || (cls->access_flags & CF_ACC_INTERFACE)) return;
    }
    if (version) cf_put2(bytes + 6, version);
}

static int each_file(const char *path, const struct stat *st, int type, struct FTW *ftw) {
    (void)ftw;
    size_t length;
    if (strstr(path, "-info.class")) return 0;
    uint8_t *bytes = class_file_read(path, st, type, &length);
    uint8_t *broken = bytes ? malloc(length + 1) : NULL;
    struct cf_class cls;
    if (broken && cf_class_open(&cls, bytes, length, &arena) == CF_OK && cls.methods_count) {
        char text[600];
        set_version(&cls, bytes);
        cls.major_version = cf_be2(bytes + 6);
        verdict(bytes, (uint32_t)length, text, sizeof text);
        if (!version || cls.major_version == version) {
            write_record(bytes, (uint32_t)length, text);
            break_class(&cls, broken);
        }
    }
    cf_arena_reset(&arena, 1 << 20);
    free(bytes);
    free(broken);
    return 0;
}

int main(int argc, char **argv) {
    if (argc < 5 || (rounds = (unsigned)atoi(argv[1])) == 0 || !(out = fopen(argv[3], "wb"))) {
        fprintf(stderr, "usage: mutants ROUNDS SEED OUT DIR [VERSION]\n");
        return 2;
    }
    state = 88172645463325252u ^ (uint64_t)atoll(argv[2]) << 20;
    version = argc > 5 ? (unsigned)atoi(argv[5]) : 0;
    cf_arena_init(&arena);
    cf_arena_init(&arena_after);
    if (nftw(argv[4], each_file, 32, FTW_PHYS) != 0 || fclose(out) != 0) return 2;
    printf("%lu classes, %lu refused\n", written, refused);
    cf_arena_free(&arena);
    cf_arena_free(&arena_after);
    return written == 0;
}

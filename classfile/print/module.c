// Printing: the attributes of a module (JVMS 4.7.25 and the JDK's own).

#include "classfile/print/internal.h"

// "#N,flags // what it is"; with flags of -1 "#N // ...". `more` follows in the same line.
static void print_reference(struct cf_printer *p, unsigned index, int flags) {
    cf_text_format(p->text, "#%u", index);
    if (flags >= 0) cf_text_format(p->text, ",%x", (unsigned)flags);
    cf_print_comment(p);

    cf_print_constant(p, index);
}

static void print_flag_words(struct cf_printer *p, unsigned flags) {
    if (flags & 0x0020) cf_text_put(p->text, " ACC_TRANSITIVE");
    if (flags & 0x0040) cf_text_put(p->text, " ACC_STATIC_PHASE");
    if (flags & CF_ACC_SYNTHETIC) cf_text_put(p->text, " ACC_SYNTHETIC");
    if (flags & CF_ACC_MODULE) cf_text_put(p->text, " ACC_MANDATED");
}

static uint32_t print_count(struct cf_printer *p, const char *what) {
    uint32_t count = cf_u2(&p->r);
    if (!cf_going(p)) return 0;
    cf_text_format(p->text, "%u", count);
    cf_print_comment(p);
    cf_text_format(p->text, "%s\n", what);
    return count;
}

static void print_version(struct cf_printer *p) {
    unsigned index = cf_u2(&p->r);
    if (!cf_going(p)) return;
    if (index)
        print_reference(p, index, -1);
    else
        cf_text_put(p->text, "#0");
    cf_text_put(p->text, "\n");
}

static void print_requires(struct cf_printer *p) {
    uint32_t count = print_count(p, "requires");
    p->text->indent += 2;
    for (uint32_t i = 0; i < count && cf_going(p); i++) {
        unsigned module = cf_u2(&p->r), flags = cf_u2(&p->r);
        print_reference(p, module, (int)flags);
        print_flag_words(p, flags);
        cf_text_put(p->text, "\n");
        print_version(p);
    }
    p->text->indent -= 2;
}

// exports and opens, and the modules that they are open to.
static void print_exports(struct cf_printer *p, const char *what) {
    uint32_t count = print_count(p, what);
    p->text->indent += 2;
    for (uint32_t i = 0; i < count && cf_going(p); i++) {
        unsigned package = cf_u2(&p->r), flags = cf_u2(&p->r);
        uint32_t to = cf_u2(&p->r);
        print_reference(p, package, (int)flags);
        print_flag_words(p, flags);
        if (to) cf_text_format(p->text, " to ... %u", to);
        cf_text_put(p->text, "\n");
        p->text->indent += 2;
        for (uint32_t k = 0; k < to && cf_going(p); k++) {
            unsigned module = cf_u2(&p->r);
            cf_text_format(p->text, "#%u", module);
            cf_print_comment(p);
            cf_text_put(p->text, "... to ");
            cf_print_constant(p, module);
            cf_text_put(p->text, "\n");
        }
        p->text->indent -= 2;
    }
    p->text->indent -= 2;
}

static void print_uses(struct cf_printer *p) {
    uint32_t count = print_count(p, "uses");
    p->text->indent += 2;
    for (uint32_t i = 0; i < count && cf_going(p); i++) {
        print_reference(p, cf_u2(&p->r), -1);
        cf_text_put(p->text, "\n");
    }
    p->text->indent -= 2;
}

static void print_provides(struct cf_printer *p) {
    uint32_t count = print_count(p, "provides");
    p->text->indent += 2;
    for (uint32_t i = 0; i < count && cf_going(p); i++) {
        unsigned service = cf_u2(&p->r);
        uint32_t with = cf_u2(&p->r);
        print_reference(p, service, -1);
        cf_text_format(p->text, " with ... %u\n", with);
        p->text->indent += 2;
        for (uint32_t k = 0; k < with && cf_going(p); k++) {
            unsigned provider = cf_u2(&p->r);
            cf_text_format(p->text, "#%u", provider);
            cf_print_comment(p);
            cf_text_put(p->text, "... with ");
            cf_print_constant(p, provider);
            cf_text_put(p->text, "\n");
        }
        p->text->indent -= 2;
    }
    p->text->indent -= 2;
}

CF_PRINTER(module) {
    cf_text_put(p->text, "Module:\n");
    p->text->indent += 2;
    unsigned name = cf_u2(&p->r), flags = cf_u2(&p->r);
    if (!cf_going(p)) return;
    print_reference(p, name, (int)flags);
    if (flags & 0x0020) cf_text_put(p->text, " ACC_OPEN");
    print_flag_words(p, flags & ~0x0020u);
    cf_text_put(p->text, "\n");
    print_version(p);
    print_requires(p);
    print_exports(p, "exports");
    print_exports(p, "opens");
    print_uses(p);
    print_provides(p);
}

CF_PRINTER(module_packages) {
    cf_text_put(p->text, "ModulePackages:\n");
    p->text->indent += 2;
    uint32_t count = cf_u2(&p->r);
    for (uint32_t i = 0; i < count && cf_going(p); i++) {
        unsigned package = cf_u2(&p->r);
        cf_text_format(p->text, "#%u", package);
        cf_print_comment(p);
        cf_print_dotted(p, cf_named(p->cls, package, CF_TAG_PACKAGE));
        cf_text_put(p->text, "\n");
    }
}

CF_PRINTER(module_main_class) {
    unsigned index = cf_u2(&p->r);
    cf_text_format(p->text, "ModuleMainClass: #%u", index);
    cf_print_comment(p);
    cf_print_dotted(p, cf_class_name(p->cls, index));
    cf_text_put(p->text, "\n");
}

CF_PRINTER(module_target) {
    cf_text_put(p->text, "ModuleTarget:\n");
    p->text->indent += 2;
    cf_text_put(p->text, "target_platform: ");
    cf_print_index(p, cf_u2(&p->r));
    cf_text_put(p->text, "\n");
}

CF_PRINTER(module_resolution) {
    unsigned flags = cf_u2(&p->r);
    cf_text_format(p->text, "ModuleResolution:\n  %x", flags);
    cf_print_comment(p);
    if (flags & 1) cf_text_put(p->text, " DO_NOT_RESOLVE_BY_DEFAULT");
    if (flags & 2) cf_text_put(p->text, " WARN_DEPRECATED");
    if (flags & 4) cf_text_put(p->text, " WARN_DEPRECATED_FOR_REMOVAL");
    if (flags & 8) cf_text_put(p->text, " WARN_INCUBATING");
    cf_text_put(p->text, "\n");
}

CF_PRINTER(module_hashes) {
    cf_text_put(p->text, "ModuleHashes:\n");
    p->text->indent += 2;
    cf_text_put(p->text, "algorithm: ");
    cf_print_index(p, cf_u2(&p->r));
    cf_text_put(p->text, "\n");
    uint32_t count = print_count(p, "hashes");
    for (uint32_t i = 0; i < count && cf_going(p); i++) {
        print_reference(p, cf_u2(&p->r), -1);
        uint32_t length = cf_u2(&p->r);
        if (!cf_need(&p->r, length)) return;
        cf_text_format(p->text, "\nhash_length: %u\nhash: [", length);
        for (uint32_t k = 0; k < length && cf_going(p); k++)
            cf_text_format(p->text, "%02x", p->cls->bytes[p->r.pos + k]);
        cf_text_put(p->text, "]\n");
        p->r.pos += length;
    }
}

// link.h: is all there that the classes of a kit use? (JVMS 5.4.3)

#ifndef INSTR_KIT_LINK_H
#define INSTR_KIT_LINK_H

#include "instr/kit/jar.h"
#include "instr/kit/kit.h"

enum instr_kit_found { INSTR_KIT_ABSENT, INSTR_KIT_PRESENT, INSTR_KIT_UNKNOWN };

// The classes that the kit will meet, without its own.
struct instr_kit_world {
    // Looks for a class by its internal name; sets *cls, which stays, if it is present.
    enum instr_kit_found (*find)(void *context, struct cf_slice name, const struct cf_class **cls);
    // Is there any class whose name begins so?
    bool (*has_below)(void *context, const char *start);
    void *context;
};

// What was found.
struct instr_kit_linking {
    size_t checked,
        unknown; // uses of members and classes, each counted once per class that uses them
    void (*report)(void *context, struct instr_kit_source where, const char *text);
    void *report_context;
};

// Resolves all that an advice, with the classes of the kit that it needs, uses: classes, fields and methods, access,
// static or not. Each use that cannot work is reported with a sentence. Returns false if the classes of the advice's
// alternative of `types` are absent altogether: then nothing is checked. Changes the memory of the kit: one thread
// at a time.
bool instr_kit_link(struct instr_kit *kit, const struct instr_kit_advice *advice,
                    const struct instr_kit_world *world, struct instr_kit_linking *linking);

#endif

// What was covered, as reports show it: groups of bundles, their packages, classes, methods, source
// files and lines. The analysis (classes.h) makes it, and each format only reads it.
//
//      group        several bundles: the modules of a build; JaCoCo's <group>
//       |           one bundle, unless modules were found by themselves
//      bundle
//       |
//      package ------ source file -- line
//       |            /
//      class --------   a class belongs to at most one source file
//       |
//      method
//
// The counters are JaCoCo's, and so is what they count: of a method its own; of a class the sum over
// its methods; of a source file the sum over its classes; of a package the sum over its source files
// and over classes that name none; of bundles and groups the sum over what they hold. LINE is
// no sum within a class or a source file: a line counts once, by all that lies on it.
//
// So what ran until an exception left its line counts as missed. cover_count_begun (begun.h) changes
// that, for formats that need not equal JaCoCo's.
//
// Names are modified UTF-8 as in class files, with slashes; formats escape them.

#ifndef INSTR_CLI_COVERAGE_MODEL_H
#define INSTR_CLI_COVERAGE_MODEL_H

#include <stddef.h>
#include <stdint.h>

// In the order of JaCoCo's reports.
enum cover_counter {
    COVER_INSTRUCTION,
    COVER_BRANCH,
    COVER_LINE,
    COVER_COMPLEXITY,
    COVER_METHOD,
    COVER_CLASS,
    COVER_COUNTERS
};

struct cover_count {
    uint32_t missed, covered;
};

// What lies on a line. A line without instructions has only zeros, and is not counted.
struct cover_line {
    struct cover_count instructions, branches;
    uint16_t begun;    // instructions that ran until an exception left the line; at most 65,535
    uint8_t never_yes; // of a conditional jump on it one way was never taken, to the target ...
    uint8_t never_no;  // ... or past it; both also for jumps that were never reached
};

// The lines first .. last; first 0: none, as without debug information.
struct cover_lines {
    uint32_t first, last;
    struct cover_line *line; // last - first + 1 of them
    uint64_t *times;         // as many: how often a line ran at most; NULL unless `counted`
    struct cover_line zero;  // line 0, which Kotlin's compiler gives to code that is on no line
};

struct cover_method {
    const char *name, *descriptor; // as in the class file
    uint32_t first_line;           // 0: unknown
    uint32_t last_line;
    int begins_at_zero; // some of its code is on line 0, as JaCoCo's XML has it
    struct cover_count counts[COVER_COUNTERS]; // CLASS is 0
    uint32_t begun, begun_lines; // instructions as in cover_line; missed lines with such
};

// Where the data of a class come from.
enum cover_match {
    COVER_MATCHES,  // from this class file
    COVER_NO_DATA,  // nowhere: it was not executed
    COVER_OTHER_ID, // data exist for this name under other ids only: of another class file
};

// A class without code, whose counters are all 0, is in the model, too: JaCoCo's XML names it, and
// other formats leave it out.
struct cover_class {
    const char *name;      // com/acme/Shop$Cart
    const char *source;    // "Shop.java"; NULL: not named
    const char *supertype; // its first interface, or else its superclass; NULL: none
    uint64_t id;
    enum cover_match match;
    const char *location; // the file that it was found in, for messages
    size_t item;          // its number among all class files
    struct cover_method *methods;
    uint32_t method_count;
    struct cover_source *file; // NULL: not named
    struct cover_lines lines;  // freed once `file` has them, unless `file` is NULL
    uint32_t begun_lines;      // missed ones with instructions that have begun
    struct cover_count counts[COVER_COUNTERS];
};

struct cover_source {
    const char *name; // Shop.java
    const struct cover_package *package;
    struct cover_class **classes;
    size_t class_count;
    struct cover_lines lines;
    struct cover_count counts[COVER_COUNTERS];
};

struct cover_package {
    const char *name; // com/acme; "": the unnamed one
    struct cover_class **classes;
    struct cover_source **sources;
    size_t class_count, source_count;
    struct cover_count counts[COVER_COUNTERS];
};

struct cover_bundle {
    const char *name;
    struct cover_package **packages;
    size_t package_count;
    struct cover_count counts[COVER_COUNTERS];
};

// A run that was recorded.
struct cover_session {
    const char *id;
    uint64_t start, dump; // milliseconds since 1970
};

struct cover_model {
    const char *name;
    struct cover_bundle **bundles; // one; or several, which are groups of the report
    size_t bundle_count;
    struct cover_session *sessions; // by their dump, the earliest first
    size_t session_count;
    int counted;                   // lines have `times`
    struct cover_sources *sources; // formats/sources.h; NULL: there are none
    struct cover_count counts[COVER_COUNTERS];
};

static inline uint64_t cover_total(struct cover_count count) {
    return (uint64_t)count.missed + count.covered;
}

#endif

// Options: one flat list, `timing,timing.file=out.json,include=com.acme.**:org.foo.*`, the same in
// the agent, on the command line and, one per line, in a file. A bare word is a pass. In the list
// `\,` is a comma within a value and `\\` a backslash; in a file values stand as they are.
//
//      struct instr_options options;
//      char error[INSTR_ERROR_SIZE];
//      if (instr_options_parse(&options, text, error, sizeof error) != 0) ... print error ...
//      instr_options_free(&options);

#ifndef INSTR_OPTIONS_H
#define INSTR_OPTIONS_H

#include "classfile/decls.h"
#include "instr/match.h"
#include "rewriters/rewriter.h"

#include <stddef.h>
#include <stdint.h>

CF_BEGIN_DECLS

enum {
    INSTR_ERROR_SIZE = 512, // room for any error line of this layer
    INSTR_TOP_DEFAULT = 20, // rows of a table when `top` is not given
    INSTR_MOST_ON = 64      // passes: they are bits of a mask
};

// Values of max_overhead: "off"; and what holds for a late pass if it is not given.
enum { INSTR_ANY_OVERHEAD = 1000 * 1000, INSTR_LATE_OVERHEAD = 10 * 1000 };

enum instr_runtime { INSTR_RUNTIME_DIRECT = 0, INSTR_RUNTIME_PATH = 1 };

enum { INSTR_OWNER_SIZE = 33, INSTR_WHO_SIZE = 64 };

// Who switched a pass on. An empty name: the command line of the JVM.
struct instr_owner {
    char name[INSTR_OWNER_SIZE]; // see instr_owner_set
    uint32_t uid;                // of the client that switched it on, as the socket says
    int acting;                  // 1: root's client, which had the rights of `uid` to connect
    uint64_t since;              // seconds since 1970
};

// Sets the name: 1 to 32 letters, digits and ._@+-. Returns 0; or -1 for any other name.
int instr_owner_set(struct instr_owner *owner, const char *name, size_t length);
// Sets the name to that of a user of the machine: _ stands for other characters.
void instr_owner_set_login(struct instr_owner *owner, const char *name);
// The name, or "the command line".
const char *instr_owner_text(const struct instr_owner *owner);
// "alice (uid 1000)", or "root, as uid 1000". Returns `text`.
const char *instr_owner_who(const struct instr_owner *owner, char text[INSTR_WHO_SIZE]);
// Have both the same name?
int instr_owner_same(const struct instr_owner *a, const struct instr_owner *b);

// An option whose value makes passes, which are then on: rule=TEXT. Behind it, name=NAME names the
// last of them.
struct instr_pass_source {
    const char *key;      // also rw_made.kind of the passes
    const char *argument; // as in the help
    const char *help;     // one line
    // Calls add(to, pass) for each pass, which it hands over with its one holder. A pass may have an
    // empty name: it gets one. Returns 0; or -1 with one line in `error`; if `add` has failed, with
    // none. Only called while passes may be added, so with `late` the JVM runs already.
    int (*make)(const char *value, int late, int (*add)(void *to, const struct rw_pass *pass),
                void *to, char *error, size_t size);
};

// What an owner gives for all of the passes that are the owner's: each of these has the same.
struct instr_terms {
    uint64_t expiry;       // ns until they are switched off; 0: never
    uint64_t expires;      // when that is (CLOCK_MONOTONIC); 0: never, or not known yet
    int quiet;             // 1: nothing about them goes to standard error
    unsigned max_overhead; // as in instr_options
};

// Adds a source, which must live as long as the program; to be called before options are parsed.
void instr_options_add_source(const struct instr_pass_source *source);

// The classes of a pass: those that match `include` (NULL: all but the platform's) and not `exclude`.
struct instr_scope {
    struct instr_match *include, *exclude;
};

// A pass that is switched on, with its options. The same pass may be on several times, each time for
// another owner; its own options have the same values then, except files.
struct instr_pass_options {
    const struct rw_pass *pass;
    char *file;     // as written, see instr_expand_file; NULL: none
    unsigned top;   // rows of its table; 0: no table
    char **values;  // of pass->options, in that order, NULL where not given; NULL if it has none
    unsigned given; // for the parser
    // The number under which instr_methods has the methods of the pass: its index in the list of
    // passes, or another one if it was made or is switched on again.
    unsigned number;
    int late;              // 1: switched on while the JVM was running
    uint64_t lease, ends;  // ns until it is switched off, 0: never; when that is (CLOCK_MONOTONIC)
    unsigned max_overhead; // as in instr_options
    // The classes of a pass that selects them itself; NULL: include and exclude select them.
    struct instr_match *only;
    // It also selects classes that have such a supertype; NULL: it does not.
    struct instr_match *supertypes;
    struct instr_match *include; // its scope; NULL: none
    struct instr_match *exclude; // the same
    int own_scope;               // pass.include or pass.exclude was given
    // It runs once for several owners, under one number, or did: results are those of its scope.
    int shared;
    // The scopes that it had before for this owner, whose counts stay in the owner's result.
    struct instr_scope *earlier;
    size_t earlier_count;
    struct instr_owner owner;
    struct instr_terms terms; // of the owner
};

struct instr_options {
    struct instr_pass_options *passes; // in the order given
    size_t pass_count;                 // 0: the agent lies dormant
    struct instr_match *include;       // of passes that are switched on without a scope; NULL: none
    struct instr_match *exclude;       // the same
    int huge, verbose;                 // 1: yes
    int quiet;         // 1: yes; of the passes of the JVM's command line: their terms
    int verify;        // 0: on, 1: off
    char *control;     // NULL: on; "off"; or "/DIR", where the socket lies
    int runtime;       // enum instr_runtime
    char *stats;       // as written, see instr_expand_file; NULL: none
    char *facts;       // the same
    char *verify_dump; // the same, a folder
    uint64_t memory;   // bytes; 0: not given
    unsigned batch;    // classes retransformed in one call; 0: not given
    int batch_threads; // 0: auto
    int pace;          // 0: auto, 1: off
    int interfaces;    // 1: yes
    unsigned allow;    // rw_made.needs that the last text has allowed
    unsigned max_classes, max_methods; // that may be changed at the same time; 0: any number
    uint64_t expiry;                   // of the passes of the JVM's command line: their terms
    // Thousandths of a percent, or INSTR_ANY_OVERHEAD; 0: not given. For owners who give none.
    unsigned max_overhead;
    unsigned config; // files read
};

// Parses `text` (NULL is the same as "") into `options`, which needs no preparation. Returns 0; or
// -1 with one line in `error`, "option 'timng': unknown; did you mean 'timing'?", without a
// newline. After an error `options` is empty and holds no memory. Otherwise the caller frees it.
int instr_options_parse(struct instr_options *options, const char *text, char *error, size_t size);

enum instr_change {
    INSTR_ENABLE, // adds passes or changes their options; a scope replaces the whole scope of the
                  // passes that the text names
    INSTR_SET     // only changes values
};

// Makes `options` from `base` and a text that changes it: what the text does not name stays.
// Returns as instr_options_parse does.
int instr_options_change(struct instr_options *options, const struct instr_options *base,
                         enum instr_change change, const char *text, char *error, size_t size);

// The same for the passes of `owner`; the passes of others stay as they are. A scope without a pass
// is that of all passes of the owner that have no scope of their own. Terms are those of the owner;
// an error if the owner has no pass.
int instr_options_change_as(struct instr_options *options, const struct instr_options *base,
                            enum instr_change change, const struct instr_owner *owner,
                            const char *text, char *error, size_t size);

// A copy; a copy without a pass and its options, for all owners; the same for one owner. Returns 0;
// or -1 when out of memory.
int instr_options_copy(struct instr_options *options, const struct instr_options *base);
int instr_options_without(struct instr_options *options, const struct instr_options *base,
                          const struct rw_pass *pass);
int instr_options_without_owner(struct instr_options *options, const struct instr_options *base,
                                const struct rw_pass *pass, const struct instr_owner *owner);
// A copy without some passes: a bit for each place in base->passes.
int instr_options_without_places(struct instr_options *options, const struct instr_options *base,
                                 uint64_t places);

// Makes a pass anew that an option has made from files, and puts the new pass in the place of the old
// one: its name, scope, lease and owner stay. Returns 1; 0: the files have not changed; or -1 with one
// line in `error`.
int instr_options_remake(struct instr_options *options, size_t pass, char *error, size_t size);

// Are the passes of the owner quiet?
int instr_owner_is_quiet(const struct instr_options *options, const struct instr_owner *owner);

// When the pass is switched off, for its own lease or for the time of its owner (CLOCK_MONOTONIC, ns);
// 0: never. Rules that are added to a running JVM end after their lease, whatever the time of the owner is.
uint64_t instr_pass_ends(const struct instr_pass_options *pass);

// Has a command made the pass, which ends it and shows its results? Nobody else does.
int instr_pass_is_of_command(const struct instr_pass_options *pass);

// A copy without the passes that end until `now`. Returns 0; or -1 when out of memory.
int instr_options_without_ended(struct instr_options *options, const struct instr_options *base,
                                uint64_t now);

// Adds patterns to what every pass excludes. Returns 0; or -1 with one line in `error`.
int instr_options_exclude(struct instr_options *options, const char *patterns, char *error,
                          size_t size);

// The share of CPU time that the pass may cost, in thousandths of a percent; 0: any.
unsigned instr_max_overhead(const struct instr_options *options,
                            const struct instr_pass_options *pass);

// Parses a time such as 50ms or 30s (us, ms, s, m, h; from 1 us to a year). Returns 0; or -1.
int instr_duration_parse(const char *text, uint64_t *nanoseconds);

// Frees what the options hold, but not the structure. Empty options are allowed.
void instr_options_free(struct instr_options *options);

// The options as one list, which parses to the same options; options from files are included. The
// caller frees the text; NULL when out of memory.
char *instr_options_format(const struct instr_options *options);

// The value of the pass's own option `key`; NULL: not given.
const char *instr_pass_option(const struct instr_pass_options *pass, const char *key);

// Parses a size such as 64K, 8M, 1G or plain bytes, at most 1024G. Returns 0; or -1: not a size.
int instr_option_size(const char *text, uint64_t *size);

// The file name that `pattern` stands for in the process `pid`: %p is the process id, %% a percent
// sign; one before two hexadecimal digits stands for itself. The caller frees the name; NULL when out of memory.
char *instr_expand_file(const char *pattern, long pid);

// Does this percent sign stand for itself, as in the folders of some build servers, "feature%2Fx"?
int instr_is_encoded(const char *percent);

// --- the scope (options/scope.c) ---

// Is this a class of the runtime, or one that 'instr rewrite' has put beside those of a program?
int instr_scope_is_ours(const char *name, size_t length);

// Is the class of this internal name (java/util/List) in scope of any pass? `platform`: the bootstrap
// or platform loader loaded it. `include` selects the classes that match; without it all classes
// except those of the platform are selected. `exclude` removes classes. The runtime's own classes
// never match. Allocates nothing.
int instr_scope_matches(const struct instr_options *options, const char *name, size_t length,
                        int platform);

// The passes that have the class in scope, a bit for each of the first 64.
uint64_t instr_scope_passes(const struct instr_options *options, const char *name, size_t length,
                            int platform);

// As instr_scope_matches for one pass, where the loader of the class is unknown: nearly all classes of
// java.*, jdk.* and sun.* are the platform's.
int instr_scope_shows(const struct instr_pass_options *pass, const char *name);

// Is the class one of the pass's owner? All that the pass has changed are, unless several owners share it.
int instr_pass_shows(const struct instr_pass_options *pass, const char *name);

// Does the result of the pass's owner have the class? As above, and the classes of its earlier scopes.
int instr_pass_reports(const struct instr_pass_options *pass, const char *name);

// `pass` takes the place of `before`, which is the same pass of the same owner: takes over its earlier
// scopes, and its scope if that was another one. Of many scopes the last ones stay. Returns 0; or -1 when
// out of memory.
int instr_pass_follow(struct instr_pass_options *pass, const struct instr_pass_options *before);

// The scope that all passes have in common; *include and *exclude are NULL where there is none.
// Without passes it is that of the options. Returns 0 if the scopes differ.
int instr_scope_common(const struct instr_options *options, const struct instr_match **include,
                       const struct instr_match **exclude);

CF_END_DECLS

#endif

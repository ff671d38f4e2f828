// A plug-in: a shared library that decides in C what is added to methods. It needs this header alone.
//
//      cc -shared -fPIC $(pkg-config --cflags instr) sql.c -o sql.so
//      instr run plugin=./sql.so -- java -jar app.jar          (or instr attach, or instr rewrite)
//
// The library exports one symbol, instr_plugin_init. Nothing of it runs when methods run: it says
// what to put where while a class is loaded, and the JVM compiles that with the method.
//
//      instr_plugin_init -> start -> (wants -> rewrite, rewrite, ...)* -> stop
//
// `wants` and `rewrite` are called by many threads at once, `rewrite` for each method of a class that
// is wanted; a class that is transformed again must get the same answers. Handles and strings from the
// host live as long as the callback, handles on its thread. Class names have dots: java.util.Map$Entry.
//
// Each structure begins with its size, which its owner sets; later versions have more members at its
// end. `host->size` says what the host has: INSTR_HOST_HAS(host, observe).

#ifndef INSTR_PLUGIN_H
#define INSTR_PLUGIN_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define INSTR_PLUGIN_API 1u
#define INSTR_HOST_HAS(host, member)                                                               \
    ((host)->size >= offsetof(struct instr_host, member) + sizeof((host)->member))

struct instr_class; // a class that is being rewritten
struct instr_code;  // one of its methods that has code

enum { INSTR_NO = 0, INSTR_YES = 1, INSTR_UNKNOWN = -1 }; // what is not known now may be later

struct instr_event {
    uint32_t size, line; // of the place; 0: unknown
    const char *name, *class_name, *method, *descriptor;
    int64_t value;
    uint64_t time;   // CLOCK_MONOTONIC in nanoseconds, the clock of System.nanoTime
    uint64_t thread; // of the operating system
};

// What a plug-in cannot do without; the pass is refused where it is missing.
enum instr_need {
    INSTR_NEEDS_JVM = 1,  // it does not work in instr rewrite
    INSTR_NEEDS_START = 2 // it must be there from the start of the JVM
};

struct instr_plugin {
    uint32_t size, api;    // of this structure; INSTR_PLUGIN_API
    uint32_t needs;        // enum instr_need, added up
    uint32_t jdk, jdk_end; // the oldest JDK, such as 17, and the newest; 0: any
    // Called once before any class; `jdk` is 0 in instr rewrite. Returns 0; or another number, with a
    // sentence in `error`, and the pass is refused. NULL: nothing to do, as for the next two.
    int (*start)(void *data, uint32_t jdk, char *error, size_t size);
    int (*wants)(void *data, const struct instr_class *cls); // INSTR_NO or INSTR_YES
    // Called once when the pass has ended, after a failed start too; not when the JVM ends.
    void (*stop)(void *data);
    void (*rewrite)(void *data, const struct instr_class *cls, struct instr_code *code);
    // instr plugin PID NAME TEXT: writes lines for the caller to `answer`. Returns 0; or another number,
    // and the command fails with these lines. NULL: there are no commands.
    int (*command)(void *data, const char *text, char *answer, size_t size);
    // Events of host->emit, those of a thread in their order, on a thread of the agent's: some times a
    // second, before results are reported, and before `stop`. `lost` did not fit since the last time, or had to
    // wait for more than five seconds for calls of `drain`.
    void (*drain)(void *data, const struct instr_event *const *events, uint32_t count,
                  uint64_t lost);
    // Writes lines to `text`, which the results have below the counters, and as "lines" in JSON.
    void (*report)(void *data, char *text, size_t size);
};

struct instr_method_info {
    uint32_t size, access_flags;   // JVMS table 4.6-A
    const char *name, *descriptor; // "order", "(Lcom/acme/Cart;I)J"
    uint32_t line;                 // the first; 0: unknown
};

struct instr_call { // a call in a method; not those of lambdas and other invokedynamic
    uint32_t size, line;
    const char *class_name, *name, *descriptor; // "[I" is the class of a call of int[].clone
    int is_static;
};

struct instr_loader_info { // of the class loader
    uint32_t size;
    int is_bootstrap;
    const char
        *class_name;  // "org.apache.catalina.loader.ParallelWebappClassLoader"; NULL: bootstrap
    const char *name; // "app"; NULL: it has none, as in JDK 8
};

enum instr_where {
    INSTR_AT_ENTRY,       // of constructors before super(), where there is no `this` yet
    INSTR_AT_CONSTRUCTED, // of constructors after super() or this(); elsewhere -1, nothing else
    INSTR_AT_RETURN,
    INSTR_AT_THROWN, // an exception leaves the method; not one that super() or this() throws
    INSTR_AT_BEFORE, // a call
    INSTR_AT_AFTER   // a call has returned
};

enum instr_what {
    INSTR_ARGUMENT, // of the method as it was called, or at INSTR_AT_BEFORE of the call; from 0
    INSTR_RESULT,   // at INSTR_AT_RETURN and INSTR_AT_AFTER
    INSTR_ELAPSED, // nanoseconds of the method (at INSTR_AT_RETURN and INSTR_AT_THROWN) or of the call
    INSTR_THIS,    // of the method; not in constructors before super()
    INSTR_THROWN // at INSTR_AT_THROWN
};

struct instr_value {
    uint32_t size, what, index; // of the argument
};

enum instr_is {
    INSTR_EQUAL,
    INSTR_NOT_EQUAL,
    INSTR_LESS,
    INSTR_AT_LEAST,
    INSTR_MORE,
    INSTR_AT_MOST
};

// What a condition asks: is `value` less than `number`? Objects can be compared with 0, null, only. Fractions
// count, and NaN is not equal to any number, neither less nor more.
struct instr_test {
    uint32_t size, is;
    const struct instr_value *value;
    int64_t number;
};

struct instr_at {
    uint32_t size, where;
    uint32_t call;                    // which, as for host->call
    const struct instr_test *only_if; // NULL: always
};

struct instr_host {
    uint32_t size, api;
    // In instr_plugin_init: what follows plugin=FILE.so: in the option, or "".
    const char *(*options)(void);
    // Registers the plug-in; to be called once by instr_plugin_init. Returns 0; or -1, with a sentence
    // for instr_plugin_init's `error`.
    int (*add)(const struct instr_plugin *plugin, void *data);

    // --- looks ---
    const char *(*class_name)(const struct instr_class *cls);
    const char *(*super_name)(const struct instr_class *cls);                 // NULL: none
    const char *(*interface_name)(const struct instr_class *cls, uint32_t n); // NULL: fewer
    // Is the class of this name, as `cls` sees it, `super` or a subtype of it? Of the class itself what is
    // not known yet is soon: it is then asked for again (`wants`), before it is first used. Of others no
    // class is loaded for it, except of the bootstrap loader. In instr rewrite: what the class itself says.
    int (*is_a)(const struct instr_class *cls, const char *name, const char *super);
    int (*matches)(const char *patterns, const char *class_name); // as include= of the options
    void (*method)(struct instr_code *code, struct instr_method_info *info);
    int (*annotated)(struct instr_code *code, const char *annotation); // visible at run time
    // Looks at call `n` of the method, from 0. Returns 0 if it has fewer.
    int (*call)(struct instr_code *code, uint32_t n, struct instr_call *call);

    // --- what is put there: each returns 0; or -1, and the method stays as it was, with a reason. In
    // instr rewrite the counters of a method are one, and histograms are left out. ---
    int (*count)(struct instr_code *code, const struct instr_at *at, const char *counter);
    // Adds a number to a histogram. Negative ones count as 0.
    int (*observe)(struct instr_code *code, const struct instr_at *at, const char *histogram,
                   const struct instr_value *value);

    int (*class_annotated)(const struct instr_class *cls, const char *annotation); // a look
    // Call `n` is not made; its result is 0 or null. Constructors cannot be skipped. Others may skip it, too; a kit
    // with advice for it stands behind the plug-in.
    int (*skip)(struct instr_code *code, uint32_t n);
    // At its entry the method returns 0 or null if the test is met (NULL: always), after what else the
    // plug-in has at the entry; what it has at INSTR_AT_RETURN runs, too. Not for constructors.
    int (*skip_if)(struct instr_code *code, const struct instr_test *test);
    // Counts an event, and hands it to `drain` with the value (NULL: 0). The program never waits: of more
    // events than `drain` takes in time, some are lost, and counted. Left out in instr rewrite.
    int (*emit)(struct instr_code *code, const struct instr_at *at, const char *event,
                const struct instr_value *value);
    // A look. Returns 1; or 0, it is not known, as in instr rewrite.
    int (*loader)(const struct instr_class *cls, struct instr_loader_info *info);

    // In instr_plugin_init: a class in Java, as a class file, behind those that it extends. It is public, and
    // goes to the bootstrap loader for good. Returns 0; or -1, as `add`.
    int (*add_helper)(const void *bytes, size_t length);
    // Calls the public static method with so many parameters of a helper: numbers of the values' types, and
    // objects as Object or their own type. What it throws is reported and dropped, and what it calls makes no
    // calls of helpers. Left out in instr rewrite.
    int (*call_helper)(struct instr_code *code, const struct instr_at *at, const char *class_name,
                       const char *method, const struct instr_value *const *values, uint32_t count);
};

// Returns 0, after host->add; or another number with a sentence in `error`. The host is never freed.
__attribute__((visibility("default"))) int instr_plugin_init(const struct instr_host *host,
                                                             char *error, size_t size);

#ifdef __cplusplus
}
#endif

#endif

// Loads a plug-in, checks what it registers, and starts it.

#include "instr/plugins/internal.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// --- what it registers ---

// A library has one set of variables, so it is opened once at a time, by one thread.
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Thread_local struct {
    struct instr_open_plugin *plugin; // NULL: none is being opened
    char reason[INSTR_ERROR_SIZE];    // why `add` has failed
    int added;
} * opening;

static int refuse(const char *reason) {
    if (!*opening->reason) snprintf(opening->reason, sizeof opening->reason, "%s", reason);
    return -1;
}

const char *instr_plugin_options(void) {
    return opening ? opening->plugin->options : "";
}

// The size that struct instr_plugin had in the first version of its api.
#define SMALLEST                                                                                   \
    (offsetof(struct instr_plugin, rewrite) + sizeof((struct instr_plugin *)NULL)->rewrite)

int instr_plugin_add(const struct instr_plugin *plugin, void *data) {
    char reason[INSTR_ERROR_SIZE];
    if (!opening) return -1;
    if (opening->added++) return refuse("calls host->add more than once");
    if (!plugin) return refuse("calls host->add without a struct instr_plugin");
    if (plugin->api != INSTR_PLUGIN_API) {
        snprintf(reason, sizeof reason, "was built for api %u of plug-ins; this instr has api %u",
                 plugin->api, INSTR_PLUGIN_API);
        return refuse(reason);
    }
    if (plugin->size < SMALLEST) {
        snprintf(reason, sizeof reason,
                 "says that its struct instr_plugin has %u bytes; that of api %u has %zu",
                 plugin->size, INSTR_PLUGIN_API, SMALLEST);
        return refuse(reason);
    }
    if (!plugin->rewrite) return refuse("has no function `rewrite`");
    size_t known = sizeof opening->plugin->plugin;
    memcpy(&opening->plugin->plugin, plugin, plugin->size < known ? plugin->size : known);
    opening->plugin->data = data;
    return 0;
}

int instr_plugin_add_helper(const void *bytes, size_t length) {
    enum { MOST_BYTES = 1 << 20 };
    if (!opening) return -1;
    if (!bytes || length > MOST_BYTES) return refuse("brings a helper class without bytes");
    struct instr_plugin_helper *helper = instr_plugin_new_helper(bytes, length),
                               **last = &opening->plugin->helpers;
    if (!helper) return refuse("brings a helper class for which there is no memory");
    while (*last) last = &(*last)->next;
    *last = helper;
    if (!*helper->name) return refuse("brings a helper class that is not a class file");
    if (helper->cls.access_flags & CF_ACC_PUBLIC) return 0;
    return refuse("brings a helper class that is not public");
}

// --- the library ---

static int fail(char *reason, size_t size, const struct instr_open_plugin *plugin,
                const char *text) {
    snprintf(reason, size, "%.300s: %.600s", plugin->file, text);
    return -1;
}

// Is a part that dlopen maps behind the end of the file? The process would end with SIGBUS.
static bool is_cut(int fd, const ElfW(Ehdr) * head, off_t length) {
    ElfW(Phdr) part;
    for (int i = 0; i < head->e_phnum; i++) {
        off_t at = (off_t)head->e_phoff + (off_t)(i * (int)sizeof part);
        if (pread(fd, &part, sizeof part, at) != (ssize_t)sizeof part) return true;
        if (part.p_type == PT_LOAD && (part.p_offset > (ElfW(Off))length ||
                                       part.p_filesz > (ElfW(Off))length - part.p_offset))
            return true;
    }
    return false;
}

// Is the library for another processor than ours? dlopen passes over such a file, and says that there is none.
static bool is_foreign(const ElfW(Ehdr) * head) {
    Dl_info info;
    if (head->e_ident[EI_CLASS] != (sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32)) return true;
    if (!dladdr(&instr_plugin_host, &info)) return false;
    const ElfW(Ehdr) *own = info.dli_fbase;
    return head->e_machine != own->e_machine;
}

// What is wrong with the file; NULL: dlopen may say. It would wait for a writer to a pipe.
static const char *fault_of(int fd) {
    ElfW(Ehdr) head;
    struct stat st;
    if (fstat(fd, &st) != 0) return strerror(errno);
    if (S_ISDIR(st.st_mode)) return "is a directory";
    if (!S_ISREG(st.st_mode)) return "is not a file";
    if (pread(fd, &head, sizeof head, 0) != (ssize_t)sizeof head ||
        memcmp(head.e_ident, ELFMAG, SELFMAG) != 0)
        return "is not a shared library";
    if (is_foreign(&head)) return "is a library for another kind of machine";
    return is_cut(fd, &head, st.st_size) ? "is cut short" : NULL;
}

static int check_file(const struct instr_open_plugin *plugin, char *reason, size_t size) {
    int fd = open(plugin->file, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0) return fail(reason, size, plugin, strerror(errno));
    const char *fault = fault_of(fd);
    int result = fault ? fail(reason, size, plugin, fault) : 0;
    close(fd);
    return result;
}

// Without a slash dlopen would search the paths of libraries.
static void *load(const struct instr_open_plugin *plugin, char *reason, size_t size) {
    char path[4096];
    int slash = strchr(plugin->file, '/') != NULL;
    snprintf(path, sizeof path, "%s%s", slash ? "" : "./", plugin->file);
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    const char *error = library ? NULL : dlerror();
    if (library) return library;
    size_t prefix = strlen(path);
    if (error && strncmp(error, path, prefix) == 0 && strncmp(error + prefix, ": ", 2) == 0)
        error += prefix + 2;
    fail(reason, size, plugin, error ? error : "cannot be loaded");
    return NULL;
}

typedef int init_function(const struct instr_host *host, char *error, size_t size);

// The symbol of the library itself: dlsym searches those that it needs, too.
static init_function *find_init(void *library) {
    void *symbol = dlsym(library, "instr_plugin_init");
    struct link_map *map = NULL;
    Dl_info info;
    if (!symbol || dlinfo(library, RTLD_DI_LINKMAP, &map) != 0 || !dladdr(symbol, &info) ||
        (ElfW(Addr))info.dli_fbase != map->l_addr)
        return NULL;
    init_function *init;
    memcpy(&init, &symbol, sizeof init);
    return init;
}

// Its own sentence comes first; one that it does not end is cut.
static int register_plugin(struct instr_open_plugin *plugin, init_function *init, char *reason,
                           size_t size) {
    __typeof__(*opening) now = {.plugin = plugin};
    char error[INSTR_ERROR_SIZE] = "";
    opening = &now;
    int result = init(&instr_plugin_host, error, sizeof error);
    opening = NULL;
    error[sizeof error - 1] = '\0';
    error[strcspn(error, "\n")] = '\0';
    if (*now.reason) return fail(reason, size, plugin, now.reason);
    if (result != 0)
        return fail(reason, size, plugin,
                    *error ? error : "refuses to work, without a reason (instr_plugin_init)");
    if (now.added) return 0;
    return fail(reason, size, plugin, "does not call host->add in instr_plugin_init");
}

// --- start ---

static int check_needs(const struct instr_open_plugin *opened, enum instr_plugin_place place,
                       unsigned jdk, char *reason, size_t size) {
    const struct instr_plugin *plugin = &opened->plugin;
    char text[128] = "";
    uint32_t unknown = plugin->needs & ~(uint32_t)(INSTR_NEEDS_JVM | INSTR_NEEDS_START);
    if (unknown)
        snprintf(text, sizeof text, "needs what this instr cannot give (needs 0x%x)", unknown);
    else if (plugin->needs && place == INSTR_PLUGIN_OFFLINE)
        snprintf(text, sizeof text, "needs a JVM with the agent");
    else if (plugin->needs & INSTR_NEEDS_START && place == INSTR_PLUGIN_LATE)
        snprintf(text, sizeof text, "must be there from the start of the JVM");
    else if (jdk && plugin->jdk > jdk)
        snprintf(text, sizeof text, "needs JDK %u or later; this is JDK %u", plugin->jdk, jdk);
    else if (plugin->jdk_end && jdk > plugin->jdk_end)
        snprintf(text, sizeof text, "works up to JDK %u; this is JDK %u", plugin->jdk_end, jdk);
    return *text ? fail(reason, size, opened, text) : 0;
}

static int start(struct instr_open_plugin *plugin, unsigned jdk, char *reason, size_t size) {
    char error[INSTR_ERROR_SIZE] = "";
    plugin->started = true; // stop is called after a failed start, too
    if (!plugin->plugin.start || plugin->plugin.start(plugin->data, jdk, error, sizeof error) == 0)
        return 0;
    error[sizeof error - 1] = '\0';
    error[strcspn(error, "\n")] = '\0';
    return fail(reason, size, plugin, *error ? error : "does not start, and gives no reason");
}

static int open_plugin(struct instr_open_plugin *plugin, enum instr_plugin_place place,
                       unsigned jdk, char *reason, size_t size) {
    if (check_file(plugin, reason, size) != 0) return -1;
    plugin->library = load(plugin, reason, size);
    if (!plugin->library) return -1;
    init_function *init = find_init(plugin->library);
    if (!init) return fail(reason, size, plugin, "is not a plug-in: it has no instr_plugin_init");
    plugin->offline = place == INSTR_PLUGIN_OFFLINE;
    if (register_plugin(plugin, init, reason, size) != 0) return -1;
    if (check_needs(plugin, place, jdk, reason, size) != 0) return -1;
    return start(plugin, jdk, reason, size);
}

void instr_plugin_close(struct instr_open_plugin *plugin) {
    if (plugin->started && plugin->plugin.stop) plugin->plugin.stop(plugin->data);
    plugin->started = false;
    instr_plugin_free_helpers(plugin->helpers);
    plugin->helpers = NULL;
    if (plugin->library) dlclose(plugin->library);
    plugin->library = NULL;
}

int instr_plugin_open(const struct rw_pass *pass, enum instr_plugin_place place, unsigned jdk,
                      const struct instr_plugin_jvm *jvm, char *reason, size_t size) {
    struct instr_open_plugin *plugin = (struct instr_open_plugin *)(uintptr_t)pass->data;
    pthread_mutex_lock(&lock);
    plugin->jvm = jvm;
    int result = plugin->started ? 0 : open_plugin(plugin, place, jdk, reason, size);
    if (result != 0) instr_plugin_close(plugin);
    pthread_mutex_unlock(&lock);
    return result;
}

int instr_plugins_open(const struct instr_options *options, enum instr_plugin_place place,
                       char *reason, size_t size) {
    for (size_t i = 0; i < options->pass_count; i++) {
        const struct rw_pass *pass = options->passes[i].pass;
        if (pass->made && pass->made->kind == instr_plugin_source.key &&
            instr_plugin_open(pass, place, 0, NULL, reason, size) != 0)
            return -1;
    }
    return 0;
}

int instr_plugins_check(const struct instr_options *options, char *reason, size_t size) {
    for (size_t i = 0; i < options->pass_count; i++) {
        const struct rw_pass *pass = options->passes[i].pass;
        if (pass->made && pass->made->kind == instr_plugin_source.key &&
            check_file(pass->data, reason, size) != 0)
            return -1;
    }
    return 0;
}

int instr_plugin_command(const struct rw_pass *pass, const char *text, char *answer, size_t size) {
    const struct instr_open_plugin *plugin = pass->data;
    *answer = '\0';
    if (!pass->made || pass->made->kind != instr_plugin_source.key || !plugin->started ||
        !plugin->plugin.command) {
        snprintf(answer, size, "'%s' takes no commands", pass->name);
        return -1;
    }
    int result = plugin->plugin.command(plugin->data, text, answer, size);
    answer[size - 1] = '\0';
    return result;
}

struct instr_plugin_helper *instr_plugin_helpers(const struct rw_pass *pass) {
    return ((const struct instr_open_plugin *)pass->data)->helpers;
}

bool instr_plugin_drains(const struct rw_pass *pass) {
    const struct instr_open_plugin *plugin = pass->data;
    return plugin->started && plugin->plugin.drain;
}

void instr_plugin_drain(const struct rw_pass *pass, const struct instr_event *const *events,
                        uint32_t count, uint64_t lost) {
    struct instr_open_plugin *plugin = (struct instr_open_plugin *)(uintptr_t)pass->data;
    __atomic_fetch_add(&plugin->lost, lost, __ATOMIC_RELAXED);
    plugin->plugin.drain(plugin->data, events, count, lost);
}

uint64_t instr_plugin_lost(const struct rw_pass *pass) {
    const struct instr_open_plugin *plugin = pass->data;
    return __atomic_load_n(&plugin->lost, __ATOMIC_RELAXED);
}

void instr_plugin_report(const struct rw_pass *pass, char *text, size_t size) {
    const struct instr_open_plugin *plugin = pass->data;
    *text = '\0';
    if (plugin->started && plugin->plugin.report) plugin->plugin.report(plugin->data, text, size);
    text[size - 1] = '\0';
}

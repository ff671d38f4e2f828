// Source files: an index of all that were added, by their names.

#include "instr/cli/coverage/formats/sources.h"
#include "instr/base/array.h"
#include "instr/cli/cli.h"
#include "instr/cli/paths.h"

#include <errno.h>
#include <iconv.h>
#include <limits.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include <zip.h>

enum { MOST_SOURCE = 64 << 20 }; // bytes of one file

struct root {
    char *path;
    char *bundle;    // NULL: of all
    struct zip *jar; // NULL: a folder
};

struct file {
    char *path;       // whole, or of the entry
    const char *name; // the part after the last slash
    uint32_t below;   // where in `path` the part below the root starts
    uint32_t root;
    size_t entry; // SIZE_MAX: a file
};

struct cover_sources {
    char *encoding; // NULL: UTF-8
    unsigned tab;
    char here[PATH_MAX]; // the current folder; empty: unknown
    struct root *roots;
    size_t roots_count, roots_capacity;
    struct file *files;
    size_t count, capacity;
    int sorted;
    pthread_mutex_t lock; // of the archives
};

// Names are iconv's, or Java's: builds have ISO8859_1, EUC_JP and MacRoman, which iconv calls otherwise.
static iconv_t converter_of(const char *encoding) {
    iconv_t converter = iconv_open("UTF-8", encoding);
    char dashed[64];
    if (converter != (iconv_t)-1 || strlen(encoding) >= sizeof dashed) return converter;
    if (strcasecmp(encoding, "MacRoman") == 0) return iconv_open("UTF-8", "MACINTOSH");
    for (size_t i = 0; i <= strlen(encoding); i++)
        dashed[i] = (char)(encoding[i] == '_' ? '-' : encoding[i]);
    return iconv_open("UTF-8", dashed);
}

struct cover_sources *cover_sources_new(const char *encoding, unsigned tab) {
    struct cover_sources *sources = calloc(1, sizeof *sources);
    if (!sources || (encoding && !(sources->encoding = strdup(encoding)))) {
        free(sources);
        cli_no_memory();
        return NULL;
    }
    sources->tab = tab;
    if (!getcwd(sources->here, sizeof sources->here)) sources->here[0] = 0;
    pthread_mutex_init(&sources->lock, NULL);
    iconv_t converter = encoding ? converter_of(encoding) : (iconv_t)-1;
    if (encoding && converter == (iconv_t)-1) {
        cli_error("--encoding: unknown encoding '%.64s'; 'iconv -l' lists those that are known",
                  encoding);
        cover_sources_free(sources);
        return NULL;
    }
    if (encoding) iconv_close(converter);
    return sources;
}

void cover_sources_free(struct cover_sources *sources) {
    if (!sources) return;
    for (size_t i = 0; i < sources->count; i++) free(sources->files[i].path);
    for (size_t i = 0; i < sources->roots_count; i++) {
        cli_close_jar(sources->roots[i].jar);
        free(sources->roots[i].path);
        free(sources->roots[i].bundle);
    }
    pthread_mutex_destroy(&sources->lock);
    free(sources->files);
    free(sources->roots);
    free(sources->encoding);
    free(sources);
}

int cover_sources_none(const struct cover_sources *sources) {
    return !sources || sources->count == 0;
}

unsigned cover_sources_tab(const struct cover_sources *sources) {
    return sources ? sources->tab : COVER_TAB;
}

// --- adding ---

// Is it of a kind that cannot be a source file, but of which there are many?
static int is_result(const char *name) {
    return cli_ends_with(name, ".class") || cli_ends_with(name, ".jar");
}

static int add_file(struct cover_sources *sources, const char *path, size_t below, size_t entry) {
    if (is_result(path)) return 0;
    char *copy = strdup(path);
    if (!copy || !INSTR_ARRAY_RESERVE(sources->files, sources->capacity, sources->count + 1)) {
        free(copy);
        return -1;
    }
    if (entry != SIZE_MAX && !strchr(copy, '/')) // some programs for Windows write such archives
        for (char *c = copy; (c = strchr(c, '\\'));) *c = '/';
    char *slash = strrchr(copy + below, '/');
    sources->files[sources->count++] =
        (struct file){copy, slash ? slash + 1 : copy + below, (uint32_t)below,
                      (uint32_t)sources->roots_count, entry};
    return 0;
}

struct walk {
    struct cover_sources *sources;
    size_t below;
};

static int take_entry(void *context, const FTSENT *entry) {
    struct walk *walk = context;
    if (entry->fts_info != FTS_F) return 0;
    const char *below = entry->fts_path + walk->below;
    size_t slash = strspn(below, "/");
    return add_file(walk->sources, entry->fts_path, walk->below + slash, SIZE_MAX);
}

static int add_folder(struct cover_sources *sources, const char *path) {
    struct walk walk = {sources, strlen(path)};
    int result = cli_walk(path, CLI_LINKS_FOLLOWED, take_entry, &walk);
    return result == 0 ? CLI_OK : cli_no_memory();
}

static int add_archive(struct cover_sources *sources, const char *path, struct zip **jar) {
    char reason[CLI_REASON_SIZE];
    if (cli_open_jar(path, jar, reason) != 0) return cli_error("%s: %s", path, reason);
    zip_int64_t count = zip_get_num_entries(*jar, 0);
    for (zip_int64_t i = 0; i < count; i++) {
        const char *name = zip_get_name(*jar, (zip_uint64_t)i, ZIP_FL_ENC_GUESS);
        size_t length = name ? strlen(name) : 0;
        if (length == 0 || name[length - 1] == '/') continue;
        if (add_file(sources, name, 0, (size_t)i) != 0) return cli_no_memory();
    }
    return CLI_OK;
}

int cover_sources_add(struct cover_sources *sources, const char *path, const char *bundle) {
    struct stat st;
    struct root root = {NULL};
    if (stat(path, &st) != 0) return cli_error("%s: %s", path, strerror(errno));
    if (!S_ISDIR(st.st_mode) && !S_ISREG(st.st_mode))
        return cli_error("%s: is neither a folder nor an archive", path);
    root.path = strdup(path);
    root.bundle = bundle ? strdup(bundle) : NULL;
    int status = CLI_OK;
    if (!root.path || (bundle && !root.bundle) ||
        !INSTR_ARRAY_RESERVE(sources->roots, sources->roots_capacity, sources->roots_count + 1))
        status = cli_no_memory();
    else
        status =
            S_ISDIR(st.st_mode) ? add_folder(sources, path) : add_archive(sources, path, &root.jar);
    if (status != CLI_OK) {
        while (sources->count && sources->files[sources->count - 1].root == sources->roots_count)
            free(sources->files[--sources->count].path);
        cli_close_jar(root.jar);
        free(root.path);
        free(root.bundle);
        return status;
    }
    sources->roots[sources->roots_count++] = root;
    sources->sorted = 0;
    return CLI_OK;
}

int cover_sources_add_names(struct cover_sources *sources, const char *folder, const char *names,
                            size_t length) {
    struct root root = {strdup(folder), NULL, NULL};
    int status = CLI_OK;
    if (!root.path ||
        !INSTR_ARRAY_RESERVE(sources->roots, sources->roots_capacity, sources->roots_count + 1)) {
        free(root.path);
        return cli_no_memory();
    }
    for (size_t at = 0; status == CLI_OK && at < length; at += strlen(names + at) + 1) {
        char path[PATH_MAX];
        int n = snprintf(path, sizeof path, "%s/%s", folder, names + at);
        if (n < (int)sizeof path && add_file(sources, path, strlen(folder) + 1, SIZE_MAX) != 0)
            status = cli_no_memory();
    }
    sources->roots[sources->roots_count++] = root;
    sources->sorted = 0;
    return status;
}

// --- finding ---

static int by_name(const void *a, const void *b) {
    const struct file *x = a, *y = b;
    int order = strcmp(x->name, y->name);
    if (order == 0) order = (x->root > y->root) - (x->root < y->root);
    return order ? order : strcmp(x->path, y->path);
}

static void sort(struct cover_sources *sources) {
    if (!sources->sorted) qsort(sources->files, sources->count, sizeof(struct file), by_name);
    sources->sorted = 1;
}

// The first file of this name.
static size_t first_of(const struct cover_sources *sources, const char *name) {
    size_t low = 0, high = sources->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (strcmp(sources->files[middle].name, name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

// How many of the last names of `package` are those of the folder that the file is in. All of them:
// UINT_MAX.
static unsigned names_alike(const struct file *file, const char *package) {
    const char *folder = file->path + file->below, *end = file->name, *last = strchr(package, 0);
    unsigned names = 0;
    if (end > folder) end--; // the slash
    if (!*package) return file->name == folder ? UINT_MAX : 0;
    for (;;) {
        const char *a = end, *b = last;
        if (b == package) return UINT_MAX;
        while (b > package && b[-1] != '/') b--;
        while (a > folder && a[-1] != '/') a--;
        if (a == end || end - a != last - b || memcmp(a, b, (size_t)(end - a)) != 0) return names;
        names++;
        end = a > folder ? a - 1 : a;
        last = b > package ? b - 1 : b;
    }
}

// How many folders of the root are above those of the package, where all of its names match.
static unsigned folders_above(const struct file *file, const char *package) {
    const char *folder = file->path + file->below;
    unsigned slashes = 0;
    while (folder < file->name) slashes += *folder++ == '/';
    if (*package) slashes--;
    while (*package) slashes -= *package++ == '/';
    return slashes;
}

// Of folders that belong to all, the files below the module's folder are its own. Its name is that folder.
static int of_bundle(const struct cover_sources *sources, const struct file *file,
                     const char *bundle) {
    const char *own = sources->roots[file->root].bundle, *path = file->path;
    if (own || !bundle || file->entry != SIZE_MAX) return own && bundle && strcmp(own, bundle) == 0;
    size_t here = strlen(sources->here), length = strlen(bundle);
    if (here && strncmp(path, sources->here, here) == 0 && path[here] == '/') path += here + 1;
    while (strncmp(path, "./", 2) == 0) path += 2 + strspn(path + 2, "/");
    return strncmp(path, bundle, length) == 0 && path[length] == '/';
}

int cover_sources_find(struct cover_sources *sources, const char *bundle, const char *package,
                       const char *name, struct cover_place *place) {
    const struct file *best = NULL;
    unsigned best_names = 0, best_above = 0;
    int best_own = 0, several = 0;
    if (cover_sources_none(sources)) return 0;
    sort(sources);
    for (size_t i = first_of(sources, name); i < sources->count; i++) {
        const struct file *file = &sources->files[i];
        if (strcmp(file->name, name) != 0) break;
        unsigned names = names_alike(file, package);
        int own = of_bundle(sources, file, bundle);
        unsigned above = names == UINT_MAX ? folders_above(file, package) : 0;
        // Where the whole package matches, that of the module precedes, then the one that is least
        // deep (app/util is no place of a package util if there is a folder util), then the first.
        int better = !best || names > best_names || (names == best_names && own > best_own) ||
                     (names == best_names && own == best_own && above < best_above);
        if (!better && names == best_names && own == best_own) several = names != UINT_MAX;
        if (!better) continue;
        best = file;
        best_names = names;
        best_above = above;
        best_own = own;
        several = 0;
    }
    if (!best || several) return 0;
    *place = (struct cover_place){best->path, best->root, best->entry};
    return 1;
}

static size_t folders_in_common(const char *a, const char *b) {
    size_t slashes = 0;
    for (; *a && *a == *b; a++, b++) slashes += *a == '/';
    return slashes;
}

int cover_sources_find_near(struct cover_sources *sources, const char *near, const char *package,
                            const char *name, struct cover_place *place) {
    const struct file *best = NULL;
    size_t most = 0;
    int several = 0;
    if (cover_sources_none(sources)) return 0;
    sort(sources);
    for (size_t i = first_of(sources, name); i < sources->count; i++) {
        const struct file *file = &sources->files[i];
        if (strcmp(file->name, name) != 0) break;
        if (names_alike(file, package) != UINT_MAX) continue;
        size_t common = folders_in_common(file->path, near);
        if (best && common == most) several = 1;
        if (best && common <= most) continue;
        best = file;
        most = common;
        several = 0;
    }
    if (!best || several) return 0;
    *place = (struct cover_place){best->path, best->root, best->entry};
    return 1;
}

// --- reading ---

static int convert(const char *encoding, struct cli_bytes *text, char reason[CLI_REASON_SIZE]) {
    iconv_t converter = converter_of(encoding);
    size_t room = text->length * 4 + 16, left = text->length;
    char *result = malloc(room), *out = result, *in = (char *)text->bytes;
    if (converter == (iconv_t)-1 || !result) {
        if (converter != (iconv_t)-1) iconv_close(converter);
        free(result);
        snprintf(reason, CLI_REASON_SIZE, "out of memory");
        return -1;
    }
    while (left > 0 && room > 4) {
        if (iconv(converter, &in, &left, &out, &room) != (size_t)-1 || left == 0) break;
        *out++ = '?'; // stands for a byte that is malformed
        room--;
        in++;
        left--;
    }
    iconv_close(converter);
    free(text->bytes);
    *text = (struct cli_bytes){(uint8_t *)result, (size_t)(out - result)};
    return 0;
}

int cover_sources_read(struct cover_sources *sources, const struct cover_place *place,
                       struct cli_bytes *text, char reason[CLI_REASON_SIZE]) {
    int result;
    if (place->entry == SIZE_MAX) {
        result = cli_read_file(place->path, text, reason);
    } else {
        pthread_mutex_lock(&sources->lock);
        result = cli_read_entry(sources->roots[place->root].jar, place->entry, text, reason);
        pthread_mutex_unlock(&sources->lock);
    }
    if (result != 0) return -1;
    if (text->length > MOST_SOURCE) {
        snprintf(reason, CLI_REASON_SIZE, "is longer than 64 MB");
        result = -1;
    } else if (sources->encoding) {
        result = convert(sources->encoding, text, reason);
    }
    if (result != 0) {
        free(text->bytes);
        return -1;
    }
    if (text->length >= 3 && memcmp(text->bytes, "\xEF\xBB\xBF", 3) == 0)
        memmove(text->bytes, text->bytes + 3, text->length -= 3);
    return 0;
}

// Sources that reports show. The first byte says how: a source file in one of several encodings, or an
// archive. What is found can be read, or there is a reason; and what was read is in UTF-8 as far as the
// file was in its encoding.

#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/in_file.h"

#include "instr/cli/cli.h"
#include "instr/cli/coverage/formats/sources.h"

static const char *const encodings[] = {NULL, "ISO-8859-1", "UTF-16", "SHIFT_JIS", "GB18030"};
static const char *const packages[] = {"com/acme", "", "other/com/acme", "a/b/c"};
static const char *const names[] = {"Shop.java", "A.java", "", ".."};

static int is_continued(const uint8_t *p) {
    return (*p & 0xC0) == 0x80;
}

// Each first byte is followed by as many as it says.
static int is_utf8(const uint8_t *p, const uint8_t *end) {
    for (; p < end; p++) {
        unsigned more = *p < 0x80   ? 0
                        : *p < 0xC2 ? 9
                        : *p < 0xE0 ? 1
                        : *p < 0xF0 ? 2
                        : *p < 0xF5 ? 3
                                    : 9;
        for (; more > 0; more--)
            if (++p >= end || !is_continued(p)) return 0;
    }
    return 1;
}

static void look(struct cover_sources *sources, const char *package, const char *name,
                 const char *encoding) {
    struct cover_place place;
    struct cli_bytes text = {NULL, 0};
    char reason[CLI_REASON_SIZE] = "";
    if (!cover_sources_find(sources, NULL, package, name, &place)) return;
    MUST(cli_ends_with(place.path, name));
    if (cover_sources_read(sources, &place, &text, reason) != 0) {
        MUST(reason[0] && memchr(reason, '\0', sizeof reason));
        return;
    }
    volatile uint8_t last = 0;
    for (size_t i = 0; i < text.length; i++) last = text.bytes[i];
    (void)last;
    MUST(!encoding || is_utf8(text.bytes, text.bytes + text.length));
    free(text.bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    enum { ENCODINGS = sizeof encodings / sizeof *encodings };
    if (size == 0) return 0;
    const char *encoding = encodings[data[0] % ENCODINGS];
    int is_archive = data[0] / ENCODINGS & 1;
    char *path = fuzz_file(is_archive ? "sources.zip" : "Shop.java", data + 1, size - 1);
    struct cover_sources *sources = cover_sources_new(encoding, COVER_TAB);
    MUST(sources);
    fuzz_quiet(1);
    int status = cover_sources_add(sources, is_archive ? path : fuzz_folder, NULL);
    fuzz_quiet(0);
    MUST(status == CLI_OK || is_archive);
    for (size_t p = 0; p < sizeof packages / sizeof *packages; p++)
        for (size_t n = 0; n < sizeof names / sizeof *names; n++)
            look(sources, packages[p], names[n], encoding);
    cover_sources_free(sources);
    unlink(path);
    free(path);
    return 0;
}

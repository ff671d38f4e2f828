// Manifests of jars: what signing leaves there, and sealing.

#include "instr/cli/rewrite/manifest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static int ends_with(const char *text, size_t n, const char *end) {
    size_t m = strlen(end);
    return n >= m && strncasecmp(text + n - m, end, m) == 0;
}

// The name in META-INF/; NULL if it is not directly there.
static const char *in_meta_inf(const char *name) {
    if (strncasecmp(name, "META-INF/", 9) != 0 || strchr(name + 9, '/')) return NULL;
    return name + 9;
}

int cli_is_signature_file(const char *name) {
    const char *file = in_meta_inf(name);
    return file && ends_with(file, strlen(file), ".SF");
}

int cli_is_signature(const char *name) {
    static const char *const ends[] = {".SF", ".RSA", ".DSA", ".EC"};
    const char *file = in_meta_inf(name);
    if (!file) return 0;
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (ends_with(file, strlen(file), ends[i])) return 1;
    return strncasecmp(file, "SIG-", 4) == 0;
}

int cli_is_manifest(const char *name) {
    return strcasecmp(name, "META-INF/MANIFEST.MF") == 0;
}

// The end of the line at `at`, after its CR LF, LF or CR.
static size_t line_end(const struct cli_bytes *m, size_t at) {
    while (at < m->length && m->bytes[at] != '\n' && m->bytes[at] != '\r') at++;
    if (at < m->length && m->bytes[at] == '\r')
        at++;
    else if (at < m->length)
        return at + 1;
    return at < m->length && m->bytes[at] == '\n' ? at + 1 : at;
}

// The end of the attribute at `at`: lines that begin with a blank continue it.
static size_t attribute_end(const struct cli_bytes *m, size_t at) {
    do at = line_end(m, at);
    while (at < m->length && m->bytes[at] == ' ');
    return at;
}

static int is_blank_line(const struct cli_bytes *m, size_t at) {
    return at >= m->length || m->bytes[at] == '\n' || m->bytes[at] == '\r';
}

// SHA-256-Digest, SHA1-Digest-de, Magic
static int is_digest(const struct cli_bytes *m, size_t at, size_t end) {
    const char *line = (const char *)m->bytes + at;
    const char *colon = memchr(line, ':', end - at);
    size_t n = colon ? (size_t)(colon - line) : 0;
    if (n == 5 && strncasecmp(line, "Magic", 5) == 0) return 1;
    for (size_t i = 0; i + 7 <= n; i++)
        if (strncasecmp(line + i, "-Digest", 7) == 0 && (i + 7 == n || line[i + 7] == '-'))
            return 1;
    return 0;
}

int cli_manifest_unsigned(const struct cli_bytes *m, struct cli_bytes *out) {
    size_t at = 0, used = 0;
    out->bytes = malloc(m->length + 1);
    if (!out->bytes) return -1;
    for (int section = 0; at < m->length; section++) {
        size_t begin = used, attributes = 0, dropped = 0;
        while (!is_blank_line(m, at)) {
            size_t end = attribute_end(m, at);
            int drop = section > 0 && is_digest(m, at, end);
            if (!drop) memcpy(out->bytes + used, m->bytes + at, end - at);
            if (!drop) used += end - at;
            drop ? dropped++ : attributes++;
            at = end;
        }
        size_t blank = at;
        while (at < m->length && is_blank_line(m, at)) at = line_end(m, at);
        if (dropped && attributes <= 1) { // only its name is left
            used = begin;
            continue;
        }
        memcpy(out->bytes + used, m->bytes + blank, at - blank);
        used += at - blank;
    }
    out->length = used;
    return 0;
}

// --- sealing ---

// Is the attribute KEY: VALUE? A name may go on in the next line, after 72 bytes.
static bool is_attribute(const struct cli_bytes *m, size_t at, size_t end, const char *key,
                         const char *value) {
    const char *line = (const char *)m->bytes + at;
    size_t n = strlen(key), length = end - at;
    while (length && (line[length - 1] == '\n' || line[length - 1] == '\r')) length--;
    return length == n + 2 + strlen(value) && strncasecmp(line, key, n) == 0 &&
           memcmp(line + n, ": ", 2) == 0 && strncasecmp(line + n + 2, value, length - n - 2) == 0;
}

bool cli_manifest_seals(const struct cli_bytes *m, const char *package) {
    bool seals = false;
    size_t at = 0;
    for (int section = 0; at < m->length; section++) {
        while (!is_blank_line(m, at)) {
            size_t end = attribute_end(m, at);
            if (section == 0 && is_attribute(m, at, end, "Sealed", "true")) seals = true;
            if (section > 0 && is_attribute(m, at, end, "Name", package)) return false;
            at = end;
        }
        while (at < m->length && is_blank_line(m, at)) at = line_end(m, at);
    }
    return seals;
}

int cli_manifest_open_package(const struct cli_bytes *m, const char *package,
                              struct cli_bytes *out) {
    static const char format[] = "\r\n\r\nName: %s\r\nSealed: false\r\n\r\n";
    size_t length = m->length, size = length + strlen(package) + sizeof format;
    while (length && is_blank_line(m, length - 1)) length--;
    out->bytes = malloc(size);
    if (!out->bytes) return -1;
    memcpy(out->bytes, m->bytes, length);
    out->length =
        length + (size_t)snprintf((char *)out->bytes + length, size - length, format, package);
    return 0;
}

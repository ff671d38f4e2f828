// An entry of an archive, replaced.

#include "instr/cli/rewrite/replace.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const zip_flags_t places[] = {ZIP_FL_LOCAL, ZIP_FL_CENTRAL};
enum { PLACES = 2 };

// libzip from 1.11 on drops the extra fields of an entry that is replaced, as they might describe the
// old bytes. Those that occur in jars do not: one marks JAR files, others hold times and owners.
struct field {
    uint16_t id, length;
    uint8_t bytes[];
};
struct extras {
    struct field **fields[PLACES];
    int counts[PLACES];
};

static void free_extras(struct extras *extras) {
    for (int p = 0; p < PLACES; p++) {
        for (int i = 0; i < extras->counts[p]; i++) free(extras->fields[p][i]);
        free(extras->fields[p]);
    }
}

static struct field *copy_field(zip_t *zip, zip_uint64_t index, int i, zip_flags_t place) {
    uint16_t id, length;
    const uint8_t *bytes = zip_file_extra_field_get(zip, index, (uint16_t)i, &id, &length, place);
    struct field *field = bytes ? malloc(sizeof *field + length) : NULL;
    if (!field) return NULL;
    *field = (struct field){id, length};
    memcpy(field->bytes, bytes, length);
    return field;
}

static int copy_extras(zip_t *zip, zip_uint64_t index, struct extras *extras) {
    memset(extras, 0, sizeof *extras);
    for (int p = 0; p < PLACES; p++) {
        int count = zip_file_extra_fields_count(zip, index, places[p]);
        if (count <= 0) continue; // libzip finds none in a damaged entry
        if (!(extras->fields[p] = calloc((size_t)count, sizeof *extras->fields[p]))) return -1;
        for (int i = 0; i < count; i++) {
            extras->fields[p][i] = copy_field(zip, index, i, places[p]);
            if (!extras->fields[p][i]) return -1;
            extras->counts[p]++;
        }
    }
    return 0;
}

// Restores those that libzip has dropped.
static int set_extras(zip_t *zip, zip_uint64_t index, const struct extras *extras) {
    for (int p = 0; p < PLACES; p++) {
        if (zip_file_extra_fields_count(zip, index, places[p]) == extras->counts[p]) continue;
        for (int i = 0; i < extras->counts[p]; i++) {
            const struct field *field = extras->fields[p][i];
            if (zip_file_extra_field_set(zip, index, field->id, ZIP_EXTRA_FIELD_NEW, field->bytes,
                                         field->length, places[p]) != 0)
                return -1;
        }
    }
    return 0;
}

int cli_replaced_goes_last(const zip_stat_t *before) {
    int major = 0, minor = 0, micro = 0;
    if (before->comp_method != ZIP_CM_STORE) return 0;
    sscanf(zip_libzip_version(), "%d.%d.%d", &major, &minor, &micro);
    return major == 1 && minor == 11 && micro <= 3;
}

// Adds the entry as a new one, which libzip stores as requested. (It refuses a duplicate name.)
static zip_int64_t add_anew(zip_t *zip, zip_uint64_t index, zip_source_t *source) {
    const char *name = zip_get_name(zip, index, ZIP_FL_ENC_RAW);
    zip_uint8_t system;
    zip_uint32_t attributes, length;
    char *copy = name ? strdup(name) : NULL;
    zip_int64_t added = -1;
    const char *comment = zip_file_get_comment(zip, index, &length, ZIP_FL_ENC_RAW);
    char *saved = comment ? malloc(length + 1u) : NULL;
    if (saved) memcpy(saved, comment, length);
    if (copy && (saved || !comment) &&
        zip_file_get_external_attributes(zip, index, 0, &system, &attributes) == 0 &&
        zip_delete(zip, index) == 0)
        added = zip_file_add(zip, copy, source, ZIP_FL_ENC_GUESS);
    if (added >= 0 &&
        ((saved && zip_file_set_comment(zip, (zip_uint64_t)added, saved, (zip_uint16_t)length,
                                        ZIP_FL_ENC_GUESS) != 0) ||
         zip_file_set_external_attributes(zip, (zip_uint64_t)added, 0, system, attributes) != 0))
        added = -2; // the source is the archive's already
    free(copy);
    free(saved);
    return added;
}

int cli_replace_entry(zip_t *zip, zip_uint64_t index, zip_source_t *source,
                      const zip_stat_t *before) {
    struct extras extras;
    zip_int64_t at = (zip_int64_t)index;
    int owned = 0, result = -1;
    if (copy_extras(zip, index, &extras) == 0) {
        if (cli_replaced_goes_last(before))
            at = add_anew(zip, index, source);
        else if (zip_file_replace(zip, index, source, 0) != 0)
            at = -1;
        owned = at != -1;
    }
    if (owned && at >= 0 &&
        zip_set_file_compression(zip, (zip_uint64_t)at, before->comp_method, 0) == 0 &&
        zip_file_set_mtime(zip, (zip_uint64_t)at, before->mtime, 0) == 0)
        result = set_extras(zip, (zip_uint64_t)at, &extras);
    if (!owned) zip_source_free(source);
    free_extras(&extras);
    return result;
}

// Entries of archives, as the threads read them.

#include "instr/cli/rewrite/read.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int cli_entry_raw(struct cli_reader *reader, const struct cli_job *job, struct cli_bytes *bytes,
                  char reason[CLI_REASON_SIZE]) {
    zip_stat_t st;
    zip_file_t *file = NULL;
    zip_stat_init(&st);
    bytes->bytes = NULL;
    if (zip_stat_index(reader->archive, job->index, 0, &st) == 0 && st.comp_size <= SIZE_MAX / 2 &&
        st.comp_size <= CLI_MOST_BYTES)
        file = zip_fopen_index(reader->archive, job->index, ZIP_FL_COMPRESSED);
    if (file) bytes->bytes = malloc((size_t)st.comp_size + 1);
    bytes->length = 0;
    while (bytes->bytes && bytes->length < st.comp_size) {
        zip_int64_t n = zip_fread(file, bytes->bytes + bytes->length, st.comp_size - bytes->length);
        if (n <= 0) break;
        bytes->length += (size_t)n;
    }
    if (file) zip_fclose(file);
    // libzip from 1.10 on returns no bytes for a deflated entry of length 0.
    if (bytes->bytes && bytes->length == 0 && st.size == 0 && st.comp_method == ZIP_CM_DEFLATE &&
        st.comp_size >= 2) {
        memcpy(bytes->bytes, "\3", 2);
        st.comp_size = bytes->length = 2;
    }
    if (bytes->bytes && bytes->length == st.comp_size) return 0;
    snprintf(reason, CLI_REASON_SIZE, "its bytes are missing in the archive");
    free(bytes->bytes);
    return -1;
}

// Inflates what was read, checking its length and its checksum.
static int unpack(struct cli_reader *reader, const zip_stat_t *st, struct cli_bytes *bytes,
                  char reason[CLI_REASON_SIZE]) {
    const char *wrong = NULL;
    if (st->comp_method == ZIP_CM_DEFLATE) {
        size_t length = (size_t)st->size;
        uint8_t *plain = malloc(length + 1);
        if (!plain)
            wrong = "out of memory";
        else if (cli_inflate(&reader->deflater, bytes->bytes, bytes->length, plain, length) != 0)
            wrong = "does not inflate to the length that the archive states";
        free(bytes->bytes);
        *bytes = (struct cli_bytes){plain, length};
    } else if (bytes->length != st->size) {
        wrong = "has another length than the archive states";
    }
    if (!wrong && cli_crc32(bytes->bytes, bytes->length) != st->crc) wrong = "CRC error";
    if (!wrong) return 0;
    free(bytes->bytes);
    snprintf(reason, CLI_REASON_SIZE, "%s", wrong);
    return -1;
}

int cli_entry_class(struct cli_reader *reader, const struct cli_job *job, struct cli_bytes *bytes,
                    char reason[CLI_REASON_SIZE]) {
    zip_stat_t st;
    zip_stat_init(&st);
    if (cli_entry_raw(reader, job, bytes, reason) != 0) return -1;
    zip_stat_index(reader->archive, job->index, 0, &st); // cannot fail: it has succeeded above
    return unpack(reader, &st, bytes, reason);
}

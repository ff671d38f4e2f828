#include "instr/vm/delivered.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static struct {
    char folder[PATH_MAX]; // "": the library was not loaded from a copy
    char name[64];         // "": the copy is not there
    bool alone;            // the folder is for this copy
    dev_t device;
    ino_t inode;
} copy;

// libinstr-0123456789abcdef.so
static bool is_name(const char *name) {
    static const char start[] = "libinstr-", hex[] = "0123456789abcdef", end[] = ".so";
    size_t digits = sizeof hex - 1;
    if (strncmp(name, start, sizeof start - 1) != 0) return false;
    name += sizeof start - 1;
    return strspn(name, hex) == digits && strcmp(name + digits, end) == 0;
}

// Opens the folder if it is a control directory of this user.
static int open_folder(const char *folder) {
    struct stat st;
    const char *name = strrchr(folder, '/');
    if (!name || strncmp(name, "/.instr-", 8) != 0) return -1;
    int fd = open(folder, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd >= 0 && fstat(fd, &st) == 0 && st.st_uid == geteuid() && !(st.st_mode & 077)) return fd;
    if (fd >= 0) close(fd);
    return -1;
}

void instr_delivered_note(const char *library, bool alone) {
    struct stat st;
    const char *slash = strrchr(library, '/');
    copy.folder[0] = copy.name[0] = '\0';
    copy.alone = alone;
    if (!slash || !is_name(slash + 1) || (size_t)(slash - library) >= sizeof copy.folder) return;
    snprintf(copy.folder, sizeof copy.folder, "%.*s", (int)(slash - library), library);
    int folder = open_folder(copy.folder);
    if (folder < 0) return;
    if (fstatat(folder, slash + 1, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(st.st_mode)) {
        copy.device = st.st_dev;
        copy.inode = st.st_ino;
        snprintf(copy.name, sizeof copy.name, "%s", slash + 1);
    }
    close(folder);
}

void instr_delivered_remove(void) {
    struct stat st;
    int folder = copy.name[0] ? open_folder(copy.folder) : -1;
    if (folder < 0) return;
    if (fstatat(folder, copy.name, &st, AT_SYMLINK_NOFOLLOW) == 0 && st.st_dev == copy.device &&
        st.st_ino == copy.inode)
        unlinkat(folder, copy.name, 0);
    close(folder);
}

void instr_delivered_end(void) {
    instr_delivered_remove();
    int folder = copy.folder[0] && copy.alone ? open_folder(copy.folder) : -1;
    if (folder < 0) return;
    rmdir(copy.folder);
    close(folder);
}

#include "instr/cli/find_jdk.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool cli_find_jdk(struct instr_class_path *path) {
    const char *home = getenv("JAVA_HOME"), *folders = getenv("PATH");
    char java[PATH_MAX], real[PATH_MAX];
    if (home && *home && instr_class_path_jdk(path, home)) return true;
    for (const char *p = folders ? folders : ""; *p;) {
        size_t length = strcspn(p, ":");
        snprintf(java, sizeof java, "%.*s/java", (int)length, p);
        p += length + (p[length] == ':');
        if (access(java, X_OK) != 0 || !realpath(java, real)) continue;
        for (int i = 0; i < 2; i++) // bin/java
            if (strrchr(real, '/')) *strrchr(real, '/') = '\0';
        if (instr_class_path_jdk(path, real)) return true;
    }
    return false;
}

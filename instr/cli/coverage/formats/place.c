// Paths of source files.

#include "instr/cli/coverage/formats/place.h"
#include "instr/cli/coverage/formats/sources.h"

#include <stdio.h>
#include <string.h>

void cover_each_source(const struct cover_model *model,
                       void (*take)(void *context, const struct cover_bundle *bundle,
                                    const struct cover_source *source),
                       void *context) {
    for (size_t b = 0; b < model->bundle_count; b++) {
        const struct cover_bundle *bundle = model->bundles[b];
        for (size_t p = 0; p < bundle->package_count; p++) {
            const struct cover_package *package = bundle->packages[p];
            for (size_t s = 0; s < package->source_count; s++)
                if (package->sources[s]->lines.first) take(context, bundle, package->sources[s]);
        }
    }
}

void cover_source_path(const struct cover_model *model, const struct cover_bundle *bundle,
                       const struct cover_source *source, char path[PATH_MAX]) {
    struct cover_place place;
    const char *package = source->package->name;
    if (cover_sources_find(model->sources, bundle->name, package, source->name, &place)) {
        while (strncmp(place.path, "./", 2) == 0) place.path += 2 + strspn(place.path + 2, "/");
        snprintf(path, PATH_MAX, "%s", place.path);
    } else {
        snprintf(path, PATH_MAX, "%s%s%s", package, *package ? "/" : "", source->name);
    }
}

uint64_t cover_hits(const struct cover_lines *lines, size_t i) {
    if (lines->line[i].instructions.covered == 0) return 0;
    return lines->times && lines->times[i] ? lines->times[i] : 1;
}

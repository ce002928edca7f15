/* Peers that are loaded, never linked.
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench.h"

#include <dlfcn.h>
#include <string.h>

int library_open(const char *path, const symbol_t *symbols, size_t count) {
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) return fail(IRR_NOT_FOUND, "%s", dlerror());
    for (size_t i = 0; i < count; i++) {
        void *found = dlsym(library, symbols[i].name);
        if (!found) return fail(IRR_NOT_FOUND, "%s has no %s", path, symbols[i].name);
        memcpy(symbols[i].at, &found, sizeof found);
    }
    return IRR_OK;
}

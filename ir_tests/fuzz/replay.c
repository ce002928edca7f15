/* Runs a fuzz target over every file in the folders named, without a fuzzer.
 * SPDX-License-Identifier: Apache-2.0 */
#include "fuzz.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>

static int replay(const char *path) {
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END)) return 1;
    size_t size = (size_t)ftell(file);
    rewind(file);
    uint8_t *data = malloc(size ? size : 1); /* its own block: a sanitizer sees its end */
    if (!data || fread(data, 1, size, file) != size) return 1;
    fclose(file);
    LLVMFuzzerTestOneInput(data, size);
    free(data);
    return 0;
}

int main(int argc, char **argv) {
    size_t count = 0;
    for (int i = 1; i < argc; i++) {
        DIR *folder = opendir(argv[i]);
        for (struct dirent *entry; folder && (entry = readdir(folder));) {
            char path[4096];
            if (entry->d_name[0] == '.') continue;
            snprintf(path, sizeof path, "%s/%s", argv[i], entry->d_name);
            /* Known before it runs: the last one named is the one that crashed. */
            printf("%s\n", path);
            fflush(stdout);
            if (replay(path)) return fprintf(stderr, "%s cannot be read\n", path), 1;
            count++;
        }
        if (folder) closedir(folder);
    }
    printf("%zu inputs\n", count);
    return count ? 0 : 1;
}

/* Writes what the fuzz targets begin with into FOLDER/models (the good models, the bad edits; each
 * with its weights behind a zero byte) and FOLDER/npy.
 * SPDX-License-Identifier: Apache-2.0 */
#include "../bad_model.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char *folder;

static FILE *seed(const char *kind, const char *name, size_t number) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s/%s_%zu", folder, kind, name, number);
    FILE *file = fopen(path, "wb");
    if (!file) perror(path), exit(1);
    return file;
}

static void write_model(const char *name, size_t number, const bad_model_t *model) {
    bad_case_t made;
    make_bad(&made, model);
    FILE *file = seed("models", name, number);
    fwrite(made.source.xml, 1, made.source.xml_bytes, file);
    if (made.source.weights) {
        putc(0, file);
        fwrite(made.source.weights, 1, made.source.weights_bytes, file);
    }
    fclose(file);
    release_bad(&made);
}

static void good_models(void) {
    DIR *models = opendir(IR_TEST_MODELS "/good");
    for (struct dirent *entry; models && (entry = readdir(models));) {
        char name[256];
        snprintf(name, sizeof name, "%s", entry->d_name);
        char *dot = strrchr(name, '.');
        if (!dot || strcmp(dot, ".xml") != 0) continue;
        *dot = '\0';
        write_model(name, 0, &(bad_model_t){.model = name, .find = "", .replace = ""});
    }
    if (models) closedir(models);
}

/* The first two bytes: type f32 or another, rank and known shape; see fuzz_npy.c. */
static void npy_files(void) {
    static const struct {
        char type, shape;
        const char *header;
    } files[] = {
        {IRR_F32, 2 | 8, "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }"},
        {IRR_F32, 2 | 8, "{'descr': '>f4', 'fortran_order': True, 'shape': (3, 2), }"},
        {IRR_BF16, 2 | 32, "{'descr': '<V2', 'fortran_order': False, 'shape': (2, 2), }"},
        {IRR_I64, 1 | 8, "{'descr': '<i8', 'fortran_order': False, 'shape': (3L,), }"},
        {IRR_U8, 0, "{'descr': '|u1', 'fortran_order': False, 'shape': (), }"},
        {IRR_F64, 2 | 8, "{'descr': '<f8', 'fortran_order': False, 'shape': (0, 9), }"},
        {IRR_BOOLEAN, 1 | 8, "{\"descr\": \"|b1\", \"fortran_order\": False, \"shape\": (4,)}"},
    };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        for (char version = 1; version <= 3; version++) {
            FILE *file = seed("npy", "v", i * 3 + (size_t)version);
            size_t length = strlen(files[i].header);
            fprintf(file, "%c%c\x93NUMPY%c%c%c%c", files[i].type, files[i].shape, version, 0,
                    (int)length, 0);
            if (version > 1) fprintf(file, "%c%c", 0, 0);
            fputs(files[i].header, file);
            for (int k = 0; k < 24; k++) putc(k, file);
            fclose(file);
        }
}

int main(int argc, char **argv) {
    char path[4096];
    if (argc != 2) return fprintf(stderr, "usage: %s FOLDER\n", argv[0]), 2;
    folder = argv[1];
    mkdir(folder, 0777);
    mkdir((snprintf(path, sizeof path, "%s/models", folder), path), 0777);
    mkdir((snprintf(path, sizeof path, "%s/npy", folder), path), 0777);
    good_models();
    for (size_t i = 0; i < bad_model_count; i++) write_model("bad", i, &bad_models[i]);
    npy_files();
    return 0;
}

/* irreduce doctor: which doors to other hosts are built, for what, and whether the hosts found take
 * them. A door is asked for by its file, and read, not loaded: it needs its host. A host is asked
 * in a Python of its own. SPDX-License-Identifier: Apache-2.0 */
#include "tool.h"
#include <dlfcn.h>
#include <string.h>

#define SECONDS 60.0 /* for a host to answer */

typedef struct {
    const char *name, *host, *file, *option;
    const char *open; /* Python: opens the library at `path` in its host */
} door_kind_t;

static const door_kind_t kinds[] = {
    {"openvino-device", "openvino", "libirreduce_openvino_plugin.so", "IRREDUCE_OPENVINO",
     "core = host.Core(); core.register_plugin(path, 'IRREDUCE'); "
     "core.get_property('IRREDUCE', 'FULL_DEVICE_NAME')"},
    {"openvino-extension", "openvino", "libirreduce_openvino_extension.so", "IRREDUCE_OPENVINO",
     "host.Core().add_extension(path)"},
    {"onnxruntime-ep", "onnxruntime", "libirreduce_onnxruntime_ep.so", "IRREDUCE_ONNXRUNTIME",
     "host.register_execution_provider_library('irreduce', path); "
     "assert any('rreduce' in d.ep_name for d in host.get_ep_devices()), 'it shows no device'"},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

typedef struct {
    const door_kind_t *kind;
    const char *path, *version; /* version NULL: not built, or no door */
    bool built;
} door_t;

/* ---- doors ---- */

/* The folder of the library that this command runs on. */
static const char *library_folder(void) {
    Dl_info info;
    void *symbol = dlsym(RTLD_NEXT, "irr_core_create");
    if (!symbol || !dladdr(symbol, &info) || !strrchr(info.dli_fname, '/')) return ".";
    return take_text("%.*s", (int)(strrchr(info.dli_fname, '/') - info.dli_fname), info.dli_fname);
}

/* plugin/door.h: "irreduce-door name=... host=... for=...", somewhere in the file. */
static const char *version_in(const char *bytes, size_t size, const door_kind_t *kind) {
    const char *mark = take_text("irreduce-door name=%s host=%s for=", kind->name, kind->host);
    const char *found = memmem(bytes, size, mark, strlen(mark));
    if (!found) return NULL;
    found += strlen(mark);
    size_t room = size - (size_t)(found - bytes);
    return take_text("%.*s", (int)strnlen(found, room < 64 ? room : 64), found);
}

static door_t look_for(const door_kind_t *kind, const char *folder) {
    door_t door = {.kind = kind, .path = take_text("%s/%s", folder, kind->file)};
    FILE *file = fopen(door.path, "rb");
    if (!file) return door;
    door.built = true;
    long size = fseek(file, 0, SEEK_END) ? -1 : ftell(file);
    if (size > 0) {
        char *bytes = take((size_t)size);
        rewind(file);
        door.version = version_in(bytes, fread(bytes, 1, (size_t)size, file), kind);
    }
    fclose(file);
    return door;
}

static void print_door(const door_t *door, bool as_json) {
    if (as_json) {
        json_open(NULL, '{');
        json_texts("name", door->kind->name, "file", door->path, NULL);
        json_bool("built", door->built);
        json_texts("host", door->kind->host, "for", door->version, NULL);
        json_close();
    } else if (!door->built) {
        printf("  %s: not built, %s is not there; configure with -D%s=ON\n", door->kind->name,
               door->kind->file, door->kind->option);
    } else {
        printf("  %s: %s, %s%s\n", door->kind->name, door->kind->file,
               door->version ? "for " : "which is no such door",
               door->version ? take_text("%s %s", door->kind->host, door->version) : "");
    }
}

/* ---- hosts ---- */

/* The first word of the answer of a Python script with its argument, and what follows it. */
static const char *ask(const char *python, const char *script, const char *argument,
                       const char **rest) {
    char *arguments[] = {take_text("%s", python), take_text("-c"), take_text("%s", script),
                         take_text("%s", argument), NULL};
    char *answer = NULL;
    const char *failure = run_child(arguments, SECONDS, &answer);
    char *line = strrchr(answer, '\n');
    if (line) *line = '\0';
    line = strrchr(answer, '\n'); /* the last line: a host may chatter before */
    line = line ? line + 1 : answer;
    size_t word = strcspn(line, " ");
    *rest = failure ? failure : line[word] ? line + word + 1 : "";
    return failure ? "failed" : take_text("%.*s", (int)word, line);
}

/* Whether there is such a host; answer: its version, or why there is none. */
static bool find_host(const char *python, const char *host, const char **answer) {
    static const char script[] = "import importlib, sys\n"
                                 "try: host = importlib.import_module(sys.argv[1])\n"
                                 "except ImportError as e: print('absent', e)\n"
                                 "else: print('version', host.__version__.split('-')[0])\n";
    return !strcmp(ask(python, script, host, answer), "version");
}

static bool accepts(const char *python, const door_t *door, const char **why) {
    const char *script = take_text("import sys, %s as host\n"
                                   "path = sys.argv[1]\n"
                                   "try: %s\n"
                                   "except Exception as e: print('refused', *str(e).split())\n"
                                   "else: print('accepted')\n",
                                   door->kind->host, door->kind->open);
    return !strcmp(ask(python, script, door->path, why), "accepted");
}

static bool ask_door(const char *python, const door_t *door, const char *version, bool as_json) {
    const char *why;
    bool taken = accepts(python, door, &why);
    if (as_json) {
        json_open(NULL, '{');
        json_text("name", door->kind->name);
        json_bool("accepted", taken);
        json_text("message", taken ? NULL : why);
        json_close();
    } else {
        printf("  %s %s %s %s%s%s\n", door->kind->host, version, taken ? "accepts" : "refuses",
               door->kind->name, taken || !door->version ? "" : ", built for ",
               taken ? "" : take_text("%s: %s", door->version ? door->version : "", why));
    }
    return taken;
}

/* One host of one Python, and what it says of the doors that are for it; false if it refuses one.
 */
static bool ask_host(const char *python, const char *host, const door_t *doors, bool as_json) {
    const char *answer;
    bool found = find_host(python, host, &answer), fine = true;
    if (as_json) {
        json_open(NULL, '{');
        json_texts("python", python, "host", host, "version", found ? answer : NULL, "message",
                   found ? NULL : answer, NULL);
        json_open("doors", '[');
    } else if (!found) {
        printf("  no %s: %s\n", host, answer);
    }
    for (size_t k = 0; found && k < KINDS; k++)
        if (doors[k].built && !strcmp(doors[k].kind->host, host))
            fine = ask_door(python, &doors[k], answer, as_json) && fine;
    if (as_json) json_close(), json_close();
    return fine;
}

int call_doctor(const options_t *options, session_t *session) {
    (void)session;
    static const char *const hosts[] = {"openvino", "onnxruntime"};
    static const char *some_python[] = {"python3"};
    list_t pythons = options->pythons;
    if (!pythons.count) pythons = (list_t){some_python, 1};
    const char *folder = library_folder();
    door_t doors[KINDS];
    bool fine = true, as_json = options->json;
    if (as_json) {
        json_open(NULL, '{');
        json_text("folder", folder);
        json_open("doors", '[');
    } else {
        printf("doors in %s:\n", folder);
    }
    for (size_t k = 0; k < KINDS; k++) {
        doors[k] = look_for(&kinds[k], folder);
        fine = fine && doors[k].built == (doors[k].version != NULL);
        print_door(&doors[k], as_json);
    }
    if (as_json) json_close(), json_open("hosts", '[');
    progress("asking the hosts");
    for (size_t p = 0; p < pythons.count; p++) {
        if (!as_json) printf("hosts of %s:\n", pythons.items[p]);
        for (size_t h = 0; h < sizeof hosts / sizeof *hosts; h++)
            fine = ask_host(pythons.items[p], hosts[h], doors, as_json) && fine;
    }
    progress_end();
    if (as_json) json_end();
    return fine ? IRR_OK : PROBLEMS;
}

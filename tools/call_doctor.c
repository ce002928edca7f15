/* irreduce doctor: which doors to other hosts are built, for what, and whether the hosts found take
 * them. A door is asked for by its file, and read, not loaded: it needs its host. A host is asked
 * in a Python of its own, since it may crash. SPDX-License-Identifier: Apache-2.0 */
#include "tool.h"
#include <dlfcn.h>
#include <sys/wait.h>

#define SECONDS "60" /* for a host to answer */

typedef struct {
    const char *name, *host, *file, *option;
    const char *open;           /* Python: opens the library at `path` in its host */
    const char *path, *version; /* once looked for; version NULL: not built, or no door */
    bool built;
} door_t;

static door_t doors[] = {
    {"openvino-device", "openvino", "libirreduce_openvino_plugin.so", "IRREDUCE_OPENVINO",
     "core = host.Core(); core.register_plugin(path, 'IRREDUCE'); "
     "core.get_property('IRREDUCE', 'FULL_DEVICE_NAME')",
     NULL, NULL, false},
    {"openvino-extension", "openvino", "libirreduce_openvino_extension.so", "IRREDUCE_OPENVINO",
     "host.Core().add_extension(path)", NULL, NULL, false},
    {"onnxruntime-ep", "onnxruntime", "libirreduce_onnxruntime_ep.so", "IRREDUCE_ONNXRUNTIME",
     "host.register_execution_provider_library('irreduce', path); "
     "assert any('rreduce' in d.ep_name for d in host.get_ep_devices()), 'it shows no device'",
     NULL, NULL, false},
};
enum { DOORS = sizeof doors / sizeof *doors };

/* ---- doors ---- */

/* The folder of the library that this command runs on. */
static const char *library_folder(void) {
    Dl_info info;
    void *symbol = dlsym(RTLD_NEXT, "irr_core_create");
    if (!symbol || !dladdr(symbol, &info) || !strrchr(info.dli_fname, '/')) return ".";
    return take_text("%.*s", (int)(strrchr(info.dli_fname, '/') - info.dli_fname), info.dli_fname);
}

/* plugin/door.h: "irreduce-door name=... host=... for=...", one of the strings in the file. */
static void look_for(door_t *door, const char *folder) {
    const char *mark = take_text("irreduce-door name=%s host=%s for=", door->name, door->host);
    char *text = NULL;
    size_t capacity = 0;
    door->path = take_text("%s/%s", folder, door->file);
    FILE *file = fopen(door->path, "rb");
    door->built = file != NULL;
    while (file && getdelim(&text, &capacity, 0, file) > 0) {
        const char *found = strstr(text, mark);
        if (found) door->version = take_text("%.64s", found + strlen(mark));
    }
    free(text);
    if (file) fclose(file);
}

static void print_door(const door_t *door, bool as_json) {
    if (as_json)
        json("{ name:s file:s built:b host:s for:s }", door->name, door->path, door->built,
             door->host, door->version);
    else if (!door->built)
        printf("  %s: not built, %s is not there; configure with -D%s=ON\n", door->name, door->file,
               door->option);
    else if (door->version)
        printf("  %s: %s, for %s %s\n", door->name, door->file, door->host, door->version);
    else
        printf("  %s: %s, which is no such door\n", door->name, door->file);
}

/* ---- hosts ---- */

/* The first word of the last line (a host may chatter before) that a Python script with its
 * argument prints, and what follows it. "failed": why. What goes to the shell goes as variables. */
static const char *ask(const char *python, const char *script, const char *argument,
                       const char **rest) {
    size_t capacity = 0;
    char *line = NULL;
    const char *answer = "";
    setenv("IRR_PYTHON", python, 1);
    setenv("IRR_SCRIPT", script, 1);
    setenv("IRR_ARGUMENT", argument, 1);
    FILE *from = popen("exec timeout -k 1 " SECONDS " \"$IRR_PYTHON\" -c \"$IRR_SCRIPT\" "
                       "\"$IRR_ARGUMENT\" </dev/null 2>/dev/null",
                       "re");
    while (from && getline(&line, &capacity, from) > 0)
        answer = take_text("%.*s", (int)strcspn(line, "\n"), line);
    free(line);
    int status = from ? pclose(from) : -1, code = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
    bool late = code == 124 || code == 137, absent = code == 126 || code == 127;
    *rest = status == -1          ? "no process can be made"
            : WIFSIGNALED(status) ? take_text("it ended with signal %d", WTERMSIG(status))
            : late                ? "it took more than " SECONDS " s"
            : absent              ? "it cannot be run"
            : code                ? take_text("it ended with code %d", code)
                                  : NULL;
    if (*rest) return "failed";
    size_t word = strcspn(answer, " ");
    *rest = answer + word + (answer[word] == ' ');
    return take_text("%.*s", (int)word, answer);
}

static bool ask_door(const char *python, const door_t *door, const char *version, bool as_json) {
    const char *script = take_text("import sys, %s as host\n"
                                   "path = sys.argv[1]\n"
                                   "try: %s\n"
                                   "except Exception as e: print('refused', *str(e).split())\n"
                                   "else: print('accepted')\n",
                                   door->host, door->open);
    const char *why, *built_for = door->version ? door->version : "";
    bool taken = !strcmp(ask(python, script, door->path, &why), "accepted");
    if (as_json)
        json("{ name:s accepted:b message:s }", door->name, taken, taken ? NULL : why);
    else if (taken)
        printf("  %s %s accepts %s\n", door->host, version, door->name);
    else
        printf("  %s %s refuses %s%s%s: %s\n", door->host, version, door->name,
               *built_for ? ", built for " : "", built_for, why);
    return taken;
}

/* One host of one Python, and what it says of the doors that are for it; false if it refuses one,
 * or if a Python that was named cannot be asked. */
static bool ask_host(const char *python, const char *host, const options_t *options) {
    static const char script[] = "import importlib, sys\n"
                                 "try: host = importlib.import_module(sys.argv[1])\n"
                                 "except ImportError as e: print('absent', e)\n"
                                 "else: print('version', host.__version__.split('-')[0])\n";
    const char *answer, *word = ask(python, script, host, &answer);
    bool found = !strcmp(word, "version"), as_json = options->json;
    bool fine = strcmp(word, "failed") || !options->pythons.count;
    if (as_json)
        json("{ python:s host:s version:s message:s doors:[", python, host, found ? answer : NULL,
             found ? NULL : answer);
    else if (!found)
        printf("  no %s: %s\n", host, answer);
    for (size_t k = 0; found && k < DOORS; k++)
        if (doors[k].built && !strcmp(doors[k].host, host))
            fine = ask_door(python, &doors[k], answer, as_json) && fine;
    if (as_json) json("] }");
    return fine;
}

int call_doctor(session_t *session) {
    const options_t *options = session->options;
    static const char *some_python[] = {"python3"};
    list_t pythons = options->pythons.count ? options->pythons : (list_t){some_python, 1};
    const char *folder = library_folder();
    bool fine = true, as_json = options->json;
    if (as_json)
        json("{ folder:s doors:[", folder);
    else
        printf("doors in %s:\n", folder);
    for (size_t k = 0; k < DOORS; k++) {
        look_for(&doors[k], folder);
        fine = fine && doors[k].built == (doors[k].version != NULL);
        print_door(&doors[k], as_json);
    }
    if (as_json) json("] hosts:[");
    progress("asking the hosts");
    for (size_t p = 0; p < pythons.count; p++) {
        if (!as_json) printf("hosts of %s:\n", pythons.items[p]);
        fine = ask_host(pythons.items[p], "openvino", options) && fine;
        fine = ask_host(pythons.items[p], "onnxruntime", options) && fine;
    }
    progress_end();
    if (as_json) json("] }\n");
    return fine ? IRR_OK : PROBLEMS;
}

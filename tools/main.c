/* The irreduce command: the table of calls, and the one place where errors become words and codes.
 * SPDX-License-Identifier: Apache-2.0 */
#include "tool.h"

enum { EXIT_DONE = 0, EXIT_FAILED = 1, EXIT_WRONG_CALL = 2 };

typedef struct {
    const char *name, *operands, *help, *takes;
    size_t least, most; /* operands */
    int (*run)(session_t *session);
} call_t;

static int call_help(session_t *session);

#define MODEL "weights device layer shape property "

static const call_t calls[] = {
    {"check", "MODEL.xml...", "validate the reduce layers and the file around them",
     "weights axes json", 1, SIZE_MAX, call_check},
    {"query", "MODEL.xml", "which layers the device takes, and why not the others",
     "weights device property json", 1, 1, call_query},
    {"run", "MODEL.xml", "run the model, or one of its reduce layers",
     MODEL "axes input seed output-dir profile json", 1, 1, call_run},
    {"explain", "MODEL.xml", "each layer's geometry, every backend's offer, the choice",
     MODEL "axes json", 1, 1, call_explain},
    {"bench", "[MODEL.xml]", "check the answer against the reference, then time it",
     MODEL "seed problem threads json", 0, 1, call_bench},
    {"devices", "", "the registered devices and what they say of themselves", "json", 0, 0,
     call_devices},
    {"doctor", "", "which doors to other hosts are built, and whether the hosts take them",
     "python json", 0, 0, call_doctor},
    {"--version", "", "versions, and the CPU tiers found", "json", 0, 0, call_version},
    {"help", "[CALL]", "this text, or the options of a call", "", 0, 1, call_help},
};
enum { CALL_COUNT = sizeof calls / sizeof *calls };

static const call_t *find_call(const char *name) {
    if (!strcmp(name, "version")) name = "--version";
    if (!strcmp(name, "--help") || !strcmp(name, "-h")) name = "help";
    for (size_t i = 0; i < CALL_COUNT; i++)
        if (!strcmp(calls[i].name, name)) return &calls[i];
    return NULL;
}

static void print_usage(FILE *to, const call_t *call) {
    if (call) {
        fprintf(to, "usage: irreduce %s%s%s%s\n%s\n", call->name, *call->operands ? " " : "",
                call->operands, *call->takes ? " [OPTION]..." : "", call->help);
        print_options(to, call->takes);
        return;
    }
    fputs("usage: irreduce CALL [OPERAND]... [OPTION]...\n", to);
    for (size_t i = 0; i < CALL_COUNT; i++)
        fprintf(to, "  %-9s %-13s %s\n", calls[i].name, calls[i].operands, calls[i].help);
    fputs("A file name - is standard input or output. \"irreduce help CALL\" tells the options.\n",
          to);
}

static int call_help(session_t *session) {
    const list_t *operands = &session->options->models;
    const char *name = operands->count ? operands->items[0] : NULL;
    const call_t *call = name ? find_call(name) : NULL;
    if (name && !call) return wrong_call("there is no call \"%s\"", name);
    print_usage(stdout, call);
    return IRR_OK;
}

static int dispatch(int argc, char **argv, const call_t **call) {
    options_t options = {0};
    if (argc < 2) return wrong_call("no call given");
    *call = find_call(argv[1]);
    if (!*call) return wrong_call("there is no call \"%s\"", argv[1]);
    TRY(parse_options(argc - 2, argv + 2, (*call)->takes, &options));
    if (options.help) {
        print_usage(stdout, *call);
        return IRR_OK;
    }
    size_t count = options.models.count;
    if (count < (*call)->least) return wrong_call("%s needs %s", argv[1], (*call)->operands);
    if (count > (*call)->most)
        return wrong_call("%s takes no \"%s\"", argv[1], options.models.items[(*call)->most]);
    session_t session = {.options = &options};
    int status = (*call)->run(&session);
    session_close(&session);
    return status;
}

static void print_error(int status, bool json_wanted, const call_t *call) {
    if (json_wanted)
        json("{ error:{ status:s message:s } }\n", status_word(status), noted_sentence());
    fprintf(stderr, "irreduce: %s\n", noted_sentence());
    if (status == WRONG_CALL) print_usage(stderr, call);
}

int main(int argc, char **argv) {
    const call_t *call = NULL;
    bool json_wanted = false;
    for (int i = 2; i < argc; i++) json_wanted = json_wanted || !strcmp(argv[i], "--json");
    int status = dispatch(argc, argv, &call);
    progress_end();
    if (status && status != PROBLEMS) print_error(status, json_wanted, call);
    give_back_all();
    if (fflush(stdout) || ferror(stdout)) {
        perror("irreduce: standard output");
        return EXIT_FAILED;
    }
    return status == WRONG_CALL ? EXIT_WRONG_CALL : status ? EXIT_FAILED : EXIT_DONE;
}

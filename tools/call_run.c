/* irreduce run: a model, or one layer of it, with its outputs printed or written.
 * SPDX-License-Identifier: Apache-2.0 */
#include "tool.h"
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <sys/stat.h>

#define FILE_NAME_BYTES 200 /* file systems take 255; room for _2 and .npy */

/* ---- output files ---- */

static bool is_taken(const output_t *outputs, size_t before, const char *file) {
    for (size_t i = 0; i < before; i++)
        if (!strcmp(outputs[i].file, file)) return true;
    return false;
}

static void name_file(output_t *outputs, size_t index, const char *directory) {
    char *name = take_text("%.*s", FILE_NAME_BYTES, outputs[index].port.name);
    for (char *at = name; *at; at++)
        if (!isalnum((unsigned char)*at) && !strchr("._-", *at)) *at = '_';
    if (*name == '.') *name = '_';
    if (!*name) name = "_";
    const char *file = take_text("%s/%s.npy", directory, name);
    for (int k = 2; is_taken(outputs, index, file); k++)
        file = take_text("%s/%s_%d.npy", directory, name, k);
    outputs[index].file = file;
}

static int write_outputs(program_t *program, const char *directory) {
    if (!directory) return IRR_OK;
    bool standard = !strcmp(directory, "-");
    if (!standard && mkdir(directory, 0777) && errno != EEXIST)
        return fail(IRR_GENERAL_ERROR, "%s: %s", directory, strerror(errno));
    if (standard && program->output_count != 1)
        return fail(IRR_PARAMETER_MISMATCH, "standard output takes one output, the model has %zu",
                    program->output_count);
    for (size_t i = 0; i < program->output_count; i++) {
        name_file(program->outputs, i, directory);
        TRY(write_npy(standard ? "-" : program->outputs[i].file, &program->outputs[i].view));
    }
    return IRR_OK;
}

/* ---- what is printed ---- */

static void print_output(const output_t *output, bool as_json) {
    const view_t *view = &output->view;
    const char *type = irr_get_element_type_name(view->type);
    const char *shape = shape_text(view->rank, view->dims);
    if (!as_json) {
        printf("%s %s %s%s%s\n", output->port.name, type, shape, output->file ? " " : "",
               output->file ? output->file : "");
        if (!output->file) print_values(view);
        return;
    }
    json("{ name:s type:s shape:r", output->port.name, type, shape);
    if (output->file) {
        json("file:s }", output->file);
    } else {
        json("data:[");
        json_values(view);
        json("] }");
    }
}

static void print_row(const irr_profiling_info_t *row, bool as_json) {
    double us = (double)row->real_time_ns * 1e-3;
    double gb_per_s = us > 0 ? (double)row->bytes / us * 1e-3 : 0;
    if (as_json) {
        json("{ layer:s op:s shape:s backend:s kernel:s tier:s threads:d us:f gb_per_s:f "
             "exact_fallbacks:d }",
             row->node_name, row->op, row->shape, row->backend, row->kernel, row->tier,
             (int64_t)row->threads, us, gb_per_s, (int64_t)row->exact_fallbacks);
        return;
    }
    printf("profile: %s %s %s ", row->node_name, row->op, row->shape);
    if (row->status == IRR_OPTIMIZED_OUT)
        printf("%s", row->kernel); /* into which layer it is folded */
    else
        printf("%s %s %s threads %zu %.3f us %.2f GB/s", row->backend, row->kernel, row->tier,
               row->threads, us, gb_per_s);
    if (row->exact_fallbacks) printf(", %" PRIu64 " redone exactly", row->exact_fallbacks);
    puts("");
}

static void print_run(const program_t *program, const irr_profiling_info_list_t *profile,
                      bool as_json) {
    if (as_json) json("{ outputs:[");
    for (size_t i = 0; i < program->output_count; i++) print_output(&program->outputs[i], as_json);
    if (as_json) json("] profile:[");
    for (size_t i = 0; i < profile->size; i++) print_row(&profile->profiling_infos[i], as_json);
    if (as_json) json("] }\n");
}

int call_run(session_t *session) {
    const options_t *options = session->options;
    irr_property_t profiling = {irr_property_key_enable_profiling, "YES"};
    irr_profiling_info_list_t profile = {0};
    program_t *program = &session->programs[0];
    bool to_standard = options->output_dir && !strcmp(options->output_dir, "-");
    if (to_standard && (options->json || options->profile))
        return wrong_call("--output-dir - leaves no room for other output");
    TRY(session_open(session));
    TRY(session_compile(session, options->profile, &profiling, program));
    TRY(session_feed(session, program));
    progress("running");
    TRY(program_infer(program));
    TRY(program_outputs(program));
    TRY(write_outputs(program, options->output_dir));
    LIB(irr_infer_request_get_profiling_info(program->request, &profile));
    progress_end();
    if (!to_standard) print_run(program, &profile, options->json);
    irr_profiling_info_list_free(&profile);
    return IRR_OK;
}

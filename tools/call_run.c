/* irreduce run: a model, or one layer of it, with its outputs printed or written.
 * SPDX-License-Identifier: Apache-2.0 */
#include "tool.h"
#include <ctype.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#define FILE_NAME_BYTES 200 /* file systems take 255; room for _2 and .npy */

typedef struct {
    port_t port;
    view_t view;
    irr_tensor_t *tensor;
    const char *file; /* NULL: its values are printed */
} output_t;

typedef struct {
    session_t session;
    program_t program;
    output_t *outputs;
    size_t output_count;
    irr_profiling_info_list_t profile;
} run_t;

/* ---- output files ---- */

static bool is_taken(const run_t *run, size_t before, const char *file) {
    for (size_t i = 0; i < before; i++)
        if (!strcmp(run->outputs[i].file, file)) return true;
    return false;
}

static void name_file(run_t *run, size_t index, const char *directory) {
    char *name = take_text("%.*s", FILE_NAME_BYTES, run->outputs[index].port.name);
    for (char *at = name; *at; at++)
        if (!isalnum((unsigned char)*at) && !strchr("._-", *at)) *at = '_';
    if (*name == '.') *name = '_';
    const char *file = take_text("%s/%s.npy", directory, name);
    for (int k = 2; is_taken(run, index, file); k++)
        file = take_text("%s/%s_%d.npy", directory, name, k);
    run->outputs[index].file = file;
}

static int write_outputs(run_t *run, const char *directory) {
    if (!directory) return IRR_OK;
    bool standard = !strcmp(directory, "-");
    if (!standard && mkdir(directory, 0777) && errno != EEXIST)
        return fail(IRR_GENERAL_ERROR, "%s: %s", directory, strerror(errno));
    if (standard && run->output_count != 1)
        return fail(IRR_PARAMETER_MISMATCH, "standard output takes one output, the model has %zu",
                    run->output_count);
    for (size_t i = 0; i < run->output_count; i++) {
        name_file(run, i, directory);
        TRY(write_npy(standard ? "-" : run->outputs[i].file, &run->outputs[i].view));
    }
    return IRR_OK;
}

/* ---- what is printed ---- */

static double gb_per_s(const irr_profiling_info_t *row) {
    return row->real_time_ns > 0 ? (double)row->bytes / (double)row->real_time_ns : 0;
}

static void print_run(const run_t *run) {
    for (size_t i = 0; i < run->output_count; i++) {
        const output_t *output = &run->outputs[i];
        printf("%s %s %s%s%s\n", output->port.name, irr_get_element_type_name(output->view.type),
               shape_text(output->view.rank, output->view.dims), output->file ? " " : "",
               output->file ? output->file : "");
        if (!output->file) print_values(&output->view);
    }
    for (size_t i = 0; i < run->profile.size; i++) {
        const irr_profiling_info_t *row = &run->profile.profiling_infos[i];
        printf("profile: %s %s %s %s %s %s threads %zu %.3f us %.2f GB/s\n", row->node_name,
               row->op, row->shape, row->backend, row->kernel, row->tier, row->threads,
               (double)row->real_time_ns * 1e-3, gb_per_s(row));
    }
}

static void json_output(json_t *json, const output_t *output) {
    json_open(json, NULL, '{');
    json_text(json, "name", output->port.name);
    json_text(json, "type", irr_get_element_type_name(output->view.type));
    json_open(json, "shape", '[');
    for (size_t k = 0; k < output->view.rank; k++) json_int(json, NULL, output->view.dims[k]);
    json_close(json, ']');
    if (output->file)
        json_text(json, "file", output->file);
    else
        json_values(json, "data", &output->view);
    json_close(json, '}');
}

static void json_profile(json_t *json, const irr_profiling_info_t *row) {
    json_open(json, NULL, '{');
    json_text(json, "layer", row->node_name);
    json_text(json, "op", row->op);
    json_text(json, "shape", row->shape);
    json_text(json, "backend", row->backend);
    json_text(json, "kernel", row->kernel);
    json_text(json, "tier", row->tier);
    json_int(json, "threads", (int64_t)row->threads);
    json_float(json, "us", (double)row->real_time_ns * 1e-3);
    json_float(json, "gb_per_s", gb_per_s(row));
    json_close(json, '}');
}

static void json_run(const run_t *run) {
    json_t json = {stdout, false};
    json_open(&json, NULL, '{');
    json_open(&json, "outputs", '[');
    for (size_t i = 0; i < run->output_count; i++) json_output(&json, &run->outputs[i]);
    json_close(&json, ']');
    json_open(&json, "profile", '[');
    for (size_t i = 0; i < run->profile.size; i++)
        json_profile(&json, &run->profile.profiling_infos[i]);
    json_close(&json, ']');
    json_close(&json, '}');
    putchar('\n');
}

/* ---- the run ---- */

static int collect(run_t *run) {
    TRY(program_output_count(&run->program, &run->output_count));
    run->outputs = take(run->output_count * sizeof *run->outputs);
    for (size_t i = 0; i < run->output_count; i++) {
        output_t *output = &run->outputs[i];
        TRY(program_output(&run->program, i, &output->port, &output->view, &output->tensor));
        if (!type_of(output->view.type))
            return fail(IRR_NOT_IMPLEMENTED, "output \"%s\" (%s) cannot be shown",
                        output->port.name, irr_get_element_type_name(output->view.type));
    }
    return library(irr_infer_request_get_profiling_info(run->program.request, &run->profile));
}

static int perform(run_t *run, const options_t *options) {
    irr_property_t profile = {irr_property_key_enable_profiling, "YES"};
    TRY(session_open(&run->session, options, NULL, NULL));
    TRY(session_compile(&run->session, options->profile, &profile, &run->program));
    TRY(session_feed(&run->session, &run->program));
    progress("running");
    LIB(irr_infer_request_infer(run->program.request));
    TRY(collect(run));
    return write_outputs(run, options->output_dir);
}

int call_run(const options_t *options) {
    run_t run = {0};
    bool to_standard = options->output_dir && !strcmp(options->output_dir, "-");
    if (to_standard && (options->json || options->profile))
        return wrong_call("--output-dir - leaves no room for other output");
    int status = perform(&run, options);
    progress_end();
    if (!status && !to_standard) (options->json ? json_run : print_run)(&run);
    irr_profiling_info_list_free(&run.profile);
    for (size_t i = 0; run.outputs && i < run.output_count; i++)
        irr_tensor_free(run.outputs[i].tensor);
    program_free(&run.program);
    session_close(&run.session);
    return status;
}

/* irr_check, fragments and their axes too: a line of numbers before the document gives lists of
 * axes, "2,3;-1". What it lists first is what reading the model says.
 * SPDX-License-Identifier: Apache-2.0 */
#include "fuzz.h"

#include <irreduce/irreduce.h>
#include <string.h>

enum { MAX_LISTS = 4, MAX_VALUES = 8 };

typedef struct {
    int64_t values[MAX_LISTS][MAX_VALUES];
    irr_axes_t lists[MAX_LISTS];
    size_t count;
} axes_t;

/* Takes the line away. */
static void take_axes(fuzz_input_t *input, axes_t *axes) {
    const uint8_t *end = input->xml_bytes ? memchr(input->xml, '\n', input->xml_bytes) : NULL;
    char line[128] = "";
    memset(axes, 0, sizeof *axes);
    if (!end || *input->xml == '<' || (size_t)(end - input->xml) >= sizeof line) return;
    memcpy(line, input->xml, (size_t)(end - input->xml));
    input->xml_bytes -= (size_t)(end + 1 - input->xml);
    input->xml = end + 1;
    char *rest = line;
    for (char *list; axes->count < MAX_LISTS && (list = strsep(&rest, ";"));) {
        int64_t *values = axes->values[axes->count];
        size_t n = 0;
        for (char *number; n < MAX_VALUES && (number = strsep(&list, ","));)
            if (*number) values[n++] = strtoll(number, NULL, 10);
        axes->lists[axes->count++] = (irr_axes_t){values, n};
    }
}

static void look_through(const irr_check_report_t *report) {
    for (size_t i = 0; i < report->size; i++) {
        const irr_check_problem_t *problem = &report->problems[i];
        MUST(problem->status != IRR_OK && *problem->message && *problem->text);
        MUST(!strchr(problem->text, '\n'));
    }
    for (size_t i = 0; i < report->unknown_size; i++) MUST(*report->unknown_layers[i].text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static irr_core_t *core;
    fuzz_input_t input = fuzz_split(data, size);
    axes_t axes;
    take_axes(&input, &axes);
    fuzz_file_t xml = fuzz_file(input.xml, input.xml_bytes);
    fuzz_file_t bin = fuzz_file(input.weights, input.weights_bytes);
    irr_check_report_t report;
    irr_model_t *model = NULL;
    MUST(core || irr_core_create(&core) == IRR_OK);
    MUST(irr_check(xml.path, bin.path, axes.lists, axes.count, &report) == IRR_OK);
    look_through(&report);
    irr_status_e status = irr_core_read_model(core, xml.path, bin.path, &model);
    MUST(!status == !!model);
    if (report.fragments == 0) {
        MUST(!status == !report.size);
        MUST(!status || !strcmp(irr_get_last_err_msg(), report.problems[0].text));
    }
    irr_model_free(model);
    irr_check_report_free(&report);
    fuzz_drop(&xml);
    fuzz_drop(&bin);
    return 0;
}

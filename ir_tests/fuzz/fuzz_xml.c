/* The reader, on text in memory: every problem has a sentence, all on one line.
 * SPDX-License-Identifier: Apache-2.0 */
#include "fuzz.h"
#include "ir/ir.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char sentence[IRR_SENTENCE_BYTES];
    irr_check_report_t report;
    irr_ir_source_t source = {.xml = data, .xml_bytes = size};
    MUST(irr_ir_check(&source, &report, (irr_sentence_t){sentence, sizeof sentence}) == IRR_OK);
    for (size_t i = 0; i < report.size; i++) {
        const char *text = report.problems[i].text;
        MUST(report.problems[i].status != IRR_OK && *report.problems[i].message);
        MUST(!strpbrk(text, "\n\r\t"));
        MUST(!i || report.problems[i].line >= report.problems[i - 1].line);
    }
    for (size_t i = 0; i < report.unknown_size; i++) {
        const irr_check_problem_t *note = &report.unknown_layers[i];
        MUST(note->status == IRR_OK && note->layer_id && note->layer_name && note->type);
    }
    irr_ir_release(report.owner);
    return 0;
}

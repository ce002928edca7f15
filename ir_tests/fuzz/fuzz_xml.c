/* The reader, on text in memory: every problem has a sentence, all on one line.
 * SPDX-License-Identifier: Apache-2.0 */
#include "fuzz.h"
#include "ir/ir.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char sentence[IRR_SENTENCE_BYTES], text[2 * IRR_SENTENCE_BYTES];
    const irr_ir_file_t *file = NULL;
    irr_ir_source_t source = {.xml = data, .xml_bytes = size};
    MUST(irr_ir_read(&source, &file, (irr_sentence_t){sentence, sizeof sentence}) == IRR_OK);
    for (size_t i = 0; i < file->problem_count; i++) {
        irr_ir_problem_text(&file->problems[i], text, sizeof text);
        MUST(file->problems[i].status != IRR_OK && *file->problems[i].message);
        MUST(!strpbrk(text, "\n\r\t"));
        MUST(!i || file->problems[i].line >= file->problems[i - 1].line);
    }
    for (size_t i = 0; i < file->unknown_layer_count; i++) {
        const irr_check_problem_t *note = &file->problems[file->problem_count + i];
        MUST(note->status == IRR_OK && note->layer_id && note->layer_name && note->type);
    }
    irr_ir_file_free(file);
    return 0;
}

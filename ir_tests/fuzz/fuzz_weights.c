/* Constants and their file: a model and its .bin, both as files; what was read is cloned, every
 * layer is taken out of it.
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/element_type.h"
#include "base/shape.h"
#include "fuzz.h"
#include "ir/ir.h"

#include <string.h>

#define SENTENCE                                                                                   \
    (irr_sentence_t) { sentence, sizeof sentence }

static char sentence[IRR_SENTENCE_BYTES];

/* All bytes of every constant that was loaded are there; a model that cannot be run whole loads
 * only axes. */
static void touch(const irr_ir_model_t *model) {
    static volatile unsigned char sink;
    for (uint32_t i = 0; i < model->graph.value_count; i++) {
        const irr_graph_value_t *value = &model->graph.values[i];
        size_t count, bytes;
        if (!value->constant || value->rank == IRR_DYNAMIC_RANK) continue;
        MUST(irr_shape_elements(value->dims, value->rank, &count));
        if (!irr_elements_bytes(value->element_type, count, &bytes)) continue;
        for (size_t k = 0; k < bytes; k++) sink = ((const unsigned char *)value->constant)[k];
    }
    (void)sink;
}

static void take_apart(const irr_ir_model_t *model) {
    irr_ir_model_t *copy = NULL;
    touch(model);
    MUST(irr_ir_clone(model, &copy, SENTENCE) == IRR_OK);
    touch(copy);
    irr_ir_free(copy);
    irr_graph_layer_t layer;
    for (uint32_t at = 0; irr_ir_next_layer(model, &at, &layer);) {
        irr_ir_model_t *one = NULL;
        irr_status_e status = irr_ir_extract(model, layer.id, &one, SENTENCE);
        MUST(!status == !!one && (!status || *sentence));
        if (one) touch(one);
        irr_ir_free(one);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fuzz_input_t input = fuzz_split(data, size);
    fuzz_file_t xml = fuzz_file(input.xml, input.xml_bytes);
    fuzz_file_t bin = fuzz_file(input.weights, input.weights_bytes);
    irr_ir_source_t source = {.path = xml.path, .weights_path = bin.path};
    irr_ir_model_t *model = NULL;
    irr_status_e status = irr_ir_read_model(&source, &model, SENTENCE);
    MUST(!status == !!model && (!status || *sentence));
    if (model) take_apart(model);
    irr_ir_free(model);
    fuzz_drop(&xml);
    fuzz_drop(&bin);
    return 0;
}

/* Whatever the reader accepts is asked about, compiled, explained and run on the CPU, as long as
 * its tensors are small. SPDX-License-Identifier: Apache-2.0 */
#include "../cpu_plugin_hook.h"
#include "fuzz.h"
#include "ir/ir.h"

#include <irreduce/irreduce.h>
#include <string.h>

#define MOST_ELEMENTS 32768
#define DYNAMIC_DIM 3

/* A zero-sized tensor may have a large reduction, so 0 counts as 1. */
static bool small(const irr_graph_value_t *value) {
    uint64_t elements = 1;
    for (uint32_t d = 0; value->rank != IRR_DYNAMIC_RANK && d < value->rank; d++) {
        int64_t dim = value->dims[d] < 0 ? DYNAMIC_DIM : value->dims[d];
        if (dim && (dim > MOST_ELEMENTS || (elements *= (uint64_t)dim) > MOST_ELEMENTS))
            return false;
    }
    return true;
}

static bool all_small(const fuzz_input_t *input) {
    char sentence[IRR_SENTENCE_BYTES];
    irr_ir_source_t source = {.xml = input->xml,
                              .xml_bytes = input->xml_bytes,
                              .weights = input->weights,
                              .weights_bytes = input->weights_bytes};
    irr_ir_model_t *model = NULL;
    if (irr_ir_read_model(&source, &model, (irr_sentence_t){sentence, sizeof sentence}))
        return false;
    bool fits = model->graph.layer_count <= 64 && model->input_count <= 64;
    for (uint32_t i = 0; fits && i < model->graph.value_count; i++)
        fits = small(&model->graph.values[i]);
    irr_ir_free(model);
    return fits;
}

static irr_status_e tensor_for(const irr_output_const_port_t *port, irr_tensor_t **tensor) {
    irr_element_type_e type;
    irr_partial_shape_t partial;
    int64_t dims[64];
    irr_status_e status = irr_port_get_element_type(port, &type);
    if (!status) status = irr_port_get_partial_shape(port, &partial);
    if (status) return status;
    bool unknown = irr_rank_is_dynamic(partial.rank);
    irr_shape_t shape = {unknown ? 0 : partial.rank.max, dims};
    for (int64_t d = 0; d < shape.rank; d++) {
        irr_dimension_t dim = partial.dims[d];
        dims[d] = dim.min == dim.max && dim.min >= 0 ? dim.min : DYNAMIC_DIM;
    }
    status = irr_tensor_create(type, shape, tensor);
    irr_partial_shape_free(&partial);
    return status;
}

/* Bytes of the input are the data; axes read from them are mostly wrong ones. */
static void fill(const irr_tensor_t *tensor, const fuzz_input_t *input) {
    void *data;
    size_t bytes;
    if (irr_tensor_data(tensor, &data) || irr_tensor_get_byte_size(tensor, &bytes)) return;
    for (size_t k = 0; k < bytes && input->weights_bytes; k++)
        ((uint8_t *)data)[k] = input->weights[k % input->weights_bytes];
}

static void infer(const irr_compiled_model_t *compiled, const fuzz_input_t *input) {
    irr_infer_request_t *request = NULL;
    size_t inputs = 0;
    MUST(irr_compiled_model_create_infer_request(compiled, &request) == IRR_OK);
    MUST(irr_compiled_model_inputs_size(compiled, &inputs) == IRR_OK);
    for (size_t i = 0; i < inputs; i++) {
        irr_output_const_port_t *port = NULL;
        irr_tensor_t *tensor = NULL;
        MUST(irr_compiled_model_input_by_index(compiled, i, &port) == IRR_OK);
        if (tensor_for(port, &tensor) == IRR_OK) {
            fill(tensor, input);
            irr_infer_request_set_input_tensor_by_index(request, i, tensor);
        }
        irr_tensor_free(tensor);
        irr_output_const_port_free(port);
    }
    irr_profiling_info_list_t infos = {0};
    irr_status_e first = irr_infer_request_infer(request);
    MUST(irr_infer_request_infer(request) == first);
    MUST(irr_infer_request_get_profiling_info(request, &infos) == IRR_OK);
    irr_profiling_info_list_free(&infos);
    irr_infer_request_free(request);
}

static void compile(const irr_core_t *core, const irr_model_t *model, const char *backend,
                    const fuzz_input_t *input) {
    irr_property_t properties[] = {{"IRREDUCE_BACKEND", backend}, {"PERF_COUNT", "YES"}};
    irr_compiled_model_t *compiled = NULL;
    irr_status_e status = irr_core_compile_model(core, model, "TEST", 2, properties, &compiled);
    MUST(!status == !!compiled && (!status || *irr_get_last_err_msg()));
    if (!compiled) return;
    char *text = NULL;
    MUST(irr_compiled_model_get_property(compiled, "IRREDUCE_EXPLAIN", &text) == IRR_OK);
    irr_free(text);
    infer(compiled, input);
    irr_compiled_model_free(compiled);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static irr_core_t *core;
    irr_model_t *model = NULL;
    irr_tensor_t *weights = NULL;
    irr_supported_ops_t ops = {0};
    fuzz_input_t input = fuzz_split(data, size);
    if (!core) {
        irr_property_t one = {"INFERENCE_NUM_THREADS", "1"};
        MUST(irr_core_create(&core) == IRR_OK);
        MUST(irr_core_register_plugin(core, CPU_PLUGIN_PATH, "TEST") == IRR_OK);
        MUST(irr_core_set_properties(core, "TEST", 1, &one) == IRR_OK);
    }
    if (!all_small(&input)) return 0;
    int64_t bytes = (int64_t)input.weights_bytes;
    MUST(irr_tensor_create_from_host_ptr(IRR_U8, (irr_shape_t){1, &bytes}, (void *)input.weights,
                                         &weights) == IRR_OK);
    MUST(irr_core_read_model_from_memory_buffer(core, (const char *)input.xml, input.xml_bytes,
                                                weights, &model) == IRR_OK);
    irr_tensor_free(weights);
    MUST(irr_core_query_model(core, model, "TEST", 0, NULL, &ops) == IRR_OK);
    irr_supported_ops_free(&ops);
    compile(core, model, "auto", &input);
    compile(core, model, "reference", &input);
    irr_model_free(model);
    return 0;
}

/* In the place of plugin/onnxruntime/kernel.c and the device: kernels that ask the runtime for what
 * every kernel needs, and add up floats over the last axes by a plain loop. How such a provider
 * compares to the stock one in a tiny call is the runtime's doing, and the best that any provider
 * can hope for. usage: speed.py FOLDER --provider FOLDER/libonnxruntime_floor.so
 * SPDX-License-Identifier: Apache-2.0 */
#include "kernel.h"

#include "base/memory.h"

ort_status_t *irr_ort_compute(ort_kernel_t *face, ort_context_t *context) {
    const kernel_t *kernel = (const kernel_t *)face;
    const ort_t *ort = kernel->ort;
    const ort_value_t *input;
    ort_value_t *output;
    const int64_t *dims;
    int type;
    size_t rank, kept = 0, rows = 1, length = 1;
    void *from, *to;
    ort_status_t *status = ort->context_input(context, 0, &input);
    if (!status) status = ort->tensor_shape(input, &type, &dims, &rank);
    if (!status) status = ort->tensor_data((ort_value_t *)(uintptr_t)input, &from);
    if (!status) kept = rank - kernel->axes_count;
    if (!status) status = ort->context_output(context, 0, dims, kept, &output);
    if (!status) status = ort->tensor_data(output, &to);
    if (status) return status;
    for (size_t d = 0; d < rank; d++) *(d < kept ? &rows : &length) *= (size_t)dims[d];
    const float *element = from;
    for (size_t row = 0; row < rows; row++) {
        float sum = 0;
        for (size_t k = 0; k < length; k++) sum += *element++;
        ((float *)to)[row] = sum;
    }
    return NULL;
}

void irr_ort_release_kernel(ort_kernel_t *face) {
    irr_release(((kernel_t *)face)->axes);
    irr_release(face);
}

irr_status_e irr_ort_add_variant(kernel_t *kernel, uint32_t rank, const int64_t *dims,
                                 irr_sentence_t sentence) {
    (void)kernel, (void)rank, (void)dims, (void)sentence;
    return IRR_OK;
}

ort_status_t *irr_ort_status(const ort_t *ort, irr_status_e status, const char *sentence) {
    (void)status;
    return ort->create_status(ORT_FAIL, sentence);
}

static void release(irr_plugin_engine_t *engine) { (void)engine; }

irr_status_e irr_create_plugin_engine(uint32_t abi, irr_plugin_engine_t **engine,
                                      irr_sentence_t sentence) {
    static irr_plugin_engine_t none = {.release = release};
    (void)abi, (void)sentence;
    *engine = &none;
    return IRR_OK;
}

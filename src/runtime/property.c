/* Properties: the keys, and reading and writing them through the wall.
 * SPDX-License-Identifier: Apache-2.0 */
#include "runtime/runtime.h"

const char *const irr_property_key_supported_properties = "SUPPORTED_PROPERTIES";
const char *const irr_property_key_optimal_number_of_infer_requests =
    "OPTIMAL_NUMBER_OF_INFER_REQUESTS";
const char *const irr_property_key_device_full_name = "FULL_DEVICE_NAME";
const char *const irr_property_key_num_streams = "NUM_STREAMS";
const char *const irr_property_key_inference_num_threads = "INFERENCE_NUM_THREADS";
const char *const irr_property_key_hint_performance_mode = "PERFORMANCE_HINT";
const char *const irr_property_key_hint_execution_mode = "EXECUTION_MODE_HINT";
const char *const irr_property_key_enable_profiling = "PERF_COUNT";
const char *const irr_property_key_backend = "IRREDUCE_BACKEND";
const char *const irr_property_key_isa = "IRREDUCE_ISA";
const char *const irr_property_key_reproducible = "IRREDUCE_REPRODUCIBLE";
const char *const irr_property_key_prefetch = "IRREDUCE_PREFETCH";
const char *const irr_property_key_explain = "IRREDUCE_EXPLAIN";
const char *const irr_property_key_tiers = "IRREDUCE_TIERS";
const char *const irr_property_key_onednn_version = "IRREDUCE_ONEDNN_VERSION";

irr_status_e irr_get_property(irr_plugin_engine_t *engine, irr_plugin_compiled_t *compiled,
                              const char *key, char **value) {
    irr_sentence_t sentence = irr_message();
    irr_status_e status = IRR_OK;
    char *text = NULL;
    /* More than once where another thread lengthens the value between two calls. */
    for (size_t capacity = 0, needed = 256; !status && needed > capacity;) {
        capacity = needed;
        irr_release(text);
        text = irr_malloc(capacity);
        status = !text      ? irr_out_of_memory(sentence, capacity)
                 : compiled ? engine->get_compiled_property(compiled, key, text, capacity, &needed,
                                                            sentence)
                            : engine->get_property(engine, key, text, capacity, &needed, sentence);
    }
    return IRR_GIVE(status, value, text, irr_release);
}

static irr_status_e set(irr_plugin_engine_t *engine, irr_plugin_compiled_t *compiled,
                        const char *key, const char *value, irr_sentence_t sentence) {
    return compiled ? engine->set_compiled_property(compiled, key, value, sentence)
                    : engine->set_property(engine, key, value, sentence);
}

irr_status_e irr_set_properties(irr_plugin_engine_t *engine, irr_plugin_compiled_t *compiled,
                                size_t count, const irr_property_t *properties) {
    irr_status_e status = IRR_OK;
    size_t done = 0;
    char **old = irr_calloc(count, sizeof *old);
    if (!old) return irr_out_of_memory(irr_message(), count * sizeof *old);
    for (; !status && done < count; done++) {
        const irr_property_t *one = &properties[done];
        status = irr_get_property(engine, compiled, one->key, &old[done]);
        if (!status) status = set(engine, compiled, one->key, one->value, irr_message());
    }
    /* The last one tried did not change; those before it get their old values back. */
    for (size_t k = status && done ? done - 1 : 0; k-- > 0;)
        set(engine, compiled, properties[k].key, old[k], (irr_sentence_t){NULL, 0});
    for (size_t k = 0; k < done; k++) irr_release(old[k]);
    irr_release(old);
    return status;
}

irr_status_e irr_check_properties(size_t count, const irr_property_t *properties) {
    if (count && !properties)
        return irr_fail(irr_message(), IRR_INVALID_C_PARAM, "properties is NULL, the count %zu",
                        count);
    for (size_t k = 0; k < count; k++) {
        if (!properties[k].key)
            return irr_fail(irr_message(), IRR_INVALID_C_PARAM, "property %zu has the key NULL", k);
        if (!properties[k].value)
            return irr_fail(irr_message(), IRR_INVALID_C_PARAM, "property %s has the value NULL",
                            properties[k].key);
    }
    return IRR_OK;
}

/* Small graphs for tests of the device behind the wall.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef IRR_TESTS_DEVICE_GRAPH_H
#define IRR_TESTS_DEVICE_GRAPH_H

#include <irreduce/plugin.h>

#define SHAPE(...) ((const int64_t[]){__VA_ARGS__})

enum { GRAPH_VALUES = 8, GRAPH_LAYERS = 4, GRAPH_RANK = 8 };

/* A graph with room; the add functions return the new value's index. */
typedef struct device_graph {
    irr_graph_t view;
    irr_graph_value_t values[GRAPH_VALUES];
    irr_graph_layer_t layers[GRAPH_LAYERS];
    uint32_t inputs[GRAPH_VALUES], outputs[GRAPH_VALUES];
    int64_t dims[GRAPH_VALUES][GRAPH_RANK]; /* copies */
} device_graph_t;

void graph_begin(device_graph_t *graph);
uint32_t graph_input(device_graph_t *graph, irr_element_type_e type, uint32_t rank,
                     const int64_t *dims);
uint32_t graph_constant(device_graph_t *graph, irr_element_type_e type, uint32_t rank,
                        const int64_t *dims, const void *bytes);
/* The layer's result; keep_dims where the ranks are equal. */
uint32_t graph_layer(device_graph_t *graph, const char *type, uint32_t data, uint32_t axes,
                     uint32_t rank, const int64_t *dims);
void graph_output(device_graph_t *graph, uint32_t value);

irr_tensor_view_t tensor(irr_element_type_e type, uint32_t rank, const int64_t *dims,
                         const void *data);

/* A request on the graph; compiled and engine are released already, as any host may. */
irr_plugin_request_t *request_on(const device_graph_t *graph, const irr_property_t *properties,
                                 size_t count);
/* Fails the test with the sentence if infer does. */
void infer_or_fail(irr_plugin_request_t *request, const irr_tensor_view_t *inputs,
                   const irr_tensor_view_t *outputs);
irr_plugin_engine_t *engine_or_fail(void);

#endif

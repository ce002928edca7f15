/* Graphs of several layers on random data, for the tests of what is run as one: a model is begun,
 * given layers, run, and ended. SPDX-License-Identifier: Apache-2.0 */
#ifndef IRR_TESTS_LAYERS_H
#define IRR_TESTS_LAYERS_H

#include "device.h"

enum { MOST_LAYERS = 20, MOST_ELEMENTS = 1 << 17 };

/* IRR_TEST_SEED and IRR_TEST_SECONDS; the data lie in the room. */
extern uint64_t layers_seed;
extern double layers_seconds;
extern guarded_t layers_room;

enum { LAYER_TYPES = 13 };
extern const irr_element_type_e layer_types[LAYER_TYPES];

/* A graph of layers on value 0; layer k has axes in value 1 + 2k and its result in 2 + 2k. */
typedef struct {
    irr_graph_t graph;
    irr_graph_value_t values[1 + 2 * MOST_LAYERS];
    irr_graph_layer_t layers[MOST_LAYERS];
    char ids[MOST_LAYERS][8], names[MOST_LAYERS][8];
    random_case_t data, cases[MOST_LAYERS]; /* each layer alone */
    int64_t axis_counts[MOST_LAYERS];
    uint32_t input, outputs[MOST_LAYERS];
    irr_tensor_view_t in, out[MOST_LAYERS];
} layers_t;

double layers_now(void);
void layers_begin(layers_t *m, const random_case_t *data);
/* The next layer, as its case says, on the value. Its result, which is given, is an output unless
 * `between`. */
uint32_t layers_add(layers_t *m, const random_case_t *c, uint32_t data, bool between);
/* Runs the model; gives its explanation and the profile's kernels, one a line. */
void layers_run(layers_t *m, const irr_property_t *properties, size_t count, void *data,
                char *explained, size_t capacity, char kernels[MOST_LAYERS][256]);
void layers_end(layers_t *m);
/* Data of any element type and shape, at the very end of the room. */
void *layers_data(random_case_t *c, uint64_t seed, irr_element_type_e type);
/* Opens the device and the room around the tests; what main gives. */
#define LAYERS_MAIN(tests)                                                                         \
    (layers_open() ? 1 : layers_close(cmocka_run_group_tests(tests, NULL, NULL)))
int layers_open(void);
int layers_close(int failed);

#endif

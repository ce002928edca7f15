/* Layers behind each other: what runs as one reduction has the bits of each layer after the other,
 * and is folded where that cannot change one.
 * Prints its seed; IRR_TEST_SEED and IRR_TEST_SECONDS set where it starts and how long it looks.
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/element_type.h"
#include "base/op.h"
#include "layers.h"
#include "oracle.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* The next link on the shape of the last one's result; false: nothing is left to reduce. */
static bool next_link(random_case_t *c, uint64_t *stream) {
    c->rank = c->out_rank;
    memcpy(c->dims, c->out_dims, sizeof c->dims);
    if (c->rank == 0) return false;
    c->axis_count = 1;
    c->axes[0] = (int64_t)random_below(stream, c->rank) - (random_below(stream, 2) ? c->rank : 0);
    c->keep_dims = random_below(stream, 2);
    random_case_complete(c);
    return true;
}

static bool folds(const char *op, irr_element_type_e type) {
    if (strcmp(op, "ReduceSum") == 0 || strcmp(op, "ReduceProd") == 0) return irr_is_integer(type);
    return strcmp(op, "ReduceMin") == 0 || strcmp(op, "ReduceMax") == 0 ||
           strcmp(op, "ReduceLogicalAnd") == 0 || strcmp(op, "ReduceLogicalOr") == 0;
}

/* A chain of two or three, run as a whole and link by link. */
static void test_chains(void **state) {
    (void)state;
    double until = layers_now() + layers_seconds;
    uint64_t seed = layers_seed, folded = 0;
    for (; layers_now() < until || seed < layers_seed + 100; seed++) {
        static layers_t m;
        static char explained[1 << 16], kernels[MOST_LAYERS][256];
        random_case_t c;
        uint64_t stream = seed ^ 0xabcdef;
        irr_element_type_e type = layer_types[seed % LAYER_TYPES];
        void *data = layers_data(&c, seed, type);
        if (seed % 5 == 0 && c.rank < RANDOM_MAX_RANK) { /* an empty set somewhere */
            c.dims[random_below(&stream, c.rank)] = 0;
            random_case_complete(&c);
        }
        irr_op_e op;
        do op = (irr_op_e)random_below(&stream, IRR_OP_COUNT);
        while (!irr_op_takes(op, type) || (op == IRR_OP_MEAN && irr_is_integer(type)));
        c.op = irr_op_info(op)->type;
        bool seen = random_below(&stream, 4) == 0; /* what lies between is an output, too */
        uint32_t value = 0;
        layers_begin(&m, &c);
        unsigned links = 0, wanted = 2 + (unsigned)random_below(&stream, 2);
        while (links < wanted && (links == 0 || next_link(&c, &stream)))
            value = layers_add(&m, &c, value, ++links < wanted && !seen);
        if (links < wanted) m.graph.output_count = 0;
        if (m.graph.output_count) {
            const irr_property_t properties[] = {{"PERF_COUNT", "YES"},
                                                 {"IRREDUCE_BACKEND", "simd"}};
            layers_run(&m, properties, 2, data, explained, sizeof explained, kernels);
            void *link = malloc(1 << 21), *link_data = malloc(1 << 21);
            memcpy(link_data, data, m.cases[0].elements * oracle_element_bytes(type));
            for (unsigned k = 0; k < links; k++) {
                char text[DEVICE_TEXT_BYTES];
                device_setup_t alone = {.backend = "simd", .isa = "scalar", .threads = 1};
                if (device_run(engine, &m.cases[k], &alone, link_data, link, text))
                    fail_msg("%s", text);
                memcpy(link_data, link, m.cases[k].outputs * oracle_element_bytes(type));
                bool idle = strncmp(kernels[k], "idle: folded into layer ", 24) == 0;
                assert_int_equal(idle, k + 1 < links && !seen && folds(c.op, type));
                folded += idle;
            }
            size_t bytes = c.outputs * oracle_element_bytes(type);
            if (memcmp(link, m.out[m.graph.output_count - 1].data, bytes) != 0)
                fail_msg("seed %llu: other bits in a chain", (unsigned long long)seed);
            free(link), free(link_data);
        }
        layers_end(&m);
    }
    assert_true(folded > 0);
    print_message("%llu chains from IRR_TEST_SEED=%llu, %llu layers folded\n",
                  (unsigned long long)(seed - layers_seed), (unsigned long long)layers_seed,
                  (unsigned long long)folded);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_chains)};
    return LAYERS_MAIN(tests);
}

/* Good models: what the runtime gets of them.
 * SPDX-License-Identifier: Apache-2.0 */
#include "failing_memory.h"
#include "ir_source.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static irr_ir_model_t *load(const char *name) {
    char path[512], sentence[IRR_SENTENCE_BYTES];
    irr_ir_source_t source = {.path = good_path(name, ".xml", path, sizeof path)};
    irr_ir_model_t *model = NULL;
    if (irr_ir_read_model(&source, &model, SENTENCE(sentence))) fail_msg("%s", sentence);
    return model;
}

static void expect_dims(const irr_graph_value_t *value, uint32_t rank, const int64_t *dims) {
    assert_int_equal(value->rank, rank);
    for (uint32_t d = 0; d < rank; d++) assert_int_equal(value->dims[d], dims[d]);
}

/* Every model of the directory; fragments are no whole models. */
static void no_problems(void **state) {
    (void)state;
    char path[512];
    size_t count = 0;
    DIR *directory = opendir(good_path("", "", path, sizeof path));
    assert_non_null(directory);
    for (struct dirent *entry; (entry = readdir(directory));) {
        char *end = strstr(entry->d_name, ".xml");
        if (!end || strncmp(entry->d_name, "fragments_", 10) == 0) continue;
        *end = '\0';
        irr_ir_source_t source = {.path = good_path(entry->d_name, ".xml", path, sizeof path)};
        char *got = problems_of(&source);
        if (*got) fail_msg("%s: %s", entry->d_name, got);
        free(got);
        irr_ir_free(load(entry->d_name));
        count++;
    }
    closedir(directory);
    assert_true(count >= 27);
}

static void fragments(void **state) {
    (void)state;
    static const int64_t last_two[] = {2, 3}, one[] = {1}, minus_two[] = {-2}, wrong[] = {2, 4};
    irr_axes_t axes[] = {{last_two, 2}, {last_two, 2}, {one, 1}, {minus_two, 1}};
    static const char *const names[] = {"fragments_min", "fragments_sum", "fragments_l2"};
    for (size_t i = 0; i < 3; i++) {
        char path[512], sentence[IRR_SENTENCE_BYTES];
        irr_ir_model_t *model;
        irr_ir_source_t source = {.path = good_path(names[i], ".xml", path, sizeof path)};
        char *got = problems_of(&source); /* axes unknown */
        assert_string_equal(got, "");
        free(got);
        source.axes = axes;
        source.axes_count = 4;
        got = problems_of(&source);
        assert_string_equal(got, "");
        free(got);
        source.axes_count = 3;
        got = problems_of(&source);
        assert_non_null(strstr(got, "fragment 4 has no axes: 3 lists of axes were given"));
        free(got);
        axes[0].values = wrong;
        got = problems_of(&source);
        assert_non_null(strstr(got, "axis 4 is outside [-4, 3] of data [6,12,10,24]"));
        free(got);
        axes[0].values = last_two;
        assert_int_equal(irr_ir_read_model(&source, &model, SENTENCE(sentence)),
                         IRR_NETWORK_NOT_READ);
        assert_null(model);
    }
}

static void the_graph(void **state) {
    (void)state;
    irr_ir_model_t *model = load("sequence");
    const irr_graph_t *graph = &model->graph;
    assert_null(model->unsupported);
    assert_false(model->dynamic);
    assert_string_equal(model->name, "one after the other");
    assert_int_equal(graph->layer_count, 3);
    irr_graph_layer_t layer;
    uint32_t at = 0, layers = 0;
    while (irr_ir_next_layer(model, &at, &layer)) layers++;
    assert_int_equal(layers, 8);
    assert_string_equal(graph->layers[0].type, "ReduceMin");
    assert_string_equal(graph->layers[2].name, "norm");
    assert_int_equal(graph->layers[1].data, graph->layers[0].output);
    assert_true(graph->layers[1].keep_dims);
    expect_dims(&graph->values[graph->layers[0].output], 3, (int64_t[]){4, 6, 7});
    expect_dims(&graph->values[graph->layers[1].output], 3, (int64_t[]){4, 6, 1});
    expect_dims(&graph->values[graph->layers[2].output], 1, (int64_t[]){1});
    const irr_graph_value_t *axes = &graph->values[graph->layers[1].axes];
    assert_true(axes->is_constant);
    assert_int_equal(axes->element_type, IRR_I32);
    assert_int_equal(axes->rank, 0);
    assert_int_equal(*(const int32_t *)axes->constant, -1);
    assert_int_equal(graph->outputs[0], graph->layers[2].output);
    irr_ir_free(model);
}

static void names(void **state) {
    (void)state;
    irr_ir_model_t *model = load("siblings");
    char sentence[IRR_SENTENCE_BYTES];
    uint32_t index = 9;
    assert_int_equal(model->input_count, 2);
    assert_int_equal(model->output_count, 4);
    assert_int_equal(model->inputs[0].name_count, 2);
    assert_string_equal(model->inputs[0].names[1], "first input");
    assert_string_equal(model->outputs[0].names[1], "the,least");
    assert_int_equal(irr_ir_find(model, false, "first input", &index, SENTENCE(sentence)), IRR_OK);
    assert_int_equal(index, 0);
    assert_int_equal(irr_ir_find(model, true, "r2", &index, SENTENCE(sentence)), IRR_OK);
    assert_int_equal(index, 2);
    assert_int_equal(irr_ir_find(model, false, "up", &index, SENTENCE(sentence)), IRR_NOT_FOUND);
    assert_string_equal(sentence, "no input is called \"up\"; there are \"left\", \"right\"");
    assert_int_equal(model->graph.outputs[3], 0); /* a Result of a Parameter */
    irr_ir_free(model);
}

static void shapes_at_infer(void **state) {
    (void)state;
    irr_ir_model_t *model = load("runtime_axes_two");
    irr_bound_shape_t *shapes = calloc(model->graph.value_count, sizeof *shapes);
    char sentence[IRR_SENTENCE_BYTES];
    int64_t dims[] = {6, 12, 10, 24}, two[] = {2};
    int32_t axes[] = {-1, 1};
    irr_tensor_view_t inputs[] = {{NULL, IRR_F32, 4, dims, NULL}, {axes, IRR_I32, 1, two, NULL}};
    assert_true(model->dynamic);
    expect_dims(&model->graph.values[model->outputs[0].value], 2, (int64_t[]){-1, -1});
    assert_int_equal(irr_graph_bind_shapes(&model->graph, inputs, shapes, SENTENCE(sentence)),
                     IRR_OK);
    const irr_bound_shape_t *out = &shapes[model->outputs[0].value];
    assert_int_equal(out->rank, 2);
    assert_int_equal(out->dims[0], 6);
    assert_int_equal(out->dims[1], 10);
    axes[0] = 4;
    assert_int_equal(irr_graph_bind_shapes(&model->graph, inputs, shapes, SENTENCE(sentence)),
                     IRR_PARAMETER_MISMATCH);
    assert_string_equal(sentence, "layer 2 \"norm\" (ReduceL2): axis 4 is outside [-4, 3] of data "
                                  "[6,12,10,24]");
    dims[3] = 5;
    assert_int_equal(irr_graph_bind_shapes(&model->graph, inputs, shapes, SENTENCE(sentence)),
                     IRR_PARAMETER_MISMATCH);
    assert_string_equal(sentence, "input 0: dimension 3 is 5, expected 24");
    inputs[0].element_type = IRR_F16;
    assert_int_equal(irr_graph_bind_shapes(&model->graph, inputs, shapes, SENTENCE(sentence)),
                     IRR_PARAMETER_MISMATCH);
    assert_string_equal(sentence, "input 0: the tensor's type is f16, expected f32");
    free(shapes);
    irr_ir_free(model);
}

static void reshaping(void **state) {
    (void)state;
    irr_ir_model_t *model = load("dynamic"), *copy;
    char sentence[IRR_SENTENCE_BYTES];
    irr_dimension_t dims[] = {{7, 7}, {3, 3}, {5, 5}};
    irr_partial_shape_t reshape = {{3, 3}, dims}, bad = {{0, 0}, NULL};
    const char *name = "data", *other = "date";
    assert_true(model->inputs[0].dims[2].min == 1 && model->inputs[0].dims[2].max == 10);
    assert_int_equal(irr_ir_clone(model, &copy, SENTENCE(sentence)), IRR_OK);
    assert_int_equal(irr_ir_reshape(model, 1, &name, &reshape, SENTENCE(sentence)), IRR_OK);
    assert_false(model->dynamic);
    expect_dims(&model->graph.values[0], 3, (int64_t[]){7, 3, 5});
    assert_int_equal(irr_ir_reshape(model, 1, &other, &reshape, SENTENCE(sentence)), IRR_NOT_FOUND);
    assert_int_equal(irr_ir_reshape(model, 1, &name, &bad, SENTENCE(sentence)),
                     IRR_PARAMETER_MISMATCH);
    assert_string_equal(sentence,
                        "layer 2 \"total\" (ReduceSum): axis 0 is given, but data has rank 0 "
                        "and takes no axis");
    expect_dims(&model->graph.values[0], 3, (int64_t[]){7, 3, 5});
    irr_ir_free(model);
    assert_true(copy->dynamic);
    expect_dims(&copy->graph.values[0], 3, (int64_t[]){-1, 3, -1});
    irr_ir_free(copy);
    model = load("if_bodies");
    assert_int_equal(irr_ir_reshape(model, 1, &name, &reshape, SENTENCE(sentence)),
                     IRR_NOT_IMPLEMENTED);
    irr_ir_free(model);
}

static void one_layer(void **state) {
    (void)state;
    static const char *const paths[] = {"2/then_body/2", "if/then_body/total", "2/else_body/norm"};
    irr_ir_model_t *model = load("if_bodies"), *one;
    char sentence[2 * IRR_SENTENCE_BYTES];
    assert_non_null(strstr(model->unsupported, "layer 2 \"if\" (If): only Parameter"));
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(irr_ir_extract(model, paths[i], &one, SENTENCE(sentence)), IRR_OK);
        assert_int_equal(one->input_count, 1);
        assert_string_equal(one->inputs[0].name, "data");
        assert_string_equal(one->graph.layers[0].type, i < 2 ? "ReduceSum" : "ReduceL2");
        expect_dims(&one->graph.values[one->graph.outputs[0]], 1, (int64_t[]){3});
        assert_non_null(one->graph.values[1].constant);
        irr_ir_free(one);
    }
    assert_int_equal(irr_ir_extract(model, "2/then_body/7", &one, SENTENCE(sentence)),
                     IRR_NOT_FOUND);
    assert_null(one);
    assert_int_equal(irr_ir_extract(model, "if", &one, SENTENCE(sentence)), IRR_NOT_IMPLEMENTED);
    assert_null(one);
    irr_ir_free(model);
    model = load("runtime_axes");
    assert_int_equal(irr_ir_extract(model, "norm", &one, SENTENCE(sentence)), IRR_OK);
    irr_ir_free(model); /* any order */
    assert_int_equal(one->input_count, 2);
    assert_string_equal(one->inputs[1].name, "axes");
    irr_ir_free(one);
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    static const char *const models[] = {"siblings", "if_bodies", "types", "dynamic"};
    for (size_t i = 0; i < 4; i++) {
        char path[512], sentence[IRR_SENTENCE_BYTES];
        irr_ir_source_t source = {.path = good_path(models[i], ".xml", path, sizeof path)};
        irr_status_e status = IRR_NOT_ALLOCATED;
        for (uint64_t n = 1; status; n++) {
            irr_ir_model_t *model = NULL, *copy = NULL, *one = NULL;
            irr_fail_allocation_after(n);
            status = irr_ir_read_model(&source, &model, SENTENCE(sentence));
            if (!status) status = irr_ir_clone(model, &copy, SENTENCE(sentence));
            if (!status)
                status = irr_ir_extract(model,
                                        i == 1   ? "2/else_body/2"
                                        : i == 2 ? "sum_i8"
                                                 : "total",
                                        &one, SENTENCE(sentence));
            irr_fail_allocation_after(0);
            if (status != IRR_OK && status != IRR_NOT_ALLOCATED) fail_msg("%s", sentence);
            assert_true(!status == !!one);
            irr_ir_free(model);
            irr_ir_free(copy);
            irr_ir_free(one);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_problems),     cmocka_unit_test(fragments),
        cmocka_unit_test(the_graph),       cmocka_unit_test(names),
        cmocka_unit_test(shapes_at_infer), cmocka_unit_test(reshaping),
        cmocka_unit_test(one_layer),       cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

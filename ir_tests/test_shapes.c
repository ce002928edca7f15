/* Dimensions, shapes, partial shapes and tensors by themselves.
 * SPDX-License-Identifier: Apache-2.0 */
#include "api.h"

#include <inttypes.h>
#include <string.h>

static void expect_text(irr_partial_shape_t shape, const char *text) {
    const char *got = irr_partial_shape_to_string(shape);
    assert_string_equal(got, text);
    irr_free(got);
}

static void dimensions(void **state) {
    (void)state;
    assert_false(irr_dimension_is_dynamic((irr_dimension_t){3, 3}));
    assert_false(irr_dimension_is_dynamic((irr_dimension_t){0, 0}));
    assert_true(irr_dimension_is_dynamic((irr_dimension_t){0, -1}));
    assert_true(irr_dimension_is_dynamic((irr_dimension_t){-1, -1}));
    assert_true(irr_dimension_is_dynamic((irr_dimension_t){1, 10}));
    assert_true(irr_rank_is_dynamic((irr_rank_t){-1, -1}));
}

static void shapes(void **state) {
    (void)state;
    irr_shape_t shape = {7, NULL};
    int64_t dims[] = {2, 0, 3}, bad[] = {2, -1};
    OK(irr_shape_create(3, dims, &shape));
    assert_int_equal(shape.rank, 3);
    assert_memory_equal(shape.dims, dims, sizeof dims);
    OK(irr_shape_free(&shape));
    assert_null(shape.dims);
    OK(irr_shape_create(0, NULL, &shape));
    assert_int_equal(shape.rank, 0);
    OK(irr_shape_free(&shape));
    EXPECT(IRR_PARAMETER_MISMATCH, irr_shape_create(-1, dims, &shape));
    EXPECT(IRR_PARAMETER_MISMATCH, irr_shape_create(65, dims, &shape));
    EXPECT(IRR_PARAMETER_MISMATCH, irr_shape_create(2, bad, &shape));
    EXPECT(IRR_INVALID_C_PARAM, irr_shape_create(2, NULL, &shape));
    EXPECT(IRR_INVALID_C_PARAM, irr_shape_create(2, dims, NULL));
    EXPECT(IRR_INVALID_C_PARAM, irr_shape_free(NULL));
}

static void partial_shapes(void **state) {
    (void)state;
    irr_partial_shape_t partial, again;
    irr_shape_t shape;
    irr_dimension_t dims[] = {{-1, -1}, {3, 3}, {1, 10}, {2, -1}, {0, -1}};
    OK(irr_partial_shape_create(5, dims, &partial));
    assert_true(irr_partial_shape_is_dynamic(partial));
    expect_text(partial, "[?,3,1..10,2..,?]");
    EXPECT(IRR_PARAMETER_MISMATCH, irr_partial_shape_to_shape(partial, &shape));
    irr_partial_shape_free(&partial);
    OK(irr_partial_shape_create_static(2, (int64_t[]){4, 0}, &partial));
    assert_false(irr_partial_shape_is_dynamic(partial));
    OK(irr_partial_shape_to_shape(partial, &shape));
    OK(irr_shape_to_partial_shape(shape, &again));
    expect_text(again, "[4,0]");
    irr_partial_shape_free(&again);
    irr_partial_shape_free(&partial);
    irr_shape_free(&shape);
    OK(irr_partial_shape_create_dynamic((irr_rank_t){-1, -1}, NULL, &partial));
    assert_true(irr_partial_shape_is_dynamic(partial));
    expect_text(partial, "[...]");
    irr_partial_shape_free(&partial);
    OK(irr_partial_shape_create(0, NULL, &partial));
    expect_text(partial, "[]");
    irr_partial_shape_free(&partial);
    EXPECT(IRR_PARAMETER_MISMATCH,
           irr_partial_shape_create_dynamic((irr_rank_t){-1, -1}, dims, &partial));
    EXPECT(IRR_PARAMETER_MISMATCH,
           irr_partial_shape_create(1, (irr_dimension_t[]){{5, 3}}, &partial));
    EXPECT(IRR_PARAMETER_MISMATCH,
           irr_partial_shape_create(1, (irr_dimension_t[]){{-2, -2}}, &partial));
    EXPECT(IRR_INVALID_C_PARAM, irr_partial_shape_create(1, NULL, &partial));
    EXPECT(IRR_INVALID_C_PARAM, irr_partial_shape_create(1, dims, NULL));
    irr_partial_shape_free(NULL);
}

/* The longest text that a partial shape can have. */
static void longest_text(void **state) {
    (void)state;
    irr_dimension_t dims[64];
    irr_partial_shape_t partial;
    for (int d = 0; d < 64; d++) dims[d] = (irr_dimension_t){INT64_MAX - 1, INT64_MAX};
    OK(irr_partial_shape_create(64, dims, &partial));
    const char *text = irr_partial_shape_to_string(partial);
    assert_int_equal(strlen(text), 64 * (19 + 2 + 19) + 63 + 2);
    irr_free(text);
    irr_partial_shape_free(&partial);
}

static void library_tensors(void **state) {
    (void)state;
    irr_tensor_t *tensor = NULL;
    irr_shape_t shape;
    irr_element_type_e type;
    size_t size, bytes;
    void *data;
    OK(irr_tensor_create(IRR_F16, (irr_shape_t){2, (int64_t[]){3, 5}}, &tensor));
    OK(irr_tensor_data(tensor, &data));
    assert_int_equal((uintptr_t)data % 64, 0);
    for (int k = 0; k < 15; k++) assert_int_equal(((const uint16_t *)data)[k], 0);
    OK(irr_tensor_set_shape(tensor, (irr_shape_t){3, (int64_t[]){100, 2, 1}}));
    OK(irr_tensor_get_shape(tensor, &shape));
    assert_int_equal(shape.rank, 3);
    assert_int_equal(shape.dims[0], 100);
    OK(irr_shape_free(&shape));
    OK(irr_tensor_get_size(tensor, &size));
    OK(irr_tensor_get_byte_size(tensor, &bytes));
    OK(irr_tensor_get_element_type(tensor, &type));
    assert_int_equal(size, 200);
    assert_int_equal(bytes, 400);
    assert_int_equal(type, IRR_F16);
    OK(irr_tensor_set_shape(tensor, (irr_shape_t){0, NULL}));
    OK(irr_tensor_get_size(tensor, &size));
    assert_int_equal(size, 1);
    EXPECT(IRR_PARAMETER_MISMATCH, irr_tensor_set_shape(tensor, (irr_shape_t){1, (int64_t[]){-1}}));
    EXPECT(IRR_INVALID_C_PARAM, irr_tensor_set_shape(tensor, (irr_shape_t){1, NULL}));
    irr_tensor_free(tensor);
    irr_tensor_free(NULL);
}

static void host_tensors(void **state) {
    (void)state;
    double room[4] = {0};
    char *bytes = (char *)room;
    irr_tensor_t *tensor = NULL;
    irr_shape_t four = {1, (int64_t[]){4}}, none = {2, (int64_t[]){0, 4}};
    OK(irr_tensor_create_from_host_ptr(IRR_F64, four, room, &tensor));
    OK(irr_tensor_set_shape(tensor, (irr_shape_t){2, (int64_t[]){2, 2}}));
    EXPECT(IRR_PARAMETER_MISMATCH, irr_tensor_set_shape(tensor, (irr_shape_t){1, (int64_t[]){5}}));
    expect_message("takes 40 bytes, the caller's memory has 32");
    irr_tensor_free(tensor);
    OK(irr_tensor_create_from_host_ptr(IRR_F64, none, NULL, &tensor));
    irr_tensor_free(tensor);
    EXPECT(IRR_INVALID_C_PARAM, irr_tensor_create_from_host_ptr(IRR_F64, four, NULL, &tensor));
    assert_null(tensor);
    EXPECT(IRR_PARAMETER_MISMATCH,
           irr_tensor_create_from_host_ptr(IRR_F32, four, bytes + 2, &tensor));
    OK(irr_tensor_create_from_host_ptr(IRR_I8, four, bytes + 1, &tensor));
    irr_tensor_free(tensor);
}

static void tensors_that_cannot_be(void **state) {
    (void)state;
    irr_tensor_t *tensor = (irr_tensor_t *)1;
    irr_shape_t one = {1, (int64_t[]){1}};
    EXPECT(IRR_INVALID_C_PARAM, irr_tensor_create((irr_element_type_e)26, one, &tensor));
    assert_null(tensor);
    EXPECT(IRR_INVALID_C_PARAM, irr_tensor_create((irr_element_type_e)-1, one, &tensor));
    EXPECT(IRR_PARAMETER_MISMATCH, irr_tensor_create(IRR_DYNAMIC, one, &tensor));
    EXPECT(IRR_PARAMETER_MISMATCH, irr_tensor_create(IRR_STRING, one, &tensor));
    EXPECT(IRR_INVALID_C_PARAM, irr_tensor_create(IRR_F32, one, NULL));
    EXPECT(IRR_INVALID_C_PARAM, irr_tensor_create(IRR_F32, (irr_shape_t){1, NULL}, &tensor));
    EXPECT(IRR_PARAMETER_MISMATCH, irr_tensor_create(IRR_F32, (irr_shape_t){65, NULL}, &tensor));
    EXPECT(IRR_PARAMETER_MISMATCH,
           irr_tensor_create(IRR_F32, (irr_shape_t){1, (int64_t[]){-3}}, &tensor));
    EXPECT(IRR_NOT_ALLOCATED,
           irr_tensor_create(IRR_F32, (irr_shape_t){1, (int64_t[]){INT64_MAX}}, &tensor));
    EXPECT(IRR_NOT_ALLOCATED, /* fits a size_t, no machine */
           irr_tensor_create(IRR_I8, (irr_shape_t){1, (int64_t[]){INT64_C(1) << 52}}, &tensor));
    expect_message("above the memory limit");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dimensions),
        cmocka_unit_test(shapes),
        cmocka_unit_test(partial_shapes),
        cmocka_unit_test(longest_text),
        cmocka_unit_test(library_tensors),
        cmocka_unit_test(host_tensors),
        cmocka_unit_test(tensors_that_cannot_be),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

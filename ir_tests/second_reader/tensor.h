/* A tensor out of the table of cases: text -> dims and bytes, in the plainest code. No code of src/
 * or of another test's arithmetic is used here.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef IRR_TESTS_SECOND_READER_TENSOR_H
#define IRR_TESTS_SECOND_READER_TENSOR_H

#include <stdbool.h>
#include <stddef.h>

enum { TENSOR_RANK = 8 };

typedef struct {
    char type[12], declared[64]; /* "f32"; "-1,3", or the shape again */
    size_t rank, count, width;   /* count of elements, bytes of each */
    size_t dims[TENSOR_RANK];
    bool has_values;
    unsigned char *bytes;
    double *tolerances; /* relative; 0 asks for equal bytes */
} tensor_t;

/* "f32[2,3] as -1,3: 1 2 3 4 5 6"; without a colon it has dims alone. False: the text is malformed.
 */
bool tensor_parse(tensor_t *tensor, const char *text);
void tensor_free(tensor_t *tensor);
/* The first element that is not as expected, or the count. */
size_t tensor_differs(const tensor_t *expected, const unsigned char *bytes);

#endif

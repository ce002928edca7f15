/* Kinds of data for random cases: one table for floats, one for integers.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef IRR_TESTS_RANDOM_DATA_H
#define IRR_TESTS_RANDOM_DATA_H

#include "random_cases.h"

unsigned random_data_kind(irr_element_type_e type, uint64_t number);
const char *random_data_name(unsigned kind, irr_element_type_e type);
void random_data_fill(unsigned kind, irr_element_type_e type, uint64_t seed, size_t count,
                      void *data);
const char *random_type_name(irr_element_type_e type);

#endif

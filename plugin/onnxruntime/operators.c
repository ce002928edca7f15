/* Which operators and types this provider has kernels for. The schemas say which types a version of
 * an operator takes, and the runtime holds models to them: here is what we take in any version.
 * SPDX-License-Identifier: Apache-2.0 */
#include "ep.h"

const irr_ort_operator_t irr_ort_operators[IRR_ORT_OPERATORS] = {
    {"ReduceMin", "ReduceLogicalAnd", 20},
    {"ReduceMax", "ReduceLogicalOr", 20},
    {"ReduceSum", NULL, 13},
    {"ReduceMean", NULL, 18},
    {"ReduceProd", NULL, 18},
    {"ReduceL1", NULL, 18},
    {"ReduceL2", NULL, 18},
};

/* Boolean last: not all operators take it. */
static const struct {
    int theirs;
    irr_element_type_e ours;
} types[] = {
    {ORT_FLOAT, IRR_F32},  {ORT_DOUBLE, IRR_F64}, {ORT_FLOAT16, IRR_F16},  {ORT_BFLOAT16, IRR_BF16},
    {ORT_INT8, IRR_I8},    {ORT_INT32, IRR_I32},  {ORT_INT64, IRR_I64},    {ORT_UINT8, IRR_U8},
    {ORT_UINT32, IRR_U32}, {ORT_UINT64, IRR_U64}, {ORT_BOOL, IRR_BOOLEAN},
};
enum { TYPES = sizeof types / sizeof *types };

irr_element_type_e irr_ort_element_type(int type) {
    for (unsigned i = 0; i < TYPES; i++)
        if (types[i].theirs == type) return types[i].ours;
    return IRR_DYNAMIC;
}

/* One definition serves versions 1 to the newest: an open end would match version 1 alone. */
static ort_status_t *describe(const ort_t *ort, ort_builder_t *builder,
                              const irr_ort_operator_t *row) {
    const ort_data_type_t *taken[TYPES];
    ort_status_t *status = ort->builder_operator(builder, row->type);
    if (!status) status = ort->builder_domain(builder, "");
    if (!status) status = ort->builder_versions(builder, 1, row->newest);
    if (!status) status = ort->builder_provider(builder, IRR_EP_NAME);
    for (unsigned i = 0; i < TYPES && !status; i++)
        status = ort->data_type(types[i].theirs, &taken[i]);
    if (!status) status = ort->builder_types(builder, "T", taken, row->boolean ? TYPES : TYPES - 1);
    return status;
}

static ort_status_t *add(irr_ort_ep_t *ep, irr_ort_maker_t *maker) {
    const ort_t *ort = ep->ort;
    ort_builder_t *builder = NULL;
    ort_definition_t *definition = NULL;
    ort_status_t *status = ort->create_builder(&builder);
    if (!status) status = describe(ort, builder, maker->row);
    if (!status) status = ort->builder_build(builder, &definition);
    if (!status) status = ort->registry_add(ep->registry, definition, irr_ort_create_kernel, maker);
    if (definition) ort->release_definition(definition);
    if (builder) ort->release_builder(builder);
    return status;
}

ort_status_t *irr_ort_register(irr_ort_ep_t *ep) {
    ort_status_t *status = ep->ort->create_registry(&ep->registry);
    for (unsigned i = 0; i < IRR_ORT_OPERATORS && !status; i++) {
        ep->makers[i] = (irr_ort_maker_t){ep, &irr_ort_operators[i]};
        status = add(ep, &ep->makers[i]);
    }
    return status;
}

/* The library's two symbols, the factory and its eps. A factory lives until the last session that
 * uses it is gone, for the runtime lets go of it first where a library is unregistered early.
 * SPDX-License-Identifier: Apache-2.0 */
#include "../door.h"
#include "base/memory.h"
#include "base/status.h"
#include "ep.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

IRR_DOOR("onnxruntime-ep", "onnxruntime", ORT_VERSION_TEXT "+");

typedef struct {
    ort_factory_t face; /* first: the runtime holds a pointer to it */
    atomic_uint users;  /* the runtime and eps */
    ort_t ort;
} factory_t;

static void leave(factory_t *factory) {
    if (atomic_fetch_sub(&factory->users, 1) == 1) irr_release(factory);
}

/* ---- an ep, for one session ---- */

static const char *ep_name(const ort_ep_t *ep) {
    (void)ep;
    return IRR_EP_NAME;
}

static ort_status_t *take_nodes(const ort_t *ort, const ort_node_t *const *nodes, size_t count,
                                ort_support_t *support) {
    ort_status_t *status = NULL;
    for (size_t i = 0; i < count && !status; i++) {
        const ort_definition_t *found = NULL;
        status = ort->support_find(support, nodes[i], &found);
        if (!status && found) status = ort->support_node(support, nodes[i]);
    }
    return status;
}

static ort_status_t *capability(ort_ep_t *face, const ort_graph_t *graph, ort_support_t *support) {
    const ort_t *ort = ((irr_ort_ep_t *)face)->ort;
    size_t count = 0;
    ort_status_t *status = ort->graph_node_count(graph, &count);
    if (status) return status;
    const ort_node_t **nodes = irr_calloc(count, sizeof *nodes);
    if (!nodes) return ort->create_status(ORT_FAIL, "out of memory: a list of the graph's nodes");
    status = ort->graph_nodes(graph, nodes, count);
    if (!status) status = take_nodes(ort, nodes, count, support);
    irr_release(nodes);
    return status;
}

static ort_status_t *registry(ort_ep_t *face, const ort_registry_t **registry) {
    *registry = ((irr_ort_ep_t *)face)->registry;
    return NULL;
}

/* The provider's options are properties of the device, which knows what it takes. The runtime keeps
 * them among the session's entries, each behind the provider's name. */
static ort_status_t *take_options(irr_ort_ep_t *ep, const ort_options_t *options) {
    static const char prefix[] = "ep.irreduceexecutionprovider.";
    const char *const *keys, *const *values;
    ort_pairs_t *entries = NULL;
    size_t count;
    ort_status_t *refused = ep->ort->options_entries(options, &entries);
    if (refused) return refused;
    ep->ort->pairs(entries, &keys, &values, &count);
    for (size_t i = 0; i < count && !refused; i++) {
        if (strncmp(keys[i], prefix, sizeof prefix - 1) != 0) continue;
        char text[IRR_SENTENCE_BYTES];
        irr_status_e status =
            ep->engine->set_property(ep->engine, keys[i] + sizeof prefix - 1, values[i],
                                     (irr_sentence_t){text, sizeof text});
        if (status != IRR_OK) refused = irr_ort_status(ep->ort, status, text);
    }
    ep->ort->release_pairs(entries);
    return refused;
}

static void release_ep(ort_factory_t *factory, ort_ep_t *face) {
    irr_ort_ep_t *ep = (irr_ort_ep_t *)face;
    if (!ep) return;
    if (ep->registry) ep->ort->release_registry(ep->registry);
    if (ep->engine) ep->engine->release(ep->engine);
    irr_release(ep);
    leave((factory_t *)factory);
}

static ort_status_t *create_ep(ort_factory_t *face, const ort_device_t *const *hardware,
                               const void *const *metadata, size_t count,
                               const ort_options_t *options, const void *logger, ort_ep_t **ep) {
    (void)hardware, (void)metadata, (void)count, (void)logger;
    factory_t *factory = (factory_t *)face;
    *ep = NULL;
    irr_ort_ep_t *made = irr_calloc(1, sizeof *made);
    if (!made) return factory->ort.create_status(ORT_FAIL, "out of memory: an execution provider");
    atomic_fetch_add(&factory->users, 1);
    made->face = (ort_ep_t){
        .version = ORT_VERSION, .name = ep_name, .capability = capability, .registry = registry};
    made->ort = &factory->ort;
    char text[IRR_SENTENCE_BYTES];
    irr_status_e created = irr_create_plugin_engine(IRR_PLUGIN_ABI, &made->engine,
                                                    (irr_sentence_t){text, sizeof text});
    ort_status_t *status = created == IRR_OK ? NULL : irr_ort_status(&factory->ort, created, text);
    if (!status) status = take_options(made, options);
    if (!status) status = irr_ort_register(made);
    if (status)
        release_ep(face, &made->face);
    else
        *ep = &made->face;
    return status;
}

/* ---- the factory ---- */

static const char *factory_name(const ort_factory_t *factory) {
    (void)factory;
    return IRR_EP_NAME;
}
static const char *vendor(const ort_factory_t *factory) {
    (void)factory;
    return "irreduce";
}
static uint32_t vendor_id(const ort_factory_t *factory) {
    (void)factory;
    return 0;
}
static const char *product_version(const ort_factory_t *factory) {
    (void)factory;
    return IRREDUCE_VERSION;
}

static ort_status_t *devices(ort_factory_t *face, const ort_device_t *const *hardware,
                             size_t hardware_count, ort_ep_device_t **devices, size_t capacity,
                             size_t *count) {
    const ort_t *ort = &((factory_t *)face)->ort;
    ort_status_t *status = NULL;
    *count = 0;
    for (size_t i = 0; i < hardware_count && *count < capacity && !status; i++) {
        if (ort->device_kind(hardware[i]) != ORT_CPU) continue;
        status = ort->create_ep_device(face, hardware[i], NULL, NULL, &devices[*count]);
        if (!status) ++*count;
    }
    return status;
}

/* Tensors stay in the CPU's memory: there is nothing to transfer. */
static ort_status_t *data_transfer(ort_factory_t *factory, void **transfer) {
    (void)factory;
    *transfer = NULL;
    return NULL;
}

static const ort_factory_t face = {
    .version = ORT_VERSION,
    .name = factory_name,
    .vendor = vendor,
    .devices = devices,
    .create_ep = create_ep,
    .release_ep = release_ep,
    .vendor_id = vendor_id,
    .product_version = product_version,
    .data_transfer = data_transfer,
};

/* ---- the library ---- */

static void load_tables(ort_t *ort, const ort_any_f *table) {
#define ORT_FUNCTION(place, result, name, arguments) ort->name = (result(*) arguments)table[place];
    ORT_MAIN_TABLE
    table = ort->ep_table();
    ORT_EP_TABLE
#undef ORT_FUNCTION
}

static ort_status_t *too_old(const ort_base_t *base) {
    char text[IRR_SENTENCE_BYTES];
    snprintf(text, sizeof text,
             "this ONNX Runtime is %s; irreduce's execution provider takes " ORT_VERSION_TEXT
             " or later",
             base->version_text());
    const ort_any_f *oldest = base->table(1);
    return ((ort_status_t * (*)(int, const char *)) oldest[0])(ORT_FAIL, text);
}

IRR_API ort_status_t *CreateEpFactories(const char *registered_name, const ort_base_t *base,
                                        const void *logger, ort_factory_t **factories,
                                        size_t capacity, size_t *count) {
    (void)registered_name, (void)logger;
    const ort_any_f *table = base->table(ORT_VERSION);
    if (!table) return too_old(base); /* before 1.23 the arguments after base were others */
    ort_t ort;
    load_tables(&ort, table);
    *count = 0;
    if (capacity == 0) return ort.create_status(ORT_INVALID_ARGUMENT, "no room for one factory");
    factory_t *factory = irr_calloc(1, sizeof *factory);
    if (!factory) return ort.create_status(ORT_FAIL, "out of memory: a factory");
    factory->face = face;
    factory->ort = ort;
    atomic_init(&factory->users, 1);
    factories[0] = &factory->face;
    *count = 1;
    return NULL;
}

IRR_API ort_status_t *ReleaseEpFactory(ort_factory_t *factory) {
    if (factory) leave((factory_t *)factory);
    return NULL;
}

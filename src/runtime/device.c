/* One device library: loading it, what it must export.
 * SPDX-License-Identifier: Apache-2.0 */
#include "runtime/runtime.h"

#include <dlfcn.h>
#include <unistd.h>

irr_status_e irr_device_make(const char *name, const char *path, size_t property_count,
                             irr_device_t **device) {
    irr_device_t *made = irr_calloc(1, sizeof *made);
    if (!made) return irr_out_of_memory(irr_message(), sizeof *made);
    atomic_init(&made->holders, 1);
    irr_guard_init(&made->settings);
    made->properties = irr_list_make(property_count, sizeof *made->properties);
    made->property_count = property_count;
    made->name = irr_list_text(made->properties, name);
    made->path = irr_list_text(made->properties, path);
    irr_status_e status = irr_list_check(made->properties);
    return IRR_GIVE(status, device, made, irr_device_release);
}

void irr_device_release(irr_device_t *device) {
    if (!device || !IRR_WAS_LAST(device)) return;
    irr_plugin_engine_t *engine = atomic_load(&device->engine);
    if (engine) engine->release(engine);
    irr_list_free(device->properties);
    irr_guard_destroy(&device->settings);
    irr_release(device);
}

/* Every function of wall number 1 is required. */
static bool is_complete(const irr_plugin_engine_t *engine) {
    return engine->size_bytes >= sizeof *engine && engine->release && engine->set_property &&
           engine->get_property && engine->query && engine->compile && engine->release_compiled &&
           engine->set_compiled_property && engine->get_compiled_property &&
           engine->create_request && engine->release_request && engine->infer && engine->profile;
}

static irr_status_e open_engine(const irr_device_t *device, void *library,
                                irr_plugin_engine_t **engine) {
    irr_create_plugin_engine_f create;
    void *symbol = dlsym(library, IRR_CREATE_PLUGIN_ENGINE);
    if (!symbol)
        return irr_fail(irr_message(), IRR_NOT_FOUND, "plugin %s does not export the symbol %s",
                        device->path, IRR_CREATE_PLUGIN_ENGINE);
    memcpy(&create, &symbol, sizeof create); /* ISO C has no cast from data to function */
    char reason[IRR_SENTENCE_BYTES] = "";
    irr_plugin_engine_t *made = NULL;
    irr_status_e status = create(IRR_PLUGIN_ABI, &made, (irr_sentence_t){reason, sizeof reason});
    if (status || !made)
        return irr_fail(irr_message(), status ? status : IRR_UNEXPECTED,
                        "plugin %s did not start: %s", device->path, reason);
    if (made->abi_number != IRR_PLUGIN_ABI)
        return irr_fail(irr_message(), IRR_PARAMETER_MISMATCH,
                        "plugin %s has ABI number %u, this library needs %u", device->path,
                        made->abi_number, IRR_PLUGIN_ABI);
    if (!is_complete(made))
        return irr_fail(irr_message(), IRR_PARAMETER_MISMATCH,
                        "plugin %s lacks functions that ABI number %u requires", device->path,
                        IRR_PLUGIN_ABI);
    *engine = made;
    return IRR_OK;
}

/* Under device->settings. The library is never closed: threads that it made may outlive its engine.
 */
static irr_status_e load(irr_device_t *device) {
    if (access(device->path, F_OK) != 0)
        return irr_fail(irr_message(), IRR_NOT_FOUND, "plugin %s: there is no such file",
                        device->path);
    void *library = dlopen(device->path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!library)
        return irr_fail(irr_message(), IRR_GENERAL_ERROR, "plugin %s cannot be loaded: %s",
                        device->path, dlerror());
    irr_plugin_engine_t *engine = NULL;
    IRR_TRY(open_engine(device, library, &engine));
    irr_status_e status =
        irr_set_properties(engine, NULL, device->property_count, device->properties);
    if (status)
        engine->release(engine);
    else
        atomic_store(&device->engine, engine);
    return status;
}

irr_status_e irr_device_load(irr_device_t *device) {
    if (atomic_load(&device->engine)) return IRR_OK;
    irr_guard_write(&device->settings);
    irr_status_e status = atomic_load(&device->engine) ? IRR_OK : load(device);
    irr_guard_leave(&device->settings);
    return status;
}

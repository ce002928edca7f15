/* One device library: loading it, what it must export, its properties.
 * SPDX-License-Identifier: Apache-2.0 */
#include "runtime/runtime.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

irr_status_e irr_device_make(const char *name, const char *path, irr_device_t **device,
                             irr_sentence_t sentence) {
    bool ok = true;
    irr_device_t *made = irr_calloc(1, sizeof *made);
    if (!made) return irr_out_of_memory(sentence, sizeof *made);
    atomic_init(&made->holders, 1);
    atomic_init(&made->engine, NULL);
    pthread_mutex_init(&made->loading, NULL);
    pthread_rwlock_init(&made->settings, NULL);
    made->name = irr_copy_text(name, &ok);
    made->path = irr_copy_text(path, &ok);
    if (!ok) {
        irr_device_release(made);
        return irr_out_of_memory(sentence, strlen(path) + 1);
    }
    *device = made;
    return IRR_OK;
}

irr_status_e irr_device_add_property(irr_device_t *device, const char *key, const char *value,
                                     irr_sentence_t sentence) {
    bool ok = true;
    size_t count = device->property_count + 1;
    irr_property_t *grown = irr_realloc(device->properties, count * sizeof *grown);
    if (!grown) return irr_out_of_memory(sentence, count * sizeof *grown);
    device->properties = grown;
    device->property_count = count;
    grown[count - 1].key = irr_copy_text(key, &ok);
    grown[count - 1].value = irr_copy_text(value, &ok);
    return ok ? IRR_OK : irr_out_of_memory(sentence, strlen(value) + 1);
}

irr_device_t *irr_device_retain(irr_device_t *device) {
    atomic_fetch_add_explicit(&device->holders, 1, memory_order_relaxed);
    return device;
}

void irr_device_release(irr_device_t *device) {
    if (!device || atomic_fetch_sub(&device->holders, 1) != 1) return;
    irr_plugin_engine_t *engine = atomic_load(&device->engine);
    if (engine) engine->release(engine);
    if (device->library) dlclose(device->library); /* code stays: it was opened with NODELETE */
    for (size_t k = 0; k < device->property_count; k++) {
        irr_release((char *)device->properties[k].key);
        irr_release((char *)device->properties[k].value);
    }
    irr_release(device->properties);
    pthread_mutex_destroy(&device->loading);
    pthread_rwlock_destroy(&device->settings);
    irr_release(device->name);
    irr_release(device->path);
    irr_release(device);
}

/* Every function of wall number 1 is required. */
static bool engine_is_complete(const irr_plugin_engine_t *engine) {
    return engine->size_bytes >= sizeof *engine && engine->release && engine->set_property &&
           engine->get_property && engine->query && engine->compile && engine->release_compiled &&
           engine->set_compiled_property && engine->get_compiled_property &&
           engine->create_request && engine->release_request && engine->infer && engine->profile;
}

static irr_status_e open_engine(const irr_device_t *device, void *library,
                                irr_plugin_engine_t **engine, irr_sentence_t sentence) {
    irr_create_plugin_engine_f create;
    void *symbol = dlsym(library, IRR_CREATE_PLUGIN_ENGINE);
    if (!symbol)
        return irr_fail(sentence, IRR_NOT_FOUND, "plugin %s does not export the symbol %s",
                        device->path, IRR_CREATE_PLUGIN_ENGINE);
    memcpy(&create, &symbol, sizeof create); /* ISO C has no cast from data to function */
    char reason[IRR_SENTENCE_BYTES] = "";
    irr_plugin_engine_t *made = NULL;
    irr_status_e status = create(IRR_PLUGIN_ABI, &made, (irr_sentence_t){reason, sizeof reason});
    if (status || !made)
        return irr_fail(sentence, status ? status : IRR_UNEXPECTED, "plugin %s did not start: %s",
                        device->path, reason);
    if (made->abi_number != IRR_PLUGIN_ABI)
        return irr_fail(sentence, IRR_PARAMETER_MISMATCH,
                        "plugin %s has ABI number %u, this library needs %u", device->path,
                        made->abi_number, IRR_PLUGIN_ABI);
    if (!engine_is_complete(made))
        return irr_fail(sentence, IRR_PARAMETER_MISMATCH,
                        "plugin %s lacks functions that ABI number %u requires", device->path,
                        IRR_PLUGIN_ABI);
    *engine = made;
    return IRR_OK;
}

/* Under device->loading. */
static irr_status_e load(irr_device_t *device, irr_sentence_t sentence) {
    if (access(device->path, F_OK) != 0)
        return irr_fail(sentence, IRR_NOT_FOUND, "plugin %s: there is no such file", device->path);
    void *library = dlopen(device->path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!library) {
        const char *reason = dlerror();
        return irr_fail(sentence, IRR_GENERAL_ERROR, "plugin %s cannot be loaded: %s", device->path,
                        reason ? reason : "no reason is given");
    }
    irr_plugin_engine_t *engine = NULL;
    irr_status_e status = open_engine(device, library, &engine, sentence);
    if (!status) {
        status = irr_door_set((irr_property_door_t){engine, NULL}, device->property_count,
                              device->properties, sentence);
        if (status) engine->release(engine);
    }
    if (status) {
        dlclose(library);
        return status;
    }
    device->library = library;
    atomic_store(&device->engine, engine);
    return IRR_OK;
}

irr_status_e irr_device_load(irr_device_t *device, irr_sentence_t sentence) {
    pthread_mutex_lock(&device->loading);
    irr_status_e status = atomic_load(&device->engine) ? IRR_OK : load(device, sentence);
    pthread_mutex_unlock(&device->loading);
    return status;
}

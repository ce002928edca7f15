/* The core: the list of devices, and what is asked of one of them by name.
 * SPDX-License-Identifier: Apache-2.0 */
#include "runtime/runtime.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The list is the core's own business: a const core is one that others may use at the same time. */
static irr_core_t *lock(const irr_core_t *core) {
    irr_core_t *own = (irr_core_t *)core;
    pthread_mutex_lock(&own->lock);
    return own;
}

static irr_device_t *find(const irr_core_t *core, const char *name) {
    for (size_t k = 0; k < core->device_count; k++)
        if (strcmp(core->devices[k]->name, name) == 0) return core->devices[k];
    return NULL;
}

/* Under the lock. */
static irr_status_e check_name(const irr_core_t *core, const irr_device_t *device,
                               irr_sentence_t sentence) {
    const irr_device_t *taken = find(core, device->name);
    if (!taken) return IRR_OK;
    return irr_fail(sentence, IRR_PARAMETER_MISMATCH,
                    "device name \"%s\" is taken by %s and cannot be given to %s", device->name,
                    taken->path, device->path);
}

irr_status_e irr_core_add_device(irr_core_t *core, irr_device_t *device, irr_sentence_t sentence) {
    lock(core);
    irr_status_e status = check_name(core, device, sentence);
    if (!status && !irr_grow((void **)&core->devices, &core->device_capacity,
                             core->device_count + 1, sizeof *core->devices))
        status = irr_out_of_memory(sentence, sizeof *core->devices);
    if (!status) core->devices[core->device_count++] = irr_device_retain(device);
    pthread_mutex_unlock(&core->lock);
    return status;
}

static irr_status_e unknown_device(const irr_core_t *core, const char *name,
                                   irr_sentence_t sentence) {
    char list[512] = "none";
    for (size_t k = 0, used = 0; k < core->device_count && used < sizeof list; k++)
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", k ? ", " : "",
                                 core->devices[k]->name);
    return irr_fail(sentence, IRR_NOT_FOUND, "device \"%s\" is not registered (registered: %s)%s",
                    name, list,
                    core->no_plugins_file ? "; there is no plugins.xml beside libirreduce.so" : "");
}

irr_status_e irr_core_device(const irr_core_t *core, const char *name, irr_device_t **device,
                             irr_sentence_t sentence) {
    irr_core_t *own = lock(core);
    irr_device_t *found = find(core, name);
    if (found) irr_device_retain(found);
    irr_status_e status = found ? IRR_OK : unknown_device(core, name, sentence);
    pthread_mutex_unlock(&own->lock);
    if (!status) status = irr_device_load(found, sentence);
    if (status)
        irr_device_release(found);
    else
        *device = found;
    return status;
}

static irr_status_e make_core(irr_core_t **core) {
    irr_core_t *made = irr_calloc(1, sizeof *made);
    if (!made) return irr_out_of_memory(irr_message(), sizeof *made);
    pthread_mutex_init(&made->lock, NULL);
    *core = made;
    return IRR_OK;
}

irr_status_e irr_core_create(irr_core_t **core) {
    IRR_REQUIRE_OUT(core);
    char *path = NULL;
    irr_core_t *made = NULL;
    irr_status_e status = irr_plugin_path("plugins.xml", &path, irr_message());
    if (!status) status = make_core(&made);
    if (!status) {
        made->no_plugins_file = access(path, F_OK) != 0;
        if (!made->no_plugins_file) status = irr_registry_read(made, path, irr_message());
    }
    irr_release(path);
    if (status)
        irr_core_free(made);
    else
        *core = made;
    return status;
}

irr_status_e irr_core_create_with_config(const char *xml_config_file, irr_core_t **core) {
    IRR_REQUIRE_OUT(core);
    IRR_REQUIRE(xml_config_file);
    if (!*xml_config_file) return irr_core_create(core); /* as OpenVINO */
    irr_core_t *made = NULL;
    irr_status_e status = make_core(&made);
    if (!status) status = irr_registry_read(made, xml_config_file, irr_message());
    if (status)
        irr_core_free(made);
    else
        *core = made;
    return status;
}

void irr_core_free(irr_core_t *core) {
    if (!core) return;
    for (size_t k = 0; k < core->device_count; k++) irr_device_release(core->devices[k]);
    irr_release(core->devices);
    pthread_mutex_destroy(&core->lock);
    irr_release(core);
}

irr_status_e irr_core_register_plugin(const irr_core_t *core, const char *path,
                                      const char *device_name) {
    IRR_REQUIRE(core);
    IRR_REQUIRE(path);
    IRR_REQUIRE(device_name);
    if (!*device_name)
        return irr_fail(irr_message(), IRR_PARAMETER_MISMATCH, "a device needs a name");
    char *full = NULL;
    irr_device_t *device = NULL;
    irr_status_e status = irr_plugin_path(path, &full, irr_message());
    if (!status) status = irr_device_make(device_name, full, &device, irr_message());
    if (!status) {
        irr_core_t *own = lock(core); /* the name first: a library may take long to load */
        status = check_name(core, device, irr_message());
        pthread_mutex_unlock(&own->lock);
    }
    if (!status) status = irr_device_load(device, irr_message());
    if (!status) status = irr_core_add_device((irr_core_t *)core, device, irr_message());
    irr_device_release(device);
    irr_release(full);
    return status;
}

irr_status_e irr_core_unregister_plugin(const irr_core_t *core, const char *device_name) {
    IRR_REQUIRE(core);
    IRR_REQUIRE(device_name);
    irr_status_e status = IRR_OK;
    irr_core_t *own = lock(core);
    irr_device_t *found = find(core, device_name);
    if (!found) status = unknown_device(core, device_name, irr_message());
    size_t k = 0;
    while (found && own->devices[k] != found) k++;
    if (found)
        memmove(own->devices + k, own->devices + k + 1,
                (--own->device_count - k) * sizeof *own->devices);
    pthread_mutex_unlock(&own->lock);
    irr_device_release(found);
    return status;
}

irr_status_e irr_core_get_available_devices(const irr_core_t *core,
                                            irr_available_devices_t *devices) {
    IRR_REQUIRE_OUT(devices);
    IRR_REQUIRE(core);
    bool ok = true;
    irr_core_t *own = lock(core);
    devices->size = own->device_count;
    devices->devices = irr_calloc(own->device_count, sizeof *devices->devices);
    for (size_t k = 0; devices->devices && k < own->device_count; k++)
        devices->devices[k] = irr_copy_text(own->devices[k]->name, &ok);
    pthread_mutex_unlock(&own->lock);
    if (ok && devices->devices) return IRR_OK;
    irr_available_devices_free(devices);
    return irr_out_of_memory(irr_message(), sizeof *devices->devices);
}

void irr_available_devices_free(irr_available_devices_t *devices) {
    if (!devices) return;
    for (size_t k = 0; devices->devices && k < devices->size; k++) irr_release(devices->devices[k]);
    irr_release(devices->devices);
    *devices = (irr_available_devices_t){NULL, 0};
}

irr_status_e irr_core_get_versions_by_device_name(const irr_core_t *core, const char *device_name,
                                                  irr_core_version_list_t *versions) {
    IRR_REQUIRE_OUT(versions);
    IRR_REQUIRE(core);
    IRR_REQUIRE(device_name);
    irr_device_t *device = NULL;
    irr_status_e status = irr_core_device(core, device_name, &device, irr_message());
    if (status) return status;
    bool ok = true;
    const irr_plugin_engine_t *engine = device->engine;
    irr_core_version_t *row = irr_calloc(1, sizeof *row);
    if (row) {
        *versions = (irr_core_version_list_t){row, 1};
        row->device_name = irr_copy_text(device_name, &ok);
        row->version.buildNumber = irr_copy_text(engine->build_number, &ok);
        row->version.description = irr_copy_text(engine->description, &ok);
    }
    irr_device_release(device);
    if (row && ok) return IRR_OK;
    irr_core_versions_free(versions);
    return irr_out_of_memory(irr_message(), sizeof *row);
}

void irr_core_versions_free(irr_core_version_list_t *versions) {
    if (!versions) return;
    for (size_t k = 0; versions->versions && k < versions->size; k++) {
        irr_release((char *)versions->versions[k].device_name);
        irr_version_free(&versions->versions[k].version);
    }
    irr_release(versions->versions);
    *versions = (irr_core_version_list_t){NULL, 0};
}

irr_status_e irr_core_get_property(const irr_core_t *core, const char *device_name,
                                   const char *property_key, char **property_value) {
    IRR_REQUIRE_OUT(property_value);
    IRR_REQUIRE(core);
    IRR_REQUIRE(device_name);
    IRR_REQUIRE(property_key);
    irr_device_t *device = NULL;
    irr_status_e status = irr_core_device(core, device_name, &device, irr_message());
    if (status) return status;
    pthread_rwlock_rdlock(&device->settings);
    status = irr_door_get((irr_property_door_t){device->engine, NULL}, property_key, property_value,
                          irr_message());
    pthread_rwlock_unlock(&device->settings);
    irr_device_release(device);
    return status;
}

static irr_status_e set_one(const irr_core_t *core, const char *name, size_t count,
                            const irr_property_t *properties) {
    irr_device_t *device = NULL;
    irr_status_e status = irr_core_device(core, name, &device, irr_message());
    if (status) return status;
    pthread_rwlock_wrlock(&device->settings);
    status =
        irr_door_set((irr_property_door_t){device->engine, NULL}, count, properties, irr_message());
    pthread_rwlock_unlock(&device->settings);
    irr_device_release(device);
    return status;
}

irr_status_e irr_core_set_properties(const irr_core_t *core, const char *device_name,
                                     const size_t num_properties,
                                     const irr_property_t *properties) {
    IRR_REQUIRE(core);
    irr_status_e status = irr_check_properties(num_properties, properties);
    if (status) return status;
    if (device_name) return set_one(core, device_name, num_properties, properties);
    irr_available_devices_t all;
    status = irr_core_get_available_devices(core, &all);
    for (size_t k = 0; !status && k < all.size; k++)
        status = set_one(core, all.devices[k], num_properties, properties);
    irr_available_devices_free(&all);
    return status;
}

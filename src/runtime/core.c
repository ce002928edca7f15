/* The core: the list of devices, and what is asked of one of them by name.
 * SPDX-License-Identifier: Apache-2.0 */
#include "runtime/runtime.h"

#include <unistd.h>

/* The list is the core's own business: a const core is one that others may use at the same time. */
static irr_core_t *lock(const irr_core_t *core) {
    irr_core_t *own = (irr_core_t *)core;
    irr_guard_write(&own->lock);
    return own;
}

/* Where the device stands in the list, or where it would be added: at the end. Under the lock. */
static irr_device_t **find(irr_core_t *core, const char *name) {
    irr_device_t **at = &core->devices;
    while (*at && strcmp((*at)->name, name) != 0) at = &(*at)->next;
    return at;
}

irr_status_e irr_core_add_device(const irr_core_t *core, irr_device_t *device, bool only_try) {
    irr_core_t *own = lock(core);
    irr_device_t **place = find(own, device->name);
    irr_status_e status = IRR_OK;
    if (*place)
        status = irr_fail(irr_message(), IRR_PARAMETER_MISMATCH,
                          "device name \"%s\" is taken by %s and cannot be given to %s",
                          device->name, (*place)->path, device->path);
    else if (!only_try)
        *place = IRR_RETAIN(device);
    irr_guard_leave(&own->lock);
    return status;
}

static irr_status_e unknown_device(const irr_core_t *core, const char *name) {
    char list[512] = "none";
    irr_writer_t rest = {list, sizeof list, 0};
    for (const irr_device_t *k = core->devices; k; k = k->next)
        irr_write(&rest, "%s%s", k == core->devices ? "" : ", ", k->name);
    return irr_fail(irr_message(), IRR_NOT_FOUND,
                    "device \"%s\" is not registered (registered: %s)%s", name, list,
                    core->no_plugins_file ? "; there is no plugins.xml beside libirreduce.so" : "");
}

irr_status_e irr_core_device(const irr_core_t *core, const char *name, irr_device_t **device) {
    irr_core_t *own = lock(core);
    irr_device_t *listed = *find(own, name), *found = listed ? IRR_RETAIN(listed) : NULL;
    irr_status_e status = found ? IRR_OK : unknown_device(core, name);
    irr_guard_leave(&own->lock);
    if (!status) status = irr_device_load(found);
    return IRR_GIVE(status, device, found, irr_device_release);
}

static irr_status_e make_core(const char *path, bool may_be_missing, irr_core_t **core) {
    irr_core_t *made = irr_calloc(1, sizeof *made);
    if (!made) return irr_out_of_memory(irr_message(), sizeof *made);
    irr_guard_init(&made->lock);
    made->no_plugins_file = may_be_missing && access(path, F_OK) != 0;
    irr_status_e status = made->no_plugins_file ? IRR_OK : irr_registry_read(made, path);
    return IRR_GIVE(status, core, made, irr_core_free);
}

irr_status_e irr_core_create(irr_core_t **core) {
    IRR_REQUIRE_OUT(core);
    char path[PATH_MAX];
    irr_status_e status = irr_plugin_path("plugins.xml", path);
    return status ? status : make_core(path, true, core);
}

irr_status_e irr_core_create_with_config(const char *xml_config_file, irr_core_t **core) {
    IRR_REQUIRE_OUT(core, xml_config_file);
    if (!*xml_config_file) return irr_core_create(core); /* as OpenVINO */
    return make_core(xml_config_file, false, core);
}

void irr_core_free(irr_core_t *core) {
    if (!core) return;
    for (irr_device_t *next, *k = core->devices; k; k = next) {
        next = k->next;
        irr_device_release(k);
    }
    irr_guard_destroy(&core->lock);
    irr_release(core);
}

irr_status_e irr_core_register_plugin(const irr_core_t *core, const char *path,
                                      const char *device_name) {
    IRR_REQUIRE(core, path, device_name);
    if (!*device_name)
        return irr_fail(irr_message(), IRR_PARAMETER_MISMATCH, "a device needs a name");
    char full[PATH_MAX];
    irr_device_t *device = NULL;
    IRR_TRY(irr_plugin_path(path, full));
    IRR_TRY(irr_device_make(device_name, full, 0, &device));
    /* The name first: a library may take long to load, and ask for this core while it does. */
    irr_status_e status = irr_core_add_device(core, device, true);
    if (!status) status = irr_device_load(device);
    if (!status) status = irr_core_add_device(core, device, false);
    irr_device_release(device);
    return status;
}

irr_status_e irr_core_unregister_plugin(const irr_core_t *core, const char *device_name) {
    IRR_REQUIRE(core, device_name);
    irr_core_t *own = lock(core);
    irr_device_t **at = find(own, device_name), *found = *at;
    irr_status_e status = found ? IRR_OK : unknown_device(core, device_name);
    if (found) *at = found->next;
    irr_guard_leave(&own->lock);
    irr_device_release(found);
    return status;
}

irr_status_e irr_core_get_available_devices(const irr_core_t *core,
                                            irr_available_devices_t *devices) {
    IRR_REQUIRE_OUT(devices, core);
    size_t count = 0;
    irr_core_t *own = lock(core);
    for (const irr_device_t *k = own->devices; k; k = k->next) count++;
    char **names = irr_list_make(count, sizeof *names);
    *devices = (irr_available_devices_t){names, names ? count : 0};
    for (const irr_device_t *k = own->devices; names && k; k = k->next)
        *names++ = irr_list_text(devices->devices, k->name);
    irr_guard_leave(&own->lock);
    irr_status_e status = irr_list_check(devices->devices);
    if (status) irr_available_devices_free(devices);
    return status;
}

IRR_LIST_FREE(irr_available_devices_free, irr_available_devices_t, devices)

irr_status_e irr_core_get_versions_by_device_name(const irr_core_t *core, const char *device_name,
                                                  irr_core_version_list_t *versions) {
    IRR_REQUIRE_OUT(versions, core, device_name);
    irr_device_t *device = NULL;
    IRR_TRY(irr_core_device(core, device_name, &device));
    const irr_plugin_engine_t *engine = device->engine;
    irr_core_version_t *row = irr_list_make(1, sizeof *row);
    *versions = (irr_core_version_list_t){row, row ? 1 : 0};
    if (row)
        *row = (irr_core_version_t){
            irr_list_text(row, device_name),
            {irr_list_text(row, engine->build_number), irr_list_text(row, engine->description)}};
    irr_device_release(device);
    irr_status_e status = irr_list_check(row);
    if (status) irr_core_versions_free(versions);
    return status;
}

IRR_LIST_FREE(irr_core_versions_free, irr_core_version_list_t, versions)

irr_status_e irr_core_get_property(const irr_core_t *core, const char *device_name,
                                   const char *property_key, char **property_value) {
    IRR_REQUIRE_OUT(property_value, core, device_name, property_key);
    irr_device_t *device = NULL;
    IRR_TRY(irr_core_device(core, device_name, &device));
    irr_guard_read(&device->settings);
    irr_status_e status = irr_get_property(device->engine, NULL, property_key, property_value);
    irr_guard_leave(&device->settings);
    irr_device_release(device);
    return status;
}

static irr_status_e set_one(const irr_core_t *core, const char *name, size_t count,
                            const irr_property_t *properties) {
    irr_device_t *device = NULL;
    IRR_TRY(irr_core_device(core, name, &device));
    irr_guard_write(&device->settings);
    irr_status_e status = irr_set_properties(device->engine, NULL, count, properties);
    irr_guard_leave(&device->settings);
    irr_device_release(device);
    return status;
}

irr_status_e irr_core_set_properties(const irr_core_t *core, const char *device_name,
                                     const size_t num_properties,
                                     const irr_property_t *properties) {
    IRR_REQUIRE(core);
    IRR_TRY(irr_check_properties(num_properties, properties));
    if (device_name) return set_one(core, device_name, num_properties, properties);
    irr_available_devices_t all;
    irr_status_e status = irr_core_get_available_devices(core, &all);
    for (size_t k = 0; !status && k < all.size; k++)
        status = set_one(core, all.devices[k], num_properties, properties);
    irr_available_devices_free(&all);
    return status;
}

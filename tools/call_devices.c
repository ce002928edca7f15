/* irreduce devices and irreduce --version.
 * SPDX-License-Identifier: Apache-2.0 */
#include "tool.h"
#include <string.h>

typedef struct {
    const char *key, *value, *about;
} property_t;

typedef struct {
    const char *name, *full_name, *build, *description;
    property_t *properties; /* all that it tells of itself */
    size_t count;
} device_t;

static int get_text(const irr_core_t *core, const char *device, const char *key,
                    const char **text) {
    char *value = NULL;
    LIB(irr_core_get_property(core, device, key, &value));
    *text = take_text("%s", value);
    irr_free(value);
    return IRR_OK;
}

/* SUPPORTED_PROPERTIES has a line a key: "KEY RW: what it does". */
static int ask(const irr_core_t *core, device_t *device) {
    const char *lines = NULL;
    irr_core_version_list_t versions = {0};
    TRY(get_text(core, device->name, irr_property_key_device_full_name, &device->full_name));
    TRY(get_text(core, device->name, irr_property_key_supported_properties, &lines));
    LIB(irr_core_get_versions_by_device_name(core, device->name, &versions));
    device->build = take_text("%s", versions.size ? versions.versions[0].version.buildNumber : "");
    device->description =
        take_text("%s", versions.size ? versions.versions[0].version.description : "");
    irr_core_versions_free(&versions);
    size_t most = strlen(lines) / 2 + 1;
    device->properties = take(most * sizeof *device->properties);
    for (const char *at = lines; *at; at += *at == '\n') {
        property_t *property = &device->properties[device->count];
        size_t length = strcspn(at, "\n"), key = strcspn(at, " \n");
        property->key = take_text("%.*s", (int)key, at);
        property->about = take_text("%.*s", (int)(length - key), at + key);
        at += length;
        if (!key || !strcmp(property->key, irr_property_key_supported_properties)) continue;
        device->count += !get_text(core, device->name, property->key, &property->value);
    }
    return IRR_OK;
}

static void print_devices(const device_t *devices, size_t count) {
    for (size_t i = 0; i < count; i++) {
        printf("%s: %s (%s %s)\n", devices[i].name, devices[i].full_name, devices[i].description,
               devices[i].build);
        for (size_t k = 0; k < devices[i].count; k++)
            printf("  %s = %s (%s)\n", devices[i].properties[k].key, devices[i].properties[k].value,
                   devices[i].properties[k].about + strspn(devices[i].properties[k].about, " "));
    }
}

static void json_devices(const device_t *devices, size_t count) {
    json_t json = {stdout, false};
    json_open(&json, NULL, '{');
    json_open(&json, "devices", '[');
    for (size_t i = 0; i < count; i++) {
        json_open(&json, NULL, '{');
        json_text(&json, "name", devices[i].name);
        json_text(&json, "full_name", devices[i].full_name);
        json_text(&json, "build", devices[i].build);
        json_text(&json, "description", devices[i].description);
        json_open(&json, "properties", '{');
        for (size_t k = 0; k < devices[i].count; k++)
            json_text(&json, devices[i].properties[k].key, devices[i].properties[k].value);
        json_close(&json, '}');
        json_close(&json, '}');
    }
    json_close(&json, ']');
    json_close(&json, '}');
    putchar('\n');
}

static int list_devices(const irr_core_t *core, device_t **devices, size_t *count) {
    irr_available_devices_t names = {0};
    LIB(irr_core_get_available_devices(core, &names));
    *count = names.size;
    *devices = take(names.size * sizeof **devices);
    for (size_t i = 0; i < names.size; i++) (*devices)[i].name = take_text("%s", names.devices[i]);
    irr_available_devices_free(&names);
    return IRR_OK;
}

int call_devices(const options_t *options) {
    irr_core_t *core = NULL;
    device_t *devices = NULL;
    size_t count = 0;
    int status = library(irr_core_create(&core));
    if (!status) status = list_devices(core, &devices, &count);
    for (size_t i = 0; i < count && !status; i++) status = ask(core, &devices[i]);
    if (!status) (options->json ? json_devices : print_devices)(devices, count);
    irr_core_free(core);
    return status;
}

/* Works without a device as well, and says so. */
int call_version(const options_t *options) {
    irr_version_t version = {0};
    irr_core_t *core = NULL;
    const char *onednn = NULL, *tiers = NULL;
    LIB(irr_get_version(&version));
    if (!irr_core_create(&core)) {
        if (get_text(core, "CPU", irr_property_key_onednn_version, &onednn)) onednn = NULL;
        if (get_text(core, "CPU", irr_property_key_tiers, &tiers)) tiers = NULL;
    }
    json_t json = {stdout, false};
    if (options->json) {
        json_open(&json, NULL, '{');
        json_text(&json, "version", version.buildNumber);
        json_text(&json, "description", version.description);
        json_text(&json, "onednn", onednn);
        json_text(&json, "tiers", tiers);
        json_close(&json, '}');
        putchar('\n');
    } else {
        printf("%s\noneDNN %s\nCPU tiers: %s\n", version.description,
               onednn ? onednn : "unknown: no CPU device",
               tiers ? tiers : "unknown: no CPU device");
    }
    irr_core_free(core);
    irr_version_free(&version);
    return IRR_OK;
}

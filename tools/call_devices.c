/* irreduce devices and irreduce --version.
 * SPDX-License-Identifier: Apache-2.0 */
#include "tool.h"
#include <string.h>

typedef struct {
    const char *name, *full_name, *build, *description;
    const char *properties; /* a line a key: "KEY RW: what it does" */
} device_t;

static int get_text(const irr_core_t *core, const char *device, const char *key,
                    const char **text) {
    char *value = NULL;
    LIB(irr_core_get_property(core, device, key, &value));
    *text = take_text("%s", value);
    irr_free(value);
    return IRR_OK;
}

static int ask(const irr_core_t *core, device_t *device) {
    irr_core_version_list_t versions = {0};
    LIB(irr_core_get_versions_by_device_name(core, device->name, &versions));
    const irr_version_t *version = versions.size ? &versions.versions[0].version : NULL;
    device->build = take_text("%s", version ? version->buildNumber : "");
    device->description = take_text("%s", version ? version->description : "");
    irr_core_versions_free(&versions);
    /* A device need not tell of itself. */
    device->full_name = device->name;
    device->properties = "";
    get_text(core, device->name, irr_property_key_device_full_name, &device->full_name);
    get_text(core, device->name, irr_property_key_supported_properties, &device->properties);
    return IRR_OK;
}

/* Those that it tells at once; the others are known to a compiled model alone. */
static void print_properties(const irr_core_t *core, const device_t *device, bool as_json) {
    const char *value = NULL;
    for (const char *at = device->properties; *at; at += strcspn(at, "\n"), at += *at == '\n') {
        size_t length = strcspn(at, " \n");
        const char *key = take_text("%.*s", (int)length, at);
        const char *about = at + length + strspn(at + length, " ");
        if (!length || !strcmp(key, irr_property_key_supported_properties)) continue;
        if (get_text(core, device->name, key, &value)) continue;
        if (as_json)
            json_text(key, value);
        else
            printf("  %s = %s (%.*s)\n", key, value, (int)strcspn(about, "\n"), about);
    }
}

static void print_devices(const irr_core_t *core, const device_t *devices, size_t count) {
    for (size_t i = 0; i < count; i++) {
        printf("%s: %s (%s %s)\n", devices[i].name, devices[i].full_name, devices[i].description,
               devices[i].build);
        print_properties(core, &devices[i], false);
    }
}

static void json_devices(const irr_core_t *core, const device_t *devices, size_t count) {
    json_open(NULL, '{');
    json_open("devices", '[');
    for (size_t i = 0; i < count; i++) {
        json_open(NULL, '{');
        json_texts("name", devices[i].name, "full_name", devices[i].full_name, "build",
                   devices[i].build, "description", devices[i].description, NULL);
        json_open("properties", '{');
        print_properties(core, &devices[i], true);
        json_close();
        json_close();
    }
    json_end();
}

int call_devices(const options_t *options, session_t *session) {
    irr_available_devices_t names = {0};
    LIB(irr_core_create(&session->core));
    LIB(irr_core_get_available_devices(session->core, &names));
    size_t count = names.size;
    device_t *devices = take(count * sizeof *devices);
    for (size_t i = 0; i < count; i++) devices[i].name = take_text("%s", names.devices[i]);
    irr_available_devices_free(&names);
    for (size_t i = 0; i < count; i++) TRY(ask(session->core, &devices[i]));
    (options->json ? json_devices : print_devices)(session->core, devices, count);
    return IRR_OK;
}

/* Works without a device as well, and says so. */
int call_version(const options_t *options, session_t *session) {
    static const char none[] = "unknown: no CPU device";
    irr_version_t version = {0};
    const char *onednn = NULL, *tiers = NULL;
    if (!irr_core_create(&session->core)) {
        get_text(session->core, "CPU", irr_property_key_onednn_version, &onednn);
        get_text(session->core, "CPU", irr_property_key_tiers, &tiers);
    }
    LIB(irr_get_version(&version));
    if (options->json) {
        json_open(NULL, '{');
        json_texts("version", version.buildNumber, "description", version.description, "onednn",
                   onednn, "tiers", tiers, NULL);
        json_end();
    } else {
        printf("%s\noneDNN %s\nCPU tiers: %s\n", version.description, onednn ? onednn : none,
               tiers ? tiers : none);
    }
    irr_version_free(&version);
    return IRR_OK;
}

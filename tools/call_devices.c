/* irreduce devices and irreduce --version.
 * SPDX-License-Identifier: Apache-2.0 */
#include "tool.h"

/* NULL if the device cannot tell. */
static char *ask(const session_t *session, const char *device, const char *key) {
    char *value = NULL;
    if (library(irr_core_get_property(session->core, device, key, &value))) return NULL;
    char *copy = take_text("%s", value);
    irr_free(value);
    return copy;
}

/* A line a key of SUPPORTED_PROPERTIES: "KEY RW: what it does". Those that the device tells at
 * once; the others are known to a compiled model alone. */
static void print_properties(const session_t *session, const char *device, bool as_json) {
    char *lines = ask(session, device, irr_property_key_supported_properties);
    for (char *key = lines ? strtok(lines, "\n") : NULL; key; key = strtok(NULL, "\n")) {
        char *about = key + strcspn(key, " ");
        if (*about) *about++ = 0;
        if (!strcmp(key, irr_property_key_supported_properties)) continue;
        const char *value = ask(session, device, key);
        if (!value) continue;
        if (as_json)
            json("*:s", key, value);
        else
            printf("  %s = %s (%s)\n", key, value, about + strspn(about, " "));
    }
}

static void print_device(const session_t *session, const char *name, const irr_version_t *version,
                         bool as_json) {
    const char *full_name = ask(session, name, irr_property_key_device_full_name);
    if (!full_name) full_name = name; /* a device need not tell of itself */
    if (as_json)
        json("{ name:s full_name:s build:s description:s properties:{", name, full_name,
             version->buildNumber, version->description);
    else
        printf("%s: %s (%s %s)\n", name, full_name, version->description, version->buildNumber);
    print_properties(session, name, as_json);
    if (as_json) json("} }");
}

int call_devices(session_t *session) {
    bool as_json = session->options->json;
    irr_available_devices_t names = {0};
    LIB(irr_core_create(&session->core));
    LIB(irr_core_get_available_devices(session->core, &names));
    irr_core_version_list_t *versions = take(names.size * sizeof *versions);
    int status = IRR_OK;
    for (size_t i = 0; !status && i < names.size; i++)
        status = library(
            irr_core_get_versions_by_device_name(session->core, names.devices[i], &versions[i]));
    if (!status && as_json) json("{ devices:[");
    for (size_t i = 0; i < names.size; i++) {
        if (!status)
            print_device(session, names.devices[i], &versions[i].versions->version, as_json);
        irr_core_versions_free(&versions[i]);
    }
    if (!status && as_json) json("] }\n");
    irr_available_devices_free(&names);
    return status;
}

/* Works without a device as well, and says so. */
int call_version(session_t *session) {
    static const char none[] = "unknown: no CPU device";
    irr_version_t version = {0};
    const char *onednn = NULL, *tiers = NULL;
    if (!irr_core_create(&session->core)) {
        onednn = ask(session, "CPU", irr_property_key_onednn_version);
        tiers = ask(session, "CPU", irr_property_key_tiers);
    }
    LIB(irr_get_version(&version));
    if (session->options->json)
        json("{ version:s description:s onednn:s tiers:s }\n", version.buildNumber,
             version.description, onednn, tiers);
    else
        printf("%s\noneDNN %s\nCPU tiers: %s\n", version.description, onednn ? onednn : none,
               tiers ? tiers : none);
    irr_version_free(&version);
    return IRR_OK;
}

/* The message of each thread, texts that are given out, the version.
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/element_type.h"
#include "runtime/runtime.h"

#include <stdio.h>
#include <string.h>

static _Thread_local char message[IRR_SENTENCE_BYTES];

irr_sentence_t irr_message(void) { return (irr_sentence_t){message, sizeof message}; }

irr_status_e irr_fail_with(irr_status_e status, const char *text) {
    return irr_fail(irr_message(), status, "%s", text);
}

irr_status_e irr_check_index(const char *what, size_t index, size_t count) {
    if (index < count) return IRR_OK;
    return irr_fail(irr_message(), IRR_OUT_OF_BOUNDS, "index %zu: the model has %zu %s%s", index,
                    count, what, count == 1 ? "" : "s");
}

irr_status_e irr_check_only(const char *what, size_t count) {
    if (count == 1) return IRR_OK;
    return irr_fail(irr_message(), IRR_OUT_OF_BOUNDS,
                    "the model has %zu %ss, so which one must be said", count, what);
}

char *irr_copy_text(const char *text, bool *ok) {
    char *copy = irr_strdup(text ? text : "");
    *ok = *ok && copy;
    return copy;
}

irr_status_e irr_give_text(const char *text, char **copy) {
    bool ok = true;
    *copy = irr_copy_text(text, &ok);
    return ok ? IRR_OK : irr_out_of_memory(irr_message(), strlen(text) + 1);
}

const char *irr_get_error_info(irr_status_e status) { return irr_status_text(status); }
const char *irr_get_status_word(irr_status_e status) { return irr_status_word(status); }
const char *irr_get_last_err_msg(void) { return message; }

void irr_free(const char *content) {
    if (content != message) irr_release((char *)content);
}

irr_status_e irr_get_version(irr_version_t *version) {
    IRR_REQUIRE(version);
    bool ok = true;
    char description[128];
    snprintf(description, sizeof description, "irreduce %s, libxml2 %s", IRREDUCE_VERSION,
             irr_registry_xml_version());
    *version =
        (irr_version_t){irr_copy_text(IRREDUCE_VERSION, &ok), irr_copy_text(description, &ok)};
    if (ok) return IRR_OK;
    irr_version_free(version);
    return irr_out_of_memory(irr_message(), sizeof description);
}

void irr_version_free(irr_version_t *version) {
    if (!version) return;
    irr_release((char *)version->buildNumber);
    irr_release((char *)version->description);
    *version = (irr_version_t){NULL, NULL};
}

const char *irr_get_element_type_name(irr_element_type_e type) {
    const irr_element_type_info_t *info = irr_element_type_info(type);
    return info ? info->name : NULL;
}

irr_status_e irr_get_element_type_by_name(const char *name, irr_element_type_e *type) {
    IRR_REQUIRE_OUT(type);
    IRR_REQUIRE(name);
    if (irr_element_type_by_name(name, type)) return IRR_OK;
    return irr_fail(irr_message(), IRR_NOT_FOUND, "\"%s\" is no element type", name);
}

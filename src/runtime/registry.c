/* plugins.xml, the list of devices, and the folder that it lies in.
 * The only file of the runtime that knows libxml2. No DTD, no entities, no network, 1 MiB.
 * SPDX-License-Identifier: Apache-2.0 */
#include "ir/ir_xml_memory.h"
#include "runtime/runtime.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <libxml/parser.h>
#include <libxml/tree.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define PLUGINS_FILE_BYTES ((size_t)1 << 20)

const char irr_version_text[] = "irreduce " IRREDUCE_VERSION ", libxml2 " LIBXML_DOTTED_VERSION;

irr_status_e irr_plugin_path(const char *location, char path[PATH_MAX]) {
    static const char anchor; /* in this library for certain; an exported name might be elsewhere */
    Dl_info info;
    size_t folder = 0;
    if (location[0] != '/') {
        if (!dladdr(&anchor, &info) || !realpath(info.dli_fname, path))
            return irr_fail(irr_message(), IRR_UNEXPECTED, "this library cannot find its own file");
        folder = (size_t)(strrchr(path, '/') + 1 - path);
    }
    if (strlen(location) >= PATH_MAX - folder)
        return irr_fail(irr_message(), IRR_NOT_FOUND, "plugin %.200s...: the path is too long",
                        location);
    strcpy(path + folder, location);
    return IRR_OK;
}

static irr_status_e open_file(const char *path, int *file) {
    struct stat facts;
    *file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (*file < 0 || fstat(*file, &facts) != 0)
        return irr_fail(irr_message(), IRR_NOT_FOUND, "%s cannot be opened", path);
    if (S_ISREG(facts.st_mode) && facts.st_size <= (off_t)PLUGINS_FILE_BYTES) return IRR_OK;
    return irr_fail(irr_message(), IRR_PARAMETER_MISMATCH,
                    "%s is no regular file of at most %zu bytes", path, PLUGINS_FILE_BYTES);
}

static void refuse_dtd(void *context, const xmlChar *name, const xmlChar *external,
                       const xmlChar *system) {
    (void)name, (void)external, (void)system;
    ((xmlParserCtxtPtr)context)->_private = context; /* told to parse() */
    xmlStopParser(context);
}

/* The tree, which the caller frees whatever the status. */
static irr_status_e parse(const char *path, int file, xmlDocPtr *tree) {
    irr_xml_memory_t memory;
    irr_status_e status = IRR_OK;
    irr_xml_memory_begin(&memory);
    xmlParserCtxtPtr context = xmlNewParserCtxt();
    if (context) {
        context->sax->internalSubset = refuse_dtd;
        *tree = xmlCtxtReadFd(context, file, NULL, NULL,
                              XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING |
                                  XML_PARSE_NOCDATA | XML_PARSE_COMPACT);
    }
    const xmlError *error = context ? xmlCtxtGetLastError(context) : NULL;
    const char *reason = error && error->message ? error->message : "unknown";
    if (!context || memory.out_of_memory)
        status = irr_out_of_memory(irr_message(), sizeof *context);
    else if (context->_private)
        status = irr_fail(irr_message(), IRR_PARAMETER_MISMATCH, "%s: a DTD is refused", path);
    else if (!*tree)
        status = irr_fail(irr_message(), IRR_PARAMETER_MISMATCH, "%s:%d: not well-formed XML: %.*s",
                          path, error ? error->line : 0, (int)strcspn(reason, "\n"), reason);
    xmlFreeParserCtxt(context);
    irr_xml_memory_end(&memory);
    return status;
}

/* The next sibling element that has this name, from `at` on. */
static xmlNodePtr next_named(xmlNodePtr at, const char *name) {
    while (at && (at->type != XML_ELEMENT_NODE || strcmp((const char *)at->name, name) != 0))
        at = at->next;
    return at;
}

static xmlNodePtr child_named(xmlNodePtr parent, const char *name) {
    return parent ? next_named(parent->children, name) : NULL;
}

/* An attribute's text in the tree; entities in it were refused with DTDs, so it is one node. */
static irr_status_e attribute(const char *file, xmlNodePtr node, const char *name,
                              bool may_be_empty, const char **text) {
    const xmlAttr *found = xmlHasProp(node, (const xmlChar *)name);
    *text = found && found->children ? (const char *)found->children->content : "";
    if (found && (may_be_empty || **text)) return IRR_OK;
    return irr_fail(irr_message(), IRR_PARAMETER_MISMATCH, "%s:%ld: <%s> has no attribute %s", file,
                    xmlGetLineNo(node), (const char *)node->name, name);
}

static irr_status_e read_properties(const char *file, xmlNodePtr node, irr_device_t *device) {
    for (size_t k = 0; node; node = next_named(node->next, "property"), k++) {
        irr_property_t *property = &device->properties[k];
        IRR_TRY(attribute(file, node, "key", true, &property->key));
        IRR_TRY(attribute(file, node, "value", true, &property->value));
        property->key = irr_list_text(device->properties, property->key);
        property->value = irr_list_text(device->properties, property->value);
    }
    return irr_list_check(device->properties);
}

static irr_status_e add_plugin(irr_core_t *core, const char *file, xmlNodePtr node) {
    const char *name, *location;
    char path[PATH_MAX];
    size_t count = 0;
    irr_device_t *device = NULL;
    xmlNodePtr properties = child_named(child_named(node, "properties"), "property");
    for (xmlNodePtr k = properties; k; k = next_named(k->next, "property")) count++;
    IRR_TRY(attribute(file, node, "name", false, &name));
    IRR_TRY(attribute(file, node, "location", false, &location));
    IRR_TRY(irr_plugin_path(location, path));
    IRR_TRY(irr_device_make(name, path, count, &device));
    irr_status_e status = read_properties(file, properties, device);
    if (!status)
        status = irr_fail_at(irr_message(), irr_core_add_device(core, device, false),
                             "%s:%ld: ", file, xmlGetLineNo(node));
    irr_device_release(device);
    return status;
}

irr_status_e irr_registry_read(irr_core_t *core, const char *path) {
    int file;
    xmlDocPtr tree = NULL;
    irr_status_e status = open_file(path, &file);
    if (!status) status = parse(path, file, &tree);
    if (file >= 0) close(file);
    xmlNodePtr root = status ? NULL : next_named(xmlDocGetRootElement(tree), "ie");
    if (!status && !root)
        status = irr_fail(irr_message(), IRR_PARAMETER_MISMATCH, "%s: the root is not <ie>", path);
    xmlNodePtr plugin = child_named(child_named(root, "plugins"), "plugin");
    for (; !status && plugin; plugin = next_named(plugin->next, "plugin"))
        status = add_plugin(core, path, plugin);
    xmlFreeDoc(tree);
    return status;
}

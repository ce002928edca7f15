/* plugins.xml, the list of devices, and the folder that it lies in.
 * The only file of the runtime that knows libxml2. No DTD, no entities, no network, 1 MiB.
 * SPDX-License-Identifier: Apache-2.0 */
#include "ir/ir_xml_memory.h"
#include "runtime/runtime.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <libxml/parser.h>
#include <libxml/tree.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PLUGINS_FILE_BYTES ((size_t)1 << 20)

/* Lies in this library for certain; an exported name might lie in the program. */
static const char anchor;

const char *irr_registry_xml_version(void) { return LIBXML_DOTTED_VERSION; }

static irr_status_e join(const char *folder, size_t folder_bytes, const char *name, char **path,
                         irr_sentence_t sentence) {
    size_t bytes = folder_bytes + strlen(name) + 1;
    char *made = irr_malloc(bytes);
    if (!made) return irr_out_of_memory(sentence, bytes);
    memcpy(made, folder, folder_bytes);
    strcpy(made + folder_bytes, name);
    *path = made;
    return IRR_OK;
}

irr_status_e irr_library_folder(char **folder, irr_sentence_t sentence) {
    Dl_info info;
    char real[PATH_MAX];
    if (!dladdr(&anchor, &info) || !realpath(info.dli_fname, real))
        return irr_fail(sentence, IRR_UNEXPECTED, "this library cannot find its own file");
    size_t bytes = (size_t)(strrchr(real, '/') + 1 - real);
    return join(real, bytes, "", folder, sentence);
}

irr_status_e irr_plugin_path(const char *location, char **path, irr_sentence_t sentence) {
    char *folder;
    if (location[0] == '/') return join("", 0, location, path, sentence);
    irr_status_e status = irr_library_folder(&folder, sentence);
    if (status) return status;
    status = join(folder, strlen(folder), location, path, sentence);
    irr_release(folder);
    return status;
}

/* The whole file; the caller's. */
static irr_status_e read_bytes(const char *path, char **bytes, size_t *count,
                               irr_sentence_t sentence) {
    struct stat facts;
    ssize_t got = 0;
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0 || fstat(file, &facts) != 0) {
        if (file >= 0) close(file);
        return irr_fail(sentence, IRR_NOT_FOUND, "%s cannot be opened", path);
    }
    irr_status_e status = IRR_OK;
    *bytes = NULL;
    *count = 0;
    if (!S_ISREG(facts.st_mode) || facts.st_size > (off_t)PLUGINS_FILE_BYTES)
        status = irr_fail(sentence, IRR_PARAMETER_MISMATCH,
                          "%s is no regular file of at most %zu bytes", path, PLUGINS_FILE_BYTES);
    else if (!(*bytes = irr_malloc(PLUGINS_FILE_BYTES)))
        status = irr_out_of_memory(sentence, PLUGINS_FILE_BYTES);
    while (!status && *count < PLUGINS_FILE_BYTES &&
           (got = read(file, *bytes + *count, PLUGINS_FILE_BYTES - *count)) > 0)
        *count += (size_t)got;
    if (!status && got < 0)
        status = irr_fail(sentence, IRR_GENERAL_ERROR, "%s cannot be read", path);
    if (status) irr_release(*bytes);
    close(file);
    return status;
}

static void refuse_dtd(void *context, const xmlChar *name, const xmlChar *external,
                       const xmlChar *system) {
    (void)name, (void)external, (void)system;
    ((xmlParserCtxtPtr)context)->_private = context; /* told to parse() */
    xmlStopParser(context);
}

/* The tree, or NULL with a status. */
static irr_status_e parse(const char *path, const char *bytes, size_t count, xmlDocPtr *tree,
                          irr_sentence_t sentence) {
    irr_xml_memory_t memory;
    irr_xml_memory_begin(&memory);
    xmlParserCtxtPtr context = xmlNewParserCtxt();
    if (!context) {
        irr_xml_memory_end(&memory);
        return irr_out_of_memory(sentence, sizeof *context);
    }
    context->sax->internalSubset = refuse_dtd;
    *tree = xmlCtxtReadMemory(context, bytes, (int)count, NULL, NULL,
                              XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING |
                                  XML_PARSE_NOCDATA | XML_PARSE_COMPACT);
    irr_status_e status = IRR_OK;
    const xmlError *error = xmlCtxtGetLastError(context);
    if (memory.out_of_memory)
        status = irr_out_of_memory(sentence, count);
    else if (context->_private)
        status = irr_fail(sentence, IRR_PARAMETER_MISMATCH, "%s: a DTD is refused", path);
    else if (!*tree)
        status =
            irr_fail(sentence, IRR_PARAMETER_MISMATCH, "%s:%d: not well-formed XML: %.*s", path,
                     error ? error->line : 0, error ? (int)strcspn(error->message, "\n") : 7,
                     error ? error->message : "unknown");
    if (status) {
        xmlFreeDoc(*tree);
        *tree = NULL;
    }
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

/* An attribute's text in the tree, NULL if there is none; entities in it were refused with DTDs,
 * so a value is one text node. */
static const char *attribute(xmlNodePtr node, const char *name) {
    const xmlAttr *found = xmlHasProp(node, (const xmlChar *)name);
    if (!found) return NULL;
    return found->children ? (const char *)found->children->content : "";
}

static irr_status_e missing(const char *file, xmlNodePtr node, const char *what,
                            irr_sentence_t sentence) {
    return irr_fail(sentence, IRR_PARAMETER_MISMATCH, "%s:%ld: <%s> has no attribute %s", file,
                    xmlGetLineNo(node), (const char *)node->name, what);
}

static irr_status_e add_plugin(irr_core_t *core, const char *file, xmlNodePtr node,
                               irr_sentence_t sentence) {
    const char *name = attribute(node, "name"), *location = attribute(node, "location");
    if (!name || !*name) return missing(file, node, "name", sentence);
    if (!location || !*location) return missing(file, node, "location", sentence);
    char *path = NULL;
    irr_device_t *device = NULL;
    irr_status_e status = irr_plugin_path(location, &path, sentence);
    if (!status) status = irr_device_make(name, path, &device, sentence);
    xmlNodePtr property = child_named(child_named(node, "properties"), "property");
    for (; !status && property; property = next_named(property->next, "property")) {
        const char *key = attribute(property, "key"), *value = attribute(property, "value");
        if (!key)
            status = missing(file, property, "key", sentence);
        else if (!value)
            status = missing(file, property, "value", sentence);
        else
            status = irr_device_add_property(device, key, value, sentence);
    }
    if (!status) {
        char reason[IRR_SENTENCE_BYTES];
        status = irr_core_add_device(core, device, (irr_sentence_t){reason, sizeof reason});
        if (status) irr_fail(sentence, status, "%s:%ld: %s", file, xmlGetLineNo(node), reason);
    }
    irr_device_release(device);
    irr_release(path);
    return status;
}

irr_status_e irr_registry_read(irr_core_t *core, const char *path, irr_sentence_t sentence) {
    char *bytes = NULL;
    size_t count = 0;
    xmlDocPtr tree = NULL;
    irr_status_e status = read_bytes(path, &bytes, &count, sentence);
    if (status) return status;
    status = parse(path, bytes, count, &tree, sentence);
    if (!status) {
        xmlNodePtr root = next_named(xmlDocGetRootElement(tree), "ie");
        if (!root)
            status = irr_fail(sentence, IRR_PARAMETER_MISMATCH, "%s: the root is not <ie>", path);
        xmlNodePtr plugin = child_named(child_named(root, "plugins"), "plugin");
        for (; !status && plugin; plugin = next_named(plugin->next, "plugin"))
            status = add_plugin(core, path, plugin, sentence);
    }
    xmlFreeDoc(tree);
    irr_release(bytes);
    return status;
}

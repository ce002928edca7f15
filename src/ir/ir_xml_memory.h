/* libxml2 prints when memory is out, and goes on as if the file were bad. Between begin and end
 * this thread's libxml2 is silent, and out_of_memory tells. Include it where libxml2 is used, only
 * there. SPDX-License-Identifier: Apache-2.0 */
#ifndef IRR_IR_XML_MEMORY_H
#define IRR_IR_XML_MEMORY_H

#include <libxml/globals.h>
#include <libxml/xmlerror.h>
#include <stdbool.h>

typedef struct {
    bool out_of_memory;
    xmlStructuredErrorFunc before; /* the program's own */
    void *context_before;
} irr_xml_memory_t;

static inline void irr_xml_memory_note(void *context, xmlErrorPtr error) {
    if (error->code == XML_ERR_NO_MEMORY) ((irr_xml_memory_t *)context)->out_of_memory = true;
}

/* Once in the process, before libxml2 is asked anything: two threads must not begin at once. */
void irr_xml_start(void);

static inline void irr_xml_memory_begin(irr_xml_memory_t *memory) {
    irr_xml_start();
    *memory = (irr_xml_memory_t){false, xmlStructuredError, xmlStructuredErrorContext};
    xmlSetStructuredErrorFunc(memory, irr_xml_memory_note);
}

static inline void irr_xml_memory_end(const irr_xml_memory_t *memory) {
    xmlSetStructuredErrorFunc(memory->context_before, memory->before);
}

#endif

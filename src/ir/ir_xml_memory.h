/* libxml2 prints when memory is out, and goes on as if the file were bad. Between begin and end
 * this thread's libxml2 is silent, and out_of_memory tells. Include it where libxml2 is used, only
 * there. SPDX-License-Identifier: Apache-2.0 */
#ifndef IRR_IR_XML_MEMORY_H
#define IRR_IR_XML_MEMORY_H

#include <libxml/xmlerror.h>
#include <stdbool.h>

typedef struct {
    bool out_of_memory;
    xmlStructuredErrorFunc before; /* the program's own */
    void *context_before;
} irr_xml_memory_t;

void irr_xml_memory_begin(irr_xml_memory_t *memory);
void irr_xml_memory_end(const irr_xml_memory_t *memory);

#endif

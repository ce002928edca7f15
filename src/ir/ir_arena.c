/* Memory of a model, freed at once; and the names that a port holds.
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/memory.h"
#include "ir/ir_build.h"

#include <string.h>

void *irr_take(irr_whole_model_t *model, size_t count, size_t element_bytes) {
    irr_arena_t *arena = &model->arena;
    if (!irr_grow((void **)&arena->blocks, &arena->room, arena->count + 1, sizeof(void *)))
        return NULL;
    void *block = irr_calloc(count, element_bytes);
    if (block) arena->blocks[arena->count++] = block;
    return block;
}

void irr_ir_free(irr_ir_model_t *face) {
    irr_whole_model_t *model = (irr_whole_model_t *)face;
    if (!model) return;
    for (size_t i = 0; i < model->arena.count; i++) irr_release(model->arena.blocks[i]);
    irr_release(model->arena.blocks);
    irr_graph_release(model->file);
    irr_release(model);
}

bool irr_split_names(irr_whole_model_t *model, const char *text, irr_ir_port_t *port) {
    size_t commas = 0;
    if (!*text) return true;
    for (const char *c = text; *c; c++) commas += *c == ',';
    const char **names = irr_take(model, commas + 1, sizeof *names);
    char *to = irr_take(model, strlen(text) + 1, 1);
    if (!names || !to) return false;
    names[port->name_count++] = to;
    for (const char *c = text; *c; c++) {
        if (*c == '\\' && c[1] == ',') {
            *to++ = *++c;
        } else if (*c == ',') {
            *to++ = '\0';
            names[port->name_count++] = to;
        } else {
            *to++ = *c;
        }
    }
    port->names = names;
    return true;
}

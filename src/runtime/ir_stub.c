/* Stands in for src/ir until it is there. Goes away with it.
 * SPDX-License-Identifier: Apache-2.0 */
#include "ir/ir.h"
#define NOT_YET return irr_fail(sentence, IRR_NOT_IMPLEMENTED, "the reader is not there yet")
irr_status_e irr_ir_read(const irr_ir_source_t *source, const irr_ir_file_t **file,
                         irr_sentence_t sentence) { (void)source, (void)file; NOT_YET; }
void irr_ir_file_free(const irr_ir_file_t *file) { (void)file; }
void irr_ir_unknown_layer(const irr_ir_file_t *file, size_t k, uint32_t *line, const char **id,
                          const char **name, const char **type) {
    (void)file, (void)k, (void)line, (void)id, (void)name, (void)type; }
char *irr_ir_problem_text(const irr_ir_problem_t *problem, char *text, size_t capacity_bytes) {
    (void)problem, (void)capacity_bytes; return text; }
irr_status_e irr_ir_read_model(const irr_ir_source_t *source, irr_ir_model_t **model,
                               irr_sentence_t sentence) { (void)source, (void)model; NOT_YET; }
irr_status_e irr_ir_clone(const irr_ir_model_t *model, irr_ir_model_t **copy,
                          irr_sentence_t sentence) { (void)model, (void)copy; NOT_YET; }
irr_status_e irr_ir_extract(const irr_ir_model_t *model, const char *path, irr_ir_model_t **one,
                            irr_sentence_t sentence) {
    (void)model, (void)path, (void)one; NOT_YET; }
void irr_ir_free(irr_ir_model_t *model) { (void)model; }
irr_status_e irr_ir_reshape_inputs(irr_ir_model_t *model, const irr_ir_reshape_t *shapes,
                                   size_t count, irr_sentence_t sentence) {
    (void)model, (void)shapes, (void)count; NOT_YET; }
irr_status_e irr_ir_input_by_name(const irr_ir_model_t *model, const char *name, uint32_t *index,
                                  irr_sentence_t sentence) {
    (void)model, (void)name, (void)index; NOT_YET; }
irr_status_e irr_ir_output_by_name(const irr_ir_model_t *model, const char *name, uint32_t *index,
                                   irr_sentence_t sentence) {
    (void)model, (void)name, (void)index; NOT_YET; }
irr_status_e irr_ir_infer_shapes(const irr_ir_model_t *model, const irr_tensor_view_t *inputs,
                                 irr_ir_shape_t *shapes, irr_sentence_t sentence) {
    (void)model, (void)inputs, (void)shapes; NOT_YET; }

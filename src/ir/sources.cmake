# Sources of src/ir.
add_library(irr_ir OBJECT
  src/ir/ir_build.c src/ir/ir_check.c src/ir/ir_elements.c src/ir/ir_file.c src/ir/ir_layers.c
  src/ir/ir_model.c src/ir/ir_shape.c src/ir/ir_weights.c src/ir/ir_xml.c)
target_link_libraries(irr_ir PRIVATE LibXml2::LibXml2)

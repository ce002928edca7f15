# Sources of src/ir.
add_library(irr_ir OBJECT
  src/ir/ir_build.c src/ir/ir_check.c src/ir/ir_const.c src/ir/ir_elements.c src/ir/ir_file.c src/ir/ir_model.c
  src/ir/ir_port.c src/ir/ir_problem.c src/ir/ir_reduce.c src/ir/ir_scan.c src/ir/ir_shape.c
  src/ir/ir_text.c src/ir/ir_weights.c src/ir/ir_xml.c)
target_link_libraries(irr_ir PRIVATE LibXml2::LibXml2)

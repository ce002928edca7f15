// The extension's operation: one class for the nine reductions, run by irreduce's kernels wherever
// OpenVINO calls evaluate. Lives here: shape and evaluate. May not: files, frontends.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runner.hpp"

#include <openvino/op/op.hpp>

extern "C" {
#include "base/element_type.h"
#include "base/op.h"
#include "base/shape.h"
}

namespace irreduce {

// "IrreduceReduceSum" of version "irreduce". Not the standard operation's name: OpenVINO's CPU
// device would take such a node for its own.
const ov::DiscreteTypeInfo &reduction_type(irr_op_e op);

class Reduction : public ov::op::Op {
  public:
    explicit Reduction(irr_op_e op) : op(op) {}
    Reduction(irr_op_e op, const ov::Output<ov::Node> &data, const ov::Output<ov::Node> &axes,
              bool keep_dims);

    const ov::DiscreteTypeInfo &get_type_info() const override { return reduction_type(op); }
    void validate_and_infer_types() override;
    bool visit_attributes(ov::AttributeVisitor &visitor) override;
    std::shared_ptr<ov::Node> clone_with_new_inputs(const ov::OutputVector &inputs) const override;
    bool has_evaluate() const override { return true; }
    bool evaluate(ov::TensorVector &outputs, const ov::TensorVector &inputs) const override;
    bool evaluate(ov::TensorVector &outputs, const ov::TensorVector &inputs,
                  const ov::EvaluationContext &context) const override;

  private:
    bool run(ov::TensorVector &outputs, const ov::TensorVector &inputs, bool may_be_strided) const;
    ov::PartialShape output_shape() const;

    irr_op_e op;
    bool keep = false;
    Runners runners;
};

} // namespace irreduce

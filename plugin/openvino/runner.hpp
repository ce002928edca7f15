// Plans of one reduction, for any number of threads at once: OpenVINO's streams share a node.
// A runner is the reduction compiled for one set of types and ranks; it plans by shape, and lends a
// request to each thread. May not: OpenVINO's graph.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <irreduce/plugin.h>
#include <mutex>
#include <vector>

namespace irreduce {

// What a runner is made for; shapes and axes come with each call.
struct Signature {
    const char *type; // the IR's word
    bool keep_dims;
    irr_element_type_e data_type, axes_type;
    uint32_t rank, axes_rank, output_rank;
    bool operator==(const Signature &other) const;
};

class Runner {
  public:
    explicit Runner(const Signature &signature);
    ~Runner();
    Runner(const Runner &) = delete;
    Runner &operator=(const Runner &) = delete;
    void infer(const irr_tensor_view_t *inputs, const irr_tensor_view_t *output);

    const Signature signature;
    Runner *next = nullptr;

  private:
    irr_plugin_request_t *borrow();
    void give_back(irr_plugin_request_t *request);

    irr_plugin_engine_t *engine = nullptr;
    irr_plugin_compiled_t *compiled = nullptr;
    std::atomic<irr_plugin_request_t *> spare{nullptr}; // the one that a lone thread uses
    std::mutex mutex;
    std::vector<irr_plugin_request_t *> others;
};

// Found without a lock; made once, and kept as long as the node.
class Runners {
  public:
    ~Runners();
    Runner &of(const Signature &signature) const;

  private:
    mutable std::atomic<Runner *> first{nullptr};
    mutable std::mutex mutex;
};

} // namespace irreduce

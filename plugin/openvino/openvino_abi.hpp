// What a device library must agree on with the wheel's libopenvino beyond its public headers: the
// bases of a device, declared in our own words from facts read out of the wheels' binaries (symbol
// names, order of virtual functions, sizes). ir_tests/hosts/openvino_abi.py reads them again from
// the wheel at hand and fails where one moved. May not: anything that runs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <mutex>
#include <openvino/openvino.hpp>
#include <unordered_map>

#define IRR_OPENVINO (OPENVINO_VERSION_MAJOR * 100 + OPENVINO_VERSION_MINOR)
static_assert((IRR_OPENVINO >= 202500 && IRR_OPENVINO <= 202504) ||
                  (IRR_OPENVINO >= 202600 && IRR_OPENVINO <= 202604),
              "these declarations were checked against OpenVINO 2025.0 to 2025.4 and 2026.0 to "
              "2026.4; run ir_tests/hosts/openvino_abi.py on this release, then name it here");

// Room for members that we never touch. A base made by the library's own constructor and destructor
// is larger here than any release has it.
#define IRR_RESERVE(bytes) unsigned char reserve[bytes]

namespace ov {

class ISyncInferRequest;

// The object goes before the library that holds its code.
template <class T> struct SoPtr {
    std::shared_ptr<T> _ptr;
    std::shared_ptr<void> _so;

    ~SoPtr() { _ptr = {}; }
};

using TensorPtr = SoPtr<ITensor>;
using ContextPtr = SoPtr<IRemoteContext>;
using ModelPtr = std::shared_ptr<const Model>;
using CompiledPtr = std::shared_ptr<ICompiledModel>;
using Port = Output<const Node>;

OPENVINO_API Tensor make_tensor(const TensorPtr &tensor);
OPENVINO_API TensorPtr get_tensor_impl(const Tensor &tensor);

namespace threading {
class OPENVINO_API ITaskExecutor {
  public:
    virtual ~ITaskExecutor() = default;
    virtual void run(std::function<void()> task) = 0;
    virtual void run_and_wait(const std::vector<std::function<void()>> &tasks);
};
} // namespace threading

// Its destructor is no symbol of the library: the members are ours to name and to destroy.
class OPENVINO_API IPlugin : public std::enable_shared_from_this<IPlugin> {
  public:
    using path_t = std::conditional_t<(IRR_OPENVINO >= 202601), std::filesystem::path, std::string>;

    IPlugin();
    void set_version(const Version &version);
    const std::string &get_device_name() const;

    virtual CompiledPtr compile_model(const ModelPtr &model, const AnyMap &properties) const = 0;
    virtual CompiledPtr compile_model(const path_t &path, const AnyMap &properties) const;
    virtual CompiledPtr compile_model(const ModelPtr &model, const AnyMap &properties,
                                      const ContextPtr &context) const = 0;
    virtual void set_property(const AnyMap &properties) = 0;
    virtual Any get_property(const std::string &name, const AnyMap &arguments) const = 0;
    virtual ContextPtr create_context(const AnyMap &properties) const = 0;
    virtual ContextPtr get_default_context(const AnyMap &properties) const = 0;
    virtual CompiledPtr import_model(std::istream &model, const AnyMap &properties) const = 0;
    virtual CompiledPtr import_model(std::istream &model, const ContextPtr &context,
                                     const AnyMap &properties) const = 0;
#if IRR_OPENVINO >= 202503
    virtual CompiledPtr import_model(const Tensor &model, const AnyMap &properties) const = 0;
    virtual CompiledPtr import_model(const Tensor &model, const ContextPtr &context,
                                     const AnyMap &properties) const = 0;
#endif
    virtual SupportedOpsMap query_model(const ModelPtr &model, const AnyMap &properties) const = 0;
    virtual ~IPlugin() = default;
#if IRR_OPENVINO >= 202601
    virtual bool is_property_supported(const std::string &name, const AnyMap &arguments) const;
#endif

  private:
    std::string m_name;
    std::weak_ptr<void> m_core;
    std::shared_ptr<void> m_executors;
    Version m_version;
    IRR_RESERVE(128);
};

class OPENVINO_API ICompiledModel : public std::enable_shared_from_this<ICompiledModel> {
  public:
    ICompiledModel(const ModelPtr &model, const std::shared_ptr<const IPlugin> &plugin,
                   const std::shared_ptr<threading::ITaskExecutor> &task_executor,
                   const std::shared_ptr<threading::ITaskExecutor> &callback_executor);

    virtual const std::vector<Port> &outputs() const;
    virtual const std::vector<Port> &inputs() const;
    virtual std::shared_ptr<IAsyncInferRequest> create_infer_request() const;
    virtual void export_model(std::ostream &stream) const = 0;
    virtual ModelPtr get_runtime_model() const = 0;
    virtual void set_property(const AnyMap &properties) = 0;
    virtual Any get_property(const std::string &name) const = 0;
    virtual void release_memory();
    virtual ~ICompiledModel();

  protected:
    virtual std::shared_ptr<ISyncInferRequest> create_sync_infer_request() const = 0;

  private:
    IRR_RESERVE(384);
};

// With the slots of its base, IInferRequest, which has nothing else. Destroyed by us, as IPlugin
// is.
class OPENVINO_API ISyncInferRequest {
  public:
    explicit ISyncInferRequest(const std::shared_ptr<const ICompiledModel> &compiled_model);

    virtual ~ISyncInferRequest() = default;
    virtual void infer() = 0;
    virtual std::vector<ProfilingInfo> get_profiling_info() const = 0;
    virtual TensorPtr get_tensor(const Port &port) const;
    virtual void set_tensor(const Port &port, const TensorPtr &tensor);
    virtual std::vector<TensorPtr> get_tensors(const Port &port) const;
    virtual void set_tensors(const Port &port, const std::vector<TensorPtr> &tensors);
    virtual std::vector<SoPtr<IVariableState>> query_state() const = 0;
    virtual const std::shared_ptr<const ICompiledModel> &get_compiled_model() const;
    virtual const std::vector<Port> &get_inputs() const;
    virtual const std::vector<Port> &get_outputs() const;

  protected:
    virtual void check_tensors() const;
    virtual void set_tensors_impl(const Port port, const std::vector<TensorPtr> &tensors);

    struct FoundPort {
        size_t index;
        enum Kind { NONE = 0, INPUT, OUTPUT } kind;
    };
    // By the port itself or, of the model before it was compiled, by its names.
    FoundPort find_port(const Port &port) const;
    // Type, and shape where it is known.
    void check_tensor(const Port &port, const TensorPtr &tensor) const;

  private:
    using Descriptor = std::shared_ptr<descriptor::Tensor>;
    // Stands for functions of the library that never run here: it makes the map's nodes as large.
    struct Hash {
        size_t operator()(const Descriptor &tensor) const;
    };
    std::unordered_map<Descriptor, std::vector<TensorPtr>> m_batched;
    std::shared_ptr<const ICompiledModel> m_compiled_model;
    std::unordered_map<Descriptor, TensorPtr, Hash> m_tensors;
    std::unordered_map<size_t, FoundPort> m_ports;
    std::mutex m_mutex;
    IRR_RESERVE(128);
};

} // namespace ov

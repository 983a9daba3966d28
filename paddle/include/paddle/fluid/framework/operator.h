// Operators with kernels, and what InferShape and Compute see of a call (8.1.2).
#pragma once
#include <map>
#include "paddle/fluid/framework/op_proto_maker.h"
#include "paddle/fluid/framework/tensor.h"

namespace paddle {
namespace framework {

typedef std::map<std::string, std::vector<std::string>> VariableNameMap;

inline std::string GradVarName(const std::string& name) { return name + "@GRAD"; }

class OperatorBase {
 public:
  OperatorBase(const std::string& type, const VariableNameMap& inputs,
               const VariableNameMap& outputs, const AttributeMap& attrs)
      : type_(type), inputs_(inputs), outputs_(outputs), attrs_(attrs) {}
  virtual ~OperatorBase() {}
  const std::string& Type() const { return type_; }
  const VariableNameMap& Inputs() const { return inputs_; }
  const VariableNameMap& Outputs() const { return outputs_; }
  const AttributeMap& Attrs() const { return attrs_; }
  bool HasAttr(const std::string& name) const { return attrs_.count(name) > 0; }
  template <typename T>
  const T& Attr(const std::string& name) const {
    return AttrReader(attrs_).Get<T>(name);
  }

 private:
  std::string type_;
  VariableNameMap inputs_, outputs_;
  AttributeMap attrs_;
};

// The tensors of one input or output; null: it is missing, or nobody wants it.
struct BoundSlot {
  std::string name;
  bool list = false;
  std::vector<LoDTensor*> tensors;
  bool any() const {
    for (LoDTensor* tensor : tensors) {
      if (tensor) return true;
    }
    return false;
  }
};

// A call: an operator and its tensors.
struct Bound {
  const OperatorBase* op;
  std::vector<BoundSlot> inputs, outputs;
  std::unique_ptr<LoDTensor[]> tensors;            // inputs, then outputs
  std::vector<std::unique_ptr<LoDTensor[]>> more;  // of lists whose length the operator says
  platform::CPUDeviceContext cpu;
  platform::CUDADeviceContext cuda;
  platform::Place place;
  bool runtime;
  BoundSlot none;

  Bound(const OperatorBase* op, const OpProto& proto, const PD_Call& call, bool inferring);
  void Take(const std::vector<SlotProto>& slots, const int32_t* counts, const PD_Tensor* given,
            bool inferring, LoDTensor* made, std::vector<BoundSlot>* to);
  bool TakeLod(const PD_Call& call);
  int32_t Give(PD_Call* call) const;
  static void GiveOther(PD_Call* call, const LoDTensor& tensor, PD_Tensor* target);
  // One that is not there is an empty one: which names there are is for the operator to say.
  const BoundSlot& Find(const std::vector<BoundSlot>& all, const std::string& name) const {
    for (const BoundSlot& slot : all) {
      if (slot.name == name) return slot;
    }
    return none;
  }
  LoDTensor* One(const std::vector<BoundSlot>& all, const std::string& name) const {
    const BoundSlot& slot = Find(all, name);
    PADDLE_ENFORCE_LE(slot.tensors.size(), 1,
                      platform::errors::InvalidArgument(
                          "Operator %s: %s is a list of %d tensors, but was asked for as one.",
                          op->Type(), name, slot.tensors.size()));
    return slot.tensors.empty() ? nullptr : slot.tensors[0];
  }
  LoDTensor* Needed(const std::vector<BoundSlot>& all, const std::string& name, size_t i) const {
    const BoundSlot& slot = Find(all, name);
    if (i >= slot.tensors.size() || !slot.tensors[i]) {
      PADDLE_THROW(platform::errors::NotFound("%s(%s) of operator %s is not there.",
                                              &all == &inputs ? "Input" : "Output", name,
                                              op->Type()));
    }
    return slot.tensors[i];
  }
};

class InferShapeContext {
 public:
  explicit InferShapeContext(Bound* bound) : bound_(*bound) {}
  bool HasInput(const std::string& name) const { return bound_.One(bound_.inputs, name); }
  bool HasOutput(const std::string& name) const { return bound_.One(bound_.outputs, name); }
  bool HasInputs(const std::string& name) const { return bound_.Find(bound_.inputs, name).any(); }
  bool HasOutputs(const std::string& name) const { return bound_.Find(bound_.outputs, name).any(); }
  DDim GetInputDim(const std::string& name) const {
    bound_.One(bound_.inputs, name);
    return bound_.Needed(bound_.inputs, name, 0)->dims();
  }
  std::vector<DDim> GetInputsDim(const std::string& name) const {
    std::vector<DDim> all;
    for (const LoDTensor* one : bound_.Find(bound_.inputs, name).tensors)
      all.push_back(one->dims());
    return all;
  }
  void SetOutputDim(const std::string& name, const DDim& dims) {
    LoDTensor* one = bound_.One(bound_.outputs, name);
    if (one) one->Resize(dims);
  }
  void SetOutputsDim(const std::string& name, const std::vector<DDim>& dims) {
    BoundSlot& slot = const_cast<BoundSlot&>(bound_.Find(bound_.outputs, name));
    if (slot.list && slot.tensors.empty()) {  // the caller leaves it to the operator how many
      bound_.more.emplace_back(new LoDTensor[dims.size()]);
      for (size_t i = 0; i < dims.size(); ++i) slot.tensors.push_back(&bound_.more.back()[i]);
    }
    PADDLE_ENFORCE_EQ(slot.tensors.size(), dims.size(),
                      platform::errors::InvalidArgument(
                          "Operator %s has %d tensors in its output %s, but %d shapes were set.",
                          bound_.op->Type(), slot.tensors.size(), name, dims.size()));
    for (size_t i = 0; i < dims.size(); ++i) {
      if (slot.tensors[i]) slot.tensors[i]->Resize(dims[i]);
    }
  }
  void ShareDim(const std::string& in, const std::string& out, size_t i = 0, size_t j = 0) {
    bound_.Needed(bound_.outputs, out, j)->Resize(bound_.Needed(bound_.inputs, in, i)->dims());
  }
  void ShareLoD(const std::string& in, const std::string& out, size_t i = 0, size_t j = 0) const {
    const BoundSlot& to = bound_.Find(bound_.outputs, out);
    if (j < to.tensors.size() && to.tensors[j]) {
      to.tensors[j]->set_lod(bound_.Needed(bound_.inputs, in, i)->lod());
    }
  }
  AttrReader Attrs() const { return AttrReader(bound_.op->Attrs()); }
  std::vector<std::string> Inputs(const std::string& name) const {
    return std::vector<std::string>(bound_.Find(bound_.inputs, name).tensors.size(), name);
  }
  std::vector<std::string> Outputs(const std::string& name) const {
    return std::vector<std::string>(bound_.Find(bound_.outputs, name).tensors.size(), name);
  }
  std::vector<proto::VarType::Type> GetInputsVarType(const std::string& name) const {
    return std::vector<proto::VarType::Type>(Inputs(name).size(), proto::VarType::LOD_TENSOR);
  }
  bool IsRuntime() const { return bound_.runtime; }

 private:
  Bound& bound_;
};

class ExecutionContext {
 public:
  explicit ExecutionContext(const Bound& bound) : bound_(bound) {}
  template <typename T>
  const T* Input(const std::string& name) const {
    return As<T>(bound_.One(bound_.inputs, name));
  }
  template <typename T>
  T* Output(const std::string& name) const {
    return As<T>(bound_.One(bound_.outputs, name));
  }
  template <typename T>
  std::vector<const T*> MultiInput(const std::string& name) const {
    const auto& all = bound_.Find(bound_.inputs, name).tensors;
    return std::vector<const T*>(all.begin(), all.end());
  }
  template <typename T>
  std::vector<T*> MultiOutput(const std::string& name) const {
    const auto& all = bound_.Find(bound_.outputs, name).tensors;
    return std::vector<T*>(all.begin(), all.end());
  }
  bool HasInput(const std::string& name) const { return bound_.One(bound_.inputs, name); }
  bool HasOutput(const std::string& name) const { return bound_.One(bound_.outputs, name); }
  bool HasInputs(const std::string& name) const { return bound_.Find(bound_.inputs, name).any(); }
  bool HasOutputs(const std::string& name) const { return bound_.Find(bound_.outputs, name).any(); }
  size_t InputSize(const std::string& name) const {
    return bound_.Find(bound_.inputs, name).tensors.size();
  }
  size_t OutputSize(const std::string& name) const {
    return bound_.Find(bound_.outputs, name).tensors.size();
  }
  const OperatorBase& GetOp() const { return *bound_.op; }
  const std::string& Type() const { return bound_.op->Type(); }
  bool HasAttr(const std::string& name) const { return bound_.op->HasAttr(name); }
  template <typename T>
  const T& Attr(const std::string& name) const {
    return bound_.op->Attr<T>(name);
  }
  platform::Place GetPlace() const { return bound_.place; }
  template <typename Context>
  const Context& device_context() const {
    return Device(static_cast<const Context*>(nullptr));
  }
  const platform::DeviceContext& device_context() const {
    return platform::is_cpu_place(bound_.place)
               ? static_cast<const platform::DeviceContext&>(bound_.cpu)
               : bound_.cuda;
  }
  const platform::CUDADeviceContext& cuda_device_context() const { return bound_.cuda; }
  template <typename T, typename Context>
  Tensor AllocateTmpTensor(const DDim& dims, const Context&) const {
    Tensor made;
    made.mutable_data<T>(dims, bound_.place);
    return made;
  }
  const Bound& bound() const { return bound_; }

 private:
  template <typename T>
  static T* As(LoDTensor* tensor) {
    static_assert(
        std::is_base_of<T, LoDTensor>::value,
        "inputs and outputs of operators are Tensor or LoDTensor; there are no SelectedRows");
    return static_cast<T*>(tensor);
  }
  const platform::CPUDeviceContext& Device(const platform::CPUDeviceContext*) const {
    return bound_.cpu;
  }
  const platform::CUDADeviceContext& Device(const platform::CUDADeviceContext*) const {
    return bound_.cuda;
  }
  const Bound& bound_;
};

// Which kernel is to run.
struct OpKernelType {
  static const int kDefaultCustomizedTypeValue = 0;
  OpKernelType(proto::VarType::Type type, const platform::Place& place,
               DataLayout layout = DataLayout::kAnyLayout,
               LibraryType library = LibraryType::kPlain, int = kDefaultCustomizedTypeValue)
      : data_type_(type), data_layout_(layout), place_(place), library_type_(library) {}
  OpKernelType(proto::VarType::Type type, const platform::DeviceContext& context)
      : OpKernelType(type, context.GetPlace()) {}
  proto::VarType::Type data_type_;
  DataLayout data_layout_;
  platform::Place place_;
  LibraryType library_type_;
};

class OperatorWithKernel : public OperatorBase {
 public:
  using OperatorBase::OperatorBase;
  virtual void InferShape(InferShapeContext* ctx) const = 0;
  virtual OpKernelType GetExpectedKernelType(const ExecutionContext& ctx) const {
    return OpKernelType(IndicateDataType(ctx, ctx.bound().inputs), ctx.GetPlace());
  }
  proto::VarType::Type IndicateVarDataType(const ExecutionContext& ctx,
                                           const std::string& name) const {
    return IndicateDataType(ctx, {ctx.bound().Find(ctx.bound().inputs, name)});
  }

 private:
  // The type that the inputs have, which is to be one.
  proto::VarType::Type IndicateDataType(const ExecutionContext&,
                                        const std::vector<BoundSlot>& slots) const {
    bool found = false;
    proto::VarType::Type type = proto::VarType::FP32;
    for (const BoundSlot& slot : slots) {
      for (const LoDTensor* tensor : slot.tensors) {
        PADDLE_ENFORCE_EQ(
            tensor && tensor->IsInitialized(), true,
            platform::errors::InvalidArgument(
                "The Tensor in the %s Op's Input Variable %s is not initialized. Does "
                "GetExpectedKernelType look at an input that has sizes alone?",
                Type(), slot.name));
        PADDLE_ENFORCE_EQ(
            !found || tensor->type() == type, true,
            platform::errors::InvalidArgument(
                "The DataType of %s Op's Variable %s must be consistent. The current "
                "variable type is (%s), but the previous variable type is (%s).",
                Type(), slot.name, DataTypeToString(tensor->type()), DataTypeToString(type)));
        type = tensor->type(), found = true;
      }
    }
    PADDLE_ENFORCE_EQ(
        found, true,
        platform::errors::NotFound(
            "Operator %s has no input to tell the data type of its kernel by; it needs "
            "a GetExpectedKernelType of its own.",
            Type()));
    return type;
  }
};

template <typename T>
class OpKernel {
 public:
  typedef T ELEMENT_TYPE;
  virtual ~OpKernel() {}
  virtual void Compute(const ExecutionContext& context) const = 0;
};

inline Bound::Bound(const OperatorBase* op, const OpProto& proto, const PD_Call& call,
                    bool inferring)
    : op(op),
      tensors(new LoDTensor[call.input_count + call.output_count]),
      place(call.device),
      runtime((call.flags & PD_RUNTIME) != 0) {
  cuda = platform::CUDADeviceContext(place, call.stream);
  Take(proto.inputs, call.input_counts, call.inputs, inferring, tensors.get(), &inputs);
  Take(proto.outputs, call.output_counts, call.outputs, inferring, &tensors[call.input_count],
       &outputs);
}

inline void Bound::Take(const std::vector<SlotProto>& slots, const int32_t* counts,
                        const PD_Tensor* given, bool inferring, LoDTensor* made,
                        std::vector<BoundSlot>* to) {
  const bool output = to == &outputs;
  to->resize(slots.size());
  for (size_t i = 0; i < slots.size(); ++i) {
    BoundSlot& slot = (*to)[i];
    slot.name = slots[i].name, slot.list = (slots[i].flags & PD_SLOT_LIST) != 0;
    slot.tensors.resize(counts[i]);
    for (LoDTensor*& place : slot.tensors) {
      LoDTensor& tensor = *made++;
      const PD_Tensor& from = *given++;
      if (output && (from.flags & PD_UNWANTED)) continue;
      place = &tensor;
      if (output && inferring) continue;
      tensor.Resize(DDim(from.shape, from.ndim));
      tensor.type_ = tensor.offer_type_ = FromAbi(from.dtype);
      const size_t elements = tensor.numel();
      if (!inferring && (from.data || elements == 0)) {
        auto memory = std::make_shared<Memory>(from, false);
        memory->bytes = elements * SizeOfType(tensor.type_);
        (output ? tensor.offer_ : tensor.memory_) = memory;
      }
    }
  }
}

// Whether any input has sequences; their offsets become the tensors'.
inline bool Bound::TakeLod(const PD_Call& call) {
  bool any = false;
  for (int32_t i = 0; i < call.input_count; ++i) {
    const PD_Lod* given = call.inputs[i].lod;
    for (int32_t level = 0; given && level < given->levels; ++level) {
      const int64_t* first = given->offsets[level];
      tensors[i].mutable_lod()->emplace_back(first, first + given->lengths[level]);
      any = true;
    }
  }
  return any;
}

PADDLE_COLD_ inline void GiveLod(PD_Call* call, int32_t output, const LoD& lod) {
  std::vector<int64_t> lengths(lod.size());
  std::vector<const int64_t*> offsets(lod.size());
  for (size_t i = 0; i < lod.size(); ++i) {
    lengths[i] = lod[i].size(), offsets[i] = reinterpret_cast<const int64_t*>(lod[i].data());
  }
  const PD_Lod told = {static_cast<int32_t>(lod.size()), lengths.data(), offsets.data()};
  native::check(native::host()->set_lod(call, output, &told));
}

// An output that is not, or not as it stands, the memory that was offered for it.
PADDLE_COLD_ inline void Bound::GiveOther(PD_Call* call, const LoDTensor& tensor,
                                          PD_Tensor* target) {
  const DDim& dims = tensor.dims();
  std::copy(dims.Get(), dims.Get() + dims.size(), target->shape);
  target->ndim = dims.size(), target->dtype = ToAbi(tensor.type_);
  if (tensor.memory_->handle) {
    bool before = false;  // a handle that stands there twice is handed over once
    for (const PD_Tensor* one = call->outputs; one != target; ++one)
      before = before || one->handle == tensor.memory_->handle;
    if (!before) native::host()->retain(tensor.memory_->handle);
    target->data = tensor.Address(), target->handle = tensor.memory_->handle;
    target->device = tensor.memory_->place.abi();
  } else {  // memory of the kernel's own
    PD_Tensor made = PD_Tensor();
    native::check(native::host()->allocate(call, target->ndim, target->shape, target->dtype,
                                           PD_Device{PD_CPU, 0}, &made));
    std::memcpy(made.data, tensor.Address(), tensor.numel() * SizeOfType(tensor.type_));
    target->data = made.data, target->handle = made.handle, target->device = made.device;
  }
}

// Hands over what the kernel made of the outputs.
inline int32_t Bound::Give(PD_Call* call) const {
  bool others = false;
  PD_Tensor* to = call->outputs;
  for (const BoundSlot& slot : outputs) {
    for (LoDTensor* tensor : slot.tensors) {
      PD_Tensor& target = *to++;
      if (!tensor) continue;
      PADDLE_ENFORCE_EQ(tensor->IsInitialized(), true,
                        platform::errors::PreconditionNotMet(
                            "The kernel of operator %s made no output %s: it has not called "
                            "mutable_data.",
                            op->Type(), slot.name));
      const DDim& dims = tensor->dims();
      PADDLE_ENFORCE_LE(
          tensor->numel() * SizeOfType(tensor->type_), tensor->memory_size(),
          platform::errors::OutOfRange(
              "Output %s of operator %s was resized to [%s] after its memory was made: "
              "that is too small.",
              slot.name, op->Type(), dims));
      if (!tensor->lod().empty())
        GiveLod(call, static_cast<int32_t>(to - call->outputs) - 1, tensor->lod());
      if (tensor->memory_ == tensor->offer_ && !tensor->offset_ && dims.size() == target.ndim &&
          std::equal(dims.Get(), dims.Get() + dims.size(), target.shape)) {
        continue;
      }
      others = true;
      GiveOther(call, *tensor, &target);
    }
  }
  return others ? PD_OTHER_OUTPUTS : PD_OK;
}

}  // namespace framework
}  // namespace paddle

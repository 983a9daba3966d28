// Data types of outputs in a Program, where they are not that of the first input (8.2.1).
#pragma once
#include <unordered_map>
#include "paddle/fluid/framework/operator.h"

namespace paddle {
namespace framework {

class InferVarTypeContext {
 public:
  explicit InferVarTypeContext(Bound* bound) : bound_(*bound) {}
  bool HasInput(const std::string& name) const { return bound_.Find(bound_.inputs, name).any(); }
  bool HasOutput(const std::string& name) const { return bound_.Find(bound_.outputs, name).any(); }
  size_t InputSize(const std::string& name) const {
    return bound_.Find(bound_.inputs, name).tensors.size();
  }
  Attribute GetAttr(const std::string& name) const { return bound_.op->Attrs().at(name); }
  proto::VarType::Type GetInputDataType(const std::string& name, int i = 0) const {
    return bound_.Needed(bound_.inputs, name, i)->declared();
  }
  void SetOutputDataType(const std::string& name, proto::VarType::Type type, int i = 0) {
    const BoundSlot& slot = bound_.Find(bound_.outputs, name);
    if (static_cast<size_t>(i) < slot.tensors.size() && slot.tensors[i])
      slot.tensors[i]->declare(type);
  }
  proto::VarType::Type GetInputType(const std::string&, int = 0) const {
    return proto::VarType::LOD_TENSOR;
  }
  void SetOutputType(const std::string& name, proto::VarType::Type type, int = 0) {
    PADDLE_ENFORCE_EQ(
        int(type), int(proto::VarType::LOD_TENSOR),
        platform::errors::Unimplemented("Output %s of operator %s can be a LoDTensor alone.", name,
                                        bound_.op->Type()));
  }
  void SyncTypeAndDataType(const std::string& in, const std::string& out, int i = 0) {
    SetOutputDataType(out, GetInputDataType(in), i);
  }

 private:
  Bound& bound_;
};

class VarTypeInference {
 public:
  virtual ~VarTypeInference() {}
  virtual void operator()(InferVarTypeContext* context) const = 0;
};

class PassInDtypeAndVarTypeToOutput : public VarTypeInference {
 public:
  void operator()(InferVarTypeContext* context) const final {
    for (const auto& pair : GetInputOutputWithSameType()) {
      context->SyncTypeAndDataType(pair.first, pair.second);
    }
  }

 protected:
  virtual std::unordered_map<std::string, std::string>& GetInputOutputWithSameType() const = 0;
};

}  // namespace framework
}  // namespace paddle

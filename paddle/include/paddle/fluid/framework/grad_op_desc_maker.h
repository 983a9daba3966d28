// Which operator gives the gradients of another one, and what goes where (8.1.2).
#pragma once
#include "paddle/fluid/framework/operator.h"

namespace paddle {
namespace framework {

// An operator as a gradient maker writes it down. Variables have names made of where they come
// from: "in:X", "out:Out", "d_out:Out", "d_in:X".
class OpDesc {
 public:
  virtual ~OpDesc() {}
  void SetType(const std::string& type) { type_ = type; }
  void SetInput(const std::string& slot, const std::vector<std::string>& names) {
    inputs_.emplace_back(slot, names);
  }
  void SetOutput(const std::string& slot, const std::vector<std::string>& names) {
    outputs_.emplace_back(slot, names);
  }
  void SetAttrMap(const AttributeMap& attrs) { attrs_ = attrs; }
  void SetAttr(const std::string& name, const Attribute& value) { attrs_[name] = value; }
  typedef std::vector<std::pair<std::string, std::vector<std::string>>> Slots;
  const std::string& Type() const { return type_; }
  const Slots& inputs() const { return inputs_; }
  const Slots& outputs() const { return outputs_; }
  const AttributeMap& attrs() const { return attrs_; }

 private:
  std::string type_;
  Slots inputs_, outputs_;
  AttributeMap attrs_;
};

// The operator that a gradient is made for.
struct ForwardOp {
  const std::string& type;
  const OpProto& proto;
  const AttributeMap& attrs;
};

class GradMakerBase {
 public:
  explicit GradMakerBase(const ForwardOp& forward) : forward_(forward) {}
  virtual ~GradMakerBase() {}
  virtual std::vector<std::unique_ptr<OpDesc>> operator()() const = 0;

 protected:
  typedef std::vector<std::string> Names;
  Names Input(const std::string& name) const { return Named("in:", name, forward_.proto.inputs); }
  Names Output(const std::string& name) const {
    return Named("out:", name, forward_.proto.outputs);
  }
  Names OutputGrad(const std::string& name) const {
    return Named("d_out:", name, forward_.proto.outputs);
  }
  Names InputGrad(const std::string& name, bool = true) const {
    return Named("d_in:", name, forward_.proto.inputs);
  }
  Names EmptyInput() const { return {}; }
  Names EmptyOutput() const { return {}; }
  Names EmptyInputGrad() const { return {}; }
  Names EmptyOutputGrad() const { return {}; }
  Names InputNames() const { return NamesOf(forward_.proto.inputs); }
  Names OutputNames() const { return NamesOf(forward_.proto.outputs); }
  bool HasInput(const std::string& name) const { return Has(name, forward_.proto.inputs); }
  bool HasOutput(const std::string& name) const { return Has(name, forward_.proto.outputs); }
  const AttributeMap& Attrs() const { return forward_.attrs; }
  const Attribute& GetAttr(const std::string& name) const {
    auto found = forward_.attrs.find(name);
    PADDLE_ENFORCE_EQ(
        found != forward_.attrs.end(), true,
        platform::errors::NotFound("Operator %s has no attribute %s.", forward_.type, name));
    return found->second;
  }
  std::string ForwardOpType() const { return forward_.type; }

 private:
  static bool Has(const std::string& name, const std::vector<SlotProto>& slots) {
    for (const SlotProto& slot : slots) {
      if (slot.name == name) return true;
    }
    return false;
  }
  Names Named(const char* from, const std::string& name,
              const std::vector<SlotProto>& slots) const {
    PADDLE_ENFORCE_EQ(
        Has(name, slots), true,
        platform::errors::NotFound("The gradient of operator %s asks for %s%s, which it "
                                   "does not have.",
                                   forward_.type, from, name));
    return {from + name};
  }
  static Names NamesOf(const std::vector<SlotProto>& slots) {
    Names all;
    for (const SlotProto& slot : slots) all.push_back(slot.name);
    return all;
  }
  ForwardOp forward_;
};

}  // namespace framework

namespace imperative {
class OpBase : public framework::OpDesc {};  // the same maker, registered for dynamic mode
}  // namespace imperative

template <typename T>
using GradOpPtr = T*;

namespace framework {

template <typename T>
class GradOpMaker : public GradMakerBase {
 public:
  using GradMakerBase::GradMakerBase;
};
typedef GradOpMaker<OpDesc> GradOpDescMakerBase;
typedef GradOpMaker<imperative::OpBase> GradOpBaseMakerBase;

template <typename T>
class SingleGradOpMaker : public GradOpMaker<T> {
 public:
  using GradOpMaker<T>::GradOpMaker;
  std::vector<std::unique_ptr<OpDesc>> operator()() const final {
    std::unique_ptr<T> made(new T());
    Apply(made.get());
    std::vector<std::unique_ptr<OpDesc>> all;
    all.emplace_back(std::move(made));
    return all;
  }

 protected:
  virtual void Apply(GradOpPtr<T> op) const = 0;
};

// All inputs, outputs and gradients of outputs go in, gradients of all inputs come out.
template <typename T, bool DropEmptyIG = true>
class DefaultGradOpMaker : public SingleGradOpMaker<T> {
 public:
  using SingleGradOpMaker<T>::SingleGradOpMaker;

 protected:
  void Apply(GradOpPtr<T> op) const override {
    op->SetType(this->ForwardOpType() + "_grad");
    for (const std::string& name : this->InputNames()) {
      op->SetInput(name, this->Input(name));
      op->SetOutput(GradVarName(name), this->InputGrad(name, DropEmptyIG));
    }
    for (const std::string& name : this->OutputNames()) {
      op->SetInput(name, this->Output(name));
      op->SetInput(GradVarName(name), this->OutputGrad(name));
    }
    op->SetAttrMap(this->Attrs());
  }
};

template <typename T>
class EmptyGradOpMaker : public GradOpMaker<T> {
 public:
  using GradOpMaker<T>::GradOpMaker;
  std::vector<std::unique_ptr<OpDesc>> operator()() const final { return {}; }
};

}  // namespace framework
}  // namespace paddle

// Operators in the form of PaddlePaddle's own (chapter 8): classes, and macros that register them.
#pragma once
#include <algorithm>
#include "paddle/fluid/framework/op_info.h"

namespace paddle {
namespace framework {

// DECLARE_INPLACE_OP_INFERER and DECLARE_NO_NEED_BUFFER_VARS_INFERER make classes of these.
class InplaceOpInference {
 public:
  virtual ~InplaceOpInference() {}
  virtual std::map<std::string, std::string> operator()(bool use_cuda) const = 0;
};
class NoNeedBufferVarsInference {
 public:
  virtual ~NoNeedBufferVarsInference() {}
  virtual std::vector<std::string> operator()() const = 0;
};

// One overload for each kind of class that REGISTER_OPERATOR takes, in any order.
template <typename T>
void Fill(OpInfo* info, OperatorBase*) {
  static_assert(
      std::is_base_of<OperatorWithKernel, T>::value,
      "an operator is derived from OperatorWithKernel: those that run in a scope, without "
      "kernels, cannot be loaded");
  if (info->create) info->problem = "Operator " + info->name + " is registered twice.";
  info->create = [](const std::string& type, const VariableNameMap& inputs,
                    const VariableNameMap& outputs, const AttributeMap& attrs) {
    return static_cast<OperatorWithKernel*>(new T(type, inputs, outputs, attrs));
  };
}
template <typename T>
void Fill(OpInfo* info, OpProtoAndCheckerMaker*) {
  info->maker.reset(new T());
}
template <typename T>
void Fill(OpInfo* info, GradOpDescMakerBase*) {
  info->grad = [](const ForwardOp& forward) {
    return std::unique_ptr<GradMakerBase>(new T(forward));
  };
}
template <typename T>
void Fill(OpInfo*, GradOpBaseMakerBase*) {}  // the same for dynamic mode: one serves both here
template <typename T>
void Fill(OpInfo* info, VarTypeInference*) {
  info->infer_type.reset(new T());
}
template <typename T>
void Fill(OpInfo* info, InplaceOpInference*) {
  info->inplace = T()(false);
}
template <typename T>
void Fill(OpInfo* info, NoNeedBufferVarsInference*) {
  info->no_buffer = T()();
}

template <typename... Parts>
struct OperatorRegistrar {
  explicit OperatorRegistrar(const char* name) {
    OpInfo* info = &OpInfo::Get(name);
    const int each[] = {(Fill<Parts>(info, static_cast<Parts*>(nullptr)), 0)...};
    static_cast<void>(each);
  }
};

template <int device, LibraryType library, typename... Kernels>
struct OpKernelRegistrar {
  explicit OpKernelRegistrar(const char* name) {
    OpInfo* info = &OpInfo::Get(name);
    const int each[] = {(Add<Kernels>(info), 0)...};
    static_cast<void>(each);
  }
  template <typename Kernel>
  static void Add(OpInfo* info) {
    info->kernels.push_back(
        KernelInfo{device, DataTypeTrait<typename Kernel::ELEMENT_TYPE>::DataType(), library,
                   [](const ExecutionContext& context) { Kernel().Compute(context); }});
  }
};

}  // namespace framework
}  // namespace paddle

#define REGISTER_OPERATOR(name, ...) \
  static const ::paddle::framework::OperatorRegistrar<__VA_ARGS__> paddle_operator_##name##_(#name)
#define REGISTER_OP_WITHOUT_GRADIENT(name, ...)                                         \
  REGISTER_OPERATOR(name, __VA_ARGS__,                                                  \
                    ::paddle::framework::EmptyGradOpMaker<::paddle::framework::OpDesc>, \
                    ::paddle::framework::EmptyGradOpMaker<::paddle::imperative::OpBase>)
#define PADDLE_REGISTER_KERNELS_(name, label, device, library, ...)   \
  static const ::paddle::framework::OpKernelRegistrar<                \
      device, ::paddle::framework::LibraryType::library, __VA_ARGS__> \
      paddle_kernels_##name##_##label##_(#name)
#define REGISTER_OP_CPU_KERNEL(name, ...) \
  PADDLE_REGISTER_KERNELS_(name, CPU, PD_CPU, kPlain, __VA_ARGS__)
#define REGISTER_OP_CUDA_KERNEL(name, ...) \
  PADDLE_REGISTER_KERNELS_(name, CUDA, PD_CUDA, kPlain, __VA_ARGS__)

#define DECLARE_INPLACE_OP_INFERER(class_name, ...)                                           \
  class class_name final : public ::paddle::framework::InplaceOpInference {                   \
   public:                                                                                    \
    std::map<std::string, std::string> operator()(bool) const final { return {__VA_ARGS__}; } \
  }
#define DECLARE_NO_NEED_BUFFER_VARS_INFERER(class_name, ...)                       \
  class class_name final : public ::paddle::framework::NoNeedBufferVarsInference { \
   public:                                                                         \
    std::vector<std::string> operator()() const final { return {__VA_ARGS__}; }    \
  }

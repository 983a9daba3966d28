// Registrations that are wrong, one at a time: the variable CHAPTER8_CASE says which.
#include <cstdlib>

#include "paddle/fluid/framework/op_registry.h"

namespace f = paddle::framework;

struct Op : f::OperatorWithKernel {
  using OperatorWithKernel::OperatorWithKernel;
  void InferShape(f::InferShapeContext* ctx) const override {
    ctx->SetOutputDim("Out", ctx->GetInputDim("X"));
  }
};
struct Maker : f::OpProtoAndCheckerMaker {
  void Make() override {
    AddInput("X", "");
    AddOutput("Out", "");
    AddAttr<int>("n", "").SetDefault(1);
  }
};
struct TwiceMaker : f::OpProtoAndCheckerMaker {
  void Make() override {
    AddInput("X", "");
    AddInput("X", "");
  }
};
struct TwoDefaults : f::OpProtoAndCheckerMaker {
  void Make() override { AddAttr<int>("n", "").SetDefault(1).SetDefault(2); }
};
template <int kCase>
struct Grad : f::GradOpDescMakerBase {
  using f::GradOpDescMakerBase::GradOpDescMakerBase;
  std::vector<std::unique_ptr<f::OpDesc>> operator()() const override {
    std::vector<std::unique_ptr<f::OpDesc>> all;
    for (int i = 0; i < (kCase == 1 ? 2 : 1); ++i) {
      all.emplace_back(new f::OpDesc);
      f::OpDesc& op = *all.back();
      op.SetType(kCase == 2 ? "c8_not_here" : kCase == 6 ? "c8_bad_grad" : "c8_bad");
      if (kCase == 3) op.SetInput("Z", Input("X"));
      if (kCase == 4) op.SetInput("X", Input("Nothing"));
      if (kCase == 5) op.SetAttr("n", this->GetAttr("n").Get<int>() * 2);
      if (kCase == 6) op.SetInput("D", OutputGrad("Out"));
      if (kCase == 7) op.SetInput("X", {Input("X")[0], OutputGrad("Out")[0]});
    }
    return all;
  }
};
template <typename T>
struct Kernel : f::OpKernel<T> {
  void Compute(const f::ExecutionContext&) const override {}
};
DECLARE_NO_NEED_BUFFER_VARS_INFERER(NoBuffer, "Y");
DECLARE_INPLACE_OP_INFERER(Inplace, {"X", "Y"});

template <typename... Parts>
bool Register(const char* name) {
  f::OperatorRegistrar<Parts...> now(name);
  return true;
}
static bool Start() {
  const char* told = std::getenv("CHAPTER8_CASE");
  const std::string is = told ? told : "";
  if (is == "twice") Register<Op, Maker>("c8_bad");
  if (is == "twice") Register<Op, Maker>("c8_bad");
  if (is == "kernel alone")
    f::OpKernelRegistrar<PD_CPU, f::LibraryType::kPlain, Kernel<float>> k("c8_bad");
  if (is == "no maker") Register<Op>("c8_bad");
  if (is == "slot twice") Register<Op, TwiceMaker>("c8_bad");
  if (is == "default twice") Register<Op, TwoDefaults>("c8_bad");
  if (is == "two gradients") Register<Op, Maker, Grad<1>>("c8_bad");
  if (is == "no gradient") Register<Op, Maker, Grad<2>>("c8_bad");
  if (is == "other slot") Register<Op, Maker, Grad<3>>("c8_bad");
  if (is == "no input") Register<Op, Maker, Grad<4>>("c8_bad");
  if (is == "computed") Register<Op, Maker, Grad<5>>("c8_bad");
  if (is == "two into one") Register<Op, Maker, Grad<7>>("c8_bad");
  if (is == "no buffer") Register<Op, Maker, NoBuffer>("c8_bad");
  if (is == "inplace") Register<Op, Maker, Inplace>("c8_bad");
  return true;
}
static const bool started = Start();

// Operators in the form of chapter 8 that have what relu2 and mul2 do not: lists, attributes of all
// types, gradients of several kinds, sequences, and kernels that do wrong.
#include <numeric>

#include "paddle/fluid/framework/op_registry.h"

namespace paddle {
namespace operators {

using framework::LoDTensor;
using framework::Tensor;

// An operator with one input and one output of the same shape.
class UnaryMaker : public framework::OpProtoAndCheckerMaker {
 public:
  void Make() override {
    AddInput("X", "The input.");
    AddOutput("Out", "The result.");
    Attributes();
  }
  virtual void Attributes() {}
};
class SameShapeOp : public framework::OperatorWithKernel {
 public:
  using framework::OperatorWithKernel::OperatorWithKernel;
  void InferShape(framework::InferShapeContext* ctx) const override {
    ctx->SetOutputDim("Out", ctx->GetInputDim("X"));
    ctx->ShareLoD("X", "Out");
  }
};
class GradOfX : public framework::OperatorWithKernel {
 public:
  using framework::OperatorWithKernel::OperatorWithKernel;
  void InferShape(framework::InferShapeContext* ctx) const override {
    ctx->SetOutputDim("X@GRAD", ctx->GetInputDim("X"));
  }
};

// ---- a list in, a list out

class SumListMaker : public framework::OpProtoAndCheckerMaker {
 public:
  void Make() override {
    AddInput("X", "Tensors of one shape.").AsDuplicable();
    AddInput("Bias", "Added too, if it is there.").AsDispensable();
    AddOutput("Out", "Their sum.");
  }
};
class SumListOp : public framework::OperatorWithKernel {
 public:
  using framework::OperatorWithKernel::OperatorWithKernel;
  void InferShape(framework::InferShapeContext* ctx) const override {
    PADDLE_ENFORCE_EQ(ctx->HasInputs("X"), true,
                      platform::errors::NotFound("Input(X) of SumListOp should not be null."));
    auto all = ctx->GetInputsDim("X");
    for (size_t i = 1; i < all.size(); ++i) {
      bool check = ctx->IsRuntime() || !(framework::contain_unknown_dim(all[0]) ||
                                         framework::contain_unknown_dim(all[i]));
      if (check) {
        PADDLE_ENFORCE_EQ(all[0], all[i],
                          "ShapeError: shapes must be equal. But received input[0]'s shape = [%s], "
                          "input[%d]'s shape = [%s].",
                          all[0], i, all[i]);
      }
    }
    ctx->SetOutputDim("Out", all[0]);
  }
};
template <typename T>
class SumListKernel : public framework::OpKernel<T> {
 public:
  void Compute(const framework::ExecutionContext& ctx) const override {
    auto* out = ctx.Output<Tensor>("Out");
    T* to = out->mutable_data<T>(ctx.GetPlace());
    std::fill(to, to + out->numel(), T(0));
    auto all = ctx.MultiInput<Tensor>("X");
    if (ctx.HasInput("Bias")) all.push_back(ctx.Input<Tensor>("Bias"));
    for (const Tensor* one : all) {
      for (int64_t i = 0; i < out->numel(); ++i) to[i] += one->data<T>()[i];
    }
  }
};
template <typename T>
class SumListGradMaker : public framework::SingleGradOpMaker<T> {
 public:
  using framework::SingleGradOpMaker<T>::SingleGradOpMaker;
  void Apply(GradOpPtr<T> op) const override {
    op->SetType("c8_sum_list_grad");
    op->SetInput("D", this->OutputGrad("Out"));
    op->SetOutput("DX", this->InputGrad("X"));
    if (this->HasInput("Bias")) op->SetOutput("DBias", this->InputGrad("Bias"));
  }
};
class SumListGradOp : public framework::OperatorWithKernel {
 public:
  using framework::OperatorWithKernel::OperatorWithKernel;
  void InferShape(framework::InferShapeContext* ctx) const override {
    auto dims = ctx->GetInputDim("D");
    ctx->SetOutputsDim("DX", std::vector<framework::DDim>(ctx->Outputs("DX").size(), dims));
    if (ctx->HasOutput("DBias")) ctx->SetOutputDim("DBias", dims);
  }
};
template <typename T>
class SumListGradKernel : public framework::OpKernel<T> {
 public:
  void Compute(const framework::ExecutionContext& ctx) const override {
    auto* d = ctx.Input<Tensor>("D");
    auto all = ctx.MultiOutput<Tensor>("DX");
    all.push_back(ctx.Output<Tensor>("DBias"));
    for (Tensor* one : all) {
      if (one) framework::TensorCopy(*d, ctx.GetPlace(), one);
    }
  }
};

class RowsMaker : public framework::OpProtoAndCheckerMaker {
 public:
  void Make() override {
    AddInput("X", "A matrix.");
    AddOutput("Out", "Its rows.").AsDuplicable();
  }
};
class RowsOp : public framework::OperatorWithKernel {
 public:
  using framework::OperatorWithKernel::OperatorWithKernel;
  void InferShape(framework::InferShapeContext* ctx) const override {
    auto dims = ctx->GetInputDim("X");
    ctx->SetOutputsDim("Out",
                       std::vector<framework::DDim>(dims[0], framework::slice_ddim(dims, 1, 2)));
  }
};
template <typename T>
class RowsKernel : public framework::OpKernel<T> {
 public:
  void Compute(const framework::ExecutionContext& ctx) const override {
    auto all = ctx.MultiOutput<Tensor>("Out");
    for (size_t i = 0; i < all.size(); ++i) {
      Tensor row = ctx.Input<Tensor>("X")->Slice(i, i + 1);
      row.Resize({row.dims()[1]});
      framework::TensorCopy(row, ctx.GetPlace(), ctx.device_context(), all[i]);
    }
  }
};

// ---- attributes

class AttributesMaker : public UnaryMaker {
  void Attributes() override {
    AddAttr<bool>("a", "bool").SetDefault(true);
    AddAttr<int>("b", "int, 1 at least").SetDefault(2).EqualGreaterThan(1);
    AddAttr<int64_t>("c", "int64_t").SetDefault(int64_t(1) << 40);
    AddAttr<float>("d", "float, above 0").SetDefault(0.5f).GreaterThan(0.0f);
    AddAttr<double>("e", "double").SetDefault(0.25);
    AddAttr<std::string>("f", "sum or max").SetDefault("sum").InEnum({"sum", "max"});
    AddAttr<std::vector<bool>>("g", "bools").SetDefault({true, false, true});
    AddAttr<std::vector<int>>("h", "ints").SetDefault({1, 2});
    AddAttr<std::vector<int64_t>>("i", "int64s").SetDefault({3, 4});
    AddAttr<std::vector<float>>("j", "floats").SetDefault({1.5f});
    AddAttr<std::vector<double>>("k", "doubles").SetDefault({});
    AddAttr<std::vector<std::string>>("l", "texts").SetDefault({"x", "yz"});
    AddAttr<int>("m", "even").SetDefault(0).AddCustomChecker([](const int& value) {
      PADDLE_ENFORCE_EQ(value % 2, 0, platform::errors::InvalidArgument("m should be even."));
    });
    AddComment("Echoes its attributes.");
  }
};
class EchoOp : public framework::OperatorWithKernel {
 public:
  EchoOp(const std::string& type, const framework::VariableNameMap& inputs,
         const framework::VariableNameMap& outputs, const framework::AttributeMap& attrs)
      : OperatorWithKernel(type, inputs, outputs, attrs) {}
  void InferShape(framework::InferShapeContext* ctx) const override {
    ctx->SetOutputDim("Out", {15});
  }
};
template <typename T>
class EchoKernel : public framework::OpKernel<T> {
 public:
  void Compute(const framework::ExecutionContext& ctx) const override {
    T* to = ctx.Output<Tensor>("Out")->mutable_data<T>(ctx.GetPlace());
    auto& bools = ctx.Attr<std::vector<bool>>("g");
    auto& ints = ctx.Attr<std::vector<int>>("h");
    auto& int64s = ctx.Attr<std::vector<int64_t>>("i");
    auto& floats = ctx.Attr<std::vector<float>>("j");
    auto& doubles = ctx.Attr<std::vector<double>>("k");
    std::string texts;
    for (auto& one : ctx.Attr<std::vector<std::string>>("l")) texts += one;
    const double all[] = {double(ctx.Attr<bool>("a")),
                          double(ctx.Attr<int>("b")),
                          double(ctx.Attr<int64_t>("c")),
                          double(ctx.Attr<float>("d")),
                          ctx.Attr<double>("e"),
                          double(ctx.Attr<std::string>("f").size()),
                          double(bools.size()),
                          double(std::count(bools.begin(), bools.end(), true)),
                          double(std::accumulate(ints.begin(), ints.end(), 0)),
                          double(std::accumulate(int64s.begin(), int64s.end(), int64_t(0))),
                          double(std::accumulate(floats.begin(), floats.end(), 0.0f)),
                          std::accumulate(doubles.begin(), doubles.end(), 0.0),
                          double(texts.size()),
                          double(ctx.Attr<int>("m")),
                          double(ctx.HasAttr("nothing"))};
    for (int i = 0; i < 15; ++i) to[i] = static_cast<T>(all[i]);
  }
};

// ---- gradients: by itself with other attributes; sizes alone; the default one, twice

class ScaleMaker : public UnaryMaker {
  void Attributes() override {
    AddAttr<float>("scale", "factor").SetDefault(1.0f);
    AddAttr<float>("bias", "added after it").SetDefault(0.0f);
  }
};
template <typename T>
class ScaleKernel : public framework::OpKernel<T> {
 public:
  void Compute(const framework::ExecutionContext& ctx) const override {
    auto* x = ctx.Input<Tensor>("X");
    T* to = ctx.Output<Tensor>("Out")->mutable_data<T>(ctx.GetPlace());
    const T scale = ctx.Attr<float>("scale"), bias = ctx.Attr<float>("bias");
    for (int64_t i = 0; i < x->numel(); ++i) to[i] = x->data<T>()[i] * scale + bias;
  }
};
template <typename T>
class ScaleGradMaker : public framework::SingleGradOpMaker<T> {
 public:
  using framework::SingleGradOpMaker<T>::SingleGradOpMaker;
  void Apply(GradOpPtr<T> op) const override {
    op->SetType("c8_scale");
    op->SetInput("X", this->OutputGrad("Out"));
    op->SetOutput("Out", this->InputGrad("X"));
    op->SetAttr("scale", this->GetAttr("scale"));
    op->SetAttr("bias", 0.0f);
  }
};

class FirstRowOp : public framework::OperatorWithKernel {
 public:
  using framework::OperatorWithKernel::OperatorWithKernel;
  void InferShape(framework::InferShapeContext* ctx) const override {
    auto dims = ctx->GetInputDim("X");
    dims[0] = 1;
    ctx->SetOutputDim("Out", dims);
  }
};
template <typename T>
class FirstRowKernel : public framework::OpKernel<T> {
 public:
  void Compute(const framework::ExecutionContext& ctx) const override {
    framework::TensorCopy(ctx.Input<Tensor>("X")->Slice(0, 1), ctx.GetPlace(),
                          ctx.Output<Tensor>("Out"));
  }
};
template <typename T>
class FirstRowGradMaker : public framework::SingleGradOpMaker<T> {
 public:
  using framework::SingleGradOpMaker<T>::SingleGradOpMaker;
  void Apply(GradOpPtr<T> op) const override {
    op->SetType("c8_first_row_grad");
    op->SetInput("X", this->Input("X"));
    op->SetInput(framework::GradVarName("Out"), this->OutputGrad("Out"));
    op->SetOutput(framework::GradVarName("X"), this->InputGrad("X"));
    op->SetAttrMap(this->Attrs());
  }
};
class FirstRowGradOp : public GradOfX {
 public:
  using GradOfX::GradOfX;
  framework::OpKernelType GetExpectedKernelType(
      const framework::ExecutionContext& ctx) const override {
    auto dtype = ctx.Input<Tensor>(framework::GradVarName("Out"))->type();
    return framework::OpKernelType(dtype, ctx.GetPlace());
  }
};
template <typename T>
class FirstRowGradKernel : public framework::OpKernel<T> {
 public:
  void Compute(const framework::ExecutionContext& ctx) const override {
    auto* d = ctx.Input<Tensor>("Out@GRAD");
    auto* dx = ctx.Output<Tensor>("X@GRAD");
    PADDLE_ENFORCE_EQ(ctx.Input<Tensor>("X")->IsInitialized(), false, "X should have sizes alone");
    T* to = dx->mutable_data<T>(ctx.Input<Tensor>("X")->dims(), ctx.GetPlace());
    std::fill(to, to + dx->numel(), T(0));
    std::copy(d->data<T>(), d->data<T>() + d->numel(), to);
  }
};
DECLARE_NO_NEED_BUFFER_VARS_INFERER(FirstRowNoBuffer, "X");
DECLARE_INPLACE_OP_INFERER(SquareInplace, {"X", "Out"});

template <typename T>
class SquareKernel : public framework::OpKernel<T> {
 public:
  void Compute(const framework::ExecutionContext& ctx) const override {
    auto* x = ctx.Input<Tensor>("X");
    T* to = ctx.Output<Tensor>("Out")->mutable_data<T>(ctx.GetPlace());
    for (int64_t i = 0; i < x->numel(); ++i) to[i] = x->data<T>()[i] * x->data<T>()[i];
  }
};
template <typename T>
class SquareGradKernel : public framework::OpKernel<T> {  // dX = 2 X dOut
 public:
  void Compute(const framework::ExecutionContext& ctx) const override {
    auto *x = ctx.Input<Tensor>("X"), *d = ctx.Input<Tensor>("Out@GRAD");
    T* to = ctx.Output<Tensor>("X@GRAD")->mutable_data<T>(ctx.GetPlace());
    for (int64_t i = 0; i < x->numel(); ++i) to[i] = 2 * x->data<T>()[i] * d->data<T>()[i];
  }
};
template <typename T>
class SquareGradGradMaker : public framework::SingleGradOpMaker<T> {
 public:
  using framework::SingleGradOpMaker<T>::SingleGradOpMaker;
  void Apply(GradOpPtr<T> op) const override {
    op->SetType("c8_square_grad_grad");
    op->SetInput("X", this->Input("X"));
    op->SetInput("D", this->Input("Out@GRAD"));
    op->SetInput("DDX", this->OutputGrad("X@GRAD"));
    op->SetOutput("DD", this->InputGrad("Out@GRAD"));
    op->SetOutput("DX", this->InputGrad("X"));
  }
};
class SquareGradGradOp : public framework::OperatorWithKernel {
 public:
  using framework::OperatorWithKernel::OperatorWithKernel;
  void InferShape(framework::InferShapeContext* ctx) const override {
    if (ctx->HasOutput("DD")) ctx->ShareDim("X", "DD");
    if (ctx->HasOutput("DX")) ctx->ShareDim("X", "DX");
  }
};
template <typename T>
class SquareGradGradKernel : public framework::OpKernel<T> {
 public:
  void Compute(const framework::ExecutionContext& ctx) const override {
    auto *x = ctx.Input<Tensor>("X"), *d = ctx.Input<Tensor>("D"), *ddx = ctx.Input<Tensor>("DDX");
    auto *dd = ctx.Output<Tensor>("DD"), *dx = ctx.Output<Tensor>("DX");
    T* to_dd = dd ? dd->mutable_data<T>(ctx.GetPlace()) : nullptr;
    T* to_dx = dx ? dx->mutable_data<T>(ctx.GetPlace()) : nullptr;
    for (int64_t i = 0; i < x->numel(); ++i) {
      if (dd) to_dd[i] = 2 * x->data<T>()[i] * ddx->data<T>()[i];
      if (dx) to_dx[i] = 2 * d->data<T>()[i] * ddx->data<T>()[i];
    }
  }
};

// ---- another data type, sequences of its own

class RowSumsOp : public framework::OperatorWithKernel {
 public:
  using framework::OperatorWithKernel::OperatorWithKernel;
  void InferShape(framework::InferShapeContext* ctx) const override {
    ctx->SetOutputDim("Out", framework::make_ddim({ctx->GetInputDim("X")[0]}));
  }
};
class CountsVarType : public framework::VarTypeInference {
 public:
  void operator()(framework::InferVarTypeContext* ctx) const override {
    ctx->SetOutputDataType("Out", framework::proto::VarType::INT64);
  }
};
template <typename T>
class PositiveCountsKernel : public framework::OpKernel<T> {
 public:
  void Compute(const framework::ExecutionContext& ctx) const override {
    auto* x = ctx.Input<LoDTensor>("X");
    auto* out = ctx.Output<LoDTensor>("Out");
    int64_t* to = out->mutable_data<int64_t>(ctx.GetPlace());
    const int64_t rows = x->dims()[0], columns = rows ? x->numel() / rows : 0;
    for (int64_t i = 0; i < rows; ++i) {
      const T* row = x->data<T>() + i * columns;
      to[i] = std::count_if(row, row + columns, [](T v) { return v > T(0); });
    }
    framework::LoD lod = x->lod();
    lod.push_back({0, static_cast<size_t>(rows)});
    out->set_lod(lod);
  }
};

// ---- what goes wrong

class WrongMaker : public UnaryMaker {
  void Attributes() override { AddAttr<std::string>("how", "what to do wrong"); }
};
class WrongOp : public framework::OperatorWithKernel {
 public:
  using framework::OperatorWithKernel::OperatorWithKernel;
  void InferShape(framework::InferShapeContext* ctx) const override {
    const std::string how = ctx->Attrs().Get<std::string>("how");
    auto dims = ctx->GetInputDim("X");
    int i = 0, *none = nullptr, *some = &i;
    if (how == "eq") PADDLE_ENFORCE_EQ(dims[0], 10);
    if (how == "ne") PADDLE_ENFORCE_NE(dims[0], dims[0], "sizes %d and %s", 7, dims);
    if (how == "gt") PADDLE_ENFORCE_GT(dims[0], 10, platform::errors::OutOfRange("too small"));
    if (how == "ge") PADDLE_ENFORCE_GE(dims[0], size_t(10), platform::errors::AlreadyExists("a"));
    if (how == "lt") PADDLE_ENFORCE_LT(dims[0], -1, platform::errors::PermissionDenied("b"));
    if (how == "le")
      PADDLE_ENFORCE_LE(1.5, 1.25, platform::errors::Unavailable("100%%, %.2f", 1.5));
    if (how == "dims") PADDLE_ENFORCE_EQ(dims, framework::make_ddim({9, 9}), "not [9, 9]");
    if (how == "plain") PADDLE_ENFORCE(dims.size() > 7, "too few: %d", dims.size());
    if (how == "null") PADDLE_ENFORCE_NOT_NULL(none, platform::errors::Fatal("no pointer"));
    PADDLE_ENFORCE_NOT_NULL(some, platform::errors::Fatal("never"));
    if (how == "throw") PADDLE_THROW(platform::errors::Unimplemented("not %s", "yet"));
    if (how == "slot") OP_INOUT_CHECK(ctx->HasInput("Z"), "Input", "Z", "c8_wrong");
    OP_INOUT_CHECK(ctx->HasInput("X"), "Input", "X", "c8_wrong");
    if (how == "cuda") PADDLE_ENFORCE_CUDA_SUCCESS(2);
    if (how == "dim") dims[5];
    if (how == "attr") ctx->Attrs().Get<int>("how");
    if (how == "no attr") ctx->Attrs().Get<int>("nothing");
    if (how == "no input") ctx->GetInputDim("Z");
    ctx->SetOutputDim("Out", dims);
  }
};
template <typename T>
class WrongKernel : public framework::OpKernel<T> {
 public:
  void Compute(const framework::ExecutionContext& ctx) const override {
    const std::string how = ctx.Attr<std::string>("how");
    auto* x = ctx.Input<Tensor>("X");
    auto* out = ctx.Output<Tensor>("Out");
    if (how == "lazy") return;
    if (how == "share") {  // 8.1.5 and 8.2.2 forbid it
      out->ShareDataWith(*x);
      return;
    }
    T* to = out->mutable_data<T>(ctx.GetPlace());
    std::copy(x->data<T>(), x->data<T>() + x->numel(), to);
    if (how == "std") throw std::runtime_error("thrown by the kernel");
    if (how == "int") throw 7;
    if (how == "type") x->data<int>();
    if (how == "big") out->Resize({1000, 1000});
    if (how == "shape") out->Resize({x->numel()});
    if (how == "other") {
      Tensor mine;
      std::fill_n(mine.mutable_data<T>(x->dims(), platform::CPUPlace()), x->numel(), T(5));
      out->ShareDataWith(mine);
    }
  }
};

}  // namespace operators
}  // namespace paddle

namespace ops = paddle::operators;
using paddle::framework::DefaultGradOpMaker;
using paddle::framework::OpDesc;
using paddle::imperative::OpBase;

REGISTER_OPERATOR(c8_sum_list, ops::SumListOp, ops::SumListMaker, ops::SumListGradMaker<OpDesc>,
                  ops::SumListGradMaker<OpBase>);
REGISTER_OPERATOR(c8_sum_list_grad, ops::SumListGradOp);
REGISTER_OP_CPU_KERNEL(c8_sum_list, ops::SumListKernel<float>, ops::SumListKernel<double>);
REGISTER_OP_CPU_KERNEL(c8_sum_list_grad, ops::SumListGradKernel<float>,
                       ops::SumListGradKernel<double>);

REGISTER_OP_WITHOUT_GRADIENT(c8_rows, ops::RowsOp, ops::RowsMaker);
REGISTER_OP_CPU_KERNEL(c8_rows, ops::RowsKernel<float>);

REGISTER_OP_WITHOUT_GRADIENT(c8_attributes, ops::EchoOp, ops::AttributesMaker);
REGISTER_OP_CPU_KERNEL(c8_attributes, ops::EchoKernel<double>);

REGISTER_OPERATOR(c8_scale, ops::SameShapeOp, ops::ScaleMaker, ops::ScaleGradMaker<OpDesc>,
                  ops::ScaleGradMaker<OpBase>);
REGISTER_OP_CPU_KERNEL(c8_scale, ops::ScaleKernel<float>, ops::ScaleKernel<double>,
                       ops::ScaleKernel<paddle::platform::float16>);

REGISTER_OPERATOR(c8_first_row, ops::FirstRowOp, ops::UnaryMaker, ops::FirstRowGradMaker<OpDesc>,
                  ops::FirstRowGradMaker<OpBase>);
REGISTER_OPERATOR(c8_first_row_grad, ops::FirstRowGradOp, ops::FirstRowNoBuffer);
REGISTER_OP_CPU_KERNEL(c8_first_row, ops::FirstRowKernel<float>);
REGISTER_OP_CPU_KERNEL(c8_first_row_grad, ops::FirstRowGradKernel<float>);

REGISTER_OPERATOR(c8_square, ops::SameShapeOp, ops::UnaryMaker, DefaultGradOpMaker<OpDesc, true>,
                  DefaultGradOpMaker<OpBase, true>, ops::SquareInplace);
REGISTER_OPERATOR(c8_square_grad, ops::GradOfX, ops::SquareGradGradMaker<OpDesc>,
                  ops::SquareGradGradMaker<OpBase>);
REGISTER_OPERATOR(c8_square_grad_grad, ops::SquareGradGradOp);
REGISTER_OP_CPU_KERNEL(c8_square, ops::SquareKernel<double>);
REGISTER_OP_CPU_KERNEL(c8_square_grad, ops::SquareGradKernel<double>);
REGISTER_OP_CPU_KERNEL(c8_square_grad_grad, ops::SquareGradGradKernel<double>);

REGISTER_OPERATOR(c8_counts, ops::RowSumsOp, ops::UnaryMaker, ops::CountsVarType);
REGISTER_OP_CPU_KERNEL(c8_counts, ops::PositiveCountsKernel<float>);

REGISTER_OPERATOR(c8_wrong, ops::WrongOp, ops::WrongMaker);
REGISTER_OP_CPU_KERNEL(c8_wrong, ops::WrongKernel<float>);

// The MulOp of 8.1 as it is printed there, named mul2 since mul exists; MulOpInferVarType, the
// gradient operator and its kernel, which the guide leaves to the reader, are ours.
#include "paddle/fluid/framework/op_registry.h"
#include "paddle/fluid/operators/math/blas.h"

namespace paddle {
namespace operators {

using Tensor = framework::Tensor;

class MulOpMaker : public framework::OpProtoAndCheckerMaker {
 public:
  void Make() override {
    AddInput("X", "(Tensor), The first input tensor of mul op.");
    AddInput("Y", "(Tensor), The second input tensor of mul op.");
    AddOutput("Out", "(Tensor), The output tensor of mul op.");
    AddAttr<bool>("use_mkldnn", "(bool, default false) Only used in mkldnn kernel")
        .SetDefault(false);
    AddAttr<int>("x_num_col_dims",
                 R"DOC((int, default 1), The mul_op can take tensors with more than two
dimensions as its inputs. If the input $X$ is a tensor with more
than two dimensions, $X$ will be flattened into a two-dimensional
matrix first. The flattening rule is: the first `num_col_dims`
will be flattened to form the first dimension of the final matrix
(the height of the matrix), and the rest `rank(X) - num_col_dims`
dimensions are flattened to form the second dimension of the final
matrix (the width of the matrix). As a result, height of the
flattened matrix is equal to the product of $X$'s first
`x_num_col_dims` dimensions' sizes, and width of the flattened
matrix is equal to the product of $X$'s last `rank(x) - num_col_dims`
dimensions' size. For example, suppose $X$ is a 6-dimensional
tensor with the shape [2, 3, 4, 5, 6], and `x_num_col_dims` = 3.
Thus, the flattened matrix will have a shape [2 x 3 x 4, 5 x 6] =
[24, 30].
)DOC")
        .SetDefault(1)
        .EqualGreaterThan(1);
    AddAttr<int>("y_num_col_dims",
                 R"DOC((int, default 1), The mul_op can take tensors with more than two,
dimensions as its inputs. If the input $Y$ is a tensor with more
than two dimensions, $Y$ will be flattened into a two-dimensional
matrix first. The attribute `y_num_col_dims` determines how $Y$ is
flattened. See comments of `x_num_col_dims` for more details.
)DOC")
        .SetDefault(1)
        .EqualGreaterThan(1);
    AddAttr<float>("scale_x",
                   "scale_x to be used for int8 mul input data x. scale_x has the"
                   "same purpose as scale_in in OPs that support quantization."
                   "Only to be used with MKL-DNN INT8")
        .SetDefault(1.0f);
    AddAttr<std::vector<float>>("scale_y",
                                "scale_y to be used for int8 mul input data y. scale_y has the"
                                "same purpose as scale_weights in OPs that support quantization."
                                "Only to be used with MKL-DNN INT8")
        .SetDefault({1.0f});
    AddAttr<float>("scale_out",
                   "scale_out to be used for int8 output data."
                   "Only used with MKL-DNN INT8")
        .SetDefault(1.0f);
    AddAttr<bool>("force_fp32_output",
                  "(bool, default false) Force quantize kernel output FP32, only "
                  "used in quantized MKL-DNN.")
        .SetDefault(false);
    AddComment(R"DOC(
Mul Operator.
This operator is used to perform matrix multiplication for input $X$ and $Y$.
The equation is:
$$Out = X * Y$$
Both the input $X$ and $Y$ can carry the LoD (Level of Details) information,
or not. But the output only shares the LoD information with input $X$.
)DOC");
  }
};

template <typename T>
class MulOpGradMaker : public framework::SingleGradOpMaker<T> {
 public:
  using framework::SingleGradOpMaker<T>::SingleGradOpMaker;

 protected:
  void Apply(GradOpPtr<T> retv) const override {
    retv->SetType("mul2_grad");
    retv->SetInput("X", this->Input("X"));
    retv->SetInput("Y", this->Input("Y"));
    retv->SetInput(framework::GradVarName("Out"), this->OutputGrad("Out"));
    retv->SetOutput(framework::GradVarName("X"), this->InputGrad("X"));
    retv->SetOutput(framework::GradVarName("Y"), this->InputGrad("Y"));
    retv->SetAttrMap(this->Attrs());
  }
};

class MulOp : public framework::OperatorWithKernel {
 public:
  using framework::OperatorWithKernel::OperatorWithKernel;
  void InferShape(framework::InferShapeContext* ctx) const override {
    PADDLE_ENFORCE_EQ(ctx->HasInput("X"), true,
                      platform::errors::NotFound("Input(X) of MulOp should not be null."));
    PADDLE_ENFORCE_EQ(ctx->HasInput("Y"), true,
                      platform::errors::NotFound("Input(Y) of MulOp should not be null."));
    PADDLE_ENFORCE_EQ(ctx->HasOutput("Out"), true,
                      platform::errors::NotFound("Output(Out) of MulOp should not be null."));
    auto x_dims = ctx->GetInputDim("X");
    auto y_dims = ctx->GetInputDim("Y");
    int x_num_col_dims = ctx->Attrs().Get<int>("x_num_col_dims");
    int y_num_col_dims = ctx->Attrs().Get<int>("y_num_col_dims");
    VLOG(3) << "mul operator x.shape=" << x_dims << " y.shape=" << y_dims
            << " x_num_col_dims=" << x_num_col_dims << " y_num_col_dims=" << y_num_col_dims;
    PADDLE_ENFORCE_NE(
        framework::product(y_dims), 0,
        platform::errors::PreconditionNotMet("The Input variable Y(%s) has not "
                                             "been initialized. You may need to confirm "
                                             "if you put exe.run(startup_program) "
                                             "after optimizer.minimize function.",
                                             ctx->Inputs("Y").front()));
    PADDLE_ENFORCE_GT(
        x_dims.size(), x_num_col_dims,
        platform::errors::InvalidArgument("The input tensor X's dimensions of MulOp "
                                          "should be larger than x_num_col_dims. But received X's "
                                          "dimensions = %d, X's shape = [%s], x_num_col_dims = %d.",
                                          x_dims.size(), x_dims, x_num_col_dims));
    PADDLE_ENFORCE_GT(
        y_dims.size(), y_num_col_dims,
        platform::errors::InvalidArgument("The input tensor Y's dimensions of MulOp "
                                          "should be larger than y_num_col_dims. But received Y's "
                                          "dimensions = %d, Y's shape = [%s], y_num_col_dims = %d.",
                                          y_dims.size(), y_dims, y_num_col_dims));
    auto x_mat_dims = framework::flatten_to_2d(x_dims, x_num_col_dims);
    auto y_mat_dims = framework::flatten_to_2d(y_dims, y_num_col_dims);
    PADDLE_ENFORCE_EQ(x_mat_dims[1], y_mat_dims[0],
                      platform::errors::InvalidArgument(
                          "After flatten the input tensor X and Y to 2-D dimensions "
                          "matrix X1 and Y1, the matrix X1's width must be equal with matrix "
                          "Y1's height. But received X's shape = [%s], X1's shape = [%s], "
                          "X1's "
                          "width = %s; Y's shape = [%s], Y1's shape = [%s], Y1's height = "
                          "%s.",
                          x_dims, x_mat_dims, x_mat_dims[1], y_dims, y_mat_dims, y_mat_dims[0]));
    std::vector<int64_t> output_dims;
    output_dims.reserve(static_cast<size_t>(x_num_col_dims + y_dims.size() - y_num_col_dims));
    for (int i = 0; i < x_num_col_dims; ++i) {
      output_dims.push_back(x_dims[i]);
    }
    for (int i = y_num_col_dims; i < y_dims.size(); ++i) {
      output_dims.push_back(y_dims[i]);
    }
    ctx->SetOutputDim("Out", framework::make_ddim(output_dims));
    ctx->ShareLoD("X", /*->*/ "Out");
  }
  framework::OpKernelType GetExpectedKernelType(const framework::ExecutionContext& ctx) const {
    framework::LibraryType library = framework::LibraryType::kPlain;
    framework::DataLayout layout = framework::DataLayout::kAnyLayout;
    int customized_type_value = framework::OpKernelType::kDefaultCustomizedTypeValue;
    auto input_data_type = OperatorWithKernel::IndicateVarDataType(ctx, "X");
#ifdef PADDLE_WITH_MKLDNN
    if (library == framework::LibraryType::kPlain && platform::CanMKLDNNBeUsed(ctx)) {
      library = framework::LibraryType::kMKLDNN;
      layout = framework::DataLayout::kMKLDNN;
      if (input_data_type == framework::DataTypeTrait<int8_t>::DataType() ||
          input_data_type == framework::DataTypeTrait<uint8_t>::DataType()) {
        customized_type_value = kMULMKLDNNINT8;
      }
    }
#endif
    return framework::OpKernelType(input_data_type, ctx.GetPlace(), layout, library,
                                   customized_type_value);
  }
};

template <typename DeviceContext, typename T>
class MulKernel : public framework::OpKernel<T> {
 public:
  void Compute(const framework::ExecutionContext& context) const override {
    const Tensor* x = context.Input<Tensor>("X");
    const Tensor* y = context.Input<Tensor>("Y");
    Tensor* z = context.Output<Tensor>("Out");
    const Tensor x_matrix =
        x->dims().size() > 2
            ? framework::ReshapeToMatrix(*x, context.template Attr<int>("x_num_col_dims"))
            : *x;
    const Tensor y_matrix =
        y->dims().size() > 2
            ? framework::ReshapeToMatrix(*y, context.template Attr<int>("y_num_col_dims"))
            : *y;
    z->mutable_data<T>(context.GetPlace());
    auto z_dim = z->dims();
    if (z_dim.size() != 2) {
      z->Resize({x_matrix.dims()[0], y_matrix.dims()[1]});
    }
    auto blas = math::GetBlas<DeviceContext, T>(context);
    blas.MatMul(x_matrix, y_matrix, z);
    if (z_dim.size() != 2) {
      z->Resize(z_dim);
    }
  }
};

class MulOpInferVarType : public framework::PassInDtypeAndVarTypeToOutput {
 protected:
  std::unordered_map<std::string, std::string>& GetInputOutputWithSameType() const override {
    static std::unordered_map<std::string, std::string> pairs{{"X", "Out"}};
    return pairs;
  }
};

class MulGradOp : public framework::OperatorWithKernel {
 public:
  using framework::OperatorWithKernel::OperatorWithKernel;

  void InferShape(framework::InferShapeContext* ctx) const override {
    for (const char* name : {"X", "Y"}) {
      PADDLE_ENFORCE_EQ(
          ctx->HasInput(name), true,
          platform::errors::NotFound("Input(%s) of MulGradOp should not be null.", name));
      const std::string gradient = framework::GradVarName(name);
      if (ctx->HasOutput(gradient)) ctx->SetOutputDim(gradient, ctx->GetInputDim(name));
    }
  }
};

template <typename DeviceContext, typename T>
class MulGradKernel : public framework::OpKernel<T> {
 public:
  void Compute(const framework::ExecutionContext& ctx) const override {
    const int x_columns = ctx.template Attr<int>("x_num_col_dims");
    const int y_columns = ctx.template Attr<int>("y_num_col_dims");
    auto* x = ctx.Input<framework::LoDTensor>("X");
    auto* y = ctx.Input<framework::LoDTensor>("Y");
    auto* dout = ctx.Input<framework::LoDTensor>(framework::GradVarName("Out"));
    auto* dx = ctx.Output<framework::LoDTensor>(framework::GradVarName("X"));
    auto* dy = ctx.Output<framework::LoDTensor>(framework::GradVarName("Y"));
    const Tensor x_matrix = framework::ReshapeToMatrix(*x, x_columns);
    const Tensor y_matrix = framework::ReshapeToMatrix(*y, y_columns);
    Tensor dout_matrix;
    dout_matrix.ShareDataWith(*dout);
    dout_matrix.Resize({x_matrix.dims()[0], y_matrix.dims()[1]});
    auto blas = math::GetBlas<DeviceContext, T>(ctx);
    if (dx) {
      dx->template mutable_data<T>(ctx.GetPlace());
      Tensor dx_matrix = framework::ReshapeToMatrix(*dx, x_columns);
      blas.MatMul(dout_matrix, false, y_matrix, true, &dx_matrix);
    }
    if (dy) {
      dy->template mutable_data<T>(ctx.GetPlace());
      Tensor dy_matrix = framework::ReshapeToMatrix(*dy, y_columns);
      blas.MatMul(x_matrix, true, dout_matrix, false, &dy_matrix);
    }
  }
};

}  // namespace operators
}  // namespace paddle

namespace ops = paddle::operators;
REGISTER_OPERATOR(mul2, ops::MulOp, ops::MulOpMaker, ops::MulOpInferVarType,
                  ops::MulOpGradMaker<paddle::framework::OpDesc>,
                  ops::MulOpGradMaker<paddle::imperative::OpBase>);
REGISTER_OPERATOR(mul2_grad, ops::MulGradOp);
REGISTER_OP_CPU_KERNEL(mul2, ops::MulKernel<paddle::platform::CPUDeviceContext, float>,
                       ops::MulKernel<paddle::platform::CPUDeviceContext, double>);
REGISTER_OP_CPU_KERNEL(mul2_grad, ops::MulGradKernel<paddle::platform::CPUDeviceContext, float>,
                       ops::MulGradKernel<paddle::platform::CPUDeviceContext, double>);

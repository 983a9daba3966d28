// The relu of the guides of 2.1 and 2.2; PaddlePaddle 2.6.2 takes it unchanged.
#include "paddle/extension.h"

#include <vector>

#define CHECK_CPU(x) PD_CHECK(x.place() == paddle::PlaceType::kCPU, "Input must be on the CPU.")

template <typename data_t>
void forward_loop(const data_t* x, data_t* out, int64_t n) {
  for (int64_t i = 0; i < n; ++i) out[i] = x[i] > static_cast<data_t>(0.) ? x[i] : static_cast<data_t>(0.);
}

template <typename data_t>
void backward_loop(const data_t* d_out, const data_t* out, data_t* d_x, int64_t n) {
  for (int64_t i = 0; i < n; ++i) d_x[i] = d_out[i] * (out[i] > static_cast<data_t>(0) ? 1. : 0.);
}

std::vector<paddle::Tensor> ReluForward(const paddle::Tensor& x) {
  CHECK_CPU(x);
  auto out = paddle::Tensor(paddle::PlaceType::kCPU, x.shape());
  PD_DISPATCH_FLOATING_TYPES(x.type(), "relu_cpu_forward", ([&] {
    forward_loop<data_t>(x.data<data_t>(), out.mutable_data<data_t>(x.place()), x.size());
  }));
  return {out};
}

std::vector<paddle::Tensor> ReluBackward(const paddle::Tensor& x, const paddle::Tensor& out,
                                         const paddle::Tensor& grad_out) {
  CHECK_CPU(x);
  auto grad_x = paddle::Tensor(paddle::PlaceType::kCPU, x.shape());
  PD_DISPATCH_FLOATING_TYPES(out.type(), "relu_cpu_backward", ([&] {
    backward_loop<data_t>(grad_out.data<data_t>(), out.data<data_t>(),
                          grad_x.mutable_data<data_t>(x.place()), out.size());
  }));
  return {grad_x};
}

std::vector<std::vector<int64_t>> ReluInferShape(std::vector<int64_t> x_shape) { return {x_shape}; }
std::vector<paddle::DataType> ReluInferDtype(paddle::DataType x_dtype) { return {x_dtype}; }

PD_BUILD_OP(custom_relu)
    .Inputs({"X"})
    .Outputs({"Out"})
    .SetKernelFn(PD_KERNEL(ReluForward))
    .SetInferShapeFn(PD_INFER_SHAPE(ReluInferShape))
    .SetInferDtypeFn(PD_INFER_DTYPE(ReluInferDtype));

PD_BUILD_GRAD_OP(custom_relu)
    .Inputs({"X", "Out", paddle::Grad("Out")})
    .Outputs({paddle::Grad("X")})
    .SetKernelFn(PD_KERNEL(ReluBackward));

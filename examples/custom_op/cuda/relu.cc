// gpu_relu: a kernel for the CPU here, one for a GPU in relu.cu.
#include "paddle/extension.h"

paddle::Tensor gpu_forward(const paddle::Tensor& x);
paddle::Tensor gpu_backward(const paddle::Tensor& out, const paddle::Tensor& d_out);

std::vector<paddle::Tensor> Forward(const paddle::Tensor& x) {
  if (x.is_gpu()) return {gpu_forward(x)};
  paddle::Tensor out = paddle::empty_like(x);
  PD_DISPATCH_FLOATING_TYPES(x.dtype(), "gpu_relu", ([&] {
    for (int64_t i = 0; i < x.numel(); ++i)
      out.data<data_t>()[i] = std::max(x.data<data_t>()[i], static_cast<data_t>(0));
  }));
  return {out};
}

std::vector<paddle::Tensor> Backward(const paddle::Tensor& out, const paddle::Tensor& d_out) {
  if (out.is_gpu()) return {gpu_backward(out, d_out)};
  paddle::Tensor d_x = paddle::empty_like(out);
  PD_DISPATCH_FLOATING_TYPES(out.dtype(), "gpu_relu_grad", ([&] {
    for (int64_t i = 0; i < out.numel(); ++i)
      d_x.data<data_t>()[i] = out.data<data_t>()[i] > 0 ? d_out.data<data_t>()[i] : data_t(0);
  }));
  return {d_x};
}

PD_BUILD_OP(gpu_relu).Inputs({"X"}).Outputs({"Out"}).SetKernelFn(PD_KERNEL(Forward));
PD_BUILD_GRAD_OP(gpu_relu)
    .Inputs({"Out", paddle::Grad("Out")})
    .Outputs({paddle::Grad("X")})
    .SetKernelFn(PD_KERNEL(Backward));

// A relu whose negative side has a slope, with its gradient; main.py builds and calls it.
#include "paddle/extension.h"

std::vector<paddle::Tensor> Forward(const paddle::Tensor& x, float slope) {
  PD_CHECK(x.is_cpu(), "sloped_relu: expected a tensor on the CPU.");
  paddle::Tensor out = paddle::empty_like(x);
  PD_DISPATCH_FLOATING_TYPES(x.dtype(), "sloped_relu", ([&] {
    const data_t* from = x.data<data_t>();
    data_t* to = out.data<data_t>();
    for (int64_t i = 0; i < x.numel(); ++i)
      to[i] = from[i] > 0 ? from[i] : static_cast<data_t>(slope) * from[i];
  }));
  return {out};
}

std::vector<paddle::Tensor> Backward(const paddle::Tensor& x, const paddle::Tensor& d_out,
                                     float slope) {
  paddle::Tensor d_x = paddle::empty_like(x);
  PD_DISPATCH_FLOATING_TYPES(x.dtype(), "sloped_relu_grad", ([&] {
    const data_t *from = x.data<data_t>(), *d = d_out.data<data_t>();
    data_t* to = d_x.data<data_t>();
    for (int64_t i = 0; i < x.numel(); ++i)
      to[i] = from[i] > 0 ? d[i] : static_cast<data_t>(slope) * d[i];
  }));
  return {d_x};
}

PD_BUILD_OP(sloped_relu)
    .Inputs({"X"})
    .Outputs({"Out"})
    .Attrs({"slope: float"})
    .SetKernelFn(PD_KERNEL(Forward));

PD_BUILD_GRAD_OP(sloped_relu)
    .Inputs({"X", paddle::Grad("Out")})
    .Outputs({paddle::Grad("X")})
    .Attrs({"slope: float"})
    .SetKernelFn(PD_KERNEL(Backward));

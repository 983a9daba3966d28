// The kernels of gpu_relu for a GPU.
#include "paddle/extension.h"

template <typename T>
__global__ void forward(const T* x, T* out, int64_t n) {
  const int64_t i = blockIdx.x * static_cast<int64_t>(blockDim.x) + threadIdx.x;
  if (i < n) out[i] = x[i] > T(0) ? x[i] : T(0);
}

template <typename T>
__global__ void backward(const T* out, const T* d_out, T* d_x, int64_t n) {
  const int64_t i = blockIdx.x * static_cast<int64_t>(blockDim.x) + threadIdx.x;
  if (i < n) d_x[i] = out[i] > T(0) ? d_out[i] : T(0);
}

paddle::Tensor gpu_forward(const paddle::Tensor& x) {
  paddle::Tensor out = paddle::empty_like(x);
  const int64_t n = x.numel();
  PD_DISPATCH_FLOATING_TYPES(x.dtype(), "gpu_relu", ([&] {
    forward<data_t><<<(n + 511) / 512, 512, 0, x.stream()>>>(x.data<data_t>(), out.data<data_t>(), n);
  }));
  return out;
}

paddle::Tensor gpu_backward(const paddle::Tensor& out, const paddle::Tensor& d_out) {
  paddle::Tensor d_x = paddle::empty_like(out);
  const int64_t n = out.numel();
  PD_DISPATCH_FLOATING_TYPES(out.dtype(), "gpu_relu_grad", ([&] {
    backward<data_t><<<(n + 511) / 512, 512, 0, out.stream()>>>(
        out.data<data_t>(), d_out.data<data_t>(), d_x.data<data_t>(), n);
  }));
  return d_x;
}

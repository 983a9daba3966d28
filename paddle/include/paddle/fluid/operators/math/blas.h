// math::GetBlas<DeviceContext, T>(context).MatMul(...): products of matrices by the host's
// operator.
#pragma once
#include "paddle/fluid/framework/operator.h"

namespace paddle {
namespace operators {

constexpr int kMULMKLDNNINT8 = 1;  // MulOp names it where PADDLE_WITH_MKLDNN is set

namespace math {

template <typename DeviceContext, typename T>
class Blas {
 public:
  using Tensor = framework::Tensor;

  void MatMul(const Tensor& a, const Tensor& b, Tensor* out) const {
    MatMul(a, false, b, false, out);
  }
  void MatMul(const Tensor& a, bool trans_a, const Tensor& b, bool trans_b, Tensor* out) const {
    MatMul(a, trans_a, b, trans_b, static_cast<T>(1), out, static_cast<T>(0));
  }
  // out = alpha * a * b + beta * out
  void MatMul(const Tensor& a, bool trans_a, const Tensor& b, bool trans_b, T alpha, Tensor* out,
              T beta) const {
    for (const Tensor* one : {&a, &b}) {
      PADDLE_ENFORCE_EQ(
          one->dims().size(), 2,
          platform::errors::InvalidArgument("MatMul takes matrices, but received a tensor of "
                                            "shape [%s].",
                                            one->dims()));
    }
    const char* names[] = {"trans_x", "trans_y"};
    PD_Value values[] = {PD_Value(), PD_Value()};
    values[0].type = values[1].type = PD_ATTR_BOOL;
    values[0].as.i = trans_a, values[1].as.i = trans_b;
    const PD_Tensor given[] = {a.view(), b.view()};
    const int32_t counts[] = {1, 1}, *made_counts = nullptr;
    const PD_Tensor* made = nullptr;
    int32_t made_count = 0;
    native::check(native::host()->call_operator(native::current_call(), "matmul_v2", 2, counts,
                                                given, 2, names, values, &made_count, &made,
                                                &made_counts));
    framework::Memory product(made[0], true);  // gives it back
    T* target = out->template mutable_data<T>(out->IsInitialized() ? out->place() : a.place());
    const size_t count = a.dims()[trans_a ? 1 : 0] * b.dims()[trans_b ? 0 : 1];
    PADDLE_ENFORCE_EQ(
        out->numel(), count,
        platform::errors::InvalidArgument("MatMul of [%s] and [%s] does not fit into [%s].",
                                          a.dims(), b.dims(), out->dims()));
    Put(static_cast<const T*>(product.data), count, alpha, beta, target,
        static_cast<DeviceContext*>(nullptr));
  }

 private:
  static void Put(const T* from, size_t count, T alpha, T beta, T* to,
                  const platform::CPUDeviceContext*) {
    if (alpha == static_cast<T>(1) && beta == static_cast<T>(0)) {
      if (count) std::memcpy(to, from, count * sizeof(T));
      return;
    }
    for (size_t i = 0; i < count; ++i) {
      to[i] = alpha * from[i] + (beta == static_cast<T>(0) ? static_cast<T>(0) : beta * to[i]);
    }
  }
#ifdef __CUDACC__
  static void Put(const T* from, size_t count, T alpha, T beta, T* to,
                  const platform::CUDADeviceContext*) {
    if (!(alpha == static_cast<T>(1) && beta == static_cast<T>(0))) {
      PADDLE_THROW(platform::errors::Unimplemented("MatMul on a GPU takes alpha 1 and beta 0."));
    }
    auto stream = static_cast<cudaStream_t>(native::current_call()->stream);
    cudaMemcpyAsync(to, from, count * sizeof(T), cudaMemcpyDeviceToDevice, stream);
  }
#endif
};

template <typename DeviceContext, typename T>
Blas<DeviceContext, T> GetBlas(const framework::ExecutionContext&) {
  return Blas<DeviceContext, T>();
}
template <typename DeviceContext, typename T>
Blas<DeviceContext, T> GetBlas(const DeviceContext&) {
  return Blas<DeviceContext, T>();
}

}  // namespace math
}  // namespace operators
}  // namespace paddle

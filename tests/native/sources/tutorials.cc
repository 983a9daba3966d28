// How sources written for 2.0.2 to 2.4 say things; each operator has another way.
#include "paddle/extension.h"

#include <cmath>
#include <stdexcept>
#include <vector>

#define CHECK_INPUT(x) PD_CHECK(x.place() == paddle::PlaceType::kCPU, #x " must be a CPU Tensor.")

template <typename data_t>
void fill(data_t* out, data_t value, int64_t n) {
  for (int64_t i = 0; i < n; ++i) out[i] = value;
}

// ---- 2.0.2: a place, then a shape, then memory; attributes by reference and const; a switch
std::vector<paddle::Tensor> Old(const paddle::Tensor& x, const float& by, const int shift,
                                const std::vector<int64_t>& axes) {
  CHECK_INPUT(x);
  auto out = paddle::Tensor(paddle::PlaceType::kCPU);
  out.reshape(x.shape());
  paddle::Tensor whole(paddle::PlaceType::kCPU, {static_cast<int64_t>(axes.size()), 2});
  fill(whole.mutable_data<int64_t>(), int64_t(7), whole.size());
  switch (x.place()) {
    case paddle::PlaceType::kCPU:
      PD_DISPATCH_FLOATING_AND_INTEGRAL_TYPES(x.type(), "old_form", ([&] {
        const data_t* from = x.data<data_t>();
        data_t* to = out.mutable_data<data_t>(x.place());
        for (int64_t i = 0; i < x.size(); ++i)
          to[i] = static_cast<data_t>(from[i] * by + shift + whole.data<int64_t>()[0]);
      }));
      break;
    default:
      PD_THROW("Not implemented.");
  }
  return {out};
}
std::vector<std::vector<int64_t>> OldShape(std::vector<int64_t> x_shape, const float& by,
                                           const int shift, const std::vector<int64_t>& axes) {
  (void)by, (void)shift, (void)axes;
  return {x_shape};
}
std::vector<paddle::DataType> OldDtype(paddle::DataType x_dtype) { return {x_dtype}; }
PD_BUILD_OP(old_form)
    .Inputs({"X"})
    .Outputs({"Out"})
    .Attrs({"by: float", "shift: int", "axes: std::vector<int64_t>"})
    .SetKernelFn(PD_KERNEL(Old))
    .SetInferShapeFn(PD_INFER_SHAPE(OldShape))
    .SetInferDtypeFn(PD_INFER_DTYPE(OldDtype));

// ---- a shape function that takes the first input and an attribute: it is attribute 0
std::vector<paddle::Tensor> Wide(const paddle::Tensor& x, const paddle::Tensor& y, int columns) {
  (void)y;
  return {paddle::full({x.shape()[0], columns}, 3, x.dtype(), x.place())};
}
std::vector<std::vector<int64_t>> WideShape(const std::vector<int64_t>& x, int columns) {
  return {{x[0], columns}};
}
std::vector<paddle::DataType> WideDtype(const paddle::DataType& x) { return {x}; }
PD_BUILD_OP(wide).Inputs({"X", "Y"}).Outputs({"Out"}).Attrs({"columns: int"})
    .SetKernelFn(PD_KERNEL(Wide)).SetInferShapeFn(PD_INFER_SHAPE(WideShape))
    .SetInferDtypeFn(PD_INFER_DTYPE(WideDtype));

// ---- 2.3: names of paddle::experimental, copies without a flag, places as classes
std::vector<paddle::experimental::Tensor> Moved(const paddle::experimental::Tensor& x) {
  PD_CHECK(x.is_cpu() && !x.is_gpu() && !x.is_xpu());
  paddle::experimental::Tensor copy = x.copy_to(paddle::CPUPlace());
  paddle::Tensor made = paddle::experimental::full_like(copy, 2.0);
  PD_CHECK(made.dtype() == paddle::experimental::DataType::FLOAT32, "dtype");
  auto third = copy.copy_to<float>(paddle::PlaceType::kCPU);
  for (int64_t i = 0; i < made.numel(); ++i)
    made.data<float>()[i] += copy.data<float>()[i] + third.data<float>()[i];
  return {made};
}
PD_BUILD_OP(moved).Inputs({"X"}).Outputs({"Out"}).SetKernelFn(PD_KERNEL(Moved));

// ---- in place, by a copy into it and by another tensor in its place
void Overwrite(paddle::Tensor& x, const paddle::Tensor& y, const std::string& how) {
  if (how == "copy") x.copy_(y, y.place(), false);
  if (how == "assign") x = paddle::full(x.shape(), 5, x.dtype(), x.place());
  if (how == "input") x = y;
  if (how == "part") x = x.slice(0, 1);
}
PD_BUILD_OP(overwrite).Inputs({"X", "Y"}).Outputs({"Out"}).Attrs({"how: std::string"})
    .SetInplaceMap({{"X", "Out"}}).SetKernelFn(PD_KERNEL(Overwrite));

// ---- an input that may be missing, asked for as if it could not
std::vector<paddle::Tensor> Rash(const paddle::Tensor& x, const paddle::Tensor& y) {
  (void)y;
  return {x};
}
PD_BUILD_OP(rash).Inputs({"X", paddle::Optional("Y")}).Outputs({"Out"}).SetKernelFn(PD_KERNEL(Rash));

// ---- what is kept for later, also where the kernel fails then
std::vector<paddle::Tensor> Keeper(const paddle::Tensor& x, const std::string& how) {
  static paddle::Tensor kept;
  if (how == "last") return {kept};
  if (how == "forget") kept = paddle::Tensor();
  if (how == "forget") return {x};
  paddle::Tensor out = paddle::empty_like(x);
  for (int64_t i = 0; i < x.numel(); ++i) out.data<float>()[i] = 2 * x.data<float>()[i];
  kept = how == "input" ? x : how == "part" ? x.slice(1, 2) : out;
  throw std::runtime_error("after it was kept");
}
PD_BUILD_OP(keeper).Inputs({"X"}).Outputs({"Out"}).Attrs({"how: std::string"})
    .SetKernelFn(PD_KERNEL(Keeper));

// ---- second derivatives where the gradient is of the output: tanh
std::vector<paddle::Tensor> TanhForward(const paddle::Tensor& x) {
  auto out = paddle::empty(x.shape(), x.dtype(), x.place());
  PD_DISPATCH_FLOATING_TYPES(x.dtype(), "tanh", ([&] {
    for (int64_t i = 0; i < x.numel(); ++i)
      out.data<data_t>()[i] = static_cast<data_t>(std::tanh(static_cast<double>(x.data<data_t>()[i])));
  }));
  return {out};
}
std::vector<paddle::Tensor> TanhBackward(const paddle::Tensor& out, const paddle::Tensor& d_out) {
  auto d_x = paddle::empty_like(out);
  PD_DISPATCH_FLOATING_TYPES(out.dtype(), "tanh_grad", ([&] {
    for (int64_t i = 0; i < out.numel(); ++i) {
      const data_t y = out.data<data_t>()[i];
      d_x.data<data_t>()[i] = d_out.data<data_t>()[i] * (1 - y * y);
    }
  }));
  return {d_x};
}
std::vector<paddle::Tensor> TanhTwice(const paddle::Tensor& out, const paddle::Tensor& dd_x,
                                      const paddle::Tensor& d_out) {
  auto d_new = paddle::empty_like(out), dd_out = paddle::empty_like(out);
  PD_DISPATCH_FLOATING_TYPES(out.dtype(), "tanh_grad_grad", ([&] {
    for (int64_t i = 0; i < out.numel(); ++i) {
      const data_t y = out.data<data_t>()[i], u = dd_x.data<data_t>()[i];
      d_new.data<data_t>()[i] = d_out.data<data_t>()[i] * u * -2 * y;
      dd_out.data<data_t>()[i] = u * (1 - y * y);
    }
  }));
  return {d_new, dd_out};
}
PD_BUILD_OP(own_tanh).Inputs({"X"}).Outputs({"Out"}).SetKernelFn(PD_KERNEL(TanhForward));
PD_BUILD_GRAD_OP(own_tanh).Inputs({"Out", paddle::Grad("Out")}).Outputs({paddle::Grad("X")})
    .SetKernelFn(PD_KERNEL(TanhBackward));
PD_BUILD_DOUBLE_GRAD_OP(own_tanh)
    .Inputs({"Out", paddle::Grad(paddle::Grad("X")), paddle::Grad("Out")})
    .Outputs({paddle::Grad(paddle::New("Out")), paddle::Grad(paddle::Grad("Out"))})
    .SetKernelFn(PD_KERNEL(TanhTwice));

// The same, with the name that the tutorial of second derivatives has for the output's gradient.
PD_BUILD_OP(new_tanh).Inputs({"X"}).Outputs({"Out"}).SetKernelFn(PD_KERNEL(TanhForward));
PD_BUILD_GRAD_OP(new_tanh).Inputs({"Out", paddle::Grad("Out")}).Outputs({paddle::Grad("X")})
    .SetKernelFn(PD_KERNEL(TanhBackward));
PD_BUILD_DOUBLE_GRAD_OP(new_tanh)
    .Inputs({"Out", paddle::Grad(paddle::Grad("X")), paddle::Grad("Out")})
    .Outputs({paddle::New("Out"), paddle::Grad(paddle::Grad("Out"))})
    .SetKernelFn(PD_KERNEL(TanhTwice));

// ---- operators as functions, beside a function of the user's; names of 2.4
paddle::Tensor add(const paddle::Tensor& x, const paddle::Tensor&) { return x; }
std::vector<paddle::Tensor> BothAdds(const paddle::Tensor& x) {
  PD_CHECK(x.dtype() == phi::DataType::FLOAT32, "expected float32, but received ", x.dtype(),
           " on ", x.place());
  return {paddle::experimental::add(x, x), add(x, x)};
}
PD_BUILD_OP(both_adds).Inputs({"X"}).Outputs({"Sum", "Own"}).SetKernelFn(PD_KERNEL(BothAdds));

// ---- a list that may be missing
std::vector<paddle::Tensor> Plus(const paddle::Tensor& x,
                                 const paddle::optional<std::vector<paddle::Tensor>>& more) {
  paddle::Tensor out = paddle::full_like(x, 0.0);
  for (int64_t i = 0; i < x.numel(); ++i) {
    out.data<float>()[i] = x.data<float>()[i];
    if (!more) continue;
    for (const paddle::Tensor& one : *more) out.data<float>()[i] += one.data<float>()[i];
  }
  return {out};
}
std::vector<std::vector<int64_t>> PlusShape(
    const std::vector<int64_t>& x, const paddle::optional<std::vector<std::vector<int64_t>>>& more) {
  PD_CHECK(!more || more->size() == 2, "expected two more, but received ", more->size());
  return {x};
}
std::vector<paddle::DataType> PlusDtype(const paddle::DataType& x,
                                        const paddle::optional<std::vector<paddle::DataType>>& more) {
  return {more ? more.get()[1] : x};
}
PD_BUILD_OP(plus_all).Inputs({"X", paddle::Optional(paddle::Vec("More"))}).Outputs({"Out"})
    .SetKernelFn(PD_KERNEL(Plus)).SetInferShapeFn(PD_INFER_SHAPE(PlusShape))
    .SetInferDtypeFn(PD_INFER_DTYPE(PlusDtype));

// ---- memory of the kernel's own, handed over twice, in parts, and beside a failure
std::vector<paddle::Tensor> Owned(const paddle::Tensor& x, const std::string& how) {
  paddle::Tensor made = paddle::full({5, 3}, 7, x.dtype(), x.place());
  if (how == "twice") return {made, made};
  if (how == "part") return {made, made.slice(1, 3)};
  if (how == "parts") return {made.slice(0, 1), made.slice(1, 3)};
  if (how == "nothing") return {made, paddle::Tensor()};
  paddle::Tensor other = made.cast(paddle::DataType::FLOAT64);
  PD_CHECK(how != "fail", "after it was made");
  return {other, made};
}
PD_BUILD_OP(owned).Inputs({"X"}).Outputs({"A", "B"}).Attrs({"how: std::string"})
    .SetKernelFn(PD_KERNEL(Owned));

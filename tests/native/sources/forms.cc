// Operators of every form: lists, attributes of each type, in place, second derivatives, views.
#include "paddle/extension.h"

#include <cmath>
#include <sstream>
#include <vector>

using paddle::Tensor;
using Shape = std::vector<int64_t>;

// ---- two inputs and a list as output: rows of x and of y, one tensor each
std::vector<Tensor> RowsForward(const Tensor& x, const Tensor& y) {
  PD_CHECK(x.shape().size() == 2, "rows_of: expected matrices, but X has ", x.shape().size(),
           " dimensions.");
  std::vector<Tensor> made;
  for (const Tensor* from : {&x, &y})
    for (int64_t i = 0; i < from->shape()[0]; ++i) made.push_back(from->slice(i, i + 1));
  return made;
}
std::vector<Shape> RowsShape(Shape x, Shape y) {
  if (x[0] < 0 || y[0] < 0) throw std::invalid_argument("rows_of: the number of rows must be known");
  std::vector<Shape> made;
  for (int64_t i = 0; i < x[0] + y[0]; ++i) made.push_back({1, x.back()});
  return made;
}
std::vector<paddle::DataType> RowsDtype(paddle::DataType x, paddle::DataType y) {
  (void)y;
  return {x, x, x, x, x};
}
std::vector<Tensor> RowsBackward(const Tensor& x, const Tensor& y, const std::vector<Tensor>& d) {
  std::vector<Tensor> made;
  size_t at = 0;
  for (const Tensor* from : {&x, &y}) {
    Tensor grad = paddle::empty_like(*from);
    const int64_t n = from->shape()[1];
    for (int64_t i = 0; i < from->shape()[0]; ++i, ++at)
      for (int64_t k = 0; k < n; ++k) grad.data<float>()[i * n + k] = d[at].data<float>()[k];
    made.push_back(grad);
  }
  return made;
}
PD_BUILD_OP(rows_of).Inputs({"X", "Y"}).Outputs({paddle::Vec("Out")})
    .SetKernelFn(PD_KERNEL(RowsForward)).SetInferShapeFn(PD_INFER_SHAPE(RowsShape))
    .SetInferDtypeFn(PD_INFER_DTYPE(RowsDtype));
PD_BUILD_GRAD_OP(rows_of).Inputs({"X", "Y", paddle::Grad(paddle::Vec("Out"))})
    .Outputs({paddle::Grad("X"), paddle::Grad("Y")}).SetKernelFn(PD_KERNEL(RowsBackward));

// ---- a list as input
std::vector<Tensor> AddAll(const std::vector<Tensor>& xs, float scale) {
  Tensor out = paddle::full(xs[0].shape(), 0, xs[0].dtype(), xs[0].place());
  for (const Tensor& x : xs)
    for (int64_t i = 0; i < out.numel(); ++i) out.data<float>()[i] += scale * x.data<float>()[i];
  return {out};
}
std::vector<Tensor> AddAllGrad(const std::vector<Tensor>& xs, const Tensor& d, float scale) {
  std::vector<Tensor> made;
  for (const Tensor& x : xs) {
    Tensor g = paddle::empty_like(x);
    for (int64_t i = 0; i < g.numel(); ++i) g.data<float>()[i] = scale * d.data<float>()[i];
    made.push_back(g);
  }
  return made;
}
std::vector<Shape> AddAllShape(std::vector<Shape> xs, float) { return {xs[0]}; }
PD_BUILD_OP(add_all).Inputs({paddle::Vec("X")}).Outputs({"Out"}).Attrs({"scale: float"})
    .SetKernelFn(PD_KERNEL(AddAll)).SetInferShapeFn(PD_INFER_SHAPE(AddAllShape));
PD_BUILD_GRAD_OP(add_all).Inputs({paddle::Vec("X"), paddle::Grad("Out")})
    .Outputs({paddle::Grad(paddle::Vec("X"))}).Attrs({"scale: float"})
    .SetKernelFn(PD_KERNEL(AddAllGrad));

// ---- second derivatives: out = x * x * x
std::vector<Tensor> CubeForward(const Tensor& x) {
  Tensor out = paddle::empty_like(x);
  PD_DISPATCH_FLOATING_TYPES(x.dtype(), "cube", ([&] {
    for (int64_t i = 0; i < x.numel(); ++i) {
      const data_t v = x.data<data_t>()[i];
      out.data<data_t>()[i] = v * v * v;
    }
  }));
  return {out};
}
std::vector<Tensor> CubeBackward(const Tensor& x, const Tensor& d) {
  Tensor g = paddle::empty_like(x);
  PD_DISPATCH_FLOATING_TYPES(x.dtype(), "cube_grad", ([&] {
    for (int64_t i = 0; i < x.numel(); ++i) {
      const data_t v = x.data<data_t>()[i];
      g.data<data_t>()[i] = 3 * v * v * d.data<data_t>()[i];
    }
  }));
  return {g};
}
std::vector<Tensor> CubeSecond(const Tensor& x, const Tensor& d, const Tensor& dd) {
  Tensor for_x = paddle::empty_like(x), for_d = paddle::empty_like(x);
  PD_DISPATCH_FLOATING_TYPES(x.dtype(), "cube_grad_grad", ([&] {
    for (int64_t i = 0; i < x.numel(); ++i) {
      const data_t v = x.data<data_t>()[i], u = dd.data<data_t>()[i];
      for_x.data<data_t>()[i] = 6 * v * d.data<data_t>()[i] * u;
      for_d.data<data_t>()[i] = 3 * v * v * u;
    }
  }));
  return {for_x, for_d};
}
PD_BUILD_OP(cube).Inputs({"X"}).Outputs({"Out"}).SetKernelFn(PD_KERNEL(CubeForward));
PD_BUILD_GRAD_OP(cube).Inputs({"X", paddle::Grad("Out")}).Outputs({paddle::Grad("X")})
    .SetKernelFn(PD_KERNEL(CubeBackward));
PD_BUILD_DOUBLE_GRAD_OP(cube)
    .Inputs({"X", paddle::Grad("Out"), paddle::Grad(paddle::Grad("X"))})
    .Outputs({paddle::Grad(paddle::New("X")), paddle::Grad(paddle::Grad("Out"))})
    .SetKernelFn(PD_KERNEL(CubeSecond));

// ---- in place: x += y
void AddInto(Tensor& x, const Tensor& y) {
  PD_DISPATCH_FLOATING_TYPES(x.dtype(), "add_into", ([&] {
    for (int64_t i = 0; i < x.numel(); ++i) x.data<data_t>()[i] += y.data<data_t>()[i];
  }));
}
std::vector<Tensor> AddIntoGrad(const Tensor& x, const Tensor& y, Tensor& d) {
  (void)x;
  (void)y;
  return {d.copy_to(d.place(), true)};
}
PD_BUILD_OP(add_into).Inputs({"X", "Y"}).Outputs({"Out"}).SetInplaceMap({{"X", "Out"}})
    .SetKernelFn(PD_KERNEL(AddInto));
PD_BUILD_GRAD_OP(add_into).Inputs({"X", "Y", paddle::Grad("Out")})
    .Outputs({paddle::Grad("X"), paddle::Grad("Y")})
    .SetInplaceMap({{paddle::Grad("Out"), paddle::Grad("X")}}).SetKernelFn(PD_KERNEL(AddIntoGrad));

// ---- attributes of each type, told as one number
template <typename T>
double total(const std::vector<T>& values) {
  double sum = 0;
  for (size_t i = 0; i < values.size(); ++i) sum += static_cast<double>(values[i]) * (i + 1);
  return sum;
}
std::vector<Tensor> AttributesForward(const Tensor& x, bool a, int b, int64_t c, float d, double e,
                                      const std::string& f, std::vector<bool> g,
                                      const std::vector<int>& h, std::vector<int64_t> i,
                                      const std::vector<float>& j, std::vector<double> k,
                                      std::vector<std::string> l) {
  std::vector<double> all = {double(a), double(b), double(c % 1000), d, e, double(f.size()),
                             total(g), total(h), total(i), total(j), total(k)};
  double words = 0;
  for (const std::string& word : l) words = 10 * words + word.size();
  all.push_back(words);
  Tensor out = paddle::empty({12}, paddle::DataType::FLOAT64, x.place());
  std::copy(all.begin(), all.end(), out.data<double>());
  return {out};
}
std::vector<Shape> AttributesShape(Shape, bool, int, int64_t, float, double, std::string,
                                   std::vector<bool>, std::vector<int>, std::vector<int64_t>,
                                   std::vector<float>, std::vector<double>,
                                   std::vector<std::string>) {
  return {{12}};
}
std::vector<paddle::DataType> AttributesDtype(paddle::DataType) { return {paddle::DataType::FLOAT64}; }
PD_BUILD_OP(all_attributes).Inputs({"X"}).Outputs({"Out"})
    .Attrs({"a: bool", "b: int", "c: int64_t", "d: float", "e: double", "f: std::string",
            "g: std::vector<bool>", "h: std::vector<int>", "i: std::vector<int64_t>",
            "j: std::vector<float>", "k: std::vector<double>", "l: std::vector<std::string>"})
    .SetKernelFn(PD_KERNEL(AttributesForward)).SetInferShapeFn(PD_INFER_SHAPE(AttributesShape))
    .SetInferDtypeFn(PD_INFER_DTYPE(AttributesDtype));

// ---- one number as attribute, and all data types
std::vector<Tensor> Scaled(const Tensor& x, double by) {
  Tensor out = paddle::empty_like(x);
  PD_DISPATCH_FLOATING_AND_HALF_TYPES(x.dtype(), "scaled", ([&] {
    for (int64_t i = 0; i < x.numel(); ++i)
      out.data<data_t>()[i] = static_cast<data_t>(float(x.data<data_t>()[i]) * by);
  }));
  return {out};
}
std::vector<Tensor> ScaledGrad(const Tensor& d, double by) { return Scaled(d, by); }
PD_BUILD_OP(scaled).Inputs({"X"}).Outputs({"Out"}).Attrs({"by: double"})
    .SetKernelFn(PD_KERNEL(Scaled));
PD_BUILD_GRAD_OP(scaled).Inputs({paddle::Grad("Out")}).Outputs({paddle::Grad("X")})
    .Attrs({"by: double"}).SetKernelFn(PD_KERNEL(ScaledGrad));

std::vector<Tensor> Conjugated(const Tensor& x) {
  Tensor out = paddle::empty_like(x);
  PD_DISPATCH_COMPLEX_TYPES(x.dtype(), "conjugated", ([&] {
    for (int64_t i = 0; i < x.numel(); ++i) {
      const data_t z = x.data<data_t>()[i];
      out.data<data_t>()[i] = data_t(z.real, -z.imag);
    }
  }));
  return {out};
}
PD_BUILD_OP(conjugated).Inputs({"X"}).Outputs({"Out"}).SetKernelFn(PD_KERNEL(Conjugated));

// ---- an input that may be missing
std::vector<Tensor> AddMaybe(const Tensor& x, const paddle::optional<Tensor>& y) {
  Tensor out = x.copy_to(x.place(), true);
  if (y)
    for (int64_t i = 0; i < x.numel(); ++i) out.data<float>()[i] += y->data<float>()[i];
  return {out};
}
PD_BUILD_OP(add_maybe).Inputs({"X", paddle::Optional("Y")}).Outputs({"Out"})
    .SetKernelFn(PD_KERNEL(AddMaybe));

// ---- what is returned may be the input, a part of it, one tensor twice, or one kept for later
std::vector<Tensor> Handed(const Tensor& x, const std::string& how) {
  static Tensor kept;
  if (how == "input") return {x, x};
  if (how == "parts") return {x.slice(1, 2), x.slice(0, 2)};
  Tensor made = paddle::full({2, 3}, 7);
  if (how == "twice") return {made, made};
  if (how == "cast") return {made.cast(paddle::DataType::INT64), made.slice(1, 2)};
  if (how == "few") return {made};
  if (how == "nothing") return {Tensor(), made};
  if (how == "throw") throw std::out_of_range("an index of the kernel's own");
  if (how == "odd") throw 3;
  if (how == "memory") return {paddle::empty({int64_t(1) << 60}), made};
  if (!kept.is_initialized()) kept = paddle::full({2, 3}, 0);
  kept.data<float>()[0] += 1;
  return {kept, kept.slice(0, 1)};
}
PD_BUILD_OP(handed).Inputs({"X"}).Outputs({"A", "B"}).Attrs({"how: std::string"})
    .SetKernelFn(PD_KERNEL(Handed));

// ---- other shapes than were inferred
std::vector<Tensor> Unlike(const Tensor& x) { return {paddle::empty({x.numel() + 1}, x.dtype())}; }
PD_BUILD_OP(unlike).Inputs({"X"}).Outputs({"Out"}).SetKernelFn(PD_KERNEL(Unlike));

// ---- memory for work, and the sum over rows: a shape that is not the input's, -1 passed through
std::vector<Tensor> RowSums(const Tensor& x) {
  Tensor work = paddle::empty({x.shape()[0]}, x.dtype()), out = paddle::empty({x.shape()[0]}, x.dtype());
  const int64_t n = x.shape()[1];
  for (int64_t i = 0; i < x.shape()[0]; ++i) {
    work.data<float>()[i] = 0;
    for (int64_t k = 0; k < n; ++k) work.data<float>()[i] += x.data<float>()[i * n + k];
    out.data<float>()[i] = work.data<float>()[i];
  }
  return {out};
}
std::vector<Shape> RowSumsShape(Shape x) {
  PD_CHECK(x.size() == 2, "row_sums: expected a matrix, but X has ", x.size(), " dimensions.");
  return {{x[0]}};
}
PD_BUILD_OP(row_sums).Inputs({"X"}).Outputs({"Out"}).SetKernelFn(PD_KERNEL(RowSums))
    .SetInferShapeFn(PD_INFER_SHAPE(RowSumsShape));

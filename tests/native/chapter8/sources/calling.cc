// Kernels that are made of operators of the framework.
#include "paddle/extension.h"

using paddle::Tensor;

std::vector<Tensor> Linear(const Tensor& x, const Tensor& y, const Tensor& bias) {
  Tensor product = paddle::matmul(x, y, {{"trans_y", true}});
  return {paddle::softmax(paddle::add(product, bias), {{"axis", -1}})};
}
std::vector<std::vector<int64_t>> LinearShape(std::vector<int64_t> x, std::vector<int64_t> y,
                                              std::vector<int64_t>) {
  return {{x[0], y[0]}};
}
PD_BUILD_OP(calls_linear)
    .Inputs({"X", "Y", "Bias"})
    .Outputs({"Out"})
    .SetKernelFn(PD_KERNEL(Linear))
    .SetInferShapeFn(PD_INFER_SHAPE(LinearShape));

std::vector<Tensor> Best(const Tensor& x, int64_t k) {
  std::vector<paddle::Tensors> found = paddle::top_k_v2(x, Tensor(), {{"k", static_cast<int>(k)}});
  paddle::Tensors parts = paddle::split(found[0][0], Tensor(), {}, {{"num", 2}, {"axis", 1}});
  return {paddle::concat({parts[1], parts[0]}, Tensor(), {{"axis", 1}})};
}
std::vector<std::vector<int64_t>> BestShape(std::vector<int64_t> x, int64_t k) {
  return {{x[0], k}};
}
PD_BUILD_OP(calls_best)
    .Inputs({"X"})
    .Outputs({"Out"})
    .Attrs({"k: int64_t"})
    .SetKernelFn(PD_KERNEL(Best))
    .SetInferShapeFn(PD_INFER_SHAPE(BestShape));

// As 2.3 and 2.4 call them: attributes by position.
std::vector<Tensor> Positions(const Tensor& x) {
  Tensor rows = paddle::concat({x, paddle::scale(x, 2, 1, true)}, 0);        // [4, 3]
  Tensor deep = paddle::transpose(paddle::reshape(rows, {2, 2, 3}), {0, 2, 1});  // [2, 3, 2]
  deep = paddle::squeeze(paddle::unsqueeze(deep, {0}), {0});
  Tensor best = paddle::max(paddle::clip(deep, -1, 4), {2}, true);           // [2, 3, 1]
  std::vector<Tensor> parts = paddle::split(best, {1, 2}, 1);
  Tensor wide = paddle::sum(x, {1}, paddle::DataType::FLOAT64, true);        // [2, 1]
  return {paddle::matmul(x, x, false, true), paddle::flatten(parts[1], 0), wide,
          paddle::mean(paddle::pow(x, 2), {}, false), paddle::sum({x, x}), paddle::softmax(x, 0)};
}
std::vector<std::vector<int64_t>> PositionsShape(std::vector<int64_t> x) {
  return {{x[0], x[0]}, {4}, {x[0], 1}, {1}, x, x};
}
std::vector<paddle::DataType> PositionsDtype(paddle::DataType x) {
  return {x, x, paddle::DataType::FLOAT64, x, x, x};
}
PD_BUILD_OP(calls_positions)
    .Inputs({"X"})
    .Outputs({"Product", "Best", "Wide", "Mean", "Sum", "Soft"})
    .SetKernelFn(PD_KERNEL(Positions))
    .SetInferShapeFn(PD_INFER_SHAPE(PositionsShape))
    .SetInferDtypeFn(PD_INFER_DTYPE(PositionsDtype));

std::vector<Tensor> Wrong(const Tensor& x, std::string how) {
  if (how == "name") paddle::call("no_such_operator", {{x}});
  if (how == "attribute") paddle::relu(x, {{"slope", 0.5f}});
  if (how == "inputs") paddle::call("relu", {{x}, {x}});
  if (how == "shape") paddle::matmul(x, x);
  return {paddle::relu(x)};
}
PD_BUILD_OP(calls_wrong)
    .Inputs({"X"})
    .Outputs({"Out"})
    .Attrs({"how: std::string"})
    .SetKernelFn(PD_KERNEL(Wrong));

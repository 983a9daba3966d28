// The C++ interface of 2.0: paddle_infer::Config, Predictor, Tensor and PredictorPool. That of 1.x
// (paddle::AnalysisConfig, PaddlePredictor, ZeroCopyTensor) comes with it.
//
// Everything throws std::runtime_error with the text of what went wrong.
#ifndef PADDLE_INFERENCE_API_H_
#define PADDLE_INFERENCE_API_H_

// programs written for this header use std::accumulate and std::multiplies without more
#include <cstdint>
#include <functional>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "paddle_analysis_config.h"
#include "paddle_tensor.h"
#include "pypaddle_value.h"

namespace paddle_infer {

using Config = paddle::AnalysisConfig;
using PrecisionType = Config::Precision;

// Runs one model. One thread at a time may use it: give each a Clone().
class Predictor {
 public:
  explicit Predictor(const Config& config)
      : Predictor(pypaddle::call_bridge("create_predictor", config.self())) {}
  explicit Predictor(pypaddle::Value self) : self_(std::move(self)) {}

  std::vector<std::string> GetInputNames() const {
    return self_.call("get_input_names").to<std::vector<std::string>>();
  }
  std::vector<std::string> GetOutputNames() const {
    return self_.call("get_output_names").to<std::vector<std::string>>();
  }
  std::unique_ptr<Tensor> GetInputHandle(const std::string& name) {
    return std::unique_ptr<Tensor>(new Tensor(self_.call("get_input_handle", name)));
  }
  std::unique_ptr<Tensor> GetOutputHandle(const std::string& name) {
    return std::unique_ptr<Tensor>(new Tensor(self_.call("get_output_handle", name)));
  }

  bool Run() {
    self_.call("run");
    return true;
  }

  // Another predictor with the same weights.
  std::unique_ptr<Predictor> Clone() const {
    return std::unique_ptr<Predictor>(new Predictor(self_.call("clone")));
  }
  void ClearIntermediateTensor() { self_.call("clear_intermediate_tensor"); }
  // Returns how many bytes less the process takes.
  std::uint64_t TryShrinkMemory() { return self_.call("try_shrink_memory").to<std::uint64_t>(); }

  const pypaddle::Value& self() const { return self_; }

 private:
  pypaddle::Value self_;
};

inline std::shared_ptr<Predictor> CreatePredictor(const Config& config) {
  return std::make_shared<Predictor>(config);
}

inline int GetNumBytesOfDataType(DataType dtype) {
  return pypaddle::call_bridge("size_of_dtype", static_cast<int>(dtype)).to<int>();
}

inline std::string GetVersion() { return pypaddle::call_bridge("get_version").to<std::string>(); }

namespace services {

// As many predictors of one model as there are threads; they share the weights.
class PredictorPool {
 public:
  explicit PredictorPool(const Config& config, std::size_t size = 1) {
    const pypaddle::Value pool = pypaddle::call_bridge("PredictorPool", config.self(), size);
    for (std::size_t i = 0; i < size; ++i)
      predictors_.emplace_back(new Predictor(pool.call("retrive", i)));
  }

  // The predictor of a thread, by its number.
  Predictor* Retrive(std::size_t index) {
    if (index >= predictors_.size())
      throw std::runtime_error("PredictorPool::Retrive: expected an index below " +
                               std::to_string(predictors_.size()) + ", but got " +
                               std::to_string(index));
    return predictors_[index].get();
  }

 private:
  std::vector<std::unique_ptr<Predictor>> predictors_;
};

}  // namespace services

using services::PredictorPool;

}  // namespace paddle_infer

#include "paddle_api.h"

#endif  // PADDLE_INFERENCE_API_H_

// The C++ interface of 1.x, over that of 2.0.
#ifndef PADDLE_API_H_
#define PADDLE_API_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "paddle_inference_api.h"
#include "paddle_legacy_tensor.h"

namespace paddle {

class ZeroCopyTensor : public paddle_infer::Tensor {
 public:
  using paddle_infer::Tensor::Tensor;

  template <typename T>
  void copy_from_cpu(const T* data) {
    CopyFromCpu(data);
  }
  template <typename T>
  void copy_to_cpu(T* data) const {
    CopyToCpu(data);
  }
};

class PaddlePredictor {
 public:
  explicit PaddlePredictor(const AnalysisConfig& config)
      : PaddlePredictor(paddle_infer::Predictor(config).self()) {}
  explicit PaddlePredictor(pypaddle::Value self) : predictor_(std::move(self)) {}

  std::vector<std::string> GetInputNames() const { return predictor_.GetInputNames(); }
  std::vector<std::string> GetOutputNames() const { return predictor_.GetOutputNames(); }
  std::unique_ptr<ZeroCopyTensor> GetInputTensor(const std::string& name) {
    return tensor("get_input_handle", name);
  }
  std::unique_ptr<ZeroCopyTensor> GetOutputTensor(const std::string& name) {
    return tensor("get_output_handle", name);
  }
  bool ZeroCopyRun() { return predictor_.Run(); }

  // Runs the model on tensors that hold their elements; batch_size says nothing that their shapes do
  // not say.
  bool Run(const std::vector<PaddleTensor>& inputs, std::vector<PaddleTensor>* outputs,
           int batch_size = -1) {
    static_cast<void>(batch_size);
    if (outputs == nullptr) throw std::runtime_error("Run: outputs is NULL");
    const std::vector<std::string> names = GetInputNames();
    if (inputs.size() != names.size())
      throw std::runtime_error("Run: expected " + std::to_string(names.size()) +
                               " inputs, but got " + std::to_string(inputs.size()));
    for (std::size_t i = 0; i < inputs.size(); ++i)
      put(inputs[i], inputs[i].name.empty() ? names[i] : inputs[i].name);
    ZeroCopyRun();
    const std::vector<std::string> results = GetOutputNames();
    outputs->resize(results.size());
    for (std::size_t i = 0; i < results.size(); ++i) take(results[i], &(*outputs)[i]);
    return true;
  }
  std::unique_ptr<PaddlePredictor> Clone() const {
    return std::unique_ptr<PaddlePredictor>(new PaddlePredictor(predictor_.Clone()->self()));
  }
  void ClearIntermediateTensor() { predictor_.ClearIntermediateTensor(); }
  std::uint64_t TryShrinkMemory() { return predictor_.TryShrinkMemory(); }

 private:
  void put(const PaddleTensor& from, const std::string& name) {
    from.check();
    const auto into = GetInputTensor(name);
    into->Reshape(from.shape);
    into->CopyFromCpu(from.data.data(), from.dtype);
    into->SetLoD(from.lod);
  }

  void take(const std::string& name, PaddleTensor* into) {
    const auto from = GetOutputTensor(name);
    into->name = name;
    into->shape = from->shape();
    into->dtype = from->type();
    into->lod = from->lod();
    into->data.Resize(into->bytes());
    from->CopyToCpu(into->data.data(), into->dtype);
  }

  std::unique_ptr<ZeroCopyTensor> tensor(const char* getter, const std::string& name) {
    return std::unique_ptr<ZeroCopyTensor>(
        new ZeroCopyTensor(predictor_.self().call(getter, name)));
  }

  paddle_infer::Predictor predictor_;
};

// For an AnalysisConfig or a NativeConfig.
template <typename ConfigT>
std::unique_ptr<PaddlePredictor> CreatePaddlePredictor(const ConfigT& config) {
  return std::unique_ptr<PaddlePredictor>(new PaddlePredictor(AnalysisConfig(config)));
}

inline int PaddleDtypeSize(PaddleDType dtype) { return paddle_infer::GetNumBytesOfDataType(dtype); }

inline std::string get_version() { return paddle_infer::GetVersion(); }

}  // namespace paddle

#endif  // PADDLE_API_H_

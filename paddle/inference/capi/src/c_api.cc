// The functions of paddle_c_api.h, over the C++ interface.
#include "paddle_c_api.h"

#include <cstdlib>
#include <new>
#include <string>
#include <vector>

#include "guard.h"

struct PD_AnalysisConfig : HeldConfig {};

namespace {

using paddle_infer::DataType;
using paddle_infer::Tensor;
using pypaddle::given;
using pypaddle::guarded;
using pypaddle::of;
using pypaddle::text;

const char* name_at(const std::vector<std::string>& names, int n, const char* what) {
  if (n < 0 || static_cast<std::size_t>(n) >= names.size())
    throw std::runtime_error("expected the number of an " + std::string(what) + " below " +
                             std::to_string(names.size()) + ", but got " + std::to_string(n));
  return names[static_cast<std::size_t>(n)].c_str();
}

// ---- buffers

template <typename T>
std::vector<T> items_of(const PD_Buffer& buffer, const char* what) {
  if (buffer.length % sizeof(T) != 0)
    throw std::runtime_error(std::string(what) + " has " + std::to_string(buffer.length) +
                             " bytes, which is no number of elements of " +
                             std::to_string(sizeof(T)));
  if (buffer.length == 0) return {};
  const T* first = static_cast<const T*>(static_cast<void*>(&given(
      static_cast<char*>(buffer.data), what)));
  return std::vector<T>(first, first + buffer.length / sizeof(T));
}

void reserve(PD_Buffer* buffer, std::size_t bytes) {
  buffer->length = 0;
  if (buffer->data == nullptr || buffer->capacity < bytes) {
    void* grown = std::realloc(buffer->data, bytes == 0 ? 1 : bytes);
    if (grown == nullptr) throw std::bad_alloc();
    buffer->data = grown;
    buffer->capacity = bytes;
  }
  buffer->length = bytes;
}

void put(PD_Buffer* buffer, const void* data, std::size_t bytes) {
  reserve(buffer, bytes);
  if (bytes != 0) std::memcpy(buffer->data, data, bytes);
}

void release(PD_Buffer* buffer) {
  std::free(buffer->data);
  *buffer = PD_Buffer();
}

// ---- tensors

// Calls f with a pointer of the type of a dtype.
template <typename F>
void with_type(PD_DataType dtype, F f) {
  switch (dtype) {
    case PD_FLOAT32:
      return f(static_cast<float*>(nullptr));
    case PD_INT32:
      return f(static_cast<std::int32_t*>(nullptr));
    case PD_INT64:
      return f(static_cast<std::int64_t*>(nullptr));
    case PD_UINT8:
      return f(static_cast<std::uint8_t*>(nullptr));
    default:
      throw std::runtime_error("expected dtype PD_FLOAT32, PD_INT32, PD_INT64 or PD_UINT8, but got " +
                               std::to_string(static_cast<int>(dtype)));
  }
}

PD_DataType dtype_of(const Tensor& tensor) {
  switch (tensor.type()) {
    case DataType::FLOAT32:
      return PD_FLOAT32;
    case DataType::INT32:
      return PD_INT32;
    case DataType::INT64:
      return PD_INT64;
    case DataType::UINT8:
      return PD_UINT8;
    default:
      throw std::runtime_error("output '" + tensor.name() + "' has DataType " +
                               std::to_string(static_cast<int>(tensor.type())) +
                               ", for which there is no PD_DataType; the C++ interface reads it");
  }
}

// Copies the elements of a tensor of C, of type T, into an input.
struct CopyIn {
  const PD_ZeroCopyTensor& from;
  Tensor& into;

  template <typename T>
  void operator()(T*) const {
    const std::vector<int> shape = items_of<int>(from.shape, "shape");
    std::size_t bytes = sizeof(T);
    for (int length : shape) {
      if (length < 0) throw std::runtime_error("shape has a negative length");
      bytes *= static_cast<std::size_t>(length);
    }
    if (bytes != from.data.length)
      throw std::runtime_error("data of input '" + into.name() + "' has " +
                               std::to_string(from.data.length) + " bytes, but its shape needs " +
                               std::to_string(bytes));
    into.Reshape(shape);
    into.CopyFromCpu(static_cast<const T*>(from.data.data));
  }
};

// Copies the elements of an output, of type T, into a tensor of C.
struct CopyOut {
  const Tensor& from;
  PD_ZeroCopyTensor* into;

  template <typename T>
  void operator()(T*) const {
    int size = 0;
    const T* data = from.data<T>(nullptr, &size);
    put(&into->data, data, static_cast<std::size_t>(size) * sizeof(T));
  }
};

void set_lod(const PD_Buffer& lod, Tensor* tensor) {
  const std::vector<std::size_t> level = items_of<std::size_t>(lod, "lod");
  tensor->SetLoD(level.empty() ? std::vector<std::vector<std::size_t>>()
                               : std::vector<std::vector<std::size_t>>{level});
}

void put_lod(const Tensor& tensor, PD_Buffer* buffer) {
  const std::vector<std::vector<std::size_t>> lod = tensor.lod();
  if (lod.size() > 1)
    throw std::runtime_error("output '" + tensor.name() + "' has a LoD of " +
                             std::to_string(lod.size()) +
                             " levels, and PD_ZeroCopyTensor one; the C++ interface reads it");
  if (lod.empty()) {
    buffer->length = 0;
  } else {
    put(buffer, lod[0].data(), lod[0].size() * sizeof(std::size_t));
  }
}

void set_input(paddle_infer::Predictor& predictor, const PD_ZeroCopyTensor& tensor) {
  const auto input = predictor.GetInputHandle(text(tensor.name, "name"));
  with_type(tensor.dtype, CopyIn{tensor, *input});
  set_lod(tensor.lod, input.get());
}

void get_output(paddle_infer::Predictor& predictor, PD_ZeroCopyTensor* tensor) {
  tensor->data.length = tensor->shape.length = tensor->lod.length = 0;
  const auto output = predictor.GetOutputHandle(text(tensor->name, "name"));
  const PD_DataType dtype = dtype_of(*output);
  with_type(dtype, CopyOut{*output, tensor});
  const std::vector<int> shape = output->shape();
  put(&tensor->shape, shape.data(), shape.size() * sizeof(int));
  put_lod(*output, &tensor->lod);
  tensor->dtype = dtype;
}

}  // namespace

const char* PD_GetLastError(void) { return pypaddle::error_text(); }
void PD_ClearLastError(void) { pypaddle::set_error(""); }

// ------------------------------------------------------------------------------ configurations

#define SWITCH(function, method) PYPADDLE_SWITCH(PD_AnalysisConfig, function, method)
#define SETTER(function, argument, method) \
  PYPADDLE_SETTER(PD_AnalysisConfig, function, argument, method)
#define TEXT_SETTER(function, method) PYPADDLE_TEXT_SETTER(PD_AnalysisConfig, function, method)
#define QUESTION(result, function, method, failed) \
  PYPADDLE_QUESTION(const PD_AnalysisConfig, result, function, method, failed)
#define TEXT_QUESTION(function, method) \
  PYPADDLE_TEXT_QUESTION(const PD_AnalysisConfig, function, method)

PD_AnalysisConfig* PD_NewAnalysisConfig(void) {
  return guarded<PD_AnalysisConfig*>("PD_NewAnalysisConfig", nullptr,
                                     [] { return new PD_AnalysisConfig(); });
}

void PD_DeleteAnalysisConfig(PD_AnalysisConfig* config) { delete config; }

void PD_SetModel(PD_AnalysisConfig* config, const char* model_dir, const char* params_path) {
  guarded("PD_SetModel", [&] {
    if (params_path == nullptr) {
      of(config).SetModel(text(model_dir, "model_dir"));
    } else {
      of(config).SetModel(text(model_dir, "model_dir"), params_path);
    }
  });
}

void PD_SetModelBuffer(PD_AnalysisConfig* config, const char* prog_buffer, size_t prog_buffer_size,
                       const char* params_buffer, size_t params_buffer_size) {
  guarded("PD_SetModelBuffer", [&] {
    of(config).SetModelBuffer(prog_buffer, prog_buffer_size, params_buffer, params_buffer_size);
  });
}

void PD_EnableUseGpu(PD_AnalysisConfig* config, uint64_t memory_pool_init_size_mb, int device_id) {
  guarded("PD_EnableUseGpu",
          [&] { of(config).EnableUseGpu(memory_pool_init_size_mb, device_id); });
}

void PD_EnableTensorRtEngine(PD_AnalysisConfig* config, int workspace_size, int max_batch_size,
                             int min_subgraph_size, Precision precision, bool use_static,
                             bool use_calib_mode) {
  guarded("PD_EnableTensorRtEngine", [&] {
    of(config).EnableTensorRtEngine(workspace_size, max_batch_size, min_subgraph_size,
                                    static_cast<paddle_infer::PrecisionType>(precision),
                                    use_static, use_calib_mode);
  });
}

void PD_DeletePass(PD_AnalysisConfig* config, const char* pass_name) {
  guarded("PD_DeletePass",
          [&] { of(config).pass_builder()->DeletePass(text(pass_name, "pass_name")); });
}

TEXT_SETTER(PD_SetProgFile, SetProgFile)
TEXT_SETTER(PD_SetParamsFile, SetParamsFile)
TEXT_SETTER(PD_SetOptimCacheDir, SetOptimCacheDir)
TEXT_QUESTION(PD_ModelDir, model_dir)
TEXT_QUESTION(PD_ProgFile, prog_file)
TEXT_QUESTION(PD_ParamsFile, params_file)
QUESTION(bool, PD_ModelFromMemory, model_from_memory, false)

SETTER(PD_SwitchSpecifyInputNames, bool, SwitchSpecifyInputNames)
QUESTION(bool, PD_SpecifyInputName, specify_input_name, false)
SETTER(PD_SwitchUseFeedFetchOps, bool, SwitchUseFeedFetchOps)
QUESTION(bool, PD_UseFeedFetchOpsEnabled, use_feed_fetch_ops_enabled, false)

SWITCH(PD_DisableGpu, DisableGpu)
QUESTION(bool, PD_UseGpu, use_gpu, false)
QUESTION(int, PD_GpuDeviceId, gpu_device_id, -1)
QUESTION(int, PD_MemoryPoolInitSizeMb, memory_pool_init_size_mb, -1)
QUESTION(float, PD_FractionOfGpuMemoryForPool, fraction_of_gpu_memory_for_pool, -1)
SWITCH(PD_EnableCUDNN, EnableCUDNN)
QUESTION(bool, PD_CudnnEnabled, cudnn_enabled, false)

SETTER(PD_SwitchIrOptim, bool, SwitchIrOptim)
QUESTION(bool, PD_IrOptim, ir_optim, false)
SETTER(PD_SwitchIrDebug, bool, SwitchIrDebug)
SWITCH(PD_EnableMemoryOptim, EnableMemoryOptim)
QUESTION(bool, PD_MemoryOptimEnabled, enable_memory_optim, false)
QUESTION(bool, PD_TensorrtEngineEnabled, tensorrt_engine_enabled, false)

SWITCH(PD_EnableMKLDNN, EnableMKLDNN)
QUESTION(bool, PD_MkldnnEnabled, mkldnn_enabled, false)
SETTER(PD_SetMkldnnCacheCapacity, int, SetMkldnnCacheCapacity)
SWITCH(PD_EnableMkldnnQuantizer, EnableMkldnnQuantizer)
QUESTION(bool, PD_MkldnnQuantizerEnabled, mkldnn_quantizer_enabled, false)
SWITCH(PD_EnableMkldnnBfloat16, EnableMkldnnBfloat16)
QUESTION(bool, PD_MkldnnBfloat16Enabled, mkldnn_bfloat16_enabled, false)
SETTER(PD_SetCpuMathLibraryNumThreads, int, SetCpuMathLibraryNumThreads)
QUESTION(int, PD_CpuMathLibraryNumThreads, cpu_math_library_num_threads, -1)

SWITCH(PD_EnableProfile, EnableProfile)
QUESTION(bool, PD_ProfileEnabled, profile_enabled, false)
SWITCH(PD_DisableGlogInfo, DisableGlogInfo)
SWITCH(PD_SetInValid, SetInValid)
QUESTION(bool, PD_IsValid, is_valid, false)

// ------------------------------------------------------------------------------------- tensors

PD_ZeroCopyTensor* PD_NewZeroCopyTensor(void) {
  auto* tensor = static_cast<PD_ZeroCopyTensor*>(std::malloc(sizeof(PD_ZeroCopyTensor)));
  PD_InitZeroCopyTensor(tensor);
  return tensor;
}

void PD_InitZeroCopyTensor(PD_ZeroCopyTensor* tensor) {
  if (tensor != nullptr) *tensor = PD_ZeroCopyTensor();
}

void PD_DestroyZeroCopyTensor(PD_ZeroCopyTensor* tensor) {
  if (tensor == nullptr) return;
  release(&tensor->data);
  release(&tensor->shape);
  release(&tensor->lod);
}

void PD_DeleteZeroCopyTensor(PD_ZeroCopyTensor* tensor) {
  PD_DestroyZeroCopyTensor(tensor);
  std::free(tensor);
}

// ---------------------------------------------------------------------------------- predictors

PD_Predictor* PD_NewPredictor(const PD_AnalysisConfig* config) {
  return guarded<PD_Predictor*>("PD_NewPredictor", nullptr, [&] {
    std::unique_ptr<paddle_infer::Predictor> made(new paddle_infer::Predictor(of(config)));
    return new PD_Predictor(std::move(made));
  });
}

PD_Predictor* PD_ClonePredictor(const PD_Predictor* predictor) {
  return guarded<PD_Predictor*>("PD_ClonePredictor", nullptr, [&] {
    return new PD_Predictor(of(predictor).Clone());
  });
}

void PD_DeletePredictor(PD_Predictor* predictor) { delete predictor; }

int PD_GetInputNum(const PD_Predictor* predictor) {
  return guarded<int>("PD_GetInputNum", -1, [&] {
    return static_cast<int>(given(predictor, "predictor").inputs.size());
  });
}

int PD_GetOutputNum(const PD_Predictor* predictor) {
  return guarded<int>("PD_GetOutputNum", -1, [&] {
    return static_cast<int>(given(predictor, "predictor").outputs.size());
  });
}

const char* PD_GetInputName(const PD_Predictor* predictor, int n) {
  return guarded<const char*>("PD_GetInputName", nullptr, [&] {
    return name_at(given(predictor, "predictor").inputs, n, "input");
  });
}

const char* PD_GetOutputName(const PD_Predictor* predictor, int n) {
  return guarded<const char*>("PD_GetOutputName", nullptr, [&] {
    return name_at(given(predictor, "predictor").outputs, n, "output");
  });
}

void PD_SetZeroCopyInput(PD_Predictor* predictor, const PD_ZeroCopyTensor* tensor) {
  guarded("PD_SetZeroCopyInput", [&] {
    set_input(of(predictor), given(tensor, "tensor"));
  });
}

void PD_GetZeroCopyOutput(PD_Predictor* predictor, PD_ZeroCopyTensor* tensor) {
  guarded("PD_GetZeroCopyOutput", [&] {
    get_output(of(predictor), &given(tensor, "tensor"));
  });
}

void PD_ZeroCopyRun(PD_Predictor* predictor) {
  guarded("PD_ZeroCopyRun", [&] { of(predictor).Run(); });
}

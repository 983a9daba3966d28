// The functions of pd_inference_api.h, over the C++ interface.
#include "pd_inference_api.h"

#include <cstring>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "guard.h"

struct PD_Config : HeldConfig {};

struct PD_Tensor {
  std::unique_ptr<paddle_infer::Tensor> tensor;
};

namespace {

using paddle_infer::DataType;
using paddle_infer::PlaceType;
using paddle_infer::Tensor;
using pypaddle::given;
using pypaddle::guarded;
using pypaddle::of;
using pypaddle::text;

Tensor& of(PD_Tensor* tensor) { return *given(tensor, "tensor").tensor; }

// ---- arrays that the caller destroys

template <typename Array>
Array* array_of_size(std::size_t size) {
  std::unique_ptr<Array> array(new Array());
  array->size = size;
  array->data = new typename std::remove_pointer<decltype(array->data)>::type[size]();
  return array.release();
}

char* chars_of(const std::string& text) {
  char* chars = new char[text.size() + 1];
  std::memcpy(chars, text.c_str(), text.size() + 1);
  return chars;
}

PD_OneDimArrayCstr* array_of(const std::vector<std::string>& texts) {
  auto* array = array_of_size<PD_OneDimArrayCstr>(texts.size());
  for (std::size_t i = 0; i < texts.size(); ++i) array->data[i] = chars_of(texts[i]);
  return array;
}

template <typename Array, typename T>
Array* array_of(const std::vector<T>& numbers) {
  auto* array = array_of_size<Array>(numbers.size());
  for (std::size_t i = 0; i < numbers.size(); ++i) array->data[i] = numbers[i];
  return array;
}

template <typename Array>
void destroy(Array* array) {
  if (array == nullptr) return;
  delete[] array->data;
  delete array;
}

PD_DataType dtype_of(const Tensor& tensor) {
  switch (tensor.type()) {
    case DataType::FLOAT32:
      return PD_DATA_FLOAT32;
    case DataType::INT32:
      return PD_DATA_INT32;
    case DataType::INT64:
      return PD_DATA_INT64;
    case DataType::UINT8:
      return PD_DATA_UINT8;
    case DataType::INT8:
      return PD_DATA_INT8;
    default:
      return PD_DATA_UNK;
  }
}

PD_Tensor* handle(std::unique_ptr<Tensor> tensor) {
  auto* made = new PD_Tensor();
  made->tensor = std::move(tensor);
  return made;
}

}  // namespace

const char* PD_GetVersion(void) {
  return guarded<const char*>("PD_GetVersion", nullptr, [] {
    static const std::string version = paddle_infer::GetVersion();
    return version.c_str();
  });
}

// ------------------------------------------------------------------------------ configurations

#define SWITCH(function, method) PYPADDLE_SWITCH(PD_Config, function, method)
#define SETTER(function, argument, method) PYPADDLE_SETTER(PD_Config, function, argument, method)
#define TEXT_SETTER(function, method) PYPADDLE_TEXT_SETTER(PD_Config, function, method)
#define QUESTION(result, function, method, failed) \
  PYPADDLE_QUESTION(PD_Config, result, function, method, failed)
#define TEXT_QUESTION(function, method) PYPADDLE_TEXT_QUESTION(PD_Config, function, method)

PD_Config* PD_ConfigCreate(void) {
  return guarded<PD_Config*>("PD_ConfigCreate", nullptr, [] { return new PD_Config(); });
}

void PD_ConfigDestroy(PD_Config* config) { delete config; }

void PD_ConfigSetModel(PD_Config* config, const char* prog_file_path,
                       const char* params_file_path) {
  guarded("PD_ConfigSetModel", [&] {
    of(config).SetModel(text(prog_file_path, "prog_file_path"),
                        text(params_file_path, "params_file_path"));
  });
}

void PD_ConfigSetModelBuffer(PD_Config* config, const char* prog_buffer, size_t prog_buffer_size,
                             const char* params_buffer, size_t params_buffer_size) {
  guarded("PD_ConfigSetModelBuffer", [&] {
    of(config).SetModelBuffer(prog_buffer, prog_buffer_size, params_buffer, params_buffer_size);
  });
}

void PD_ConfigEnableUseGpu(PD_Config* config, uint64_t memory_pool_init_size_mb,
                           int32_t device_id) {
  guarded("PD_ConfigEnableUseGpu",
          [&] { of(config).EnableUseGpu(memory_pool_init_size_mb, device_id); });
}

void PD_ConfigDeletePass(PD_Config* config, const char* pass) {
  guarded("PD_ConfigDeletePass", [&] { of(config).pass_builder()->DeletePass(text(pass, "pass")); });
}

void PD_ConfigAppendPass(PD_Config* config, const char* pass) {
  guarded("PD_ConfigAppendPass", [&] { of(config).pass_builder()->AppendPass(text(pass, "pass")); });
}

void PD_ConfigInsertPass(PD_Config* config, size_t index, const char* pass) {
  guarded("PD_ConfigInsertPass",
          [&] { of(config).pass_builder()->InsertPass(index, text(pass, "pass")); });
}

PD_OneDimArrayCstr* PD_ConfigAllPasses(PD_Config* config) {
  return guarded<PD_OneDimArrayCstr*>("PD_ConfigAllPasses", nullptr, [&] {
    return array_of(of(config).pass_builder()->AllPasses());
  });
}

void PD_ConfigEnableTensorRtEngine(PD_Config* config, int64_t workspace_size,
                                   int32_t max_batch_size, int32_t min_subgraph_size,
                                   PD_PrecisionType precision, PD_Bool use_static,
                                   PD_Bool use_calib_mode) {
  guarded("PD_ConfigEnableTensorRtEngine", [&] {
    of(config).EnableTensorRtEngine(workspace_size, max_batch_size, min_subgraph_size,
                                    static_cast<paddle_infer::PrecisionType>(precision),
                                    use_static != 0, use_calib_mode != 0);
  });
}

PD_Cstr* PD_ConfigSummary(PD_Config* config) {
  return guarded<PD_Cstr*>("PD_ConfigSummary", nullptr, [&] {
    const std::string summary = of(config).Summary();
    return new PD_Cstr{summary.size() + 1, chars_of(summary)};
  });
}

TEXT_SETTER(PD_ConfigSetProgFile, SetProgFile)
TEXT_SETTER(PD_ConfigSetParamsFile, SetParamsFile)
TEXT_SETTER(PD_ConfigSetModelDir, SetModel)
TEXT_SETTER(PD_ConfigSetOptimCacheDir, SetOptimCacheDir)
TEXT_QUESTION(PD_ConfigGetModelDir, model_dir)
TEXT_QUESTION(PD_ConfigGetProgFile, prog_file)
TEXT_QUESTION(PD_ConfigGetParamsFile, params_file)
QUESTION(PD_Bool, PD_ConfigModelFromMemory, model_from_memory, 0)

SWITCH(PD_ConfigDisableGpu, DisableGpu)
QUESTION(PD_Bool, PD_ConfigUseGpu, use_gpu, 0)
QUESTION(int32_t, PD_ConfigGpuDeviceId, gpu_device_id, -1)
QUESTION(int32_t, PD_ConfigMemoryPoolInitSizeMb, memory_pool_init_size_mb, -1)
QUESTION(float, PD_ConfigFractionOfGpuMemoryForPool, fraction_of_gpu_memory_for_pool, -1)
SWITCH(PD_ConfigEnableCudnn, EnableCUDNN)
QUESTION(PD_Bool, PD_ConfigCudnnEnabled, cudnn_enabled, 0)
SWITCH(PD_ConfigEnableGpuMultiStream, EnableGpuMultiStream)
QUESTION(PD_Bool, PD_ConfigThreadLocalStreamEnabled, thread_local_stream_enabled, 0)

SETTER(PD_ConfigSwitchIrOptim, PD_Bool, SwitchIrOptim)
QUESTION(PD_Bool, PD_ConfigIrOptim, ir_optim, 0)
SETTER(PD_ConfigSwitchIrDebug, PD_Bool, SwitchIrDebug)
SETTER(PD_ConfigEnableMemoryOptim, PD_Bool, EnableMemoryOptim)
QUESTION(PD_Bool, PD_ConfigMemoryOptimEnabled, enable_memory_optim, 0)
SWITCH(PD_ConfigDisableFCPadding, DisableFCPadding)
QUESTION(PD_Bool, PD_ConfigUseFcPadding, use_fc_padding, 0)
QUESTION(PD_Bool, PD_ConfigTensorRtEngineEnabled, tensorrt_engine_enabled, 0)

SWITCH(PD_ConfigEnableMKLDNN, EnableMKLDNN)
QUESTION(PD_Bool, PD_ConfigMkldnnEnabled, mkldnn_enabled, 0)
SETTER(PD_ConfigSetMkldnnCacheCapacity, int32_t, SetMkldnnCacheCapacity)
SWITCH(PD_ConfigEnableMkldnnQuantizer, EnableMkldnnQuantizer)
QUESTION(PD_Bool, PD_ConfigMkldnnQuantizerEnabled, mkldnn_quantizer_enabled, 0)
SWITCH(PD_ConfigEnableMkldnnBfloat16, EnableMkldnnBfloat16)
QUESTION(PD_Bool, PD_ConfigMkldnnBfloat16Enabled, mkldnn_bfloat16_enabled, 0)
SETTER(PD_ConfigSetCpuMathLibraryNumThreads, int32_t, SetCpuMathLibraryNumThreads)
QUESTION(int32_t, PD_ConfigGetCpuMathLibraryNumThreads, cpu_math_library_num_threads, -1)

SWITCH(PD_ConfigEnableProfile, EnableProfile)
QUESTION(PD_Bool, PD_ConfigProfileEnabled, profile_enabled, 0)
SWITCH(PD_ConfigDisableGlogInfo, DisableGlogInfo)
QUESTION(PD_Bool, PD_ConfigGlogInfoDisabled, glog_info_disabled, 0)
SWITCH(PD_ConfigSetInvalid, SetInValid)
QUESTION(PD_Bool, PD_ConfigIsValid, is_valid, 0)

// ---------------------------------------------------------------------------------- predictors

PD_Predictor* PD_PredictorCreate(PD_Config* config) {
  const std::unique_ptr<PD_Config> taken(config);
  return guarded<PD_Predictor*>("PD_PredictorCreate", nullptr, [&] {
    std::unique_ptr<paddle_infer::Predictor> made(new paddle_infer::Predictor(of(config)));
    return new PD_Predictor(std::move(made));
  });
}

PD_Predictor* PD_PredictorClone(PD_Predictor* predictor) {
  return guarded<PD_Predictor*>("PD_PredictorClone", nullptr,
                                [&] { return new PD_Predictor(of(predictor).Clone()); });
}

void PD_PredictorDestroy(PD_Predictor* predictor) { delete predictor; }

size_t PD_PredictorGetInputNum(PD_Predictor* predictor) {
  return guarded<size_t>("PD_PredictorGetInputNum", 0,
                         [&] { return given(predictor, "predictor").inputs.size(); });
}

size_t PD_PredictorGetOutputNum(PD_Predictor* predictor) {
  return guarded<size_t>("PD_PredictorGetOutputNum", 0,
                         [&] { return given(predictor, "predictor").outputs.size(); });
}

PD_OneDimArrayCstr* PD_PredictorGetInputNames(PD_Predictor* predictor) {
  return guarded<PD_OneDimArrayCstr*>("PD_PredictorGetInputNames", nullptr, [&] {
    return array_of(given(predictor, "predictor").inputs);
  });
}

PD_OneDimArrayCstr* PD_PredictorGetOutputNames(PD_Predictor* predictor) {
  return guarded<PD_OneDimArrayCstr*>("PD_PredictorGetOutputNames", nullptr, [&] {
    return array_of(given(predictor, "predictor").outputs);
  });
}

PD_Tensor* PD_PredictorGetInputHandle(PD_Predictor* predictor, const char* name) {
  return guarded<PD_Tensor*>("PD_PredictorGetInputHandle", nullptr, [&] {
    return handle(of(predictor).GetInputHandle(text(name, "name")));
  });
}

PD_Tensor* PD_PredictorGetOutputHandle(PD_Predictor* predictor, const char* name) {
  return guarded<PD_Tensor*>("PD_PredictorGetOutputHandle", nullptr, [&] {
    return handle(of(predictor).GetOutputHandle(text(name, "name")));
  });
}

PD_Bool PD_PredictorRun(PD_Predictor* predictor) {
  return guarded<PD_Bool>("PD_PredictorRun", 0,
                          [&] { return static_cast<PD_Bool>(of(predictor).Run()); });
}

void PD_PredictorClearIntermediateTensor(PD_Predictor* predictor) {
  guarded("PD_PredictorClearIntermediateTensor",
          [&] { of(predictor).ClearIntermediateTensor(); });
}

uint64_t PD_PredictorTryShrinkMemory(PD_Predictor* predictor) {
  return guarded<uint64_t>("PD_PredictorTryShrinkMemory", 0,
                           [&] { return of(predictor).TryShrinkMemory(); });
}

// ------------------------------------------------------------------------------------- tensors

void PD_TensorDestroy(PD_Tensor* tensor) { delete tensor; }

void PD_TensorReshape(PD_Tensor* tensor, size_t shape_size, int32_t* shape) {
  guarded("PD_TensorReshape", [&] {
    if (shape_size != 0) given(shape, "shape");
    of(tensor).Reshape(std::vector<int>(shape, shape + shape_size));
  });
}

PD_OneDimArrayInt32* PD_TensorGetShape(PD_Tensor* tensor) {
  return guarded<PD_OneDimArrayInt32*>("PD_TensorGetShape", nullptr, [&] {
    return array_of<PD_OneDimArrayInt32>(of(tensor).shape());
  });
}

void PD_TensorSetLod(PD_Tensor* tensor, PD_TwoDimArraySize* lod) {
  guarded("PD_TensorSetLod", [&] {
    std::vector<std::vector<std::size_t>> levels;
    for (std::size_t i = 0; i < given(lod, "lod").size; ++i) {
      given(lod->data, "the levels of lod");
      const PD_OneDimArraySize& level = given(lod->data[i], "a level of lod");
      if (level.size != 0) given(level.data, "the offsets of a level of lod");
      levels.emplace_back(level.data, level.data + level.size);
    }
    of(tensor).SetLoD(levels);
  });
}

PD_TwoDimArraySize* PD_TensorGetLod(PD_Tensor* tensor) {
  return guarded<PD_TwoDimArraySize*>("PD_TensorGetLod", nullptr, [&] {
    const std::vector<std::vector<std::size_t>> levels = of(tensor).lod();
    auto* array = array_of_size<PD_TwoDimArraySize>(levels.size());
    for (std::size_t i = 0; i < levels.size(); ++i)
      array->data[i] = array_of<PD_OneDimArraySize>(levels[i]);
    return array;
  });
}

const char* PD_TensorGetName(PD_Tensor* tensor) {
  return guarded<const char*>("PD_TensorGetName", nullptr,
                              [&] { return of(tensor).name().c_str(); });
}

PD_DataType PD_TensorGetDataType(PD_Tensor* tensor) {
  return guarded<PD_DataType>("PD_TensorGetDataType", PD_DATA_UNK,
                              [&] { return dtype_of(of(tensor)); });
}

#define TENSOR_OF(Type, type)                                                                \
  void PD_TensorCopyFromCpu##Type(PD_Tensor* tensor, const type* data) {                     \
    guarded("PD_TensorCopyFromCpu" #Type, [&] { of(tensor).CopyFromCpu(data); });            \
  }                                                                                          \
  void PD_TensorCopyToCpu##Type(PD_Tensor* tensor, type* data) {                             \
    guarded("PD_TensorCopyToCpu" #Type, [&] { of(tensor).CopyToCpu(data); });                \
  }                                                                                          \
  type* PD_TensorMutableData##Type(PD_Tensor* tensor, PD_PlaceType place) {                  \
    return guarded<type*>("PD_TensorMutableData" #Type, nullptr, [&] {                       \
      return of(tensor).mutable_data<type>(static_cast<PlaceType>(place));                   \
    });                                                                                      \
  }                                                                                          \
  type* PD_TensorData##Type(PD_Tensor* tensor, PD_PlaceType* place, int32_t* size) {         \
    return guarded<type*>("PD_TensorData" #Type, nullptr, [&] {                              \
      PlaceType found = PlaceType::kUNK;                                                     \
      type* data = of(tensor).data<type>(&found, size);                                      \
      if (place != nullptr) *place = static_cast<PD_PlaceType>(found);                       \
      return data;                                                                           \
    });                                                                                      \
  }

TENSOR_OF(Float, float)
TENSOR_OF(Int64, std::int64_t)
TENSOR_OF(Int32, std::int32_t)
TENSOR_OF(Uint8, std::uint8_t)
TENSOR_OF(Int8, std::int8_t)

// -------------------------------------------------------------------------------------- arrays

void PD_OneDimArrayInt32Destroy(PD_OneDimArrayInt32* array) { destroy(array); }

void PD_OneDimArraySizeDestroy(PD_OneDimArraySize* array) { destroy(array); }

void PD_OneDimArrayCstrDestroy(PD_OneDimArrayCstr* array) {
  for (std::size_t i = 0; array != nullptr && i < array->size; ++i) delete[] array->data[i];
  destroy(array);
}

void PD_TwoDimArraySizeDestroy(PD_TwoDimArraySize* array) {
  for (std::size_t i = 0; array != nullptr && i < array->size; ++i) destroy(array->data[i]);
  destroy(array);
}

void PD_CstrDestroy(PD_Cstr* text) { destroy(text); }

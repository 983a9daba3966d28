/* The C interface of inference that later releases of 2.x describe: PD_Config, PD_Predictor, PD_Tensor.
 *
 * No function ends the process. One that fails prints why on stderr, returns NULL, 0, -1 or false, and
 * PD_GetLastError() has the text. Every function may be called from any thread, but one predictor
 * serves one thread at a time: clone it for others. Texts are UTF-8.
 *
 * This and paddle_c_api.h, which 1.8 and 2.0 describe, are of one library but give other meanings to
 * PD_DataType: a file includes one of them. */
#ifndef PD_INFERENCE_API_H_
#define PD_INFERENCE_API_H_

#ifdef PADDLE_C_API_H_
#error "include paddle_c_api.h or pd_inference_api.h, not both in one file"
#endif

#include <stddef.h>
#include <stdint.h>
/* programs written for this header use it without including it */
#include <stdio.h>

#if defined(_WIN32)
#define PADDLE_CAPI_EXPORT
#else
#define PADDLE_CAPI_EXPORT __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef int8_t PD_Bool;
#ifndef TRUE
#define TRUE 1
#define FALSE 0
#endif

typedef int32_t PD_PrecisionType;
enum { PD_PRECISION_FLOAT32 = 0, PD_PRECISION_INT8, PD_PRECISION_HALF };

typedef int32_t PD_PlaceType;
enum { PD_PLACE_UNK = -1, PD_PLACE_CPU, PD_PLACE_GPU, PD_PLACE_XPU };

typedef int32_t PD_DataType;
enum {
  PD_DATA_UNK = -1,
  PD_DATA_FLOAT32,
  PD_DATA_INT32,
  PD_DATA_INT64,
  PD_DATA_UINT8,
  PD_DATA_INT8
};

typedef struct PD_Config PD_Config;
typedef struct PD_Predictor PD_Predictor;
typedef struct PD_Tensor PD_Tensor;

typedef struct PD_OneDimArrayInt32 {
  size_t size;
  int32_t* data;
} PD_OneDimArrayInt32;

typedef struct PD_OneDimArraySize {
  size_t size;
  size_t* data;
} PD_OneDimArraySize;

typedef struct PD_OneDimArrayCstr {
  size_t size;
  char** data;
} PD_OneDimArrayCstr;

typedef struct PD_TwoDimArraySize {
  size_t size;
  PD_OneDimArraySize** data;
} PD_TwoDimArraySize;

typedef struct PD_Cstr {
  size_t size; /* with the 0 at its end */
  char* data;
} PD_Cstr;

/* What went wrong last in this thread; an empty text if nothing did. */
PADDLE_CAPI_EXPORT const char* PD_GetLastError(void);
PADDLE_CAPI_EXPORT void PD_ClearLastError(void);

/* It lives as long as the process. */
PADDLE_CAPI_EXPORT const char* PD_GetVersion(void);

/* ---- the configuration */

PADDLE_CAPI_EXPORT PD_Config* PD_ConfigCreate(void);
PADDLE_CAPI_EXPORT void PD_ConfigDestroy(PD_Config* config);

PADDLE_CAPI_EXPORT void PD_ConfigSetModel(PD_Config* config, const char* prog_file_path,
                                          const char* params_file_path);
PADDLE_CAPI_EXPORT void PD_ConfigSetProgFile(PD_Config* config, const char* path);
PADDLE_CAPI_EXPORT void PD_ConfigSetParamsFile(PD_Config* config, const char* path);
PADDLE_CAPI_EXPORT void PD_ConfigSetModelDir(PD_Config* config, const char* model_dir);
PADDLE_CAPI_EXPORT void PD_ConfigSetModelBuffer(PD_Config* config, const char* prog_buffer,
                                                size_t prog_buffer_size, const char* params_buffer,
                                                size_t params_buffer_size);
PADDLE_CAPI_EXPORT PD_Bool PD_ConfigModelFromMemory(PD_Config* config);
PADDLE_CAPI_EXPORT void PD_ConfigSetOptimCacheDir(PD_Config* config, const char* folder);

/* These texts live until the next call for the same configuration, or its end. */
PADDLE_CAPI_EXPORT const char* PD_ConfigGetModelDir(PD_Config* config);
PADDLE_CAPI_EXPORT const char* PD_ConfigGetProgFile(PD_Config* config);
PADDLE_CAPI_EXPORT const char* PD_ConfigGetParamsFile(PD_Config* config);

PADDLE_CAPI_EXPORT void PD_ConfigEnableUseGpu(PD_Config* config, uint64_t memory_pool_init_size_mb,
                                              int32_t device_id);
PADDLE_CAPI_EXPORT void PD_ConfigDisableGpu(PD_Config* config);
PADDLE_CAPI_EXPORT PD_Bool PD_ConfigUseGpu(PD_Config* config);
PADDLE_CAPI_EXPORT int32_t PD_ConfigGpuDeviceId(PD_Config* config);
PADDLE_CAPI_EXPORT int32_t PD_ConfigMemoryPoolInitSizeMb(PD_Config* config);
PADDLE_CAPI_EXPORT float PD_ConfigFractionOfGpuMemoryForPool(PD_Config* config);
PADDLE_CAPI_EXPORT void PD_ConfigEnableCudnn(PD_Config* config);
PADDLE_CAPI_EXPORT PD_Bool PD_ConfigCudnnEnabled(PD_Config* config);
PADDLE_CAPI_EXPORT void PD_ConfigEnableGpuMultiStream(PD_Config* config);
PADDLE_CAPI_EXPORT PD_Bool PD_ConfigThreadLocalStreamEnabled(PD_Config* config);

PADDLE_CAPI_EXPORT void PD_ConfigSwitchIrOptim(PD_Config* config, PD_Bool x);
PADDLE_CAPI_EXPORT PD_Bool PD_ConfigIrOptim(PD_Config* config);
PADDLE_CAPI_EXPORT void PD_ConfigSwitchIrDebug(PD_Config* config, PD_Bool x);
PADDLE_CAPI_EXPORT void PD_ConfigDeletePass(PD_Config* config, const char* pass);
PADDLE_CAPI_EXPORT void PD_ConfigAppendPass(PD_Config* config, const char* pass);
PADDLE_CAPI_EXPORT void PD_ConfigInsertPass(PD_Config* config, size_t index, const char* pass);
PADDLE_CAPI_EXPORT PD_OneDimArrayCstr* PD_ConfigAllPasses(PD_Config* config);
PADDLE_CAPI_EXPORT void PD_ConfigEnableMemoryOptim(PD_Config* config, PD_Bool x);
PADDLE_CAPI_EXPORT PD_Bool PD_ConfigMemoryOptimEnabled(PD_Config* config);
PADDLE_CAPI_EXPORT void PD_ConfigDisableFCPadding(PD_Config* config);
PADDLE_CAPI_EXPORT PD_Bool PD_ConfigUseFcPadding(PD_Config* config);

PADDLE_CAPI_EXPORT void PD_ConfigEnableTensorRtEngine(PD_Config* config, int64_t workspace_size,
                                                      int32_t max_batch_size,
                                                      int32_t min_subgraph_size,
                                                      PD_PrecisionType precision,
                                                      PD_Bool use_static, PD_Bool use_calib_mode);
PADDLE_CAPI_EXPORT PD_Bool PD_ConfigTensorRtEngineEnabled(PD_Config* config);

PADDLE_CAPI_EXPORT void PD_ConfigEnableMKLDNN(PD_Config* config);
PADDLE_CAPI_EXPORT PD_Bool PD_ConfigMkldnnEnabled(PD_Config* config);
PADDLE_CAPI_EXPORT void PD_ConfigSetMkldnnCacheCapacity(PD_Config* config, int32_t capacity);
PADDLE_CAPI_EXPORT void PD_ConfigEnableMkldnnQuantizer(PD_Config* config);
PADDLE_CAPI_EXPORT PD_Bool PD_ConfigMkldnnQuantizerEnabled(PD_Config* config);
PADDLE_CAPI_EXPORT void PD_ConfigEnableMkldnnBfloat16(PD_Config* config);
PADDLE_CAPI_EXPORT PD_Bool PD_ConfigMkldnnBfloat16Enabled(PD_Config* config);
PADDLE_CAPI_EXPORT void PD_ConfigSetCpuMathLibraryNumThreads(PD_Config* config, int32_t count);
PADDLE_CAPI_EXPORT int32_t PD_ConfigGetCpuMathLibraryNumThreads(PD_Config* config);

PADDLE_CAPI_EXPORT void PD_ConfigEnableProfile(PD_Config* config);
PADDLE_CAPI_EXPORT PD_Bool PD_ConfigProfileEnabled(PD_Config* config);
PADDLE_CAPI_EXPORT void PD_ConfigDisableGlogInfo(PD_Config* config);
PADDLE_CAPI_EXPORT PD_Bool PD_ConfigGlogInfoDisabled(PD_Config* config);
PADDLE_CAPI_EXPORT void PD_ConfigSetInvalid(PD_Config* config);
PADDLE_CAPI_EXPORT PD_Bool PD_ConfigIsValid(PD_Config* config);
PADDLE_CAPI_EXPORT PD_Cstr* PD_ConfigSummary(PD_Config* config);

/* ---- predictors */

/* Takes the configuration over, whether it fails or not: nobody else destroys it. */
PADDLE_CAPI_EXPORT PD_Predictor* PD_PredictorCreate(PD_Config* config);

/* Another predictor with the same weights, for another thread. */
PADDLE_CAPI_EXPORT PD_Predictor* PD_PredictorClone(PD_Predictor* predictor);
PADDLE_CAPI_EXPORT void PD_PredictorDestroy(PD_Predictor* predictor);

PADDLE_CAPI_EXPORT size_t PD_PredictorGetInputNum(PD_Predictor* predictor);
PADDLE_CAPI_EXPORT size_t PD_PredictorGetOutputNum(PD_Predictor* predictor);
PADDLE_CAPI_EXPORT PD_OneDimArrayCstr* PD_PredictorGetInputNames(PD_Predictor* predictor);
PADDLE_CAPI_EXPORT PD_OneDimArrayCstr* PD_PredictorGetOutputNames(PD_Predictor* predictor);
PADDLE_CAPI_EXPORT PD_Tensor* PD_PredictorGetInputHandle(PD_Predictor* predictor, const char* name);
PADDLE_CAPI_EXPORT PD_Tensor* PD_PredictorGetOutputHandle(PD_Predictor* predictor,
                                                          const char* name);
PADDLE_CAPI_EXPORT PD_Bool PD_PredictorRun(PD_Predictor* predictor);
PADDLE_CAPI_EXPORT void PD_PredictorClearIntermediateTensor(PD_Predictor* predictor);

/* Returns how many bytes less the process takes. */
PADDLE_CAPI_EXPORT uint64_t PD_PredictorTryShrinkMemory(PD_Predictor* predictor);

/* ---- tensors */

PADDLE_CAPI_EXPORT void PD_TensorDestroy(PD_Tensor* tensor);
PADDLE_CAPI_EXPORT void PD_TensorReshape(PD_Tensor* tensor, size_t shape_size, int32_t* shape);
PADDLE_CAPI_EXPORT PD_OneDimArrayInt32* PD_TensorGetShape(PD_Tensor* tensor);
PADDLE_CAPI_EXPORT void PD_TensorSetLod(PD_Tensor* tensor, PD_TwoDimArraySize* lod);
PADDLE_CAPI_EXPORT PD_TwoDimArraySize* PD_TensorGetLod(PD_Tensor* tensor);
PADDLE_CAPI_EXPORT const char* PD_TensorGetName(PD_Tensor* tensor);
PADDLE_CAPI_EXPORT PD_DataType PD_TensorGetDataType(PD_Tensor* tensor);

/* For each type: copies as many elements as the shape has, copies all elements out, memory to write an
 * input into, and memory to read, which lives as long as the tensor or until the next call of both. */
#define PYPADDLE_TENSOR_OF(Type, type)                                                           \
  PADDLE_CAPI_EXPORT void PD_TensorCopyFromCpu##Type(PD_Tensor* tensor, const type* data);       \
  PADDLE_CAPI_EXPORT void PD_TensorCopyToCpu##Type(PD_Tensor* tensor, type* data);               \
  PADDLE_CAPI_EXPORT type* PD_TensorMutableData##Type(PD_Tensor* tensor, PD_PlaceType place);    \
  PADDLE_CAPI_EXPORT type* PD_TensorData##Type(PD_Tensor* tensor, PD_PlaceType* place, int32_t* size)

PYPADDLE_TENSOR_OF(Float, float);
PYPADDLE_TENSOR_OF(Int64, int64_t);
PYPADDLE_TENSOR_OF(Int32, int32_t);
PYPADDLE_TENSOR_OF(Uint8, uint8_t);
PYPADDLE_TENSOR_OF(Int8, int8_t);

/* ---- what functions returned; NULL is no error */

PADDLE_CAPI_EXPORT void PD_OneDimArrayInt32Destroy(PD_OneDimArrayInt32* array);
PADDLE_CAPI_EXPORT void PD_OneDimArraySizeDestroy(PD_OneDimArraySize* array);
PADDLE_CAPI_EXPORT void PD_OneDimArrayCstrDestroy(PD_OneDimArrayCstr* array);
PADDLE_CAPI_EXPORT void PD_TwoDimArraySizeDestroy(PD_TwoDimArraySize* array);
PADDLE_CAPI_EXPORT void PD_CstrDestroy(PD_Cstr* text);

#ifdef __cplusplus
}
#endif

#endif /* PD_INFERENCE_API_H_ */

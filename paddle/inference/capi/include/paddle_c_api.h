/* The C interface of inference, as PaddlePaddle 1.8 and 2.0 describe it.
 *
 * No function ends the process. One that fails prints why on stderr, returns what is said below, and
 * PD_GetLastError() has the text. Every function may be called from any thread, but one predictor
 * serves one thread at a time: clone it for others. Texts are UTF-8. */
#ifndef PADDLE_C_API_H_
#define PADDLE_C_API_H_

#ifdef PD_INFERENCE_API_H_
#error "include paddle_c_api.h or pd_inference_api.h, not both in one file"
#endif

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
/* programs written for this header use these without including them */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(_WIN32)
#define PADDLE_CAPI_EXPORT
#else
#define PADDLE_CAPI_EXPORT __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef enum PD_DataType {
  PD_FLOAT32,
  PD_INT32,
  PD_INT64,
  PD_UINT8,
  PD_UNKDTYPE
} PD_DataType;

typedef enum Precision { kFloat32 = 0, kInt8, kHalf } Precision;

typedef struct PD_AnalysisConfig PD_AnalysisConfig;
typedef struct PD_Predictor PD_Predictor;

/* Memory of malloc, or of the caller where the library only reads. */
typedef struct PD_Buffer {
  void* data;
  size_t length;   /* bytes that are used */
  size_t capacity; /* bytes that there are; at least length */
} PD_Buffer;

typedef struct PD_ZeroCopyTensor {
  PD_Buffer data;
  PD_Buffer shape; /* int */
  PD_Buffer lod;   /* size_t; the offsets of one level, or nothing */
  PD_DataType dtype;
  char* name; /* the caller's, or that of PD_GetInputName and PD_GetOutputName */
} PD_ZeroCopyTensor;

/* What went wrong last in this thread; an empty text if nothing did. */
PADDLE_CAPI_EXPORT const char* PD_GetLastError(void);

/* Forgets it, to ask whether what comes goes wrong: PD_SetModel and others return nothing. */
PADDLE_CAPI_EXPORT void PD_ClearLastError(void);

/* ---- the configuration. Functions that fail return NULL, false or -1. A text that is returned
 * lives until the same function is called for the same configuration again, or its end. */

PADDLE_CAPI_EXPORT PD_AnalysisConfig* PD_NewAnalysisConfig(void);
PADDLE_CAPI_EXPORT void PD_DeleteAnalysisConfig(PD_AnalysisConfig* config);

/* A folder with params_path NULL, or the program's file and that of the parameters. */
PADDLE_CAPI_EXPORT void PD_SetModel(PD_AnalysisConfig* config, const char* model_dir,
                                    const char* params_path);
PADDLE_CAPI_EXPORT void PD_SetProgFile(PD_AnalysisConfig* config, const char* path);
PADDLE_CAPI_EXPORT void PD_SetParamsFile(PD_AnalysisConfig* config, const char* path);
PADDLE_CAPI_EXPORT void PD_SetModelBuffer(PD_AnalysisConfig* config, const char* prog_buffer,
                                          size_t prog_buffer_size, const char* params_buffer,
                                          size_t params_buffer_size);
PADDLE_CAPI_EXPORT bool PD_ModelFromMemory(const PD_AnalysisConfig* config);
PADDLE_CAPI_EXPORT const char* PD_ModelDir(const PD_AnalysisConfig* config);
PADDLE_CAPI_EXPORT const char* PD_ProgFile(const PD_AnalysisConfig* config);
PADDLE_CAPI_EXPORT const char* PD_ParamsFile(const PD_AnalysisConfig* config);
PADDLE_CAPI_EXPORT void PD_SetOptimCacheDir(PD_AnalysisConfig* config, const char* folder);

PADDLE_CAPI_EXPORT void PD_SwitchSpecifyInputNames(PD_AnalysisConfig* config, bool x);
PADDLE_CAPI_EXPORT bool PD_SpecifyInputName(const PD_AnalysisConfig* config);
PADDLE_CAPI_EXPORT void PD_SwitchUseFeedFetchOps(PD_AnalysisConfig* config, bool x);
PADDLE_CAPI_EXPORT bool PD_UseFeedFetchOpsEnabled(const PD_AnalysisConfig* config);

PADDLE_CAPI_EXPORT void PD_EnableUseGpu(PD_AnalysisConfig* config,
                                        uint64_t memory_pool_init_size_mb, int device_id);
PADDLE_CAPI_EXPORT void PD_DisableGpu(PD_AnalysisConfig* config);
PADDLE_CAPI_EXPORT bool PD_UseGpu(const PD_AnalysisConfig* config);
PADDLE_CAPI_EXPORT int PD_GpuDeviceId(const PD_AnalysisConfig* config);
PADDLE_CAPI_EXPORT int PD_MemoryPoolInitSizeMb(const PD_AnalysisConfig* config);
PADDLE_CAPI_EXPORT float PD_FractionOfGpuMemoryForPool(const PD_AnalysisConfig* config);
PADDLE_CAPI_EXPORT void PD_EnableCUDNN(PD_AnalysisConfig* config);
PADDLE_CAPI_EXPORT bool PD_CudnnEnabled(const PD_AnalysisConfig* config);

PADDLE_CAPI_EXPORT void PD_SwitchIrOptim(PD_AnalysisConfig* config, bool x);
PADDLE_CAPI_EXPORT bool PD_IrOptim(const PD_AnalysisConfig* config);
PADDLE_CAPI_EXPORT void PD_SwitchIrDebug(PD_AnalysisConfig* config, bool x);
PADDLE_CAPI_EXPORT void PD_DeletePass(PD_AnalysisConfig* config, const char* pass_name);
PADDLE_CAPI_EXPORT void PD_EnableMemoryOptim(PD_AnalysisConfig* config);
PADDLE_CAPI_EXPORT bool PD_MemoryOptimEnabled(const PD_AnalysisConfig* config);

PADDLE_CAPI_EXPORT void PD_EnableTensorRtEngine(PD_AnalysisConfig* config, int workspace_size,
                                                int max_batch_size, int min_subgraph_size,
                                                Precision precision, bool use_static,
                                                bool use_calib_mode);
PADDLE_CAPI_EXPORT bool PD_TensorrtEngineEnabled(const PD_AnalysisConfig* config);

PADDLE_CAPI_EXPORT void PD_EnableMKLDNN(PD_AnalysisConfig* config);
PADDLE_CAPI_EXPORT bool PD_MkldnnEnabled(const PD_AnalysisConfig* config);
PADDLE_CAPI_EXPORT void PD_SetMkldnnCacheCapacity(PD_AnalysisConfig* config, int capacity);
PADDLE_CAPI_EXPORT void PD_EnableMkldnnQuantizer(PD_AnalysisConfig* config);
PADDLE_CAPI_EXPORT bool PD_MkldnnQuantizerEnabled(const PD_AnalysisConfig* config);
PADDLE_CAPI_EXPORT void PD_EnableMkldnnBfloat16(PD_AnalysisConfig* config);
PADDLE_CAPI_EXPORT bool PD_MkldnnBfloat16Enabled(const PD_AnalysisConfig* config);
PADDLE_CAPI_EXPORT void PD_SetCpuMathLibraryNumThreads(PD_AnalysisConfig* config, int count);
PADDLE_CAPI_EXPORT int PD_CpuMathLibraryNumThreads(const PD_AnalysisConfig* config);

PADDLE_CAPI_EXPORT void PD_EnableProfile(PD_AnalysisConfig* config);
PADDLE_CAPI_EXPORT bool PD_ProfileEnabled(const PD_AnalysisConfig* config);
PADDLE_CAPI_EXPORT void PD_DisableGlogInfo(PD_AnalysisConfig* config);
PADDLE_CAPI_EXPORT void PD_SetInValid(PD_AnalysisConfig* config);
PADDLE_CAPI_EXPORT bool PD_IsValid(const PD_AnalysisConfig* config);

/* ---- tensors */

PADDLE_CAPI_EXPORT PD_ZeroCopyTensor* PD_NewZeroCopyTensor(void);

/* Frees the buffers, whose data has to be of malloc, and the tensor. */
PADDLE_CAPI_EXPORT void PD_DeleteZeroCopyTensor(PD_ZeroCopyTensor* tensor);

/* Makes it a tensor without buffers. */
PADDLE_CAPI_EXPORT void PD_InitZeroCopyTensor(PD_ZeroCopyTensor* tensor);

/* Frees the buffers, whose data has to be of malloc; the tensor can be used again. */
PADDLE_CAPI_EXPORT void PD_DestroyZeroCopyTensor(PD_ZeroCopyTensor* tensor);

/* ---- predictors. Functions that fail return NULL or -1. */

PADDLE_CAPI_EXPORT PD_Predictor* PD_NewPredictor(const PD_AnalysisConfig* config);

/* Another predictor with the same weights, for another thread. */
PADDLE_CAPI_EXPORT PD_Predictor* PD_ClonePredictor(const PD_Predictor* predictor);
PADDLE_CAPI_EXPORT void PD_DeletePredictor(PD_Predictor* predictor);

PADDLE_CAPI_EXPORT int PD_GetInputNum(const PD_Predictor* predictor);
PADDLE_CAPI_EXPORT int PD_GetOutputNum(const PD_Predictor* predictor);

/* The texts live as long as the predictor. */
PADDLE_CAPI_EXPORT const char* PD_GetInputName(const PD_Predictor* predictor, int n);
PADDLE_CAPI_EXPORT const char* PD_GetOutputName(const PD_Predictor* predictor, int n);

/* Copies what the tensor holds into the input of its name. */
PADDLE_CAPI_EXPORT void PD_SetZeroCopyInput(PD_Predictor* predictor,
                                            const PD_ZeroCopyTensor* tensor);

/* Copies the output of the tensor's name into the tensor. Its buffers are used if they are large
 * enough, and else given to realloc; on failure their length is 0. */
PADDLE_CAPI_EXPORT void PD_GetZeroCopyOutput(PD_Predictor* predictor, PD_ZeroCopyTensor* tensor);

PADDLE_CAPI_EXPORT void PD_ZeroCopyRun(PD_Predictor* predictor);

#ifdef __cplusplus
}
#endif

#endif /* PADDLE_C_API_H_ */

/* The C interface of later releases as programs use it: later PROG PARAMS reads rows of x, runs, and
 * prints the sums. */
#include "pd_inference_api.h"

#define EXPECT(condition) \
  if (!(condition)) return __LINE__

static int fill(PD_Predictor* predictor, const float* x, const int64_t* ids, int rows) {
  int32_t shape[] = {rows, 4};
  PD_Tensor* tensor = PD_PredictorGetInputHandle(predictor, "x");
  EXPECT(tensor != NULL);
  PD_TensorReshape(tensor, 2, shape);
  PD_TensorCopyFromCpuFloat(tensor, x);
  PD_TensorDestroy(tensor);
  tensor = PD_PredictorGetInputHandle(predictor, "ids");
  PD_TensorReshape(tensor, 1, shape);
  int64_t* room = PD_TensorMutableDataInt64(tensor, PD_PLACE_CPU);
  EXPECT(room != NULL);
  for (int i = 0; i < rows; ++i) room[i] = ids[i];
  PD_TensorDestroy(tensor);
  return 0;
}

static int read(PD_Predictor* predictor, int rows, float* out) {
  PD_OneDimArrayCstr* names = PD_PredictorGetOutputNames(predictor);
  EXPECT(names->size == 3 && PD_PredictorGetOutputNum(predictor) == 3);
  PD_Tensor* sums = PD_PredictorGetOutputHandle(predictor, names->data[0]);
  PD_OneDimArrayInt32* shape = PD_TensorGetShape(sums);
  EXPECT(shape->size == 2 && shape->data[0] == rows && shape->data[1] == 5);
  PD_OneDimArrayInt32Destroy(shape);
  PD_PlaceType place = PD_PLACE_UNK;
  int32_t size = 0;
  const float* held = PD_TensorDataFloat(sums, &place, &size);
  EXPECT(place == PD_PLACE_CPU && size == rows * 5);
  PD_TensorCopyToCpuFloat(sums, out);
  EXPECT(held[size - 1] == out[size - 1] && PD_TensorGetDataType(sums) == PD_DATA_FLOAT32);
  PD_TwoDimArraySize* lod = PD_TensorGetLod(sums);
  EXPECT(lod->size == 0);
  PD_TwoDimArraySizeDestroy(lod);
  PD_TensorDestroy(sums);
  PD_Tensor* signs = PD_PredictorGetOutputHandle(predictor, names->data[2]);
  EXPECT(PD_TensorGetDataType(signs) == PD_DATA_UNK); /* bool */
  PD_TensorDestroy(signs);
  PD_OneDimArrayCstrDestroy(names);
  return 0;
}

static int errors(PD_Predictor* predictor) {
  PD_ClearLastError();
  EXPECT(PD_GetLastError()[0] == 0);
  EXPECT(PD_PredictorGetInputHandle(predictor, "y") == NULL && PD_GetLastError()[0] != 0);
  EXPECT(PD_PredictorGetInputHandle(predictor, NULL) == NULL);
  EXPECT(!PD_PredictorRun(NULL) && PD_PredictorGetInputNum(NULL) == 0);
  EXPECT(PD_PredictorCreate(NULL) == NULL);
  PD_Tensor* tensor = PD_PredictorGetInputHandle(predictor, "x");
  PD_ClearLastError();
  PD_TensorSetLod(tensor, NULL);
  EXPECT(PD_GetLastError()[0] != 0);
  PD_ClearLastError();
  PD_TensorReshape(tensor, 2, NULL);
  EXPECT(PD_GetLastError()[0] != 0);
  EXPECT(PD_TensorMutableDataFloat(tensor, PD_PLACE_GPU) == NULL);
  size_t offsets[] = {0, 2, 3};
  PD_OneDimArraySize level = {3, offsets};
  PD_OneDimArraySize* levels[] = {&level};
  PD_TwoDimArraySize lod = {1, levels};
  PD_TensorSetLod(tensor, &lod);
  PD_TwoDimArraySize* found = PD_TensorGetLod(tensor);
  EXPECT(found->size == 1 && found->data[0]->size == 3 && found->data[0]->data[1] == 2);
  PD_TwoDimArraySizeDestroy(found);
  lod.size = 0;
  PD_TensorSetLod(tensor, &lod);
  PD_TensorDestroy(tensor);
  PD_OneDimArrayCstrDestroy(NULL);
  PD_TensorDestroy(NULL);
  return 0;
}

static int config_of(PD_Config* config, const char* prog, const char* params) {
  PD_ConfigSetModelDir(config, "folder");
  EXPECT(PD_ConfigGetModelDir(config)[0] == 'f');
  PD_ConfigSetModel(config, prog, params);
  EXPECT(PD_ConfigGetProgFile(config)[0] == prog[0] && PD_ConfigIsValid(config));
  PD_ConfigSwitchIrOptim(config, FALSE);
  EXPECT(!PD_ConfigIrOptim(config));
  PD_ConfigSwitchIrOptim(config, TRUE);
  PD_ConfigSetCpuMathLibraryNumThreads(config, 1);
  EXPECT(PD_ConfigGetCpuMathLibraryNumThreads(config) == 1 && !PD_ConfigUseGpu(config));
  PD_ConfigDisableGlogInfo(config);
  EXPECT(PD_ConfigGlogInfoDisabled(config));
  PD_OneDimArrayCstr* passes = PD_ConfigAllPasses(config);
  EXPECT(passes->size > 0);
  PD_ConfigDeletePass(config, passes->data[0]);
  PD_ConfigInsertPass(config, 0, passes->data[0]);
  PD_OneDimArrayCstrDestroy(passes);
  PD_Cstr* summary = PD_ConfigSummary(config);
  EXPECT(summary->size > 1 && summary->data[summary->size - 1] == 0);
  PD_CstrDestroy(summary);
  return 0;
}

PADDLE_CAPI_EXPORT int later(const char* prog, const char* params, const float* x,
                             const int64_t* ids, int rows, float* out) {
  PD_Config* config = PD_ConfigCreate();
  int failed = config_of(config, prog, params);
  PD_Predictor* predictor = PD_PredictorCreate(config);
  if (failed) return failed;
  EXPECT(predictor != NULL && PD_PredictorGetInputNum(predictor) == 2);
  EXPECT(!PD_PredictorRun(predictor)); /* nothing is set */
  if ((failed = errors(predictor)) != 0) return failed;
  PD_Predictor* clone = PD_PredictorClone(predictor);
  PD_PredictorDestroy(predictor);
  if ((failed = fill(clone, x, ids, rows)) != 0) return failed;
  EXPECT(PD_PredictorRun(clone));
  if ((failed = read(clone, rows, out)) != 0) return failed;
  PD_PredictorClearIntermediateTensor(clone);
  PD_PredictorTryShrinkMemory(clone);
  PD_PredictorDestroy(clone);
  EXPECT(PD_GetVersion()[0] == 'v');
  return 0;
}

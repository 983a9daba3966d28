/* The complete program of the seeds' chapter on the C interface (000, 5.1.1), which reads
 * ./model/model and ./model/params. Added: the lines between "added" marks, which print. */
#include "paddle_c_api.h"
#include <memory.h>
#include <malloc.h>

int main() {
  PD_AnalysisConfig* config = PD_NewAnalysisConfig();
  PD_DisableGpu(config);
  const char* model_path = "./model/model";
  const char* params_path = "./model/params";
  PD_SetModel(config, model_path, params_path);
  PD_SwitchSpecifyInputNames(config, true);
  PD_SwitchUseFeedFetchOps(config, false);

  PD_Predictor *predictor = PD_NewPredictor(config);

  int input_num = PD_GetInputNum(predictor);
  printf("Input num: %d\n", input_num);
  int output_num = PD_GetOutputNum(predictor);
  printf("Output num: %d\n", output_num);

  PD_ZeroCopyTensor input;
  PD_InitZeroCopyTensor(&input);

  input.name = (char *)(PD_GetInputName(predictor, 0));
  input.data.capacity = sizeof(float) * 1 * 3 * 318 * 318;
  input.data.length = input.data.capacity;
  input.data.data = malloc(input.data.capacity);
  memset(input.data.data, 0, (sizeof(float) * 3 * 318 * 318));

  int shape[] = {1, 3, 318, 318};
  input.shape.data = (int *)shape;
  input.shape.capacity = sizeof(shape);
  input.shape.length = sizeof(shape);

  input.dtype = PD_FLOAT32;
  PD_SetZeroCopyInput(predictor, &input);

  PD_ZeroCopyRun(predictor);

  PD_ZeroCopyTensor output;
  PD_InitZeroCopyTensor(&output);
  output.name = (char *)(PD_GetOutputName(predictor, 0));

  PD_GetZeroCopyOutput(predictor, &output);

  float* result = (float *)(output.data.data);
  int result_length = output.data.length / sizeof(float);
  /* added */
  if (result_length == 0) return 1;
  int* sizes = (int *)(output.shape.data);
  printf("Shape: %d %d\n", sizes[0], sizes[1]);
  for (int i = 0; i < result_length; ++i) printf("%.9g\n", result[i]);
  free(input.data.data);
  PD_DestroyZeroCopyTensor(&output);
  PD_DeletePredictor(predictor);
  PD_DeleteAnalysisConfig(config);
  /* added: end */
  return 0;
}

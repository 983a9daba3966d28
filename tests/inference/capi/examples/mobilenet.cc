// The complete program of the seeds' chapter on the C++ interface (000, 5.1.1), which reads
// ./mobilenet/model and ./mobilenet/params. Added: CHECK, which the seeds take from glog, and the
// lines that print.
#include "paddle_inference_api.h"

#include <cstdio>
#include <cstdlib>
#define CHECK(condition) \
  if (!(condition)) std::abort()

namespace paddle_infer {

void CreateConfig(Config* config, const std::string& model_dirname) {
  config->SetModel(model_dirname + "/model",
                   model_dirname + "/params");
  config->EnableUseGpu(100, 0);
  config->SwitchIrDebug(true);
}

void RunAnalysis(int batch_size, std::string model_dirname) {
  Config config;
  CreateConfig(&config, model_dirname);

  auto predictor = CreatePredictor(config);
  int channels = 3;
  int height = 224;
  int width = 224;
  float input[batch_size * channels * height * width] = {0};

  auto input_names = predictor->GetInputNames();
  auto input_t = predictor->GetInputHandle(input_names[0]);
  input_t->Reshape({batch_size, channels, height, width});
  input_t->CopyFromCpu(input);

  CHECK(predictor->Run());

  std::vector<float> out_data;
  auto output_names = predictor->GetOutputNames();
  auto output_t = predictor->GetOutputHandle(output_names[0]);
  std::vector<int> output_shape = output_t->shape();
  int out_num = std::accumulate(output_shape.begin(), output_shape.end(), 1,
                                std::multiplies<int>());
  out_data.resize(out_num);
  output_t->CopyToCpu(out_data.data());
  // added
  for (float number : out_data) std::printf("%.9g\n", number);
}

}  // namespace paddle_infer

int main() {
  paddle_infer::RunAnalysis(1, "./mobilenet");
  return 0;
}

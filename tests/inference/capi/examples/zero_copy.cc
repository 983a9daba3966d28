// The seeds' program for 1.8 (000, 5.1.1): AnalysisConfig, CreatePaddlePredictor, ZeroCopyTensor.
// Mended: config is no pointer there, and the sizes and files come from outside.
#include <paddle_inference_api.h>

#include <cstdio>

using namespace paddle;

extern "C" __attribute__((visibility("default"))) int zero_copy(const char* model,
                                                                const char* params, float* out,
                                                                int room) {
  AnalysisConfig config;
  config.SwitchUseFeedFetchOps(false);
  config.SetModel(model, params);

  std::unique_ptr<PaddlePredictor> predictor = CreatePaddlePredictor(config);

  int batch_size = 1;
  int channels = 3;
  int height = 300;
  int width = 300;
  int nums = batch_size * channels * height * width;
  float* input = new float[nums];
  for (int i = 0; i < nums; ++i) input[i] = 0;

  auto input_names = predictor->GetInputNames();
  auto input_t = predictor->GetInputTensor(input_names[0]);
  input_t->Reshape({batch_size, channels, height, width});
  input_t->copy_from_cpu(input);

  predictor->ZeroCopyRun();

  std::vector<float> out_data;
  auto output_names = predictor->GetOutputNames();
  auto output_t = predictor->GetOutputTensor(output_names[0]);
  std::vector<int> output_shape = output_t->shape();
  int out_num = std::accumulate(output_shape.begin(), output_shape.end(), 1,
                                std::multiplies<int>());
  out_data.resize(out_num);
  output_t->copy_to_cpu(out_data.data());
  delete[] input;

  for (int i = 0; i < out_num && i < room; ++i) out[i] = out_data[i];
  return out_num;
}

// What tests/inference/capi/test_cpp.py calls: each function tries a part of the C++ interface and
// returns what went wrong, an empty text if nothing did.
#include <cstdint>
#include <cstdio>
#include <thread>

#include "paddle_inference_api.h"

using paddle_infer::Config;
using paddle_infer::CreatePredictor;
using paddle_infer::DataType;
using paddle_infer::PlaceType;
using paddle_infer::PrecisionType;
using paddle_infer::Predictor;
using paddle_infer::PredictorPool;

namespace {

std::string told;

#define EXPECT(condition)                                                              \
  if (!(condition)) throw std::runtime_error("line " + std::to_string(__LINE__) + ": " \
                                             #condition)

template <typename F>
const char* tried(F f) {
  told.clear();
  try {
    f();
  } catch (const std::exception& error) {
    told = error.what();
  }
  return told.c_str();
}

// The text of what f throws.
template <typename F>
std::string thrown(F f) {
  try {
    f();
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "";
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

void fill(Predictor* predictor, const float* x, const std::int64_t* ids, int rows) {
  auto first = predictor->GetInputHandle("x");
  first->Reshape({rows, 4});
  first->CopyFromCpu(x);
  auto second = predictor->GetInputHandle("ids");
  second->Reshape({rows});
  second->CopyFromCpu(ids);
}

void run(Predictor* predictor, const float* x, const std::int64_t* ids, int rows, float* out) {
  fill(predictor, x, ids, rows);
  EXPECT(predictor->Run());
  predictor->GetOutputHandle(predictor->GetOutputNames()[0])->CopyToCpu(out);
}

std::string contents(const std::string& path) {
  std::FILE* file = std::fopen(path.c_str(), "rb");
  EXPECT(file != nullptr);
  std::string bytes;
  char block[4096];
  for (std::size_t n; (n = std::fread(block, 1, sizeof(block), file)) > 0;) bytes.append(block, n);
  std::fclose(file);
  return bytes;
}

}  // namespace

#define TRIED extern "C" __attribute__((visibility("default"))) const char*

TRIED config_of_cpu(const char* prog, const char* params) {
  return tried([&] {
    Config config;
    EXPECT(config.is_valid() && !config.model_from_memory());
    config.SetModel("folder");
    EXPECT(config.model_dir() == "folder" && config.prog_file().empty());
    config.SetProgFile(prog);
    config.SetParamsFile(params);
    EXPECT(config.prog_file() == prog && config.params_file() == params);
    config.SetModel(prog, params);
    EXPECT(config.prog_file() == prog && config.model_dir().empty());

    config.DisableGpu();
    EXPECT(!config.use_gpu() && config.gpu_device_id() == config.GpuDeviceId());
    EXPECT(!config.cudnn_enabled() && !config.thread_local_stream_enabled());
    EXPECT(config.fraction_of_gpu_memory_for_pool() >= 0 && config.memory_pool_init_size_mb() >= 0);

    EXPECT(config.ir_optim());
    config.SwitchIrOptim(false);
    EXPECT(!config.ir_optim());
    config.SwitchIrOptim();
    config.SwitchIrDebug(false);
    config.EnableMemoryOptim();
    EXPECT(config.enable_memory_optim());
    config.DisableFCPadding();
    EXPECT(!config.use_fc_padding());

    config.SwitchUseFeedFetchOps(true);
    EXPECT(config.use_feed_fetch_ops_enabled());
    config.SwitchUseFeedFetchOps(false);
    EXPECT(!config.use_feed_fetch_ops_enabled());
    config.SwitchSpecifyInputNames();
    EXPECT(config.specify_input_name());

    config.EnableMKLDNN();
    EXPECT(config.mkldnn_enabled());
    config.SetMkldnnCacheCapacity(100);
    config.SetCpuMathLibraryNumThreads(1);
    EXPECT(config.cpu_math_library_num_threads() == 1);
    config.EnableProfile();
    EXPECT(config.profile_enabled());
    config.DisableGlogInfo();
    EXPECT(config.glog_info_disabled());

    const paddle::NativeConfig native = config.ToNativeConfig();
    EXPECT(native.prog_file == prog && native.param_file == params && !native.use_gpu);
    EXPECT(native.specify_input_name);
    EXPECT(!config.Summary().empty());

    Config copy(config);
    copy.SwitchIrOptim(false);
    EXPECT(config.ir_optim() && copy.prog_file() == prog);
    config.SetInValid();
    EXPECT(!config.is_valid() && copy.is_valid());
    copy = Config("another");
    EXPECT(copy.model_dir() == "another");
    EXPECT(has(thrown([&] { config.SetCpuMathLibraryNumThreads(-1); }), "InvalidArgument"));
  });
}

TRIED config_of_engines() {
  return tried([&] {
    Config config;
    config.EnableTensorRtEngine(1 << 20, 2, 3, PrecisionType::kHalf, false, false);
    config.SetTRTDynamicShapeInfo({{"x", {1, 4}}}, {{"x", {8, 4}}}, {{"x", {2, 4}}});
    EXPECT(!config.tensorrt_engine_enabled());
    config.EnableLiteEngine(PrecisionType::kFloat32, true, {"a_pass"}, {"an_op"});
    EXPECT(!config.lite_engine_enabled());
    config.EnableXpu(1 << 20);
    config.EnableCUDNN();
    config.EnableGpuMultiStream();
    const std::string summary = config.Summary();
    EXPECT(has(summary, "TensorRT"));
  });
}

TRIED quantizer() {
  return tried([&] {
    Config config;
    EXPECT(!config.mkldnn_quantizer_enabled());
    EXPECT(!thrown([&] { config.mkldnn_quantizer_config(); }).empty());
    config.EnableMkldnnQuantizer();
    EXPECT(config.mkldnn_quantizer_enabled());
    auto data = std::make_shared<std::vector<paddle::PaddleTensor>>(1);
    data->at(0).shape = {2, 4};
    data->at(0).data.Resize(8 * sizeof(float));
    paddle::MkldnnQuantizerConfig* quantizer = config.mkldnn_quantizer_config();
    quantizer->SetWarmupData(data);
    quantizer->SetWarmupBatchSize(2);
    quantizer->SetEnabledOpTypes({"conv2d", "fc"});
    EXPECT(has(thrown([&] { quantizer->SetWarmupBatchSize(0); }), "1 or more"));
    data->at(0).shape = {2, 5};
    EXPECT(has(thrown([&] { quantizer->SetWarmupData(data); }), "its shape needs 40"));
    config.SetMKLDNNOp({"conv2d"});
    config.EnableMkldnnBfloat16();  // stays off on a processor without it
    EXPECT(config.mkldnn_enabled() || !config.mkldnn_bfloat16_enabled());
  });
}

// 1.8: tensors that hold their elements.
TRIED held_tensors(const char* prog, const char* params, const float* x, const std::int64_t* ids,
                   int rows, float* out) {
  return tried([&] {
    paddle::NativeConfig config;
    config.prog_file = prog;
    config.param_file = params;
    auto predictor = paddle::CreatePaddlePredictor(config);
    std::vector<paddle::PaddleTensor> inputs(2);
    inputs[0].shape = {rows, 4};
    inputs[0].data.Reset(const_cast<float*>(x), rows * 4 * sizeof(float));
    inputs[1].name = "ids";
    inputs[1].shape = {rows};
    inputs[1].dtype = paddle::PaddleDType::INT64;
    inputs[1].data = paddle::PaddleBuf(rows * sizeof(std::int64_t));
    std::memcpy(inputs[1].data.data(), ids, inputs[1].data.length());
    const std::vector<paddle::PaddleTensor> copies = inputs;
    EXPECT(copies[0].data.data() == x && copies[1].data.data() != inputs[1].data.data());

    std::vector<paddle::PaddleTensor> outputs;
    for (int turn = 0; turn < 2; ++turn) EXPECT(predictor->Run(copies, &outputs));
    EXPECT(outputs.size() == 3 && outputs[0].dtype == paddle::PaddleDType::FLOAT32);
    EXPECT(outputs[0].shape == (std::vector<int>{rows, 5}) && outputs[0].lod.empty());
    EXPECT(outputs[0].data.length() == rows * 5 * sizeof(float));
    std::memcpy(out, outputs[0].data.data(), outputs[0].data.length());
    EXPECT(static_cast<std::int64_t*>(outputs[1].data.data())[0] == 2 * ids[0]);

    EXPECT(has(thrown([&] { predictor->Run({inputs[0]}, &outputs); }), "expected 2 inputs"));
    EXPECT(has(thrown([&] { predictor->Run(inputs, nullptr); }), "NULL"));
    inputs[1].shape = {rows + 1};
    EXPECT(has(thrown([&] { predictor->Run(inputs, &outputs); }), "its shape needs"));
    EXPECT(paddle::PaddleDtypeSize(paddle::PaddleDType::INT32) == 4);
    EXPECT(paddle::get_version() == paddle_infer::GetVersion());
  });
}

TRIED passes() {
  return tried([&] {
    Config config;
    paddle::PassStrategy* builder = config.pass_builder();
    const std::vector<std::string> before = builder->AllPasses();
    EXPECT(!before.empty() && builder == config.pass_builder());
    builder->DeletePass(before[0]);
    EXPECT(config.pass_builder()->AllPasses().size() == before.size() - 1);
    builder->AppendPass(before[0]);
    EXPECT(builder->AllPasses().back() == before[0]);
    builder->DeletePass(before.size() - 1);
    builder->InsertPass(0, before[0]);
    EXPECT(builder->AllPasses() == before && has(builder->DebugString(), before[0]));
  });
}

TRIED tensors(const char* prog, const char* params, const float* x, const std::int64_t* ids,
              int rows, float* out) {
  return tried([&] {
    auto predictor = CreatePredictor(Config(prog, params));
    EXPECT(predictor->GetInputNames() == (std::vector<std::string>{"x", "ids"}));
    const auto outputs = predictor->GetOutputNames();
    EXPECT(outputs.size() == 3);
    run(predictor.get(), x, ids, rows, out);

    auto sums = predictor->GetOutputHandle(outputs[0]);
    EXPECT(sums->name() == outputs[0] && sums->type() == DataType::FLOAT32);
    EXPECT(sums->shape() == (std::vector<int>{rows, 5}) && sums->lod().empty());
    PlaceType place = PlaceType::kUNK;
    int size = 0;
    const float* held = sums->data<float>(&place, &size);
    EXPECT(place == PlaceType::kCPU && size == rows * 5 && held[size - 1] == out[size - 1]);
    EXPECT(sums->data<float>(PlaceType::kCPU, &size) == held);

    auto doubled = predictor->GetOutputHandle(outputs[1]);
    std::vector<std::int64_t> twice(rows);
    doubled->CopyToCpu(twice.data());
    EXPECT(doubled->type() == DataType::INT64 && twice[rows - 1] == 2 * ids[rows - 1]);
    auto positive = predictor->GetOutputHandle(outputs[2]);
    std::unique_ptr<bool[]> signs(new bool[rows * 4]);
    positive->CopyToCpu(signs.get());
    EXPECT(positive->type() == DataType::BOOL && signs[0] == (x[0] > 0));

    // memory of the tensor, and memory of the program
    auto input = predictor->GetInputHandle("x");
    input->Reshape({2, 4});
    float* room = input->mutable_data<float>(PlaceType::kCPU);
    for (int i = 0; i < 8; ++i) room[i] = x[i];
    auto second = predictor->GetInputHandle("ids");
    second->Reshape({2});
    second->CopyFromCpu(ids);
    predictor->Run();
    EXPECT(sums->shape()[0] == 2 && held[rows * 5 - 1] == out[rows * 5 - 1]);
    EXPECT(sums->data<float>(&place, &size)[9] == out[9]);
    std::vector<float> own(x, x + 8);
    input->ShareExternalData(own.data(), {2, 4});
    own[0] = -own[0];
    predictor->Run();
    predictor->GetOutputHandle(outputs[2])->CopyToCpu(signs.get());
    EXPECT(signs[0] != (x[0] > 0));

    predictor->ClearIntermediateTensor();
    predictor->TryShrinkMemory();
    predictor->Run();
  });
}

TRIED errors(const char* prog, const char* params, const float* x, const std::int64_t* ids,
             int rows, float* out) {
  return tried([&] {
    EXPECT(has(thrown([&] { CreatePredictor(Config("/no/such/model", "/no/such/params")); }),
               "/no/such"));
    EXPECT(has(thrown([&] { CreatePredictor(Config()); }), "names no model"));
    auto predictor = CreatePredictor(Config(prog, params));
    EXPECT(has(thrown([&] { predictor->Run(); }), "was not set"));
    EXPECT(has(thrown([&] { predictor->GetInputHandle("y"); }), "no input of that name"));
    auto input = predictor->GetInputHandle("x");
    EXPECT(has(thrown([&] { input->CopyFromCpu(x); }), "call Reshape"));
    EXPECT(has(thrown([&] { input->Reshape({-1, 4}); }), "not negative"));
    input->Reshape({rows, 4});
    EXPECT(has(thrown([&] { input->CopyFromCpu(static_cast<const float*>(nullptr)); }), "NULL"));
    EXPECT(has(thrown([&] { input->CopyFromCpu(reinterpret_cast<const std::int32_t*>(x)); }),
               "expected float32"));
    EXPECT(has(thrown([&] { input->mutable_data<float>(PlaceType::kGPU); }), "kCPU"));
    auto output = predictor->GetOutputHandle(predictor->GetOutputNames()[0]);
    EXPECT(has(thrown([&] { output->CopyToCpu(out); }), "holds nothing yet"));
    run(predictor.get(), x, ids, rows, out);
    std::int32_t number = 0;
    EXPECT(has(thrown([&] { output->CopyToCpu(&number); }), "is read as INT32"));
    EXPECT(has(thrown([&] { output->CopyToCpu(static_cast<float*>(nullptr)); }), "NULL"));
    EXPECT(paddle_infer::GetNumBytesOfDataType(DataType::INT64) == 8);
    EXPECT(has(paddle_infer::GetVersion(), "version: "));
  });
}

TRIED from_memory(const char* prog, const char* params, const float* x, const std::int64_t* ids,
                  int rows, float* out) {
  return tried([&] {
    const std::string program = contents(prog);
    const std::string weights = contents(params);
    Config config;
    config.SetModelBuffer(program.data(), program.size(), weights.data(), weights.size());
    EXPECT(config.model_from_memory());
    run(CreatePredictor(config).get(), x, ids, rows, out);
  });
}

// Offsets go in; out and offsets get what comes out, `levels` how many levels that has.
TRIED sequences(const char* prog, const char* params, const float* x, int rows, float* out,
                std::int64_t* offsets, std::int64_t* levels) {
  return tried([&] {
    auto predictor = CreatePredictor(Config(prog, params));
    auto input = predictor->GetInputHandle(predictor->GetInputNames()[0]);
    input->Reshape({rows, 1});
    input->CopyFromCpu(x);
    const std::vector<std::vector<std::size_t>> lod = {{0, 2, static_cast<std::size_t>(rows)}};
    input->SetLoD(lod);
    EXPECT(input->lod() == lod);
    predictor->Run();
    auto output = predictor->GetOutputHandle(predictor->GetOutputNames()[0]);
    output->CopyToCpu(out);
    const auto found = output->lod();
    *levels = found.size();
    for (const auto& level : found)
      for (std::size_t offset : level) *offsets++ = offset;
    EXPECT(!thrown([&] { input->SetLoD({{1, 2}}); }).empty());
    input->SetLoD({{0, 3}});
    EXPECT(has(thrown([&] { predictor->Run(); }), "offsets"));
  });
}

// Each thread runs its own rows many times; out gets the last numbers of each.
TRIED threads(const char* prog, const char* params, const float* x, const std::int64_t* ids,
              int rows, int count, float* out) {
  return tried([&] {
    Config config(prog, params);
    config.SetCpuMathLibraryNumThreads(1);
    PredictorPool pool(config, count);
    std::vector<std::string> failures(count);
    std::vector<std::thread> workers;
    for (int n = 0; n < count; ++n)
      workers.emplace_back([&, n] {
        failures[n] = thrown([&] {
          Predictor* predictor = pool.Retrive(n);
          for (int turn = 0; turn < 50; ++turn)
            run(predictor, x + n * rows * 4, ids + n * rows, rows, out + n * rows * 5);
        });
      });
    for (auto& worker : workers) worker.join();
    for (const std::string& failure : failures) EXPECT(failure.empty());
    EXPECT(has(thrown([&] { pool.Retrive(count); }), "below"));
    // made by one thread, used by others, after the pool
    auto clone = pool.Retrive(0)->Clone();
    std::thread([&] { run(clone.get(), x, ids, rows, out); }).join();
  });
}

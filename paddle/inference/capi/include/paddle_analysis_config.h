// AnalysisConfig: which model a predictor runs, and how. paddle_infer::Config is the same class.
#ifndef PADDLE_ANALYSIS_CONFIG_H_
#define PADDLE_ANALYSIS_CONFIG_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <unordered_set>
#include <vector>

#include "paddle_mkldnn_quantizer_config.h"
#include "paddle_pass_builder.h"
#include "pypaddle_value.h"

namespace paddle {

// What NativeConfig of 1.x holds.
struct NativeConfig {
  std::string model_dir;
  std::string prog_file;
  std::string param_file;
  bool use_gpu = false;
  int device = 0;
  float fraction_of_gpu_memory = -1;
  bool specify_input_name = false;
};

class AnalysisConfig {
 public:
  // The numbers of paddle.inference.PrecisionType.
  enum class Precision { kFloat32 = 0, kInt8, kHalf, kBf16 };

  AnalysisConfig() : self_(pypaddle::call_bridge("Config")) {}
  explicit AnalysisConfig(const std::string& model_dir) : AnalysisConfig() { SetModel(model_dir); }
  AnalysisConfig(const std::string& prog, const std::string& params) : AnalysisConfig() {
    SetModel(prog, params);
  }
  explicit AnalysisConfig(const NativeConfig& native) : AnalysisConfig() {
    if (native.prog_file.empty()) {
      SetModel(native.model_dir);
    } else {
      SetModel(native.prog_file, native.param_file);
    }
    if (native.use_gpu) EnableUseGpu(100, native.device);
    SwitchSpecifyInputNames(native.specify_input_name);
  }
  AnalysisConfig(const AnalysisConfig& other)
      : self_(pypaddle::call_bridge("Config", other.self_)) {}
  AnalysisConfig& operator=(const AnalysisConfig& other) {
    self_ = pypaddle::call_bridge("Config", other.self_);
    pass_builder_.reset();
    quantizer_.reset();
    return *this;
  }

  // ---- the model
  void SetModel(const std::string& model_dir) { self_.call("set_model", model_dir); }
  void SetModel(const std::string& prog, const std::string& params) {
    self_.call("set_model", prog, params);
  }
  void SetProgFile(const std::string& prog) { self_.call("set_prog_file", prog); }
  void SetParamsFile(const std::string& params) { self_.call("set_params_file", params); }
  void SetModelBuffer(const char* prog_buffer, std::size_t prog_buffer_size,
                      const char* params_buffer, std::size_t params_buffer_size) {
    const pypaddle::Value prog(pypaddle_bytes(prog_buffer, prog_buffer_size));
    const pypaddle::Value params(pypaddle_bytes(params_buffer, params_buffer_size));
    self_.call("set_model_buffer", prog, prog_buffer_size, params, params_buffer_size);
  }
  bool model_from_memory() const { return ask<bool>("model_from_memory"); }
  std::string model_dir() const { return ask<std::string>("model_dir"); }
  std::string prog_file() const { return ask<std::string>("prog_file"); }
  std::string params_file() const { return ask<std::string>("params_file"); }
  void SetOptimCacheDir(const std::string& folder) { self_.call("set_optim_cache_dir", folder); }

  // ---- the device
  void EnableUseGpu(std::uint64_t memory_pool_init_size_mb, int device_id = 0) {
    self_.call("enable_use_gpu", memory_pool_init_size_mb, device_id);
  }
  void DisableGpu() { self_.call("disable_gpu"); }
  bool use_gpu() const { return ask<bool>("use_gpu"); }
  int gpu_device_id() const { return ask<int>("gpu_device_id"); }
  int GpuDeviceId() const { return gpu_device_id(); }
  int memory_pool_init_size_mb() const { return ask<int>("memory_pool_init_size_mb"); }
  float fraction_of_gpu_memory_for_pool() const {
    return ask<float>("fraction_of_gpu_memory_for_pool");
  }
  void EnableCUDNN() { self_.call("enable_cudnn"); }
  bool cudnn_enabled() const { return ask<bool>("cudnn_enabled"); }
  void EnableGpuMultiStream() { self_.call("enable_gpu_multi_stream"); }
  bool thread_local_stream_enabled() const { return ask<bool>("thread_local_stream_enabled"); }
  void EnableXpu(int l3_workspace_size = 0xfffc00) { self_.call("enable_xpu", l3_workspace_size); }

  // ---- the Program
  void SwitchIrOptim(int x = true) { self_.call("switch_ir_optim", x != 0); }
  bool ir_optim() const { return ask<bool>("ir_optim"); }
  void SwitchIrDebug(int x = true) { self_.call("switch_ir_debug", x != 0); }
  PassStrategy* pass_builder() const {
    if (!pass_builder_) pass_builder_.reset(new PassStrategy(self_.call("pass_builder")));
    return pass_builder_.get();
  }
  void DisableFCPadding() { self_.call("disable_fc_padding"); }
  bool use_fc_padding() const { return ask<bool>("use_fc_padding"); }
  void EnableMemoryOptim(bool x = true) { self_.call("enable_memory_optim", x); }
  bool enable_memory_optim() const { return ask<bool>("memory_optim_enabled"); }

  // ---- inputs and outputs
  void SwitchUseFeedFetchOps(int x = true) { self_.call("switch_use_feed_fetch_ops", x != 0); }
  bool use_feed_fetch_ops_enabled() const { return ask<bool>("use_feed_fetch_ops_enabled"); }
  void SwitchSpecifyInputNames(bool x = true) { self_.call("switch_specify_input_names", x); }
  bool specify_input_name() const { return ask<bool>("specify_input_name"); }

  // ---- other engines
  void EnableTensorRtEngine(std::int64_t workspace_size = 1 << 20, int max_batch_size = 1,
                            int min_subgraph_size = 3, Precision precision = Precision::kFloat32,
                            bool use_static = false, bool use_calib_mode = true) {
    self_.call("enable_tensorrt_engine", workspace_size, max_batch_size, min_subgraph_size,
               value_of(precision), use_static, use_calib_mode);
  }
  bool tensorrt_engine_enabled() const { return ask<bool>("tensorrt_engine_enabled"); }
  void SetTRTDynamicShapeInfo(std::map<std::string, std::vector<int>> min_input_shape,
                              std::map<std::string, std::vector<int>> max_input_shape,
                              std::map<std::string, std::vector<int>> optim_input_shape,
                              bool disable_trt_plugin_fp16 = false) {
    self_.call("set_trt_dynamic_shape_info", min_input_shape, max_input_shape, optim_input_shape,
               disable_trt_plugin_fp16);
  }
  void EnableLiteEngine(Precision precision_mode = Precision::kFloat32, bool zero_copy = false,
                        const std::vector<std::string>& passes_filter = {},
                        const std::vector<std::string>& ops_filter = {}) {
    self_.call("enable_lite_engine", value_of(precision_mode), zero_copy, passes_filter,
               ops_filter);
  }
  bool lite_engine_enabled() const { return ask<bool>("lite_engine_enabled"); }

  // ---- the CPU
  void EnableMKLDNN() { self_.call("enable_mkldnn"); }
  bool mkldnn_enabled() const { return ask<bool>("mkldnn_enabled"); }
  void SetMkldnnCacheCapacity(int capacity) { self_.call("set_mkldnn_cache_capacity", capacity); }
  void SetMKLDNNOp(std::unordered_set<std::string> op_list) {
    self_.call("set_mkldnn_op", op_list);
  }
  void EnableMkldnnQuantizer() { self_.call("enable_quantizer"); }
  bool mkldnn_quantizer_enabled() const { return ask<bool>("mkldnn_quantizer_enabled"); }
  MkldnnQuantizerConfig* mkldnn_quantizer_config() const {
    if (!quantizer_) quantizer_.reset(new MkldnnQuantizerConfig(self_.call("quantizer_config")));
    return quantizer_.get();
  }
  void EnableMkldnnBfloat16() { self_.call("enable_mkldnn_bfloat16"); }
  bool mkldnn_bfloat16_enabled() const { return ask<bool>("mkldnn_bfloat16_enabled"); }
  void SetCpuMathLibraryNumThreads(int count) {
    self_.call("set_cpu_math_library_num_threads", count);
  }
  int cpu_math_library_num_threads() const { return ask<int>("cpu_math_library_num_threads"); }

  // ---- what it says
  void EnableProfile() { self_.call("enable_profile"); }
  bool profile_enabled() const { return ask<bool>("profile_enabled"); }
  void DisableGlogInfo() { self_.call("disable_glog_info"); }
  bool glog_info_disabled() const { return ask<bool>("glog_info_disabled"); }
  std::string Summary() const { return ask<std::string>("summary"); }

  // ---- the object itself
  void SetInValid() { self_.call("set_in_valid"); }
  bool is_valid() const { return ask<bool>("is_valid"); }
  NativeConfig ToNativeConfig() const {
    NativeConfig native;
    native.model_dir = model_dir();
    native.prog_file = prog_file();
    native.param_file = params_file();
    native.use_gpu = use_gpu();
    native.device = gpu_device_id();
    native.fraction_of_gpu_memory = fraction_of_gpu_memory_for_pool();
    native.specify_input_name = specify_input_name();
    return native;
  }

  const pypaddle::Value& self() const { return self_; }

 private:
  template <typename T>
  T ask(const char* method) const {
    return self_.call(method).to<T>();
  }

  static pypaddle::Value value_of(Precision precision) {
    return pypaddle::call_bridge("precision", static_cast<int>(precision));
  }

  pypaddle::Value self_;
  mutable std::unique_ptr<PassStrategy> pass_builder_;
  mutable std::unique_ptr<MkldnnQuantizerConfig> quantizer_;
};

}  // namespace paddle

#endif  // PADDLE_ANALYSIS_CONFIG_H_

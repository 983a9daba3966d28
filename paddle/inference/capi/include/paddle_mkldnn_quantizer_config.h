// MkldnnQuantizerConfig: what a Config calibrates int8 with.
#ifndef PADDLE_MKLDNN_QUANTIZER_CONFIG_H_
#define PADDLE_MKLDNN_QUANTIZER_CONFIG_H_

#include <memory>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "paddle_legacy_tensor.h"
#include "pypaddle_value.h"

namespace paddle {

class MkldnnQuantizerConfig {
 public:
  explicit MkldnnQuantizerConfig(pypaddle::Value self) : self_(std::move(self)) {}

  // The inputs of the model, in their order, which show the ranges of its values.
  void SetWarmupData(std::shared_ptr<std::vector<PaddleTensor>> data) {
    std::vector<pypaddle::Value> arrays;
    for (const PaddleTensor& tensor : *data) {
      tensor.check();
      const pypaddle::Value memory(pypaddle_view(tensor.data.data(), tensor.data.length()));
      arrays.push_back(pypaddle::call_bridge("array", memory, static_cast<int>(tensor.dtype),
                                             tensor.shape));
    }
    self_.call("set_quant_data", arrays);
  }
  void SetWarmupBatchSize(int batch_size) { self_.call("set_quant_batch_size", batch_size); }
  void SetEnabledOpTypes(std::unordered_set<std::string> op_types) {
    self_.call("set_enabled_op_types", op_types);
  }

 private:
  pypaddle::Value self_;
};

}  // namespace paddle

#endif  // PADDLE_MKLDNN_QUANTIZER_CONFIG_H_

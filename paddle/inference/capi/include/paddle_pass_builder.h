// PassStrategy: the list of passes that a Config applies to its Program.
#ifndef PADDLE_PASS_BUILDER_H_
#define PADDLE_PASS_BUILDER_H_

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "pypaddle_value.h"

namespace paddle {

class PassStrategy {
 public:
  explicit PassStrategy(pypaddle::Value builder) : builder_(std::move(builder)) {}

  void DeletePass(const std::string& name) { builder_.call("delete_pass", name); }
  void DeletePass(std::size_t index) { DeletePass(AllPasses().at(index)); }
  void AppendPass(const std::string& name) { builder_.call("append_pass", name); }
  void InsertPass(std::size_t index, const std::string& name) {
    builder_.call("insert_pass", index, name);
  }

  void TurnOnDebug() { builder_.call("turn_on_debug"); }

  std::vector<std::string> AllPasses() const {
    return builder_.call("all_passes").to<std::vector<std::string>>();
  }
  std::string DebugString() const { return builder_.call("debug_string").to<std::string>(); }

 private:
  pypaddle::Value builder_;
};

using PaddlePassBuilder = PassStrategy;

}  // namespace paddle

#endif  // PADDLE_PASS_BUILDER_H_

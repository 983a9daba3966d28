// What the C interfaces share: calls that report failures instead of throwing, and what they hold.
#ifndef PYPADDLE_GUARD_H_
#define PYPADDLE_GUARD_H_

#include <exception>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "interpreter.h"
#include "paddle_inference_api.h"

// What a configuration of either C interface holds.
struct HeldConfig {
  paddle_infer::Config config;
  mutable std::string model_dir, prog_file, params_file;  // texts that were returned
};

struct PD_Predictor {
  explicit PD_Predictor(std::unique_ptr<paddle_infer::Predictor> made)
      : predictor(std::move(made)),
        inputs(predictor->GetInputNames()),
        outputs(predictor->GetOutputNames()) {}

  std::unique_ptr<paddle_infer::Predictor> predictor;
  std::vector<std::string> inputs, outputs;
};

namespace pypaddle {

// Returns what f returns, or a value after a failure, which is printed and kept.
template <typename R, typename F>
R guarded(const char* function, R failed, F f) {
  try {
    return f();
  } catch (const std::exception& error) {
    const std::string text = std::string(function) + ": " + error.what();
    set_error(text);
    std::cerr << text << std::endl;
    return failed;
  }
}

template <typename F>
void guarded(const char* function, F f) {
  guarded(function, 0, [&] {
    f();
    return 0;
  });
}

template <typename T>
T& given(T* pointer, const char* what) {
  if (pointer == nullptr) throw std::runtime_error(std::string(what) + " is NULL");
  return *pointer;
}

inline const char* text(const char* chars, const char* what) { return &given(chars, what); }

inline paddle_infer::Config& of(HeldConfig* config) { return given(config, "config").config; }

inline const paddle_infer::Config& of(const HeldConfig* config) {
  return given(config, "config").config;
}

inline paddle_infer::Predictor& of(const PD_Predictor* predictor) {
  return *given(predictor, "predictor").predictor;
}

}  // namespace pypaddle

// Functions over one method of Config: without argument, with one, with a text, and what answers.
#define PYPADDLE_SWITCH(type, function, method) \
  void function(type* config) {                 \
    pypaddle::guarded(#function, [&] { pypaddle::of(config).method(); }); \
  }
#define PYPADDLE_SETTER(type, function, argument, method) \
  void function(type* config, argument x) {               \
    pypaddle::guarded(#function, [&] { pypaddle::of(config).method(x); }); \
  }
#define PYPADDLE_TEXT_SETTER(type, function, method) \
  void function(type* config, const char* x) {       \
    pypaddle::guarded(#function,                     \
                      [&] { pypaddle::of(config).method(pypaddle::text(x, "the text")); }); \
  }
#define PYPADDLE_QUESTION(type, result, function, method, failed)             \
  result function(type* config) {                                             \
    return pypaddle::guarded<result>(#function, failed,                       \
                                     [&] { return pypaddle::of(config).method(); }); \
  }
#define PYPADDLE_TEXT_QUESTION(type, function, method)                                    \
  const char* function(type* config) {                                                    \
    return pypaddle::guarded<const char*>(#function, nullptr, [&] {                       \
      return (pypaddle::given(config, "config").method = pypaddle::of(config).method()).c_str(); \
    });                                                                                   \
  }

#endif  // PYPADDLE_GUARD_H_

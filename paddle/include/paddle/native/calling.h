// paddle::call: operators of the framework by name, from inside of a kernel.
//
//   std::vector<std::vector<Tensor>> out = paddle::call("top_k_v2", {{x}}, {{"k", 2}});
//
// Slots in, slots out, in the order of the operator; an empty one is missing. No gradient is
// recorded: that of the calling operator is what its library says. paddle/operators.h has a
// function for each.

#ifndef PADDLE_NATIVE_CALLING_H_
#define PADDLE_NATIVE_CALLING_H_

#include <initializer_list>
#include <string>
#include <vector>

#include "paddle/native/tensor.h"

namespace paddle {

// A named attribute: {"axis", 1}, {"shape", std::vector<int>{2, 3}}, {"mode", "max"}.
class Attribute {
 public:
  Attribute(const char* name, bool value) : Attribute(name, PD_ATTR_BOOL) { value_.as.i = value; }
  Attribute(const char* name, int value) : Attribute(name, PD_ATTR_INT) { value_.as.i = value; }
  Attribute(const char* name, int64_t value) : Attribute(name, PD_ATTR_INT64) {
    value_.as.i = value;
  }
  Attribute(const char* name, float value) : Attribute(name, PD_ATTR_FLOAT) { value_.as.d = value; }
  Attribute(const char* name, double value) : Attribute(name, PD_ATTR_DOUBLE) {
    value_.as.d = value;
  }
  Attribute(const char* name, const char* value) : Attribute(name, std::string(value)) {}
  Attribute(const char* name, const std::string& value) : Attribute(name, PD_ATTR_STRING) {
    text_ = value, value_.count = static_cast<int64_t>(text_.size());
  }
  Attribute(const char* name, const std::vector<int>& value) : Attribute(name, PD_ATTR_INTS) {
    keep(value);
  }
  Attribute(const char* name, const std::vector<int64_t>& value) : Attribute(name, PD_ATTR_INT64S) {
    keep(value);
  }
  Attribute(const char* name, const std::vector<float>& value) : Attribute(name, PD_ATTR_FLOATS) {
    keep(value);
  }
  Attribute(const char* name, const std::vector<double>& value) : Attribute(name, PD_ATTR_DOUBLES) {
    keep(value);
  }
  const char* name() const { return name_; }
  PD_Value value() const {
    PD_Value made = value_;
    if (made.type == PD_ATTR_STRING) made.as.s = text_.c_str();
    if (made.type > PD_ATTR_STRING) made.as.list = bytes_.data();
    return made;
  }

 private:
  Attribute(const char* name, int32_t type, int) : name_(name), value_(PD_Value()) {
    value_.type = type, value_.count = 1;
  }
  enum Type : int32_t {};
  Attribute(const char* name, decltype(PD_ATTR_BOOL) type)
      : Attribute(name, static_cast<int32_t>(type), 0) {}
  template <typename T>
  void keep(const std::vector<T>& list) {
    const char* first = reinterpret_cast<const char*>(list.data());
    bytes_.assign(first, first + list.size() * sizeof(T));
    value_.count = static_cast<int64_t>(list.size());
  }
  const char* name_;
  PD_Value value_;
  std::string text_;
  std::vector<char> bytes_;
};

typedef std::vector<Tensor> Tensors;
typedef std::vector<int64_t> Sizes;
struct Attributes : std::vector<Attribute> {  // made of a list of them and nothing else
  Attributes() {}
  Attributes(std::initializer_list<Attribute> all) : std::vector<Attribute>(all) {}
};

inline std::vector<Tensors> call(const char* name, const std::vector<Tensors>& inputs,
                                 const Attributes& attributes = Attributes()) {
  std::vector<PD_Tensor> given;
  std::vector<int32_t> counts;
  for (const Tensors& slot : inputs) {
    counts.push_back(static_cast<int32_t>(slot.size()));
    for (const Tensor& tensor : slot) given.push_back(tensor.view());
  }
  std::vector<const char*> names;
  std::vector<PD_Value> values;
  for (const Attribute& one : attributes) {
    names.push_back(one.name());
    values.push_back(one.value());
  }
  int32_t made_count = 0;
  const PD_Tensor* made = nullptr;
  const int32_t* made_counts = nullptr;
  native::check(native::host()->call_operator(
      native::current_call(), name, static_cast<int32_t>(counts.size()), counts.data(),
      given.data(), static_cast<int32_t>(names.size()), names.data(), values.data(), &made_count,
      &made, &made_counts));
  std::vector<Tensors> slots;
  for (int32_t at = 0; at < made_count; ++made_counts) {
    slots.emplace_back();
    for (int32_t i = 0; i < *made_counts; ++i) slots.back().push_back(Tensor::own(made[at++]));
  }
  return slots;
}

namespace native {

inline Tensors some(const Tensor& tensor) { return tensor.defined() ? Tensors{tensor} : Tensors(); }
inline const Tensors& some(const Tensors& list) { return list; }

// The result of an operator: a tensor, a list of them, or the slots of several outputs.
inline void take(std::vector<Tensors> from, Tensor* to) {
  if (!from.empty() && !from[0].empty()) *to = from[0][0];
}
inline void take(std::vector<Tensors> from, Tensors* to) {
  if (!from.empty()) to->swap(from[0]);
}
inline void take(std::vector<Tensors> from, std::vector<Tensors>* to) { to->swap(from); }
template <typename Result>
Result called(const char* name, const std::vector<Tensors>& inputs, const Attributes& attributes) {
  Result made;
  take(::paddle::call(name, inputs, attributes), &made);
  return made;
}
// Of these there are hundreds: a compiler reads a plain call faster than one of a template.
inline Tensor of_one(const char* name, const Tensor& x, const Attributes& attributes) {
  return called<Tensor>(name, {some(x)}, attributes);
}
inline Tensor of_two(const char* name, const Tensor& x, const Tensor& y,
                     const Attributes& attributes) {
  return called<Tensor>(name, {some(x), some(y)}, attributes);
}

}  // namespace native
}  // namespace paddle

#endif  // PADDLE_NATIVE_CALLING_H_

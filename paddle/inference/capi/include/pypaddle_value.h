// Value: one Python value in C++, over the functions of pypaddle_bridge.h.
#ifndef PYPADDLE_VALUE_H_
#define PYPADDLE_VALUE_H_

#include <cstddef>
#include <map>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <unordered_set>
#include <utility>
#include <vector>

#include "pypaddle_bridge.h"

namespace pypaddle {

// Throws what the library says of its last failure in this thread.
[[noreturn]] inline void fail() { throw std::runtime_error(pypaddle_error()); }

// Holds Python while several values are made.
class Hold {
 public:
  Hold() : entered_(pypaddle_enter()) {}
  ~Hold() { pypaddle_leave(entered_); }
  Hold(const Hold&) = delete;
  Hold& operator=(const Hold&) = delete;

 private:
  int entered_;
};

class Value {
 public:
  Value() = default;

  // Takes over what a function of the library returned; throws if that was NULL.
  explicit Value(pypaddle_value* owned) : raw_(owned) {
    if (owned == nullptr) fail();
  }

  Value(const Value& other) : raw_(other.raw_) {
    if (raw_ != nullptr && pypaddle_retain(raw_) == nullptr) fail();
  }
  Value(Value&& other) noexcept : raw_(other.raw_) { other.raw_ = nullptr; }
  Value& operator=(Value other) noexcept {
    std::swap(raw_, other.raw_);
    return *this;
  }
  ~Value() { pypaddle_release(raw_); }

  pypaddle_value* raw() const { return raw_; }

  // Calls a method.
  template <typename... Args>
  Value call(const char* method, const Args&... args) const;

  // Returns the value as a type of C++: a number, bool, std::string or std::vector of these.
  template <typename T>
  T to() const;

 private:
  pypaddle_value* raw_ = nullptr;
};

// -------------------------------------------------------------------- values of C++ in Python

inline Value value_of(const Value& x) { return x; }
inline Value value_of(bool x) { return Value(pypaddle_boolean(x ? 1 : 0)); }
inline Value value_of(double x) { return Value(pypaddle_real(x)); }
inline Value value_of(const std::string& x) { return Value(pypaddle_text(x.data(), x.size())); }
inline Value value_of(const char* x) { return value_of(std::string(x)); }

template <typename T, typename = typename std::enable_if<std::is_integral<T>::value>::type>
Value value_of(T x) {
  return Value(pypaddle_integer(static_cast<long long>(x)));
}

template <typename Items>
Value list_of(const Items& items);

template <typename T>
Value value_of(const std::vector<T>& x) {
  return list_of(x);
}
inline Value value_of(const std::unordered_set<std::string>& x) { return list_of(x); }

inline std::vector<pypaddle_value*> raw_of(const std::vector<Value>& values) {
  std::vector<pypaddle_value*> raw;
  raw.reserve(values.size());
  for (const Value& value : values) raw.push_back(value.raw());
  return raw;
}

template <typename Items>
Value list_of(const Items& items) {
  std::vector<Value> values;
  values.reserve(items.size());
  for (const auto& item : items) values.push_back(value_of(item));
  return Value(pypaddle_list(raw_of(values).data(), values.size()));
}

template <typename T>
Value value_of(const std::map<std::string, T>& x) {
  std::vector<Value> keys;
  std::vector<Value> values;
  for (const auto& pair : x) {
    keys.push_back(value_of(pair.first));
    values.push_back(value_of(pair.second));
  }
  return Value(pypaddle_dict(raw_of(keys).data(), raw_of(values).data(), keys.size()));
}

// ------------------------------------------------------------------------------------- calls

template <typename... Args>
Value call_on(pypaddle_value* self, const char* name, const Args&... args) {
  const Hold hold;
  // one more than there are: an array has at least one element
  const Value values[] = {value_of(args)..., Value()};
  pypaddle_value* raw[sizeof...(args) + 1];
  for (std::size_t i = 0; i <= sizeof...(args); ++i) raw[i] = values[i].raw();
  return Value(pypaddle_call(self, name, raw, sizeof...(args)));
}

template <typename... Args>
Value Value::call(const char* method, const Args&... args) const {
  if (raw_ == nullptr) throw std::runtime_error(std::string(method) + ": the object was moved from");
  return call_on(raw_, method, args...);
}

// Calls a function of paddle/inference/capi/bridge.py.
template <typename... Args>
Value call_bridge(const char* function, const Args&... args) {
  return call_on(nullptr, function, args...);
}

// -------------------------------------------------------------------- values of Python in C++

template <typename T, typename = void>
struct Reader;

template <typename T>
struct Reader<T, typename std::enable_if<std::is_integral<T>::value>::type> {
  static T read(const Value& value) {
    long long x = 0;
    if (!pypaddle_as_integer(value.raw(), &x)) fail();
    return static_cast<T>(x);
  }
};

template <>
struct Reader<bool> {
  static bool read(const Value& value) { return Reader<int>::read(value) != 0; }
};

template <typename T>
struct Reader<T, typename std::enable_if<std::is_floating_point<T>::value>::type> {
  static T read(const Value& value) {
    double x = 0;
    if (!pypaddle_as_real(value.raw(), &x)) fail();
    return static_cast<T>(x);
  }
};

template <>
struct Reader<std::string> {
  static std::string read(const Value& value) {
    std::size_t length = 0;
    const char* text = pypaddle_as_text(value.raw(), &length);
    if (text == nullptr) fail();
    return std::string(text, length);
  }
};

template <typename T>
struct Reader<std::vector<T>> {
  static std::vector<T> read(const Value& value) {
    const Hold hold;
    std::size_t length = 0;
    if (!pypaddle_length(value.raw(), &length)) fail();
    std::vector<T> items;
    items.reserve(length);
    for (std::size_t i = 0; i < length; ++i)
      items.push_back(Reader<T>::read(Value(pypaddle_item(value.raw(), i))));
    return items;
  }
};

template <typename T>
T Value::to() const {
  return Reader<T>::read(*this);
}

}  // namespace pypaddle

#endif  // PYPADDLE_VALUE_H_

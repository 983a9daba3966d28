// Checks and their messages (8.1.5): PADDLE_ENFORCE*, PADDLE_THROW, platform::errors, VLOG, LOG.
#pragma once
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <sstream>
#include <string>
#include <type_traits>
#include <utility>
#include "paddle/native/library.h"

#define PADDLE_COLD_ __attribute__((cold, noinline, visibility("hidden")))

namespace paddle {
namespace string {

// A value of any type that can be put to a stream, for messages: what it costs is paid once.
struct Value {
  const void* at;
  void (*put)(std::ostream&, const void*);  // null: it cannot be shown
  template <typename T>
  Value(const T& value) : at(&value), put(Putter<T>(0)) {}  // NOLINT
  Value(const char* text) : at(text), put(&PutText) {}      // NOLINT

 private:
  typedef void (*Put)(std::ostream&, const void*);
  template <typename T>
  static void PutAs(std::ostream& out, const void* at) {
    out << *static_cast<const T*>(at);
  }
  static void PutText(std::ostream& out, const void* at) {
    out << (at ? static_cast<const char*>(at) : "(null)");
  }
  template <typename T>
  static auto Putter(int)
      -> decltype(std::declval<std::ostream&>() << std::declval<const T&>(), Put()) {
    return &PutAs<T>;
  }
  template <typename T>
  static Put Putter(long) {
    return nullptr;
  }
};

// Text by a format of C; what stands for a value may have any type.
PADDLE_COLD_ inline std::string Format(const char* format, std::initializer_list<Value> values) {
  std::ostringstream out;
  auto value = values.begin();
  for (; *format; ++format) {
    if (format[0] != '%' || format[1] == '%' || value == values.end()) {
      if (format[0] == '%' && format[1] == '%') ++format;
      out << *format;
      continue;
    }
    const auto precision = out.precision();
    const auto flags = out.flags();
    for (++format; *format && !std::strchr("diouxXeEfFgGaAcsp", *format); ++format) {
      if (*format == '.') out.precision(std::atoi(format + 1));
    }
    if (*format == 'f') out << std::fixed;
    if (*format == 'x') out << std::hex;
    if (value->put) value->put(out, value->at);
    out.precision(precision), out.flags(flags);
    ++value;
    if (!*format) break;
  }
  return out.str();
}
template <typename... Values>
std::string Sprintf(const char* format, const Values&... values) {
  return Format(format, {values...});
}
template <typename T>
std::string to_string(const T& value) {
  return Format("%s", {value});
}

}  // namespace string

namespace platform {

struct ErrorSummary {
  int32_t kind;  // PD_INVALID_ARGUMENT, ...
  std::string message;
};

namespace errors {
#define PADDLE_DEFINE_ERROR_(name, kind)                           \
  template <typename... Values>                                    \
  ErrorSummary name(const char* format, const Values&... values) { \
    return ErrorSummary{kind, string::Sprintf(format, values...)}; \
  }                                                                \
  inline ErrorSummary name(const std::string& message) { return ErrorSummary{kind, message}; }
PADDLE_DEFINE_ERROR_(InvalidArgument, PD_INVALID_ARGUMENT)
PADDLE_DEFINE_ERROR_(NotFound, PD_NOT_FOUND)
PADDLE_DEFINE_ERROR_(OutOfRange, PD_OUT_OF_RANGE)
PADDLE_DEFINE_ERROR_(AlreadyExists, PD_ALREADY_EXISTS)
PADDLE_DEFINE_ERROR_(ResourceExhausted, PD_RESOURCE_EXHAUSTED)
PADDLE_DEFINE_ERROR_(PreconditionNotMet, PD_PRECONDITION_NOT_MET)
PADDLE_DEFINE_ERROR_(PermissionDenied, PD_PERMISSION_DENIED)
PADDLE_DEFINE_ERROR_(ExecutionTimeout, PD_EXECUTION_TIMEOUT)
PADDLE_DEFINE_ERROR_(Unimplemented, PD_UNIMPLEMENTED)
PADDLE_DEFINE_ERROR_(Unavailable, PD_UNAVAILABLE)
PADDLE_DEFINE_ERROR_(Fatal, PD_FATAL)
PADDLE_DEFINE_ERROR_(External, PD_EXTERNAL)
#undef PADDLE_DEFINE_ERROR_
}  // namespace errors

// The forms that a message can have in a check: an error, a text with values, nothing.
inline ErrorSummary Summary() { return ErrorSummary{PD_PRECONDITION_NOT_MET, "A check failed."}; }
inline ErrorSummary Summary(ErrorSummary given) { return given; }
inline ErrorSummary Summary(const std::string& message) {
  return ErrorSummary{PD_PRECONDITION_NOT_MET, message};
}
template <typename... Values>
ErrorSummary Summary(const char* format, const Values&... values) {
  return Summary(string::Sprintf(format, values...));
}

class PD_HIDDEN EnforceNotMet : public native::Error {
 public:
  EnforceNotMet(int32_t kind, const std::string& text) : Error(kind, text) {}
};

// What a check compared: "Expected a == b, but received a:1 != b:2."
struct Comparison {
  const char *a, *wanted, *b, *found;
  string::Value a_value, b_value;
};
[[noreturn]] PADDLE_COLD_ inline void Fail(const ErrorSummary& error, const char* hint,
                                           const char* file, int line) {
  std::string text = error.message;
  if (*hint) text += string::Sprintf("\n  [Hint: %s]", hint);
  throw EnforceNotMet(error.kind, text + string::Sprintf(" (at %s:%d)", file, line));
}
[[noreturn]] PADDLE_COLD_ inline void Fail(const ErrorSummary& error, const Comparison& is,
                                           const char* file, int line) {
  std::string hint =
      string::Sprintf("Expected %s %s %s, but received %s", is.a, is.wanted, is.b, is.a);
  if (is.a_value.put) hint += string::Sprintf(":%s", is.a_value);
  hint += string::Sprintf(" %s %s", is.found, is.b);
  if (is.b_value.put) hint += string::Sprintf(":%s", is.b_value);
  Fail(error, (hint + ".").c_str(), file, line);
}

// Integers are compared as numbers, whatever their types; other values as they are.
template <typename T>
typename std::enable_if<std::is_integral<T>::value, int64_t>::type Compared(const T& value) {
  return static_cast<int64_t>(value);
}
template <typename T>
typename std::enable_if<!std::is_integral<T>::value, const T&>::type Compared(const T& value) {
  return value;
}
inline bool LogsAt(int level) {
  static const char* set = std::getenv("GLOG_v");
  return set && std::atoi(set) >= level;
}
// One line of the log; it is written when the statement ends.
class LogLine {
 public:
  enum Severity { INFO, WARNING, ERROR, FATAL };
  LogLine(Severity severity, const char* file, int line) : severity_(severity) {
    out_ << "IWEF"[severity] << ' ' << file << ':' << line << "] ";
  }
  ~LogLine() {
    std::fputs((out_.str() + '\n').c_str(), stderr);
    if (severity_ == FATAL) std::abort();
  }
  std::ostream& stream() { return out_; }

 private:
  Severity severity_;
  std::ostringstream out_;
};
struct Discarded {
  void operator&(std::ostream&) {}
};

}  // namespace platform
}  // namespace paddle

#define PADDLE_THROW(...) \
  ::paddle::platform::Fail(::paddle::platform::Summary(__VA_ARGS__), "", __FILE__, __LINE__)
#define PADDLE_ENFORCE_HINT_(condition, hint, ...)                                       \
  do {                                                                                   \
    if (__builtin_expect(!(condition), 0)) {                                             \
      ::paddle::platform::Fail(::paddle::platform::Summary(__VA_ARGS__), hint, __FILE__, \
                               __LINE__);                                                \
    }                                                                                    \
  } while (0)
#define PADDLE_ENFORCE(condition, ...) \
  PADDLE_ENFORCE_HINT_(condition, "Expected " #condition ".", __VA_ARGS__)
#define PADDLE_ENFORCE_NOT_NULL(pointer, ...) \
  PADDLE_ENFORCE_HINT_((pointer) != nullptr, #pointer " should not be null.", __VA_ARGS__)
#define PADDLE_ENFORCE_COMPARED_(a, wanted, found, b, ...)                                     \
  do {                                                                                         \
    auto&& paddle_a_ = (a);                                                                    \
    auto&& paddle_b_ = (b);                                                                    \
    if (__builtin_expect(!(::paddle::platform::Compared(paddle_a_)                             \
                               wanted::paddle::platform::Compared(paddle_b_)),                 \
                         0)) {                                                                 \
      const ::paddle::platform::Comparison paddle_is_ = {#a,     #wanted,   #b,                \
                                                         #found, paddle_a_, paddle_b_};        \
      ::paddle::platform::Fail(::paddle::platform::Summary(__VA_ARGS__), paddle_is_, __FILE__, \
                               __LINE__);                                                      \
    }                                                                                          \
  } while (0)
#define PADDLE_ENFORCE_EQ(a, b, ...) PADDLE_ENFORCE_COMPARED_(a, ==, !=, b, __VA_ARGS__)
#define PADDLE_ENFORCE_NE(a, b, ...) PADDLE_ENFORCE_COMPARED_(a, !=, ==, b, __VA_ARGS__)
#define PADDLE_ENFORCE_GT(a, b, ...) PADDLE_ENFORCE_COMPARED_(a, >, <=, b, __VA_ARGS__)
#define PADDLE_ENFORCE_GE(a, b, ...) PADDLE_ENFORCE_COMPARED_(a, >=, <, b, __VA_ARGS__)
#define PADDLE_ENFORCE_LT(a, b, ...) PADDLE_ENFORCE_COMPARED_(a, <, >=, b, __VA_ARGS__)
#define PADDLE_ENFORCE_LE(a, b, ...) PADDLE_ENFORCE_COMPARED_(a, <=, >, b, __VA_ARGS__)
#define OP_INOUT_CHECK(there, role, name, op)                                             \
  PADDLE_ENFORCE_EQ(there, true,                                                          \
                    ::paddle::platform::errors::NotFound("No %s(%s) found for %s operator.", \
                                                         role, name, op))
#define PADDLE_ENFORCE_CUDA_SUCCESS(status)   \
  PADDLE_ENFORCE_EQ(static_cast<int>(status), 0, \
                    ::paddle::platform::errors::External("A function of CUDA failed."))

// Lines for developers: VLOG(3) << ...; they are shown where the variable GLOG_v is at least 3.
#ifndef VLOG
#define PADDLE_LOG_(severity) \
  ::paddle::platform::LogLine(::paddle::platform::LogLine::severity, __FILE__, __LINE__).stream()
#define VLOG(level)                                         \
  !::paddle::platform::LogsAt(level) ? static_cast<void>(0) \
                                     : ::paddle::platform::Discarded() & PADDLE_LOG_(INFO)
#endif
#ifndef LOG
#define LOG(severity) PADDLE_LOG_(severity)
#endif

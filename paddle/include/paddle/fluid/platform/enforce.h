// Checks and their messages (8.1.5): PADDLE_ENFORCE*, PADDLE_THROW, platform::errors, VLOG, LOG.
#pragma once
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <sstream>
#include <string>
#include <type_traits>
#include <utility>
#include "paddle/native/library.h"

namespace paddle {
namespace string {

// Text by a format of C whose values may be of any type that can be put to a stream.
inline void PutFormatted(std::ostream& out, const char* format) {
  for (; *format; ++format) {
    if (format[0] == '%' && format[1] == '%') ++format;
    out << *format;
  }
}
template <typename First, typename... Rest>
void PutFormatted(std::ostream& out, const char* format, const First& first, const Rest&... rest) {
  for (; *format; ++format) {
    if (*format != '%') {
      out << *format;
    } else if (format[1] == '%') {
      out << *++format;
    } else {
      std::ios state(nullptr);
      state.copyfmt(out);
      const std::string letters = "diouxXeEfFgGaAcspn";
      for (++format; *format && letters.find(*format) == std::string::npos; ++format) {
        if (*format == '.') out.precision(std::atoi(format + 1));
      }
      if (*format == 'f') out << std::fixed;
      if (*format == 'x') out << std::hex;
      out << first;
      out.copyfmt(state);
      return PutFormatted(out, *format ? format + 1 : format, rest...);
    }
  }
}
template <typename... Values>
std::string Sprintf(const char* format, const Values&... values) {
  std::ostringstream out;
  PutFormatted(out, format, values...);
  return out.str();
}
template <typename T>
std::string to_string(const T& value) {
  return Sprintf("%s", value);
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
  EnforceNotMet(const ErrorSummary& error, const std::string& hint, const char* file, int line)
      : Error(error.kind, error.message + (hint.empty() ? "" : "\n  [Hint: " + hint + "]") +
                              string::Sprintf(" (at %s:%d)", file, line)) {}
};

// Integers are compared as numbers, whatever their types; other values as they are.
template <typename T>
typename std::enable_if<std::is_integral<T>::value, int64_t>::type Compared(const T& value) {
  return static_cast<int64_t>(value);
}
template <typename T>
typename std::enable_if<!std::is_integral<T>::value, const T&>::type Compared(const T& value) {
  return value;
}
// " x:3" where a value can be printed, else " x".
template <typename T>
auto Shown(const char* name, const T& value, int)
    -> decltype(std::declval<std::ostream&>() << value, std::string()) {
  return string::Sprintf("%s:%s", name, value);
}
template <typename T>
std::string Shown(const char* name, const T&, long) {
  return name;
}
template <typename A, typename B>
std::string Hint(const char* a_name, const char* wanted, const char* b_name, const A& a,
                 const char* found, const B& b) {
  return string::Sprintf("Expected %s %s %s, but received %s %s %s.", a_name, wanted, b_name,
                         Shown(a_name, a, 0), found, Shown(b_name, b, 0));
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
    std::cerr << out_.str() + '\n';
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

#define PADDLE_THROW(...)                                                                    \
  throw ::paddle::platform::EnforceNotMet(::paddle::platform::Summary(__VA_ARGS__), "", __FILE__, \
                                          __LINE__)
#define PADDLE_ENFORCE_HINT_(condition, hint, ...)                                              \
  do {                                                                                          \
    if (!(condition)) {                                                                         \
      throw ::paddle::platform::EnforceNotMet(::paddle::platform::Summary(__VA_ARGS__), (hint), \
                                              __FILE__, __LINE__);                              \
    }                                                                                           \
  } while (0)
#define PADDLE_ENFORCE(condition, ...) \
  PADDLE_ENFORCE_HINT_(condition, "Expected " #condition ".", __VA_ARGS__)
#define PADDLE_ENFORCE_NOT_NULL(pointer, ...) \
  PADDLE_ENFORCE_HINT_((pointer) != nullptr, #pointer " should not be null.", __VA_ARGS__)
#define PADDLE_ENFORCE_COMPARED_(a, wanted, found, b, ...)                                 \
  do {                                                                                     \
    auto&& paddle_a_ = (a);                                                                \
    auto&& paddle_b_ = (b);                                                                \
    PADDLE_ENFORCE_HINT_(                                                                  \
        ::paddle::platform::Compared(paddle_a_) wanted ::paddle::platform::Compared(paddle_b_), \
        ::paddle::platform::Hint(#a, #wanted, #b, paddle_a_, #found, paddle_b_), __VA_ARGS__);  \
  } while (0)
#define PADDLE_ENFORCE_EQ(a, b, ...) PADDLE_ENFORCE_COMPARED_(a, ==, !=, b, __VA_ARGS__)
#define PADDLE_ENFORCE_NE(a, b, ...) PADDLE_ENFORCE_COMPARED_(a, !=, ==, b, __VA_ARGS__)
#define PADDLE_ENFORCE_GT(a, b, ...) PADDLE_ENFORCE_COMPARED_(a, >, <=, b, __VA_ARGS__)
#define PADDLE_ENFORCE_GE(a, b, ...) PADDLE_ENFORCE_COMPARED_(a, >=, <, b, __VA_ARGS__)
#define PADDLE_ENFORCE_LT(a, b, ...) PADDLE_ENFORCE_COMPARED_(a, <, >=, b, __VA_ARGS__)
#define PADDLE_ENFORCE_LE(a, b, ...) PADDLE_ENFORCE_COMPARED_(a, <=, >, b, __VA_ARGS__)

// Lines for developers: VLOG(3) << ...; they are shown where the variable GLOG_v is at least 3.
#ifndef VLOG
#define PADDLE_LOG_(severity) \
  ::paddle::platform::LogLine(::paddle::platform::LogLine::severity, __FILE__, __LINE__).stream()
#define VLOG(level)                                            \
  !::paddle::platform::LogsAt(level) ? static_cast<void>(0)    \
                                     : ::paddle::platform::Discarded() & PADDLE_LOG_(INFO)
#endif
#ifndef LOG
#define LOG(severity) PADDLE_LOG_(severity)
#endif

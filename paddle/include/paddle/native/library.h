// A library of operators seen from inside: what it registers, and the entry that hands it over.
//
// Both forms of C++ (paddle/extension.h, paddle/fluid/framework/op_registry.h) derive from Entry and
// may stand in one library. Everything that has state is hidden, so that two libraries in a process
// do not find each other's.

#ifndef PADDLE_NATIVE_LIBRARY_H_
#define PADDLE_NATIVE_LIBRARY_H_

#include <cstdint>
#include <exception>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

#include "paddle/c_abi.h"

#define PD_HIDDEN __attribute__((visibility("hidden")))

namespace paddle {
namespace native {

// Text and kind of an error of ours; leaves the library as a code.
class PD_HIDDEN Error : public std::runtime_error {
 public:
  Error(int32_t kind, const std::string& text) : std::runtime_error(text), kind_(kind) {}
  int32_t kind() const { return kind_; }

 private:
  int32_t kind_;
};

// One operator; made before main and there for ever.
class PD_HIDDEN Entry {
 public:
  virtual ~Entry() {}
  virtual const PD_Operator* describe() = 0;  // called once, when all are registered
  const PD_Operator* described = nullptr;
  virtual int32_t infer_shape(PD_Call* call) = 0;
  virtual int32_t infer_dtype(PD_Call* call) = 0;
  virtual int32_t call(PD_Call* call) = 0;
};

PD_HIDDEN inline std::vector<Entry*>& entries() {
  static std::vector<Entry*> all;
  return all;
}

PD_HIDDEN inline const PD_Host*& host() {
  static const PD_Host* table = nullptr;
  return table;
}

// The call that this thread is in; null outside.
PD_HIDDEN inline PD_Call*& current_call() {
  static thread_local PD_Call* call = nullptr;
  return call;
}

class PD_HIDDEN Within {
 public:
  explicit Within(PD_Call* call) : place_(current_call()), before_(place_) { place_ = call; }
  ~Within() { place_ = before_; }

 private:
  PD_Call*& place_;
  PD_Call* before_;
};

PD_HIDDEN inline int32_t fail(PD_Call* call, int32_t kind, const char* text) {
  host()->error(call, kind, text);
  return kind;
}

// Throws what a function of the host reported by its code. The host knows its own text.
class PD_HIDDEN HostError : public std::exception {
 public:
  explicit HostError(int32_t kind) : kind_(kind) {}
  int32_t kind() const { return kind_; }
  const char* what() const noexcept override { return "a function of the host failed"; }

 private:
  int32_t kind_;
};

PD_HIDDEN inline void check(int32_t code) {
  if (code > 0) throw HostError(code);
}

// No exception leaves the library. A message that begins with a newline or blanks is cleaned by the
// host.
template <typename Function>
PD_HIDDEN int32_t guarded(PD_Call* call, Function function) {
  try {
    Within within(call);
    return function();
  } catch (const HostError& error) {
    return error.kind();
  } catch (const Error& error) {
    return fail(call, error.kind(), error.what());
  } catch (const std::bad_alloc&) {
    return fail(call, PD_RESOURCE_EXHAUSTED, "the kernel ran out of memory");
  } catch (const std::exception& error) {
    return fail(call, PD_EXTERNAL, error.what());
  } catch (...) {
    return fail(call, PD_EXTERNAL, "the kernel threw something that is no std::exception");
  }
}

PD_HIDDEN inline int32_t count() { return static_cast<int32_t>(entries().size()); }

PD_HIDDEN inline const PD_Operator* describe(int32_t op) {
  Entry* entry = entries()[static_cast<size_t>(op)];
  guarded(nullptr, [&]() -> int32_t {
    if (!entry->described) entry->described = entry->describe();
    return PD_OK;
  });
  return entry->described;
}

PD_HIDDEN inline int32_t infer_shape(int32_t op, PD_Call* call) {
  return guarded(call, [&] { return entries()[static_cast<size_t>(op)]->infer_shape(call); });
}

PD_HIDDEN inline int32_t infer_dtype(int32_t op, PD_Call* call) {
  return guarded(call, [&] { return entries()[static_cast<size_t>(op)]->infer_dtype(call); });
}

PD_HIDDEN inline int32_t call(int32_t op, PD_Call* call) {
  return guarded(call, [&] { return entries()[static_cast<size_t>(op)]->call(call); });
}

#define PD_TEXT_OF_(x) #x
#define PD_TEXT_OF(x) PD_TEXT_OF_(x)

PD_HIDDEN inline const PD_Library* enter(const PD_Host* table) {
  host() = table;
  static const PD_Library library = {
      PD_ABI_VERSION, static_cast<uint32_t>(sizeof(PD_Library)),
      __VERSION__ " C++ " PD_TEXT_OF(__cplusplus), count, describe, infer_shape, infer_dtype, call};
  return &library;
}

}  // namespace native
}  // namespace paddle

extern "C" PD_EXPORT __attribute__((weak)) const PD_Library* PD_ENTRY(const PD_Host* host) {
  return paddle::native::enter(host);
}

#endif  // PADDLE_NATIVE_LIBRARY_H_

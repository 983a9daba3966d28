// paddle::Tensor: a handle on memory of the host, as kernels of paddle/extension.h see it.

#ifndef PADDLE_NATIVE_TENSOR_H_
#define PADDLE_NATIVE_TENSOR_H_

#include <algorithm>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "paddle/native/types.h"

#if defined(PADDLE_WITH_CUDA) || defined(__CUDACC__)
#include <cuda_runtime_api.h>
#endif

namespace paddle {
namespace native {

inline void say(std::ostringstream&) {}
template <typename T, typename... Rest>
void say(std::ostringstream& out, const T& first, const Rest&... rest) {
  out << first;
  say(out, rest...);
}

template <typename... Parts>
[[noreturn]] PD_HIDDEN void raise(int32_t kind, const Parts&... parts) {
  std::ostringstream out;
  say(out, parts...);
  throw Error(kind, out.str());
}

template <typename... Parts>
[[noreturn]] PD_HIDDEN void refuse(const char* condition, const char* file, int line,
                                   const Parts&... parts) {
  std::ostringstream out;
  say(out, parts...);
  if (out.str().empty()) say(out, "the check `", condition, "` failed.");
  say(out, " (at ", file, ":", line, ")");
  throw Error(PD_EXTERNAL, out.str());
}

inline std::string text_of(const std::vector<int64_t>& shape) {
  std::string text = "[";
  for (size_t i = 0; i < shape.size(); ++i) text += (i ? ", " : "") + std::to_string(shape[i]);
  return text + "]";
}

// Which of the outputs that the host offers a kernel has taken; of the call this thread is in.
struct Offers {
  PD_Call* call = nullptr;
  uint64_t taken = 0;
  std::vector<std::shared_ptr<void>> bodies;  // of the tensors that lie there
};
PD_HIDDEN inline Offers& offers() {
  static thread_local Offers state;
  return state;
}

}  // namespace native

#define PD_THROW(...) \
  ::paddle::native::refuse("false", __FILE__, __LINE__, ##__VA_ARGS__)
#define PD_CHECK(condition, ...)                                                   \
  do {                                                                             \
    if (!(condition))                                                              \
      ::paddle::native::refuse(#condition, __FILE__, __LINE__, ##__VA_ARGS__);     \
  } while (0)

class Tensor {
 public:
  Tensor() {}
  explicit Tensor(const Place& place) : body_(std::make_shared<Body>()) { body_->place = place; }
  explicit Tensor(PlaceType place) : Tensor(Place(place)) {}
  Tensor(const Place& place, const std::vector<int64_t>& shape) : Tensor(place) {
    body_->shape = shape;
  }
  Tensor(PlaceType place, const std::vector<int64_t>& shape) : Tensor(Place(place), shape) {}

  // -- what it is
  std::vector<int64_t> shape() const { return body_ ? body_->shape : std::vector<int64_t>(); }
  std::vector<int64_t> dims() const { return shape(); }
  int64_t numel() const {
    int64_t count = 1;
    if (body_)
      for (int64_t size : body_->shape) count *= size;
    return count;
  }
  int64_t size() const { return numel(); }
  DataType dtype() const { return body_ ? body_->dtype : DataType::UNDEFINED; }
  DataType type() const { return dtype(); }
  Place place() const { return body_ ? body_->place : Place(); }
  bool is_cpu() const { return place() == PlaceType::kCPU; }
  bool is_gpu() const { return place() == PlaceType::kGPU; }
  bool is_gpu_pinned() const { return place() == PlaceType::kGPUPINNED; }
  bool is_xpu() const { return place() == PlaceType::kXPU; }
  bool is_initialized() const { return body_ && body_->address(); }
  bool initialized() const { return is_initialized(); }
  bool defined() const { return static_cast<bool>(body_); }
  bool is_dense_tensor() const { return defined(); }
  const void* impl() const { return body_.get(); }
  void reset() { body_.reset(); }

  // -- memory
  const void* data() const { return need(); }
  void* data() { return need(); }
  template <typename T>
  T* data() const {
    if (native::TypeOf<T>::value != dtype() && is_initialized())
      native::raise(PD_INVALID_ARGUMENT, "data<", native::name_of(native::TypeOf<T>::value),
                    ">() of a tensor of ", native::name_of(dtype()), ".");
    return static_cast<T*>(need());
  }
  // Memory for its shape and this type, new if it has none that fits.
  template <typename T>
  T* mutable_data() {
    return static_cast<T*>(memory(native::TypeOf<T>::value, place()));
  }
  template <typename T>
  T* mutable_data(const Place& place) {
    return static_cast<T*>(memory(native::TypeOf<T>::value, place));
  }
  template <typename T>
  T* mutable_data(PlaceType place) {
    return mutable_data<T>(Place(place));
  }

  // Another shape. Memory that is too small for it is given up.
  void reshape(const std::vector<int64_t>& shape) {
    if (!body_) body_ = std::make_shared<Body>();
    int64_t count = 1;
    for (int64_t size : shape) count *= size;
    if (is_initialized() && count != numel()) body_->forget();
    body_->shape = shape;
  }

  // -- made of others
  Tensor cast(DataType type) const { return converted(type, place()); }
  template <typename T>
  Tensor copy_to(const Place& place) const {
    return converted(native::TypeOf<T>::value, place);
  }
  template <typename T>
  Tensor copy_to(PlaceType place) const {
    return copy_to<T>(Place(place));
  }
  Tensor copy_to(const Place& place, bool /*blocking*/ = true) const {
    return converted(dtype(), place);
  }
  // Into the memory that it has, where that fits: an input that is written in place stays that one.
  void copy_(const Tensor& source, const Place& place, bool /*blocking*/) {
    if (is_initialized() && source.is_initialized() && is_cpu() && source.is_cpu() &&
        place == PlaceType::kCPU && dtype() == source.dtype() && shape() == source.shape())
      std::memmove(need(), source.need(), static_cast<size_t>(numel()) * SizeOf(dtype()));
    else
      *this = source.converted(source.dtype(), place);
  }
  // Rows begin to end - 1; the memory is shared.
  Tensor slice(int64_t begin, int64_t end) const {
    need();
    if (shape().empty() || begin < 0 || end <= begin || end > shape()[0])
      native::raise(PD_OUT_OF_RANGE, "slice(", begin, ", ", end, ") of a tensor of shape ",
                    native::text_of(shape()), ".");
    Tensor part;
    part.body_ = std::make_shared<Body>();
    part.body_->borrow(*body_);
    part.body_->parent = body_;
    const int64_t row = shape()[0] ? numel() / shape()[0] : 0;
    part.body_->shape[0] = end - begin;
    part.body_->offset = static_cast<size_t>(begin * row) * SizeOf(dtype());
    return part;
  }

#if defined(PADDLE_WITH_CUDA) || defined(__CUDACC__)
  cudaStream_t stream() const { return static_cast<cudaStream_t>(queue()); }
#else
  void* stream() const { return queue(); }
#endif

  // -- for this library
  explicit Tensor(const PD_Tensor& given) : body_(std::make_shared<Body>()) { body_->take(given); }

  // As the interface has it; `shape` lies in this tensor.
  PD_Tensor view() const {
    PD_Tensor made = PD_Tensor();
    if (!body_) return made;
    made.data = body_->address();
    made.device = body_->place.device();
    made.ndim = static_cast<int32_t>(body_->shape.size());
    made.dtype = native::code_of(body_->dtype);
    made.shape = body_->shape.data();
    made.handle = body_->handle();
    return made;
  }
  // The handle goes to the host, with the last of us or counted once more.
  void hand_over() {
    if (!body_ || !(body_->handle() >> 32)) return;
    if (body_->owned && body_.use_count() == 1)
      body_->owned = false;
    else
      native::host()->retain(body_->handle());
  }
  // What a kernel keeps beyond the call gets memory of its own, where it lies in the call's.
  void keep() const {
    if (body_ && body_.use_count() > 1) body_->settle();
  }
  static void keep_all(const std::vector<std::shared_ptr<void>>& bodies, size_t from) {
    for (size_t i = from; i < bodies.size(); ++i)
      if (bodies[i].use_count() > 1) static_cast<Body*>(bodies[i].get())->settle();
  }
  // A tensor that owns its handle.
  static Tensor own(const PD_Tensor& given) {
    Tensor made(given);
    made.body_->owned = true;
    return made;
  }

 private:
  struct Body {
    std::vector<int64_t> shape;
    void* data = nullptr;
    DataType dtype = DataType::UNDEFINED;
    Place place;
    uint64_t number = 0;  // the handle
    bool owned = false;
    std::shared_ptr<Body> parent;  // whose memory this is a part of, and where it begins
    size_t offset = 0;

    Body() {}
    Body(const Body&) = delete;
    Body& operator=(const Body&) = delete;
    ~Body() { forget(); }
    uint64_t handle() const { return parent ? parent->handle() : number; }
    void* address() const {
      return parent ? static_cast<char*>(parent->address()) + offset : data;
    }
    void forget() {
      if (owned) native::host()->release(number);
      owned = false;
      data = nullptr;
      number = 0;
      parent.reset();
    }
    void settle() {
      if (owned || parent || !data) return;
      PD_Tensor from = PD_Tensor(), made = PD_Tensor();
      from.data = data;
      from.device = place.device();
      from.ndim = static_cast<int32_t>(shape.size());
      from.dtype = native::code_of(dtype);
      from.shape = shape.data();
      from.handle = number;
      native::check(native::host()->convert(native::current_call(), &from, from.dtype, from.device,
                                            &made));
      data = made.data;
      number = made.handle;
      owned = true;
    }
    void take(const PD_Tensor& given) {
      if (given.ndim > 0) shape.assign(given.shape, given.shape + given.ndim);
      data = given.data ? static_cast<char*>(given.data) + given.byte_offset : nullptr;
      dtype = native::type_of(given.dtype);
      place = Place(given.device);
      number = given.handle;
    }
    void borrow(const Body& other) {
      shape = other.shape;
      dtype = other.dtype;
      place = other.place;
    }
  };

  void* need() const {
    if (!is_initialized() && !(body_ && body_->handle()))
      native::raise(PD_PRECONDITION_NOT_MET,
                    "data() of a tensor without memory; mutable_data<T>() makes some.");
    return body_->address();
  }

  void* queue() const {
    PD_Call* call = native::current_call();
    const PD_Device device = place().device();
    if (call && call->device.type == device.type && call->device.id == device.id)
      return call->stream;
    return native::host()->stream(device);
  }

  Tensor converted(DataType type, const Place& to) const {
    need();
    PD_Tensor made = PD_Tensor();
    const PD_Tensor from = view();
    native::check(native::host()->convert(native::current_call(), &from, native::code_of(type),
                                          to.device(), &made));
    return own(made);
  }

  void* memory(DataType type, const Place& place) {
    if (!body_) body_ = std::make_shared<Body>();
    if (body_->address() && body_->dtype == type && body_->place == place) return body_->address();
    body_->forget();
    body_->dtype = type;
    body_->place = place;
    if (offered()) return body_->data;
    PD_Tensor made = PD_Tensor();
    native::check(native::host()->allocate(native::current_call(),
                                           static_cast<int32_t>(body_->shape.size()),
                                           body_->shape.data(), native::code_of(type), place.device(), &made));
    body_->data = made.data;
    body_->number = made.handle;
    body_->owned = true;
    return body_->data;
  }

  // Memory that the host has made for an output of just this form saves a call of it.
  bool offered() {
    native::Offers& state = native::offers();
    PD_Call* call = native::current_call();
    if (!call || state.call != call) return false;
    const PD_DType code = native::code_of(body_->dtype);
    const PD_Device device = body_->place.device();
    for (int32_t i = 0; i < call->output_count && i < 64; ++i) {
      const PD_Tensor& offer = call->outputs[i];
      if ((state.taken >> i & 1) || !offer.data || offer.dtype.code != code.code ||
          offer.dtype.bits != code.bits || offer.device.type != device.type ||
          offer.device.id != device.id ||
          offer.ndim != static_cast<int32_t>(body_->shape.size()) ||
          !std::equal(body_->shape.begin(), body_->shape.end(), offer.shape))
        continue;
      state.taken |= uint64_t(1) << i;
      body_->data = offer.data;
      body_->number = offer.handle;
      state.bodies.push_back(body_);
      return true;
    }
    return false;
  }

  std::shared_ptr<Body> body_;
};

// ---------------------------------------------------------------- new tensors

namespace native {

inline void* raw(Tensor* tensor, DataType type, const Place& place) {
#define PD_CASE_(NAME, T, text, code, bits) \
  case DataType::NAME: return tensor->mutable_data<T>(place);
  switch (type) {
    PD_EACH_TYPE_(PD_CASE_)
    default: raise(PD_INVALID_ARGUMENT, "a new tensor needs a data type.");
  }
#undef PD_CASE_
}

}  // namespace native

inline Tensor empty(const std::vector<int64_t>& shape, DataType dtype = DataType::FLOAT32,
                    const Place& place = CPUPlace()) {
  Tensor made(place, shape);
  native::raw(&made, dtype, place);
  return made;
}

inline Tensor full(const std::vector<int64_t>& shape, double value,
                   DataType dtype = DataType::FLOAT32, const Place& place = CPUPlace()) {
  Tensor made = empty(shape, dtype, CPUPlace());
#define PD_CASE_(NAME, T, text, code, bits)                                 \
  case DataType::NAME:                                                      \
    std::fill_n(made.data<T>(), made.numel(), static_cast<T>(value));       \
    break;
  switch (dtype) {
    PD_EACH_TYPE_(PD_CASE_)
    default: break;
  }
#undef PD_CASE_
  return place == PlaceType::kCPU ? made : made.copy_to(place, true);
}

#define PD_MAKERS_(name, like, value)                                                            \
  inline Tensor name(const std::vector<int64_t>& shape, DataType dtype = DataType::FLOAT32,      \
                     const Place& place = CPUPlace()) {                                          \
    return full(shape, value, dtype, place);                                                     \
  }                                                                                              \
  inline Tensor like(const Tensor& x, DataType dtype = DataType::UNDEFINED,                      \
                     const Place& place = Place()) {                                             \
    return full(x.shape(), value, dtype == DataType::UNDEFINED ? x.dtype() : dtype,              \
                place == PlaceType::kUNK ? x.place() : place);                                   \
  }
PD_MAKERS_(zeros, zeros_like, 0.0)
PD_MAKERS_(ones, ones_like, 1.0)

inline Tensor empty_like(const Tensor& x, DataType dtype = DataType::UNDEFINED,
                         const Place& place = Place()) {
  return empty(x.shape(), dtype == DataType::UNDEFINED ? x.dtype() : dtype,
               place == PlaceType::kUNK ? x.place() : place);
}

inline Tensor full_like(const Tensor& x, double value, DataType dtype = DataType::UNDEFINED,
                        const Place& place = Place()) {
  return full(x.shape(), value, dtype == DataType::UNDEFINED ? x.dtype() : dtype,
              place == PlaceType::kUNK ? x.place() : place);
}

}  // namespace paddle

#endif  // PADDLE_NATIVE_TENSOR_H_

// Tensor and LoDTensor: sizes, a data type and memory that several tensors may share.
#pragma once
#include <cstring>
#include <memory>
#include <vector>
#include "paddle/fluid/framework/data_type.h"
#include "paddle/fluid/framework/ddim.h"
#include "paddle/fluid/platform/place.h"

namespace paddle {
namespace framework {

struct Memory {
  Memory(const PD_Tensor& tensor, bool owned)
      : data(tensor.data), bytes(0), place(tensor.device), handle(tensor.handle), owned(owned) {}
  explicit Memory(size_t size)
      : data(::operator new(size ? size : 1)), bytes(size), handle(0), owned(true) {}
  ~Memory() {
    if (!handle && owned) ::operator delete(data);
    if (handle && owned) native::host()->release(handle);
  }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  void* data;
  size_t bytes;
  platform::Place place;
  uint64_t
      handle;  // the host's, or 0: memory of our own on the CPU, for what a kernel needs itself
  bool owned;
};

class Tensor {
 public:
  using Type = proto::VarType::Type;

  template <typename T>
  const T* data() const {
    CheckType(DataTypeTrait<T>::DataType());
    return static_cast<const T*>(Address());
  }
  template <typename T>
  T* data() {
    CheckType(DataTypeTrait<T>::DataType());
    return static_cast<T*>(Address());
  }
  template <typename T>
  T* mutable_data(const platform::Place& place, size_t = 0) {
    return static_cast<T*>(mutable_data(place, DataTypeTrait<T>::DataType()));
  }
  template <typename T>
  T* mutable_data(const DDim& dims, const platform::Place& place, size_t = 0) {
    return Resize(dims).mutable_data<T>(place);
  }
  void* mutable_data(const platform::Place& place, Type type, size_t = 0) {
    PADDLE_ENFORCE_EQ(contain_unknown_dim(dims_), false,
                      platform::errors::PreconditionNotMet(
                          "The tensor's shape [%s] has unknown sizes: memory cannot be made. Call "
                          "Resize before mutable_data.",
                          dims_));
    const size_t bytes = numel() * SizeOfType(type);
    if (!memory_ || memory_->place != place || memory_->bytes < bytes + offset_) {
      memory_ = offer_ && type == offer_type_ && offer_->place == place && offer_->bytes >= bytes
                    ? offer_
                    : Allocate(place, dims_, type);
      offset_ = 0;
    }
    type_ = type;
    return Address();
  }
  void* mutable_data(const platform::Place& place) { return mutable_data(place, type_); }

  const DDim& dims() const { return dims_; }
  int64_t numel() const { return numel_; }  // loops ask for it again and again
  Tensor& Resize(const DDim& dims) {
    dims_ = dims, numel_ = product(dims);
    return *this;
  }
  Type type() const {
    PADDLE_ENFORCE_EQ(IsInitialized(), true,
                      platform::errors::PreconditionNotMet(
                          "Tensor not initialized yet when Tensor::type() is called."));
    return type_;
  }
  Type declared() const { return type_; }  // also where there is no memory yet
  void declare(Type type) { type_ = type; }
  platform::Place place() const {
    PADDLE_ENFORCE_EQ(IsInitialized(), true,
                      platform::errors::PreconditionNotMet(
                          "Tensor not initialized yet when Tensor::place() is called."));
    return memory_->place;
  }
  // As the C interface has it; the sizes lie in this tensor.
  PD_Tensor view() const {
    PD_Tensor made = PD_Tensor();
    made.data = Address(), made.device = memory_->place.abi(), made.handle = memory_->handle;
    made.ndim = dims_.size(), made.shape = const_cast<int64_t*>(dims_.Get());
    made.dtype = ToAbi(type_);
    return made;
  }
  bool IsInitialized() const { return memory_ != nullptr; }
  DataLayout layout() const { return DataLayout::kNCHW; }
  size_t memory_size() const { return memory_ ? memory_->bytes - offset_ : 0; }
  void clear() { memory_.reset(), offset_ = 0; }

  // Both tensors stand for the same memory from now on. Not for outputs (8.2.2, 6).
  Tensor& ShareDataWith(const Tensor& other) {
    dims_ = other.dims_, numel_ = other.numel_, type_ = other.type_;
    memory_ = other.memory_, offset_ = other.offset_;
    return *this;
  }
  Tensor Slice(int64_t begin, int64_t end) const {
    PADDLE_ENFORCE_EQ(dims_.size() > 0 && begin >= 0 && begin < end && end <= dims_[0], true,
                      platform::errors::OutOfRange("Rows %d to %d are no part of the shape [%s].",
                                                   begin, end, dims_));
    Tensor part;
    DDim rows = dims_;
    rows[0] = end - begin;
    part.ShareDataWith(*this).Resize(rows);
    part.offset_ += begin * (numel() / dims_[0]) * SizeOfType(type_);
    return part;
  }

 private:
  friend struct Bound;
  friend void TensorCopy(const Tensor&, const platform::Place&, Tensor*);

  void CheckType(Type wanted) const {
    Address();
    PADDLE_ENFORCE_EQ(wanted == type_, true,
                      platform::errors::InvalidArgument(
                          "Tensor holds the wrong type, it holds %s, but desires to be %s.",
                          DataTypeToString(type_), DataTypeToString(wanted)));
  }
  void* Address() const {
    PADDLE_ENFORCE_NOT_NULL(
        memory_, platform::errors::PreconditionNotMet(
                     "Tensor holds no memory. Call Tensor::mutable_data first; an input that was "
                     "declared by DECLARE_NO_NEED_BUFFER_VARS_INFERER has sizes alone."));
    return static_cast<char*>(memory_->data) + offset_;
  }
  static std::shared_ptr<Memory> Allocate(const platform::Place& place, const DDim& dims,
                                          Type type) {
    const size_t bytes = product(dims) * SizeOfType(type);
    if (platform::is_cpu_place(place)) return std::make_shared<Memory>(bytes);
    PADDLE_ENFORCE_NOT_NULL(native::current_call(),
                            platform::errors::PreconditionNotMet(
                                "Memory of %s is made in the thread of the kernel alone.", place));
    PD_Tensor made = PD_Tensor();
    native::check(native::host()->allocate(native::current_call(), dims.size(), dims.Get(),
                                           ToAbi(type), place.abi(), &made));
    auto memory = std::make_shared<Memory>(made, true);
    memory->bytes = bytes;
    return memory;
  }

  DDim dims_;
  int64_t numel_ = 1;
  Type type_ = proto::VarType::FP32;
  std::shared_ptr<Memory> memory_;
  size_t offset_ = 0;
  std::shared_ptr<Memory> offer_;  // an output: where the host would like to have it
  Type offer_type_ = proto::VarType::FP32;
};

// Offsets that split rows into sequences, the outermost level first.
typedef std::vector<std::vector<size_t>> LoD;

class LoDTensor : public Tensor {
 public:
  const LoD& lod() const { return lod_; }
  LoD* mutable_lod() { return &lod_; }
  void set_lod(const LoD& lod) { lod_ = lod; }
  size_t NumLevels() const { return lod_.size(); }

 private:
  LoD lod_;
};

class SelectedRows;  // sparse gradients: operators of loaded libraries cannot have them

inline void TensorCopy(const Tensor& from, const platform::Place& place, Tensor* to) {
  if (platform::is_cpu_place(place) && platform::is_cpu_place(from.place())) {
    to->Resize(from.dims());
    void* target = to->mutable_data(place, from.type());
    if (target != from.Address())
      std::memcpy(target, from.Address(), from.numel() * SizeOfType(from.type()));
    return;
  }
  PD_Tensor made = PD_Tensor();
  const PD_Tensor source = from.view();
  native::check(
      native::host()->convert(native::current_call(), &source, source.dtype, place.abi(), &made));
  to->ShareDataWith(from);
  to->memory_ = std::make_shared<Memory>(made, true);
  to->memory_->bytes = from.numel() * SizeOfType(from.type()), to->offset_ = 0;
}
template <typename Context>
void TensorCopy(const Tensor& from, const platform::Place& place, const Context&, Tensor* to) {
  TensorCopy(from, place, to);
}
inline void TensorCopySync(const Tensor& from, const platform::Place& place, Tensor* to) {
  TensorCopy(from, place, to);
}

inline Tensor ReshapeToMatrix(const Tensor& tensor, int columns_from) {
  Tensor matrix;
  matrix.ShareDataWith(tensor).Resize(flatten_to_2d(tensor.dims(), columns_from));
  return matrix;
}

}  // namespace framework
}  // namespace paddle

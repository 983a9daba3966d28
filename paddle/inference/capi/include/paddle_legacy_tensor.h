// PaddleTensor and PaddleBuf: inputs and outputs of 1.x, which hold their elements.
#ifndef PADDLE_LEGACY_TENSOR_H_
#define PADDLE_LEGACY_TENSOR_H_

#include <cstddef>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "paddle_tensor.h"

namespace paddle {

// Bytes: its own, or memory of the caller, which it neither copies nor frees.
class PaddleBuf {
 public:
  PaddleBuf() = default;
  explicit PaddleBuf(std::size_t length) { Resize(length); }
  PaddleBuf(void* data, std::size_t length) : data_(data), length_(length) {}
  PaddleBuf(const PaddleBuf& other) { *this = other; }
  PaddleBuf(PaddleBuf&& other) noexcept { *this = std::move(other); }

  // Own bytes are copied; memory of a caller is the same for both.
  PaddleBuf& operator=(const PaddleBuf& other) {
    if (this == &other) return *this;
    own_.reset();
    data_ = other.data_;
    length_ = other.length_;
    if (other.own_ == nullptr) return *this;
    data_ = nullptr;
    Resize(length_);
    std::memcpy(data_, other.data_, length_);
    return *this;
  }
  PaddleBuf& operator=(PaddleBuf&& other) noexcept {
    own_ = std::move(other.own_);
    data_ = other.data_;
    length_ = other.length_;
    other.data_ = nullptr;
    other.length_ = 0;
    return *this;
  }

  // Has room for so many bytes after this; what there was is kept only if it need not grow.
  void Resize(std::size_t length) {
    if (data_ == nullptr || length > length_) {
      own_.reset(new char[length == 0 ? 1 : length]);
      data_ = own_.get();
    }
    length_ = length;
  }
  void Reset(void* data, std::size_t length) {
    own_.reset();
    data_ = data;
    length_ = length;
  }

  bool empty() const { return length_ == 0; }
  void* data() const { return data_; }
  std::size_t length() const { return length_; }

 private:
  std::unique_ptr<char[]> own_;
  void* data_ = nullptr;
  std::size_t length_ = 0;
};

struct PaddleTensor {
  std::string name;  // empty: inputs go by their order
  std::vector<int> shape;
  PaddleBuf data;
  PaddleDType dtype = PaddleDType::FLOAT32;
  std::vector<std::vector<std::size_t>> lod;

  // How many bytes the shape takes.
  std::size_t bytes() const {
    auto count = pypaddle::call_bridge("size_of_dtype", static_cast<int>(dtype)).to<std::size_t>();
    for (int length : shape) {
      if (length < 0) throw std::runtime_error("PaddleTensor '" + name + "': a length is negative");
      count *= static_cast<std::size_t>(length);
    }
    return count;
  }

  // Throws unless the data has as many bytes as the shape takes.
  void check() const {
    if (data.length() != bytes())
      throw std::runtime_error("PaddleTensor '" + name + "' has " + std::to_string(data.length()) +
                               " bytes, but its shape needs " + std::to_string(bytes()));
  }
};

}  // namespace paddle

#endif  // PADDLE_LEGACY_TENSOR_H_

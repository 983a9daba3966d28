// The shape of a tensor as operators of chapter 8 see it; -1 is a size that is not known yet.
#pragma once
#include <cstdint>
#include <initializer_list>
#include <ostream>
#include <vector>
#include "paddle/fluid/platform/enforce.h"

namespace paddle {
namespace framework {

class DDim {
 public:
  DDim() {}
  DDim(std::initializer_list<int64_t> sizes) : sizes_(sizes) {}
  DDim(const int64_t* sizes, int rank) : sizes_(sizes, sizes + rank) {}
  explicit DDim(std::vector<int64_t> sizes) : sizes_(std::move(sizes)) {}

  int size() const { return static_cast<int>(sizes_.size()); }
  int64_t at(int i) const { return sizes_[Checked(i)]; }
  int64_t operator[](int i) const { return sizes_[Checked(i)]; }
  int64_t& operator[](int i) { return sizes_[Checked(i)]; }
  const int64_t* Get() const { return sizes_.data(); }
  bool operator==(const DDim& other) const { return sizes_ == other.sizes_; }
  bool operator!=(const DDim& other) const { return sizes_ != other.sizes_; }
  DDim reshape(const std::vector<int>& sizes) const {
    return DDim(std::vector<int64_t>(sizes.begin(), sizes.end()));
  }

 private:
  int Checked(int i) const {
    PADDLE_ENFORCE_EQ(
        i >= 0 && i < size(), true,
        platform::errors::OutOfRange("Dimension %d was asked for, but the shape [%s] has %d.", i,
                                     *this, size()));
    return i;
  }

  std::vector<int64_t> sizes_;
  friend std::ostream& operator<<(std::ostream& out, const DDim& dims) {
    for (int i = 0; i < dims.size(); ++i) out << (i ? ", " : "") << dims.sizes_[i];
    return out;
  }
};

inline DDim make_ddim(const std::vector<int64_t>& sizes) { return DDim(sizes); }
inline DDim make_ddim(const std::vector<int>& sizes) {
  return DDim(std::vector<int64_t>(sizes.begin(), sizes.end()));
}
inline DDim make_ddim(std::initializer_list<int64_t> sizes) { return DDim(sizes); }

template <typename T = int64_t>
std::vector<T> vectorize(const DDim& dims) {
  return std::vector<T>(dims.Get(), dims.Get() + dims.size());
}
inline int arity(const DDim& dims) { return dims.size(); }

inline int64_t product(const DDim& dims) {
  int64_t total = 1;
  for (int i = 0; i < dims.size(); ++i) total *= dims[i];
  return total;
}
inline bool contain_unknown_dim(const DDim& dims) {
  for (int i = 0; i < dims.size(); ++i) {
    if (dims[i] < 0) return true;
  }
  return false;
}
inline DDim slice_ddim(const DDim& dims, int begin, int end) {
  PADDLE_ENFORCE_EQ(begin >= 0 && begin <= end && end <= dims.size(), true,
                    platform::errors::InvalidArgument("[%d, %d) is no part of the shape [%s].",
                                                      begin, end, dims));
  return DDim(dims.Get() + begin, end - begin);
}
// What is computed with an unknown size is unknown.
inline DDim flatten_to_2d(const DDim& dims, int columns_from) {
  DDim rows = slice_ddim(dims, 0, columns_from),
       columns = slice_ddim(dims, columns_from, dims.size());
  return DDim({contain_unknown_dim(rows) ? -1 : product(rows),
               contain_unknown_dim(columns) ? -1 : product(columns)});
}
inline DDim flatten_to_1d(const DDim& dims) {
  return DDim({contain_unknown_dim(dims) ? -1 : product(dims)});
}
inline DDim stride(const DDim& dims) {
  DDim steps = dims;
  int64_t step = 1;
  for (int i = dims.size() - 1; i >= 0; step *= dims[i], --i) steps[i] = step;
  return steps;
}

}  // namespace framework
}  // namespace paddle

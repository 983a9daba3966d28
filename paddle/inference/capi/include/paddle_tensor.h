// Tensor: an input or output of a predictor, and the enumerations of dtypes and places.
#ifndef PADDLE_TENSOR_H_
#define PADDLE_TENSOR_H_

#include <cstddef>
#include <cstring>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "pypaddle_value.h"

namespace paddle {

enum class PaddlePlace { kUNK = -1, kCPU, kGPU };

// The numbers of paddle.inference.DataType.
enum PaddleDType { FLOAT32, INT64, INT32, UINT8, INT8, FLOAT16, BOOL, FLOAT64, BFLOAT16 };

}  // namespace paddle

namespace paddle_infer {

using PlaceType = paddle::PaddlePlace;
using DataType = paddle::PaddleDType;

// The dtype of a type of C++: bool, float, double, and integers of the sizes there are.
template <typename T>
constexpr DataType DataTypeOf() {
  static_assert(std::is_arithmetic<T>::value &&
                    (!std::is_floating_point<T>::value || sizeof(T) <= 8) &&
                    (std::is_signed<T>::value || sizeof(T) == 1),
                "no dtype of Paddle is like this type: float, double, bool, uint8_t, int8_t, "
                "int32_t or int64_t are");
  static_assert(!std::is_integral<T>::value || sizeof(T) != 2, "no dtype of Paddle has 16 bits");
  return std::is_same<T, bool>::value        ? DataType::BOOL
         : std::is_floating_point<T>::value  ? (sizeof(T) == 4 ? DataType::FLOAT32 : DataType::FLOAT64)
         : sizeof(T) == 8                    ? DataType::INT64
         : sizeof(T) == 4                    ? DataType::INT32
         : std::is_signed<T>::value          ? DataType::INT8
                                             : DataType::UINT8;
}

class Tensor {
 public:
  explicit Tensor(pypaddle::Value handle)
      : handle_(std::move(handle)),
        name_(handle_.call("name").to<std::string>()) {}

  void Reshape(const std::vector<int>& shape) { handle_.call("reshape", shape); }

  std::vector<int> shape() const { return handle_.call("shape").to<std::vector<int>>(); }

  // Copies as many elements as the shape has.
  template <typename T>
  void CopyFromCpu(const T* data) {
    CopyFromCpu(data, DataTypeOf<T>());
  }
  void CopyFromCpu(const void* data, DataType dtype) {
    const pypaddle::Hold hold;
    const int code = dtype;
    const auto bytes = pypaddle::call_bridge("bytes_of", handle_, code).to<std::size_t>();
    // what is copied from is not written to
    const pypaddle::Value memory(pypaddle_view(const_cast<void*>(data), bytes));
    pypaddle::call_bridge("copy_in", handle_, memory, code);
  }

  // Copies all elements; data has room for them.
  template <typename T>
  void CopyToCpu(T* data) const {
    CopyToCpu(data, DataTypeOf<T>());
  }
  void CopyToCpu(void* data, DataType dtype) const {
    std::size_t bytes = 0;
    const pypaddle::Value array = contents(dtype);
    const void* memory = memory_of(array, &bytes);
    if (bytes == 0) return;
    if (data == nullptr) throw std::runtime_error("CopyToCpu: the pointer is NULL");
    std::memcpy(data, memory, bytes);
  }

  // Uses memory of the caller, which has to stay as it is until the predictor has run.
  template <typename T>
  void ShareExternalData(const T* data, const std::vector<int>& shape,
                         PlaceType place = PlaceType::kCPU) {
    check_place(place, "ShareExternalData");
    std::size_t bytes = sizeof(T);
    for (int length : shape) bytes *= static_cast<std::size_t>(length < 0 ? 0 : length);
    const pypaddle::Value memory(pypaddle_view(const_cast<T*>(data), bytes));
    pypaddle::call_bridge("share", handle_, memory, static_cast<int>(DataTypeOf<T>()), shape);
  }

  // Returns where the elements lie, for reading. The memory lives as long as this Tensor, or until
  // the next call of data or mutable_data.
  template <typename T>
  T* data(PlaceType* place, int* size) const {
    std::size_t bytes = 0;
    kept_ = contents(DataTypeOf<T>());
    void* memory = memory_of(kept_, &bytes);
    const std::size_t count = bytes / sizeof(T);
    if (count > static_cast<std::size_t>(std::numeric_limits<int>::max()))
      throw std::runtime_error("data: " + std::to_string(count) + " elements do not fit an int");
    if (place != nullptr) *place = PlaceType::kCPU;
    if (size != nullptr) *size = static_cast<int>(count);
    return static_cast<T*>(memory);
  }

  template <typename T>
  T* data(PlaceType place, int* size) const {
    check_place(place, "data");
    return data<T>(nullptr, size);
  }

  // Returns memory for the elements of an input, to be written before the predictor runs.
  template <typename T>
  T* mutable_data(PlaceType place) {
    check_place(place, "mutable_data");
    std::size_t bytes = 0;
    kept_ = pypaddle::call_bridge("writable", handle_, static_cast<int>(DataTypeOf<T>()));
    return static_cast<T*>(memory_of(kept_, &bytes));
  }

  void SetLoD(const std::vector<std::vector<std::size_t>>& lod) { handle_.call("set_lod", lod); }

  std::vector<std::vector<std::size_t>> lod() const {
    return handle_.call("lod").to<std::vector<std::vector<std::size_t>>>();
  }

  DataType type() const { return static_cast<DataType>(handle_.call("type").to<int>()); }

  const std::string& name() const { return name_; }

 private:
  pypaddle::Value contents(int dtype) const {
    return pypaddle::call_bridge("contents", handle_, dtype);
  }

  static void* memory_of(const pypaddle::Value& array, std::size_t* bytes) {
    void* memory = pypaddle_memory(array.raw(), bytes);
    if (memory == nullptr) pypaddle::fail();
    return memory;
  }

  static void check_place(PlaceType place, const char* where) {
    if (place != PlaceType::kCPU)
      throw std::runtime_error(std::string(where) +
                               ": only memory of the CPU has a pointer (PlaceType::kCPU); "
                               "CopyFromCpu and CopyToCpu serve every device");
  }

  pypaddle::Value handle_;
  std::string name_;
  mutable pypaddle::Value kept_;  // what data or mutable_data points into
};

}  // namespace paddle_infer

#endif  // PADDLE_TENSOR_H_

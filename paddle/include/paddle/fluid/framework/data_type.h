// Data types by the numbers that Programs have for them.
#pragma once
#include "paddle/fluid/platform/enforce.h"
#include "paddle/native/types.h"

namespace paddle {
namespace platform {
using float16 = ::paddle::float16;
using bfloat16 = ::paddle::bfloat16;
template <typename T>
using complex = ::paddle::complex<T>;
}  // namespace platform

namespace framework {
namespace proto {
struct VarType {
  enum Type {
    BOOL = 0,
    INT16 = 1,
    INT32 = 2,
    INT64 = 3,
    FP16 = 4,
    FP32 = 5,
    FP64 = 6,
    LOD_TENSOR = 7,
    SELECTED_ROWS = 8,
    UINT8 = 20,
    INT8 = 21,
    BF16 = 22,
    COMPLEX64 = 23,
    COMPLEX128 = 24
  };
};
}  // namespace proto

enum class DataLayout { kNHWC = 0, kNCHW = 1, kAnyLayout = 2, kMKLDNN = 3 };
enum class LibraryType { kPlain = 0, kMKLDNN = 1, kCUDNN = 2 };

// The numbers in the order of paddle::DataType, which begins with the undefined one.
inline proto::VarType::Type FromDataType(::paddle::DataType type) {
  static const int8_t numbers[] = {-1, 0, 21, 20, 1, 2, 3, 4, 22, 5, 6, 23, 24};
  const int number = numbers[static_cast<int>(type)];
  if (number < 0) PADDLE_THROW(platform::errors::Unimplemented("A tensor has no data type."));
  return static_cast<proto::VarType::Type>(number);
}
inline ::paddle::DataType ToDataType(proto::VarType::Type type) {
  for (int i = 1; i <= static_cast<int>(::paddle::DataType::COMPLEX128); ++i) {
    const auto one = static_cast<::paddle::DataType>(i);
    if (FromDataType(one) == type) return one;
  }
  PADDLE_THROW(platform::errors::InvalidArgument("%d is not a data type.", static_cast<int>(type)));
}

template <typename T>
struct DataTypeTrait {
  static proto::VarType::Type DataType() { return FromDataType(native::TypeOf<T>::value); }
};
inline proto::VarType::Type FromAbi(PD_DType given) { return FromDataType(native::type_of(given)); }
inline PD_DType ToAbi(proto::VarType::Type type) { return native::code_of(ToDataType(type)); }
inline std::string DataTypeToString(proto::VarType::Type type) {
  return native::name_of(ToDataType(type));
}
inline size_t SizeOfType(proto::VarType::Type type) { return SizeOf(ToDataType(type)); }

}  // namespace framework
}  // namespace paddle

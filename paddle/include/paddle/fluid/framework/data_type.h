// Data types, their names and numbers.
#pragma once
#include <cstdint>
#include <string>
#include "paddle/c_abi.h"
#include "paddle/fluid/platform/enforce.h"

namespace paddle {
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
    SIZE_T = 19,
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

// Of each data type: its name in C++, ours, the class and the bits of DLPack.
#define PADDLE_FOR_EACH_DATA_TYPE_(DO)  \
  DO(bool, BOOL, PD_BOOL, 8)            \
  DO(int8_t, INT8, PD_INT, 8)           \
  DO(uint8_t, UINT8, PD_UINT, 8)        \
  DO(int16_t, INT16, PD_INT, 16)        \
  DO(int, INT32, PD_INT, 32)            \
  DO(int64_t, INT64, PD_INT, 64)        \
  DO(float, FP32, PD_FLOAT, 32)         \
  DO(double, FP64, PD_FLOAT, 64)        

template <typename T>
struct DataTypeTrait;  // not defined: tensors have no elements of this type

struct DataTypeFacts {
  proto::VarType::Type type;
  const char* name;
  PD_DType abi;
};
inline const DataTypeFacts* DataTypes(int* count) {
  static const DataTypeFacts all[] = {
#define PADDLE_FACTS_(cpp, ours, code, bits) {proto::VarType::ours, #cpp, {code, bits, 1}},
      PADDLE_FOR_EACH_DATA_TYPE_(PADDLE_FACTS_)
#undef PADDLE_FACTS_
      {proto::VarType::FP16, "float16", {PD_FLOAT, 16, 1}},
      {proto::VarType::BF16, "bfloat16", {PD_BFLOAT, 16, 1}},
      {proto::VarType::COMPLEX64, "complex64", {PD_COMPLEX, 64, 1}},
      {proto::VarType::COMPLEX128, "complex128", {PD_COMPLEX, 128, 1}}};
  *count = sizeof(all) / sizeof(all[0]);
  return all;
}
#define PADDLE_TRAIT_(cpp, ours, code, bits)                                      \
  template <>                                                                     \
  struct DataTypeTrait<cpp> {                                                     \
    static proto::VarType::Type DataType() { return proto::VarType::ours; }       \
  };
PADDLE_FOR_EACH_DATA_TYPE_(PADDLE_TRAIT_)
#undef PADDLE_TRAIT_

inline const DataTypeFacts& FactsOf(proto::VarType::Type type) {
  int count;
  const DataTypeFacts* all = DataTypes(&count);
  for (int i = 0; i < count; ++i) {
    if (all[i].type == type) return all[i];
  }
  PADDLE_THROW(platform::errors::InvalidArgument("%d is not a data type.", static_cast<int>(type)));
}
inline proto::VarType::Type FromAbi(PD_DType given) {
  int count;
  const DataTypeFacts* all = DataTypes(&count);
  for (int i = 0; i < count; ++i) {
    if (all[i].abi.code == given.code && all[i].abi.bits == given.bits) return all[i].type;
  }
  PADDLE_THROW(platform::errors::Unimplemented("There is no data type of class %d with %d bits.",
                                               int(given.code), int(given.bits)));
}
inline std::string DataTypeToString(proto::VarType::Type type) { return FactsOf(type).name; }
inline size_t SizeOfType(proto::VarType::Type type) { return FactsOf(type).abi.bits / 8; }

}  // namespace framework
}  // namespace paddle

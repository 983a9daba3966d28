// Data types and places of the C++ interface: DataType, float16 and its like, Place.

#ifndef PADDLE_NATIVE_TYPES_H_
#define PADDLE_NATIVE_TYPES_H_

#include <complex>
#include <cstdint>
#include <cstring>
#include <ostream>
#include <string>
#include <type_traits>

#include "paddle/native/library.h"

#if defined(__CUDACC__) || defined(__HIPCC__)
#define PD_BOTH __host__ __device__ inline
#else
#define PD_BOTH inline
#endif

namespace paddle {

// ---------------------------------------------------------------- numbers of 16 bits

namespace native {

PD_BOTH uint32_t bits_of(float value) {
  union { float f; uint32_t u; } both;
  both.f = value;
  return both.u;
}

PD_BOTH float float_of(uint32_t bits) {
  union { float f; uint32_t u; } both;
  both.u = bits;
  return both.f;
}

// Rounds to the nearest, ties to the even one, as processors do.
PD_BOTH uint16_t half_of(float value) {
  const uint32_t bits = bits_of(value), sign = (bits >> 16) & 0x8000u;
  uint32_t rest = bits & 0x7fffffffu;
  if (rest > 0x7f800000u) return static_cast<uint16_t>(sign | 0x7e00u);
  if (rest >= 0x477ff000u) return static_cast<uint16_t>(sign | 0x7c00u);
  if (rest < 0x38800000u) {  // subnormal: adding 0.5 puts the bits where they belong
    const float moved = float_of(rest) + 0.5f;
    return static_cast<uint16_t>(sign | (bits_of(moved) - 0x3f000000u));
  }
  rest += 0xc8000fffu + ((rest >> 13) & 1u);
  return static_cast<uint16_t>(sign | (rest >> 13));
}

PD_BOTH float float_of_half(uint16_t half) {
  const uint32_t sign = static_cast<uint32_t>(half & 0x8000u) << 16, rest = half & 0x7fffu;
  if (rest >= 0x7c00u) return float_of(sign | 0x7f800000u | ((rest & 0x3ffu) << 13));
  if (rest < 0x400u) {
    const float value = static_cast<float>(rest) * 5.9604644775390625e-8f;  // 2 to the -24
    return sign ? -value : value;
  }
  return float_of(sign | ((rest << 13) + 0x38000000u));
}

PD_BOTH uint16_t bfloat_of(float value) {
  const uint32_t bits = bits_of(value);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return static_cast<uint16_t>((bits >> 16) | 0x40u);
  return static_cast<uint16_t>((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}

PD_BOTH float float_of_bfloat(uint16_t bits) { return float_of(static_cast<uint32_t>(bits) << 16); }

}  // namespace native

// They turn into float by themselves, so arithmetic and comparison are those of float.
#define PD_SIXTEEN_BITS_(Name, to, from)                                                      \
  struct alignas(2) Name {                                                                    \
    uint16_t x;                                                                               \
    Name() = default;                                                                         \
    template <typename T, typename = typename std::enable_if<                                 \
                              std::is_arithmetic<T>::value>::type>                            \
    PD_BOTH Name(T value) : x(native::to(static_cast<float>(value))) {} /* NOLINT */          \
    PD_BOTH operator float() const { return native::from(x); }                                \
    PD_BOTH Name& operator+=(Name b) { return *this = Name(float(*this) + float(b)); }        \
    PD_BOTH Name& operator-=(Name b) { return *this = Name(float(*this) - float(b)); }        \
    PD_BOTH Name& operator*=(Name b) { return *this = Name(float(*this) * float(b)); }        \
    PD_BOTH Name& operator/=(Name b) { return *this = Name(float(*this) / float(b)); }        \
  };

PD_SIXTEEN_BITS_(float16, half_of, float_of_half)
PD_SIXTEEN_BITS_(bfloat16, bfloat_of, float_of_bfloat)

template <typename T>
struct alignas(2 * sizeof(T)) complex {
  T real, imag;
  complex() = default;
  PD_BOTH complex(T re, T im = T(0)) : real(re), imag(im) {}  // NOLINT
  complex(const std::complex<T>& z) : real(z.real()), imag(z.imag()) {}  // NOLINT
  operator std::complex<T>() const { return std::complex<T>(real, imag); }
  PD_BOTH complex& operator+=(complex b) { return *this = *this + b; }
  PD_BOTH complex& operator-=(complex b) { return *this = *this - b; }
  PD_BOTH complex& operator*=(complex b) { return *this = *this * b; }
  PD_BOTH complex& operator/=(complex b) { return *this = *this / b; }
  PD_BOTH friend complex operator+(complex a, complex b) {
    return complex(a.real + b.real, a.imag + b.imag);
  }
  PD_BOTH friend complex operator-(complex a, complex b) {
    return complex(a.real - b.real, a.imag - b.imag);
  }
  PD_BOTH friend complex operator-(complex a) { return complex(-a.real, -a.imag); }
  PD_BOTH friend complex operator*(complex a, complex b) {
    return complex(a.real * b.real - a.imag * b.imag, a.real * b.imag + a.imag * b.real);
  }
  PD_BOTH friend complex operator/(complex a, complex b) {
    const T n = b.real * b.real + b.imag * b.imag;
    return complex((a.real * b.real + a.imag * b.imag) / n,
                   (a.imag * b.real - a.real * b.imag) / n);
  }
  PD_BOTH friend bool operator==(complex a, complex b) {
    return a.real == b.real && a.imag == b.imag;
  }
  PD_BOTH friend bool operator!=(complex a, complex b) { return !(a == b); }
};

using complex64 = complex<float>;
using complex128 = complex<double>;

// ---------------------------------------------------------------- DataType

enum class DataType {
  UNDEFINED, BOOL, INT8, UINT8, INT16, INT32, INT64, FLOAT16, BFLOAT16, FLOAT32, FLOAT64,
  COMPLEX64, COMPLEX128
};

// For each: the name here, the C++ type, its name in messages, class and bits of DLPack.
#define PD_EACH_TYPE_(F)                                                        \
  F(BOOL, bool, "bool", PD_BOOL, 8) F(INT8, int8_t, "int8", PD_INT, 8)          \
  F(UINT8, uint8_t, "uint8", PD_UINT, 8) F(INT16, int16_t, "int16", PD_INT, 16) \
  F(INT32, int32_t, "int32", PD_INT, 32) F(INT64, int64_t, "int64", PD_INT, 64) \
  F(FLOAT16, ::paddle::float16, "float16", PD_FLOAT, 16)                        \
  F(BFLOAT16, ::paddle::bfloat16, "bfloat16", PD_BFLOAT, 16)                    \
  F(FLOAT32, float, "float32", PD_FLOAT, 32)                                    \
  F(FLOAT64, double, "float64", PD_FLOAT, 64)                                   \
  F(COMPLEX64, ::paddle::complex64, "complex64", PD_COMPLEX, 64)                \
  F(COMPLEX128, ::paddle::complex128, "complex128", PD_COMPLEX, 128)

namespace native {

inline PD_DType code_of(DataType type) {
#define PD_CASE_(NAME, T, text, code, bits) \
  case DataType::NAME: return PD_DType{code, bits, 1};
  switch (type) {
    PD_EACH_TYPE_(PD_CASE_)
    default: return PD_DType{0, 0, 1};
  }
#undef PD_CASE_
}

inline DataType type_of(PD_DType given) {
#define PD_CASE_(NAME, T, text, cls, n) \
  if (given.code == cls && given.bits == n) return DataType::NAME;
  PD_EACH_TYPE_(PD_CASE_)
#undef PD_CASE_
  return DataType::UNDEFINED;
}

inline const char* name_of(DataType type) {
#define PD_CASE_(NAME, T, text, code, bits) \
  case DataType::NAME: return text;
  switch (type) {
    PD_EACH_TYPE_(PD_CASE_)
    default: return "undefined";
  }
#undef PD_CASE_
}

template <typename T>
struct TypeOf;
template <DataType type>
struct CppType;
#define PD_CASE_(NAME, T, text, code, bits) \
  template <>                               \
  struct TypeOf<T> {                        \
    static constexpr DataType value = DataType::NAME; \
  };                                        \
  template <>                               \
  struct CppType<DataType::NAME> {          \
    using type = T;                         \
  };
PD_EACH_TYPE_(PD_CASE_)
#undef PD_CASE_

}  // namespace native

inline std::ostream& operator<<(std::ostream& out, DataType type) {
  return out << native::name_of(type);
}
inline size_t SizeOf(DataType type) { return native::code_of(type).bits / 8; }

// ---------------------------------------------------------------- Place

enum class PlaceType { kUNK = -1, kCPU, kGPU, kGPUPINNED, kXPU };

class Place {
 public:
  Place() {}
  Place(PlaceType type, int id = 0) : type_(type), id_(id) {}  // NOLINT
  explicit Place(PD_Device device) : id_(device.id) {
    type_ = device.type == PD_CPU ? PlaceType::kCPU
            : device.type == PD_CUDA || device.type == PD_ROCM ? PlaceType::kGPU
            : device.type == PD_CUDA_PINNED ? PlaceType::kGPUPINNED
            : device.type == PD_ONEAPI ? PlaceType::kXPU : PlaceType::kUNK;
  }
  PlaceType GetType() const { return type_; }
  int GetDeviceId() const { return id_; }
  operator PlaceType() const { return type_; }
  PD_Device device() const {
    const int32_t kinds[] = {PD_CPU, PD_CPU, PD_CUDA, PD_CUDA_PINNED, PD_ONEAPI};
    return PD_Device{kinds[static_cast<int>(type_) + 1], id_};
  }
  std::string DebugString() const {
    const char* names[] = {"undefined", "cpu", "gpu", "gpu_pinned", "xpu"};
    return std::string("Place(") + names[static_cast<int>(type_) + 1] + ":" +
           std::to_string(id_) + ")";
  }

 private:
  PlaceType type_ = PlaceType::kUNK;
  int id_ = 0;
};

inline bool operator==(const Place& a, const Place& b) {
  return a.GetType() == b.GetType() && a.GetDeviceId() == b.GetDeviceId();
}
inline bool operator!=(const Place& a, const Place& b) { return !(a == b); }
inline bool operator==(const Place& a, PlaceType b) { return a.GetType() == b; }
inline bool operator!=(const Place& a, PlaceType b) { return a.GetType() != b; }
inline bool operator==(PlaceType a, const Place& b) { return a == b.GetType(); }
inline bool operator!=(PlaceType a, const Place& b) { return a != b.GetType(); }

inline std::ostream& operator<<(std::ostream& out, const Place& place) {
  return out << place.DebugString();
}

class CPUPlace : public Place {
 public:
  CPUPlace() : Place(PlaceType::kCPU) {}
};

class GPUPlace : public Place {
 public:
  explicit GPUPlace(int id = 0) : Place(PlaceType::kGPU, id) {}
};

}  // namespace paddle

#endif  // PADDLE_NATIVE_TYPES_H_

// Where a tensor lies, and what a kernel needs of its device.
#pragma once
#include <ostream>
#include "paddle/c_abi.h"
#include "paddle/fluid/platform/enforce.h"

typedef struct CUstream_st* paddle_gpu_stream_t;  // what cudaStream_t is, without CUDA's headers

namespace paddle {
namespace platform {

struct CPUPlace {};
struct CUDAPinnedPlace {};
struct CUDAPlace {
  explicit CUDAPlace(int id = 0) : device(id) {}
  int GetDeviceId() const { return device; }
  int device;
};

class Place {
 public:
  Place() : device_{PD_CPU, 0} {}
  Place(CPUPlace) : device_{PD_CPU, 0} {}                     // NOLINT
  Place(CUDAPinnedPlace) : device_{PD_CUDA_PINNED, 0} {}      // NOLINT
  Place(CUDAPlace place) : device_{PD_CUDA, place.device} {}  // NOLINT
  Place(PD_Device device) : device_(device) {}                // NOLINT
  PD_Device abi() const { return device_; }
  bool operator==(const Place& other) const {
    return device_.type == other.device_.type && device_.id == other.device_.id;
  }
  bool operator!=(const Place& other) const { return !(*this == other); }

 private:
  PD_Device device_;
};

inline bool is_cpu_place(const Place& place) { return place.abi().type == PD_CPU; }
inline bool is_gpu_place(const Place& place) { return place.abi().type == PD_CUDA; }
inline bool is_cuda_pinned_place(const Place& place) { return place.abi().type == PD_CUDA_PINNED; }
inline std::ostream& operator<<(std::ostream& out, const Place& place) {
  if (is_cpu_place(place)) return out << "CPUPlace";
  if (is_cuda_pinned_place(place)) return out << "CUDAPinnedPlace";
  if (is_gpu_place(place)) return out << "CUDAPlace(" << place.abi().id << ")";
  return out << "device " << place.abi().type << ":" << place.abi().id;
}

class DeviceContext {
 public:
  explicit DeviceContext(const Place& place = Place(), void* stream = nullptr)
      : place_(place), stream_(stream) {}
  const Place& GetPlace() const { return place_; }

 protected:
  Place place_;
  void* stream_;
};
class CPUDeviceContext : public DeviceContext {
 public:
  using DeviceContext::DeviceContext;
  static const int kDevice = PD_CPU;
};
class CUDADeviceContext : public DeviceContext {
 public:
  using DeviceContext::DeviceContext;
  static const int kDevice = PD_CUDA;
  paddle_gpu_stream_t stream() const { return static_cast<paddle_gpu_stream_t>(stream_); }
};

template <typename Context>
bool CanMKLDNNBeUsed(const Context&) {
  return false;  // the library is not used here, with PADDLE_WITH_MKLDNN neither
}

}  // namespace platform
}  // namespace paddle

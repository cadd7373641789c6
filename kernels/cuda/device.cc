// CUDA devices, streams and events as a target.
#include "kernels/cuda/device.h"

#include <array>
#include <atomic>
#include <mutex>

#include "kernels/cuda/allocator.h"
#include "runtime/core/base/error.h"

namespace opweave::cuda {
namespace {

constexpr int kMaxDevices = 64;
constexpr int kStreams = 32;    // of a device and priority; handed out in turns
constexpr int kPriorities = 2;  // normal and high

class CudaEvent final : public EventState {
 public:
  explicit CudaEvent(const EventOptions& options) {
    unsigned flags = options.timing ? cudaEventDefault : cudaEventDisableTiming;
    if (options.blocking) flags |= cudaEventBlockingSync;
    check_cuda(cudaEventCreateWithFlags(&event_, flags), "cudaEventCreate");
  }
  ~CudaEvent() override { cudaEventDestroy(event_); }

  void record(int, StreamId stream) override {
    check_cuda(cudaEventRecord(event_, handle_of(stream)), "cudaEventRecord");
  }
  void block(int, StreamId stream) override {
    check_cuda(cudaStreamWaitEvent(handle_of(stream), event_, 0), "cudaStreamWaitEvent");
  }
  bool happened() override {
    const cudaError_t error = cudaEventQuery(event_);
    if (error == cudaErrorNotReady) {
      cudaGetLastError();  // clears it
      return false;
    }
    check_cuda(error, "cudaEventQuery");
    return true;
  }
  void synchronize() override { check_cuda(cudaEventSynchronize(event_), "cudaEventSynchronize"); }
  double milliseconds_to(EventState& end) override {
    float took = 0;
    check_cuda(cudaEventElapsedTime(&took, event_, static_cast<CudaEvent&>(end).event_),
               "cudaEventElapsedTime");
    return took;
  }

 private:
  cudaEvent_t event_ = nullptr;
};

class CudaTarget final : public Target {
 public:
  CudaTarget() : Target("cuda", Kind::kAccelerator, device_memory()) {}

  int count() override { return device_count(); }
  int current() override {
    int index = 0;
    check_cuda(cudaGetDevice(&index), "cudaGetDevice");
    return index;
  }
  void set_current(int index) override { check_cuda(cudaSetDevice(index), "cudaSetDevice"); }
  DeviceProperties properties(int index) override;
  void synchronize(int index) override {
    const DeviceGuard guard(Device(type(), static_cast<int8_t>(index)));
    check_cuda(cudaDeviceSynchronize(), "synchronize");
  }

  StreamId new_stream(int index, int priority) override;
  bool query_stream(int, StreamId stream) override;
  void synchronize_stream(int index, StreamId stream) override {
    const DeviceGuard guard(Device(type(), static_cast<int8_t>(index)));
    check_cuda(cudaStreamSynchronize(handle_of(stream)), "cudaStreamSynchronize");
  }
  bool is_capturing(int, StreamId stream) override;
  void* native_handle(int, StreamId stream) override { return handle_of(stream); }
  std::unique_ptr<EventState> new_event(const EventOptions& options) override {
    return std::make_unique<CudaEvent>(options);
  }

  void copy(const CopyRequest& request, StreamId stream) override {
    check_cuda(cudaMemcpyAsync(request.to, request.from, request.nbytes, cudaMemcpyDefault,
                               handle_of(stream)),
               "copy_");
  }
  Allocator* pinned_allocator() override { return &pinned_memory(); }
  bool is_pinned(const void* data) override { return pinned_memory().owns(data); }

 protected:
  std::string no_device_message() const override { return "No CUDA GPUs are available"; }

 private:
  struct Pool {
    std::array<cudaStream_t, kStreams> streams{};
    unsigned next = 0;
  };
  std::mutex mutex_;  // guards the pools
  std::array<std::array<Pool, kPriorities>, kMaxDevices> pools_;
};

DeviceProperties CudaTarget::properties(int index) {
  cudaDeviceProp found{};
  check_cuda(cudaGetDeviceProperties(&found, index), "cudaGetDeviceProperties");
  const DeviceGuard guard(Device(type(), static_cast<int8_t>(index)));
  size_t free_memory = 0, total_memory = 0;
  check_cuda(cudaMemGetInfo(&free_memory, &total_memory), "cudaMemGetInfo");
  return {.name = found.name,
          .total_memory = total_memory,
          .free_memory = free_memory,
          .processors = found.multiProcessorCount,
          .major = found.major,
          .minor = found.minor};
}

StreamId CudaTarget::new_stream(int index, int priority) {
  const DeviceGuard guard(Device(type(), static_cast<int8_t>(index)));
  std::lock_guard lock(mutex_);
  Pool& pool = pools_.at(static_cast<size_t>(index)).at(priority < 0 ? 1 : 0);
  cudaStream_t& stream = pool.streams.at(pool.next++ % kStreams);
  if (stream == nullptr) {
    check_cuda(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, priority),
               "cudaStreamCreate");
  }
  return reinterpret_cast<StreamId>(stream);
}

bool CudaTarget::query_stream(int, StreamId stream) {
  const cudaError_t error = cudaStreamQuery(handle_of(stream));
  if (error == cudaErrorNotReady) {
    cudaGetLastError();  // clears it
    return false;
  }
  check_cuda(error, "cudaStreamQuery");
  return true;
}

bool CudaTarget::is_capturing(int, StreamId stream) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  check_cuda(cudaStreamIsCapturing(handle_of(stream), &status), "cudaStreamIsCapturing");
  return status != cudaStreamCaptureStatusNone;
}

}  // namespace

Target& target() {
  static auto* target = new CudaTarget;  // outlives every tensor
  return *target;
}

int device_count() {
  static const int count = [] {
    int n = 0;
    return cudaGetDeviceCount(&n) == cudaSuccess ? n : 0;
  }();
  return count;
}

void check_cuda(cudaError_t error, std::string_view what) {
  if (error == cudaSuccess) return;
  const ErrorKind kind =
      error == cudaErrorMemoryAllocation ? ErrorKind::kOutOfMemory : ErrorKind::kRuntime;
  OW_THROW(kind, what, ": CUDA error: ", cudaGetErrorString(error), " (", cudaGetErrorName(error),
           ")");
}

}  // namespace opweave::cuda

// What Opweave uses of the interface of NCCL and of libraries that have the same one, as their
// manuals give it: the library itself is loaded when a group needs it, and no header of it is
// needed. A test compares this with nccl.h where that is installed.
#pragma once

#include <climits>
#include <cstddef>

namespace opweave::distributed::nccl {

struct Comm;  // theirs
using CommHandle = Comm*;
using StreamHandle = void*;  // cudaStream_t, and what it is elsewhere

enum class Result : int {
  kSuccess = 0,
  kUnhandledCudaError = 1,
  kSystemError = 2,
  kInternalError = 3,
  kInvalidArgument = 4,
  kInvalidUsage = 5,
  kRemoteError = 6,
  kInProgress = 7,
};

enum class DataType : int {
  kInt8 = 0,
  kUint8 = 1,
  kInt32 = 2,
  kUint32 = 3,
  kInt64 = 4,
  kUint64 = 5,
  kFloat16 = 6,
  kFloat32 = 7,
  kFloat64 = 8,
  kBfloat16 = 9,
};

enum class RedOp : int { kSum = 0, kProd = 1, kMax = 2, kMin = 3, kAvg = 4 };

struct UniqueId {
  char bytes[128];
};

constexpr int version_code(int major, int minor, int patch) {
  return major * 10000 + minor * 100 + patch;
}
// ncclCommSplit and calls that do not block are there since.
inline constexpr int kLeastVersion = version_code(2, 18, 0);
inline constexpr int kNoColor = -1;

// As of kLeastVersion; later ones take it for what it says it is.
struct Config {
  size_t size = sizeof(Config);
  unsigned int magic = 0xcafebeef;
  unsigned int version = kLeastVersion;
  int blocking = 0;
  int cga_cluster_size = INT_MIN, min_ctas = INT_MIN, max_ctas = INT_MIN;
  const char* net_name = nullptr;
  int split_share = INT_MIN;
};

}  // namespace opweave::distributed::nccl

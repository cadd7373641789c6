// Opweave's declarations of NCCL against NCCL's own.
#include <doctest/doctest.h>
#include <nccl.h>

#include <type_traits>

#include "runtime/distributed/backends/nccl/library.h"

namespace ours = opweave::distributed::nccl;

static_assert(sizeof(ours::UniqueId) == sizeof(ncclUniqueId));
static_assert(sizeof(ours::Config) <= sizeof(ncclConfig_t));
static_assert(offsetof(ours::Config, blocking) == offsetof(ncclConfig_t, blocking));
static_assert(offsetof(ours::Config, cga_cluster_size) == offsetof(ncclConfig_t, cgaClusterSize));
static_assert(offsetof(ours::Config, net_name) == offsetof(ncclConfig_t, netName));
static_assert(offsetof(ours::Config, split_share) == offsetof(ncclConfig_t, splitShare));
static_assert(ours::kNoColor == NCCL_SPLIT_NOCOLOR);

#define SAME(ours_, theirs) static_assert(static_cast<int>(ours::ours_) == static_cast<int>(theirs))
SAME(Result::kSuccess, ncclSuccess);
SAME(Result::kUnhandledCudaError, ncclUnhandledCudaError);
SAME(Result::kSystemError, ncclSystemError);
SAME(Result::kInternalError, ncclInternalError);
SAME(Result::kInvalidArgument, ncclInvalidArgument);
SAME(Result::kInvalidUsage, ncclInvalidUsage);
SAME(Result::kRemoteError, ncclRemoteError);
SAME(Result::kInProgress, ncclInProgress);
SAME(DataType::kInt8, ncclInt8);
SAME(DataType::kUint8, ncclUint8);
SAME(DataType::kInt32, ncclInt32);
SAME(DataType::kUint32, ncclUint32);
SAME(DataType::kInt64, ncclInt64);
SAME(DataType::kUint64, ncclUint64);
SAME(DataType::kFloat16, ncclFloat16);
SAME(DataType::kFloat32, ncclFloat32);
SAME(DataType::kFloat64, ncclFloat64);
SAME(DataType::kBfloat16, ncclBfloat16);
SAME(RedOp::kSum, ncclSum);
SAME(RedOp::kProd, ncclProd);
SAME(RedOp::kMax, ncclMax);
SAME(RedOp::kMin, ncclMin);
SAME(RedOp::kAvg, ncclAvg);

namespace {

// The same with their types in the place of ours, which are as large and are passed alike.
template <class T>
struct Plain {
  using Type = std::conditional_t<std::is_enum_v<T>, int, T>;
};
template <class T>
struct Plain<T*> {
  using Type = const void*;
};
template <>
struct Plain<ncclUniqueId> {
  using Type = ours::UniqueId;
};
template <class F>
struct Signature;
template <class R, class... A>
struct Signature<R(A...)> {
  using Type = typename Plain<R>::Type(typename Plain<A>::Type...);
};

#define OW_NCCL(name, ...) \
  static_assert(           \
      std::is_same_v<Signature<__VA_ARGS__>::Type, Signature<decltype(nccl##name)>::Type>);
using namespace opweave::distributed::nccl;  // NOLINT
#include "runtime/distributed/backends/nccl/functions.def"
#undef OW_NCCL

}  // namespace

TEST_CASE("the library of the toolkit") {
  const ours::Library& library = ours::load(ours::nccl_files());
  CHECK(library.version >= ours::kLeastVersion);
  CHECK(std::string(library.GetErrorString(ours::Result::kSystemError)).size() > 0);
}

// A library with NCCL's interface for the heap target: it records every call, fails on demand, and
// does what NCCL does for ranks that are threads of one process. As with NCCL, nothing blocks but
// streams; what never ends does so until its communicator is aborted.
#include "tests/runtime/distributed/nccl/stand_in.h"

#include <atomic>
#include <cstring>
#include <string>
#include <utility>

#include "runtime/distributed/backends/nccl/interface.h"
#include "tests/kernels/target/heap_stream.h"
#include "tests/runtime/distributed/nccl/world.h"

namespace opweave::distributed::nccl {

// What the ranks of a communicator make of it together: a world for each color.
struct Split {
  int missing;
  std::map<int, int> members = {};
  std::map<int, std::shared_ptr<World>> worlds = {};
};

// A rank of a world; of a part, which may not be there yet, of the world of its color.
struct Comm {
  std::shared_ptr<World> world;
  int rank = 0;
  std::shared_ptr<Split> part_of;
  int color = 0;
  uint64_t issued = 0, splits = 0;
  std::shared_ptr<Split> splitting;      // the last time that it was
  CommHandle* part = nullptr;            // where what comes of that goes, once all have split
  std::unique_ptr<Comm> made = nullptr;  // of a split, until it is handed out
  std::shared_ptr<std::atomic<bool>> aborted = std::make_shared<std::atomic<bool>>(false);
};

namespace {

struct State {
  std::mutex mutex;
  std::string calls, told;
  std::map<std::string, Result> failures;
  std::map<std::string, std::shared_ptr<World>> worlds;  // by unique id
  std::map<std::pair<World*, uint64_t>, std::shared_ptr<Split>> splits;
  uint64_t ids = 0;
  int version = 0;
};

State& state() {
  static auto& all = *new State;
  return all;
}

// Records a call; what it has to return.
Result enter(const char* function, const std::string& arguments = {}) {
  const std::lock_guard lock(state().mutex);
  state().calls += std::string(function) + (arguments.empty() ? "" : " " + arguments) + "\n";
  const auto found = state().failures.find(function);
  return found == state().failures.end() ? Result::kSuccess : found->second;
}

std::shared_ptr<World> world_of(const std::string& id, int ranks) {
  const std::lock_guard lock(state().mutex);
  auto& world = state().worlds[id];
  if (world == nullptr) world = std::make_shared<World>(ranks);
  return world;
}

struct Issued {
  Operation operation;
  CommHandle comm;
  StreamHandle stream;
};
thread_local int depth = 0;
thread_local std::vector<Issued> pending;

// On one stream, together: all are there before one is waited for.
void push(StreamHandle stream, const std::vector<Issued>& group) {
  struct Waiting {
    std::shared_ptr<World> world;
    int rank;
    uint64_t number;
    World::Call call;
  };
  std::vector<Waiting> all;
  for (const Issued& one : group)
    all.push_back({one.comm->world,
                   one.comm->rank,
                   one.comm->issued++,
                   {one.operation, std::make_shared<bool>(false), one.comm->aborted}});
  static_cast<heap::WorkQueue*>(stream)->push([all] {
    for (const Waiting& one : all) one.world->add(one.rank, one.number, one.call);
    for (const Waiting& one : all) {
      std::unique_lock lock(one.world->mutex);
      one.world->changed.wait(lock, [&] { return *one.call.done || *one.call.aborted; });
    }
  });
}

Result issue(const char* function, const Operation& operation, CommHandle comm,
             StreamHandle stream) {
  const Result result =
      enter(function, std::to_string(operation.count) + " of type " +
                          std::to_string(static_cast<int>(operation.type)) + ", op " +
                          std::to_string(static_cast<int>(operation.op)) + ", root " +
                          std::to_string(operation.root));
  if (result != Result::kSuccess) return result;
  pending.push_back({operation, comm, stream});
  if (depth == 0) push(stream, std::exchange(pending, {}));
  return Result::kSuccess;
}

}  // namespace
}  // namespace opweave::distributed::nccl

using namespace opweave::distributed::nccl;  // NOLINT

extern "C" {

const char* nccl_stand_in_calls() {
  const std::lock_guard lock(state().mutex);
  state().told = std::exchange(state().calls, {});
  return state().told.c_str();
}
void nccl_stand_in_fail(const char* function, int result) {
  const std::lock_guard lock(state().mutex);
  if (result == 0)
    state().failures.erase(function);
  else
    state().failures[function] = static_cast<Result>(result);
}
void nccl_stand_in_version(int version) { state().version = version; }

Result ncclGetVersion(int* version) {
  *version = state().version == 0 ? version_code(2, 99, 0) : state().version;
  return Result::kSuccess;
}
const char* ncclGetErrorString(Result) { return "an error that was asked for"; }
const char* ncclGetLastError(CommHandle) { return ""; }

Result ncclGetUniqueId(UniqueId* id) {
  const Result result = enter("ncclGetUniqueId");
  const std::lock_guard lock(state().mutex);
  std::memset(id, 0, sizeof *id);
  const std::string text = "id " + std::to_string(++state().ids);
  std::memcpy(id->bytes, text.data(), text.size());
  return result;
}
Result ncclCommInitRankConfig(CommHandle* comm, int ranks, UniqueId id, int rank, Config* config) {
  *comm = new Comm{.world = world_of(id.bytes, ranks), .rank = rank};
  const Result result = enter("ncclCommInitRankConfig",
                              "rank " + std::to_string(rank) + " of " + std::to_string(ranks) +
                                  (config->blocking == 0 ? "" : ", blocking"));
  if (result != Result::kSuccess) return result;
  (*comm)->world->come();
  return Result::kInProgress;
}
Result ncclCommSplit(CommHandle comm, int color, int key, CommHandle* part, Config*) {
  const Result result =
      enter("ncclCommSplit", "color " + std::to_string(color) + ", key " + std::to_string(key));
  *part = nullptr;
  if (result != Result::kSuccess) return result;
  const std::lock_guard lock(state().mutex);
  auto& split = state().splits[{comm->world.get(), comm->splits++}];
  if (split == nullptr) split = std::make_shared<Split>(Split{comm->world->ranks()});
  comm->splitting = split;
  if (color >= 0) {
    comm->part = part;
    comm->made.reset(new Comm{.rank = key, .part_of = split, .color = color});
    split->members[color] += 1;
  }
  if (--split->missing == 0) {
    for (const auto& [one, members] : split->members) {
      split->worlds[one] = std::make_shared<World>(members);
      for (int r = 0; r < members; ++r) split->worlds[one]->come();
    }
  }
  return Result::kInProgress;
}
Result ncclCommGetAsyncError(CommHandle comm, Result* error) {
  const std::lock_guard lock(state().mutex);
  const auto failure = state().failures.find("async");
  if (failure != state().failures.end()) return *error = failure->second, Result::kSuccess;
  if (comm->world == nullptr && comm->part_of->missing == 0)
    comm->world = comm->part_of->worlds[comm->color];
  const bool at_rest = comm->world != nullptr && comm->world->all_here() &&
                       (comm->splitting == nullptr || comm->splitting->missing == 0);
  if (at_rest && comm->part != nullptr) *std::exchange(comm->part, nullptr) = comm->made.release();
  *error = at_rest ? Result::kSuccess : Result::kInProgress;
  return Result::kSuccess;
}
Result ncclCommFinalize(CommHandle) { return enter("ncclCommFinalize"); }
Result ncclCommDestroy(CommHandle comm) {
  const Result result = enter("ncclCommDestroy");
  delete comm;
  return result;
}
Result ncclCommAbort(CommHandle comm) {
  const Result result = enter("ncclCommAbort");
  comm->aborted->store(true);
  if (comm->world != nullptr) {
    const std::lock_guard lock(comm->world->mutex);
    comm->world->changed.notify_all();
  }
  delete comm;
  return result;
}
Result ncclGroupStart() {
  ++depth;
  return enter("ncclGroupStart");
}
Result ncclGroupEnd() {
  const Result result = enter("ncclGroupEnd");
  const std::vector<Issued> group = --depth == 0 ? std::exchange(pending, {}) : pending;
  if (result == Result::kSuccess && depth == 0 && !group.empty()) push(group[0].stream, group);
  return result;
}
Result ncclAllReduce(const void* from, void* to, size_t count, DataType type, RedOp op,
                     CommHandle comm, StreamHandle stream) {
  return issue("ncclAllReduce", {Operation::kAllReduce, from, to, count, type, op}, comm, stream);
}
Result ncclReduce(const void* from, void* to, size_t count, DataType type, RedOp op, int root,
                  CommHandle comm, StreamHandle stream) {
  return issue("ncclReduce", {Operation::kReduce, from, to, count, type, op, root}, comm, stream);
}
Result ncclBroadcast(const void* from, void* to, size_t count, DataType type, int root,
                     CommHandle comm, StreamHandle stream) {
  return issue("ncclBroadcast", {Operation::kBroadcast, from, to, count, type, RedOp::kSum, root},
               comm, stream);
}
Result ncclAllGather(const void* from, void* to, size_t each, DataType type, CommHandle comm,
                     StreamHandle stream) {
  return issue("ncclAllGather", {Operation::kAllGather, from, to, each, type}, comm, stream);
}
Result ncclReduceScatter(const void* from, void* to, size_t each, DataType type, RedOp op,
                         CommHandle comm, StreamHandle stream) {
  return issue("ncclReduceScatter", {Operation::kReduceScatter, from, to, each, type, op}, comm,
               stream);
}
Result ncclSend(const void* from, size_t count, DataType type, int peer, CommHandle comm,
                StreamHandle stream) {
  return issue("ncclSend", {Operation::kSend, from, nullptr, count, type, RedOp::kSum, peer}, comm,
               stream);
}
Result ncclRecv(void* to, size_t count, DataType type, int peer, CommHandle comm,
                StreamHandle stream) {
  return issue("ncclRecv", {Operation::kRecv, nullptr, to, count, type, RedOp::kSum, peer}, comm,
               stream);
}
}

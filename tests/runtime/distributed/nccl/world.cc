// What ranks do together, in the memory of one process.
#include "tests/runtime/distributed/nccl/world.h"

#include <algorithm>
#include <cstring>

#include "runtime/core/numbers/half.h"

namespace opweave::distributed::nccl {
namespace {

template <class T>
void combine(T* out, const T* in, size_t count, RedOp op) {
  for (size_t i = 0; i < count; ++i) {
    if (op == RedOp::kSum || op == RedOp::kAvg) out[i] = static_cast<T>(out[i] + in[i]);
    if (op == RedOp::kProd) out[i] = static_cast<T>(out[i] * in[i]);
    if (op == RedOp::kMax) out[i] = in[i] > out[i] ? in[i] : out[i];
    if (op == RedOp::kMin) out[i] = in[i] < out[i] ? in[i] : out[i];
  }
}

template <class T>
void reduce(const std::vector<Operation>& ranks, size_t count, char* to) {
  auto* out = reinterpret_cast<T*>(to);
  std::memcpy(out, ranks[0].from, count * sizeof(T));
  for (size_t r = 1; r < ranks.size(); ++r)
    combine(out, static_cast<const T*>(ranks[r].from), count, ranks[0].op);
  if (ranks[0].op != RedOp::kAvg) return;
  for (size_t i = 0; i < count; ++i)
    out[i] = static_cast<T>(static_cast<double>(out[i]) / static_cast<double>(ranks.size()));
}

std::vector<char> reduced(const std::vector<Operation>& ranks, size_t count) {
  std::vector<char> all(count * size_of(ranks[0].type));
  switch (ranks[0].type) {
    case DataType::kInt8:
      reduce<int8_t>(ranks, count, all.data());
      break;
    case DataType::kUint8:
      reduce<uint8_t>(ranks, count, all.data());
      break;
    case DataType::kInt32:
      reduce<int32_t>(ranks, count, all.data());
      break;
    case DataType::kUint32:
      reduce<uint32_t>(ranks, count, all.data());
      break;
    case DataType::kInt64:
      reduce<int64_t>(ranks, count, all.data());
      break;
    case DataType::kUint64:
      reduce<uint64_t>(ranks, count, all.data());
      break;
    case DataType::kFloat16:
      reduce<Half>(ranks, count, all.data());
      break;
    case DataType::kFloat32:
      reduce<float>(ranks, count, all.data());
      break;
    case DataType::kFloat64:
      reduce<double>(ranks, count, all.data());
      break;
    case DataType::kBfloat16:
      reduce<BFloat16>(ranks, count, all.data());
      break;
  }
  return all;
}

}  // namespace

size_t size_of(DataType type) {
  constexpr size_t kSizes[] = {1, 1, 4, 4, 8, 8, 2, 4, 8, 2};
  return kSizes[static_cast<size_t>(type)];
}

void carry_out(const std::vector<Operation>& ranks) {
  const Operation& first = ranks[0];
  const size_t nbytes = first.count * size_of(first.type);
  const auto root = static_cast<size_t>(first.root);
  switch (first.kind) {
    case Operation::kAllReduce: {
      const std::vector<char> sum = reduced(ranks, first.count);
      for (const Operation& rank : ranks) std::memcpy(rank.to, sum.data(), nbytes);
      return;
    }
    case Operation::kReduce: {
      const std::vector<char> sum = reduced(ranks, first.count);
      std::memcpy(ranks[root].to, sum.data(), nbytes);
      return;
    }
    case Operation::kBroadcast:
      for (const Operation& rank : ranks) std::memmove(rank.to, ranks[root].from, nbytes);
      return;
    case Operation::kAllGather: {
      std::vector<char> all;
      for (const Operation& rank : ranks) {
        const auto* from = static_cast<const char*>(rank.from);
        all.insert(all.end(), from, from + nbytes);
      }
      for (const Operation& rank : ranks) std::memcpy(rank.to, all.data(), all.size());
      return;
    }
    case Operation::kReduceScatter: {
      const std::vector<char> sum = reduced(ranks, first.count * ranks.size());
      for (size_t r = 0; r < ranks.size(); ++r)
        std::memcpy(ranks[r].to, sum.data() + r * nbytes, nbytes);
      return;
    }
    default:
      return;
  }
}

void World::pair(std::deque<Call>& sends, std::deque<Call>& receives) {
  while (!sends.empty() && !receives.empty()) {
    const Call sent = sends.front(), received = receives.front();
    if (*sent.aborted || *received.aborted) return;
    // The device waits for ever where the sizes differ.
    if (sent.operation.count != received.operation.count) return;
    sends.pop_front();
    receives.pop_front();
    std::memcpy(received.operation.to, sent.operation.from,
                sent.operation.count * size_of(sent.operation.type));
    *sent.done = *received.done = true;
  }
}

void World::add(int rank, uint64_t number, const Call& call) {
  const std::lock_guard lock(mutex);
  const Operation& operation = call.operation;
  if (operation.kind == Operation::kSend || operation.kind == Operation::kRecv) {
    const bool sends = operation.kind == Operation::kSend;
    const std::pair between =
        sends ? std::pair(rank, operation.root) : std::pair(operation.root, rank);
    (sends ? sends_ : receives_)[between].push_back(call);
    pair(sends_[between], receives_[between]);
  } else {
    auto& calls = collectives_[number];
    calls[rank] = call;
    if (static_cast<int>(calls.size()) < ranks_) return;
    std::vector<Operation> all;
    for (const auto& [r, one] : calls) {
      if (*one.aborted) return;
      all.push_back(one.operation);
    }
    const bool alike = std::all_of(all.begin(), all.end(), [&](const Operation& one) {
      return one.kind == all[0].kind && one.count == all[0].count && one.type == all[0].type &&
             one.op == all[0].op && one.root == all[0].root;
    });
    if (!alike) return;
    carry_out(all);
    for (const auto& [r, one] : calls) *one.done = true;
    collectives_.erase(number);
  }
  changed.notify_all();
}

}  // namespace opweave::distributed::nccl

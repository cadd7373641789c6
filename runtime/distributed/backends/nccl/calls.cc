// A table from collectives to calls. What moves tensors moves bytes, of every dtype.
#include "runtime/distributed/backends/nccl/calls.h"

#include <algorithm>
#include <optional>

#include "runtime/core/base/error.h"

namespace opweave::distributed::nccl {
namespace {

std::optional<DataType> number_type(ScalarType dtype) {
  switch (dtype) {
    case kBool:  // any and all are the largest and the least
    case kByte:
      return DataType::kUint8;
    case kChar:
      return DataType::kInt8;
    case kInt:
      return DataType::kInt32;
    case kUInt32:
      return DataType::kUint32;
    case kLong:
      return DataType::kInt64;
    case kUInt64:
      return DataType::kUint64;
    case kHalf:
      return DataType::kFloat16;
    case kFloat:
      return DataType::kFloat32;
    case kDouble:
      return DataType::kFloat64;
    case kBFloat16:
      return DataType::kBfloat16;
    default:
      return {};
  }
}

std::optional<RedOp> reduction(ReduceOp op, ScalarType dtype) {
  const bool logical = dtype == kBool;
  switch (op) {
    case ReduceOp::kSum:
      return logical ? RedOp::kMax : RedOp::kSum;
    case ReduceOp::kAvg:
      return RedOp::kAvg;
    case ReduceOp::kProduct:
      return logical ? RedOp::kMin : RedOp::kProd;
    case ReduceOp::kMin:
      return RedOp::kMin;
    case ReduceOp::kMax:
      return RedOp::kMax;
    case ReduceOp::kBand:
      return logical ? std::optional(RedOp::kMin) : std::nullopt;
    case ReduceOp::kBor:
      return logical ? std::optional(RedOp::kMax) : std::nullopt;
    case ReduceOp::kBxor:
      return {};
  }
  return {};
}

const Tensor& any_tensor(const Collective& c) {
  return (c.inputs.empty() ? c.outputs : c.inputs)[0];
}

// The first result that is none.
class Results {
 public:
  void add(Result result) {
    if (first_ == Result::kSuccess) first_ = result;
  }
  Result first() const { return first_; }

 private:
  Result first_ = Result::kSuccess;
};

bool are_even(const std::vector<Tensor>& list) {
  return std::all_of(list.begin(), list.end(),
                     [&](const Tensor& t) { return t.nbytes() == list[0].nbytes(); });
}

bool lie_behind_one_another(const std::vector<Tensor>& list) {
  const char* at = static_cast<const char*>(list[0].raw_data());
  for (const Tensor& t : list) {
    if (t.raw_data() != at) return false;
    at += t.nbytes();
  }
  return true;
}

class Issue {
 public:
  Issue(const Collective& collective, CommHandle comm, const Place& place)
      : c_(collective), comm_(comm), p_(place) {}

  Result run() {
    switch (c_.kind) {
      case CollectiveKind::kBroadcast:
        for (const Tensor& t : c_.outputs) broadcast(t, t, c_.root);
        break;
      case CollectiveKind::kAllReduce:
        for (const Tensor& t : c_.outputs)
          results_.add(p_.library.AllReduce(t.raw_data(), t.raw_data(), count(t), type(), op(),
                                            comm_, p_.stream));
        break;
      case CollectiveKind::kReduce:
        for (const Tensor& t : c_.outputs) reduce(t, t, c_.root);
        break;
      case CollectiveKind::kAllGather:
        all_gather();
        break;
      case CollectiveKind::kReduceScatter:
        reduce_scatter();
        break;
      case CollectiveKind::kGather:
        send(c_.inputs[0], c_.root);
        for (int r = 0; r < many(c_.outputs); ++r) receive(c_.outputs[size_t(r)], r);
        break;
      case CollectiveKind::kScatter:
        for (int r = 0; r < many(c_.inputs); ++r) send(c_.inputs[size_t(r)], r);
        receive(c_.outputs[0], c_.root);
        break;
      case CollectiveKind::kAllToAll:
        for (int r = 0; r < p_.ranks; ++r) {
          send(c_.inputs[size_t(r)], r);
          receive(c_.outputs[size_t(r)], r);
        }
        break;
      case CollectiveKind::kSend:
        send(c_.inputs[0], p_.peer);
        break;
      case CollectiveKind::kRecv:
        receive(c_.outputs[0], p_.peer);
        break;
      case CollectiveKind::kBarrier:
        results_.add(p_.library.AllReduce(p_.scratch->raw_data(), p_.scratch->raw_data(), 1,
                                          DataType::kUint8, RedOp::kMax, comm_, p_.stream));
        break;
    }
    return results_.first();
  }

 private:
  static size_t count(const Tensor& t) { return static_cast<size_t>(t.numel()); }
  static int many(const std::vector<Tensor>& list) { return static_cast<int>(list.size()); }
  DataType type() const { return *number_type(any_tensor(c_).dtype()); }
  RedOp op() const { return *reduction(c_.op, any_tensor(c_).dtype()); }

  void broadcast(const Tensor& from, const Tensor& to, int root) {
    results_.add(p_.library.Broadcast(from.raw_data(), to.raw_data(), to.nbytes(), DataType::kUint8,
                                      root, comm_, p_.stream));
  }
  void reduce(const Tensor& from, const Tensor& to, int root) {
    results_.add(p_.library.Reduce(from.raw_data(), to.raw_data(), count(from), type(), op(), root,
                                   comm_, p_.stream));
  }
  // Nothing goes for no bytes, on either side.
  void send(const Tensor& t, int to) {
    if (t.nbytes() > 0)
      results_.add(
          p_.library.Send(t.raw_data(), t.nbytes(), DataType::kUint8, to, comm_, p_.stream));
  }
  void receive(const Tensor& t, int from) {
    if (t.nbytes() > 0)
      results_.add(
          p_.library.Recv(t.raw_data(), t.nbytes(), DataType::kUint8, from, comm_, p_.stream));
  }
  void* block(const std::vector<Tensor>& parts) const {
    return (p_.scratch != nullptr ? *p_.scratch : parts[0]).raw_data();
  }
  // Of unlike sizes a broadcast from every rank.
  void all_gather() {
    const Tensor& mine = c_.inputs[0];
    if (are_even(c_.outputs)) {
      results_.add(p_.library.AllGather(mine.raw_data(), block(c_.outputs), mine.nbytes(),
                                        DataType::kUint8, comm_, p_.stream));
      return;
    }
    for (int r = 0; r < p_.ranks; ++r) {
      const Tensor& to = c_.outputs[size_t(r)];
      broadcast(r == p_.rank ? mine : to, to, r);
    }
  }
  void reduce_scatter() {
    const Tensor& mine = c_.outputs[0];
    if (are_even(c_.inputs)) {
      results_.add(p_.library.ReduceScatter(block(c_.inputs), mine.raw_data(), count(mine), type(),
                                            op(), comm_, p_.stream));
      return;
    }
    for (int r = 0; r < p_.ranks; ++r) reduce(c_.inputs[size_t(r)], mine, r);
  }

  const Collective& c_;
  const CommHandle comm_;
  const Place& p_;
  Results results_;
};

}  // namespace

void check_supported(const Collective& c) {
  if (!reduces(c.kind)) return;
  const ScalarType dtype = any_tensor(c).dtype();
  OW_CHECK(number_type(dtype).has_value(), name_of(c.kind), "(): NCCL has no reductions of ",
           dtype);
  OW_CHECK(reduction(c.op, dtype).has_value(), name_of(c.kind), "(): Cannot use ReduceOp.",
           name_of(c.op), " with NCCL");
}

const std::vector<Tensor>* parts_that_need_a_block(const Collective& c) {
  const std::vector<Tensor>* parts = nullptr;
  if (c.kind == CollectiveKind::kAllGather) parts = &c.outputs;
  if (c.kind == CollectiveKind::kReduceScatter) parts = &c.inputs;
  const bool needed = parts != nullptr && are_even(*parts) && !lie_behind_one_another(*parts);
  return needed ? parts : nullptr;
}

Result issue(const Collective& collective, CommHandle comm, const Place& place) {
  return Issue(collective, comm, place).run();
}

}  // namespace opweave::distributed::nccl

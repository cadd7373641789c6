// What ranks say of their calls, and what goes together.
#include "runtime/distributed/backends/calls.h"

#include <strings.h>

#include <algorithm>
#include <cstdlib>

#include "runtime/core/base/str.h"

namespace opweave::distributed {
namespace {

uint64_t elements(const std::vector<Tensor>& tensors) {
  uint64_t count = 0;
  for (const Tensor& t : tensors) count += static_cast<uint64_t>(t.numel());
  return count;
}

// `is_roots`: a single tensor goes to the root alone, or comes from it alone.
const Tensor* of_rank(const Collective& c, const std::vector<Tensor>& list, int rank,
                      bool is_roots) {
  if (list.empty()) return nullptr;
  if (list.size() > 1) return &list[static_cast<size_t>(rank)];
  return is_roots && rank != c.root ? nullptr : &list[0];
}

uint64_t bytes_of(const Tensor* tensor) { return tensor == nullptr ? 0 : tensor->nbytes(); }

bool agree(const Call& a, const Call& b) {
  const bool numbers = !reduces(static_cast<CollectiveKind>(a.kind)) || a.op == b.op;
  return a.kind == b.kind && a.dtype == b.dtype && a.root == b.root && a.tensors == b.tensors &&
         a.elements == b.elements && a.counts == b.counts && a.sequence == b.sequence && numbers &&
         (a.shapes == b.shapes || !compares_calls());
}

// As many elements of other sizes go together, unless the ranks are to be compared strictly.
void write_shapes(const std::vector<Tensor>& tensors, Call& call) {
  const auto mix = [](uint64_t hash, uint64_t n) { return (hash ^ n) * 0x100000001b3; };
  for (const Tensor& t : tensors) {
    call.counts = mix(call.counts, static_cast<uint64_t>(t.numel()));
    for (const int64_t size : t.sizes())
      call.shapes = mix(call.shapes, static_cast<uint64_t>(size));
    call.shapes = mix(call.shapes, ~uint64_t{0});
  }
  if (tensors.empty()) return;
  const auto sizes = tensors[0].sizes();
  call.dim = static_cast<int32_t>(sizes.size());
  std::copy_n(sizes.begin(), std::min<size_t>(sizes.size(), Call::kSizes), call.sizes);
}

std::string sizes_of(const Call& call) {
  std::string text = "[";
  for (int i = 0; i < std::min(call.dim, Call::kSizes); ++i)
    text += str(i == 0 ? "" : ", ", call.sizes[i]);
  return text + (call.dim > Call::kSizes ? ", ...]" : "]");
}

std::string said(const Call& call) {
  const auto kind = static_cast<CollectiveKind>(call.kind);
  std::string text = called(kind, static_cast<ReduceOp>(call.op));
  if (kind == CollectiveKind::kBarrier) return text;
  if (is_rooted(kind)) text += str(" with the root ", call.root);
  text += str(" of ", static_cast<ScalarType>(call.dtype));
  return record_of(kind).is_uneven()
             ? text
             : str(text, ", ", call.elements, " elements in ", call.tensors, " tensors, ",
                   call.tensors == 1 ? "" : "the first ", "of the sizes ", sizes_of(call));
}

std::string all_said(std::span<const Said> ranks) {
  std::string text = "the ranks called different things: ";
  for (size_t r = 0; r < ranks.size(); ++r) {
    const Call* call = ranks[r].call;
    text +=
        str(r == 0 ? "" : "; ", "rank ", r, " ",
            call == nullptr ? "nothing yet" : str(said(*call), " (number ", call->sequence, ")"));
  }
  return text;
}

// "rank 1 gives rank 0 8 bytes, and rank 0 has room for 12".
std::string unlike_sizes(std::span<const Said> ranks) {
  for (size_t from = 0; from < ranks.size(); ++from) {
    for (size_t to = 0; to < ranks.size(); ++to) {
      if (ranks[from].call == nullptr || ranks[to].call == nullptr) continue;
      const uint64_t given = ranks[from].given[to], taken = ranks[to].taken[from];
      if (given != taken)
        return str("rank ", from, " gives rank ", to, " ", given, " bytes, and rank ", to,
                   " has room for ", taken);
    }
  }
  return {};
}

}  // namespace

bool compares_calls() {
  // The first that says something.
  for (const char* name : {"OPWEAVE_DISTRIBUTED_DEBUG", "TORCH_DISTRIBUTED_DEBUG"}) {
    const char* level = std::getenv(name);
    if (level != nullptr && *level != 0) return strcasecmp(level, "DETAIL") == 0;
  }
  return false;
}

const Tensor* given_to(const Collective& c, int rank) {
  return of_rank(c, c.inputs, rank, record_of(c.kind).root == Root::to);
}

const Tensor* taken_from(const Collective& c, int rank) {
  return of_rank(c, c.outputs, rank, record_of(c.kind).root == Root::from);
}

Call call_of(const Collective& c) {
  const auto& tensors = c.inputs.empty() ? c.outputs : c.inputs;
  const bool uneven = record_of(c.kind).is_uneven();
  Call call{.kind = static_cast<uint8_t>(c.kind),
            .dtype = static_cast<uint8_t>(tensors.empty() ? ScalarType() : tensors[0].dtype()),
            .op = static_cast<uint8_t>(c.op),
            .root = is_rooted(c.kind) ? c.root : 0,
            .tensors = uneven ? 0 : static_cast<uint32_t>(c.outputs.size()),
            .sequence = c.sequence,
            .elements = uneven ? 0 : elements(c.outputs),
            .counts = 0,
            .shapes = 0,
            .sizes = {},
            .dim = 0};
  if (!uneven) write_shapes(c.outputs, call);
  return call;
}

void write_sizes(const Collective& c, int ranks, uint64_t* given, uint64_t* taken) {
  if (!record_of(c.kind).is_uneven()) return;
  for (int r = 0; r < ranks; ++r) {
    given[r] = bytes_of(given_to(c, r));
    taken[r] = bytes_of(taken_from(c, r));
  }
}

std::string name_call(const Call& call) {
  return str(called(static_cast<CollectiveKind>(call.kind), static_cast<ReduceOp>(call.op)),
             " (number ", call.sequence, ")");
}

std::string name_ranks(const std::vector<int>& ranks) {
  std::string names;
  for (const int r : ranks) names += str(names.empty() ? "" : ", ", r);
  return (ranks.size() == 1 ? "rank " : "ranks ") + names;
}

std::string not_in_time(const std::vector<int>& missing, int ranks) {
  std::vector<int> there;
  for (int r = 0; r < ranks; ++r) {
    if (std::find(missing.begin(), missing.end(), r) == missing.end()) there.push_back(r);
  }
  return str(name_ranks(missing), " did not come in time; ", name_ranks(there), " did");
}

std::string unlike(std::span<const Said> ranks) {
  const Call* first = nullptr;
  for (const Said& rank : ranks) {
    if (rank.call == nullptr) continue;
    if (first == nullptr) first = rank.call;
    if (!agree(*first, *rank.call)) return all_said(ranks);
  }
  const bool uneven =
      first != nullptr && record_of(static_cast<CollectiveKind>(first->kind)).is_uneven();
  return uneven ? unlike_sizes(ranks) : std::string();
}

}  // namespace opweave::distributed

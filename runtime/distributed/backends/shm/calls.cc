// What ranks say of their calls, and what goes together.
#include "runtime/distributed/backends/shm/calls.h"

#include "runtime/core/str.h"
#include "runtime/distributed/store/errors.h"

namespace opweave::distributed::shm {
namespace {

uint64_t elements(const std::vector<Tensor>& tensors) {
  uint64_t count = 0;
  for (const Tensor& t : tensors) count += static_cast<uint64_t>(t.numel());
  return count;
}

// A single tensor is for every rank, of a gather for the root alone; none for nobody.
uint64_t bytes_for(const std::vector<Tensor>& tensors, int rank, int only) {
  if (tensors.empty()) return 0;
  if (tensors.size() > 1) return tensors[static_cast<size_t>(rank)].nbytes();
  return only < 0 || only == rank ? tensors[0].nbytes() : 0;
}

bool agree(const Call& a, const Call& b) {
  const bool numbers = !reduces(static_cast<CollectiveKind>(a.kind)) || a.op == b.op;
  return a.kind == b.kind && a.dtype == b.dtype && a.root == b.root && a.tensors == b.tensors &&
         a.elements == b.elements && a.sequence == b.sequence && numbers;
}

std::string said(const Call& call) {
  const auto kind = static_cast<CollectiveKind>(call.kind);
  std::string text = called(kind, static_cast<ReduceOp>(call.op));
  if (kind == CollectiveKind::kBarrier) return text;
  if (is_rooted(kind)) text += str(" with the root ", call.root);
  text += str(" of ", static_cast<ScalarType>(call.dtype));
  return record_of(kind).is_uneven()
             ? text
             : str(text, ", ", call.elements, " elements in ", call.tensors, " tensors");
}

std::string all_said(const Layout& layout, int ranks, int turn) {
  std::string text;
  for (int r = 0; r < ranks; ++r) {
    const Call& call = layout.rank(r).calls[turn];
    text += str(r == 0 ? "" : "; ", "rank ", r, " ", said(call), " (number ", call.sequence, ")");
  }
  return text;
}

}  // namespace

void announce(const Layout& layout, int rank, int ranks, int turn, const Collective& c) {
  const auto& tensors = c.inputs.empty() ? c.outputs : c.inputs;
  Call& call = layout.rank(rank).calls[turn];
  const bool uneven = record_of(c.kind).is_uneven();
  call = {.kind = static_cast<uint8_t>(c.kind),
          .dtype = static_cast<uint8_t>(tensors.empty() ? ScalarType() : tensors[0].dtype()),
          .op = static_cast<uint8_t>(c.op),
          .root = is_rooted(c.kind) ? c.root : 0,
          .tensors = uneven ? 0 : static_cast<uint32_t>(c.outputs.size()),
          .sequence = c.sequence,
          .elements = uneven ? 0 : elements(c.outputs)};
  if (!uneven) return;
  const int only_root = c.kind == CollectiveKind::kGather ? c.root : -1;
  const bool from_root = c.kind == CollectiveKind::kScatter;
  for (int r = 0; r < ranks; ++r) {
    layout.given(rank, turn)[r] = bytes_for(c.inputs, r, only_root);
    layout.taken(rank, turn)[r] =
        from_root ? (r == c.root ? c.outputs[0].nbytes() : 0) : bytes_for(c.outputs, r, -1);
  }
}

void compare(const Layout& layout, int ranks, int turn, const Collective& collective) {
  const Call& first = layout.rank(0).calls[turn];
  bool same = true;
  for (int r = 1; r < ranks; ++r) same = same && agree(first, layout.rank(r).calls[turn]);
  if (!same)
    throw DistBackendError(str(describe_call(collective), ": the ranks called different things: ",
                               all_said(layout, ranks, turn)));
  if (!record_of(static_cast<CollectiveKind>(first.kind)).is_uneven()) return;
  for (int from = 0; from < ranks; ++from) {
    for (int to = 0; to < ranks; ++to) {
      const uint64_t given = layout.given(from, turn)[to], taken = layout.taken(to, turn)[from];
      if (given == taken) continue;
      throw DistBackendError(str(describe_call(collective), ": rank ", from, " gives rank ", to,
                                 " ", given, " bytes, and rank ", to, " has room for ", taken));
    }
  }
}

}  // namespace opweave::distributed::shm

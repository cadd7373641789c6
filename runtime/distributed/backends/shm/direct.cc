// Collectives of large tensors, which the ranks read where they lie in one another's memory.
#include <algorithm>
#include <cstring>

#include "runtime/core/base/str.h"
#include "runtime/distributed/backends/combine.h"
#include "runtime/distributed/backends/overlap.h"
#include "runtime/distributed/backends/shm/copy.h"
#include "runtime/distributed/backends/shm/exchange.h"
#include "runtime/distributed/store/errors.h"

namespace opweave::distributed::shm {
namespace {

// What is combined at once: two of these are a block, which stays in the processor's cache.
constexpr size_t kHalf = Layout::kBlock / 2;
// What is combined and then written to all at once: their lines are in this processor's cache
// still.
constexpr size_t kWritten = 128 * 1024;
// Shares begin with a page, so that no two ranks write to one.
constexpr size_t kPage = 4096;

size_t share_from(size_t nbytes, int rank, int ranks) {
  const size_t pages = nbytes / kPage;
  if (rank == ranks) return nbytes;
  return pages * static_cast<size_t>(rank) / static_cast<size_t>(ranks) * kPage;
}

}  // namespace

bool Exchange::can_offer_inputs(const Collective& c, size_t step) const {
  bool some = false;
  for (const Tensor& in : c.inputs) {
    if (first_share(in, step) == in.nbytes()) continue;
    some = true;
    if (!PeerMemory::can_be_read(in.raw_data(), in.nbytes())) return false;
  }
  return !some || !writes_inputs(c, rank_);
}

// Only where all of a storage takes part, as whoever holds the rest may write to it meanwhile.
Place Exchange::place_of(Run& call, const Tensor& t) const {
  const auto address = reinterpret_cast<uint64_t>(t.raw_data());
  const Place place{address, -1, 0, 0, 0, 0};
  const Storage& storage = t.storage();
  const Collective& c = call.collective;
  const bool is_ours = storage->resizable();  // and not somebody's whose memory it only names
  if (!memory_.readable() || t.nbytes() < kDirect || !is_ours) return place;
  if (!cover(c.inputs, storage) && !cover(c.outputs, storage)) return place;
  const SharedBlocks::File* file = lend(call, storage);
  if (file == nullptr) return place;
  const uint64_t offset = address - reinterpret_cast<uint64_t>(storage->data());
  return {address, file->descriptor, file->inode, file->nbytes, file->era, offset};
}

const SharedBlocks::File* Exchange::lend(Run& call, const Storage& storage) {
  auto [found, is_new] = call.lent.try_emplace(storage->data());
  auto& lent = found->second;
  if (is_new) {
    auto got = SharedBlocks::of_process().lend(storage->data(), storage->nbytes());
    if (got) lent.emplace(std::move(*got));
  }
  return lent ? &lent->file() : nullptr;
}

void Exchange::offer_inputs(Run& call, size_t step) {
  const Collective& c = call.collective;
  const bool offers = memory_.readable() && can_offer_inputs(c, step);
  layout_.rank(rank_).offers[turn_] = offers;
  if (!offers || c.inputs.empty()) return;
  std::vector<Place> places;
  for (const Tensor& in : c.inputs) places.push_back(place_of(call, in));
  for (size_t r = 0; r < static_cast<size_t>(ranks_); ++r)
    layout_.places(rank_, turn_)[r] = places[places.size() == 1 ? 0 : r];
}

bool Exchange::all_offer() const {
  for (int r = 0; r < ranks_; ++r)
    if (!layout_.rank(r).offers[turn_]) return false;
  return true;
}

Exchange::Sources Exchange::sources() {
  Sources all;
  for (int r = 0; r < ranks_; ++r)
    all.push_back(r == rank_ ? Source{r} : memory_.source(r, layout_.places(r, turn_)[rank_]));
  return all;
}

std::optional<Exchange::Sources> Exchange::meet_to_offer(Run& call, const Tensor& t) {
  if (t.nbytes() < kDirect) return {};
  layout_.rank(rank_).offers[turn_] =
      memory_.readable() && PeerMemory::can_be_read(t.raw_data(), t.nbytes());
  std::fill_n(layout_.places(rank_, turn_), ranks_, place_of(call, t));
  meet(call);
  std::optional<Sources> found;
  if (all_offer()) found = sources();
  next_block();
  return found;
}

// Only where the root's tensor can be mapped: reading it through the system is no faster than steps
// in which one rank writes while the others read.
bool Exchange::broadcast_directly(Run& call, const Tensor& t) {
  if (t.nbytes() < kDirect) return false;
  const int root = call.collective.root;
  if (rank_ == root) {
    const Place place = place_of(call, t);
    layout_.rank(rank_).offers[turn_] = place.descriptor >= 0;
    std::fill_n(layout_.places(rank_, turn_), ranks_, place);
  }
  meet(call);
  const bool offered = layout_.rank(root).offers[turn_];
  const Place place = layout_.places(root, turn_)[rank_];
  next_block();
  if (!offered) return false;
  if (rank_ != root) read_memory(call, at(t, 0), memory_.source(root, place), t.nbytes());
  meet_after(call);
  return true;
}

void Exchange::meet_after(Run& call) {
  meet(call);
  next_block();
}

void Exchange::read_memory(Run& call, char* to, const Source& from, size_t nbytes) {
  const Collective& c = call.collective;
  const int error = memory_.read(to, from, nbytes, [&] { meeting_.check(c); });
  if (error == 0) return;
  meeting_.check(c);  // who has given up has let its tensors go
  const std::string who =
      str("rank ", from.rank, " (process ", layout_.rank(from.rank).process.load(), ")");
  if (error == ESRCH) meeting_.give_up(c, who + " has ended");
  meeting_.give_up(c, str("the memory of ", who, " cannot be read: ", system_error_text(error)));
}

void Exchange::read_rest(Run& call, const Source& from, const Tensor& to, const Tensor& mine,
                         size_t done) {
  const size_t left = piece(to, done, to.nbytes());
  if (left == 0) return;
  if (from.rank == rank_)
    keep_piece(to, mine, done, left);
  else
    read_memory(call, at(to, done), from + done, left);
}

void Exchange::all_reduce_directly(Run& call, const Tensor& t, const Sources& sources) {
  if (all_map(call, sources))
    reduce_for_all(call, t, sources);
  else
    reduce_and_read(call, t, sources);
  meet_after(call);
  call.others_write = false;
}

bool Exchange::all_map(Run& call, const Sources& sources) {
  const bool maps = std::all_of(sources.begin(), sources.end(), [&](const Source& s) {
    return s.rank == rank_ || s.mapped != nullptr;
  });
  layout_.rank(rank_).offers[turn_] = maps;
  call.others_write = maps;
  meet(call);
  call.others_write = all_offer();
  next_block();
  return call.others_write;
}

// Each rank combines a share, for which it reads the others', and writes what it comes to to all.
void Exchange::reduce_for_all(Run& call, const Tensor& t, const Sources& sources) {
  const size_t end = share_from(t.nbytes(), rank_ + 1, ranks_);
  size_t n = 0;
  for (size_t done = share_from(t.nbytes(), rank_, ranks_); done < end; done += n) {
    n = std::min(kWritten, end - done);
    combine_directly(call, sources, done, at(t, done), at(t, done), n);
    for (const Source& to : sources)
      if (to.rank != rank_) std::memcpy(to.mapped + done, at(t, done), n);
  }
}

// Each rank combines a share, for which it reads the others', and then reads theirs.
void Exchange::reduce_and_read(Run& call, const Tensor& t, const Sources& sources) {
  const auto from = [&](int r) { return share_from(t.nbytes(), r, ranks_); };
  const size_t mine = from(rank_), end = from(rank_ + 1);
  combine_directly(call, sources, mine, at(t, mine), at(t, mine), end - mine);
  meet_after(call);
  for (int i = 1; i < ranks_; ++i) {
    const int r = (rank_ + i) % ranks_;
    const Source& source = sources[static_cast<size_t>(r)];
    read_memory(call, at(t, from(r)), source + from(r), from(r + 1) - from(r));
  }
}

// In the order of ranks, as through shared memory: the results are equal to the bit.
void Exchange::combine_directly(Run& call, const Sources& sources, size_t offset, const char* mine,
                                char* to, size_t nbytes) {
  const ReduceOp op = call.collective.op;
  const ScalarType dtype = call.dtype();
  char* const sum = block(rank_);
  for (size_t done = 0; done < nbytes; done += kHalf) {
    const size_t n = std::min(kHalf, nbytes - done);
    const auto count = static_cast<int64_t>(n / element_size(dtype));
    const auto given = [&](int r, char* room) -> const char* {
      if (r == rank_) return mine + done;
      const Source from = sources[static_cast<size_t>(r)] + (offset + done);
      if (from.mapped != nullptr) return from.mapped;
      read_memory(call, room, from, n);
      return room;
    };
    meeting_.check(call.collective);
    const char* all = given(0, sum);
    for (int r = 1; r < ranks_; ++r) {
      char* const out = r + 1 == ranks_ ? to + done : sum;
      combine(op, dtype, out, all, given(r, sum + kHalf), count);
      all = out;
    }
    finish(op, dtype, to + done, count, ranks_);
  }
}

}  // namespace opweave::distributed::shm

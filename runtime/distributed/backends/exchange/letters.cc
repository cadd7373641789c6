// Heads and bodies.
#include "runtime/distributed/backends/exchange/letters.h"

#include <cstring>

#include "runtime/core/base/str.h"
#include "runtime/distributed/store/errors.h"

namespace opweave::distributed::exchange {
namespace {

// Of bodies that are kept for one rank.
constexpr size_t kRoom = 64 * 1024;
// For a rank that answers nothing, where letters to it would be lost.
constexpr Milliseconds kLetterPatience{3'000};
// What tells the slots of letters from those of collectives.
constexpr uint64_t kHeads = 0x6865616473, kBodies = 0x626f64696573;

}  // namespace

// The messages of one letter.
class Letters::Carrier final : public Transfer {
 public:
  Carrier(Letters& letters, const Collective& collective, const Deadline& deadline)
      : Transfer(letters.wire_, letters.roll_, collective, deadline), letters_(letters) {}

  Message send_head(const Head& head) {
    number_ = head.number;
    return send_in(slot(kHeads), collective_.root, &head, sizeof head);
  }
  Message send_body(const void* data, size_t nbytes) {
    return send_in(mix(slot(kBodies), nbytes), collective_.root, data, nbytes);
  }
  Message receive_head(Head& head) {
    return receive_in(slot(kHeads), collective_.root, &head, sizeof head);
  }
  Message receive_body(int from, void* data, size_t nbytes) {
    return receive_in(mix(slot(kBodies), nbytes), from, data, nbytes);
  }

 private:
  uint64_t slot(uint64_t what) const { return mix(what, static_cast<uint64_t>(collective_.tag)); }

  void look_around(int rank) override {
    const bool sends = collective_.kind == CollectiveKind::kSend;
    // Whoever has taken it may leave before this end has noticed that all of it is sent.
    if (sends && letters_.was_taken(rank, number_)) return;
    const bool any = rank == Message::kAnyRank;
    const bool left = any ? roll_.have_all_left() : roll_.has_left(rank);
    if (!left && !deadline_.passed()) return;
    roll_.check(collective_);  // who left because the group was over had said so before
    const std::string call = describe_call(collective_);
    const std::string why = why_broken_off(rank, left, sends);
    // Whatever came next would be taken for this one.
    roll_.abort(str(call, " was broken off: ", why));
    throw DistBackendError(
        str(call, sends ? "" : str(" with the tag ", collective_.tag), ": ", why));
  }

  static std::string why_broken_off(int rank, bool left, bool sends) {
    if (rank == Message::kAnyRank)
      return left ? "no other rank is in the group any more" : "no rank sent it in time";
    return str("rank ", rank, left ? " left the group" : " did not ",
               left    ? ""
               : sends ? "take it in time"
                       : "send it in time");
  }

  Letters& letters_;
  uint64_t number_ = 0;  // of a letter that is sent
};

Letters::Letters(Wire& wire, net::Roll& roll, int ranks)
    : wire_(wire), roll_(roll), outboxes_(static_cast<size_t>(ranks)) {}

void Letters::send(const Collective& collective, const Deadline& deadline) {
  roll_.check(collective);
  Carrier carrier(*this, collective, deadline);
  if (keep(carrier, collective)) return;
  const Tensor& t = collective.inputs[0];
  // When it is sent it may still be on its way: who leaves waits until it has been taken.
  const Head head{t.nbytes(), await_taking(collective.root), static_cast<uint32_t>(t.dtype())};
  Message sent_head = carrier.send_head(head);
  Message sent_body = carrier.send_body(t.raw_data(), t.nbytes());
  carrier.wait(sent_head);
  carrier.wait(sent_body);
}

uint64_t Letters::await_taking(int rank) {
  const std::lock_guard lock(mutex_);
  const uint64_t number = ++numbers_;
  outboxes_[static_cast<size_t>(rank)].letters[number] = nullptr;
  return number;
}

bool Letters::was_taken(int rank, uint64_t number) {
  const std::lock_guard lock(mutex_);
  return !outboxes_[static_cast<size_t>(rank)].letters.contains(number);
}

std::shared_ptr<Letters::Kept> Letters::copy_of(const Collective& collective) {
  const Tensor& t = collective.inputs[0];
  const std::lock_guard lock(mutex_);
  Outbox& outbox = outboxes_[static_cast<size_t>(collective.root)];
  if (outbox.nbytes + t.nbytes() > kRoom) return nullptr;
  auto kept = std::make_shared<Kept>();
  kept->head = {t.nbytes(), ++numbers_, static_cast<uint32_t>(t.dtype())};
  kept->body.resize(t.nbytes());
  if (t.nbytes() > 0) std::memcpy(kept->body.data(), t.raw_data(), t.nbytes());
  outbox.nbytes += t.nbytes();
  outbox.letters[kept->head.number] = kept;
  return kept;
}

// Posts without the lock: a wire that takes its time keeps nobody from saying what was taken.
bool Letters::keep(Carrier& carrier, const Collective& collective) {
  const std::shared_ptr<Kept> kept = copy_of(collective);
  if (!kept) return false;
  kept->sent_head = carrier.send_head(kept->head);
  kept->sent_body = carrier.send_body(kept->body.data(), kept->body.size());
  wire_.start();
  return true;
}

int Letters::receive(const Collective& collective, const Deadline& deadline) {
  roll_.check(collective);
  Carrier carrier(*this, collective, deadline);
  const Tensor& out = collective.outputs[0];
  Head head{};
  Message coming = carrier.receive_head(head);
  carrier.wait(coming);
  const int from = coming.rank;
  const bool fits = head.nbytes == out.nbytes() && head.dtype == static_cast<uint32_t>(out.dtype());
  std::vector<char> elsewhere(fits ? 0 : head.nbytes);
  Message body = carrier.receive_body(from, fits ? out.raw_data() : elsewhere.data(), head.nbytes);
  carrier.wait(body);
  roll_.say(from, net::Word::taken, head.number);
  if (fits) return from;
  throw DistBackendError(str(describe_call(collective), ": rank ", from, " sent ", head.nbytes,
                             " bytes of ", static_cast<ScalarType>(head.dtype),
                             ", and there is room for ", out.nbytes(), " of ", out.dtype()));
}

void Letters::taken(int rank, uint64_t number) {
  std::shared_ptr<Kept> gone;  // goes without the lock
  const std::lock_guard lock(mutex_);
  Outbox& outbox = outboxes_[static_cast<size_t>(rank)];
  const auto it = outbox.letters.find(number);
  if (it == outbox.letters.end()) return;
  gone = std::move(it->second);
  outbox.letters.erase(it);
  if (gone) outbox.nbytes -= gone->body.size();
}

void Letters::flush(const Deadline& deadline) noexcept {
  roll_.await(deadline, kLetterPatience, [&](int r) {
    const std::lock_guard lock(mutex_);
    return outboxes_[static_cast<size_t>(r)].letters.empty();
  });
}

}  // namespace opweave::distributed::exchange

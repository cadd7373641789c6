// Rings of bytes between pairs of ranks.
#include "runtime/distributed/backends/shm/mail.h"

#include <algorithm>
#include <cstring>

#include "runtime/core/base/str.h"
#include "runtime/distributed/backends/broken_off.h"
#include "runtime/distributed/store/errors.h"

namespace opweave::distributed::shm {

Mail::Mail(Layout layout, Meeting& meeting, int rank, int ranks)
    : layout_(layout),
      meeting_(meeting),
      rank_(rank),
      ranks_(ranks),
      arriving_(static_cast<size_t>(ranks)) {}

void Mail::send(const Collective& c, const Deadline& deadline) {
  const Tensor& t = c.inputs[0];
  const Header header{t.nbytes(), c.tag, static_cast<uint32_t>(t.dtype())};
  try {
    put(c, reinterpret_cast<const char*>(&header), sizeof header, deadline);
    put(c, static_cast<const char*>(t.raw_data()), t.nbytes(), deadline);
  } catch (...) {
    // Whatever came next would be read as the rest of this letter.
    meeting_.abort(broken_off(c));
    throw;
  }
}

void Mail::put(const Collective& c, const char* data, size_t nbytes, const Deadline& deadline) {
  Mailbox& box = layout_.mailbox(rank_, c.root);
  char* const ring = layout_.mail(rank_, c.root);
  const size_t size = layout_.mail_bytes();
  std::atomic<uint32_t>& room = layout_.rank(rank_).room;
  while (nbytes > 0) {
    const uint32_t seen = room.load(std::memory_order_acquire);
    const uint64_t written = box.written.load(std::memory_order_relaxed);
    const size_t free = size - (written - box.read.load(std::memory_order_acquire));
    const size_t place = written % size, n = std::min({nbytes, free, size - place});
    if (n == 0) {
      // In this order, as in meetings.
      const bool left = layout_.rank(c.root).left.load(std::memory_order_acquire) != 0;
      meeting_.check(c);
      if (left || deadline.passed())
        throw DistBackendError(
            str(describe_call(c), ": rank ", c.root,
                deadline.passed() ? " did not take it in time" : " left the group"));
      wait_for_change(room, seen, deadline);
      check_interrupts();
      continue;
    }
    std::memcpy(ring + place, data, n);
    box.written.store(written + n, std::memory_order_release);
    data += n, nbytes -= n;
    layout_.rank(c.root).mail.fetch_add(1, std::memory_order_acq_rel);
    wake_all(layout_.rank(c.root).mail);
  }
}

int Mail::receive(const Collective& c, const Deadline& deadline) {
  std::atomic<uint32_t>& mail = layout_.rank(rank_).mail;
  while (true) {
    const uint32_t seen = mail.load(std::memory_order_acquire);
    // Before its mailbox is looked into: what it has sent has been put there before it left.
    const bool gone = has_left(c.root);
    const bool came = empty_mailboxes();
    if (const auto letter = find(c); letter != letters_.end()) return open(letter, c);
    if (came) continue;
    meeting_.check(c);
    if (gone || deadline.passed()) {
      const bool any = c.root == Collective::kAnyRank;
      const std::string why =
          any ? (gone ? "no other rank is in the group any more" : "no rank sent it in time")
              : str("rank ", c.root, gone ? " left the group" : " did not send it in time");
      throw DistBackendError(str(describe_call(c), " with the tag ", c.tag, ": ", why));
    }
    wait_for_change(mail, seen, deadline);
    check_interrupts();
  }
}

// The rank, or all others.
bool Mail::has_left(int rank) const {
  for (int r = 0; r < ranks_; ++r) {
    const bool meant = rank == Collective::kAnyRank ? r != rank_ : r == rank;
    if (meant && layout_.rank(r).left.load(std::memory_order_acquire) == 0) return false;
  }
  return true;
}

bool Mail::empty_mailboxes() {
  bool came = false;
  for (int from = 0; from < ranks_; ++from) came = empty_mailbox(from) || came;
  return came;
}

// As much as there is. True if there was something.
bool Mail::empty_mailbox(int from) {
  Arriving& now = arriving_[static_cast<size_t>(from)];
  bool came = false;
  while (true) {
    if (now.letter == nullptr) {
      char* header = reinterpret_cast<char*>(&now.header);
      const size_t n = take(from, header + now.header_bytes, sizeof(Header) - now.header_bytes);
      came = came || n > 0;
      now.header_bytes += n;
      if (now.header_bytes < sizeof(Header)) return came;
      now.letter =
          &letters_.emplace_back(Letter{from, now.header, std::vector<char>(now.header.nbytes)});
    }
    Letter& letter = *now.letter;
    const size_t n =
        take(from, letter.bytes.data() + letter.arrived, letter.bytes.size() - letter.arrived);
    letter.arrived += n;
    came = came || n > 0;
    if (!letter.whole()) {
      if (n == 0) return came;
      continue;
    }
    now = {};
    came = true;
  }
}

size_t Mail::take(int from, char* to, size_t most) {
  Mailbox& box = layout_.mailbox(from, rank_);
  const size_t size = layout_.mail_bytes();
  const uint64_t read = box.read.load(std::memory_order_relaxed);
  const size_t there = box.written.load(std::memory_order_acquire) - read;
  const size_t place = read % size, n = std::min({most, there, size - place});
  if (n == 0) return 0;
  std::memcpy(to, layout_.mail(from, rank_) + place, n);
  box.read.store(read + n, std::memory_order_release);
  layout_.rank(from).room.fetch_add(1, std::memory_order_acq_rel);
  wake_all(layout_.rank(from).room);
  return n;
}

// The first that is whole and asked for. One that is not whole holds back what comes behind it of
// its rank and tag.
std::list<Mail::Letter>::iterator Mail::find(const Collective& c) {
  return std::find_if(letters_.begin(), letters_.end(), [&](const Letter& letter) {
    return letter.whole() && letter.header.tag == c.tag &&
           (c.root == Collective::kAnyRank || letter.from == c.root);
  });
}

int Mail::open(std::list<Letter>::iterator letter, const Collective& c) {
  const Letter taken = std::move(*letter);
  letters_.erase(letter);
  const Tensor& out = c.outputs[0];
  if (taken.bytes.size() != out.nbytes() ||
      taken.header.dtype != static_cast<uint32_t>(out.dtype())) {
    throw DistBackendError(str(describe_call(c), ": rank ", taken.from, " sent ",
                               taken.bytes.size(), " bytes of ",
                               static_cast<ScalarType>(taken.header.dtype),
                               ", and there is room for ", out.nbytes(), " of ", out.dtype()));
  }
  if (!taken.bytes.empty()) std::memcpy(out.raw_data(), taken.bytes.data(), taken.bytes.size());
  return taken.from;
}

}  // namespace opweave::distributed::shm

// What comes next.
#include "runtime/distributed/schedule/agenda.h"

#include <algorithm>
#include <limits>

#include "runtime/core/base/str.h"

namespace opweave::distributed {
namespace {

constexpr int64_t kNothing = std::numeric_limits<int64_t>::max();

// Of the generator splitmix64; 62 bits, so that their negative is one as well.
int64_t mix(int64_t seed, uint64_t number) {
  uint64_t z = static_cast<uint64_t>(seed) * 0x9e3779b97f4a7c15u + number + 0x632be59bd9b4e019u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return static_cast<int64_t>((z ^ (z >> 31)) >> 2);
}

}  // namespace

uint64_t Agenda::add(const Item& item) {
  last_hash_ = mix(last_hash_, static_cast<uint64_t>(static_cast<int64_t>(item.priority)));
  for (const uint64_t number : {uint64_t{item.nbytes}, static_cast<uint64_t>(item.elements),
                                static_cast<uint64_t>(item.grain), item.kind})
    last_hash_ = mix(last_hash_, number);
  hashes_.push_back(last_hash_);
  pending_[seen_] = {item};
  return seen_++;
}

Agenda::Word Agenda::word() const {
  Word word;
  word.fill(kNothing);
  word[0] = static_cast<int64_t>(seen_);
  for (size_t i = 0; i < std::min(kAhead, hashes_.size()); ++i) {
    word[1 + i] = hashes_[i];
    word[1 + kAhead + i] = -hashes_[i];
  }
  return word;
}

bool Agenda::agree(const Word& least, std::string& unlike) {
  const uint64_t all = std::min(static_cast<uint64_t>(least[0]), agreed_ + kAhead);
  for (size_t i = 0; agreed_ < all; ++i, ++agreed_) {
    if (least[1 + i] != -least[1 + kAhead + i]) {
      unlike = str("the ranks gave the scheduler different things as its collective number ",
                   agreed_, ": another kind, size, dtype, root, operation or priority");
      return false;
    }
    const Item& item = pending_.at(agreed_).item;
    order_.insert({-static_cast<int64_t>(item.priority), item.nbytes, agreed_});
    hashes_.erase(hashes_.begin());
  }
  return true;
}

// As much as there is room for, and at least one grain.
Agenda::Part Agenda::cut(uint64_t number, size_t room) {
  Pending& of = pending_.at(number);
  const int64_t left = of.item.elements - of.done;
  Part part{.number = number, .from = of.done, .count = left, .is_first = of.done == 0};
  if (of.item.grain > 0 && of.item.elements > 0) {
    const size_t element = of.item.nbytes / static_cast<size_t>(of.item.elements);
    const auto fits = static_cast<int64_t>(room / std::max(element, size_t{1}));
    part.count = std::min(left, std::max(fits / of.item.grain, int64_t{1}) * of.item.grain);
  }
  of.done += part.count;
  part.is_last = of.done == of.item.elements;
  return part;
}

std::vector<Agenda::Part> Agenda::next(const Word& least, std::string& unlike) {
  if (!agree(least, unlike)) return {};
  std::vector<Part> parts;
  size_t room = round_nbytes_;
  while (!order_.empty()) {
    const uint64_t number = order_.begin()->number;
    const Item item = pending_.at(number).item;
    // What is left of a round is no reason to cut what the next one may take whole.
    if (!parts.empty() && item.nbytes > room) break;
    const Part part = cut(number, room);
    const auto count = static_cast<size_t>(part.count);
    const size_t nbytes = count == 0 ? 0 : item.nbytes / static_cast<size_t>(item.elements) * count;
    parts.push_back(part);
    order_hash_ = mix(mix(order_hash_, number), static_cast<uint64_t>(part.from));
    if (pending_.begin()->first < number) ++overtakings_;
    if (part.is_last) {
      order_.erase(order_.begin());
      pending_.erase(number);
    }
    if (nbytes >= room || !part.is_last) break;
    room -= nbytes;
  }
  return parts;
}

}  // namespace opweave::distributed

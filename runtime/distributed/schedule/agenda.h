// Agenda: what collectives are pending, and which parts of them come next. It decides by numbers
// alone, so that ranks which have been told the same decide the same.
//
// Ranks are called for the same collectives in the same order, but at different times. Before each
// round every rank says how many it has been called for, in a word; from the least of all words
// each sees how many all have been called for, and picks among these, whatever it knows beyond.
// Nothing else decides: neither a clock, nor what has been carried out elsewhere. A rank comes to a
// round as soon as it has something pending, and all have then something in common, because what
// the one with the fewest calls has, the others have too, and what was carried out was by all. So
// no round is empty, no rank waits for one that works at something else, and whoever comes late
// keeps the others waiting as long as without a schedule, and no longer.
//
// That calls are alike, the words say as well: a hash of the calls that are new, whose least and
// largest are compared before anything is done about them.
//
// One of a higher priority is first, then the smaller, then the one that was called first. What is
// larger than a part is cut, so that what is called meanwhile need not wait for all of it
// (Jayarajan et al., Priority-based parameter propagation for distributed DNN training, 2019; Peng
// et al., A generic communication scheduler for distributed DNN training acceleration, 2019).
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace opweave::distributed {

class Agenda {
 public:
  struct Item {
    int priority = 0;
    size_t nbytes = 0;
    int64_t elements = 0;
    // It may be cut at multiples of so many elements; 0: nowhere.
    int64_t grain = 0;
    // What else has to be the same on all ranks: kind, dtype, root, operation.
    uint64_t kind = 0;
  };
  struct Part {
    uint64_t number = 0;          // of its item
    int64_t from = 0, count = 0;  // elements
    bool is_first = false, is_last = false;
  };
  // So many calls beyond those that are known to be alike are told of in one word.
  static constexpr size_t kAhead = 8;
  // How many calls; the hashes of those up to each of the next, and what makes the least of these
  // the largest.
  using Word = std::array<int64_t, 1 + 2 * kAhead>;

  // A round takes about so many bytes.
  explicit Agenda(size_t round_nbytes) : round_nbytes_(round_nbytes) {}

  // Returns its number, counted from 0.
  uint64_t add(const Item& item);
  bool is_empty() const { return pending_.empty(); }
  // What this rank says before a round.
  Word word() const;
  // The parts of the round, in their order, from the least of what all said; at least one.
  // `unlike` is set where the calls differ, and nothing is returned.
  std::vector<Part> next(const Word& least, std::string& unlike);
  // How often something went ahead of what was called before it.
  uint64_t overtakings() const { return overtakings_; }
  // A hash of all parts so far, in their order.
  int64_t order() const { return order_hash_; }

 private:
  struct Pending {
    Item item;
    int64_t done = 0;  // elements
  };
  // The least is next.
  struct Place {
    int64_t lateness = 0;  // the negative priority
    size_t nbytes = 0;
    uint64_t number = 0;
    auto operator<=>(const Place&) const = default;
  };

  bool agree(const Word& least, std::string& unlike);
  Part cut(uint64_t number, size_t room);

  const size_t round_nbytes_;
  std::map<uint64_t, Pending> pending_;  // by number
  std::set<Place> order_;                // of those that all ranks are known to have
  std::vector<int64_t> hashes_;          // up to each of those that they are not known to have
  int64_t last_hash_ = 0, order_hash_ = 0;
  uint64_t seen_ = 0, agreed_ = 0, overtakings_ = 0;
};

}  // namespace opweave::distributed

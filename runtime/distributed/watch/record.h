// Record: what is known of one collective that this process was called for.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/distributed/group/collective.h"
#include "runtime/distributed/watch/call_site.h"
#include "runtime/distributed/watch/environment.h"

namespace opweave::distributed {

// A group in reports.
struct GroupName {
  std::string name, backend;
  int rank = 0, size = 1;
  std::vector<int> ranks = {};   // in the world, by the rank in the group; empty: not known
  int generation = 0;            // the how manieth of this name that the process has made
  Environment environment = {};  // when it was made
};

// Dtypes and sizes of tensors, in memory that is used again.
class Shapes {
 public:
  void assign(const std::vector<Tensor>& tensors);
  // fn(dtype, sizes) for each.
  template <class Fn>
  void for_each(Fn fn) const {
    for (size_t i = 0; i < numbers_.size();) {
      const auto dtype = static_cast<ScalarType>(numbers_[i]);
      const auto ndim = static_cast<size_t>(numbers_[i + 1]);
      fn(dtype, IntList(numbers_.data() + i + 2, ndim));
      i += ndim + 2;
    }
  }

 private:
  std::vector<int64_t> numbers_;  // of each the dtype, the number of dimensions, and the sizes
};

struct Record {
  enum class State : uint8_t { scheduled, started, completed, failed };
  using Time = std::chrono::system_clock::time_point;

  uint64_t id = 0;  // counted from 1; 0 is none
  std::shared_ptr<const GroupName> group;
  CollectiveKind kind{};
  ReduceOp op{};
  int root = 0, tag = 0;
  uint64_t sequence = 0;
  std::chrono::milliseconds timeout{};
  Shapes inputs, outputs;
  CallSite site;
  const std::string* title = nullptr;  // interned: what the caller calls it; null where nothing
  uint64_t thread = 0;                 // the system's number of the thread that called
  State state = State::scheduled;
  Time queued{}, started{}, ended{};
  std::string error;  // of what failed

  bool has_ended() const { return state == State::completed || state == State::failed; }
};

std::string_view name_of(Record::State state);

}  // namespace opweave::distributed

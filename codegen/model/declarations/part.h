// Parts of an operator that are given to it once.
#pragma once

#include <optional>
#include <utility>

namespace opweave::codegen {

// Ends the program: passes of the model stage run in the wrong order.
[[noreturn]] void part_given_twice(const char* part);
[[noreturn]] void part_not_given(const char* part);

// What one pass of the model stage makes, all at once, and everybody else only reads. It is not
// there before.
template <typename T>
class Part {
 public:
  Part() = default;
  Part(const Part&) = delete;
  Part& operator=(const Part&) = delete;

  void give(T part) {
    if (part_) part_given_twice(__PRETTY_FUNCTION__);
    part_.emplace(std::move(part));
  }

  const T& operator*() const { return *operator->(); }
  const T* operator->() const {
    if (!part_) part_not_given(__PRETTY_FUNCTION__);
    return &*part_;
  }

 private:
  std::optional<T> part_;
};

// The same of a part that several operators share, or that there may not be: reads like a pointer.
template <typename T>
class Part<const T*> {
 public:
  Part() = default;
  Part(const Part&) = delete;
  Part& operator=(const Part&) = delete;

  void give(const T* part) {
    if (part_) part_given_twice(__PRETTY_FUNCTION__);
    part_ = part;
  }

  operator const T*() const {
    if (!part_) part_not_given(__PRETTY_FUNCTION__);
    return *part_;
  }
  const T* operator->() const { return *this; }

 private:
  std::optional<const T*> part_;
};

}  // namespace opweave::codegen

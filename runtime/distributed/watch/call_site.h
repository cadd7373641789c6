// CallSite: where in a Python program a collective was called. Noted by the bindings, which know,
// for the collective that the thread starts next; of those that a program starts without naming
// them, as its backward pass does, the bindings are asked.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace opweave::distributed {

struct CodeFrame {
  const std::string* file = nullptr;  // both interned
  const std::string* function = nullptr;
  int line = 0;
};

// Innermost first; who calls from deeper keeps the innermost.
class CallSite {
 public:
  static constexpr size_t kMostFrames = 16;
  void add(const CodeFrame& frame) {
    if (size_ < kMostFrames) frames_[size_++] = frame;
  }
  bool is_full() const { return size_ == kMostFrames; }
  std::span<const CodeFrame> frames() const { return {frames_.data(), size_}; }

 private:
  std::array<CodeFrame, kMostFrames> frames_;
  size_t size_ = 0;
};

// "train.py:42 in step"; empty where nothing is known.
std::string describe(const CallSite& site);

// One string for all texts that are equal, which lives as long as the process: a report reads it
// without asking Python.
const std::string* interned(std::string_view text);

// Of this thread, until a collective takes it.
void note_call_site(const CallSite& site) noexcept;
CallSite take_call_site() noexcept;

// What notes the place that the calling thread is at, where it knows, for a collective of which
// nobody has noted any. Set once.
using SiteSource = void (*)() noexcept;
void set_site_source(SiteSource source) noexcept;

// What this thread calls its collectives from now on; null for their own names. Returns what it
// called them.
const std::string* set_title(const std::string* interned) noexcept;
const std::string* title() noexcept;

}  // namespace opweave::distributed

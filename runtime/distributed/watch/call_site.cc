// Call sites on their way from the bindings to a group.
#include "runtime/distributed/watch/call_site.h"

#include <atomic>
#include <unordered_set>
#include <utility>

#include "runtime/core/base/fork_safe_mutex.h"
#include "runtime/core/base/str.h"

namespace opweave::distributed {
namespace {

thread_local CallSite noted;
thread_local const std::string* current_title = nullptr;
std::atomic<SiteSource> site_source{nullptr};

}  // namespace

std::string describe(const CallSite& site) {
  if (site.frames().empty()) return {};
  const CodeFrame& frame = site.frames().front();
  return str(*frame.file, ":", frame.line, " in ", *frame.function);
}

const std::string* interned(std::string_view text) {
  static ForkSafeMutex& mutex = *new ForkSafeMutex;
  static auto& texts = *new std::unordered_set<std::string>;
  const std::lock_guard lock(mutex);
  return &*texts.emplace(text).first;
}

void note_call_site(const CallSite& site) noexcept { noted = site; }

void set_site_source(SiteSource source) noexcept { site_source = source; }

CallSite take_call_site() noexcept {
  const SiteSource source = site_source;
  if (noted.frames().empty() && source != nullptr) source();
  const CallSite site = noted;
  noted = {};
  return site;
}

const std::string* set_title(const std::string* interned) noexcept {
  return std::exchange(current_title, interned);
}

const std::string* title() noexcept { return current_title; }

}  // namespace opweave::distributed

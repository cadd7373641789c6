// What the system says of this host.
#include "runtime/distributed/backends/host.h"

#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "runtime/core/base/str.h"
#include "runtime/distributed/backends/calls.h"
#include "runtime/distributed/store/errors.h"

namespace opweave::distributed {
namespace {

// "boot-id pid:[4026531836]".
std::string boot_and(const char* name_space) {
  std::string boot;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> boot;
  char space[64] = {};
  const ssize_t n = readlink(str("/proc/self/ns/", name_space).c_str(), space, sizeof space - 1);
  return boot.empty() || n <= 0 ? std::string() : str(boot, " ", space);
}

// For what an error says that comes of a limit which is over.
constexpr Milliseconds kMoment{500};

[[noreturn]] void fail(const BackendContext& context, const std::string& why) {
  throw DistBackendError(
      str("the group '", context.group, "' of ", context.size, " ranks cannot be made: ", why));
}

// Of the ranks that have published nothing, if there are any.
void name_missing(const BackendContext& context, const std::string& what, int first, int last) {
  const TimeLimitScope moment(kMoment);
  std::vector<int> missing;
  for (int r = first; r < last; ++r) {
    if (!context.store->check({str(what, "/", r)})) missing.push_back(r);
  }
  if (!missing.empty()) fail(context, name_ranks(missing) + " did not come in time");
}

// Asks the store for ranks from `first` to `last`, and tells of which group it was asked where it
// does not answer.
template <class Ask>
auto ask_for(const BackendContext& context, const std::string& what, int first, int last,
             Ask&& ask) {
  try {
    try {
      return ask();
    } catch (const DistNetworkError&) {
      throw;
    } catch (const DistStoreError&) {
      name_missing(context, what, first, last);
      throw;
    }
  } catch (const DistNetworkError& error) {
    fail(context, str("the store does not answer: ", error.message()));
  } catch (const DistStoreError& error) {
    fail(context, str("the store does not answer: ", error.message()));
  }
}

}  // namespace

std::string host_identity() {
  const std::string host = boot_and("pid");
  return host.empty() ? host : str(host, " ", static_cast<int64_t>(geteuid()));
}

std::string network_identity() { return boot_and("net"); }

TimeLimit making_limit(const BackendContext& context) {
  const TimeLimit own = TimeLimit::after(context.timeout);
  const TimeLimit* scope = TimeLimitScope::current();
  return scope == nullptr ? own : own.or_earlier(*scope);
}

void publish_value(const BackendContext& context, const std::string& what,
                   const std::string& value) {
  ask_for(context, what, 0, 0, [&] { context.store->set(str(what, "/", context.rank), value); });
}

std::string value_of(const BackendContext& context, const std::string& what, int rank,
                     bool all_say) {
  const int first = all_say ? 0 : rank, last = all_say ? context.size : rank + 1;
  return ask_for(context, what, first, last, [&] {
    const std::string key = str(what, "/", rank);
    if (!context.store->check({key})) context.store->wait({key}, context.timeout);
    return context.store->get(key);
  });
}

void wait_for_all(const BackendContext& context, const std::string& what) {
  publish_value(context, what, "here");
  ask_for(context, what, 0, context.size,
          [&] { context.store->barrier(what + "/all", context.size, context.timeout); });
}

std::vector<std::string> values_of_all(const BackendContext& context, const std::string& what,
                                       const std::string& mine) {
  publish_value(context, what, mine);
  std::vector<std::string> values;
  for (int rank = 0; rank < context.size; ++rank) values.push_back(value_of(context, what, rank));
  return values;
}

bool are_alike(const std::vector<std::string>& values) {
  return !values.empty() && !values[0].empty() &&
         std::all_of(values.begin(), values.end(), [&](const auto& v) { return v == values[0]; });
}

bool all_alike(const BackendContext& context, const std::string& what, const std::string& mine) {
  return are_alike(values_of_all(context, what, mine));
}

}  // namespace opweave::distributed

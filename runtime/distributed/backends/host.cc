// What the system says of this host.
#include "runtime/distributed/backends/host.h"

#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "runtime/core/str.h"
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

// Of the ranks that have published nothing, if there are any.
void name_missing(const BackendContext& context, const std::string& what) {
  std::vector<int> missing;
  for (int r = 0; r < context.size; ++r) {
    if (!context.store->check({str(what, "/", r)})) missing.push_back(r);
  }
  if (missing.empty()) return;
  throw DistBackendError(str("the group '", context.group, "' of ", context.size,
                             " ranks cannot be made: ", name_ranks(missing),
                             " did not come in time"));
}

}  // namespace

std::string host_identity() {
  const std::string host = boot_and("pid");
  return host.empty() ? host : str(host, " ", static_cast<int64_t>(geteuid()));
}

std::string network_identity() { return boot_and("net"); }

void publish_value(const BackendContext& context, const std::string& what,
                   const std::string& value) {
  context.store->set(str(what, "/", context.rank), value);
}

std::string value_of(const BackendContext& context, const std::string& what, int rank) {
  try {
    const std::string key = str(what, "/", rank);
    if (!context.store->check({key})) context.store->wait({key}, context.timeout);
    return context.store->get(key);
  } catch (const DistStoreError&) {
    name_missing(context, what);
    throw;
  }
}

void wait_for_all(const BackendContext& context, const std::string& what) {
  publish_value(context, what, "here");
  try {
    context.store->barrier(what + "/all", context.size, context.timeout);
  } catch (const DistStoreError&) {
    name_missing(context, what);
    throw;
  }
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

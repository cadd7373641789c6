// What all stores do in the same way: barriers, and the errors of waits.
#include "runtime/distributed/store/store.h"

#include "runtime/distributed/store/errors.h"
#include "runtime/distributed/store/limits.h"
#include "runtime/distributed/store/table.h"

namespace opweave::distributed {
namespace {

// For what an error says that comes of a limit which is over.
constexpr Milliseconds kMoment{500};

std::string shown(const Store::Keys& keys, size_t most, size_t count) {
  std::string text;
  for (size_t i = 0; i < keys.size() && i < most; ++i) {
    text += (i == 0 ? "" : ", ") + quoted(keys[i]);
  }
  if (count > most) text += str(" and ", count - most, " more");
  return text;
}

[[noreturn]] void throw_not_implemented(const Store& store, const char* method) {
  OW_THROW(ErrorKind::kNotImplemented, store.describe(), " has no method ", method);
}

}  // namespace

Store::~Store() = default;

TimeLimit Store::limit() const {
  const TimeLimit* scope = TimeLimitScope::current();
  return scope != nullptr ? *scope : TimeLimit::after(timeout());
}

TimeLimit Store::limit(Milliseconds timeout) {
  const TimeLimit own = TimeLimit::after(timeout);
  const TimeLimit* scope = TimeLimitScope::current();
  return scope != nullptr ? own.or_earlier(*scope) : own;
}

void Store::append(const std::string&, const std::string&) {
  throw_not_implemented(*this, "append");
}
Store::Keys Store::list_keys() { throw_not_implemented(*this, "list_keys"); }
void Store::queue_push(const std::string&, const std::string&) {
  throw_not_implemented(*this, "queue_push");
}
std::string Store::queue_pop(const std::string&, bool) {
  throw_not_implemented(*this, "queue_pop");
}
int64_t Store::queue_len(const std::string&) { throw_not_implemented(*this, "queue_len"); }

Store::Values Store::multi_get(const Keys& keys) {
  Values values;
  values.reserve(keys.size());
  for (const std::string& key : keys) values.push_back(get(key));
  return values;
}

void Store::multi_set(const Keys& keys, const Values& values) {
  check_pairs(keys.size(), values.size());
  for (size_t i = 0; i < keys.size(); ++i) set(keys[i], values[i]);
}

void Store::barrier(const std::string& key, int64_t world_size, Milliseconds timeout) {
  OW_CHECK_VALUE(world_size > 0, "barrier expects a world size of at least 1, but got ",
                 world_size);
  const std::string members = key + "/num_members";
  const TimeLimit limit = Store::limit(timeout);
  const TimeLimitScope scope(limit);
  const int64_t arrived = add(members, 1);
  // Each round has a key of its own, so that nobody passes by what an earlier one left.
  const int64_t round = (arrived - 1) / world_size;
  const std::string last = key + "/last_member" + (round == 0 ? "" : "/" + std::to_string(round));
  if (arrived % world_size == 0) return set(last, "<val_ignored>");
  try {
    wait({last}, timeout);
  } catch (const DistNetworkError&) {
    throw;
  } catch (const DistStoreError&) {
    const TimeLimitScope moment(kMoment);
    const int64_t now = add(members, 0) - round * world_size;
    throw DistStoreError(str(describe(), ": barrier ", quoted(key), ": wait timeout after ",
                             timeout.count(), "ms, ", now, " of ", world_size, " members arrived"));
  }
}

void Store::throw_timeout(const char* method, Milliseconds timeout, const Keys& missing,
                          size_t missing_count, size_t asked) const {
  std::string text = str(describe(), ": ", method, ": wait timeout after ", timeout.count(),
                         "ms, keys: ", shown(missing, kShownKeys, missing_count));
  if (asked > 1) text += str(" (", asked - missing_count, " of ", asked, " are there)");
  throw DistStoreError(std::move(text));
}

void Store::throw_empty_queue(const std::string& key) const {
  throw QueueEmptyError(str(describe(), ": queue_pop: queue is empty: ", quoted(key)));
}

}  // namespace opweave::distributed

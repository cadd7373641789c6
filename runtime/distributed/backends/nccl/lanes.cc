// Communicators as they are needed, and what ranks tell one another to make them.
#include "runtime/distributed/backends/nccl/lanes.h"

#include <algorithm>
#include <cstring>

#include "runtime/core/base/error.h"
#include "runtime/core/base/str.h"
#include "runtime/distributed/backends/watchful_store.h"
#include "runtime/distributed/store/errors.h"

namespace opweave::distributed::nccl {
Lane* Lanes::find(const Name& name) {
  const std::lock_guard lock(mutex_);
  const auto found = lanes_.find(name);
  return found == lanes_.end() ? nullptr : found->second.get();
}

Lane& Lanes::together(Device device, const Look& look) {
  const Name name{device.index, kAll};
  if (Lane* lane = find(name)) return *lane;
  int number;
  {
    const std::lock_guard lock(mutex_);
    number = connected_++;
  }
  return connect(name, device, {context_.rank, context_.size, str("all/", number), number}, look);
}

Lane& Lanes::with(int peer, Device device, const Look& look) {
  const Name name{kAny, peer};
  if (Lane* lane = find(name)) return *lane;
  const int low = std::min(peer, context_.rank), high = std::max(peer, context_.rank);
  return connect(name, device, {context_.rank == low ? 0 : 1, 2, str("pair/", low, "-", high)},
                 look);
}

void Lanes::check_pair(int peer, Device device) {
  const Lane* lane = find({kAny, peer});
  OW_CHECK(lane == nullptr || lane->stream.device() == device, "sends and receives between rank ",
           context_.rank, " and rank ", peer, " are of ", lane->stream.device(), ", and not of ",
           device);
}

Lane& Lanes::connect(const Name& name, Device device, const Place& place, const Look& look) {
  const DeviceGuard guard(device);
  const UniqueId id = exchange_id(place, look);
  auto comm = NcclComm::connect(library_, id, place.rank, place.ranks, look);
  return keep(name, std::make_unique<Lane>(Stream::make(device, context_.priority), std::move(comm),
                                           place.number));
}

Lane& Lanes::keep(const Name& name, std::unique_ptr<Lane> made) {
  const std::lock_guard lock(mutex_);
  if (!over_.empty()) throw DistBackendError(over_);
  return *(lanes_[name] = std::move(made));
}

void Lanes::adopt(Device device, std::unique_ptr<NcclComm> comm) {
  int number;
  {
    const std::lock_guard lock(mutex_);
    number = connected_++;
  }
  keep({device.index, kAll},
       std::make_unique<Lane>(Stream::make(device, context_.priority), std::move(comm), number));
}

// In the order in which they were made, which is the same on all ranks.
Parts Lanes::split(int color, int key, const Look& look) {
  std::vector<Lane*> together;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [name, lane] : lanes_) {
      if (name.peer == kAll) together.push_back(lane.get());
    }
  }
  std::sort(together.begin(), together.end(),
            [](const Lane* a, const Lane* b) { return a->number < b->number; });
  Parts parts;
  for (Lane* lane : together) {
    const DeviceGuard guard(lane->stream.device());
    if (auto part = lane->comm->split(color, key, look))
      parts.emplace_back(lane->stream.device(), std::move(part));
  }
  return parts;
}

UniqueId Lanes::exchange_id(const Place& place, const Look& look) {
  const auto fail = [&](const Error& error) {
    throw DistBackendError(str("rank ", context_.rank, " cannot connect to the others (", place.key,
                               "): the store does not answer: ", error.message()));
  };
  try {
    return exchange_id_by_store(place, look);
  } catch (const DistNetworkError& error) {
    fail(error);
  } catch (const DistStoreError& error) {
    fail(error);
  }
  return {};
}

// Rank 0 of the communicator makes it.
UniqueId Lanes::exchange_id_by_store(const Place& place, const Look& look) {
  const std::string key = str("id/", place.key);
  UniqueId id;
  if (place.rank == 0) {
    const Result result = library_.GetUniqueId(&id);
    if (result != Result::kSuccess)
      throw DistBackendError(
          str("ncclGetUniqueId: NCCL error: ", library_.describe(result, nullptr)));
    context_.store->set(key, std::string(id.bytes, sizeof id.bytes));
    return id;
  }
  // `look` knows until when.
  wait_watchfully(*context_.store, {key}, Deadline::never(), look);
  const std::string value = context_.store->get(key);
  if (value.size() != sizeof id.bytes)
    throw DistBackendError(str("the store has ", value.size(), " bytes under ", key,
                               ", where an identifier of ", sizeof id.bytes, " is expected"));
  std::memcpy(id.bytes, value.data(), value.size());
  return id;
}

std::vector<Lane*> Lanes::all() {
  const std::lock_guard lock(mutex_);
  std::vector<Lane*> all;
  for (const auto& [name, lane] : lanes_) all.push_back(lane.get());
  return all;
}

std::string Lanes::failure() {
  for (Lane* lane : all()) {
    if (std::string why = lane->comm->failure(); !why.empty()) return why;
  }
  return {};
}

void Lanes::forbid(const std::string& reason) noexcept {
  {
    const std::lock_guard lock(mutex_);
    if (over_.empty()) over_ = reason;
  }
  for (Lane* lane : all()) lane->comm->forbid();
}

void Lanes::abort(const std::string& reason) noexcept {
  forbid(reason);
  for (Lane* lane : all()) lane->comm->abort(reason);
}

void Lanes::close(const Deadline& deadline) noexcept {
  forbid("its process group was destroyed");
  for (Lane* lane : all()) {
    const DeviceGuard guard(lane->stream.device());
    lane->comm->close(deadline);
  }
}

}  // namespace opweave::distributed::nccl

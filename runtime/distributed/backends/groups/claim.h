// Claim: a rank of the world of processes that meet in a store, for as long as their group lives.
//
// The store may have served other worlds: of processes that left, and of programs that died and
// left their keys. Each has a number, and keys of its own below it.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>

#include "runtime/distributed/store/store.h"

namespace opweave::distributed {

class Claim {
 public:
  // ValueError where another process has the rank, or where the world has another size; both are
  // named. A rank whose process is known to have ended is free.
  Claim(std::shared_ptr<Store> store, const std::string& group, int rank, int size);
  ~Claim() { release(); }
  Claim(const Claim&) = delete;
  Claim& operator=(const Claim&) = delete;

  // Of this world alone.
  const std::shared_ptr<Store>& store() const { return own_; }
  // The same for the making of the group: whoever waits in it hears at once why there will be none.
  const std::shared_ptr<Store>& meeting_store() const { return meeting_; }
  // The group is made.
  void note_made() { made_->store(true); }
  // Gives the rank back, if the store still answers. Not in a forked process.
  void release() noexcept;

 private:
  struct World;
  struct Holder;
  Holder self() const;
  void take_place();
  World join();
  bool take(const World& world);
  bool is_abandoned(const World& world);
  World advance(const World& past);
  [[noreturn]] void disagree(const World& world);
  std::string place_of(int64_t number, int rank) const;
  void tell(int64_t number, const std::string& why);
  std::function<void()> look(const std::string& group) const;

  const std::shared_ptr<Store> store_;
  const int rank_, size_, process_;
  const std::string mine_;  // what stands in the store for this process
  std::shared_ptr<std::atomic<bool>> made_ = std::make_shared<std::atomic<bool>>(false);
  std::string place_;  // where it stands; empty: nowhere
  std::shared_ptr<Store> own_, meeting_;
};

}  // namespace opweave::distributed

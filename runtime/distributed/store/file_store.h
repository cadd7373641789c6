// FileStore: a store in a file, for processes of one host or of several that share a file system.
#pragma once

#include <cstdint>

#include "runtime/distributed/store/store.h"
#include "runtime/distributed/store/store_file.h"
#include "runtime/distributed/store/turns.h"

namespace opweave::distributed {

class FileStore final : public Store {
 public:
  // Makes the file where there is none. When as many stores have ended as there are processes, and
  // none is left, the last one removes it; a world size of -1 leaves it there.
  // The timeout also holds for the making of it, where another process may have locked the file.
  explicit FileStore(std::string path, int64_t world_size = -1,
                     Milliseconds timeout = kDefaultTimeout);
  ~FileStore() override;

  const std::string& path() const { return path_; }
  std::string describe() const override;
  std::shared_ptr<Store> clone() override;
  void set(const std::string& key, const std::string& value) override;
  std::string get(const std::string& key) override;
  int64_t add(const std::string& key, int64_t amount) override;
  std::string compare_set(const std::string& key, const std::string& expected,
                          const std::string& desired) override;
  bool delete_key(const std::string& key) override;
  bool check(const Keys& keys) override;
  int64_t num_keys() override;
  using Store::wait;
  void wait(const Keys& keys, Milliseconds timeout) override;
  bool has_extended_api() const override { return true; }
  void append(const std::string& key, const std::string& value) override;
  Values multi_get(const Keys& keys) override;
  void multi_set(const Keys& keys, const Values& values) override;
  Keys list_keys() override;
  void queue_push(const std::string& key, const std::string& value) override;
  std::string queue_pop(const std::string& key, bool block) override;
  int64_t queue_len(const std::string& key) override;

 private:
  using Session = StoreFile::Session;

  // Calls use(session) with the file locked.
  template <class Use>
  auto locked(StoreFile::For purpose, Use&& use) {
    return locked(purpose, limit().deadline, use);
  }
  template <class Use>
  auto locked(StoreFile::For purpose, const Deadline& deadline, Use&& use);
  // Calls attempt(session) until it returns true, after each change of the file; false when the
  // deadline passed.
  template <class Attempt>
  bool repeat(StoreFile::For purpose, const Deadline& deadline, Attempt&& attempt);
  template <class IsThere>
  void await_all(const char* method, const Keys& keys, const TimeLimit& limit, IsThere&& is_there);
  int64_t count(Session& session, std::string_view name, int64_t amount);

  const std::string path_;
  Turns turns_;  // of all below
  // What was read so far, by the process of that count of forks: a forked one begins anew.
  std::unique_ptr<StoreFile> file_;
  uint32_t read_by_;
  int64_t world_size_;
  // Who made this store, and for which file: neither a forked process nor a file that others made
  // in its place is to count its end.
  uint32_t made_by_;
  std::string identity_;
};

}  // namespace opweave::distributed

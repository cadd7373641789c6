// Each method is a session with the file: locked, read to its end, perhaps appended to.
#include "runtime/distributed/store/file_store.h"

#include <algorithm>
#include <optional>

#include "runtime/distributed/store/errors.h"
#include "runtime/distributed/store/file_watch.h"
#include "runtime/distributed/store/limits.h"

namespace opweave::distributed {
namespace {

using For = StoreFile::For;

// How many stores use the file, and how many have ended.
constexpr std::string_view kUsers = "users";
constexpr std::string_view kEnded = "ended";
constexpr Milliseconds kGrace{200};
constexpr Milliseconds kPatience{500};  // of who leaves

}  // namespace

template <class Use>
auto FileStore::locked(For purpose, const Deadline& deadline, Use&& use) {
  // Another thread has it for as long as it waits for another process.
  if (!turns_.take(deadline)) StoreFile::throw_held(path_);
  const struct Turn {
    Turns& turns;
    ~Turn() { turns.give_back(); }
  } turn{turns_};
  if (read_by_ != fork_count()) {
    // A thread of the parent may have been in the middle of it.
    static_cast<void>(file_.release());
    file_ = std::make_unique<StoreFile>(path_);
    read_by_ = fork_count();
  }
  Session session(*file_, purpose, deadline);
  return use(session);
}

template <class Attempt>
bool FileStore::repeat(For purpose, const Deadline& deadline, Attempt&& attempt) {
  // Locks are held for moments: who does not wait for keys waits for one, and a short wait is no
  // shorter.
  const Deadline of_lock = deadline.later_by(kGrace);
  if (locked(purpose, of_lock, attempt)) return true;
  // From now on no change is missed.
  FileWatch watch(path());
  while (!locked(purpose, of_lock, attempt)) {
    if (!watch.wait(deadline)) return false;
  }
  return true;
}

template <class IsThere>
void FileStore::await_all(const char* method, const Keys& keys, const TimeLimit& limit,
                          IsThere&& is_there) {
  Keys missing;
  const bool all = repeat(For::kReading, limit.deadline, [&](Session& session) {
    missing.clear();
    std::copy_if(keys.begin(), keys.end(), std::back_inserter(missing),
                 [&](const std::string& key) { return !is_there(session.table(), key); });
    return missing.empty();
  });
  if (!all) throw_timeout(method, limit.timeout, missing, keys.size());
}

int64_t FileStore::count(Session& session, std::string_view name, int64_t amount) {
  const std::string key = std::string(kReserved).append(name);
  const std::string sum = session.table().added(key, amount);
  session.write(Change::kSet, key, sum);
  return to_number(sum);
}

FileStore::FileStore(std::string path, int64_t world_size, Milliseconds timeout)
    : Store(timeout),
      path_(std::move(path)),
      file_(std::make_unique<StoreFile>(path_)),
      read_by_(fork_count()),
      world_size_(world_size),
      made_by_(read_by_) {
  locked(For::kWriting, [&](Session& session) { return count(session, kUsers, 1); });
  identity_ = file_->identity();
}

FileStore::~FileStore() {
  if (made_by_ != fork_count()) return;
  // A process that was stopped may have the file locked, and nobody waits for this end.
  const TimeLimitScope moment(kPatience);
  try {
    locked(For::kLeaving, [&](Session& session) {
      if (file_->identity() != identity_) return;
      const int64_t ended = count(session, kEnded, 1);
      const int64_t left = count(session, kUsers, -1);
      if (world_size_ >= 0 && left == 0 && ended >= world_size_) session.remove();
    });
  } catch (...) {
    // Somebody has it, or removed the folder, or the disk is full: the file stays.
  }
}

std::string FileStore::describe() const { return str("FileStore(", quoted_whole(path()), ")"); }

std::shared_ptr<Store> FileStore::clone() {
  const TimeLimitScope scope(limit());
  return std::make_shared<FileStore>(path(), world_size_, timeout());
}

void FileStore::set(const std::string& key, const std::string& value) {
  check_key(key);
  locked(For::kWriting, [&](Session& session) { session.write(Change::kSet, key, value); });
}

std::string FileStore::get(const std::string& key) { return multi_get({key}).front(); }

int64_t FileStore::add(const std::string& key, int64_t amount) {
  check_key(key);
  return locked(For::kWriting, [&](Session& session) {
    const std::string sum = session.table().added(key, amount);
    session.write(Change::kSet, key, sum);
    return to_number(sum);
  });
}

std::string FileStore::compare_set(const std::string& key, const std::string& expected,
                                   const std::string& desired) {
  check_key(key);
  return locked(For::kWriting, [&](Session& session) {
    if (session.table().compares(key, expected)) session.write(Change::kSet, key, desired);
    return session.table().after_compare(key, expected);
  });
}

bool FileStore::delete_key(const std::string& key) {
  check_key(key);
  return locked(For::kWriting, [&](Session& session) {
    if (!session.table().has(key)) return false;
    session.write(Change::kErase, key);
    return true;
  });
}

bool FileStore::check(const Keys& keys) {
  check_keys(keys);
  return locked(For::kReading, [&](Session& session) {
    return session.table().first_missing(keys) == keys.size();
  });
}

int64_t FileStore::num_keys() {
  return locked(For::kReading,
                [](Session& session) { return static_cast<int64_t>(session.table().num_keys()); });
}

void FileStore::wait(const Keys& keys, Milliseconds timeout) {
  check_keys(keys);
  await_all("wait", keys, limit(timeout),
            [](const Table& table, const std::string& key) { return table.has(key); });
}

void FileStore::append(const std::string& key, const std::string& value) {
  check_key(key);
  locked(For::kWriting, [&](Session& session) {
    session.write(Change::kSet, key, session.table().appended(key, value));
  });
}

Store::Values FileStore::multi_get(const Keys& keys) {
  check_keys(keys);
  Values values;
  await_all(keys.size() == 1 ? "get" : "multi_get", keys, limit(),
            [&](const Table& table, const std::string& key) {
              const std::string* value = table.find(key);
              if (&key == keys.data()) values.clear();
              if (value != nullptr) values.push_back(*value);
              return value != nullptr;
            });
  return values;
}

void FileStore::multi_set(const Keys& keys, const Values& values) {
  check_pairs(keys.size(), values.size());
  check_keys(keys);
  for (size_t i = 0; i < keys.size(); ++i) {
    check_key(keys[i]);
    check_value(keys[i], values[i]);
  }
  locked(For::kWriting, [&](Session& session) {
    for (size_t i = 0; i < keys.size(); ++i) session.write(Change::kSet, keys[i], values[i]);
  });
}

Store::Keys FileStore::list_keys() {
  return locked(For::kReading, [](Session& session) { return session.table().list_keys(); });
}

void FileStore::queue_push(const std::string& key, const std::string& value) {
  check_key(key);
  locked(For::kWriting, [&](Session& session) { session.write(Change::kPush, key, value); });
}

std::string FileStore::queue_pop(const std::string& key, bool block) {
  check_key(key);
  std::string value;
  const auto pop = [&](Session& session) {
    const std::string* front = session.table().front(key);
    if (front == nullptr) return false;
    value = *front;
    session.write(Change::kPop, key);
    return true;
  };
  const TimeLimit limit = this->limit();
  if (block ? repeat(For::kWriting, limit.deadline, pop) : locked(For::kWriting, pop)) return value;
  if (!block) throw_empty_queue(key);
  throw_timeout("queue_pop", limit.timeout, {key}, 1);
}

int64_t FileStore::queue_len(const std::string& key) {
  check_key(key);
  return locked(For::kReading, [&](Session& session) {
    return static_cast<int64_t>(session.table().queue_len(key));
  });
}

}  // namespace opweave::distributed

// Locks, reads and appends to the file of a FileStore.
#include "runtime/distributed/store/store_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <sstream>
#include <thread>

#include "runtime/distributed/store/errors.h"
#include "runtime/distributed/store/limits.h"

namespace opweave::distributed {
namespace {

constexpr std::string_view kFirstWords = "Opweave FileStore 1 ";
constexpr size_t kFirstLineBytes = kFirstWords.size() + 16 + 1;
constexpr size_t kRecordHead = 1 + 2 * sizeof(uint32_t);
// Locks are held for microseconds, by processes that may be stopped in them.
constexpr Milliseconds kLockInterval{1};

uint32_t read_length(const char* from) {
  uint32_t length = 0;
  std::memcpy(&length, from, sizeof length);
  return length;
}

std::string make_first_line() {
  uint64_t number = 0;
  // Numbers of inodes are used again, this one is not.
  if (getrandom(&number, sizeof number, 0) != sizeof number)
    number = static_cast<uint64_t>(getpid());
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(number));
  return std::string(kFirstWords) + text + "\n";
}

void append_length(std::string& out, size_t length) {
  const auto number = static_cast<uint32_t>(length);
  out.append(reinterpret_cast<const char*>(&number), sizeof number);
}

[[noreturn]] void throw_not_a_store(const std::string& path, const char* what) {
  throw DistStoreError(
      str("FileStore(", quoted_whole(path), "): the file is not one of a FileStore: ", what));
}

// False where this is no record.
bool apply(Table& table, char change, std::string_view key, std::string_view value) {
  switch (static_cast<Change>(change)) {
    case Change::kSet:
      table.set(key, value);
      return true;
    case Change::kErase:
      table.erase(key);
      return true;
    case Change::kPush:
      table.push(key, std::string(value));
      return true;
    case Change::kPop:
      table.pop(key);
      return true;
  }
  return false;
}

// Who has the file locked, as far as the system tells: "process 4711".
std::string holder_of(const std::string& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) return "another process";
  char wanted[64];
  std::snprintf(wanted, sizeof wanted, "%02x:%02x:%llu", major(status.st_dev), minor(status.st_dev),
                static_cast<unsigned long long>(status.st_ino));
  // "1: FLOCK  ADVISORY  WRITE 4711 00:2a:1234 0 EOF"
  std::ifstream locks("/proc/locks");
  for (std::string line; std::getline(locks, line);) {
    std::istringstream words(line);
    std::string number, kind, advice, mode, process, file;
    words >> number >> kind >> advice >> mode >> process >> file;
    if (kind != "FLOCK" || file != wanted || process.starts_with('-')) continue;
    if (process == std::to_string(getpid())) return "another thread of this process";
    if (process != "0") return "process " + process;
  }
  return "another process";
}

}  // namespace

size_t replay(std::string_view bytes, Table& table, const std::string& path) {
  size_t used = 0;
  while (bytes.size() - used >= kRecordHead) {
    const char* record = bytes.data() + used;
    const size_t key = read_length(record + 1);
    const size_t value = read_length(record + 1 + sizeof(uint32_t));
    if (key > kMaxKeyBytes || value > kMaxValueBytes)
      throw_not_a_store(path, "a record is too large");
    if (bytes.size() - used - kRecordHead < key + value) break;
    const char* text = record + kRecordHead;
    if (!apply(table, *record, {text, key}, {text + key, value})) {
      throw_not_a_store(path, "a record is of no known kind");
    }
    used += kRecordHead + key + value;
  }
  return used;
}

void StoreFile::throw_held(const std::string& path) {
  throw DistStoreError(str("FileStore(", quoted_whole(path), "): cannot lock the file, ",
                           holder_of(path), " holds it"));
}

StoreFile::Session::Session(StoreFile& file, For purpose, const Deadline& deadline) : file_(file) {
  while (!open_locked(purpose, deadline)) {
  }
  read_new();
}

// Closing does not unlock what a process that was forked just after the opening has open, too.
StoreFile::Session::~Session() {
  if (descriptor_.is_open()) flock(descriptor_.get(), LOCK_UN);
}

void StoreFile::Session::fail(const char* action, int error) const {
  throw DistStoreError(str("FileStore(", quoted_whole(file_.path_), "): cannot ", action, ": ",
                           system_error_text(error)));
}

// False where the file was removed between its opening and the lock.
bool StoreFile::Session::open_locked(For purpose, const Deadline& deadline) {
  const int create = purpose == For::kLeaving ? 0 : O_CREAT;
  descriptor_ = Socket(Descriptor(open(file_.path_.c_str(), O_RDWR | create | O_CLOEXEC, 0644)));
  if (!descriptor_.is_open()) fail("open the file", errno);
  const int mode = purpose == For::kReading ? LOCK_SH : LOCK_EX;
  while (flock(descriptor_.get(), mode | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK && errno != EINTR) fail("lock the file", errno);
    if (deadline.passed()) throw_held(file_.path_);
    if (purpose != For::kLeaving) check_interrupts();  // nobody could be told of it
    std::this_thread::sleep_for(kLockInterval);
  }
  struct stat status {};
  if (fstat(descriptor_.get(), &status) != 0) fail("look at the file", errno);
  if (!S_ISREG(status.st_mode)) fail("use what is no file", EINVAL);
  if (status.st_nlink == 0) return false;
  return true;
}

size_t StoreFile::Session::size() const {
  struct stat status {};
  if (fstat(descriptor_.get(), &status) != 0) fail("look at the file", errno);
  return static_cast<size_t>(status.st_size);
}

std::string StoreFile::Session::read(size_t from, size_t to) const {
  std::string bytes(to - from, '\0');
  size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t n = pread(descriptor_.get(), bytes.data() + done, bytes.size() - done,
                            static_cast<off_t>(from + done));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) fail("read the file", n == 0 ? EIO : errno);
    done += static_cast<size_t>(n);
  }
  return bytes;
}

void StoreFile::Session::identify() {
  const std::string line = read(0, std::min(size(), kFirstLineBytes));
  if (!kFirstWords.starts_with(line.substr(0, kFirstWords.size()))) {
    throw_not_a_store(file_.path_, "it begins differently");
  }
  if (!line.empty() && line == file_.identity_) return;
  file_.table_ = Table();
  // Where there is but half a line, whoever wrote it died, and the next one writes it anew.
  const bool whole = line.size() == kFirstLineBytes;
  file_.position_ = whole ? kFirstLineBytes : 0;
  file_.identity_ = whole ? line : "";
}

void StoreFile::Session::read_new() {
  identify();
  const size_t end = size();
  if (file_.position_ == 0 || end <= file_.position_) return;
  file_.position_ += replay(read(file_.position_, end), file_.table_, file_.path_);
}

void StoreFile::Session::append(std::string_view bytes) {
  // What is behind the last whole record is half of one, of a process that is gone.
  if (ftruncate(descriptor_.get(), static_cast<off_t>(file_.position_)) != 0) {
    fail("cut off half a record", errno);
  }
  size_t written = 0;
  while (written < bytes.size()) {
    const ssize_t n = pwrite(descriptor_.get(), bytes.data() + written, bytes.size() - written,
                             static_cast<off_t>(file_.position_ + written));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) {
      const int error = n == 0 ? ENOSPC : errno;
      // Others see nothing of it.
      if (ftruncate(descriptor_.get(), static_cast<off_t>(file_.position_)) != 0) {
        fail("cut off half a record", errno);
      }
      fail("write to the file", error);
    }
    written += static_cast<size_t>(n);
  }
  file_.position_ += bytes.size();
}

void StoreFile::Session::write(Change change, std::string_view key, std::string_view value) {
  check_value(key, value);
  if (change != Change::kErase) file_.table_.check_room(key);
  if (file_.position_ == 0) {
    const std::string line = make_first_line();
    append(line);
    file_.identity_ = line;
  }
  std::string record(1, static_cast<char>(change));
  append_length(record, key.size());
  append_length(record, value.size());
  record.append(key).append(value);
  append(record);
  apply(file_.table_, static_cast<char>(change), key, value);
}

void StoreFile::Session::remove() {
  if (unlink(file_.path_.c_str()) != 0 && errno != ENOENT) fail("remove the file", errno);
}

}  // namespace opweave::distributed

// The file of a FileStore: a log of what was done to a table, that processes append to under a
// lock.
//
// After a line that says what it is, with a number of its own by chance, come records: a byte for
// the operation, the lengths of key and value as 32-bit numbers (little-endian), and both. A
// process that dies while it appends leaves half a record, which the next one that writes cuts off.
#pragma once

#include <string>
#include <string_view>

#include "runtime/distributed/store/socket.h"
#include "runtime/distributed/store/table.h"

namespace opweave::distributed {

enum class Change : char { kSet = 's', kErase = 'e', kPush = 'p', kPop = 'q' };

// Reads whole records into a table. Returns how many bytes they take; what is left is half a
// record. Anything that is no record is an error that names `path`.
size_t replay(std::string_view bytes, Table& table, const std::string& path);

class StoreFile {
 public:
  explicit StoreFile(std::string path) : path_(std::move(path)) {}

  // The file, locked and read to its end, for as long as the object lives.
  class Session;
  // kLeaving writes, but makes no file where there is none.
  enum class For { kReading, kWriting, kLeaving };

  const std::string& path() const { return path_; }
  // That somebody else has the file locked, and who.
  [[noreturn]] static void throw_held(const std::string& path);
  // Which file it was when it was last read: others may remove it and make a new one.
  const std::string& identity() const { return identity_; }

 private:
  std::string path_;
  Table table_;
  // How far it was read, and its first line.
  size_t position_ = 0;
  std::string identity_;
};

class StoreFile::Session {
 public:
  // Waits for other processes until the deadline.
  Session(StoreFile& file, For purpose, const Deadline& deadline);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  const Table& table() const { return file_.table_; }
  // Appends a record, and does the same to the table.
  void write(Change change, std::string_view key, std::string_view value = {});
  // Nobody finds the file any more.
  void remove();

 private:
  bool open_locked(For purpose, const Deadline& deadline);
  // Reads the first line, and begins anew where it is another one.
  void identify();
  void read_new();
  std::string read(size_t from, size_t to) const;
  size_t size() const;
  void append(std::string_view bytes);
  [[noreturn]] void fail(const char* action, int error) const;

  StoreFile& file_;
  Socket descriptor_;  // no forked process is to keep its lock
};

}  // namespace opweave::distributed

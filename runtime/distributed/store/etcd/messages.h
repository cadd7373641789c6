// What etcd is asked, and what it answers: transactions and watches of its API of version 3, as
// JSON.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace opweave::distributed::etcd {

// The keys from `begin` to before `end`; `begin` alone where `end` is empty.
struct Span {
  std::string begin;
  std::string end;
};
// All keys that begin so; the text is not empty, and its last byte no 0xff.
Span beginning_with(std::string text);

// The parts of a transaction.
enum class Show { kAll, kKeys, kCount };
std::string put(std::string_view key, std::string_view value);
std::string look_up(std::string_view key, Show show = Show::kAll);
// The first of them, at most `limit` (0: all).
std::string find(const Span& span, int64_t limit, Show show);
// The one that was made first.
std::string find_oldest(const Span& span);
std::string erase(const Span& span);
// Conditions: how often a key was written since it was made, and the revision of the last time;
// both are 0 where there is no such key.
std::string is_version(std::string_view key, int64_t version);
std::string is_revision(std::string_view key, int64_t revision);

using Parts = std::vector<std::string>;
struct Transaction {
  Parts conditions;
  Parts then;
  Parts otherwise;
  std::string text() const;
};

std::string watch_request(const std::vector<Span>& spans, int64_t revision);
std::string login_request(std::string_view user, std::string_view password);

struct Item {
  std::string key;
  std::string value;
  // The revision of its last change.
  int64_t revision = 0;
  int64_t version = 0;
};

// Of one part: what was found, or how many were erased.
struct Found {
  std::vector<Item> items;
  int64_t count = 0;
};

struct Answer {
  uint64_t cluster = 0;
  int64_t revision = 0;
  bool succeeded = false;
  std::vector<Found> parts;
};

// An answer that etcd would not give; what() says in what way.
class NotEtcd {
 public:
  explicit NotEtcd(std::string why) : why_(std::move(why)) {}
  const std::string& why() const { return why_; }

 private:
  std::string why_;
};

Answer read_answer(std::string_view text);
std::string read_token(std::string_view text);

// An error of etcd, with the number that gRPC has for its kind; -1 where the text is none.
struct Refusal {
  int code = -1;
  std::string message;
};
Refusal read_refusal(std::string_view text);

// One line of a watch: whether something happened, or nothing will; an error is a NotEtcd.
bool read_event(std::string_view line);

}  // namespace opweave::distributed::etcd

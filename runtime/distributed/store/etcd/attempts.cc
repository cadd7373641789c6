// What replies of members mean.
#include "runtime/distributed/store/etcd/attempts.h"

#include <algorithm>

#include "runtime/distributed/store/errors.h"
#include "runtime/distributed/store/limits.h"

namespace opweave::distributed::etcd {
namespace {

// A member that has said nothing for so long is left for another.
constexpr Milliseconds kPatience{3000};
constexpr Milliseconds kLeastPatience{100};
constexpr Milliseconds kFirstPause{50};
constexpr Milliseconds kLongestPause{1000};

// Kinds of errors, as gRPC numbers them.
enum Code {
  kCancelled = 1,
  kInvalid = 3,
  kDeadlineExceeded = 4,
  kExhausted = 8,
  kUnavailable = 14,
  kUnauthenticated = 16,
};

bool is_about_tls(CURLcode code) {
  return code == CURLE_PEER_FAILED_VERIFICATION || code == CURLE_SSL_CERTPROBLEM ||
         code == CURLE_SSL_CACERT_BADFILE;
}

bool is_not_http(CURLcode code) {
  return code == CURLE_UNSUPPORTED_PROTOCOL || code == CURLE_WEIRD_SERVER_REPLY ||
         code == CURLE_BAD_CONTENT_ENCODING;
}

bool contains(const std::string& text, const char* part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

std::string describe_call(const Client& client, const Call& call) {
  return str(client.describe(), ": ", call.method,
             call.key == nullptr ? "" : " " + quoted(*call.key));
}

Client::Attempts::Attempts(Client& client, const Call& call, Parting parting)
    : client_(client),
      call_(call),
      parting_(parting),
      current_(client.member_.load() % client.options_.endpoints.size()),
      members_(client.options_.endpoints.size()) {}

Deadline Client::Attempts::deadline() const {
  if (members_.size() == 1) return call_.last_answer;
  const Milliseconds share = call_.last_answer.remaining() / members_.size();
  return Deadline::after(std::clamp(share, kLeastPatience, kPatience));
}

Client::Attempts::Next Client::Attempts::judge(const HttpReply& reply) {
  using End = HttpReply::End;
  if (reply.end == End::kTooLong) {
    if (parting_ == Parting::kCan) throw TooLarge();
    reject("its answer has no end");
    return Next::kAgain;
  }
  if (reply.end == End::kTimedOut) {
    // What it said before tells more than that the time was too short for another attempt.
    const std::string& before = members_[current_].why;
    fail(before.empty() || !call_.deadline.passed() ? "it did not answer in time" : before,
         Hope::kSome);
    return Next::kAgain;
  }
  if (reply.end == End::kFailed) {
    const bool is_stranger = is_not_http(reply.code);
    const bool is_hopeless = is_stranger || is_about_tls(reply.code);
    fail((is_stranger ? "what answers there is not etcd: " : "") + reply.problem,
         is_hopeless ? Hope::kNone : Hope::kSome);
    return Next::kAgain;
  }
  if (reply.status == 200) return Next::kRead;
  const Refusal refusal = read_refusal(reply.body);
  if (refusal.code >= 0) return refuse(refusal);
  const std::string why = str("it answers with HTTP status ", reply.status);
  // What stands before a cluster says so while it finds no member.
  const bool is_passing = reply.status >= 502 && reply.status <= 504;
  is_passing ? fail(why, Hope::kSome) : reject(why);
  return Next::kAgain;
}

void Client::Attempts::reject(const std::string& why) {
  fail("what answers there is not etcd: " + why, Hope::kNone);
}

Client::Attempts::Next Client::Attempts::refuse(const Refusal& refusal) {
  const std::string& why = refusal.message;
  const bool is_passing = refusal.code == kUnavailable || refusal.code == kDeadlineExceeded ||
                          refusal.code == kCancelled;
  if (is_passing) {
    fail(why, Hope::kSome);
    return Next::kAgain;
  }
  const bool has_old_token =
      refusal.code == kUnauthenticated || contains(why, "revision of auth store is old");
  if (has_old_token && !client_.options_.user.empty() && !logged_in_) {
    logged_in_ = true;
    return Next::kLogIn;
  }
  if (contains(why, "request is too large") || contains(why, "message larger than max")) {
    if (parting_ == Parting::kCan) throw TooLarge();
    OW_THROW(ErrorKind::kValue, describe_call(client_, call_), ": ", endpoint(), " says: ", why,
             "; etcd takes 1.5 MiB in a request, unless --max-request-bytes tells its members "
             "otherwise");
  }
  const bool wants_user = contains(why, "user name is empty");
  throw DistStoreError(str(describe_call(client_, call_), ": ", endpoint(), ": ",
                           wants_user ? "it asks for a user, and none was given" : why));
}

void Client::Attempts::fail(std::string why, Hope hope) {
  members_[current_] = {std::move(why), hope == Hope::kNone};
  ++failures_;
  // Whoever asks next begins where there is hope.
  size_t expected = client_.member_.load();
  if (expected % members_.size() == current_) {
    client_.member_.compare_exchange_strong(expected, expected + 1);
  }
  if (std::all_of(members_.begin(), members_.end(),
                  [](const Member& member) { return member.is_hopeless; })) {
    give_up("");
  }
  do {
    current_ = (current_ + 1) % members_.size();
  } while (members_[current_].is_hopeless);
  if (call_.deadline.passed()) give_up(str("not done within ", call_.timeout.count(), "ms: "));
  const size_t rounds = failures_ / members_.size();
  if (failures_ % members_.size() != 0) return;
  const auto longer = kFirstPause * (size_t{1} << std::min<size_t>(rounds - 1, 8));
  pause_for(std::min<Milliseconds>(longer, kLongestPause), call_.deadline);
}

void Client::Attempts::give_up(const std::string& ending) const {
  std::string text = describe_call(client_, call_) + ": " + ending;
  bool is_first = true;
  for (size_t i = 0; i < members_.size(); ++i) {
    if (members_[i].why.empty()) continue;
    text += str(is_first ? "" : "; ", client_.options_.endpoints[i], ": ", members_[i].why);
    is_first = false;
  }
  throw DistNetworkError(std::move(text));
}

}  // namespace opweave::distributed::etcd

// Bytes in place of etcd's answers: each is read as what it is, or refused with a reason, and what
// is read is small enough for the bytes that it came from.
#include <cstdio>
#include <cstdlib>
#include <string>

#include "runtime/distributed/store/etcd/messages.h"

using namespace opweave::distributed::etcd;

namespace {

void require(bool holds, const char* property) {
  if (holds) return;
  std::fprintf(stderr, "does not hold: %s\n", property);
  std::abort();
}

template <class Read, class Check>
void try_to(Read&& read, std::string_view bytes, Check&& check) {
  try {
    check(read(bytes));
  } catch (const NotEtcd& error) {
    require(!error.why().empty(), "a refusal has a reason");
  }
}

void check_answer(const Answer& answer, size_t bytes) {
  require(answer.revision >= 0, "a revision is not negative");
  require(answer.parts.size() <= bytes, "parts come from bytes");
  for (const Found& found : answer.parts) {
    require(found.count >= 0, "a count is not negative");
    for (const Item& item : found.items) {
      require(item.key.size() + item.value.size() <= bytes, "texts come from bytes");
      require(item.revision >= 0 && item.version >= 0, "numbers of keys are not negative");
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  try_to(read_answer, bytes, [&](const Answer& answer) { check_answer(answer, size); });
  try_to(read_token, bytes, [](const std::string& token) {
    require(token.find_first_of("\r\n") == std::string::npos, "a token is one line");
  });
  try_to(read_event, bytes, [](bool) {});
  const Refusal refusal = read_refusal(bytes);
  require(refusal.code >= -1 && refusal.code <= 16, "an error has a kind of gRPC");
  return 0;
}

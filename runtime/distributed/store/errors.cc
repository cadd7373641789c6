// The classes of errors between processes; here is where each has its identity.
#include "runtime/distributed/store/errors.h"

#include <sys/resource.h>

#include <cerrno>
#include <system_error>

#include "runtime/distributed/store/threads.h"

namespace opweave::distributed {

DistError::DistError(std::string message) : Error(ErrorKind::kRuntime, std::move(message)) {}
DistError::~DistError() = default;
DistBackendError::~DistBackendError() = default;
DistNetworkError::~DistNetworkError() = default;
DistStoreError::~DistStoreError() = default;
QueueEmptyError::~QueueEmptyError() = default;

namespace {

std::string plain_text(int number) { return std::generic_category().message(number); }

}  // namespace

std::string with_limits(std::string text) {
  rlimit files{};
  if (text.find(plain_text(EMFILE)) == std::string::npos || getrlimit(RLIMIT_NOFILE, &files) != 0)
    return text;
  return text + "; this process may have " + std::to_string(files.rlim_cur) + " (ulimit -n)";
}

void fail_without_thread(const std::system_error& error) {
  throw DistBackendError("cannot start a thread: " + error.code().message() +
                         " (ulimit -u, ulimit -v)");
}

std::string system_error_text(int number) { return with_limits(plain_text(number)); }

}  // namespace opweave::distributed

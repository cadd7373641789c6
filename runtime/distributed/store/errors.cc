// The classes of errors between processes; here is where each has its identity.
#include "runtime/distributed/store/errors.h"

#include <system_error>

namespace opweave::distributed {

DistError::DistError(std::string message) : Error(ErrorKind::kRuntime, std::move(message)) {}
DistError::~DistError() = default;
DistBackendError::~DistBackendError() = default;
DistNetworkError::~DistNetworkError() = default;
DistStoreError::~DistStoreError() = default;
QueueEmptyError::~QueueEmptyError() = default;

std::string system_error_text(int number) { return std::generic_category().message(number); }

}  // namespace opweave::distributed

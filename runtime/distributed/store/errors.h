// What goes wrong between processes, in PyTorch's hierarchy. All of them are runtime errors to code
// that knows no more.
#pragma once

#include <string>

#include "runtime/core/base/error.h"

namespace opweave::distributed {

class DistError : public Error {
 public:
  explicit DistError(std::string message);
  ~DistError() override;
};

// A backend of collectives failed.
class DistBackendError : public DistError {
 public:
  using DistError::DistError;
  ~DistBackendError() override;
};

// Another process or host cannot be reached, or went away.
class DistNetworkError : public DistError {
 public:
  using DistError::DistError;
  ~DistNetworkError() override;
};

// A store cannot do what it was asked for: a wait timed out, a secret is wrong.
class DistStoreError : public DistError {
 public:
  using DistError::DistError;
  ~DistStoreError() override;
};

// queue_pop(block=False) of a queue without values.
class QueueEmptyError : public DistStoreError {
 public:
  using DistStoreError::DistStoreError;
  ~QueueEmptyError() override;
};

// The text of an error, with the limit of this process if that is what was reached.
std::string with_limits(std::string text);
// Calls of the system that failed: "No such file or directory".
std::string system_error_text(int number);

}  // namespace opweave::distributed

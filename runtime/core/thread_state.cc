#include "runtime/core/thread_state.h"

namespace opweave::detail {
constinit thread_local ThreadState thread_state;
}

// Floats too small for a full mantissa ("denormal"), with which processors are slow, as zeros.
#pragma once

namespace opweave {

// For the calling thread, those that compute for it, and threads that any of them starts from now
// on. Returns whether the processor can; if not, nothing changes.
bool set_flush_denormal(bool flush);

}  // namespace opweave

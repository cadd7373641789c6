// Where Python is: noted for the collective that it is about to call.
#pragma once

namespace opweave::python {

// Under the interpreter lock. Frames of the package itself are left out as long as they are the
// innermost.
void note_python_site() noexcept;

}  // namespace opweave::python

// Where Python is: noted for the collective that it is about to call.
#pragma once

namespace opweave::python {

// Under the interpreter lock. Frames of the package itself are left out as long as they are the
// innermost.
void note_python_site() noexcept;

// The same without the lock, on a thread that may be none of Python's.
void note_python_site_of_thread() noexcept;

}  // namespace opweave::python

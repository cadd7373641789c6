// Warnings of the runtime as Python's.
#pragma once

namespace opweave::python {

// Once, when the module is imported.
void install_warning_handler();

}  // namespace opweave::python

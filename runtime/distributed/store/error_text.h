// What an exception that was kept says.
#pragma once

#include <exception>
#include <string>

namespace opweave::distributed {

// Its message; empty where there is none.
std::string text_of(const std::exception_ptr& error);

}  // namespace opweave::distributed

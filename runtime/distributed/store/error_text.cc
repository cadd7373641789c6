// Messages, without the lines of C++ that what() of an Error may have.
#include "runtime/distributed/store/error_text.h"

#include "runtime/core/base/error.h"

namespace opweave::distributed {

std::string text_of(const std::exception_ptr& error) {
  if (!error) return {};
  try {
    std::rethrow_exception(error);
  } catch (const Error& e) {
    return e.message();
  } catch (const std::exception& e) {
    return e.what();
  } catch (...) {
    return "an exception";
  }
}

}  // namespace opweave::distributed

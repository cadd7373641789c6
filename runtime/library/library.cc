// Operators without YAML.
#include "runtime/library/library.h"

#include "runtime/core/base/fork_safe_mutex.h"
#include "runtime/core/base/str.h"
#include "runtime/dispatch/functionality.h"
#include "runtime/dispatch/registry.h"
#include "runtime/dispatch/runtime_record.h"
#include "runtime/library/defined_operator.h"

namespace opweave {
namespace {

struct Errors {
  ForkSafeMutex mutex;
  std::string text;
};
Errors& errors() {
  static auto* kept = new Errors;
  return *kept;
}

// What matters to a kernel: not which storage is shared, nor how long a list is.
bool fits(const TypeRecord& kernel, const TypeRecord& schema) {
  return kernel.base == schema.base && kernel.list == schema.list &&
         kernel.optional == schema.optional;
}

// A tensor that may be None is one that may be undefined.
bool takes(const TypeRecord& kernel, const TypeRecord& schema) {
  if (fits(kernel, schema)) return true;
  TypeRecord given = schema;
  given.optional = false;
  return schema.is_tensor() && schema.optional && fits(kernel, given);
}

std::string bare(TypeRecord type) {
  type.alias = 0;
  type.size = 0;
  return type_text(type);
}

}  // namespace

void detail::check_face(const OperatorEntry& op, const KernelFace& face) {
  const OperatorRecord& record = op.def().record;
  OW_CHECK(face.arguments.size() == record.arguments.size(), "the kernel of '", op.full_name(),
           "' takes ", face.arguments.size(), " arguments, its schema has ",
           record.arguments.size(), ": ", op.def().schema);
  for (size_t i = 0; i < face.arguments.size(); ++i) {
    const ArgumentRecord& argument = record.arguments[i];
    OW_CHECK(takes(face.arguments[i], argument.type), "the kernel of '", op.full_name(),
             "' takes its argument ", i + 1, " as ", bare(face.arguments[i]), ", in its schema '",
             argument.name, "' is ", bare(argument.type), ": ", op.def().schema);
  }
  OW_CHECK(face.returns.size() == record.returns.size(), "the kernel of '", op.full_name(),
           "' returns ", face.returns.size(), " values, its schema says ", record.returns.size(),
           ": ", op.def().schema);
  for (size_t i = 0; i < face.returns.size(); ++i) {
    OW_CHECK(fits(face.returns[i], record.returns[i].type), "the kernel of '", op.full_name(),
             "' returns ", bare(face.returns[i]), " as value ", i + 1, ", its schema says ",
             bare(record.returns[i].type), ": ", op.def().schema);
  }
}

void HandwrittenLibrary::define(std::string_view schema) {
  define_operator(str(name_, "::", schema));
}

void HandwrittenLibrary::add_kernel(std::string_view op, std::string_view target,
                                    const detail::KernelFace& face, BoxedKernel kernel) {
  OperatorEntry* entry = find_operator(str(name_, "::", op));
  OW_CHECK(entry != nullptr, "there is no operator '", name_, "::", op,
           "': define() it before implement()");
  detail::check_face(*entry, face);
  entry->set_boxed_kernel(parse_key(target), std::move(kernel));
}

bool detail::run_library_block(std::string_view name, const char* file, int line,
                               LibraryBlock block) {
  std::string why;
  try {
    HandwrittenLibrary library(name);
    block(library);
    return true;
  } catch (const std::exception& error) {
    why = error.what();
  }
  Errors& kept = errors();
  const std::lock_guard lock(kept.mutex);
  kept.text += str(file, ":", line, ": library '", name, "': ", why, "\n");
  return false;
}

std::string take_library_errors() {
  Errors& kept = errors();
  const std::lock_guard lock(kept.mutex);
  return std::exchange(kept.text, {});
}

}  // namespace opweave

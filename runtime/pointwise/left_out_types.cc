// What a build with some types says about the others.
#include <dlfcn.h>

#include <algorithm>
#include <vector>

#include "runtime/core/base/error.h"
#include "runtime/core/base/fork_safe_mutex.h"
#include "runtime/pointwise/types.h"

namespace opweave {
namespace {

// Of the core or of one library.
struct Build {
  std::string_view selection;
  std::span<const LeftOutTypes> operators;
};
struct Builds {
  ForkSafeMutex mutex;
  std::vector<Build> all;
};
Builds& builds() {
  static auto* builds = new Builds;
  return *builds;
}

// Whether two texts are in one shared library: others may have operators of the same name.
bool are_together(std::string_view one, std::string_view other) {
  Dl_info first, second;
  return dladdr(one.data(), &first) != 0 && dladdr(other.data(), &second) != 0 &&
         first.dli_fbase == second.dli_fbase;
}

void fail_left_out_type(const PointwiseSpec& spec, ScalarType type) {
  const std::lock_guard lock(builds().mutex);
  for (const Build& build : builds().all) {
    for (const LeftOutTypes& op : build.operators) {
      if (op.name != spec.name || (op.types & dtype_bit(type)) == 0 ||
          !are_together(op.name, spec.name))
        continue;
      const std::string_view dtype = dtype_name(type);
      OW_THROW(ErrorKind::kNotImplemented, spec.name, " was built without ", dtype, " (selection ",
               build.selection, "): add ", dtype, " to ",
               op.own ? "its dtypes" : "the dtypes of the selection");
    }
  }
}

}  // namespace

void register_left_out_types(std::string_view selection, std::span<const LeftOutTypes> operators) {
  const std::lock_guard lock(builds().mutex);
  std::erase_if(builds().all,
                [&](const Build& build) { return build.operators.data() == operators.data(); });
  builds().all.push_back({selection, operators});
}

void fail_type(const PointwiseSpec& spec, ScalarType type) {
  fail_left_out_type(spec, type);
  OW_THROW(ErrorKind::kNotImplemented, '"', spec.name, "\" not implemented for '",
           scalar_type_name(type), "'");
}

}  // namespace opweave

// Loads operator libraries that speak the stable interface.
#include "runtime/stable/library.h"

#include <algorithm>
#include <map>

#include "runtime/core/base/fork_safe_mutex.h"
#include "runtime/dispatch/registry.h"
#include "runtime/library/defined_operator.h"
#include "runtime/stable/api.h"
#include "runtime/stable/errors.h"
#include "runtime/stable/handles.h"
#include "runtime/stable/operator.h"
#include "runtime/stable/tables.h"

namespace opweave::stable {
namespace {

struct Loaded {
  ForkSafeRecursiveMutex mutex;
  std::map<const OwLibrary*, LoadedLibrary> all;
};
Loaded& loaded() {
  static auto* libraries = new Loaded;
  return *libraries;
}

// "f" of "f.out(Tensor self, …) -> …".
std::string_view name_in(std::string_view schema) { return schema.substr(0, schema.find('(')); }

std::vector<OwOperator> operators_of(const OwLibrary& library) {
  std::vector<OwOperator> operators;
  for (const OwOperator* op : list(library.operators, library.num_operators)) {
    operators.push_back(read(*op));
  }
  return operators;
}

std::string own_names(const OwLibrary& library) {
  std::string names;
  for (const OwOperator& op : operators_of(library)) {
    if ((op.flags & OW_INTERNAL) != 0) continue;
    names += str(names.empty() ? "" : ", ", name_in(op.schema));
  }
  return names;
}

[[noreturn]] void refuse(const OwLibrary& library, std::string_view why) {
  const std::string built =
      library.built_for == nullptr ? "" : str(" was built for opweave ", library.built_for, " and");
  OW_THROW(ErrorKind::kRuntime, "the operator library '", library.name, "' (", own_names(library),
           ")", built, " cannot run on this opweave: ", why);
}

void check_version(const OwLibrary& library) {
  if (library.abi_major != OW_ABI_MAJOR) {
    refuse(library, str("it has version ", library.abi_major,
                        " of the stable interface, this core has version ", OW_ABI_MAJOR,
                        ": build it again"));
  }
  if (library.min_minor > OW_ABI_MINOR) {
    refuse(library, str("it needs version ", library.abi_major, ".", library.min_minor,
                        " of the stable interface, this core has ", OW_ABI_MAJOR, ".", OW_ABI_MINOR,
                        ": update opweave"));
  }
}

void check_uses(const OwLibrary& library) {
  std::string changed;
  for (const OwUse& use : list(library.uses, library.num_uses)) {
    const std::string why = why_changed(RuntimeRecord(use.schema));
    if (!why.empty()) changed += str("\n  ", why);
  }
  if (!changed.empty()) {
    refuse(library, str("operators that it calls have changed:", changed, "\nBuild it again"));
  }
}

const OwLibrary* find_former(std::string_view name) {
  for (const auto& [table, former] : loaded().all) {
    if (former.name == name) return table;
  }
  return nullptr;
}

void retire(const OwLibrary* former) {
  if (former == nullptr) return;
  for (const LoadedOperator& op : loaded().all.at(former).operators) undefine(op.name);
  loaded().all.erase(former);
}

// What the names of its operators begin with.
std::string prefix_of(const OwLibrary& library, const OwOperator& op) {
  return (op.flags & OW_GLOBAL) != 0 ? "" : str(library.name, "::");
}

// "mine::f.out" of "f.out(Tensor self, …) -> …".
std::string full_name_of(const OwLibrary& library, const OwOperator& op) {
  return str(prefix_of(library, op), name_in(op.schema));
}
std::string in_words(std::string_view library, const char* place) {
  return place == nullptr || *place == 0 ? std::string(library) : str(library, " (", place, ")");
}

// That nobody else has an operator of one of its names, nor it two; those of `former` go.
void check_names(const OwLibrary& library, const OwLibrary* former, Whose whose) {
  std::map<std::string, const char*> own;
  for (const OwOperator& op : operators_of(library)) {
    const std::string name = full_name_of(library, op);
    const auto [first, fresh] = own.emplace(name, op.place);
    OW_CHECK(fresh, "the operator '", name, "' of ", in_words(library.name, op.place),
             " is already one of ", in_words(library.name, first->second),
             ": give it another name");
    if (find_operator(name) == nullptr) continue;
    const auto goes = [&](const LoadedOperator& old) { return old.name == name; };
    if (former != nullptr && std::ranges::any_of(loaded().all.at(former).operators, goes)) continue;
    OW_THROW(ErrorKind::kRuntime, "the operator '", name, "' of ", in_words(library.name, op.place),
             " is already one of ", whose(name), ": give it another name");
  }
}

// All, or none.
LoadedLibrary define_all(const OwLibrary& library) {
  LoadedLibrary made{library.name, {}};
  const auto take_back = [&] {
    for (const LoadedOperator& op : made.operators) undefine(op.name);
  };
  for (const OwOperator& op : operators_of(library)) {
    try {
      const std::string prefix = prefix_of(library, op);
      made.operators.push_back(
          {define(prefix, op), op.place != nullptr ? op.place : "", (op.flags & OW_INTERNAL) != 0});
      if (op.handle != nullptr) *op.handle = find_handle(str(prefix, op.schema));
    } catch (const Error& error) {
      take_back();
      refuse(library,
             str(op.place != nullptr ? op.place : name_in(op.schema), ": ", error.message()));
    }
  }
  return made;
}

void start(const OwLibrary& library) {
  for (const OwUse& use : list(library.uses, library.num_uses)) {
    if (use.handle != nullptr) *use.handle = find_handle(use.schema);
  }
  if (library.start != nullptr && library.start(&api()) != OW_DONE) throw_kept(library.name);
}

}  // namespace

const LoadedLibrary& load_library(const OwLibrary* given, std::string_view path, Whose whose) {
  OW_CHECK(given != nullptr && given->size >= offsetof(OwLibrary, uses) && given->name != nullptr,
           path, ": its table of operators is damaged");
  Loaded& all = loaded();
  const std::lock_guard lock(all.mutex);
  if (const auto known = all.all.find(given); known != all.all.end()) return known->second;
  const OwLibrary library = read(*given);
  check_version(library);
  check_uses(library);
  const OwLibrary* former = find_former(library.name);
  check_names(library, former, whose);
  start(library);
  retire(former);
  try {
    return all.all[given] = define_all(library);
  } catch (...) {
    if (former != nullptr) all.all[former] = define_all(read(*former));
    throw;
  }
}

}  // namespace opweave::stable

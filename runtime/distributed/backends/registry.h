// Backends by their names: those of this library, and those that others bring.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "runtime/distributed/backends/backend.h"

namespace opweave::distributed {

using MakeBackend = std::function<std::shared_ptr<Backend>(const BackendContext&)>;

// For groups that are made from now on. ValueError where the name is taken.
void register_backend(const std::string& name, MakeBackend make);
// A call of every rank of the group. ValueError that lists those there are.
std::shared_ptr<Backend> make_backend(const std::string& name, const BackendContext& context);
std::vector<std::string> backend_names();
// Where nobody says which: 'shm' if all ranks are on one host, else 'gloo'. A call of every rank.
std::string choose_backend(const BackendContext& context);

}  // namespace opweave::distributed

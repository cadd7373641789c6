// Backends by their names: those of this library, and those that others bring.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "runtime/distributed/backends/backend.h"

namespace opweave::distributed {

using MakeBackend = std::function<std::shared_ptr<Backend>(const BackendContext&)>;

// For groups that are made from now on. ValueError where the name is taken.
void register_backend(const std::string& name, MakeBackend make);
// Whether there is one, here or in a library of its own (plugins.h), which is loaded. RuntimeError
// where that library is of no use.
bool has_backend(const std::string& name);
// A call of every rank of the group. ValueError that lists those there are.
std::shared_ptr<Backend> make_backend(const std::string& name, const BackendContext& context);
std::vector<std::string> backend_names();

// Who this process is for whoever started it, before there is a store.
struct StartPlace {
  int rank = 0, size = 1;
  std::string address;  // on which the others reach it
};
// Of a backend whose processes are started by a program of its own, such as mpirun. `spread` tells
// all what rank 0 says, and is a call of all.
struct Starter {
  std::function<StartPlace()> place;
  std::function<std::string(const std::string& text, const Deadline& deadline)> spread;
};
void register_starter(const std::string& backend, Starter starter);
// Nothing where the backend has none.
std::optional<Starter> find_starter(const std::string& backend);

// Where nobody says which: 'shm' if all ranks are on one host, else 'gloo'. A call of every rank.
std::string choose_backend(const BackendContext& context);

}  // namespace opweave::distributed

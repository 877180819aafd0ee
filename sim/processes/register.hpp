// SPDX-License-Identifier: Apache-2.0
// The register of the processes that use Cuvette's devices, for those who read it.
//
// A reader asks, and each process writes what it uses at that moment; so it costs the processes
// nothing while nobody reads. Readers never wait for a lock, and believe nothing that they read:
// what a dead process has left is removed, and what is no record is passed over.
//
// Threads: any.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/processes/use.hpp"

namespace cuvette::os {
class NamedMemory;
}

namespace cuvette::processes {

// Returns the file's name for what the knob CUVETTE_REGISTER says; empty if that switches the
// register off. Each user has their own.
std::string register_name(const std::string& knob);

struct Listing {
  std::vector<Process> processes;
  std::string trouble;  // why there is no register that can be read; empty if there is one, or none
};

// Returns the processes of the register, in the order of their seats, once all of them have
// answered, or `patience_ns` are over. `self` is not asked: its own driver knows better.
Listing list(const std::string& name, int64_t patience_ns,
             const os::ProcessIdentity& self = os::own_identity());

// Takes back all claims of a seat. The caller has its lock.
void clear_claims(const os::NamedMemory& memory, unsigned seat);

// Clears the seat if its owner is dead, or if it has none. Returns whether it did.
bool clear_dead(const os::NamedMemory& memory, unsigned seat);

}  // namespace cuvette::processes

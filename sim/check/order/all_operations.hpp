// SPDX-License-Identifier: Apache-2.0
// A command and, of a graph, everything that it consists of.
//
// Threads: any.
#pragma once

#include "sim/device/stream/operation.hpp"

namespace cuvette::check {

// Calls `visit` with the operation and, of a graph, with the steps of it and of their bodies.
template <typename Visit>
void visit_all(const device::Operation& operation, const Visit& visit);
template <typename Visit>
void visit_all(const device::Steps& steps, const Visit& visit) {
  for (size_t i = 0; i < steps.count(); ++i) {
    visit_all(steps.step(i), visit);
    for (const device::Steps* body : steps.bodies(i)) visit_all(*body, visit);
  }
}
template <typename Visit>
void visit_all(const device::Operation& operation, const Visit& visit) {
  visit(operation);
  if (const device::Steps* const steps = operation.steps()) visit_all(*steps, visit);
}

}  // namespace cuvette::check

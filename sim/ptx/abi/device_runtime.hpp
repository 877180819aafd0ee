// SPDX-License-Identifier: Apache-2.0
// The functions that NVIDIA's device runtime library (libcudadevrt) defines and the linker adds:
// the grid's part of cooperative groups, as compilers call it that do not have it inline (Numba).
//
// Threads: plain functions.
#pragma once

#include <string>
#include <string_view>

namespace cuvette::ptx {

// Whether device_runtime() defines `function`.
bool in_device_runtime(std::string_view function);

// Returns the library as a PTX module.
std::string device_runtime();

}  // namespace cuvette::ptx

// SPDX-License-Identifier: Apache-2.0
// The facts about a device that `cuvette smi` knows: the fields of --query-gpu, which its tables
// use, too.
//
// Threads: for a process with one thread.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "tools/cuvette/management.hpp"

namespace cuvette::tools {

struct SmiField {
  const char* name;
  const char* title;
  const char* unit;  // empty if it has none
  std::optional<std::string> (*value)(const Gpu& gpu);
};

// All fields.
std::span<const SmiField> smi_fields();

// Returns the field of that name, null if there is none.
const SmiField* find_smi_field(std::string_view name);

// Returns a field's value with its unit, "N/A" if the device has none. There must be a field of
// that name.
std::string smi_text(const Gpu& gpu, std::string_view name);

// Returns the version of CUDA that the driver knows: "13.0".
std::string cuda_version(const Management& library);

}  // namespace cuvette::tools

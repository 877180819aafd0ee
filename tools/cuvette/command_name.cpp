// SPDX-License-Identifier: Apache-2.0
#include "tools/cuvette/command_name.hpp"

namespace cuvette::tools {
namespace {

const char* current_name = "run";

}  // namespace

void set_command_name(const char* name) { current_name = name; }

const char* command_name() { return current_name; }

}  // namespace cuvette::tools

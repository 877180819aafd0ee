// SPDX-License-Identifier: Apache-2.0
// The output of clang for one source with -rdc=true, with names that fit each other and no other
// source.
//
// Threads: any.
#pragma once

#include <string>

namespace cuvette::tools {

// Clang 14 gives a static variable another name, NAME__static__HASH, when it learns that the host
// uses it; what it compiled before has the first name. Returns PTX in which it has one name.
std::string with_one_name_for_each(const std::string& ptx);

// Clang makes the names of what registers an object's kernels from the source's name as it was
// given, which another source may have, too. Replaces that part in an object by one of `unit`,
// which is the source's own.
void register_as(std::string& object, const std::string& unit);

}  // namespace cuvette::tools

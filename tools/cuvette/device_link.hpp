// SPDX-License-Identifier: Apache-2.0
// The device's side of several objects as one program: what -rdc=true asks for.
//
// An object that was compiled so does not register its fat binary itself. It calls a function with
// a name of its own, which is for the last step to define: that one knows all of them.
#ifndef CUVETTE_TOOLS_DEVICE_LINK_HPP
#define CUVETTE_TOOLS_DEVICE_LINK_HPP

#include <string>
#include <vector>

namespace cuvette::tools {

// The names of those functions that objects and archives call, in their order.
std::vector<std::string> linked_registrations(const std::vector<std::string>& files);

// A source of C++ that defines them. The fat binaries that they are given become one program, which
// the driver links when it is loaded.
std::string device_link_source(const std::vector<std::string>& names);

}  // namespace cuvette::tools

#endif

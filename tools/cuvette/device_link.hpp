// SPDX-License-Identifier: Apache-2.0
// The device's side of several objects as one program: what -rdc=true asks for.
//
// An object that was compiled so does not register its fat binary itself. It calls a function with
// its own name, which is for the last step to define: that one knows all of them.
//
// Threads: any.
#pragma once

#include <string>
#include <vector>

namespace cuvette::tools {

struct DeviceLink {
  std::vector<std::string> registrations;  // the names of those functions, in their order
  bool managed = false;                    // an object registers managed variables
};

// The archives that a linker's options name with -l, in any of the folders of -L.
std::vector<std::string> archives_of(const std::vector<std::string>& linking);

// The needs of objects and archives in the last step. Files that cannot be read are the linker's to
// refuse.
DeviceLink device_link_of(const std::vector<std::string>& files);

// A source of C++ that defines the functions. The fat binaries that they are given become one
// program, which the driver links when it is loaded.
std::string device_link_source(const DeviceLink& link);

}  // namespace cuvette::tools

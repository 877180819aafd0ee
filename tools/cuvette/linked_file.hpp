// SPDX-License-Identifier: Apache-2.0
// LinkedFile: the parts of a program or library that the loader reads, and its device code.
//
// Threads: any.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace cuvette::tools {

struct LinkedFile {
  bool is_static = false;                // the loader has no part in it
  std::vector<std::string> needed;       // names of libraries
  std::vector<std::string> rpath;        // searched before LD_LIBRARY_PATH, $ORIGIN replaced
  std::vector<std::string> runpath;      // searched after it
  bool has_nvidias_runtime = false;      // inside: NVIDIA's libcudart, linked statically or itself
  size_t pieces = 0, pieces_to_run = 0;  // of device code, and those with PTX for the device
  std::string refusal;                   // why the first of the others is refused
};

// Reads a file; `capability` is the device's, 90 for 9.0. Returns nothing unless the file is an ELF
// file for 64-bit Linux.
std::optional<LinkedFile> read_linked_file(const std::string& file, uint32_t capability);

}  // namespace cuvette::tools

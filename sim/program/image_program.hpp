// SPDX-License-Identifier: Apache-2.0
// From an image to a program: its PTX is found, linked if it is in parts, and read.
//
// Threads: plain functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "sim/error.hpp"
#include "sim/program/program.hpp"
#include "sim/ref.hpp"

namespace cuvette::device {

// What the program asks for when it gives an image, and what it is told.
struct LoadRequest {
  const void* image = nullptr;
  size_t size = SIZE_MAX;  // image::unknown_size: as the image itself says
  std::string name;        // the file that it comes from, if there is one
  uint32_t device = 90;    // compute capability of the device
  uint32_t target = 90;    // CU_JIT_TARGET: what to compile for
  std::string log;         // out: what is wrong, for the program's error log
};

// The program in an image. `readable`: set to the program also if a body of it is wrong.
// Errors: invalid_image, invalid_ptx, unsupported_ptx_version, no_binary_for_gpu, invalid_source.
Result<Ref<Program>> load_program(LoadRequest& request, Ref<Program>* readable);

// The PTX of an image as one text. Errors: as above.
Result<std::string> one_text(LoadRequest& request);

// Says on stderr what a program must be told that may not look: why an image has nothing for this
// device. `log` is what went to its error log.
void report_unloadable(Error error, const std::string& log);

}  // namespace cuvette::device

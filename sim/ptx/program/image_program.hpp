// SPDX-License-Identifier: Apache-2.0
// Makes a program from an image: finds its PTX, links it if it is in parts, and reads it.
//
// Threads: plain functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "sim/base/error.hpp"
#include "sim/base/needs.hpp"
#include "sim/base/ref.hpp"
#include "sim/ptx/program/program.hpp"

namespace cuvette::ptx {

// The application's options for an image, and the log that it gets.
struct LoadRequest {
  const void* image = nullptr;
  size_t size = SIZE_MAX;       // image::unknown_size: the image itself says
  std::string name;             // the image's file, if there is one
  uint32_t device = 90;         // compute capability of the device
  uint32_t target = 90;         // CU_JIT_TARGET: what to compile for
  uint32_t most_registers = 0;  // CU_JIT_MAX_REGISTERS; 0: any number
  Needs needs;                  // what checks will want to know of its kernels
  std::string log;              // out: what is wrong, for the application's error log
};

// Reads the program in an image. Sets `readable` to it, even if one of its bodies is wrong.
// Errors: invalid_image, invalid_ptx, unsupported_ptx_version, no_binary_for_gpu, invalid_source.
Result<Ref<Program>> load_program(LoadRequest& request, Ref<Program>* readable);

// Returns the PTX of an image as one text, linked if it is in parts. Errors: as load_program().
Result<std::string> one_text(LoadRequest& request);

// Says on stderr why an image has nothing for this device, since the application may not read its
// error log. `log` is the text of that error log.
void report_unloadable(Error error, const std::string& log);

}  // namespace cuvette::ptx

// SPDX-License-Identifier: Apache-2.0
// Takes PTX out of images of programs, as compilers and linkers make them: PTX text, fat binaries,
// objects that hold them, libraries of objects.
//
// Nothing in an image is trusted: it may be garbage, and may end anywhere.
//
// Threads: plain functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "sim/base/error.hpp"

namespace cuvette::image {

enum class Kind : uint8_t {
  nothing,     // none of the others
  ptx,         // text that begins with .version
  fat_binary,  // a container of entries for several devices
  wrapper,     // what a host program's code refers to, which leads to fat binaries
  elf,         // a host object or program, or a cubin
  archive,     // a library of objects, as ar makes it
};

// Returns what `image` looks like by its first bytes. It stops reading at the first byte that fits
// no kind, so that a short image is not overrun.
Kind kind_of(const void* image, size_t size);
constexpr size_t unknown_size = SIZE_MAX;

// The PTX in an image: one text for each translation unit that has yet to be linked; usually one.
struct Extract {
  std::vector<std::string> texts;
  // For each text, how many registers its kernels may use (nvcc -maxrregcount); 0: any number.
  std::vector<uint32_t> most_registers;
  // Whether these are parts that were compiled to be linked (nvcc -rdc=true).
  bool relocatable = false;
  // Why nothing was taken out of an archive, as a sentence; else empty. A linker takes what it
  // needs from a library, so an archive without fitting parts is a mistake only if a name stays
  // undefined.
  std::string nothing_fits;
};

// Takes the PTX for a device of compute capability `target` (90) out of an image: the newest that
// the device can run; PTX made for one model only if the device is of that model. `size` is
// unknown_size for an image in memory: its own headers give its length. Errors: invalid_image for
// something that is not an image or a damaged one, no_binary_for_gpu if it holds nothing for such a
// device; `sentence` says what it holds instead.
Result<Extract> extract_ptx(const void* image, size_t size, uint32_t target, std::string& sentence);

// Returns how many registers each kernel takes in an image's machine code for such a device. A
// kernel that has yet to be linked is not among them.
std::map<std::string, uint32_t> kernel_registers(const void* image, size_t size, uint32_t target);

}  // namespace cuvette::image

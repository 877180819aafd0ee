// SPDX-License-Identifier: Apache-2.0
// Link: collects images and links them into one.
//
// Threads: any.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "sim/base/error.hpp"
#include "sim/base/mutex.hpp"
#include "sim/base/ref.hpp"
#include "sim/ptx/program/linker.hpp"

namespace cuvette::ptx {

class Link final : public Counted {
 public:
  // `target`: the compute capability to link for (90). `most_registers`: that a kernel may use
  // which sets no bounds itself; 0: any number.
  explicit Link(uint32_t target, uint32_t most_registers = 0)
      : target_(target), most_registers_(most_registers), linker_(target) {}

  // Adds an image of `size` bytes. If something is wrong with it, adds nothing and says so in
  // `log`, where the image is called `name`. `most_registers`: as for the link, of its kernels
  // alone. Errors: invalid_value once it is complete; invalid_image, invalid_ptx,
  // unsupported_ptx_version, no_binary_for_gpu, invalid_source.
  Result<> add(const void* image, size_t size, const std::string& name, std::string& log,
               uint32_t most_registers = 0) EXCLUDES(mutex_);

  // Makes the image, which lives as long as this Link. Errors: invalid_handle once it is complete;
  // invalid_source.
  Result<std::string*> complete(std::string& log) EXCLUDES(mutex_);

 private:
  const uint32_t target_, most_registers_;
  Mutex mutex_;
  Linker linker_ GUARDED_BY(mutex_);
  std::optional<std::string> image_ GUARDED_BY(mutex_);
  std::string left_out_ GUARDED_BY(mutex_);  // lines about archives that had nothing for the target
};

}  // namespace cuvette::ptx

// SPDX-License-Identifier: Apache-2.0
// Link: a link under way: images are added, one image comes out.
//
// Threads: any.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "sim/error.hpp"
#include "sim/mutex.hpp"
#include "sim/ptx/linker.hpp"
#include "sim/ref.hpp"

namespace cuvette::device {

class Link final : public Counted {
 public:
  // `target`: the compute capability that is linked for (90).
  explicit Link(uint32_t target) : target_(target), linker_(target) {}

  // Adds what an image of `size` bytes holds. What is wrong with it, under the name `name`, becomes
  // lines of `log`; nothing is added then. Errors: invalid_value once it is complete;
  // invalid_image, invalid_ptx, unsupported_ptx_version, no_binary_for_gpu, invalid_source.
  Result<> add(const void* image, size_t size, const std::string& name, std::string& log)
      EXCLUDES(mutex_);

  // Makes the image, which lives as long as this. Errors: invalid_handle once it is complete;
  // invalid_source.
  Result<std::string*> complete(std::string& log) EXCLUDES(mutex_);

 private:
  const uint32_t target_;
  Mutex mutex_;
  ptx::Linker linker_ GUARDED_BY(mutex_);
  std::optional<std::string> image_ GUARDED_BY(mutex_);
  std::string left_out_ GUARDED_BY(mutex_);  // lines about archives of which nothing fitted
};

}  // namespace cuvette::device

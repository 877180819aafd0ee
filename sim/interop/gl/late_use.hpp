// SPDX-License-Identifier: Apache-2.0
// Late uses: uses of an image's arrays, or of a frame, that began while no registration had it
// mapped.
#pragma once

#include "sim/base/error.hpp"
#include "sim/memory/address_space.hpp"

namespace cuvette::interop::gl {

// Called when commands use an image's arrays after they were given back: begin_late_use() and the
// like of its Lender. The registrations of images decide.
struct LateUses {
  Result<> (*begin)(const memory::Lender& image, const memory::Region& region, bool write,
                    const void* call_site);
  void (*end)(const memory::Lender& image, bool done, const void* call_site);
  void (*note_kernel)(memory::Lender& image);
};

// The record of an image's late uses. The lock of the graphics resources is held.
struct LateUse {
  bool taken = false;    // CUDA has the image
  bool written = false;  // since it was given back
};

}  // namespace cuvette::interop::gl

// SPDX-License-Identifier: Apache-2.0
// LateUse: what is known of the uses of an image's arrays, or of a frame, that began while no
// registration had it mapped.
//
// Threads: the lock of the graphics resources is held.
#pragma once

namespace cuvette::interop {

struct LateUse {
  bool taken = false;    // CUDA has the image
  bool written = false;  // since it was given back
};

}  // namespace cuvette::interop

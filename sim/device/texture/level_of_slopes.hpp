// SPDX-License-Identifier: Apache-2.0
// The mip level that a GPU takes for the derivatives of a texture's coordinates (tex.grad).
//
// Threads: any.
#pragma once

#include "sim/device/texture/sample.hpp"

namespace cuvette::device::sampling {

// Returns the level, a multiple of 1/256, that the derivatives of `lane` ask for; below 0 if an
// element is larger than what they span.
float level_of_slopes(const Sample& how, const LaneWords* operands, unsigned lane,
                      const SampledLevel& level);

}  // namespace cuvette::device::sampling

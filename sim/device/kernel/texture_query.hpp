// SPDX-License-Identifier: Apache-2.0
// The results of txq and suq.
#pragma once

#include <cstdint>

#include "sim/device/kernel/surface_access.hpp"
#include "sim/device/texture/sampler.hpp"
#include "sim/ptx/abi/texture_operation.hpp"

namespace cuvette::device {

// For the lanes in `mask`; the operands are a TextureOperation's.
void answer_query(const ptx::TextureOperation& operation, const Sampler& sampler,
                  const LaneWords* operands, uint32_t mask, LaneWords& result);
void answer_query(const ptx::SurfaceOperation& operation, const SurfaceView& view, uint32_t mask,
                  LaneWords& result);

}  // namespace cuvette::device

// SPDX-License-Identifier: Apache-2.0
// What video instructions of one number and of several have in common.
#pragma once

#include <vector>

#include "sim/ptx/emit/warp_builder.hpp"
#include "sim/ptx/video.hpp"

namespace cuvette::ptx {

// The number at `at` of `words`, the first being the lowest; as wide as a word, or `wide`.
V* video_number(WarpBuilder& w, const std::vector<V*>& words, unsigned at, unsigned bits,
                bool with_sign, bool wide);
// Of two numbers, in more bits than they have.
V* video_result(WarpBuilder& w, const Instruction& i, VideoOperation operation, V* a, V* b);

}  // namespace cuvette::ptx

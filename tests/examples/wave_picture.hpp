// SPDX-License-Identifier: Apache-2.0
// What the example wave should draw of some heights, computed pixel by pixel and without Vulkan.
#pragma once

#include <vector>

#include "examples/picture.hpp"
#include "examples/wave/basin.hpp"

Picture expected_picture(const wave::Basin& basin, const std::vector<float>& heights);

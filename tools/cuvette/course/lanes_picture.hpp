// SPDX-License-Identifier: Apache-2.0
// An order of commands as a picture in text: a row for each lane, time to the right.
//
// Threads: any; a pure function.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "tools/cuvette/order.hpp"

namespace cuvette::tools {

struct PictureOptions {
  bool utf8 = true;
  size_t width = 100;           // columns, about
  std::set<std::string> shown;  // names of commands that must be in it: "1.3"
};

// `rows`: of Order::rows, in the order in which they took place. Where there are too many commands,
// some around those that must be shown are left.
std::string lanes_picture(const std::vector<Order::Row>& rows, const PictureOptions& options);

// "kernel fill(int*, int)" -> "fill"
std::string short_kind(const std::string& kind);

}  // namespace cuvette::tools

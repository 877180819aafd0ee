// SPDX-License-Identifier: Apache-2.0
// SharedPages: pages of host memory of which commands use parts.
//
// Such a page is held once the commands together use all of its usable bytes, and only as long: a
// system call on a byte that no command uses must not fail.
//
// Threads: one at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <unordered_map>
#include <vector>

#include "sim/check/order/happens_before.hpp"
#include "sim/memory/allocation.hpp"
#include "sim/os/held_pages.hpp"

namespace cuvette::check {

class SharedPages {
 public:
  // A command's part of one page.
  struct Part {
    Point point;
    Ref<const memory::Allocation> allocation;
    uint64_t begin, end;
    bool writes;
  };
  // Adds a part; [begin, end) is the usable part of its page.
  void add(const Part& part, uint64_t begin, uint64_t end);
  // Removes a page's parts that belong to commands known to be over.
  void remove(uint64_t page, const std::function<bool(const Point&)>& known);
  // Holds and releases pages as the parts are by now.
  void settle();

 private:
  struct Page {
    uint64_t begin, end;
    std::vector<Part> parts;
    std::optional<os::HeldFor> held;
  };
  static bool cover(const Page& page, bool writes_alone);
  static void settle(Page& page, uint64_t address);

  std::unordered_map<uint64_t, Page> pages_;
  std::vector<uint64_t> changed_;
};

}  // namespace cuvette::check

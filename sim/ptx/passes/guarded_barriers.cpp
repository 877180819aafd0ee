// SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/passes/guarded_barriers.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "sim/ptx/passes/meetings.hpp"
#include "sim/ptx/syntax/body_builder.hpp"

namespace cuvette::ptx {
namespace {

bool is_guarded(const Instruction& i) {
  if (!i.predicate) return false;
  Instruction alone = i;
  alone.predicate.reset();
  return is_barrier_of_block(alone);
}

class Guard : private BodyBuilder {
 public:
  explicit Guard(Body& body) : BodyBuilder(body) {}

  void run() {
    std::vector<std::pair<uint32_t, uint32_t>> behind;  // labels, and where they are
    remake_all([&](const Instruction& one) {
      if (!is_guarded(one)) return body_.instructions.push_back(one);
      const uint32_t label = add_label();
      skip_unless(one, label);
      body_.instructions.push_back(one);
      body_.instructions.back().predicate.reset();
      behind.emplace_back(label, static_cast<uint32_t>(body_.instructions.size()));
    });
    for (const auto& [label, place] : behind) body_.labels[label] = place;
  }
};

}  // namespace

bool guard_barriers(Body& body) {
  if (std::ranges::none_of(body.instructions, is_guarded)) return false;
  Guard(body).run();
  return true;
}

}  // namespace cuvette::ptx

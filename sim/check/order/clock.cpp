// SPDX-License-Identifier: Apache-2.0
#include "sim/check/order/clock.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace cuvette::check {
namespace {

constexpr unsigned bits = 4;
constexpr size_t width = size_t{1} << bits;

size_t digit(uint64_t chain, unsigned height) { return (chain >> (bits * height)) % width; }
// Whether a tree of this height has a place for the chain.
bool fits(uint64_t chain, unsigned height) {
  return bits * (height + 1) >= 64 || chain >> (bits * (height + 1)) == 0;
}

}  // namespace

// The height says which of the two kinds a node is.
struct Clock::Node : Counted {};

namespace {

using Node = Clock::Node;
struct Values final : Node {
  std::array<uint64_t, width> of{};
};
struct Branches final : Node {
  std::array<Ref<const Node>, width> of;
};

const Values& values(const Node& node) { return static_cast<const Values&>(node); }
const Branches& branches(const Node& node) { return static_cast<const Branches&>(node); }

Ref<const Node> raised(const Node* node, unsigned height, uint64_t chain, uint64_t value) {
  const size_t at = digit(chain, height);
  if (height == 0) {
    auto copy = make_ref<Values>();
    if (node) copy->of = values(*node).of;
    copy->of[at] = value;
    return copy;
  }
  auto copy = make_ref<Branches>();
  if (node) copy->of = branches(*node).of;
  copy->of[at] = raised(copy->of[at].get(), height - 1, chain, value);
  return copy;
}

// The result of a join. `is_a`: b knows nothing that a does not, so the result is a itself; `is_b`
// likewise.
struct Joined {
  Ref<const Node> node;
  bool is_a, is_b;
};

template <typename Inner, typename Of>
Joined made(const Ref<const Node>& a, const Ref<const Node>& b, bool is_a, bool is_b, Of&& of) {
  if (is_a) return {a, true, is_b};
  if (is_b) return {b, false, true};
  auto both = make_ref<Inner>();
  both->of = std::forward<Of>(of);
  return {std::move(both), false, false};
}

Joined joined(const Ref<const Node>& a, const Ref<const Node>& b, unsigned height) {
  if (a == b) return {a, true, true};
  if (!b) return {a, true, false};
  if (!a) return {b, false, true};
  bool is_a = true, is_b = true;
  if (height == 0) {
    const auto &of_a = values(*a).of, &of_b = values(*b).of;
    std::array<uint64_t, width> of;
    for (size_t i = 0; i < width; ++i) {
      is_a = is_a && of_a[i] >= of_b[i];
      is_b = is_b && of_b[i] >= of_a[i];
      of[i] = std::max(of_a[i], of_b[i]);
    }
    return made<Values>(a, b, is_a, is_b, of);
  }
  std::array<Ref<const Node>, width> of;
  for (size_t i = 0; i < width; ++i) {
    Joined inner = joined(branches(*a).of[i], branches(*b).of[i], height - 1);
    is_a = is_a && inner.is_a;
    is_b = is_b && inner.is_b;
    of[i] = std::move(inner.node);
  }
  return made<Branches>(a, b, is_a, is_b, std::move(of));
}

// Returns the same tree with another level above it.
Ref<const Node> grown(Ref<const Node> node) {
  if (!node) return node;
  auto above = make_ref<Branches>();
  above->of[0] = std::move(node);
  return above;
}

}  // namespace

Clock::Clock() = default;
Clock::Clock(const Clock&) = default;
Clock::Clock(Clock&&) noexcept = default;
Clock& Clock::operator=(const Clock&) = default;
Clock& Clock::operator=(Clock&&) noexcept = default;
Clock::~Clock() = default;

uint64_t Clock::of(uint64_t chain) const {
  if (!fits(chain, height_)) return 0;
  const Node* node = root_.get();
  for (unsigned height = height_; node && height > 0; --height)
    node = branches(*node).of[digit(chain, height)].get();
  return node ? values(*node).of[digit(chain, 0)] : 0;
}

void Clock::raise(uint64_t chain, uint64_t value) {
  if (of(chain) >= value) return;
  while (!fits(chain, height_)) {
    root_ = grown(std::move(root_));
    ++height_;
  }
  root_ = raised(root_.get(), height_, chain, value);
}

void Clock::join(const Clock& other) {
  if (!other.root_ || root_ == other.root_) return;
  Ref<const Node> theirs = other.root_;
  for (unsigned height = other.height_; height < height_; ++height) theirs = grown(theirs);
  while (height_ < other.height_) {
    root_ = grown(std::move(root_));
    ++height_;
  }
  root_ = joined(root_, theirs, height_).node;
}

}  // namespace cuvette::check

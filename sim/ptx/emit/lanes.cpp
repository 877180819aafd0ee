// SPDX-License-Identifier: Apache-2.0
// Vectors of a warp's lanes put together and taken apart.
#include "sim/ptx/emit/lanes.hpp"

namespace cuvette::ptx {

std::vector<llvm::Value*> separate(WarpBuilder& w, V* whole, uint32_t count) {
  if (count == 1) return {whole};
  std::vector<V*> values;
  for (uint32_t n = 0; n < count; ++n) {
    int order[warp_size];
    for (uint32_t lane = 0; lane < warp_size; ++lane)
      order[lane] = static_cast<int>(lane * count + n);
    values.push_back(w.CreateShuffleVector(whole, order));
  }
  return values;
}

llvm::Value* concatenate(WarpBuilder& w, V* a, V* b) {
  const unsigned length = llvm::cast<llvm::FixedVectorType>(a->getType())->getNumElements();
  std::vector<int> order(2 * length);
  for (unsigned n = 0; n < 2 * length; ++n) order[n] = static_cast<int>(n);
  return w.CreateShuffleVector(a, b, order);
}

llvm::Value* interleave(WarpBuilder& w, const std::vector<V*>& values) {
  const auto count = static_cast<uint32_t>(values.size());
  if (count == 1) return values[0];
  std::vector<V*> parts = values;
  while (parts.size() > 1) {
    std::vector<V*> pairs;
    for (size_t n = 0; n < parts.size(); n += 2)
      pairs.push_back(concatenate(w, parts[n], parts[n + 1]));
    parts = std::move(pairs);
  }
  std::vector<int> order;
  for (uint32_t lane = 0; lane < warp_size; ++lane)
    for (uint32_t n = 0; n < count; ++n) order.push_back(static_cast<int>(n * warp_size + lane));
  return w.CreateShuffleVector(parts[0], order);
}

llvm::Value* spread_mask(WarpBuilder& w, V* mask, uint32_t count, int half, int halves) {
  if (count == 1 && halves == 1) return mask;
  std::vector<int> order;
  const uint32_t lanes_here = warp_size / static_cast<uint32_t>(halves);
  for (uint32_t lane = 0; lane < lanes_here; ++lane)
    for (uint32_t n = 0; n < count; ++n)
      order.push_back(static_cast<int>(lane + static_cast<uint32_t>(half) * lanes_here));
  return w.CreateShuffleVector(mask, order);
}

llvm::Value* last_active(WarpBuilder& w) {
  if (w.all_active()) return w.i32(31);
  V* const above = w.intrinsic(llvm::Intrinsic::ctlz, {w.active_bits(), w.getFalse()});
  return w.CreateAnd(w.CreateSub(w.i32(31), above), w.i32(31));
}

}  // namespace cuvette::ptx

// SPDX-License-Identifier: Apache-2.0
// Delta debugging (Zeller and Hildebrandt, 2002): the fewest items that still fail.
//
// Threads: any.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace cuvette::tools {

// `fails(items)` is true for all of `items`. Returns some of them, in their order, of which none
// can be left out, or as few as `most_questions` questions find.
template <typename Item, typename Fails>
std::vector<Item> minimise(std::vector<Item> items, const Fails& fails, size_t most_questions) {
  size_t questions = 0;
  const auto still_fails = [&](const std::vector<Item>& some) {
    ++questions;
    return fails(some);
  };
  if (!items.empty() && still_fails({})) return {};
  for (size_t chunks = 2; items.size() > 1 && questions < most_questions;) {
    chunks = std::min(chunks, items.size());
    bool smaller = false;
    for (size_t chunk = 0; chunk < chunks && questions < most_questions; ++chunk) {
      const auto at = [&](size_t index) {
        return items.begin() + static_cast<std::ptrdiff_t>(index * items.size() / chunks);
      };
      std::vector<Item> part(at(chunk), at(chunk + 1));
      std::vector<Item> rest(items.begin(), at(chunk));
      rest.insert(rest.end(), at(chunk + 1), items.end());
      if (chunks > 2 || chunk == 0) {
        if (still_fails(part)) {
          items = std::move(part);
          chunks = 2;
          smaller = true;
          break;
        }
      }
      if (questions < most_questions && still_fails(rest)) {
        items = std::move(rest);
        chunks = std::max<size_t>(chunks - 1, 2);
        smaller = true;
        break;
      }
    }
    if (smaller) continue;
    if (chunks == items.size()) break;
    chunks *= 2;
  }
  return items;
}

}  // namespace cuvette::tools

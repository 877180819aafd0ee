// SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/abi/access_counts.hpp"

#include <algorithm>
#include <bit>

#include "sim/ptx/abi/abi.hpp"

namespace cuvette::ptx {
namespace {

uint32_t lane_of(uint32_t mask) { return static_cast<uint32_t>(std::countr_zero(mask)); }

// How many lanes come to shared memory together.
uint32_t group_length(uint32_t bytes) {
  return std::clamp(banks * bank_bytes / std::max(bytes, bank_bytes), 1u, warp_size);
}

// The bits of lanes `first` to first + count - 1, as far as there are such.
uint32_t lanes_from(uint32_t first, uint32_t count) {
  if (first >= warp_size) return 0;
  return (count >= warp_size ? UINT32_MAX : (1u << count) - 1) << first;
}

// Different numbers, of which there are few. Those that come in rising order, as most do, cost one
// comparison each.
class FewNumbers {
 public:
  void add(uint64_t number) {
    if (count_ > 0 && number <= last_ && has(number)) return;
    numbers_[count_++] = number;
    last_ = std::max(last_, number);
  }
  uint32_t count() const { return count_; }

 private:
  bool has(uint64_t number) const {
    // The last ones first: neighbours are alike.
    for (uint32_t n = count_; n > 0; --n)
      if (numbers_[n - 1] == number) return true;
    return false;
  }
  uint64_t numbers_[warp_size];
  uint64_t last_ = 0;  // the largest
  uint32_t count_ = 0;
};

}  // namespace

uint32_t sectors_of(const uint64_t* addresses, uint32_t mask) {
  FewNumbers sectors;
  for (uint32_t left = mask; left != 0; left &= left - 1)
    sectors.add(addresses[lane_of(left)] / sector_bytes);
  return sectors.count();
}

namespace {

// The words, or lanes, that each bank has to serve one after the other.
class Banks {
 public:
  void add_word(uint64_t word) {
    uint64_t* const known = words_[word % banks];
    uint8_t& count = counts_[word % banks];
    if (std::find(known, known + count, word) != known + count) return;
    known[count++] = word;
    most_ = std::max(most_, count);
  }
  void add_lane(uint64_t word) {
    uint8_t& count = counts_[word % banks];
    most_ = std::max(most_, ++count);
  }
  uint32_t most() const { return most_; }

 private:
  uint64_t words_[banks][warp_size];  // of a bank; each lane has one there at most
  uint8_t counts_[banks] = {};
  uint8_t most_ = 0;
};

uint32_t wavefronts_of_group(const uint64_t* offsets, uint32_t group, uint32_t bytes,
                             SharedUse use) {
  Banks needed;
  const uint32_t each = std::max(bytes / bank_bytes, 1u);
  for (uint32_t left = group; left != 0; left &= left - 1) {
    const uint64_t first = offsets[lane_of(left)] / bank_bytes;
    for (uint64_t word = first; word < first + each; ++word)
      use == SharedUse::atomic ? needed.add_lane(word) : needed.add_word(word);
  }
  return needed.most();
}

// Whether each lane shares its address with the one whose number differs in `bit`.
bool are_shared(const uint64_t* offsets, uint32_t lanes, uint32_t bit) {
  for (uint32_t left = lanes; left != 0; left &= left - 1) {
    const uint32_t lane = lane_of(left), other = lane ^ bit;
    if (lanes >> other & 1 && offsets[lane] != offsets[other]) return false;
  }
  return true;
}

}  // namespace

uint32_t wavefronts_of(const uint64_t* offsets, uint32_t mask, uint32_t bytes, SharedUse use) {
  const uint32_t length = group_length(bytes);
  uint32_t result = 0;
  for (uint32_t first = 0; first < warp_size; first += 2 * length) {
    const uint32_t pair = mask & lanes_from(first, 2 * length);
    const bool joined = use == SharedUse::load && length < warp_size &&
                        (are_shared(offsets, pair, 1) || are_shared(offsets, pair, 2));
    if (joined) {
      result += wavefronts_of_group(offsets, pair, bytes, use);
      continue;
    }
    for (const uint32_t at : {first, first + length})
      if (const uint32_t group = mask & lanes_from(at, length))
        result += wavefronts_of_group(offsets, group, bytes, use);
  }
  return result;
}

uint32_t ideal_wavefronts(uint32_t mask, uint32_t bytes) {
  const uint32_t length = group_length(bytes);
  uint32_t result = 0;
  for (uint32_t first = 0; first < warp_size; first += length)
    result += (mask & lanes_from(first, length)) != 0;
  return result;
}

Addresses different_addresses(const uint64_t* addresses, uint32_t mask) {
  Addresses result;
  // Places of a small table: the number of an address in the result, from 1 on.
  constexpr uint32_t bits = 6, places = 1u << bits;
  uint8_t table[places] = {};
  for (uint32_t left = mask; left != 0; left &= left - 1) {
    const uint64_t address = addresses[lane_of(left)];
    uint32_t at = static_cast<uint32_t>(address * 0x9e3779b97f4a7c15u >> (64 - bits));
    while (table[at] != 0 && result.address[table[at] - 1] != address) at = (at + 1) % places;
    if (table[at] == 0) {
      result.address[result.count] = address;
      result.lanes[result.count] = 0;
      table[at] = static_cast<uint8_t>(++result.count);
    }
    ++result.lanes[table[at] - 1];
  }
  return result;
}

uint32_t sector_visits(const Addresses& addresses) {
  struct Sector {
    uint64_t number;
    uint32_t lanes;  // at the address with most of them
  };
  Sector sectors[warp_size];
  uint32_t count = 0, visits = 0;
  for (uint32_t n = 0; n < addresses.count; ++n) {
    const uint64_t number = addresses.address[n] / sector_bytes;
    Sector* const end = sectors + count;
    Sector* const known =
        std::find_if(sectors, end, [&](const Sector& each) { return each.number == number; });
    if (known == end)
      sectors[count++] = {number, addresses.lanes[n]};
    else
      known->lanes = std::max(known->lanes, addresses.lanes[n]);
  }
  for (uint32_t n = 0; n < count; ++n) visits += sectors[n].lanes;
  return visits;
}

bool stride_of(const uint64_t* addresses, uint32_t mask, int64_t& stride) {
  if ((mask & (mask - 1)) == 0) return false;
  uint32_t before = lane_of(mask);
  bool first = true;
  for (uint32_t left = mask & (mask - 1); left != 0; left &= left - 1) {
    const uint32_t lane = lane_of(left);
    const auto distance = static_cast<int64_t>(addresses[lane] - addresses[before]);
    const int64_t lanes = lane - before;
    if (first) {
      if (distance % lanes != 0) return false;
      stride = distance / lanes;
      first = false;
    } else if (distance != stride * lanes) {
      return false;
    }
    before = lane;
  }
  return true;
}

}  // namespace cuvette::ptx

// SPDX-License-Identifier: Apache-2.0
// Arenas: one piece of each kind of memory, and a plain model of what it should contain.
#pragma once

#include <cuda.h>

#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

#include "tests/api/driver/gate.hpp"

// A box of bytes in an arena.
struct Box {
  size_t offset = 0;  // of the whole volume within the arena
  size_t x = 0, y = 0, z = 0;
  size_t pitch = 0, rows = 0;  // of the volume: bytes per row, rows per slice

  size_t at(size_t column, size_t row, size_t slice) const {
    return offset + ((z + slice) * rows + y + row) * pitch + x + column;
  }
};
struct Extent {
  size_t width = 0, height = 1, depth = 1;
};

class Arenas {
 public:
  static constexpr size_t size = 100'000;
  enum Kind { device, device_too, managed, pinned, registered, pageable, kinds };

  explicit Arenas(unsigned seed) : random(seed) {
    for (const Kind kind : {device, device_too})
      EXPECT_EQ(cuMemAlloc(&at_[kind], size), CUDA_SUCCESS);
    EXPECT_EQ(cuMemAllocManaged(&at_[managed], size, CU_MEM_ATTACH_GLOBAL), CUDA_SUCCESS);
    void* memory = nullptr;
    EXPECT_EQ(cuMemAllocHost(&memory, size), CUDA_SUCCESS);
    at_[pinned] = reinterpret_cast<CUdeviceptr>(memory);
    for (const Kind kind : {registered, pageable}) {
      own_[kind - registered].resize(size);
      at_[kind] = reinterpret_cast<CUdeviceptr>(own_[kind - registered].data());
    }
    EXPECT_EQ(cuMemHostRegister(own_[0].data(), size, 0), CUDA_SUCCESS);
    for (int kind = 0; kind < kinds; ++kind) {
      model_[kind].resize(size);
      for (uint8_t& byte : model_[kind]) byte = static_cast<uint8_t>(random());
      EXPECT_EQ(cuMemcpy(at_[kind], reinterpret_cast<CUdeviceptr>(model_[kind].data()), size),
                CUDA_SUCCESS);
    }
    EXPECT_EQ(cuCtxSynchronize(), CUDA_SUCCESS);
  }
  ~Arenas() {
    EXPECT_EQ(cuCtxSynchronize(), CUDA_SUCCESS);
    EXPECT_EQ(cuMemHostUnregister(own_[0].data()), CUDA_SUCCESS);
    EXPECT_EQ(cuMemFreeHost(reinterpret_cast<void*>(at_[pinned])), CUDA_SUCCESS);
    for (const Kind kind : {device, device_too, managed})
      EXPECT_EQ(cuMemFree(at_[kind]), CUDA_SUCCESS);
  }
  Arenas(const Arenas&) = delete;
  Arenas& operator=(const Arenas&) = delete;

  CUdeviceptr at(Kind kind, size_t offset) const { return at_[kind] + offset; }
  static bool on_host(Kind kind) { return kind >= pinned; }
  // Whether a CUdeviceptr passed to an API for device memory may name it.
  static bool reachable(Kind kind) { return kind != pageable; }

  size_t below(size_t limit) { return limit ? random() % limit : 0; }
  Kind any_kind() { return static_cast<Kind>(below(kinds)); }

  // Returns a box of this extent inside a larger volume, at a random place.
  Box any_box(const Extent& extent) {
    for (;;) {
      Box box;
      box.x = below(40), box.y = below(4), box.z = below(3);
      box.pitch = box.x + extent.width + below(50);
      box.rows = box.y + extent.height + below(4);
      const size_t end = box.at(extent.width, extent.height - 1, extent.depth - 1);
      if (end > size) {
        box.x = box.y = box.z = 0;
        box.pitch = extent.width, box.rows = extent.height;
        if (extent.width * extent.height * extent.depth > size) continue;
        return box;
      }
      box.offset = below(size - end + 1);
      return box;
    }
  }

  // Applies a copy to the model. Overlapping boxes are copied as if through a third place.
  void copied(Kind to, const Box& target, Kind from, const Box& source, const Extent& extent) {
    std::vector<uint8_t> between;
    visit(extent, [&](size_t row, size_t slice) {
      const uint8_t* begin = &model_[from][source.at(0, row, slice)];
      between.insert(between.end(), begin, begin + extent.width);
    });
    size_t done = 0;
    visit(extent, [&](size_t row, size_t slice) {
      memcpy(&model_[to][target.at(0, row, slice)], &between[done], extent.width);
      done += extent.width;
    });
  }
  // Applies a fill to the model, in elements of `element` bytes.
  void filled(Kind kind, const Box& box, const Extent& extent, unsigned value, size_t element) {
    visit(extent, [&](size_t row, size_t slice) {
      for (size_t i = 0; i < extent.width; ++i)
        model_[kind][box.at(i, row, slice)] = static_cast<uint8_t>(value >> (i % element * 8));
    });
  }

  // Whether all memory matches the model.
  testing::AssertionResult same() {
    if (cuCtxSynchronize() != CUDA_SUCCESS)
      return testing::AssertionFailure() << "the context failed";
    std::vector<uint8_t> bytes(size);
    for (int kind = 0; kind < kinds; ++kind) {
      if (cuMemcpy(reinterpret_cast<CUdeviceptr>(bytes.data()), at_[kind], size) != CUDA_SUCCESS)
        return testing::AssertionFailure() << "arena " << kind << " cannot be read";
      for (size_t i = 0; i < size; ++i)
        if (bytes[i] != model_[kind][i])
          return testing::AssertionFailure()
                 << "arena " << kind << " differs at " << i << ": " << int{bytes[i]}
                 << " instead of " << int{model_[kind][i]};
    }
    return testing::AssertionSuccess();
  }

  std::mt19937 random;

 private:
  template <typename Visitor>
  static void visit(const Extent& extent, Visitor visitor) {
    for (size_t slice = 0; slice < extent.depth; ++slice)
      for (size_t row = 0; row < extent.height; ++row) visitor(row, slice);
  }

  CUdeviceptr at_[kinds] = {};
  std::vector<uint8_t> own_[2];
  std::vector<uint8_t> model_[kinds];
};

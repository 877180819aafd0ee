// SPDX-License-Identifier: Apache-2.0
// Random boxes between arrays, device memory and host memory, compared with vectors of bytes.
#include <cuda.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <random>

#include "tests/api/driver/arrays.hpp"

namespace {

std::mt19937 generator;
size_t below(size_t limit) { return limit ? generator() % limit : 0; }
size_t between(size_t least, size_t most) { return least + below(most - least + 1); }

// Something to copy from or to, and what it should contain.
struct Volume {
  CUmemorytype type = CU_MEMORYTYPE_ARRAY;
  CUarray array = nullptr;
  CUdeviceptr at = 0;  // address of the first byte, also for host memory
  ByteExtents extents;
  size_t unit = 1;   // x must be a multiple of this many bytes, as documented
  size_t block = 0;  // size of a block, which is only copied whole; 0: none
  std::vector<uint8_t> model;
  std::vector<uint8_t> own;  // the pageable memory, if that is what it is

  uint8_t* row(size_t y, size_t z) { return &model[(z * extents.rows + y) * extents.row]; }
};

Volume random_array(std::vector<CUmipmappedArray>& levels) {
  const auto formats = element_formats();
  const ElementFormat format = formats[below(formats.size())];
  CUDA_ARRAY3D_DESCRIPTOR shape = shape_of(between(1, 60), between(1, 40), 0, 0, format);
  switch (below(5)) {
    case 0:
      if (format.block == 1) shape.Height = 0;
      break;
    case 1:
      shape.Depth = between(1, 8);
      break;
    case 2:
      shape.Depth = between(1, 8);
      shape.Flags = CUDA_ARRAY3D_LAYERED;
      break;
    case 3:
      shape.Height = shape.Width;
      shape.Depth = 6;
      shape.Flags = CUDA_ARRAY3D_CUBEMAP;
      break;
    default:
      break;
  }
  Volume volume;
  if (below(3) == 0) {
    levels.push_back(new_levels(shape, 4));
    // Takes one of the first three levels, or the last level that exists.
    for (unsigned level = 0; level <= below(3); ++level)
      static_cast<void>(cuMipmappedArrayGetLevel(&volume.array, levels.back(), level));
    shape = descriptor_of(volume.array);
  } else {
    volume.array = new_array(shape);
  }
  volume.extents = ByteExtents::of(shape, format);
  volume.unit = format.bytes;
  if (format.block > 1) volume.block = format.bytes;
  volume.model = different_bytes(volume.extents.size(), generator());
  write_all(volume.array, volume.extents, volume.model);
  return volume;
}

Volume random_memory() {
  Volume volume;
  volume.extents = {between(1, 900), between(1, 40), between(1, 8)};
  volume.model = different_bytes(volume.extents.size(), generator());
  const size_t size = volume.model.size();
  switch (below(3)) {
    case 0:
      volume.type = below(2) ? CU_MEMORYTYPE_DEVICE : CU_MEMORYTYPE_UNIFIED;
      volume.at = new_memory(size);
      EXPECT_EQ(cuMemcpyHtoD(volume.at, volume.model.data(), size), CUDA_SUCCESS);
      return volume;
    case 1: {
      volume.type = CU_MEMORYTYPE_HOST;
      void* pinned = nullptr;
      EXPECT_EQ(cuMemAllocHost(&pinned, size), CUDA_SUCCESS);
      memcpy(pinned, volume.model.data(), size);
      volume.at = reinterpret_cast<CUdeviceptr>(pinned);
      return volume;
    }
    default:
      volume.type = CU_MEMORYTYPE_HOST;
      volume.own = volume.model;
      volume.at = reinterpret_cast<CUdeviceptr>(volume.own.data());
      return volume;
  }
}

std::vector<uint8_t> contents(Volume& volume) {
  if (volume.array) return read_all(volume.array, volume.extents);
  std::vector<uint8_t> bytes(volume.model.size());
  EXPECT_EQ(cuMemcpy(reinterpret_cast<CUdeviceptr>(bytes.data()), volume.at, bytes.size()),
            CUDA_SUCCESS);
  return bytes;
}

struct Position {
  size_t x, y, z;
};
Position random_position(const Volume& volume, const ByteExtents& box) {
  return {below((volume.extents.row - box.row) / volume.unit + 1) * volume.unit,
          below(volume.extents.rows - box.rows + 1), below(volume.extents.slices - box.slices + 1)};
}

template <typename Description>
void describe(Description& d, const Volume& to, const Position& target, const Volume& from,
              const Position& source, const ByteExtents& box) {
  d.dstMemoryType = to.type, d.srcMemoryType = from.type;
  d.dstArray = to.array, d.srcArray = from.array;
  d.dstHost = reinterpret_cast<void*>(to.at), d.srcHost = reinterpret_cast<void*>(from.at);
  d.dstDevice = to.at, d.srcDevice = from.at;
  d.dstXInBytes = target.x, d.dstY = target.y;
  d.srcXInBytes = source.x, d.srcY = source.y;
  d.dstPitch = to.extents.row, d.srcPitch = from.extents.row;
  d.WidthInBytes = box.row, d.Height = box.rows;
  if constexpr (requires { d.Depth; }) {
    d.dstZ = target.z, d.srcZ = source.z;
    d.dstHeight = to.extents.rows, d.srcHeight = from.extents.rows;
    d.Depth = box.slices;
  }
}

CUresult copy(const Volume& to, Position target, const Volume& from, Position source,
              const ByteExtents& box, bool flat, CUstream stream) {
  if (flat) {
    CUDA_MEMCPY2D d{};
    describe(d, to, target, from, source, box);
    switch (below(3)) {
      case 0:
        return cuMemcpy2D(&d);
      case 1:
        return cuMemcpy2DUnaligned(&d);
      default:
        return cuMemcpy2DAsync(&d, stream);
    }
  }
  if (below(4) == 0) {
    CUDA_MEMCPY3D_PEER d{};
    describe(d, to, target, from, source, box);
    return below(2) ? cuMemcpy3DPeer(&d) : cuMemcpy3DPeerAsync(&d, stream);
  }
  CUDA_MEMCPY3D d{};
  describe(d, to, target, from, source, box);
  return below(2) ? cuMemcpy3D(&d) : cuMemcpy3DAsync(&d, stream);
}

class RandomBoxes : public testing::TestWithParam<unsigned> {};

TEST_P(RandomBoxes, AreAsTheModelSays) {
  generator.seed(GetParam());
  const Scene scene;
  const CUstream stream = new_stream(CU_STREAM_DEFAULT);  // ordered with the null stream
  std::vector<CUmipmappedArray> levels;
  std::vector<std::unique_ptr<Volume>> volumes;
  for (int i = 0; i < 8; ++i) volumes.push_back(std::make_unique<Volume>(random_array(levels)));
  for (int i = 0; i < 6; ++i) volumes.push_back(std::make_unique<Volume>(random_memory()));
  int copies = 0;
  for (int i = 0; i < 600; ++i) {
    Volume &to = *volumes[below(volumes.size())], &from = *volumes[below(volumes.size())];
    if (&to == &from) continue;  // overlapping boxes are undefined
    if (!to.array && !from.array) continue;
    // Blocks can only be copied to blocks or elements of the same size.
    const size_t block = std::max(to.block, from.block);
    if (block && to.array && from.array && to.unit != from.unit) continue;
    const auto least = [](size_t a, size_t b, size_t c) { return std::min({a, b, c}); };
    ByteExtents box{between(1, std::min(to.extents.row, from.extents.row)),
                    between(1, least(to.extents.rows, from.extents.rows, 40)),
                    between(1, least(to.extents.slices, from.extents.slices, 8))};
    if (block) box.row = box.row / block * block;
    if (box.row == 0) continue;
    Position target = random_position(to, box), source = random_position(from, box);
    const bool flat = below(2);
    if (flat) box.slices = 1, target.z = source.z = 0;
    ASSERT_EQ(copy(to, target, from, source, box, flat, stream), CUDA_SUCCESS) << i;
    for (size_t z = 0; z < box.slices; ++z)
      for (size_t y = 0; y < box.rows; ++y)
        memcpy(to.row(target.y + y, target.z + z) + target.x,
               from.row(source.y + y, source.z + z) + source.x, box.row);
    ++copies;
  }
  EXPECT_GT(copies, 150);
  OK(cuCtxSynchronize());
  for (size_t i = 0; i < volumes.size(); ++i)
    EXPECT_EQ(contents(*volumes[i]), volumes[i]->model) << "volume " << i;
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomBoxes, testing::Range(1u, 13u));

}  // namespace

// SPDX-License-Identifier: Apache-2.0
// Memory and images of a Vulkan driver, in files as lavapipe exports them: mapped buffers and
// arrays are aliases of the exporter's pages. tests/conformance/external_images.cpp asks a real
// Vulkan driver.
#include <cuda.h>

#include <cstring>
#include <string>

#include "tests/api/driver/shared_segment.hpp"
#include "tests/api/driver/texture_scene.hpp"

namespace {

constexpr size_t page = 4096, slack = 40;

// A file as lavapipe exports it.
class LavapipeMemory {
 public:
  explicit LavapipeMemory(size_t size)
      : fd_(memfd_create("llvmpipe memory fd", MFD_ALLOW_SEALING)),
        view_(make(fd_, size), total(size)) {
    const uint64_t header[] = {total(size), page};
    memcpy(view_.bytes(), header, sizeof header);
    memcpy(view_.bytes() + page - 8, &header[1], 8);
  }
  ~LavapipeMemory() { close(fd_); }

  int duplicate() const { return dup(fd_); }
  char* header() const { return view_.bytes(); }
  char* bytes() const { return view_.bytes() + page; }

 private:
  static size_t total(size_t size) { return page + size + slack; }
  static int make(int fd, size_t size) {
    EXPECT_EQ(ftruncate(fd, static_cast<off_t>(total(size))), 0);
    EXPECT_EQ(fcntl(fd, F_ADD_SEALS, F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW), 0);
    return fd;
  }
  const int fd_;
  const View view_;
};

CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC image(size_t width, size_t height, CUarray_format format,
                                                unsigned channels, unsigned levels = 1) {
  CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC description{};
  description.arrayDesc.Width = width;
  description.arrayDesc.Height = height;
  description.arrayDesc.Format = format;
  description.arrayDesc.NumChannels = channels;
  description.numLevels = levels;
  return description;
}

TEST(cuImportExternalMemory, SkipsTheHeaderOfLavapipesMemory) {
  const Scene scene;
  const LavapipeMemory exporter(65536);
  const CUexternalMemory memory = import(exporter.duplicate(), 65536);
  const CUdeviceptr whole = map(memory, 0, 65536), part = map(memory, 12345, 100);
  EXPECT_EQ(whole % 65536, 0u);
  EXPECT_EQ(part % 65536, 12345u);
  OK(cuMemsetD8(whole, 1, 65536));
  OK(cuMemsetD8(part, 2, 100));
  OK(cuCtxSynchronize());
  EXPECT_EQ(exporter.bytes()[0], 1);
  EXPECT_EQ(exporter.bytes()[65535], 1);
  EXPECT_EQ(exporter.bytes()[65536], 0) << "behind it";
  EXPECT_EQ(exporter.bytes()[12344], 1);
  EXPECT_EQ(exporter.bytes()[12345], 2);
  EXPECT_EQ(exporter.bytes()[12444], 2);
  EXPECT_EQ(exporter.bytes()[12445], 1);
  uint64_t offset = 0;
  memcpy(&offset, exporter.header() + 8, 8);
  EXPECT_EQ(offset, page) << "the header is left alone";
  exporter.bytes()[7] = 77;
  char byte = 0;
  OK(cuMemcpyDtoH(&byte, whole + 7, 1));
  EXPECT_EQ(byte, 77);
  OK(cuDestroyExternalMemory(memory));
  OK(cuMemsetD8(part, 3, 100));
  OK(cuCtxSynchronize());
  EXPECT_EQ(exporter.bytes()[12345], 3);
  OK(cuMemFree(whole));
  OK(cuMemFree(part));
}

TEST(cuImportExternalMemory, RefusesMoreThanLavapipesMemory) {
  const Scene scene;
  const LavapipeMemory exporter(65536);
  for (const size_t size : {size_t{65536 + slack + 1}, size_t{65536 + page}, size_t{1} << 40}) {
    const int fd = exporter.duplicate();
    const auto description = describe(fd, size);
    CUexternalMemory memory = nullptr;
    EXPECT_EQ(cuImportExternalMemory(&memory, &description), CUDA_ERROR_INVALID_VALUE);
    EXPECT_TRUE(is_open(fd));
    close(fd);
  }
}

TEST(cuImportExternalMemory, RefusesLavapipesMemoryWithADamagedHeader) {
  const Scene scene;
  for (const int at : {0, 9, static_cast<int>(page) - 8}) {
    const LavapipeMemory exporter(65536);
    exporter.header()[at] = static_cast<char>(exporter.header()[at] ^ 1);
    const int fd = exporter.duplicate();
    const auto description = describe(fd, 65536);
    CUexternalMemory memory = nullptr;
    EXPECT_EQ(cuImportExternalMemory(&memory, &description), CUDA_ERROR_UNKNOWN) << at;
    EXPECT_TRUE(is_open(fd));
    close(fd);
  }
}

// lavapipe's rows of 100 elements of 4 bytes are 448 bytes apart; level 1 begins at 17920.
TEST(cuExternalMemoryGetMappedMipmappedArray, GivesArraysOfTheImagesBytes) {
  const Scene scene;
  const LavapipeMemory exporter(65536);
  constexpr size_t begin = 4096, pitch = 448, level_1 = 17920, pitch_1 = 256;
  const CUexternalMemory memory = import(exporter.duplicate(), 65536);
  auto description = image(100, 37, CU_AD_FORMAT_UNSIGNED_INT32, 1, 2);
  description.offset = begin;
  description.arrayDesc.Flags = CUDA_ARRAY3D_SURFACE_LDST;
  CUmipmappedArray arrays = nullptr;
  OK(cuExternalMemoryGetMappedMipmappedArray(&arrays, memory, &description));
  OK(cuDestroyExternalMemory(memory));
  CUarray level = nullptr;
  const auto word_at = [&](size_t at) {
    uint32_t word;
    memcpy(&word, exporter.bytes() + begin + at, sizeof word);
    return word;
  };
  OK(cuMipmappedArrayGetLevel(&level, arrays, 0));
  Program write("sust.b.2d.b32.trap [%O,{%x,%y}],{%x};");
  OK(write.run(surface_of(level), 4 * 99, 36));
  EXPECT_EQ(word_at(36 * pitch + 4 * 99), 4 * 99u);
  OK(cuMipmappedArrayGetLevel(&level, arrays, 1));
  OK(write.run(surface_of(level), 4 * 49, 17));
  EXPECT_EQ(word_at(level_1 + 17 * pitch_1 + 4 * 49), 4 * 49u);
  // What the exporter writes, kernels read.
  const uint32_t value = 0xabcd;
  memcpy(exporter.bytes() + begin + level_1 + 3 * pitch_1 + 4 * 5, &value, sizeof value);
  Program read(read_at);
  OK(read.run(texture_of(level), 5, 3));
  EXPECT_EQ(read.word(), value);
  OK(cuMipmappedArrayDestroy(arrays));
  EXPECT_EQ(cuMipmappedArrayDestroy(arrays), CUDA_ERROR_INVALID_HANDLE);
}

TEST(cuExternalMemoryGetMappedMipmappedArray, MustLieInsideTheMemory) {
  const Scene scene;
  const LavapipeMemory exporter(65536);
  const CUexternalMemory memory = import(exporter.duplicate(), 36 * 448 + 400 + 1000);
  auto description = image(100, 37, CU_AD_FORMAT_UNSIGNED_INT8, 4);
  for (const auto& [offset, result] : {std::pair<unsigned long long, CUresult>{0, CUDA_SUCCESS},
                                       {1, CUDA_SUCCESS},
                                       {1000, CUDA_SUCCESS},
                                       {1001, CUDA_ERROR_INVALID_VALUE},
                                       {1ull << 40, CUDA_ERROR_INVALID_VALUE},
                                       {~0ull, CUDA_ERROR_INVALID_VALUE}}) {
    description.offset = offset;
    CUmipmappedArray arrays = nullptr;
    EXPECT_EQ(cuExternalMemoryGetMappedMipmappedArray(&arrays, memory, &description), result)
        << offset;
    if (arrays) {
      OK(cuMipmappedArrayDestroy(arrays));
    }
  }
  description.offset = 0;
  CUmipmappedArray arrays = nullptr;
  for (const unsigned levels : {0u, 8u, ~0u}) {
    description.numLevels = levels;
    EXPECT_EQ(cuExternalMemoryGetMappedMipmappedArray(&arrays, memory, &description),
              CUDA_ERROR_INVALID_VALUE);
  }
  description.numLevels = 1;
  description.arrayDesc.Format = CU_AD_FORMAT_NV12;
  description.arrayDesc.NumChannels = 3;
  EXPECT_EQ(cuExternalMemoryGetMappedMipmappedArray(&arrays, memory, &description),
            CUDA_ERROR_NOT_SUPPORTED);
  OK(cuDestroyExternalMemory(memory));
  EXPECT_EQ(cuExternalMemoryGetMappedMipmappedArray(&arrays, memory, &description),
            CUDA_ERROR_INVALID_HANDLE);
}

// The memory counts neither as the device's nor is it found by its address.
TEST(cuExternalMemoryGetMappedMipmappedArray, LeavesNothingBehind) {
  const Scene scene;
  const LavapipeMemory exporter(65536);
  const CUexternalMemory memory = import(exporter.duplicate(), 65536);
  const auto description = image(64, 64, CU_AD_FORMAT_UNSIGNED_INT8, 4);
  size_t before = 0, after = 0, total = 0;
  OK(cuMemGetInfo(&before, &total));
  for (int round = 0; round < 1000; ++round) {
    CUmipmappedArray arrays = nullptr;
    ASSERT_EQ(cuExternalMemoryGetMappedMipmappedArray(&arrays, memory, &description), CUDA_SUCCESS);
    ASSERT_EQ(cuMipmappedArrayDestroy(arrays), CUDA_SUCCESS);
  }
  OK(cuMemGetInfo(&after, &total));
  EXPECT_EQ(after, before);
  OK(cuDestroyExternalMemory(memory));
}

}  // namespace

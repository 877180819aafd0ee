// SPDX-License-Identifier: Apache-2.0
// Pictures of four bytes an element, copied into and out of arrays. Floor: memcpy row by row
// between two private mappings of the same kind of pages (shared, 4 KiB), with the host's rows on
// one side and rows at multiples of 64 bytes on the other, by as many threads as there are cores
// where the picture is large enough for that.
#include <sys/mman.h>

#include <cstring>
#include <thread>
#include <vector>

#include "bench/api/driver/scene.hpp"
#include "bench/floor.hpp"

namespace {

using namespace cuvette::bench;

constexpr size_t element = 4;

struct Picture {
  Picture(size_t width, size_t height)
      : row(width * element),
        rows(height),
        pitch((row + 63) / 64 * 64),
        size(pitch * height),
        host(pages(size)) {}
  ~Picture() { munmap(host, size); }

  // Returns shared memory whose pages have been touched, as device memory's have been.
  static char* pages(size_t size) {
    void* const data =
        mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    std::memset(data, 1, size);
    return static_cast<char*>(data);
  }

  size_t row, rows, pitch, size;
  char* host;
};

double row_loop_floor(const Picture& picture, bool to_array) {
  char* const array = Picture::pages(picture.size);
  const auto copy_rows = [&](size_t first, size_t end) {
    for (size_t y = first; y < end; ++y) {
      char* const at_host = picture.host + y * picture.row;
      char* const at_array = array + y * picture.pitch;
      std::memcpy(to_array ? at_array : at_host, to_array ? at_host : at_array, picture.row);
    }
    benchmark::ClobberMemory();
  };
  const unsigned threads =
      picture.size >= (1 << 20) ? std::max(1u, std::thread::hardware_concurrency()) : 1;
  const double floor = floor_ns([&] {
    std::vector<std::thread> others;
    for (unsigned i = 1; i < threads; ++i)
      others.emplace_back(copy_rows, picture.rows * i / threads, picture.rows * (i + 1) / threads);
    copy_rows(0, picture.rows / threads);
    for (std::thread& other : others) other.join();
  });
  munmap(array, picture.size);
  return floor;
}

void copy_picture(benchmark::State& state, bool to_array) {
  set_scene();
  const auto width = static_cast<size_t>(state.range(0)),
             height = static_cast<size_t>(state.range(1));
  const Picture picture(width, height);
  const CUDA_ARRAY_DESCRIPTOR shape{width, height, CU_AD_FORMAT_UNSIGNED_INT8, element};
  CUarray array = nullptr;
  NEED(cuArrayCreate(&array, &shape));
  CUDA_MEMCPY2D copy{};
  copy.srcMemoryType = to_array ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_ARRAY;
  copy.dstMemoryType = to_array ? CU_MEMORYTYPE_ARRAY : CU_MEMORYTYPE_HOST;
  copy.srcHost = copy.dstHost = picture.host;
  copy.srcArray = copy.dstArray = array;
  if (to_array)
    copy.srcPitch = picture.row;
  else
    copy.dstPitch = picture.row;
  copy.WidthInBytes = picture.row;
  copy.Height = height;
  NEED(cuMemcpy2D(&copy));
  against_floor(state, row_loop_floor(picture, to_array), [&] { cuMemcpy2D(&copy); });
  state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(picture.row * height));
  NEED(cuArrayDestroy(array));
}

// Sizes: a thumbnail, a picture whose rows have gaps in the array, and a frame of a film.
void pictures(benchmark::internal::Benchmark* bench) {
  bench->Args({64, 64})->Args({1000, 1000})->Args({1920, 1080})->UseRealTime();
}

void BM_cuMemcpy2D_host_to_array(benchmark::State& state) { copy_picture(state, true); }
BENCHMARK(BM_cuMemcpy2D_host_to_array)->Apply(pictures);

void BM_cuMemcpy2D_array_to_host(benchmark::State& state) { copy_picture(state, false); }
BENCHMARK(BM_cuMemcpy2D_array_to_host)->Apply(pictures);

void BM_cuArrayCreate_and_destroy(benchmark::State& state) {
  set_scene();
  const CUDA_ARRAY_DESCRIPTOR shape{64, 64, CU_AD_FORMAT_UNSIGNED_INT8, element};
  for (auto _ : state) {
    CUarray array = nullptr;
    cuArrayCreate(&array, &shape);
    cuArrayDestroy(array);
  }
}
BENCHMARK(BM_cuArrayCreate_and_destroy);

void BM_cuTexObjectCreate_and_destroy(benchmark::State& state) {
  set_scene();
  const CUDA_ARRAY_DESCRIPTOR shape{64, 64, CU_AD_FORMAT_FLOAT, 1};
  CUDA_RESOURCE_DESC resource{};
  NEED(cuArrayCreate(&resource.res.array.hArray, &shape));
  const CUDA_TEXTURE_DESC way{};
  for (auto _ : state) {
    CUtexObject texture = 0;
    cuTexObjectCreate(&texture, &resource, &way, nullptr);
    cuTexObjectDestroy(texture);
  }
  NEED(cuArrayDestroy(resource.res.array.hArray));
}
BENCHMARK(BM_cuTexObjectCreate_and_destroy);

}  // namespace

// SPDX-License-Identifier: Apache-2.0
// Copies and fills of 4 B to 256 MiB. Floor: memcpy between two private mappings of the same kind
// of pages (shared, 4 KiB), by as many threads as there are cores where the copy is large enough
// for that.
#include <sys/mman.h>

#include <cstring>
#include <thread>
#include <vector>

#include "bench/api/driver/scene.hpp"
#include "bench/floor.hpp"

namespace {

using namespace cuvette::bench;

// Returns shared memory whose pages have been touched, as device memory's have been.
class Pages {
 public:
  explicit Pages(size_t size)
      : size_(size),
        data_(static_cast<char*>(
            mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0))) {
    std::memset(data_, 1, size);
  }
  ~Pages() { munmap(data_, size_); }
  char* get() const { return data_; }

 private:
  size_t size_;
  char* data_;
};

double memcpy_floor(size_t size) {
  Pages from(size), to(size);
  const unsigned threads =
      size >= (1 << 20) ? std::max(1u, std::thread::hardware_concurrency()) : 1;
  if (threads == 1) {
    return floor_ns([&] {
      std::memcpy(to.get(), from.get(), size);
      benchmark::ClobberMemory();
    });
  }
  return floor_ns([&] {
    std::vector<std::thread> others;
    const size_t part = size / threads;
    for (unsigned i = 1; i < threads; ++i)
      others.emplace_back(
          [&, i] { std::memcpy(to.get() + i * part, from.get() + i * part, part); });
    std::memcpy(to.get(), from.get(), part);
    for (std::thread& other : others) other.join();
  });
}

void sizes(benchmark::internal::Benchmark* bench) {
  for (const int64_t size : {4, 4096, 65536, 1 << 20, 16 << 20, 256 << 20}) bench->Arg(size);
  bench->UseRealTime();
}

void BM_cuMemcpyHtoD(benchmark::State& state) {
  const auto size = static_cast<size_t>(state.range(0));
  Buffer buffer(size);
  Pages host(size);
  against_floor(state, memcpy_floor(size), [&] { cuMemcpyHtoD(buffer.address, host.get(), size); });
  state.SetBytesProcessed(state.iterations() * state.range(0));
}
BENCHMARK(BM_cuMemcpyHtoD)->Apply(sizes);

void BM_cuMemcpyDtoH(benchmark::State& state) {
  const auto size = static_cast<size_t>(state.range(0));
  Buffer buffer(size);
  Pages host(size);
  against_floor(state, memcpy_floor(size), [&] { cuMemcpyDtoH(host.get(), buffer.address, size); });
  state.SetBytesProcessed(state.iterations() * state.range(0));
}
BENCHMARK(BM_cuMemcpyDtoH)->Apply(sizes);

void BM_cuMemcpyDtoD_and_synchronise(benchmark::State& state) {
  const auto size = static_cast<size_t>(state.range(0));
  Buffer from(size), to(size);
  Streams streams;
  against_floor(state, memcpy_floor(size), [&] {
    cuMemcpyDtoDAsync(to.address, from.address, size, streams.a);
    cuStreamSynchronize(streams.a);
  });
  state.SetBytesProcessed(state.iterations() * state.range(0));
}
BENCHMARK(BM_cuMemcpyDtoD_and_synchronise)->Apply(sizes);

void BM_cuMemcpyHtoDAsync_pageable(benchmark::State& state) {
  const auto size = static_cast<size_t>(state.range(0));
  Buffer buffer(size);
  Pages host(size);
  Streams streams;
  against_floor(state, memcpy_floor(size), [&] {
    cuMemcpyHtoDAsync(buffer.address, host.get(), size, streams.a);
    cuStreamSynchronize(streams.a);
  });
}
BENCHMARK(BM_cuMemcpyHtoDAsync_pageable)->Arg(4)->Arg(65536)->Arg(1 << 20)->UseRealTime();

void BM_cuMemsetD32_and_synchronise(benchmark::State& state) {
  const auto size = static_cast<size_t>(state.range(0));
  Buffer buffer(size);
  Streams streams;
  against_floor(state, memcpy_floor(size), [&] {
    cuMemsetD32Async(buffer.address, 7, size / 4, streams.a);
    cuStreamSynchronize(streams.a);
  });
  state.SetBytesProcessed(state.iterations() * state.range(0));
}
BENCHMARK(BM_cuMemsetD32_and_synchronise)->Apply(sizes);

}  // namespace

// SPDX-License-Identifier: Apache-2.0
// Reuse of a pool's freed memory: with each of the three attributes, and compared with a model that
// knows only the calls and the order between them.
#include <cuda.h>

#include <algorithm>
#include <array>
#include <map>
#include <random>
#include <vector>

#include "tests/api/driver/memory_pool_scene.hpp"

namespace {

constexpr size_t size = 20 * MiB;  // a pool's reservation does not hold two of these

// Stream A frees memory while it is held up, `orders` runs, and stream B allocates. Returns whether
// B gets that memory.
struct TwoStreams {
  TwoStreams() { pool.set(CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, UINT64_MAX); }
  ~TwoStreams() { EXPECT_EQ(cuCtxSynchronize(), CUDA_SUCCESS); }
  template <typename Orders>
  bool reused(Orders orders) {
    bool same = false;
    Gate gate(a);
    const CUdeviceptr first = pool.allocate(size, a);
    EXPECT_EQ(cuMemFreeAsync(first, a), CUDA_SUCCESS);
    orders(gate);
    const CUdeviceptr second = pool.allocate(size, b);
    same = first == second;
    EXPECT_EQ(cuMemFreeAsync(second, b), CUDA_SUCCESS);
    return same;
  }
  void event(CUstream from, CUstream to) {
    const CUevent event = new_event();
    EXPECT_EQ(cuEventRecord(event, from), CUDA_SUCCESS);
    EXPECT_EQ(cuStreamWaitEvent(to, event, 0), CUDA_SUCCESS);
    EXPECT_EQ(cuEventDestroy(event), CUDA_SUCCESS);
  }

  const Scene scene;
  const Pool pool;
  const CUstream a = new_stream(), b = new_stream(), c = new_stream();
};

const auto nothing = [](Gate&) {};

TEST(MemoryPoolReuse, IsImmediateInTheSameStream) {
  const Scene scene;
  const Pool pool;
  pool.allow(false, false, false);
  const CUstream stream = new_stream();
  Gate gate(stream);
  const CUdeviceptr first = pool.allocate(size, stream);
  OK(cuMemFreeAsync(first, stream));
  const CUdeviceptr second = pool.allocate(size, stream);
  EXPECT_EQ(second, first);
  OK(cuMemFreeAsync(second, stream));
}

TEST(MemoryPoolReuse, WithoutOrderTakesOtherMemory) {
  TwoStreams two;
  EXPECT_FALSE(two.reused(nothing));
}

TEST(MemoryPoolReuse, FollowsEventsIfItMay) {
  for (const bool may : {true, false}) {
    TwoStreams two;
    two.pool.allow(may, false, false);
    EXPECT_EQ(two.reused([&](Gate&) { two.event(two.a, two.b); }), may);
  }
}

TEST(MemoryPoolReuse, FollowsEventsThroughAThirdStream) {
  TwoStreams two;
  two.pool.allow(true, false, false);
  EXPECT_TRUE(two.reused([&](Gate&) {
    two.event(two.a, two.c);
    two.event(two.c, two.b);
  }));
}

TEST(MemoryPoolReuse, IsNotOrderedByAnEventOfBefore) {
  TwoStreams two;
  two.pool.allow(true, false, false);
  const CUevent before = new_event();
  OK(cuEventRecord(before, two.a));
  EXPECT_FALSE(
      two.reused([&](Gate&) { EXPECT_EQ(cuStreamWaitEvent(two.b, before, 0), CUDA_SUCCESS); }));
}

TEST(MemoryPoolReuse, IsNotOrderedByAnEventThatWasRecordedAnew) {
  TwoStreams two;
  two.pool.allow(true, false, false);
  const CUevent event = new_event();
  EXPECT_FALSE(two.reused([&](Gate&) {
    EXPECT_EQ(cuEventRecord(event, two.a), CUDA_SUCCESS);
    EXPECT_EQ(cuEventRecord(event, two.c), CUDA_SUCCESS);
    EXPECT_EQ(cuStreamWaitEvent(two.b, event, 0), CUDA_SUCCESS);
  }));
}

TEST(MemoryPoolReuse, IsOpportunisticIfItMay) {
  for (const bool may : {true, false}) {
    TwoStreams two;
    two.pool.allow(true, may, false);
    EXPECT_EQ(two.reused([&](Gate& gate) {
      gate.open();
      EXPECT_TRUE(eventually([&] { return cuStreamQuery(two.a) == CUDA_SUCCESS; }));
    }),
              may);
  }
}

// "... the allocator will still reuse memory made available when a stream is synchronized with the
// CPU".
TEST(MemoryPoolReuse, KnowsWhatTheHostHasWaitedFor) {
  for (const int how : {0, 1, 2}) {
    TwoStreams two;
    two.pool.allow(false, false, false);
    const CUevent event = new_event();
    EXPECT_TRUE(two.reused([&](Gate& gate) {
      EXPECT_EQ(cuEventRecord(event, two.a), CUDA_SUCCESS);
      gate.open();
      EXPECT_EQ(how == 0   ? cuStreamSynchronize(two.a)
                : how == 1 ? cuEventSynchronize(event)
                           : cuCtxSynchronize(),
                CUDA_SUCCESS);
    })) << how;
  }
}

TEST(MemoryPoolReuse, InsertsADependencyOnlyWhereThereIsNoOtherMemory) {
  const Scene scene;
  for (const bool may : {true, false}) {
    const CUstream a = new_stream(), b = new_stream();
    CUmemPoolProps properties = pool_properties();
    properties.maxSize = 32 * MiB;
    const Pool pool(properties);
    pool.allow(true, true, may);
    {
      Gate gate(a);
      const CUdeviceptr first = pool.allocate(size, a);
      OK(cuMemFreeAsync(first, a));
      CUdeviceptr second = 0;
      EXPECT_EQ(cuMemAllocFromPoolAsync(&second, size, pool.handle, b),
                may ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY);
      let_things_happen();
      EXPECT_EQ(cuStreamQuery(b), may ? CUDA_ERROR_NOT_READY : CUDA_SUCCESS) << "b waits for a";
      if (may) {
        EXPECT_EQ(second, first);
        OK(cuMemFreeAsync(second, b));
      }
    }
    OK(cuCtxSynchronize());
  }
}

TEST(MemoryPoolReuse, OfMemoryThatCuMemFreeTookTooEarlyWaitsForItsUsers) {
  TwoStreams two;
  CUdeviceptr first;
  {
    Gate gate(two.a);
    first = two.pool.allocate(size, two.a);
    OK(cuMemFree(first));  // the allocation itself has not happened yet
    const CUdeviceptr second = two.pool.allocate(size, two.b);
    EXPECT_NE(second, first);
    OK(cuMemFreeAsync(second, two.b));
  }
  OK(cuCtxSynchronize());
  OK(cuMemFreeAsync(two.pool.allocate(60 * MiB, two.b), two.b));
}

// --- Against a model -----------------------------------------------------------------------------

constexpr size_t streams = 4, events = 4;
using Clock = std::array<uint64_t, streams>;

// Device memory, host memory and managed memory in turn.
CUmemPoolProps properties_of_turn(unsigned turn) {
  return turn % 3 == 0 ? pool_properties()
                       : pool_properties(host_pools[turn % 3 == 1 ? 0 : 2 + turn / 3 % 4]);
}

void join(Clock& clock, const Clock& other) {
  for (size_t i = 0; i < streams; ++i) clock[i] = std::max(clock[i], other[i]);
}

struct Model {
  std::array<Clock, streams> clock{};  // what comes before each stream's next command
  std::array<Clock, events> event{};
  Clock host{};  // what comes before the next call
  struct Freed {
    CUdeviceptr begin, end;
    size_t stream;
    uint64_t at;
  };
  std::vector<Freed> freed;
  std::map<CUdeviceptr, size_t> living;  // addresses and sizes

  uint64_t command(size_t stream) {
    join(clock[stream], host);
    return ++clock[stream][stream];
  }
};

// With opportunistic and internal reuse off, memory may only go where order allows it.
TEST(MemoryPoolReuse, IsOrderedBehindTheFreeWhateverIsAsked) {
  size_t reuses = 0;
  for (unsigned seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    const auto below = [&](size_t limit) { return static_cast<size_t>(random() % limit); };
    const Scene scene;
    const Pool pool(properties_of_turn(seed));
    const bool follow = seed / 3 % 3 != 0;
    pool.allow(follow, false, false);
    // Keeps the memory in the pool: once released to the device, it could come back to anyone.
    pool.set(CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, UINT64_MAX);
    CUstream stream[streams];
    CUevent event[events];
    for (CUstream& one : stream) one = new_stream();
    for (CUevent& one : event) one = new_event();
    Model model;
    for (int step = 0; step < 300; ++step) {
      const size_t s = below(streams), e = below(events);
      switch (below(12)) {
        default: {
          const size_t bytes = 1 + below(3 * MiB);
          const CUdeviceptr begin = pool.allocate(bytes, stream[s]);
          model.command(s);
          const auto next = model.living.lower_bound(begin);
          ASSERT_TRUE(next == model.living.end() || next->first >= begin + bytes);
          if (next != model.living.begin()) {
            const auto previous = std::prev(next);
            ASSERT_LE(previous->first + previous->second, begin);
          }
          // Memory that is allocated is no longer free; only its next free counts.
          std::vector<Model::Freed> left;
          for (const Model::Freed& freed : model.freed) {
            const CUdeviceptr end = (begin + bytes + 511) / 512 * 512;
            if (freed.end <= begin || freed.begin >= end) {
              left.push_back(freed);
              continue;
            }
            const bool known = freed.stream == s || model.host[freed.stream] >= freed.at ||
                               (follow && model.clock[s][freed.stream] >= freed.at);
            ASSERT_TRUE(known) << "step " << step;
            ++reuses;
            if (freed.begin < begin) left.push_back({freed.begin, begin, freed.stream, freed.at});
            if (freed.end > end) left.push_back({end, freed.end, freed.stream, freed.at});
          }
          model.freed = std::move(left);
          model.living[begin] = bytes;
          break;
        }
        case 4:
        case 5:
        case 6:
        case 7: {
          if (model.living.empty()) break;
          const auto one =
              std::next(model.living.begin(), static_cast<long>(below(model.living.size())));
          OK(cuMemFreeAsync(one->first, stream[s]));
          model.freed.push_back({one->first, one->first + one->second, s, model.command(s)});
          model.living.erase(one);
          break;
        }
        case 8:
          OK(cuEventRecord(event[e], stream[s]));
          model.command(s);
          model.event[e] = model.clock[s];
          break;
        case 9:
        case 10:
          OK(cuStreamWaitEvent(stream[s], event[e], 0));
          model.command(s);
          join(model.clock[s], model.event[e]);
          break;
        case 11:
          if (below(4)) break;
          OK(cuStreamSynchronize(stream[s]));
          join(model.host, model.clock[s]);
          break;
      }
    }
    for (const auto& [begin, bytes] : model.living) OK(cuMemFreeAsync(begin, stream[0]));
  }
  EXPECT_GT(reuses, 1000u) << "the test sees nothing if nothing is used again";
}

// With every kind of reuse on, and little memory, each allocation still has its bytes to itself.
TEST(MemoryPoolReuse, GivesNobodyMemoryThatIsInUse) {
  constexpr size_t word_count = 4096;
  for (unsigned seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    const Scene scene;
    CUmemPoolProps properties = properties_of_turn(seed);
    properties.maxSize = 2 * MiB;
    const Pool pool(properties);
    if (seed % 3 == 1) pool.let_device();
    CUstream stream[streams];
    for (CUstream& one : stream) one = new_stream(random() % 2 ? CU_STREAM_NON_BLOCKING : 0);
    constexpr size_t rounds = 400;
    void* memory;
    OK(cuMemAllocHost(&memory, rounds * 8));
    auto* seen = static_cast<uint32_t(*)[2]>(memory);
    for (uint32_t round = 0; round < rounds; ++round) {
      const CUstream s = stream[random() % streams];
      const size_t words = word_count * (1 + random() % 16);
      CUdeviceptr address = 0;
      // Pieces freed in several streams become one piece only when all of those frees are past.
      if (cuMemAllocFromPoolAsync(&address, words * 4, pool.handle, s) ==
          CUDA_ERROR_OUT_OF_MEMORY) {
        OK(cuCtxSynchronize());
        address = pool.allocate(words * 4, s);
      }
      OK(cuMemsetD32Async(address, round + 1, words, s));
      OK(cuMemcpyDtoHAsync(&seen[round][0], address, 4, s));
      OK(cuMemcpyDtoHAsync(&seen[round][1], address + (words - 1) * 4, 4, s));
      OK(cuMemFreeAsync(address, s));
    }
    OK(cuCtxSynchronize());
    for (uint32_t round = 0; round < rounds; ++round) {
      ASSERT_EQ(seen[round][0], round + 1);
      ASSERT_EQ(seen[round][1], round + 1);
    }
    OK(cuMemFreeHost(memory));
  }
}

}  // namespace

// SPDX-License-Identifier: Apache-2.0
// Copies of rows and slices: compared with a model, and refusals.
#include <cuda.h>

#include <functional>

#include "tests/api/driver/arenas.hpp"
#include "tests/api/driver/values.hpp"

namespace {

// Fills in a copy description of any type. The memory types say how the memory is named.
template <typename Description>
void describe(Description& d, CUmemorytype to_type, CUdeviceptr to, const Box& target,
              CUmemorytype from_type, CUdeviceptr from, const Box& source, const Extent& extent) {
  d.dstMemoryType = to_type;
  d.srcMemoryType = from_type;
  if (to_type == CU_MEMORYTYPE_HOST)
    d.dstHost = reinterpret_cast<void*>(to);
  else
    d.dstDevice = to;
  if (from_type == CU_MEMORYTYPE_HOST)
    d.srcHost = reinterpret_cast<void*>(from);
  else
    d.srcDevice = from;
  d.dstXInBytes = target.x, d.dstY = target.y, d.dstPitch = target.pitch;
  d.srcXInBytes = source.x, d.srcY = source.y, d.srcPitch = source.pitch;
  d.WidthInBytes = extent.width, d.Height = extent.height;
  if constexpr (requires { d.Depth; }) {
    d.dstZ = target.z, d.dstHeight = target.rows;
    d.srcZ = source.z, d.srcHeight = source.rows;
    d.Depth = extent.depth;
  }
}

// Random boxes between all kinds of memory.
template <typename Description>
void copy_as_the_model(const std::function<CUresult(const Description*, CUstream)>& call,
                       unsigned seed) {
  constexpr bool flat = !requires(Description d) { d.Depth; };
  const Scene scene;
  Arenas arenas(seed);
  const CUstream stream = new_stream(CU_STREAM_DEFAULT);
  const auto type = [&](Arenas::Kind kind) {
    const bool plain = arenas.below(2);
    if (kind == Arenas::pageable) return plain ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_UNIFIED;
    if (Arenas::on_host(kind) && plain) return CU_MEMORYTYPE_HOST;
    return arenas.below(2) ? CU_MEMORYTYPE_DEVICE : CU_MEMORYTYPE_UNIFIED;
  };
  for (int i = 0; i < 200; ++i) {
    const auto to = arenas.any_kind(), from = arenas.any_kind();
    if (to == from) continue;  // overlapping boxes are undefined
    Extent extent{1 + arenas.below(300), 1 + arenas.below(12), flat ? 1 : 1 + arenas.below(6)};
    Box target = arenas.any_box(extent), source = arenas.any_box(extent);
    if (flat) target.z = source.z = 0;
    const CUmemorytype to_type = type(to), from_type = type(from);
    Description d{};
    describe(d, to_type, arenas.at(to, target.offset), target, from_type,
             arenas.at(from, source.offset), source, extent);
    OK(call(&d, stream));
    arenas.copied(to, target, from, source, extent);
    if (i % 20 == 19) {
      ASSERT_TRUE(arenas.same()) << "after copy " << i;
    }
  }
  ASSERT_TRUE(arenas.same());
  OK(cuStreamDestroy(stream));
}

template <typename Function>
auto ignoring_stream(Function function) {
  return [function](auto* description, CUstream) { return function(description); };
}

TEST(cuMemcpy2D, DoesAsTheModel) {
  copy_as_the_model<CUDA_MEMCPY2D>(ignoring_stream(cuMemcpy2D), 21);
}
TEST(cuMemcpy2DUnaligned, DoesAsTheModel) {
  copy_as_the_model<CUDA_MEMCPY2D>(ignoring_stream(cuMemcpy2DUnaligned), 22);
}
TEST(cuMemcpy2DAsync, DoesAsTheModel) { copy_as_the_model<CUDA_MEMCPY2D>(cuMemcpy2DAsync, 23); }
TEST(cuMemcpy3D, DoesAsTheModel) {
  copy_as_the_model<CUDA_MEMCPY3D>(ignoring_stream(cuMemcpy3D), 24);
}
TEST(cuMemcpy3DAsync, DoesAsTheModel) { copy_as_the_model<CUDA_MEMCPY3D>(cuMemcpy3DAsync, 25); }
TEST(cuMemcpy3DPeer, DoesAsTheModel) {
  copy_as_the_model<CUDA_MEMCPY3D_PEER>(ignoring_stream(cuMemcpy3DPeer), 26);
}
TEST(cuMemcpy3DPeerAsync, DoesAsTheModel) {
  copy_as_the_model<CUDA_MEMCPY3D_PEER>(cuMemcpy3DPeerAsync, 27);
}

// A copy of 16 rows of 64 bytes from the program's memory into an allocation that they fill.
class Rows {
 public:
  Rows() : memory(new_memory(1024)), plain{} {
    describe(plain, CU_MEMORYTYPE_DEVICE, memory, Box{0, 0, 0, 0, 64, 0}, CU_MEMORYTYPE_HOST,
             reinterpret_cast<CUdeviceptr>(own), Box{0, 0, 0, 0, 64, 0}, Extent{64, 16});
  }
  // Makes `change` and returns the result, which must be the same for all forms of the call.
  CUresult with(const std::function<void(CUDA_MEMCPY2D&)>& change) const {
    CUDA_MEMCPY2D copy = plain;
    change(copy);
    const CUresult result = cuMemcpy2D(&copy);
    EXPECT_EQ(cuMemcpy2DUnaligned(&copy), result);
    EXPECT_EQ(cuMemcpy2DAsync(&copy, nullptr), result);
    EXPECT_EQ(cuCtxSynchronize(), CUDA_SUCCESS);
    return result;
  }

  static inline char own[8192];
  const CUdeviceptr memory;
  CUDA_MEMCPY2D plain;
};

TEST(cuMemcpy2D, StaysInside) {
  const Scene scene;
  const Rows rows;
  EXPECT_EQ(rows.with([](auto&) {}), CUDA_SUCCESS);
  EXPECT_EQ(rows.with([](auto& c) { c.Height = 17; }), invalid);
  EXPECT_EQ(rows.with([](auto& c) { c.dstY = 1; }), invalid);
  EXPECT_EQ(rows.with([](auto& c) { c.dstY = 1, c.Height = 15; }), CUDA_SUCCESS);
  EXPECT_EQ(rows.with([](auto& c) { c.dstXInBytes = 32, c.WidthInBytes = 32; }), CUDA_SUCCESS);
  EXPECT_EQ(rows.with([](auto& c) { c.dstXInBytes = 33, c.WidthInBytes = 32; }), invalid);
  EXPECT_EQ(rows.with([&](auto& c) { c.dstDevice = rows.memory + 1; }), invalid);
  EXPECT_EQ(rows.with([](auto& c) { c.dstDevice = 0; }), invalid);
  EXPECT_EQ(rows.with([](auto& c) { c.srcHost = nullptr; }), invalid);
  EXPECT_EQ(rows.with([](auto& c) { c.srcHost = nullptr, c.srcXInBytes = 8, c.WidthInBytes = 8; }),
            invalid);
  EXPECT_EQ(cuMemcpy2D(nullptr), invalid);
  EXPECT_EQ(cuMemcpy2DUnaligned(nullptr), invalid);
  EXPECT_EQ(cuMemcpy2DAsync(nullptr, nullptr), invalid);
}

TEST(cuMemcpy2D, LooksAtPitches) {
  const Scene scene;
  const Rows rows;
  EXPECT_EQ(rows.with([](auto& c) { c.dstPitch = 63; }), invalid);
  EXPECT_EQ(rows.with([](auto& c) { c.srcPitch = 63; }), invalid);
  EXPECT_EQ(rows.with([](auto& c) { c.srcPitch = c.dstPitch = 0; }), CUDA_SUCCESS);
  EXPECT_EQ(rows.with([](auto& c) { c.dstPitch = 0x7fffffff, c.Height = 1; }), CUDA_SUCCESS);
  EXPECT_EQ(rows.with([](auto& c) { c.dstPitch = 0x80000000, c.Height = 1; }), invalid);
  EXPECT_EQ(rows.with([](auto& c) { c.srcPitch = 0x80000000, c.Height = 1; }), invalid);
}

TEST(cuMemcpy2D, RefusesWhatIsLargerThanTheAddressSpace) {
  const Scene scene;
  const Rows rows;
  for (const size_t wide : {largest, largest - 31, size_t{1} << 63}) {
    EXPECT_EQ(rows.with([&](auto& c) { c.dstXInBytes = wide; }), invalid);
    EXPECT_EQ(rows.with([&](auto& c) { c.srcXInBytes = wide; }), invalid);
    EXPECT_EQ(rows.with([&](auto& c) { c.dstY = wide; }), invalid);
    EXPECT_EQ(rows.with([&](auto& c) { c.srcY = wide; }), invalid);
    EXPECT_EQ(rows.with([&](auto& c) { c.Height = wide; }), invalid);
    EXPECT_EQ(rows.with([&](auto& c) { c.WidthInBytes = wide; }), invalid);
  }
  EXPECT_EQ(rows.with([](auto& c) { c.dstY = size_t{1} << 58; }), invalid);
}

TEST(cuMemcpy2D, KnowsKindsOfMemory) {
  const Scene scene;
  const Rows rows;
  const auto own = reinterpret_cast<CUdeviceptr>(Rows::own);
  EXPECT_EQ(rows.with([](auto& c) { c.srcMemoryType = CUmemorytype(9); }), invalid);
  EXPECT_EQ(rows.with([](auto& c) { c.srcMemoryType = CUmemorytype(0); }), invalid);
  EXPECT_EQ(rows.with([](auto& c) { c.srcMemoryType = CUmemorytype(0), c.Height = 0; }),
            CUDA_SUCCESS);
  EXPECT_EQ(rows.with([](auto& c) { c.WidthInBytes = 0, c.dstDevice = 0; }), CUDA_SUCCESS);
  EXPECT_EQ(rows.with([&](auto& c) { c.srcMemoryType = CU_MEMORYTYPE_UNIFIED, c.srcDevice = own; }),
            CUDA_SUCCESS);
  EXPECT_EQ(rows.with([&](auto& c) { c.srcMemoryType = CU_MEMORYTYPE_DEVICE, c.srcDevice = own; }),
            invalid);
  EXPECT_EQ(rows.with([&](auto& c) {
    c.dstMemoryType = CU_MEMORYTYPE_HOST, c.dstHost = reinterpret_cast<void*>(rows.memory);
  }),
            CUDA_SUCCESS)
      << "an address is what it is";
  EXPECT_EQ(rows.with([](auto& c) { c.dstMemoryType = CU_MEMORYTYPE_ARRAY; }), invalid)
      << "the array is null";
}

TEST(cuMemcpy2DAsync, TakesPageableRowsAtTheCall) {
  const Scene scene;
  const Rows rows;
  const CUstream stream = new_stream();
  memset(Rows::own, 0x11, sizeof Rows::own);
  {
    Gate gate(stream);
    OK(cuMemcpy2DAsync(&rows.plain, stream));
    memset(Rows::own, 0x22, sizeof Rows::own);
  }
  OK(cuStreamSynchronize(stream));
  char back[1024];
  OK(cuMemcpyDtoH(back, rows.memory, sizeof back));
  for (const char byte : back) ASSERT_EQ(byte, 0x11);
  OK(cuStreamDestroy(stream));
}

// Eight slices of eight rows of sixteen bytes, which fill the target.
template <typename Description>
void refuse_volumes(const std::function<CUresult(const Description*)>& call) {
  const Scene scene;
  static char own[8192];
  const CUdeviceptr memory = new_memory(1024);
  const Box box{0, 0, 0, 0, 16, 8};
  Description plain{};
  describe(plain, CU_MEMORYTYPE_DEVICE, memory, box, CU_MEMORYTYPE_HOST,
           reinterpret_cast<CUdeviceptr>(own), box, Extent{16, 8, 8});
  const auto with = [&](const std::function<void(Description&)>& change) {
    Description copy = plain;
    change(copy);
    const CUresult result = call(&copy);
    EXPECT_EQ(cuCtxSynchronize(), CUDA_SUCCESS);
    return result;
  };
  EXPECT_EQ(with([](auto&) {}), CUDA_SUCCESS);
  EXPECT_EQ(call(nullptr), invalid);
  EXPECT_EQ(with([](auto& c) { c.Depth = 9; }), invalid);
  EXPECT_EQ(with([](auto& c) { c.dstZ = 1; }), invalid);
  EXPECT_EQ(with([](auto& c) { c.dstZ = 1, c.Depth = 7; }), CUDA_SUCCESS);
  EXPECT_EQ(with([](auto& c) { c.dstY = 1; }), invalid);
  EXPECT_EQ(with([](auto& c) { c.dstHeight = 7; }), invalid);
  EXPECT_EQ(with([](auto& c) { c.srcHeight = 7; }), invalid);
  EXPECT_EQ(with([](auto& c) { c.dstHeight = 4, c.Depth = 1; }), invalid);
  EXPECT_EQ(with([](auto& c) { c.dstHeight = c.srcHeight = 0; }), CUDA_SUCCESS);
  EXPECT_EQ(with([](auto& c) { c.dstHeight = c.dstPitch = 0; }), CUDA_SUCCESS);
  EXPECT_EQ(with([](auto& c) { c.dstHeight = largest, c.Depth = 1; }), CUDA_SUCCESS);
  EXPECT_EQ(with([](auto& c) { c.dstHeight = largest; }), invalid);
  EXPECT_EQ(with([](auto& c) { c.dstZ = largest; }), invalid);
  EXPECT_EQ(with([](auto& c) { c.Depth = largest; }), invalid);
  EXPECT_EQ(with([](auto& c) { c.Depth = 0, c.dstPitch = 1; }), CUDA_SUCCESS);
  EXPECT_EQ(with([](auto& c) { c.srcLOD = 1; }), invalid);
  EXPECT_EQ(with([](auto& c) { c.dstLOD = 1; }), invalid);
}

TEST(cuMemcpy3D, StaysInside) { refuse_volumes<CUDA_MEMCPY3D>(cuMemcpy3D); }
TEST(cuMemcpy3DAsync, StaysInside) {
  refuse_volumes<CUDA_MEMCPY3D>([](auto* copy) { return cuMemcpy3DAsync(copy, nullptr); });
}
TEST(cuMemcpy3DPeer, StaysInside) { refuse_volumes<CUDA_MEMCPY3D_PEER>(cuMemcpy3DPeer); }
TEST(cuMemcpy3DPeerAsync, StaysInside) {
  refuse_volumes<CUDA_MEMCPY3D_PEER>([](auto* copy) { return cuMemcpy3DPeerAsync(copy, nullptr); });
}

TEST(cuMemcpy3DPeer, TakesContextsThatLive) {
  const Scene scene;
  const CUdeviceptr memory = new_memory(64);
  CUDA_MEMCPY3D_PEER copy{};
  const Box box{0, 0, 0, 0, 32, 1};
  describe(copy, CU_MEMORYTYPE_DEVICE, memory, box, CU_MEMORYTYPE_DEVICE, memory + 32, box,
           Extent{32});
  copy.srcContext = copy.dstContext = scene.context;
  OK(cuMemcpy3DPeer(&copy));
  copy.srcContext = reinterpret_cast<CUcontext>(0x12345);
  EXPECT_EQ(cuMemcpy3DPeer(&copy), CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_EQ(cuMemcpy3DPeer(nullptr), CUDA_ERROR_INVALID_VALUE);
}

}  // namespace

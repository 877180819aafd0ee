// SPDX-License-Identifier: Apache-2.0
// Filling memory: compared byte by byte with a model, and refusals.
#include <cuda.h>

#include "tests/api/driver/arenas.hpp"
#include "tests/api/driver/values.hpp"

namespace {

// The four functions for elements of one size.
template <typename Element>
struct Fills {
  CUresult (*row)(CUdeviceptr, Element, size_t);
  CUresult (*row_async)(CUdeviceptr, Element, size_t, CUstream);
  CUresult (*rows)(CUdeviceptr, size_t, Element, size_t, size_t);
  CUresult (*rows_async)(CUdeviceptr, size_t, Element, size_t, size_t, CUstream);
};
constexpr Fills<unsigned char> bytes = {cuMemsetD8, cuMemsetD8Async, cuMemsetD2D8,
                                        cuMemsetD2D8Async};
constexpr Fills<unsigned short> halves = {cuMemsetD16, cuMemsetD16Async, cuMemsetD2D16,
                                          cuMemsetD2D16Async};
constexpr Fills<unsigned> whole = {cuMemsetD32, cuMemsetD32Async, cuMemsetD2D32,
                                   cuMemsetD2D32Async};

enum class Form { row, row_async, rows, rows_async };

// Random fills in all kinds of memory that accept them.
template <typename Element>
void fill_as_the_model(const Fills<Element>& fills, Form form) {
  constexpr size_t element = sizeof(Element);
  const Scene scene;
  Arenas arenas(static_cast<unsigned>(form) * 8 + element);
  const CUstream stream = new_stream(CU_STREAM_DEFAULT);
  for (int i = 0; i < 120; ++i) {
    const auto kind = static_cast<Arenas::Kind>(arenas.below(Arenas::pageable));
    const auto value = static_cast<Element>(arenas.random());
    Extent extent{element * (1 + arenas.below(i % 2 ? 20 : 20000 / element))};
    Box box;
    if (form == Form::row || form == Form::row_async) {
      box.offset = arenas.below((Arenas::size - extent.width) / element) * element;
    } else {
      extent.width = element * (1 + arenas.below(300));
      extent.height = 1 + arenas.below(40);
      box.pitch = extent.width + element * arenas.below(50);
      box.rows = extent.height;
      box.offset = arenas.below((Arenas::size - box.pitch * extent.height) / element) * element;
    }
    const CUdeviceptr at = arenas.at(kind, box.offset);
    const size_t count = extent.width / element;
    switch (form) {
      case Form::row:
        OK(fills.row(at, value, count));
        break;
      case Form::row_async:
        OK(fills.row_async(at, value, count, stream));
        break;
      case Form::rows:
        OK(fills.rows(at, box.pitch, value, count, extent.height));
        break;
      case Form::rows_async:
        OK(fills.rows_async(at, box.pitch, value, count, extent.height, stream));
        break;
    }
    arenas.filled(kind, box, extent, value, element);
    if (i % 20 == 19) {
      ASSERT_TRUE(arenas.same()) << "after fill " << i;
    }
  }
  OK(cuStreamDestroy(stream));
}

// Ranges that do not fit, or are misaligned, in an allocation of 1024 bytes.
template <typename Element>
void refuse_what_is_outside(const Fills<Element>& fills) {
  constexpr size_t element = sizeof(Element);
  const Scene scene;
  const CUdeviceptr memory = new_memory(1024);
  static Element own[64];
  const auto row = [&](CUdeviceptr at, size_t count) {
    const CUresult result = fills.row(at, Element{1}, count);
    EXPECT_EQ(fills.row_async(at, Element{1}, count, nullptr), result);
    return result;
  };
  const auto rows = [&](CUdeviceptr at, size_t pitch, size_t width, size_t height) {
    const CUresult result = fills.rows(at, pitch, Element{1}, width, height);
    EXPECT_EQ(fills.rows_async(at, pitch, Element{1}, width, height, nullptr), result);
    return result;
  };
  EXPECT_EQ(row(memory, 1024 / element), CUDA_SUCCESS);
  EXPECT_EQ(row(memory + 1024 - element, 1), CUDA_SUCCESS);
  EXPECT_EQ(row(memory, 1024 / element + 1), invalid);
  EXPECT_EQ(row(memory + 1024, 1), invalid);
  EXPECT_EQ(row(memory - element, 1), invalid);
  EXPECT_EQ(row(0, 1), invalid);
  EXPECT_EQ(row(reinterpret_cast<CUdeviceptr>(own), 1), invalid);
  for (const size_t count : {largest, largest / element, largest / element - 1, size_t{1} << 40})
    EXPECT_EQ(row(memory, count), invalid) << count;
  EXPECT_EQ(row(0, 0), CUDA_SUCCESS) << "of nothing, nothing is looked at";
  EXPECT_EQ(row(memory + 1, 0), CUDA_SUCCESS);
  if (element > 1) {
    EXPECT_EQ(row(memory + 1, 1), invalid);
  }

  EXPECT_EQ(rows(memory, 64, 64 / element, 16), CUDA_SUCCESS);
  EXPECT_EQ(rows(memory, 64, 64 / element, 17), invalid);
  EXPECT_EQ(rows(memory + 960, 64, 64 / element, 1), CUDA_SUCCESS);
  EXPECT_EQ(rows(memory + 960 + element, 64, 64 / element, 1), invalid);
  EXPECT_EQ(rows(memory, 64 - element, 64 / element, 2), invalid);
  EXPECT_EQ(rows(memory, 0, 64 / element, 2), invalid);
  EXPECT_EQ(rows(memory, 0, 64 / element, 1), CUDA_SUCCESS) << "a single row has no pitch";
  EXPECT_EQ(rows(memory, 64, 0, 4), CUDA_SUCCESS);
  EXPECT_EQ(rows(0, 1, 64, 0), CUDA_SUCCESS);
  EXPECT_EQ(rows(memory, 64, largest / element, 1), invalid);
  EXPECT_EQ(rows(memory, size_t{1} << 63, 1, 3), invalid);
  EXPECT_EQ(rows(memory, 64, 1, largest), invalid);
  if (element > 1) {
    EXPECT_EQ(rows(memory, 65, 4, 4), invalid);
  }
  OK(cuCtxSynchronize());
  OK(cuMemFree(memory));
  EXPECT_EQ(row(memory, 1), invalid);
}

TEST(cuMemsetD8, DoesAsTheModel) { fill_as_the_model(bytes, Form::row); }
TEST(cuMemsetD8Async, DoesAsTheModel) { fill_as_the_model(bytes, Form::row_async); }
TEST(cuMemsetD2D8, DoesAsTheModel) { fill_as_the_model(bytes, Form::rows); }
TEST(cuMemsetD2D8Async, DoesAsTheModel) { fill_as_the_model(bytes, Form::rows_async); }
TEST(cuMemsetD16, DoesAsTheModel) { fill_as_the_model(halves, Form::row); }
TEST(cuMemsetD16Async, DoesAsTheModel) { fill_as_the_model(halves, Form::row_async); }
TEST(cuMemsetD2D16, DoesAsTheModel) { fill_as_the_model(halves, Form::rows); }
TEST(cuMemsetD2D16Async, DoesAsTheModel) { fill_as_the_model(halves, Form::rows_async); }
TEST(cuMemsetD32, DoesAsTheModel) { fill_as_the_model(whole, Form::row); }
TEST(cuMemsetD32Async, DoesAsTheModel) { fill_as_the_model(whole, Form::row_async); }
TEST(cuMemsetD2D32, DoesAsTheModel) { fill_as_the_model(whole, Form::rows); }
TEST(cuMemsetD2D32Async, DoesAsTheModel) { fill_as_the_model(whole, Form::rows_async); }

TEST(cuMemsetD8, RefusesWhatIsOutside) { refuse_what_is_outside(bytes); }
TEST(cuMemsetD16, RefusesWhatIsOutside) { refuse_what_is_outside(halves); }
TEST(cuMemsetD32, RefusesWhatIsOutside) { refuse_what_is_outside(whole); }

TEST(cuMemsetD8, ReturnsBeforeTheWorkOnDeviceMemory) {
  const Scene scene;
  const CUstream stream = new_stream(CU_STREAM_DEFAULT);
  const CUdeviceptr memory = new_memory(4096);
  {
    Gate gate(stream);
    OK(cuMemsetD8Async(memory, 1, 4096, stream));
    OK(cuMemsetD8(memory, 2, 4096));
    EXPECT_EQ(cuStreamQuery(nullptr), CUDA_ERROR_NOT_READY);
  }
  unsigned char last = 0;
  OK(cuMemcpyDtoH(&last, memory + 4095, 1));
  EXPECT_EQ(last, 2);
  OK(cuStreamDestroy(stream));
}

TEST(cuMemsetD8, WaitsForTheWorkOnHostMemory) {
  const Scene scene;
  void* memory = nullptr;
  OK(cuMemAllocHost(&memory, 4096));
  const auto* bytes = static_cast<volatile unsigned char*>(memory);
  for (int i = 0; i < 100; ++i) {
    OK(cuMemsetD8(reinterpret_cast<CUdeviceptr>(memory), static_cast<unsigned char>(i), 4096));
    ASSERT_EQ(bytes[4095], i);
  }
  OK(cuMemFreeHost(memory));
}

TEST(cuMemsetD8Async, RefusesWhatIsNoStream) {
  const Scene scene;
  const CUdeviceptr memory = new_memory(64);
  const CUstream stale = new_stream();
  OK(cuStreamDestroy(stale));
  EXPECT_EQ(cuMemsetD8Async(memory, 1, 64, stale), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuMemsetD8Async(memory, 1, 64, reinterpret_cast<CUstream>(0x12345)),
            CUDA_ERROR_INVALID_HANDLE);
  OK(cuMemsetD8Async(memory, 1, 64, CU_STREAM_LEGACY));
  OK(cuMemsetD8Async(memory, 1, 64, CU_STREAM_PER_THREAD));
}

}  // namespace

// SPDX-License-Identifier: Apache-2.0
// Batches of copies: what is copied, which copy is blamed, and that a refused batch copies nothing.
#include <cuda.h>

#include <cstring>
#include <vector>

#include "tests/api/driver/gate.hpp"
#include "tests/api/driver/values.hpp"

// The versions before 13.0, which name the copy to blame.
extern "C" CUresult first_batch(CUdeviceptr*, CUdeviceptr*, size_t*, size_t, CUmemcpyAttributes*,
                                size_t*, size_t, size_t*, CUstream) __asm__("cuMemcpyBatchAsync");
extern "C" CUresult first_boxes(size_t, CUDA_MEMCPY3D_BATCH_OP*, size_t*, unsigned long long,
                                CUstream) __asm__("cuMemcpy3DBatchAsync");

namespace {

// Three copies of 8 bytes: two from the host, and one on the device after them.
struct CopyBatch {
  CopyBatch() {
    memory = new_memory(256);
    EXPECT_EQ(cuMemsetD8(memory, 0, 256), CUDA_SUCCESS);
    EXPECT_EQ(cuCtxSynchronize(), CUDA_SUCCESS);
    for (int i = 0; i < 3; ++i) {
      to[i] = memory + 64 * i;
      from[i] = i < 2 ? address(host) + 8 * i : memory + 200;
      attributes[i].srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM;
    }
  }
  CUresult copy(size_t count, size_t number, CUstream in) {
    failed = 77;
    return first_batch(to, from, sizes, count, attributes, starts, number, &failed, in);
  }
  std::string at(size_t offset) const {
    char text[9] = {};
    EXPECT_EQ(cuMemcpyDtoH(text, memory + offset, 8), CUDA_SUCCESS);
    return text;
  }
  char host[17] = "abcdefghABCDEFGH";
  CUdeviceptr memory, to[3], from[3];
  size_t sizes[3] = {8, 8, 8}, starts[3] = {0, 1, 2}, failed = 77;
  CUmemcpyAttributes attributes[3] = {};
};

TEST(cuMemcpyBatchAsync, CopiesAll) {
  const Scene scene;
  CopyBatch b;
  const CUstream s = new_stream();
  OK(cuMemcpyBatchAsync(b.to, b.from, b.sizes, 3, b.attributes, b.starts, 3, s));
  OK(cuStreamSynchronize(s));
  EXPECT_EQ(b.at(0), "abcdefgh");
  EXPECT_EQ(b.at(64), "ABCDEFGH");
  OK(b.copy(3, 1, CU_STREAM_PER_THREAD));
  EXPECT_EQ(b.failed, SIZE_MAX);
}

TEST(cuMemcpyBatchAsync, ReadsTheSourceWhenItIsToldTo) {
  const Scene scene;
  CopyBatch b;
  const CUstream s = new_stream();
  b.attributes[0].srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_DURING_API_CALL;
  Gate gate(s);
  OK(b.copy(2, 2, s));
  memcpy(b.host, "zzzzzzzzZZZZZZZZ", 16);
  gate.open();
  OK(cuStreamSynchronize(s));
  EXPECT_EQ(b.at(0), "abcdefgh") << "during the call";
  EXPECT_EQ(b.at(64), "ZZZZZZZZ") << "in stream order";
}

TEST(cuMemcpyBatchAsync, ChecksItsArguments) {
  const Scene scene;
  CopyBatch b;
  const CUstream s = new_stream();
  const auto refused = [&](size_t count, size_t number) {
    EXPECT_EQ(b.copy(count, number, s), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(b.failed, SIZE_MAX) << "no copy is to blame";
  };
  refused(0, 1);
  refused(3, 0);
  refused(2, 3);
  b.starts[0] = 1;
  refused(3, 1);
  b.starts[0] = 0, b.starts[1] = 0;
  refused(3, 2);
  b.starts[1] = 3;
  refused(3, 2);
  b.starts[1] = 1;
  for (const int order : {0, 4}) {
    b.attributes[1].srcAccessOrder = static_cast<CUmemcpySrcAccessOrder>(order);
    refused(3, 3);
  }
  b.attributes[1].srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_ANY;
  b.attributes[1].flags = 2;
  refused(3, 3);
  b.attributes[1].flags = 0;
  b.attributes[1].srcLocHint = {CU_MEM_LOCATION_TYPE_DEVICE, 99};
  refused(3, 3);
  EXPECT_EQ(cuMemcpyBatchAsync(b.to, b.from, b.sizes, 3, nullptr, nullptr, 0, s),
            CUDA_ERROR_INVALID_VALUE);
}

TEST(cuMemcpyBatchAsync, RefusesTheLegacyStream) {
  const Scene scene;
  CopyBatch b;
  EXPECT_EQ(b.copy(3, 1, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(b.failed, 77u);
  EXPECT_EQ(b.copy(3, 1, CU_STREAM_LEGACY), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(b.failed, SIZE_MAX);
}

TEST(cuMemcpyBatchAsync, NamesTheCopyToBlameAndMakesNone) {
  const Scene scene;
  CopyBatch b;
  const CUstream s = new_stream();
  b.sizes[1] = 0;
  EXPECT_EQ(b.copy(3, 1, s), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(b.failed, 1u);
  b.sizes[1] = size_t{1} << 30;
  EXPECT_EQ(b.copy(3, 1, s), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(b.failed, 1u);
  b.sizes[1] = 8;
  b.to[2] = 0;
  EXPECT_EQ(b.copy(3, 1, s), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(b.failed, 2u);
  OK(cuStreamSynchronize(s));
  EXPECT_EQ(b.at(0), "");
}

TEST(cuMemcpyBatchAsync, IsNotForACapture) {
  const Scene scene;
  CopyBatch b;
  const CUstream s = new_stream();
  OK(cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_RELAXED));
  EXPECT_EQ(b.copy(3, 1, s), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  CUgraph graph = nullptr;
  OK(cuStreamEndCapture(s, &graph));  // measured: it stays valid
  size_t nodes = 9;
  OK(cuGraphGetNodes(graph, nullptr, &nodes));
  EXPECT_EQ(nodes, 0u);
  OK(cuGraphDestroy(graph));
}

CUmemcpy3DOperand memory_at(CUdeviceptr at, size_t row = 0, size_t layer = 0) {
  CUmemcpy3DOperand one{};
  one.type = CU_MEMCPY_OPERAND_TYPE_POINTER;
  one.op.ptr.ptr = at;
  one.op.ptr.rowLength = row;
  one.op.ptr.layerHeight = layer;
  return one;
}
CUmemcpy3DOperand array_at(CUarray array, size_t x = 0, size_t y = 0) {
  CUmemcpy3DOperand one{};
  one.type = CU_MEMCPY_OPERAND_TYPE_ARRAY;
  one.op.array.array = array;
  one.op.array.offset = {x, y, 0};
  return one;
}

TEST(cuMemcpy3DBatchAsync, CopiesBoxesInElements) {
  const Scene scene;
  const CUdeviceptr p = new_memory(4096);
  const CUstream s = new_stream();
  std::vector<uint32_t> words(64);
  for (uint32_t i = 0; i < 64; ++i) words[i] = i;
  CUarray array = nullptr;
  const CUDA_ARRAY3D_DESCRIPTOR description{8, 8, 0, CU_AD_FORMAT_UNSIGNED_INT32, 1, 0};
  OK(cuArray3DCreate(&array, &description));
  const auto order = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM;
  CUDA_MEMCPY3D_BATCH_OP in{memory_at(address(words.data())), array_at(array), {8, 8, 1}, order, 0};
  OK(cuMemcpy3DBatchAsync(1, &in, 0, s));
  // Two words from rows 2 and 3 each, beginning at column 5, into rows of four words.
  CUDA_MEMCPY3D_BATCH_OP out{array_at(array, 5, 2), memory_at(p, 4), {2, 2, 1}, order, 0};
  OK(cuMemcpy3DBatchAsync(1, &out, 0, s));
  OK(cuStreamSynchronize(s));
  uint32_t got[6];
  OK(cuMemcpyDtoH(got, p, sizeof got));
  EXPECT_EQ(got[0], 21u);
  EXPECT_EQ(got[1], 22u);
  EXPECT_EQ(got[4], 29u);
  EXPECT_EQ(got[5], 30u);
  OK(cuArrayDestroy(array));
}

TEST(cuMemcpy3DBatchAsync, ChecksItsArguments) {
  const Scene scene;
  const CUdeviceptr p = new_memory(4096);
  const CUstream s = new_stream();
  const auto order = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM;
  const CUDA_MEMCPY3D_BATCH_OP good{memory_at(p), memory_at(p + 64), {4, 2, 2}, order, 0};
  CUDA_MEMCPY3D_BATCH_OP two[2] = {good, good};
  size_t failed = 77;
  const auto refused = [&](size_t expected) {
    failed = 77;
    EXPECT_EQ(first_boxes(2, two, &failed, 0, s), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(failed, expected);
    two[1] = good;
  };
  OK(first_boxes(2, two, &failed, 0, s));
  EXPECT_EQ(failed, SIZE_MAX);
  two[1].extent.depth = 0;
  refused(1);
  two[1].src = memory_at(p, 3);
  refused(1);
  two[1].src = memory_at(p, 4, 1);
  refused(1);
  two[1].dst = memory_at(0);
  refused(1);
  two[1].flags = 2;
  refused(1);
  two[1].srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_INVALID;
  refused(1);
  two[1].src.type = static_cast<CUmemcpy3DOperandType>(0);
  refused(1);
  two[1].src = array_at(nullptr);
  refused(1);
  EXPECT_EQ(cuMemcpy3DBatchAsync(2, two, 1, s), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemcpy3DBatchAsync(0, two, 0, s), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemcpy3DBatchAsync(2, nullptr, 0, s), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemcpy3DBatchAsync(2, two, 0, nullptr), CUDA_ERROR_INVALID_VALUE);
}

}  // namespace

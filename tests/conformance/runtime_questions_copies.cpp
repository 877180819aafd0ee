// SPDX-License-Identifier: Apache-2.0
// Copies and fills: pitches, widths, heights and kinds that are wrong, alone and in pairs.
#include <sys/mman.h>

#include "runtime_questions.hpp"

using namespace conformance;

static const size_t largest = size_t(-1), above = size_t{1} << 31;

CASE(rq_copies_in_two_dimensions) {
  char* d;
  size_t pitch;
  PREPARE(cudaMallocPitch(reinterpret_cast<void**>(&d), &pitch, 64, 8));
  const size_t pitches[] = {0, 1, 15, 16, 17, 64, above - 1, above, largest};
  for (size_t to : pitches)
    for (size_t from : pitches)
      for (size_t height : {0, 1, 2}) {
        // A line that lies outside of what is there is not asked for.
        if (height > 1 && (from > 64 || to > 64)) continue;
        TOLD(cudaMemcpy2D(d, to, bytes, from, 16, height, cudaMemcpyHostToDevice), "to ", to,
             ", from ", from, ", lines ", height);
      }
  for (int kind : {-1, 0, 1, 2, 3, 4, 5}) {
    TOLD(cudaMemcpy2D(d, 64, bytes, 8, 16, 2, cudaMemcpyKind(kind)), "short pitch, kind ", kind);
    TOLD(cudaMemcpy2D(d, 64, bytes, 8, 0, 2, cudaMemcpyKind(kind)), "no width, kind ", kind);
    TOLD(cudaMemcpy2D(nullptr, 64, bytes, 64, 16, 2, cudaMemcpyKind(kind)), "to null, kind ", kind);
    if (kind == 0 || kind == 4) continue;
    TOLD(cudaMemcpy2D(d, 64, bytes, 64, 16, 2, cudaMemcpyKind(kind)), "kind ", kind);
  }
  TRY(cudaMemcpy2D(d, 64, bytes, 64, largest, 1, cudaMemcpyHostToDevice));
  TRY(cudaMemcpy2D(d, 64, bytes, 64, 65, 1, cudaMemcpyHostToDevice));
  TRY(cudaMemcpy2D(d, pitch, bytes, 64, 64, 1 << 20, cudaMemcpyHostToDevice));
  TRY(cudaMemcpy2DAsync(d, 8, bytes, 8, 16, 2, cudaMemcpyHostToDevice, nullptr));
  TRY(cudaMemcpy2DAsync(d, 64, bytes, 64, 16, 2, cudaMemcpyKind(9), nullptr));
  TRY(cudaMemcpy2DAsync(d, 64, bytes, 64, 16, 2, cudaMemcpyDefault, cudaStreamPerThread));
  TRY(cudaMemcpy2DAsync(d, 64, nullptr, 64, 16, 2, cudaMemcpyHostToDevice, nullptr));
  TRY(cudaDeviceSynchronize());
}

CASE(rq_fills_in_two_dimensions) {
  char* d;
  size_t pitch;
  PREPARE(cudaMallocPitch(reinterpret_cast<void**>(&d), &pitch, 64, 8));
  for (size_t had : {size_t{0}, size_t{1}, size_t{15}, size_t{16}, size_t{64}, above, largest})
    for (size_t width : {0, 1, 16, 17})
      for (size_t height : {0, 1, 2}) {
        if (height > 1 && had > 64) continue;
        TOLD(cudaMemset2D(d, had, 1, width, height), "pitch ", had, ", ", width, " by ", height);
      }
  TRY(cudaMemset2D(nullptr, 16, 1, 16, 1));
  TRY(cudaMemset2D(bytes, 16, 1, 16, 1));
  TRY(cudaMemset2D(d, pitch, 1, 64, 1 << 20));
  TRY(cudaMemset2DAsync(d, 8, 1, 16, 2, nullptr));
  for (size_t had : {size_t{0}, size_t{15}, size_t{16}, size_t{64}})
    for (size_t lines : {0, 1, 2, 3})
      for (size_t depth : {0, 1, 2}) {
        TOLD(cudaMemset3D({d, had, 16, lines}, 1, {16, 2, depth}), "pitched ", had, " by ", lines,
             ", depth ", depth);
      }
  TRY(cudaMemset3D({d, 64, 0, 0}, 1, {16, 2, 1}));
  TRY(cudaMemset3D({nullptr, 64, 16, 2}, 1, {16, 2, 1}));
  TRY(cudaMemset3D({nullptr, 64, 16, 2}, 1, {0, 2, 1}));
  TRY(cudaMemset3D({nullptr, 0, 0, 0}, 1, {0, 0, 0}));
  TRY(cudaMemset3DAsync({d, 64, 16, 2}, 1, {16, 2, 2}, nullptr));
  TRY(cudaMemset(d, 0x1ff, 4));
  TRY(cudaMemcpy(bytes, d, 4, cudaMemcpyDeviceToHost));
  ASK(int(static_cast<unsigned char>(bytes[0])));
  TRY(cudaMemset(d, -2, 4));
  TRY(cudaMemcpy(bytes, d, 4, cudaMemcpyDeviceToHost));
  ASK(int(static_cast<unsigned char>(bytes[0])));
  TRY(cudaMemset(d + 511, 1, 512 * 8));
  TRY(cudaMemset(d, 1, largest));
}

CASE(rq_copies_in_three_dimensions) {
  cudaPitchedPtr box;
  cudaArray_t array;
  const cudaChannelFormatDesc words = {32, 0, 0, 0, cudaChannelFormatKindUnsigned};
  PREPARE(cudaMalloc3D(&box, {64, 4, 4}));
  PREPARE(cudaMalloc3DArray(&array, &words, {16, 4, 4}, 0));
  const auto ask = [&](const char* question, auto change) {
    cudaMemcpy3DParms p = {};
    p.srcPtr = {bytes, 64, 64, 4};
    p.dstPtr = box;
    p.extent = {64, 4, 4};
    p.kind = cudaMemcpyHostToDevice;
    change(p);
    try_to_survive(question, [&] { return cudaMemcpy3D(&p); });
  };
#define WITH(...) ask(#__VA_ARGS__, [&](cudaMemcpy3DParms& p) { __VA_ARGS__; })
  WITH(p.kind = cudaMemcpyHostToDevice);
  WITH(p.srcPtr.pitch = 0);
  WITH(p.srcPtr.pitch = 63);
  WITH(p.srcPtr.pitch = 0, p.extent.height = 1, p.extent.depth = 1);
  WITH(p.srcPtr.ysize = 0);
  WITH(p.srcPtr.ysize = 3);
  WITH(p.srcPtr.ysize = 3, p.extent.depth = 1);
  WITH(p.srcPtr.xsize = 0);
  WITH(p.srcPtr.xsize = 1);
  WITH(p.srcPtr.ptr = nullptr);
  WITH(p.dstPtr.ptr = nullptr);
  WITH(p.dstPtr.pitch = 63);
  WITH(p.dstPtr.ysize = 3);
  WITH(p.dstPtr.ysize = 0);
  WITH(p.dstPtr.pitch = above);
  WITH(p.srcPos.x = 1);
  WITH(p.srcPos.x = 1, p.extent.width = 63);
  WITH(p.srcPos.y = 1);
  WITH(p.srcPos.y = 1, p.extent.height = 3);
  WITH(p.dstPos.x = 1);
  WITH(p.dstPos.y = 1);
  WITH(p.dstPos.z = 1, p.extent.depth = 3);
  WITH(p.dstPos.z = 1 << 20);
  WITH(p.dstPos.x = largest);
  WITH(p.extent.width = 0);
  WITH(p.extent.height = 0);
  WITH(p.extent.depth = 0);
  WITH(p.extent = {});
  WITH(p.extent = {}, p.kind = cudaMemcpyKind(9));
  WITH(p.extent = {}, p.srcPtr.pitch = 1);
  WITH(p.extent = {}, p.srcPtr = {}, p.dstPtr = {});
  WITH(p.srcPtr = {}, p.dstPtr = {});
  WITH(p.kind = cudaMemcpyKind(9), p.srcPtr.ptr = nullptr);
  WITH(p.kind = cudaMemcpyDeviceToHost);
  WITH(p.kind = cudaMemcpyDeviceToDevice);
  WITH(p.kind = cudaMemcpyDefault);
  WITH(p.dstArray = array);
  WITH(p.dstArray = array, p.dstPtr = {});
  WITH(p.dstArray = array, p.dstPtr = {}, p.extent = {16, 4, 4});
  WITH(p.dstArray = array, p.dstPtr = {}, p.extent = {17, 4, 4});
  WITH(p.dstArray = array, p.dstPtr = {}, p.extent = {16, 5, 4});
  WITH(p.dstArray = array, p.dstPtr = {}, p.extent = {16, 4, 5});
  WITH(p.dstArray = array, p.dstPtr = {}, p.extent = {16, 4, 4}, p.dstPos.x = 1);
  WITH(p.dstArray = array, p.dstPtr = {}, p.extent = {15, 4, 4}, p.dstPos.x = 1);
  WITH(p.dstArray = array, p.dstPtr = {}, p.extent = {15, 3, 3}, p.dstPos = {1, 1, 1});
  WITH(p.dstArray = array, p.dstPtr = {}, p.extent = {16, 4, 4}, p.srcPtr.pitch = 63);
  WITH(p.dstArray = array, p.dstPtr = {}, p.extent = {16, 4, 4}, p.kind = cudaMemcpyDefault);
  WITH(p.dstArray = array, p.dstPtr = {}, p.extent = {16, 4, 4}, p.kind = cudaMemcpyDeviceToHost);
  WITH(p.dstArray = array, p.dstPtr = {}, p.extent = {16, 4, 4}, p.kind = cudaMemcpyDeviceToDevice);
  WITH(p.dstArray = array, p.dstPtr = {}, p.extent = {16, 4, 4}, p.kind = cudaMemcpyHostToHost);
  WITH(p.srcArray = array, p.srcPtr = {}, p.extent = {16, 4, 4}, p.kind = cudaMemcpyDeviceToDevice);
  WITH(p.srcArray = array, p.srcPtr = {}, p.extent = {16, 4, 4});
  WITH(p.srcArray = array, p.srcPtr = {}, p.dstArray = array, p.dstPtr = {}, p.extent = {16, 4, 4},
       p.kind = cudaMemcpyDeviceToDevice);
  WITH(p.srcArray = array, p.srcPtr = {}, p.dstArray = array, p.dstPtr = {}, p.extent = {16, 1, 1},
       p.srcPos.z = 3, p.kind = cudaMemcpyDeviceToDevice);
  WITH(p.srcArray = array, p.srcPtr = {}, p.dstArray = array, p.dstPtr = {}, p.extent = {16, 1, 1},
       p.srcPos.z = 4, p.kind = cudaMemcpyDeviceToDevice);
#undef WITH
  cudaMemcpy3DPeerParms peer = {};
  TRY(cudaMemcpy3DPeer(&peer));
  peer.srcPtr = peer.dstPtr = box;
  peer.extent = {64, 4, 2};
  TRY(cudaMemcpy3DPeer(&peer));
  peer.srcDevice = 99;
  TRY(cudaMemcpy3DPeer(&peer));
  peer.srcDevice = 0;
  peer.dstDevice = -1;
  TRY(cudaMemcpy3DPeer(&peer));
  peer.extent = {};
  TRY(cudaMemcpy3DPeer(&peer));
  TRY(cudaMemcpy3DPeer(nullptr));
  TRY(cudaMemcpy3DPeerAsync(nullptr, nullptr));
}

CASE(rq_copies_of_arrays) {
  cudaArray_t a, b, line, three;
  const cudaChannelFormatDesc words = {32, 0, 0, 0, cudaChannelFormatKindUnsigned},
                              shorts = {16, 16, 0, 0, cudaChannelFormatKindUnsigned};
  void* d;
  PREPARE(cudaMalloc(&d, 4096));
  PREPARE(cudaMallocArray(&a, &words, 8, 4, 0));
  PREPARE(cudaMallocArray(&b, &shorts, 8, 4, 0));
  PREPARE(cudaMallocArray(&line, &words, 8, 0, 0));
  PREPARE(cudaMalloc3DArray(&three, &words, {8, 4, 2}, 0));
  for (cudaArray_t to : {a, b, line, three}) {
    const char* name = to == a ? "words" : to == b ? "pairs" : to == line ? "a line" : "a box";
    for (size_t offset : {0, 1, 2, 3, 4, 28, 31, 32})
      for (size_t width : {0, 1, 3, 4, 5, 31, 32}) {
        TOLD(cudaMemcpy2DToArray(to, offset, 0, bytes, 64, width, 1, cudaMemcpyHostToDevice), name,
             ", offset ", offset, ", width ", width);
        TOLD(cudaMemcpy2DFromArray(bytes, 64, to, offset, 0, width, 1, cudaMemcpyDeviceToHost),
             "from ", name, ", offset ", offset, ", width ", width);
      }
    for (size_t line_offset : {0, 1, 3, 4, 5})
      for (size_t height : {0, 1, 2, 4, 5})
        TOLD(cudaMemcpy2DToArray(to, 0, line_offset, bytes, 64, 32, height, cudaMemcpyHostToDevice),
             name, ", line ", line_offset, ", lines ", height);
    TOLD(cudaMemcpy2DArrayToArray(to, 0, 0, a, 0, 0, 32, 1, cudaMemcpyDeviceToDevice), "to ", name);
    TOLD(cudaMemcpy2DArrayToArray(to, 2, 0, a, 2, 0, 4, 1, cudaMemcpyDeviceToDevice), "to ", name,
         " at 2");
    TOLD(cudaMemcpy2DArrayToArray(to, 0, 0, a, 0, 0, 0, 0, cudaMemcpyKind(9)), "nothing to ", name);
  }
  TRY(cudaMemcpy2DToArray(a, 0, 0, bytes, 64, 0, 0, cudaMemcpyKind(9)));
  TRY(cudaMemcpy2DToArray(nullptr, 0, 0, bytes, 64, 0, 0, cudaMemcpyHostToDevice));
  TRY(cudaMemcpy2DToArray(a, 0, 0, nullptr, 64, 32, 1, cudaMemcpyHostToDevice));
  TRY(cudaMemcpy2DToArray(a, 0, 0, bytes, 0, 32, 1, cudaMemcpyHostToDevice));
  TRY(cudaMemcpy2DToArray(a, 0, 0, bytes, 31, 32, 1, cudaMemcpyHostToDevice));
  TRY(cudaMemcpy2DToArray(a, 0, 0, bytes, 31, 32, 2, cudaMemcpyHostToDevice));
  TRY(cudaMemcpy2DToArrayAsync(a, 0, 0, bytes, 31, 32, 2, cudaMemcpyHostToDevice, nullptr));
  for (size_t count : {0, 1, 2, 4, 6, 32, 36, 127, 128, 132}) {
    TOLD(cudaMemcpyToArray(a, 0, 0, bytes, count, cudaMemcpyHostToDevice), "bytes ", count);
    TOLD(cudaMemcpyToArray(a, 4, 0, bytes, count, cudaMemcpyHostToDevice), "bytes at 4 ", count);
    TOLD(cudaMemcpyToArray(a, 2, 1, bytes, count, cudaMemcpyHostToDevice), "bytes at 2 ", count);
    TOLD(cudaMemcpyFromArray(bytes, a, 4, 1, count, cudaMemcpyDeviceToHost), "from bytes at 4 ",
         count);
    TOLD(cudaMemcpyArrayToArray(b, 0, 0, a, 0, 0, count, cudaMemcpyDeviceToDevice),
         "array's bytes ", count);
  }
  for (size_t i = 0; i < 128; ++i) bytes[i] = char(i);
  // What lies where after copies that begin inside an element.
  TRY(cudaMemcpy2DToArray(a, 0, 0, bytes, 32, 32, 4, cudaMemcpyHostToDevice));
  TRY(cudaMemcpy2DToArray(a, 3, 1, bytes + 64, 32, 7, 2, cudaMemcpyHostToDevice));
  char back[128] = {};
  TRY(cudaMemcpy2DFromArray(back, 32, a, 0, 0, 32, 4, cudaMemcpyDeviceToHost));
  for (int i : {0, 32, 33, 34, 35, 36, 38, 39, 40, 41, 42, 43, 67, 73, 74, 75}) ASK(int(back[i]));
  memset(back, 0, sizeof back);
  TRY(cudaMemcpy2DFromArray(back, 32, a, 5, 0, 3, 2, cudaMemcpyDeviceToHost));
  for (int i : {0, 1, 2, 3, 32, 33, 34, 35}) ASK(int(back[i]));
  cudaFreeArray(line);
  TRY(cudaFreeArray(line));
  TRY(cudaMemcpy2DToArray(line, 0, 0, bytes, 32, 32, 1, cudaMemcpyHostToDevice));
  cudaExtent extent;
  TRY(cudaArrayGetInfo(nullptr, &extent, nullptr, line));
}

CASE(rq_copies_of_bytes) {
  char *d, *e, *pinned, *managed;
  PREPARE(cudaMalloc(reinterpret_cast<void**>(&d), 4096));
  PREPARE(cudaMalloc(reinterpret_cast<void**>(&e), 4096));
  PREPARE(cudaMallocHost(reinterpret_cast<void**>(&pinned), 4096));
  PREPARE(cudaMallocManaged(reinterpret_cast<void**>(&managed), 4096, cudaMemAttachGlobal));
  // Overlapping, and upon itself.
  TRY(cudaMemcpy(d, d, 64, cudaMemcpyDeviceToDevice));
  TRY(cudaMemcpy(d + 4, d, 64, cudaMemcpyDeviceToDevice));
  TRY(cudaMemcpy(d, d + 1, 4095, cudaMemcpyDefault));
  for (int kind : {0, 1, 2, 3, 4, 5, -1}) {
    TOLD(cudaMemcpyAsync(d, e, 0, cudaMemcpyKind(kind), nullptr), "async of nothing, kind ", kind);
    TOLD(cudaMemcpyAsync(nullptr, nullptr, 0, cudaMemcpyKind(kind), nullptr),
         "async of nothing to null, kind ", kind);
    TOLD(cudaMemcpy(nullptr, e, 64, cudaMemcpyKind(kind)), "to null, kind ", kind);
    if (kind == 0) continue;
    TOLD(cudaMemcpy(nullptr, bytes, 64, cudaMemcpyKind(kind)), "host to null, kind ", kind);
    TOLD(cudaMemcpyAsync(d, bytes, 64, cudaMemcpyKind(kind), nullptr), "async to device, kind ",
         kind);
    TOLD(cudaMemcpyAsync(pinned, d, 64, cudaMemcpyKind(kind), nullptr), "async to pinned, kind ",
         kind);
    TOLD(cudaMemcpyAsync(managed, bytes, 64, cudaMemcpyKind(kind), nullptr),
         "async to managed, kind ", kind);
  }
  TRY(cudaDeviceSynchronize());
  TRY(cudaMemcpyPeer(d, 0, e, 0, 0));
  TRY(cudaMemcpyPeer(nullptr, 0, nullptr, 0, 0));
  TRY(cudaMemcpyPeer(nullptr, 0, e, 0, 4));
  TRY(cudaMemcpyPeer(d, 99, e, 98, 0));
  TRY(cudaMemcpyPeer(d, 0, bytes, 0, 4));
  TRY(cudaMemcpyPeerAsync(d, 0, e, 99, 4, nullptr));
  // Freed memory.
  PREPARE(cudaFree(e));
  TRY(cudaMemcpy(bytes, e, 4, cudaMemcpyDeviceToHost));
  TRY(cudaMemcpy(e, bytes, 4, cudaMemcpyHostToDevice));
  TRY(cudaMemcpy(d, e, 4, cudaMemcpyDeviceToDevice));
  TRY(cudaMemset(e, 0, 4));
  PREPARE(cudaFreeHost(pinned));
  TRY(cudaGetLastError());
}

// SPDX-License-Identifier: Apache-2.0
// OpenGL's buffers, registered once and twice, with every flag, and their addresses.
#include "graphics.hpp"

namespace {

using graphics::mapped;
using graphics::new_buffer;
using graphics::registered;

CUdeviceptr p, q;
size_t n;

// The address of a mapped resource.
CUdeviceptr address(CUgraphicsResource resource) {
  CUdeviceptr there = 0;
  PREPARE(cuGraphicsResourceGetMappedPointer(&there, nullptr, resource));
  return there;
}
int error() { return static_cast<int>(glGetError()); }
int first_byte() {
  unsigned char byte = 0;
  glGetBufferSubData(GL_ARRAY_BUFFER, 0, 1, &byte);
  return byte;
}
int first_byte(CUdeviceptr from) {
  unsigned char byte = 0;
  PREPARE(cuMemcpyDtoH(&byte, from, 1));
  return byte;
}

CASE(buffer_sizes) {
  graphics::start();
  for (size_t size : {1, 2, 3, 4, 5, 100, 255, 256, 257, 4095, 4097, 65536, 1000000}) {
    CUgraphicsResource r = mapped(new_buffer(size, nullptr));
    CUdeviceptr base = 0;
    size_t range = 0;
    ASK(size);
    ASK(cuGraphicsResourceGetMappedPointer(&p, &n, r));
    ASK(n);
    ASK(p % 64);
    ASK(cuMemGetAddressRange(&base, &range, p + size - 1));
    ASK(base == p);
    ASK(range);
    ASK(cuMemsetD8(p, 1, size));
    ASK(cuMemsetD8(p, 1, size + 1));
  }
}

CASE(buffer_address) {
  graphics::start();
  CUgraphicsResource r = mapped(new_buffer(4096, nullptr));
  p = address(r);
  unsigned number = 99, on = 1;
  int device = 9;
  // The driver writes a boolean attribute as four bytes.
  union {
    unsigned four_bytes = 0;
    bool yes;
  };
  void* pointer = nullptr;
  unsigned long long id = 0;
  CUcontext c = nullptr;
  CUipcMemHandle handle;
  ASK(address(r) == p);
  ASK(cuPointerGetAttribute(&c, CU_POINTER_ATTRIBUTE_CONTEXT, p));
  ASK(c == graphics::context);
  ASK(cuPointerGetAttribute(&pointer, CU_POINTER_ATTRIBUTE_DEVICE_POINTER, p + 8));
  ASK(reinterpret_cast<CUdeviceptr>(pointer) == p + 8);
  ASK(cuPointerGetAttribute(&pointer, CU_POINTER_ATTRIBUTE_HOST_POINTER, p));
  ASK(cuPointerGetAttribute(&id, CU_POINTER_ATTRIBUTE_BUFFER_ID, p));
  ASK(id != 0);
  ASK(cuPointerGetAttribute(&number, CU_POINTER_ATTRIBUTE_IS_MANAGED, p));
  ASK(number & 0xff);
  ASK(cuPointerGetAttribute(&device, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, p));
  ASK(device);
  number = 0;
  ASK(cuPointerGetAttribute(&number, CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE, p));
  ASK(number & 0xff);
  ASK(cuPointerGetAttribute(&pointer, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, p + 8));
  ASK(reinterpret_cast<CUdeviceptr>(pointer) == p);
  ASK(cuPointerGetAttribute(&n, CU_POINTER_ATTRIBUTE_RANGE_SIZE, p));
  ASK(n);
  ASK(cuPointerGetAttribute(&yes, CU_POINTER_ATTRIBUTE_MAPPED, p));
  ASK(yes);
  id = 77;
  ASK(cuPointerGetAttribute(&id, CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES, p));
  ASK(id);
  ASK(cuPointerGetAttribute(&number, CU_POINTER_ATTRIBUTE_ACCESS_FLAGS, p));
  ASK(number);
  ASK(cuPointerGetAttribute(&pointer, CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE, p));
  ASK(pointer == nullptr);
  ASK(cuPointerSetAttribute(&on, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, p));
  ASK(cuIpcGetMemHandle(&handle, p));
  ASK(cuMemFreeAsync(p, nullptr));
  ASK(cuMemFreeHost(reinterpret_cast<void*>(p)));
  ASK(cuMemPrefetchAsync(p, 4096, CUmemLocation{CU_MEM_LOCATION_TYPE_DEVICE, 0}, 0, nullptr));
}

CASE(buffer_after_unregister) {
  graphics::start();
  const GLuint b = new_buffer(4096, nullptr);
  CUgraphicsResource r = mapped(b);
  char host[16];
  p = address(r);
  PREPARE(cuGraphicsUnmapResources(1, &r, nullptr));
  PREPARE(cuGraphicsUnregisterResource(r));
  SURVIVE(cuMemGetAddressRange(&q, &n, p));
  SURVIVE(cuMemcpyDtoH(host, p, 16));
  glDeleteBuffers(1, &b);
  SURVIVE(cuMemcpyDtoH(host, p, 16));
  SURVIVE(cuCtxSynchronize());
}

CASE(buffer_lists) {
  graphics::start();
  CUgraphicsResource a = registered(new_buffer(4096, nullptr));
  CUgraphicsResource b = mapped(new_buffer(4096, nullptr));
  CUgraphicsResource null_last[] = {a, nullptr}, mapped_first[] = {b, nullptr},
                     null_first[] = {nullptr, b};
  ASK(cuGraphicsMapResources(2, null_last, nullptr));
  ASK(cuGraphicsResourceGetMappedPointer(&p, &n, a));
  ASK(cuGraphicsMapResources(2, mapped_first, nullptr));
  ASK(cuGraphicsMapResources(2, null_first, nullptr));
  ASK(cuGraphicsUnmapResources(2, null_last, nullptr));
  ASK(cuGraphicsUnmapResources(2, mapped_first, nullptr));
  ASK(cuGraphicsUnmapResources(2, null_first, nullptr));
  ASK(cuGraphicsResourceGetMappedPointer(&p, &n, b));
  std::vector<CUgraphicsResource> many;
  for (int i = 0; i < 64; ++i) many.push_back(registered(new_buffer(4096, nullptr)));
  ASK(cuGraphicsMapResources(64, many.data(), nullptr));
  ASK(cuGraphicsUnmapResources(64, many.data(), nullptr));
}

CASE(buffer_registered_twice) {
  graphics::start();
  const GLuint buffer = new_buffer(4096, nullptr);
  CUgraphicsResource a = registered(buffer), b = registered(buffer), both[] = {a, b};
  ASK(cuGraphicsMapResources(2, both, nullptr));
  ASK(cuGraphicsResourceGetMappedPointer(&p, &n, a));
  ASK(cuGraphicsResourceGetMappedPointer(&q, &n, b));
  ASK(p == q);
  ASK(cuMemsetD8(p, 0x21, 4096));
  ASK(first_byte(q));
  ASK(cuGraphicsUnmapResources(1, &a, nullptr));
  ASK(cuMemsetD8(q, 0x22, 4096));
  ASK(error());
  ASK(first_byte());
  ASK(cuGraphicsResourceSetMapFlags(a, CU_GRAPHICS_MAP_RESOURCE_FLAGS_READ_ONLY));
  ASK(cuGraphicsResourceSetMapFlags(b, CU_GRAPHICS_MAP_RESOURCE_FLAGS_READ_ONLY));
  ASK(cuGraphicsMapResources(1, &a, nullptr));
  ASK(cuGraphicsUnmapResources(2, both, nullptr));
  ASK(cuGraphicsMapResources(1, &a, nullptr));
  ASK(cuGraphicsMapResources(1, &b, nullptr));
  ASK(cuGraphicsUnregisterResource(a));
  ASK(cuGraphicsUnmapResources(1, &a, nullptr));
  ASK(cuGraphicsUnmapResources(1, &b, nullptr));
}
CASE(buffer_one_of_two_unregistered) {
  graphics::start();
  const GLuint buffer = new_buffer(4096, nullptr);
  CUgraphicsResource a = registered(buffer), b = registered(buffer);
  SURVIVE(cuGraphicsUnregisterResource(a));
  SURVIVE(cuGraphicsMapResources(1, &b, nullptr));
  PREPARE(cuGraphicsResourceGetMappedPointer(&q, &n, b));
  SURVIVE(cuMemsetD8(q, 0x23, 4096));
  SURVIVE(cuGraphicsUnmapResources(1, &b, nullptr));
  SURVIVE(cuGraphicsUnregisterResource(b));
}
CASE(buffer_one_of_two_unregistered_while_mapped) {
  graphics::start();
  const GLuint buffer = new_buffer(4096, nullptr);
  CUgraphicsResource a = registered(buffer), b = registered(buffer);
  ASK(cuGraphicsMapResources(1, &b, nullptr));
  SURVIVE(cuGraphicsUnregisterResource(a));
  SURVIVE(cuGraphicsResourceGetMappedPointer(&q, &n, b));
  SURVIVE(cuMemsetD8(q, 0x23, 4096));
  SURVIVE(cuGraphicsUnmapResources(1, &b, nullptr));
  SURVIVE(first_byte() == 0x23 ? CUDA_SUCCESS : CUDA_ERROR_UNKNOWN);
  SURVIVE(cuGraphicsUnregisterResource(b));
}

CASE(buffer_register_flags) {
  graphics::start();
  const GLuint b = new_buffer(4096, nullptr);
  for (unsigned flags : {0u, 1u, 2u, 3u, 4u, 5u, 6u, 8u, 16u, 0x80000000u}) {
    CUgraphicsResource r = nullptr;
    ASK(flags);
    ASK(cuGraphicsGLRegisterBuffer(&r, b, flags));
    if (!r) continue;
    for (unsigned later : {0u, 1u, 2u, 3u, 4u, 0x80000000u})
      ASK(cuGraphicsResourceSetMapFlags(r, later));
    ASK(cuGraphicsMapResources(1, &r, nullptr));
    ASK(cuGraphicsUnmapResources(1, &r, nullptr));
  }
}

// What happens to writes to a read-only buffer, and what a write-discard buffer contains.
CASE(buffer_flags_and_content) {
  graphics::start();
  std::vector<unsigned char> data(4096, 0x41);
  for (unsigned flags :
       {CU_GRAPHICS_MAP_RESOURCE_FLAGS_NONE, CU_GRAPHICS_MAP_RESOURCE_FLAGS_READ_ONLY,
        CU_GRAPHICS_MAP_RESOURCE_FLAGS_WRITE_DISCARD}) {
    CUgraphicsResource r = registered(new_buffer(4096, data.data()));
    ASK(flags);
    ASK(cuGraphicsResourceSetMapFlags(r, flags));
    ASK(cuGraphicsMapResources(1, &r, nullptr));
    ASK(first_byte(address(r)));
    ASK(cuMemsetD8(address(r), 0x42, 1));
    ASK(cuGraphicsUnmapResources(1, &r, nullptr));
    ASK(first_byte());
    PREPARE(cuGraphicsResourceSetMapFlags(r, 0));
    PREPARE(cuGraphicsMapResources(1, &r, nullptr));
    ASK(first_byte(address(r)));
  }
}

}  // namespace

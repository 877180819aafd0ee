// SPDX-License-Identifier: Apache-2.0
// External memory of Vulkan: import, mapping, overlap, lifetime, and shared data.
#include "external.hpp"

#include <fcntl.h>
#include <sys/mman.h>

CASE(ext_info) {
  vk_scene();
  ASK(vk.uuid_match);
  ASK(vk.sem_fd);
  Shared s = shared_buffer(1 << 20);
  ASK((unsigned long long)s.size);
  int fd = export_fd(s.mem);
  char link[64], path[256];
  snprintf(link, 64, "/proc/self/fd/%d", fd);
  ssize_t n = readlink(link, path, 255);
  if (n > 0) {
    path[n] = 0;
    fprintf(stderr, "opaque fd is %s\n", path);
  }
}

CASE(ext_import_errors) {
  vk_scene();
  Shared s = shared_buffer(1 << 20);
  int fd = export_fd(s.mem);
  CUDA_EXTERNAL_MEMORY_HANDLE_DESC d;
  CUexternalMemory m;
  auto fresh = [&] {
    memset(&d, 0, sizeof d);
    d.type = CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD;
    d.handle.fd = fd;
    d.size = s.size;
  };
  fresh();
  ASK(cuImportExternalMemory(nullptr, &d));
  ASK(cuImportExternalMemory(&m, nullptr));
  d.size = 0;
  ASK(cuImportExternalMemory(&m, &d));
  fresh();
  d.type = (CUexternalMemoryHandleType)0;
  ASK(cuImportExternalMemory(&m, &d));
  d.type = (CUexternalMemoryHandleType)77;
  ASK(cuImportExternalMemory(&m, &d));
  d.type = CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_WIN32;
  ASK(cuImportExternalMemory(&m, &d));
  d.type = CU_EXTERNAL_MEMORY_HANDLE_TYPE_NVSCIBUF;
  ASK(cuImportExternalMemory(&m, &d));
  fresh();
  d.flags = 0x80;
  ASK(cuImportExternalMemory(&m, &d));
  fresh();
  d.handle.fd = -1;
  ASK(cuImportExternalMemory(&m, &d));
  fresh();
  d.handle.fd = 999;
  ASK(cuImportExternalMemory(&m, &d));
  int pipefd[2];
  if (pipe(pipefd)) return;
  d.handle.fd = pipefd[0];
  ASK(cuImportExternalMemory(&m, &d));
  conformance::answer("fd after failed import: open", fcntl(pipefd[0], F_GETFD) >= 0);
  int mf = memfd_create("x", 0);
  if (ftruncate(mf, 1 << 20)) return;
  d.handle.fd = mf;
  ASK(cuImportExternalMemory(&m, &d));
  fresh();
  d.size = s.size * 2;
  int fd2 = export_fd(s.mem);
  d.handle.fd = fd2;
  ASK(cuImportExternalMemory(&m, &d));
  fresh();
  d.reserved[0] = 5;
  ASK(cuImportExternalMemory(&m, &d));
}

CASE(ext_fd_ownership) {
  vk_scene();
  Shared s = shared_buffer(1 << 20);
  int fd = export_fd(s.mem);
  CUexternalMemory m = import(fd, s.size);
  conformance::answer("fd after import: open", fcntl(fd, F_GETFD) >= 0);
  int other = open("/dev/null", O_RDONLY);
  conformance::answer("next fd reuses the number", other == fd);
  CUdeviceptr p;
  ASK(map(&p, m, 0, s.size));
  ASK(cuMemsetD8(p, 1, s.size));
  ASK(cuMemFree(p));
  ASK(cuDestroyExternalMemory(m));
  conformance::answer("fd after destroy: open", fcntl(fd, F_GETFD) >= 0);
}

CASE(ext_import_twice) {
  vk_scene();
  Shared s = shared_buffer(1 << 20);
  CUexternalMemory a = import(export_fd(s.mem), s.size), b = import(export_fd(s.mem), s.size);
  ASK(a == b);
  CUdeviceptr p, q;
  ASK(map(&p, a, 0, s.size));
  ASK(map(&q, b, 0, s.size));
  ASK(p == q);
  PREPARE(cuMemsetD32(p, 0x1234, 16));
  unsigned v;
  PREPARE(cuMemcpyDtoH(&v, q, 4));
  ASK(v);
  ASK(cuDestroyExternalMemory(a));
  PREPARE(cuMemcpyDtoH(&v, q, 4));
  ASK(v);
}

CASE(ext_map_errors) {
  vk_scene();
  Shared s = shared_buffer(4 << 20);
  CUexternalMemory m = import(export_fd(s.mem), s.size);
  CUdeviceptr p = 0;
  CUDA_EXTERNAL_MEMORY_BUFFER_DESC b;
  memset(&b, 0, sizeof b);
  b.size = 4096;
  ASK(cuExternalMemoryGetMappedBuffer(nullptr, m, &b));
  ASK(cuExternalMemoryGetMappedBuffer(&p, nullptr, &b));
  ASK(cuExternalMemoryGetMappedBuffer(&p, m, nullptr));
  ASK(map(&p, m, 0, 0));
  ASK(map(&p, m, 0, 4096, 1));
  ASK(map(&p, m, 0, s.size + 1));
  ASK(map(&p, m, s.size, 4096));
  ASK(map(&p, m, s.size, 0));
  ASK(map(&p, m, s.size + 4096, 4096));
  ASK(map(&p, m, 4096, s.size));
  ASK(map(&p, m, ~0ull - 10, 4096));
  ASK(map(&p, m, 4096, ~0ull));
  b.reserved[3] = 9;
  ASK(cuExternalMemoryGetMappedBuffer(&p, m, &b));
  unsigned long long offs[] = {0, 1, 4, 16, 64, 256, 4096, 65536, 1 << 20, 2 << 20};
  for (auto o : offs) {
    char l[64];
    CUdeviceptr x = 0;
    snprintf(l, 64, "map at offset %llu", o);
    CUresult r = map(&x, m, o, 4096);
    conformance::answer(l, r);
    if (!r) {
      snprintf(l, 64, "  low bits at offset %llu", o);
      conformance::answer(l, (int)(x % 65536));
    }
  }
  unsigned long long sizes[] = {1, 3, 100, 4097, 65537};
  for (auto z : sizes) {
    char l[64];
    CUdeviceptr x = 0;
    snprintf(l, 64, "map of size %llu", z);
    CUresult r = map(&x, m, 0, z);
    conformance::answer(l, r);
    CUdeviceptr q;
    size_t n;
    if (!r && !cuMemGetAddressRange(&q, &n, x)) {
      conformance::answer("  range is base", q == x);
      conformance::answer("  range size", n);
    }
  }
}

CASE(ext_overlap) {
  vk_scene();
  Shared s = shared_buffer(4 << 20);
  CUexternalMemory m = import(export_fd(s.mem), s.size);
  CUdeviceptr a, b, c, d;
  ASK(map(&a, m, 0, 1 << 20));
  ASK(map(&b, m, 0, 1 << 20));
  ASK(a == b);
  ASK(map(&c, m, 65536, 1 << 20));
  conformance::answer("overlap at its offset in a", c == a + 65536);
  ASK(map(&d, m, 0, s.size));
  ASK(a == d);
  PREPARE(cuMemsetD32(a, 0xabcd, 1 << 18));
  unsigned v = 0;
  PREPARE(cuMemcpyDtoH(&v, c, 4));
  ASK((int)(v == 0xabcd));
  PREPARE(cuMemcpyDtoH(&v, d, 4));
  ASK((int)(v == 0xabcd));
  ASK(cuMemFree(a));
  v = 0;
  ASK(cuMemcpyDtoH(&v, b, 4));
  ASK((int)(v == 0xabcd));
  ASK(cuMemcpyDtoH(&v, c, 4));
  ASK(cuMemFree(a));
  ASK(cuMemFree(b));
  ASK(cuMemFree(c));
  ASK(cuMemFree(d));
  ASK(cuDestroyExternalMemory(m));
}

CASE(ext_lifetime) {
  vk_scene();
  Shared s = shared_buffer(1 << 20);
  CUexternalMemory m = import(export_fd(s.mem), s.size);
  CUdeviceptr p;
  PREPARE(map(&p, m, 0, s.size));
  PREPARE(cuMemsetD32(p, 0x77, 16));
  ASK(cuMemFree(p + 256));
  ASK(cuDestroyExternalMemory(m));
  unsigned v = 0;
  ASK(cuMemcpyDtoH(&v, p, 4));
  ASK(v);
  ASK(cuMemsetD8(p, 1, 16));
  ASK(cuCtxSynchronize());
  ASK(cuMemFree(p));
  ASK(cuMemcpyDtoH(&v, p, 4));
  ASK(cuMemFree(p));
  ASK(cuDestroyExternalMemory(nullptr));
  ASK(cuMemFreeAsync(p, 0));
  m = import(export_fd(s.mem), s.size);
  PREPARE(map(&p, m, 0, s.size));
  ASK(cuMemFreeAsync(p, 0));
  ASK(cuCtxSynchronize());
  ASK(cuMemcpyDtoH(&v, p, 4));
}

CASE(ext_vulkan_freed_first) {
  vk_scene();
  Shared s = shared_buffer(1 << 20);
  CUexternalMemory m = import(export_fd(s.mem), s.size);
  CUdeviceptr p;
  PREPARE(map(&p, m, 0, s.size));
  vkDestroyBuffer(vk.dev, s.buf, nullptr);
  vkFreeMemory(vk.dev, s.mem, nullptr);
  ASK(cuMemsetD8(p, 3, s.size));
  ASK(cuCtxSynchronize());
  unsigned char v;
  ASK(cuMemcpyDtoH(&v, p, 1));
  ASK((int)v);
  ASK(cuMemFree(p));
  ASK(cuDestroyExternalMemory(m));
}

CASE(ext_pointer_attributes) {
  vk_scene();
  Shared s = shared_buffer(4 << 20);
  CUexternalMemory m = import(export_fd(s.mem), s.size);
  CUdeviceptr p, q;
  PREPARE(map(&p, m, 65536, 100000));
  size_t n;
  ASK(cuMemGetAddressRange(&q, &n, p));
  ASK(q == p);
  ASK(n);
  ASK(cuMemGetAddressRange(&q, &n, p + 99999));
  ASK(cuMemGetAddressRange(&q, &n, p + 100000));
  unsigned u;
  CUcontext c;
  int i;
  ASK(cuPointerGetAttribute(&u, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, p));
  ASK(u);
  ASK(cuPointerGetAttribute(&c, CU_POINTER_ATTRIBUTE_CONTEXT, p));
  ASK(c == ctx);
  void* hp;
  ASK(cuPointerGetAttribute(&hp, CU_POINTER_ATTRIBUTE_HOST_POINTER, p));
  u = 9;
  ASK(cuPointerGetAttribute(&u, CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE, p));
  ASK(u & 1);
  u = 9;
  ASK(cuPointerGetAttribute(&u, CU_POINTER_ATTRIBUTE_MAPPED, p));
  ASK(u & 1);
  ASK(cuPointerGetAttribute(&i, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, p));
  ASK(i);
  CUipcMemHandle h;
  ASK(cuIpcGetMemHandle(&h, p));
  ASK(cuMemsetD8(p, 0, 100000));
  ASK(cuMemsetD8(p, 0, 100001));
  ASK(cuMemsetD8(p - 1, 0, 4));
}

CASE(ext_data_with_vulkan) {
  vk_scene();
  Shared s = shared_buffer(1 << 20),
         back = shared_buffer(
             1 << 20, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT);
  VkCommandBuffer cb = begin();
  vkCmdFillBuffer(cb, s.buf, 0, 1 << 20, 0x11223344);
  submit(cb, 0, 0, 0, 0, false);
  CUexternalMemory m = import(export_fd(s.mem), s.size);
  CUdeviceptr p;
  PREPARE(map(&p, m, 4096, 8192));
  unsigned v = 0;
  PREPARE(cuMemcpyDtoH(&v, p, 4));
  ASK((int)(v == 0x11223344));
  PREPARE(cuMemsetD32(p, 0x55667788, 1024));
  PREPARE(cuCtxSynchronize());
  cb = begin();
  VkBufferCopy c{0, 0, 1 << 20};
  vkCmdCopyBuffer(cb, s.buf, back.buf, 1, &c);
  submit(cb, 0, 0, 0, 0, false);
  unsigned* h;
  VKN(vkMapMemory(vk.dev, back.mem, 0, VK_WHOLE_SIZE, 0, (void**)&h));
  ASK((int)(h[1023] == 0x11223344));
  ASK((int)(h[1024] == 0x55667788));
  ASK((int)(h[2047] == 0x55667788));
  ASK((int)(h[2048] == 0x11223344));
}

CASE(ext_mipmapped) {
  vk_scene();
  VkExternalMemoryImageCreateInfo xi{VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_IMAGE_CREATE_INFO};
  xi.handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT;
  VkImageCreateInfo ic{VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO, &xi};
  ic.imageType = VK_IMAGE_TYPE_2D;
  ic.format = VK_FORMAT_R8G8B8A8_UNORM;
  ic.extent = {64, 64, 1};
  ic.mipLevels = 3;
  ic.arrayLayers = 1;
  ic.samples = VK_SAMPLE_COUNT_1_BIT;
  ic.tiling = VK_IMAGE_TILING_OPTIMAL;
  ic.usage = VK_IMAGE_USAGE_TRANSFER_DST_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT;
  VkImage im;
  VKN(vkCreateImage(vk.dev, &ic, nullptr, &im));
  VkMemoryRequirements mr;
  vkGetImageMemoryRequirements(vk.dev, im, &mr);
  VkMemoryDedicatedAllocateInfo da{VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO};
  da.image = im;
  VkExportMemoryAllocateInfo em{VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO, &da};
  em.handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT;
  VkMemoryAllocateInfo ma{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, &em};
  ma.allocationSize = mr.size;
  ma.memoryTypeIndex = type_index(mr.memoryTypeBits, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
  VkDeviceMemory mem;
  VKN(vkAllocateMemory(vk.dev, &ma, nullptr, &mem));
  VKN(vkBindImageMemory(vk.dev, im, mem, 0));
  CUexternalMemory m = import(export_fd(mem), mr.size, nullptr, CUDA_EXTERNAL_MEMORY_DEDICATED);
  CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC d;
  memset(&d, 0, sizeof d);
  d.arrayDesc.Width = 64;
  d.arrayDesc.Height = 64;
  d.arrayDesc.Format = CU_AD_FORMAT_UNSIGNED_INT8;
  d.arrayDesc.NumChannels = 4;
  d.numLevels = 3;
  CUmipmappedArray a;
  ASK(cuExternalMemoryGetMappedMipmappedArray(&a, m, &d));
  CUarray l;
  ASK(cuMipmappedArrayGetLevel(&l, a, 2));
  CUDA_ARRAY_DESCRIPTOR ad;
  ASK(cuArrayGetDescriptor(&ad, l));
  ASK(ad.Width);
  ASK(cuMipmappedArrayGetLevel(&l, a, 3));
  ASK(cuExternalMemoryGetMappedMipmappedArray(nullptr, m, &d));
  ASK(cuExternalMemoryGetMappedMipmappedArray(&a, nullptr, &d));
  ASK(cuExternalMemoryGetMappedMipmappedArray(&a, m, nullptr));
  CUmipmappedArray x;
  d.numLevels = 1;
  d.arrayDesc.Width = 4096;
  d.arrayDesc.Height = 4096;
  ASK(cuExternalMemoryGetMappedMipmappedArray(&x, m, &d));
  d.arrayDesc.Width = 64;
  d.arrayDesc.Height = 64;
  d.offset = 1;
  ASK(cuExternalMemoryGetMappedMipmappedArray(&x, m, &d));
  d.offset = 0;
  CUdeviceptr p;
  ASK(map(&p, m, 0, 4096));
  ASK(cuMipmappedArrayDestroy(a));
  ASK(cuDestroyExternalMemory(m));
}

// Memory that CUDA itself exported, imported as external memory.
CASE(ext_from_vmm) {
  scene();
  CUmemAllocationProp pr;
  memset(&pr, 0, sizeof pr);
  pr.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  pr.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  pr.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
  CUmemGenericAllocationHandle h;
  PREPARE(cuMemCreate(&h, 2 << 20, &pr, 0));
  int fd = -1;
  PREPARE(cuMemExportToShareableHandle(&fd, h, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
  CUresult r;
  CUexternalMemory m = import(fd, 2 << 20, &r);
  conformance::answer("import", r);
  if (!r) {
    CUdeviceptr p;
    ASK(map(&p, m, 0, 2 << 20));
  }
}

int main(int argc, char** argv) {
  if (!vulkan_is_here()) {
    printf("skipped: there is no Vulkan device\n");
    return 77;
  }
  return conformance::run(argc, argv);
}

// SPDX-License-Identifier: Apache-2.0
// Vulkan's external semaphores: import, timelines, and memory that they hand over.
#include <fcntl.h>

#include "external.hpp"

CASE(ext_semaphore_errors) {
  vk_scene();
  if (!vk.sem_fd) {
    fprintf(stderr, "there is no VK_KHR_external_semaphore_fd\n");
    return;
  }
  CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC d;
  CUexternalSemaphore x;
  memset(&d, 0, sizeof d);
  VkSemaphore b = semaphore(false);
  d.type = CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD;
  d.handle.fd = semaphore_fd(b);
  ASK(cuImportExternalSemaphore(nullptr, &d));
  ASK(cuImportExternalSemaphore(&x, nullptr));
  d.flags = 4;
  ASK(cuImportExternalSemaphore(&x, &d));
  d.flags = 0;
  int keep = d.handle.fd;
  d.handle.fd = -1;
  ASK(cuImportExternalSemaphore(&x, &d));
  d.handle.fd = open("/dev/null", O_RDWR);
  ASK(cuImportExternalSemaphore(&x, &d));
  d.handle.fd = keep;
  d.type = (CUexternalSemaphoreHandleType)55;
  ASK(cuImportExternalSemaphore(&x, &d));
  d.type = CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD;
  ASK(cuImportExternalSemaphore(&x, &d));
  conformance::answer("fd after import: open", fcntl(keep, F_GETFD) >= 0);
  CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS sp;
  memset(&sp, 0, sizeof sp);
  CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS wp;
  memset(&wp, 0, sizeof wp);
  ASK(cuSignalExternalSemaphoresAsync(nullptr, &sp, 1, 0));
  ASK(cuSignalExternalSemaphoresAsync(&x, nullptr, 1, 0));
  ASK(cuSignalExternalSemaphoresAsync(&x, &sp, 0, 0));
  sp.flags = 0x80;
  ASK(cuSignalExternalSemaphoresAsync(&x, &sp, 1, 0));
  sp.flags = 0;
  ASK(cuSignalExternalSemaphoresAsync(&x, &sp, 1, 0));
  ASK(cuWaitExternalSemaphoresAsync(&x, &wp, 1, 0));
  ASK(cuCtxSynchronize());
  ASK(cuDestroyExternalSemaphore(x));
  ASK(cuDestroyExternalSemaphore(nullptr));
}
static CUexternalSemaphore import_sem(VkSemaphore s, bool timeline) {
  CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC d;
  memset(&d, 0, sizeof d);
  d.type = timeline ? CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD
                    : CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD;
  d.handle.fd = semaphore_fd(s);
  CUexternalSemaphore x;
  PREPARE(cuImportExternalSemaphore(&x, &d));
  return x;
}

CASE(ext_timeline) {
  vk_scene();
  if (!vk.sem_fd) {
    fprintf(stderr, "there is no VK_KHR_external_semaphore_fd\n");
    return;
  }
  VkSemaphore t = semaphore(true, 3);
  CUexternalSemaphore x = import_sem(t, true);
  CUstream s;
  PREPARE(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
  auto sig = [&](uint64_t v) {
    CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS p;
    memset(&p, 0, sizeof p);
    p.params.fence.value = v;
    return cuSignalExternalSemaphoresAsync(&x, &p, 1, s);
  };
  auto wait = [&](uint64_t v) {
    CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS p;
    memset(&p, 0, sizeof p);
    p.params.fence.value = v;
    return cuWaitExternalSemaphoresAsync(&x, &p, 1, s);
  };
  uint64_t now = 0;
  vkGetSemaphoreCounterValue(vk.dev, t, &now);
  ASK((unsigned long long)now);
  ASK(wait(3));
  ASK(cuStreamSynchronize(s));
  ASK(wait(10));
  ASK(cuStreamQuery(s));
  VkSemaphoreSignalInfo si{VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO};
  si.semaphore = t;
  si.value = 10;
  vkSignalSemaphore(vk.dev, &si);
  ASK(cuStreamSynchronize(s));
  ASK(sig(20));
  ASK(cuStreamSynchronize(s));
  vkGetSemaphoreCounterValue(vk.dev, t, &now);
  ASK((unsigned long long)now);
  ASK(sig(15));
  ASK(cuStreamSynchronize(s));
  vkGetSemaphoreCounterValue(vk.dev, t, &now);
  ASK((unsigned long long)now);
  ASK(wait(5));
  ASK(cuStreamSynchronize(s));
}

// Vulkan fills, CUDA sets, Vulkan copies out: only two semaphores order them.
CASE(ext_handoff) {
  vk_scene();
  if (!vk.sem_fd) {
    fprintf(stderr, "there is no VK_KHR_external_semaphore_fd\n");
    return;
  }
  for (int timeline = 0; timeline < 2; ++timeline) {
    Shared s = shared_buffer(1 << 20),
           back = shared_buffer(
               1 << 20, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT);
    VkSemaphore a = semaphore(timeline), b = semaphore(timeline);
    CUexternalSemaphore xa = import_sem(a, timeline), xb = import_sem(b, timeline);
    CUexternalMemory m = import(export_fd(s.mem), s.size);
    CUdeviceptr p;
    PREPARE(map(&p, m, 0, 1 << 20));
    CUstream st;
    PREPARE(cuStreamCreate(&st, CU_STREAM_NON_BLOCKING));
    VkCommandBuffer cb = begin();
    vkCmdFillBuffer(cb, s.buf, 0, 1 << 20, 5);
    submit(cb, 0, 0, a, 1, timeline, false);
    CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS w;
    memset(&w, 0, sizeof w);
    w.params.fence.value = 1;
    ASK(cuWaitExternalSemaphoresAsync(&xa, &w, 1, st));
    ASK(cuMemsetD32Async(p, 9, 1 << 17, st));
    CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS g;
    memset(&g, 0, sizeof g);
    g.params.fence.value = 1;
    ASK(cuSignalExternalSemaphoresAsync(&xb, &g, 1, st));
    cb = begin();
    VkBufferCopy c{0, 0, 1 << 20};
    vkCmdCopyBuffer(cb, s.buf, back.buf, 1, &c);
    submit(cb, b, 1, 0, 0, timeline, true);
    unsigned* h;
    VKN(vkMapMemory(vk.dev, back.mem, 0, VK_WHOLE_SIZE, 0, (void**)&h));
    ASK(h[0]);
    ASK(h[(1 << 17) - 1]);
    ASK(h[1 << 17]);
    ASK(h[(1 << 18) - 1]);
  }
}

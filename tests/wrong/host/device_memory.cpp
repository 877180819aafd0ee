// SPDX-License-Identifier: Apache-2.0
// Addresses of device memory that the host dereferences.
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>

#include "tests/wrong/host/host.hpp"
#include "tests/wrong/physical_memory.hpp"

namespace {

volatile char* at(CUdeviceptr address) { return reinterpret_cast<volatile char*>(address); }

char read_properly(CUdeviceptr address) {
  char byte = 0;
  NEED(cuMemcpyDtoH(&byte, address, 1));
  return byte;
}

}  // namespace

void reads_device_memory(Twin twin) {
  const Program p;
  if (twin == Twin::wrong)
    static_cast<void>(*at(p.x));
  else
    read_properly(p.x);
}

void writes_device_memory(Twin twin) {
  const Program p;
  if (twin == Twin::wrong)
    at(p.x)[128] = 1;
  else
    NEED(cuMemsetD8(p.x + 128, 1, 1));
}

void reads_a_result_where_it_is(Twin twin) {
  const Program p;
  NEED(cuMemsetD8Async(p.x, 2, size, p.a));
  NEED(cuStreamSynchronize(p.a));
  const char result = twin == Twin::wrong ? at(p.x)[size - 1] : read_properly(p.x);
  if (result != 2) _Exit(4);
}

void reads_memory_of_a_pool(Twin twin) {
  const Program p;
  CUdeviceptr memory = 0;
  NEED(cuMemAllocAsync(&memory, size, p.a));
  NEED(cuMemsetD8Async(memory, 2, size, p.a));
  NEED(cuStreamSynchronize(p.a));
  if (twin == Twin::wrong)
    static_cast<void>(*at(memory));
  else
    read_properly(memory);
  NEED(cuMemFreeAsync(memory, p.a));
}

void writes_to_a_mapping(Twin twin) {
  const Program p;
  PhysicalMemory memory;
  const CUdeviceptr address = memory.map();
  if (twin == Twin::wrong) {
    at(address)[memory.bytes() - 1] = 1;
  } else {
    NEED(cuMemsetD8(address, 1, memory.bytes()));
    NEED(cuCtxSynchronize());
  }
}

void reads_external_memory(Twin twin) {
  const Program p;
  const int segment = memfd_create("cuvette-host", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (segment < 0 || ftruncate(segment, 65536) != 0) _Exit(4);
  CUDA_EXTERNAL_MEMORY_HANDLE_DESC description{};
  description.type = CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD;
  description.handle.fd = dup(segment);
  description.size = 65536;
  CUexternalMemory memory = nullptr;
  NEED(cuImportExternalMemory(&memory, &description));
  p.at_end([memory] { NEED(cuDestroyExternalMemory(memory)); });
  CUDA_EXTERNAL_MEMORY_BUFFER_DESC buffer{};
  buffer.size = 65536;
  CUdeviceptr mapped = 0;
  NEED(cuExternalMemoryGetMappedBuffer(&mapped, memory, &buffer));
  p.at_end([mapped] { NEED(cuMemFree(mapped)); });
  if (twin == Twin::wrong) {
    static_cast<void>(at(mapped)[4096]);
  } else {
    // The exporter's own mapping is for the host.
    void* const own = mmap(nullptr, 65536, PROT_READ, MAP_SHARED, segment, 0);
    static_cast<void>(static_cast<volatile char*>(own)[4096]);
    munmap(own, 65536);
  }
  close(segment);
}

void reads_a_variable_of_a_module(Twin twin) {
  const Program p;
  CUmodule module = nullptr;
  NEED(cuModuleLoadData(&module,
                        ".version 8.0\n.target sm_80\n.address_size 64\n"
                        ".visible .global .u32 counter = 7;\n"));
  CUdeviceptr counter = 0;
  size_t bytes = 0;
  NEED(cuModuleGetGlobal(&counter, &bytes, module, "counter"));
  const char value = twin == Twin::wrong ? *at(counter) : read_properly(counter);
  if (value != 7) _Exit(4);
}

void copies_from_device_memory_itself(Twin twin) {
  const Program p;
  char here[size];
  if (twin == Twin::wrong)
    for (size_t i = 0; i < size; ++i) here[i] = at(p.x)[i];
  else
    NEED(cuMemcpyDtoH(here, p.x, size));
  if (here[size - 1] != 1) _Exit(4);
}

// SPDX-License-Identifier: Apache-2.0
// `hint_programs NAME wrong|repaired` runs one of the programs in hints.def. All of them are right:
// kernels end between accesses to the same bytes by different addresses, or only read.
#include <cuda.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "tests/need.hpp"
#include "tests/wrong/primary_context.hpp"

enum class Twin { repaired, wrong };

#define PROGRAM(name, hint) void name(Twin twin);
#include "tests/wrong/hints/hints.def"
#undef PROGRAM

namespace {

constexpr size_t page = 4096, length = 16 * page;

constexpr const char* text = R"(
.version 8.0
.target sm_80
.address_size 64

// to[i] = 7 for the threads of one block.
.visible .entry fill(.param .u64 to) {
  .reg .u64 %p, %i;
  .reg .u32 %t;
  ld.param.u64 %p, [to];
  mov.u32 %t, %tid.x;
  mul.wide.u32 %i, %t, 4;
  add.u64 %p, %p, %i;
  st.global.u32 [%p], 7;
  ret;
}

.visible .entry fill_volatile(.param .u64 to) {
  .reg .u64 %p, %i;
  .reg .u32 %t;
  ld.param.u64 %p, [to];
  mov.u32 %t, %tid.x;
  mul.wide.u32 %i, %t, 4;
  add.u64 %p, %p, %i;
  st.volatile.global.u32 [%p], 7;
  ret;
}

// to[i] = a[i] + b[i]
.visible .entry sum(.param .u64 to, .param .u64 a, .param .u64 b) {
  .reg .u64 %p, %q, %r, %i;
  .reg .u32 %t, %v, %w;
  ld.param.u64 %p, [to];
  ld.param.u64 %q, [a];
  ld.param.u64 %r, [b];
  mov.u32 %t, %tid.x;
  mul.wide.u32 %i, %t, 4;
  add.u64 %p, %p, %i;
  add.u64 %q, %q, %i;
  add.u64 %r, %r, %i;
  ld.global.u32 %v, [%q];
  ld.global.u32 %w, [%r];
  add.u32 %v, %v, %w;
  st.global.u32 [%p], %v;
  ret;
}
)";

// External memory, as another process or API exports it.
class Memory : public PrimaryContext {
 public:
  Memory() : file_(memfd_create("cuvette-hint", MFD_CLOEXEC | MFD_ALLOW_SEALING)) {
    if (file_ < 0 || ftruncate(file_, length) != 0) _Exit(4);
    memory_ = import();
    NEED(cuModuleLoadData(&module_, text));
  }
  ~Memory() { close(file_); }

  CUexternalMemory import() const {
    CUDA_EXTERNAL_MEMORY_HANDLE_DESC description{};
    description.type = CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD;
    description.handle.fd = dup(file_);
    description.size = length;
    CUexternalMemory memory = nullptr;
    NEED(cuImportExternalMemory(&memory, &description));
    at_end([memory] { NEED(cuDestroyExternalMemory(memory)); });
    return memory;
  }
  CUdeviceptr map_for_now(size_t offset, size_t bytes, CUexternalMemory memory = nullptr) const {
    CUDA_EXTERNAL_MEMORY_BUFFER_DESC description{};
    description.offset = offset;
    description.size = bytes;
    CUdeviceptr address = 0;
    NEED(cuExternalMemoryGetMappedBuffer(&address, memory ? memory : memory_, &description));
    return address;
  }
  CUdeviceptr map(size_t offset, size_t bytes, CUexternalMemory memory = nullptr) const {
    const CUdeviceptr address = map_for_now(offset, bytes, memory);
    at_end([address] { NEED(cuMemFree(address)); });
    return address;
  }
  template <typename... Parameters>
  void launch(const char* name, Parameters... parameters) const {
    CUfunction function = nullptr;
    NEED(cuModuleGetFunction(&function, module_, name));
    void* values[] = {&parameters...};
    NEED(cuLaunchKernel(function, 1, 1, 1, 64, 1, 1, 0, nullptr, values, nullptr));
  }

 private:
  const int file_;
  CUexternalMemory memory_ = nullptr;
  CUmodule module_ = nullptr;
};

}  // namespace

// As the documentation recommends, the repaired twin maps the combined range.
void maps_parts_that_overlap(Twin twin) {
  const Memory memory;
  const CUdeviceptr whole = twin == Twin::repaired ? memory.map(0, 3 * page) : 0;
  const CUdeviceptr head = whole ? whole : memory.map(0, 2 * page);
  const CUdeviceptr tail = whole ? whole + page : memory.map(page, 2 * page);
  memory.launch("fill", head + page);
  memory.launch("fill", tail);
}

void maps_a_part_of_a_buffer(Twin twin) {
  const Memory memory;
  const CUdeviceptr whole = memory.map(0, length);
  const CUdeviceptr part = twin == Twin::wrong ? memory.map(page, page) : whole + page;
  memory.launch("fill", whole + page + 512);
  memory.launch("fill", part);
}

// The repaired twin has two buffers that share nothing.
void maps_a_buffer_twice(Twin twin) {
  const Memory memory;
  const CUdeviceptr one = memory.map(0, page);
  const CUdeviceptr other = memory.map(twin == Twin::wrong ? 0 : page, page);
  memory.launch("fill", one);
  memory.launch("fill", other);
}

// Volatile accesses are a reason to use several addresses.
void takes_turns_with_two_addresses(Twin twin) {
  const Memory memory;
  const CUdeviceptr one = memory.map(0, page), other = memory.map(0, page);
  memory.launch(twin == Twin::wrong ? "fill" : "fill_volatile", one);
  memory.launch("fill", other);
}

void reads_by_two_addresses(Twin twin) {
  const Memory memory;
  const CUdeviceptr to = memory.device_memory(page);
  const CUdeviceptr one = memory.map(0, page);
  const CUdeviceptr other = twin == Twin::wrong ? memory.map(0, page) : one;
  memory.launch("sum", to, one, other);
}

// Copies and fills come after whatever a kernel has written, by whichever address.
void shares_bytes_with_a_kernel(Twin twin) {
  const Memory memory;
  const CUdeviceptr one = memory.map(0, page), other = memory.map(0, page);
  memory.launch("fill", one);
  if (twin == Twin::wrong)
    memory.launch("fill", other);
  else
    NEED(cuMemsetD32(other, 7, 64));
}

// The buffers overlap, but kernels use what each has alone.
void uses_the_common_bytes(Twin twin) {
  const Memory memory;
  const CUdeviceptr head = memory.map(0, 2 * page), tail = memory.map(page, 2 * page);
  memory.launch("fill", head + (twin == Twin::wrong ? page : 0));
  memory.launch("fill", tail);
}

// It is said once.
void maps_in_each_frame(Twin twin) {
  const Memory memory;
  const CUdeviceptr whole = memory.map(0, length);
  for (size_t frame = 0; frame < 4; ++frame) {
    const CUdeviceptr part =
        twin == Twin::wrong ? memory.map_for_now(frame * page, page) : whole + frame * page;
    memory.launch("fill", whole + frame * page);
    memory.launch("fill", part);
    NEED(cuCtxSynchronize());
    if (twin == Twin::wrong) NEED(cuMemFree(part));
  }
}

// Two imports may be made by libraries that know nothing of each other.
void imports_once(Twin twin) {
  const Memory memory;
  const CUdeviceptr one = memory.map(0, page);
  const CUdeviceptr other = memory.map(0, page, twin == Twin::repaired ? memory.import() : nullptr);
  memory.launch("fill", one);
  memory.launch("fill", other);
}

int main(int argc, char** argv) {
  if (argc == 3) {
    const Twin twin = strcmp(argv[2], "wrong") == 0 ? Twin::wrong : Twin::repaired;
#define PROGRAM(name, hint) \
  if (strcmp(argv[1], #name) == 0) return name(twin), 0;
#include "tests/wrong/hints/hints.def"
#undef PROGRAM
  }
  fprintf(stderr, "usage: %s NAME wrong|repaired\n", argv[0]);
  return 2;
}

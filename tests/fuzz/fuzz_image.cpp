// SPDX-License-Identifier: Apache-2.0
// The readers of images and PTX: arbitrary bytes as a module's image and as parts of a link.
// Nothing may crash, or take more memory than the image justifies.
#include <cuda.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

namespace {

void set_scene() {
  static bool up = false;
  if (up) return;
  CUcontext context;
  if (cuInit(0) || cuDevicePrimaryCtxRetain(&context, 0) || cuCtxSetCurrent(context)) std::abort();
  // Silences the driver's explanations of refusals on stderr. The fuzzer and the sanitizers keep
  // theirs.
  stderr = std::fopen("/dev/null", "w");
  up = true;
}

// Adds a beginning with which random bytes pass the first check.
std::string with_beginning(unsigned char choice, const std::string& rest) {
  switch (choice % 5) {
    case 0:
      return ".version 7.8\n.target sm_80\n.address_size 64\n" + rest;
    case 1: {
      std::string image("\x50\xed\x55\xba\1\0\x10\0", 8);
      const unsigned long long size = rest.size();
      image.append(reinterpret_cast<const char*>(&size), sizeof size);
      return image + rest;
    }
    case 2:
      return std::string("\177ELF\2\1\1", 7) + rest;
    case 3:
      return "!<arch>\n" + rest;
    default:
      return rest;
  }
}

// Whether a fat binary ends no later than its header says: the header has its own size, in 16 bits,
// and that of the rest, in 64.
bool tells_its_size(const std::string& image) {
  unsigned short head = 0;
  unsigned long long rest = 0;
  if (image.size() < 16 || !image.starts_with("\x50\xed\x55\xba")) return false;
  std::memcpy(&head, image.data() + 6, sizeof head);
  std::memcpy(&rest, image.data() + 8, sizeof rest);
  return rest <= image.size() && head <= image.size() - rest;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  set_scene();
  if (size == 0) return 0;
  std::string image = with_beginning(data[0], {reinterpret_cast<const char*>(data) + 1, size - 1});
  CUmodule module;
  // cuModuleLoadData gets no size: the image's header gives it. If that is wrong, the driver reads
  // beyond the image as far as the process has memory. The link below knows the image's end.
  const bool safe = tells_its_size(image) || image.starts_with(".version");
  if (safe && cuModuleLoadData(&module, image.c_str()) == CUDA_SUCCESS) cuModuleUnload(module);
  CUlinkState state;
  if (cuLinkCreate(0, nullptr, nullptr, &state) != CUDA_SUCCESS) std::abort();
  for (const CUjitInputType type : {CU_JIT_INPUT_FATBINARY, CU_JIT_INPUT_OBJECT})
    cuLinkAddData(state, type, image.data(), image.size(), "one", 0, nullptr, nullptr);
  void* linked;
  if (cuLinkComplete(state, &linked, nullptr) == CUDA_SUCCESS &&
      cuModuleLoadData(&module, linked) == CUDA_SUCCESS)
    cuModuleUnload(module);
  cuLinkDestroy(state);
  return 0;
}

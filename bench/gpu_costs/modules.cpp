// SPDX-License-Identifier: Apache-2.0
// Modules and libraries: loading PTX that the driver has to compile, PTX that it finds in its
// cache, and machine code, by the bytes of the image.
#include <unistd.h>

#include <cstring>

#include "bench/gpu_costs/costs.hpp"

namespace cuvette::bench {
namespace {

// A program of `count` kernels of some fifty instructions, different at each call.
std::string program(int count) {
  static int made = 0;
  std::string text = ".version 7.0\n.target sm_75\n.address_size 64\n";
  for (int i = 0; i < count; ++i) {
    text += ".visible .entry kernel" + std::to_string(i) +
            "(.param .u64 to) {\n.reg .u64 %a<2>;\n.reg .u32 %v<2>;\n"
            "ld.param.u64 %a0, [to];\ncvta.to.global.u64 %a1, %a0;\nld.global.u32 %v0, [%a1];\n";
    for (int line = 0; line < 40; ++line) {
      ++made;
      text += "mad.lo.u32 %v0, %v0, " + std::to_string(2 * line + 3) + ", " +
              std::to_string(1000 * made + static_cast<int>(getpid())) + ";\nxor.b32 %v0, %v0, " +
              std::to_string(made) + ";\n";
    }
    text += "st.global.u32 [%a1], %v0;\nret;\n}\n";
  }
  return text;
}

void load(Costs& costs, const std::string& classes, const void* image, double size, int count) {
  CUmodule module = nullptr;
  CUfunction function = nullptr;
  if (!costs.timed({"cuModuleLoadData", classes, "byte"}, size,
                   [&] { return cuModuleLoadData(&module, image); }))
    return;
  if (count) {
    costs.timed({"cuModuleGetFunction", "first"}, 1,
                [&] { return cuModuleGetFunction(&function, module, "kernel0"); });
  }
  costs.timed({"cuModuleUnload", classes, "byte"}, size, [&] { return cuModuleUnload(module); });
}

void measure_program(Costs& costs, int count) {
  std::string text = program(count);
  costs.repeat(4, .4, [&] {  // never seen before
    text = program(count);
    load(costs, "ptx", text.c_str(), static_cast<double>(text.size()), count);
  });
  costs.repeat(10, .2, [&] {
    load(costs, "ptx cached", text.c_str(), static_cast<double>(text.size()), count);
  });
  CUlinkState link = nullptr;
  void* image = nullptr;
  size_t size = 0;
  NEED(cuLinkCreate(0, nullptr, nullptr, &link));
  NEED(cuLinkAddData(link, CU_JIT_INPUT_PTX, text.data(), text.size() + 1, "kernels", 0, nullptr,
                     nullptr));
  NEED(cuLinkComplete(link, &image, &size));
  const std::vector<char> code(static_cast<char*>(image), static_cast<char*>(image) + size);
  NEED(cuLinkDestroy(link));
  costs.repeat(20, .2,
               [&] { load(costs, "cubin", code.data(), static_cast<double>(code.size()), count); });
  costs.repeat(20, .2, [&] {
    CUlibrary library = nullptr;
    CUkernel kernel = nullptr;
    CUfunction function = nullptr;
    if (!costs.timed({"cuLibraryLoadData", "cubin", "byte"}, static_cast<double>(code.size()), [&] {
          return cuLibraryLoadData(&library, code.data(), nullptr, nullptr, 0, nullptr, nullptr, 0);
        }))
      return;
    costs.timed({"cuLibraryGetKernel", ""}, 1,
                [&] { return cuLibraryGetKernel(&kernel, library, "kernel0"); });
    costs.timed({"cuKernelGetFunction", ""}, 1,
                [&] { return cuKernelGetFunction(&function, kernel); });
    costs.timed({"cuLibraryUnload", "cubin", "byte"}, static_cast<double>(code.size()),
                [&] { return cuLibraryUnload(library); });
  });
}

}  // namespace

void measure_modules(Costs& costs) {
  for (const int count : {1, 8, 64}) measure_program(costs, count);
  // The first launch of a function that was just loaded.
  costs.repeat(10, .3, [&] {
    CUmodule module = nullptr;
    CUfunction function = nullptr;
    NEED(cuModuleLoadData(&module, kernels_ptx));
    NEED(cuModuleGetFunction(&function, module, "nothing"));
    cuCtxSynchronize();
    costs.timed({"cuLaunchKernel", "first"}, 1, [&] { return launch(function, nullptr); });
    cuCtxSynchronize();
    cuModuleUnload(module);
  });
}

}  // namespace cuvette::bench

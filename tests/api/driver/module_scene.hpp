// SPDX-License-Identifier: Apache-2.0
// Some PTX for tests of modules, functions, libraries and links.
#pragma once

#include <string>

#include "tests/api/driver/gate.hpp"

inline const std::string ptx_head = ".version 7.8\n.target sm_80\n.address_size 64\n";

inline const std::string program = ptx_head + R"(
.visible .global .align 4 .u32 number = 42;
.visible .global .align 4 .b8 large[1000];
.visible .const .align 4 .b32 constants[4] = {1, 2, 3};
.visible .global .attribute(.managed) .align 4 .u32 managed = 9;
.visible .entry plain(.param .u64 to, .param .u32 value, .param .align 8 .b8 both[24]) { ret; }
.visible .entry shares() {
  .shared .align 4 .b8 tile[1024];
  ret;
}
.visible .entry bounded() .maxntid 128, 2, 1 { ret; }
)";

inline const std::string wrong_body =
    ptx_head + ".visible .entry k() {\n  .reg .b32 %r;\n  addd.u32 %r, %r, %r;\n  ret;\n}\n";

// Invalid handles.
template <typename Handle>
const Handle bad_handles[] = {reinterpret_cast<Handle>(8), reinterpret_cast<Handle>(0x123456789),
                              reinterpret_cast<Handle>(~uintptr_t{0})};

struct ModuleScene : Scene {
  ModuleScene() { EXPECT_EQ(cuModuleLoadData(&module, program.c_str()), CUDA_SUCCESS); }
  ~ModuleScene() { EXPECT_EQ(cuModuleUnload(module), CUDA_SUCCESS); }

  CUfunction function(const char* name) const {
    CUfunction function = nullptr;
    EXPECT_EQ(cuModuleGetFunction(&function, module, name), CUDA_SUCCESS);
    return function;
  }

  CUmodule module = nullptr;
};

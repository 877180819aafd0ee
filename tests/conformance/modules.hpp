// SPDX-License-Identifier: Apache-2.0
// Shared by the cases about modules, functions, libraries and links: a context and some PTX.
#pragma once

#include "survive.hpp"

namespace conformance {

inline CUcontext context;

inline void start() {
  PREPARE(cuInit(0));
  PREPARE(cuDevicePrimaryCtxRetain(&context, 0));
  PREPARE(cuCtxSetCurrent(context));
}

#define PTX_HEAD ".version 7.8\n.target sm_80\n.address_size 64\n"

// Kernels of several shapes, and variables of several kinds.
inline const char* const program = PTX_HEAD R"(
.visible .global .align 4 .u32 number = 42;
.visible .global .align 8 .u64 address_of_number = number;
.visible .global .align 8 .u64 generic_of_number = generic(number);
.visible .global .align 8 .u64 behind_number = number+4;
.visible .const .align 4 .b32 constants[4] = {1, 2, 3};
.visible .global .align 8 .u64 address_of_constants = constants;
.visible .global .align 8 .u64 generic_of_constants = generic(constants);
.visible .global .align 4 .f32 float_of_bits = 0f3F800000;
.visible .global .align 8 .f64 float_of_digits = 2.5;
.visible .global .align 1 .b8 text[8] = {72, 105, 0};
.visible .global .align 256 .b8 large[1000];
.global .align 4 .u32 hidden = 7;
.visible .global .attribute(.managed) .align 4 .u32 managed = 9;
.visible .global .align 2 .b16 grid[2][3] = {{1, 2, 3}, {4, 5}};

.func (.param .b32 r) twice(.param .b32 a) {
  .reg .b32 %x;
  ld.param.b32 %x, [a];
  add.u32 %x, %x, %x;
  st.param.b32 [r], %x;
  ret;
}
.visible .func (.param .b32 r) seen(.param .b32 a) {
  .reg .b32 %x;
  ld.param.b32 %x, [a];
  st.param.b32 [r], %x;
  ret;
}
.visible .entry plain(.param .u64 to, .param .u32 value, .param .align 8 .b8 both[24], .param .u8 small) {
  .reg .b32 %x;
  .reg .b64 %a;
  ld.param.u64 %a, [to];
  ld.param.u32 %x, [value];
  cvta.to.global.u64 %a, %a;
  st.global.u32 [%a], %x;
  ret;
}
.visible .entry nothing() { ret; }
.entry not_visible() { ret; }
.visible .entry shares(.param .u64 to) {
  .shared .align 4 .b8 tile[1024];
  .reg .b32 %x;
  .reg .b64 %a;
  mov.u32 %x, %tid.x;
  st.shared.u32 [tile], %x;
  bar.sync 0;
  ld.shared.u32 %x, [tile];
  ld.param.u64 %a, [to];
  cvta.to.global.u64 %a, %a;
  st.global.u32 [%a], %x;
  ret;
}
.visible .entry bounded() .maxntid 128, 2, 1 .minnctapersm 2 { ret; }
.visible .entry required() .reqntid 64 { ret; }
)";

// PTX for compute capability 9.0, with clusters.
inline const char* const clusters = R"(.version 7.8
.target sm_90
.address_size 64
.visible .entry clustered() .explicitcluster .reqnctapercluster 2, 1, 1 { ret; }
.visible .entry single() { ret; }
)";

inline const char* const wrong_body =
    PTX_HEAD ".visible .entry k() {\n  .reg .b32 %r;\n  addd.u32 %r, %r, %r;\n  ret;\n}\n";

}  // namespace conformance

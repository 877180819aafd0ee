// SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/abi/device_runtime.hpp"

#include <algorithm>

namespace cuvette::ptx {
namespace {

constexpr std::string_view functions[] = {"cudaCGGetIntrinsicHandle", "cudaCGSynchronize",
                                          "cudaCGSynchronizeGrid", "cudaCGGetSize",
                                          "cudaCGGetRank"};

// A grid's handle is the address of the workspace that the device gives a cooperative launch, in
// %envreg1 and %envreg2, and 0 in other launches. cudaCGScopeGrid (1) and cudaCGScopeMultiGrid (2)
// give the same one, since a launch on several devices is refused: all grids are this one.
// The barrier counts blocks in the fifth word of it, as cooperative_groups.h of api/include does:
// rounds of both can follow each other. cudaErrorInvalidValue is 1.
constexpr std::string_view text = R"(.version 7.0
.target sm_70
.address_size 64

.visible .func (.param .b64 handle) cudaCGGetIntrinsicHandle(.param .b32 scope) {
  .reg .b32 %high, %low, %scope;
  .reg .b64 %workspace;
  .reg .pred %known;
  ld.param.b32 %scope, [scope];
  mov.u32 %high, %envreg1;
  mov.u32 %low, %envreg2;
  mov.b64 %workspace, {%low, %high};
  sub.u32 %scope, %scope, 1;
  setp.lt.u32 %known, %scope, 2;
  selp.b64 %workspace, %workspace, 0, %known;
  st.param.b64 [handle], %workspace;
  ret;
}

.visible .func (.param .b32 error) cudaCGSynchronize(.param .b64 handle, .param .b32 flags) {
  .reg .b32 %x, %y, %z, %blocks, %end, %now;
  .reg .b64 %counter;
  .reg .pred %none, %other, %early;
  ld.param.b64 %counter, [handle];
  setp.eq.u64 %none, %counter, 0;
  @%none bra REFUSED;
  add.u64 %counter, %counter, 16;
  bar.sync 0;
  mov.u32 %x, %tid.x;
  mov.u32 %y, %tid.y;
  mov.u32 %z, %tid.z;
  or.b32 %x, %x, %y;
  or.b32 %x, %x, %z;
  setp.ne.u32 %other, %x, 0;
  @%other bra MET;
  mov.u32 %x, %nctaid.x;
  mov.u32 %y, %nctaid.y;
  mov.u32 %z, %nctaid.z;
  mul.lo.u32 %blocks, %x, %y;
  mul.lo.u32 %blocks, %blocks, %z;
  membar.gl;
  atom.global.add.u32 %end, [%counter], 1;
  div.u32 %end, %end, %blocks;
  add.u32 %end, %end, 1;
  mul.lo.u32 %end, %end, %blocks;
WAIT:
  ld.acquire.gpu.global.u32 %now, [%counter];
  sub.s32 %now, %now, %end;
  setp.lt.s32 %early, %now, 0;
  @%early bra WAIT;
  membar.gl;
MET:
  bar.sync 0;
  st.param.b32 [error], 0;
  ret;
REFUSED:
  st.param.b32 [error], 1;
  ret;
}

.visible .func (.param .b32 error) cudaCGSynchronizeGrid(.param .b64 handle, .param .b32 flags) {
  .reg .b64 %handle;
  .reg .b32 %error;
  ld.param.b64 %handle, [handle];
  {
    .param .b64 to;
    .param .b32 flag;
    .param .b32 answer;
    st.param.b64 [to], %handle;
    st.param.b32 [flag], 0;
    call (answer), cudaCGSynchronize, (to, flag);
    ld.param.b32 %error, [answer];
  }
  st.param.b32 [error], %error;
  ret;
}

.visible .func (.param .b32 error) cudaCGGetSize(.param .b64 threads, .param .b64 grids, .param .b64 handle) {
  .reg .b32 %n, %m;
  .reg .b64 %to, %handle;
  .reg .pred %none;
  ld.param.b64 %handle, [handle];
  setp.eq.u64 %none, %handle, 0;
  @%none bra REFUSED;
  mov.u32 %n, %nctaid.x;
  mov.u32 %m, %nctaid.y;
  mul.lo.u32 %n, %n, %m;
  mov.u32 %m, %nctaid.z;
  mul.lo.u32 %n, %n, %m;
  mov.u32 %m, %ntid.x;
  mul.lo.u32 %n, %n, %m;
  mov.u32 %m, %ntid.y;
  mul.lo.u32 %n, %n, %m;
  mov.u32 %m, %ntid.z;
  mul.lo.u32 %n, %n, %m;
  ld.param.b64 %to, [threads];
  st.u32 [%to], %n;
  ld.param.b64 %to, [grids];
  st.u32 [%to], 1;
  st.param.b32 [error], 0;
  ret;
REFUSED:
  st.param.b32 [error], 1;
  ret;
}

.visible .func (.param .b32 error) cudaCGGetRank(.param .b64 thread, .param .b64 grid, .param .b64 handle) {
  .reg .b32 %n, %m, %t;
  .reg .b64 %to, %handle;
  .reg .pred %none;
  ld.param.b64 %handle, [handle];
  setp.eq.u64 %none, %handle, 0;
  @%none bra REFUSED;
  mov.u32 %n, %ctaid.z;
  mov.u32 %m, %nctaid.y;
  mov.u32 %t, %ctaid.y;
  mad.lo.u32 %n, %n, %m, %t;
  mov.u32 %m, %nctaid.x;
  mov.u32 %t, %ctaid.x;
  mad.lo.u32 %n, %n, %m, %t;
  mov.u32 %m, %ntid.z;
  mov.u32 %t, %tid.z;
  mad.lo.u32 %n, %n, %m, %t;
  mov.u32 %m, %ntid.y;
  mov.u32 %t, %tid.y;
  mad.lo.u32 %n, %n, %m, %t;
  mov.u32 %m, %ntid.x;
  mov.u32 %t, %tid.x;
  mad.lo.u32 %n, %n, %m, %t;
  ld.param.b64 %to, [thread];
  st.u32 [%to], %n;
  ld.param.b64 %to, [grid];
  st.u32 [%to], 0;
  st.param.b32 [error], 0;
  ret;
REFUSED:
  st.param.b32 [error], 1;
  ret;
}
)";

}  // namespace

bool in_device_runtime(std::string_view function) {
  return std::ranges::find(functions, function) != std::end(functions);
}

std::string device_runtime() { return std::string(text); }

}  // namespace cuvette::ptx

// SPDX-License-Identifier: Apache-2.0
// Modules and launches: what is refused, and the state of a context after a kernel's fault.
#include "scene.hpp"

static const char* ptx =
    ".version 6.4\n.target sm_50\n.address_size 64\n.visible .global .align 4 .u32 counter[4];\n"
    ".visible .entry add_one(.param .u64 a, .param .u32 n) {\n .reg .pred %p; .reg .b32 %r<6>; "
    ".reg .b64 %d<4>;\n ld.param.u64 %d0,[a]; ld.param.u32 %r0,[n]; mov.u32 %r1,%ctaid.x; mov.u32 "
    "%r2,%ntid.x; mov.u32 %r3,%tid.x; mad.lo.s32 %r4,%r1,%r2,%r3; setp.ge.u32 %p,%r4,%r0; @%p bra "
    "done; cvta.to.global.u64 %d1,%d0; mul.wide.u32 %d2,%r4,4; add.s64 %d3,%d1,%d2; ld.global.u32 "
    "%r5,[%d3]; add.u32 %r5,%r5,1; st.global.u32 [%d3],%r5; done: ret; }\n"
    ".visible .entry store(.param .u64 a, .param .u32 v) {\n .reg .b32 %r0; .reg .b64 %d0;\n "
    "ld.param.u64 %d0,[a]; ld.param.u32 %r0,[v]; st.global.u32 [%d0],%r0; ret; }\n"
    ".visible .entry trap_now() { trap; ret; }\n"
    ".visible .entry spin(.param .u64 ns) {\n .reg .b64 %d<4>; .reg .pred %p; ld.param.u64 "
    "%d0,[ns]; mov.u64 %d1,%globaltimer; again: mov.u64 %d2,%globaltimer; sub.u64 %d3,%d2,%d1; "
    "setp.lt.u64 %p,%d3,%d0; @%p bra again; ret; }\n";

CASE(modules) {
  scene();
  CUmodule m;
  CUfunction f;
  CUdeviceptr g;
  size_t n;
  unsigned cnt;
  const char* nm;
  ASK(cuModuleLoadData(&m, nullptr));
  ASK(cuModuleLoadData(&m, "not ptx"));
  ASK(cuModuleLoadData(&m, ""));
  // On one line, since the harness prints the text of the call.
  // clang-format off
  ASK(cuModuleLoadData(&m, ".version 6.4\n.target sm_50\n.address_size 64\n.visible .entry k() { nonsense; }\n"));
  // clang-format on
  ASK(cuModuleLoadData(&m, ".version 99.9\n.target sm_50\n.address_size 64\n"));
  ASK(cuModuleLoadData(&m, ".version 6.4\n.target sm_999\n.address_size 64\n"));
  ASK(cuModuleLoad(&m, "/does/not/exist"));
  ASK(cuModuleLoadData(&m, ptx));
  ASK(cuModuleGetFunction(&f, m, "nope"));
  ASK(cuModuleGetFunction(&f, m, "add_one"));
  ASK(cuModuleGetFunction(&f, m, nullptr));
  ASK(cuModuleGetGlobal(&g, &n, m, "counter"));
  ASK(n);
  ASK(cuModuleGetGlobal(&g, &n, m, "nope"));
  ASK(cuModuleGetGlobal(nullptr, nullptr, m, "counter"));
  ASK(cuModuleGetFunctionCount(&cnt, m));
  ASK(cnt);
  ASK(cuFuncGetName(&nm, f));
  conformance::answer("name", nm);
  int v;
  ASK(cuFuncGetAttribute(&v, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, f));
  ASK(v);
  ASK(cuFuncGetAttribute(&v, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, f));
  ASK(v);
  ASK(cuFuncGetAttribute(&v, CU_FUNC_ATTRIBUTE_PTX_VERSION, f));
  ASK(v);
  ASK(cuFuncGetAttribute(&v, (CUfunction_attribute)99, f));
  size_t off, sz;
  ASK(cuFuncGetParamInfo(f, 0, &off, &sz));
  ASK(off);
  ASK(sz);
  ASK(cuFuncGetParamInfo(f, 1, &off, &sz));
  ASK(off);
  ASK(sz);
  ASK(cuFuncGetParamInfo(f, 2, &off, &sz));
  char log[4096];
  log[0] = 0;
  CUjit_option o[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void* ov[] = {log, (void*)sizeof log};
  CUmodule bad;
  // On one line, since the harness prints the text of the call.
  // clang-format off
  ASK(cuModuleLoadDataEx(&bad, ".version 6.4\n.target sm_50\n.address_size 64\n.visible .entry k() { nonsense; }\n", 2, o, ov));
  // clang-format on
  ASK(strlen(log) > 0);
  ASK(cuModuleUnload(m));
  ASK(cuModuleUnload(nullptr));
}

CASE(launch_errors) {
  scene();
  CUmodule m;
  CUfunction f, tr;
  PREPARE(cuModuleLoadData(&m, ptx));
  PREPARE(cuModuleGetFunction(&f, m, "add_one"));
  PREPARE(cuModuleGetFunction(&tr, m, "trap_now"));
  CUdeviceptr p;
  PREPARE(cuMemAlloc(&p, 4096));
  PREPARE(cuMemsetD32(p, 0, 1024));
  unsigned n = 1024;
  void* args[] = {&p, &n};
  ASK(cuLaunchKernel(f, 8, 1, 1, 128, 1, 1, 0, 0, args, nullptr));
  ASK(cuCtxSynchronize());
  unsigned h = 0;
  ASK(cuMemcpyDtoH(&h, p + 4092, 4));
  ASK(h);
  ASK(cuLaunchKernel(f, 0, 1, 1, 128, 1, 1, 0, 0, args, nullptr));
  ASK(cuLaunchKernel(f, 1, 1, 1, 0, 1, 1, 0, 0, args, nullptr));
  ASK(cuLaunchKernel(f, 1, 1, 1, 1025, 1, 1, 0, 0, args, nullptr));
  ASK(cuLaunchKernel(f, 1, 1, 1, 1, 1, 65, 0, 0, args, nullptr));
  ASK(cuLaunchKernel(f, 1, 65536, 1, 1, 1, 1, 0, 0, args, nullptr));
  ASK(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 49153, 0, args, nullptr));
  ASK(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, 0, nullptr, nullptr));
  ASK(cuLaunchKernel(nullptr, 1, 1, 1, 1, 1, 1, 0, 0, args, nullptr));
  ASK(cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 65536));
  ASK(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 65536, 0, args, nullptr));
  ASK(cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 10 << 20));
  size_t bs = 12;
  char buf[12];
  memcpy(buf, &p, 8);
  memcpy(buf + 8, &n, 4);
  void* ex[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, buf, CU_LAUNCH_PARAM_BUFFER_SIZE, &bs,
                CU_LAUNCH_PARAM_END};
  ASK(cuLaunchKernel(f, 8, 1, 1, 128, 1, 1, 0, 0, nullptr, ex));
  ASK(cuLaunchKernel(f, 8, 1, 1, 128, 1, 1, 0, 0, args, ex));
  bs = 8;
  ASK(cuLaunchKernel(f, 8, 1, 1, 128, 1, 1, 0, 0, nullptr, ex));
  ASK(cuLaunchCooperativeKernel(f, 1000000, 1, 1, 128, 1, 1, 0, 0, args));
  ASK(cuLaunchCooperativeKernel(f, 8, 1, 1, 128, 1, 1, 0, 0, args));
  int occ;
  ASK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&occ, f, 128, 0));
  ASK(occ);
  ASK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&occ, f, 1024, 0));
  ASK(occ);
  ASK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&occ, f, 2048, 0));
  ASK(occ);
  ASK(cuCtxSynchronize());
}

CASE(sticky_trap) {
  scene();
  CUmodule m;
  CUfunction tr;
  PREPARE(cuModuleLoadData(&m, ptx));
  PREPARE(cuModuleGetFunction(&tr, m, "trap_now"));
  CUdeviceptr p;
  PREPARE(cuMemAlloc(&p, 4096));
  CUstream s;
  PREPARE(cuStreamCreate(&s, 0));
  CUevent e;
  PREPARE(cuEventCreate(&e, 0));
  ASK(cuLaunchKernel(tr, 1, 1, 1, 1, 1, 1, 0, 0, nullptr, nullptr));
  ASK(cuCtxSynchronize());
  ASK(cuCtxSynchronize());
  ASK(cuMemAlloc(&p, 4));
  ASK(cuMemFree(p));
  ASK(cuStreamQuery(s));
  ASK(cuEventQuery(e));
  ASK(cuLaunchKernel(tr, 1, 1, 1, 1, 1, 1, 0, 0, nullptr, nullptr));
  int n;
  ASK(cuDeviceGetCount(&n));
  CUcontext c;
  ASK(cuCtxGetCurrent(&c));
  size_t a, b;
  ASK(cuMemGetInfo(&a, &b));
  ASK(cuStreamDestroy(s));
  ASK(cuEventDestroy(e));
  ASK(cuModuleUnload(m));
  ASK(cuDevicePrimaryCtxRelease(0));
  ASK(cuDevicePrimaryCtxRetain(&c, 0));
  ASK(cuCtxSetCurrent(c));
  ASK(cuMemAlloc(&p, 4));
  ASK(cuDevicePrimaryCtxReset(0));
  ASK(cuDevicePrimaryCtxRetain(&c, 0));
  ASK(cuCtxSetCurrent(c));
  ASK(cuMemAlloc(&p, 4));
}

CASE(sticky_illegal_address) {
  scene();
  CUmodule m;
  CUfunction st;
  PREPARE(cuModuleLoadData(&m, ptx));
  PREPARE(cuModuleGetFunction(&st, m, "store"));
  CUdeviceptr p;
  unsigned v = 7;
  PREPARE(cuMemAlloc(&p, 4096));
  void* a[] = {&p, &v};
  ASK(cuLaunchKernel(st, 1, 1, 1, 1, 1, 1, 0, 0, a, nullptr));
  ASK(cuCtxSynchronize());
  p = 0x10;
  ASK(cuLaunchKernel(st, 1, 1, 1, 1, 1, 1, 0, 0, a, nullptr));
  ASK(cuCtxSynchronize());
  ASK(cuMemcpyDtoH(&v, p, 4));
  ASK(cuCtxSynchronize());
}

CASE(misaligned) {
  scene();
  CUmodule m;
  CUfunction st;
  PREPARE(cuModuleLoadData(&m, ptx));
  PREPARE(cuModuleGetFunction(&st, m, "store"));
  CUdeviceptr p;
  unsigned v = 7;
  PREPARE(cuMemAlloc(&p, 4096));
  p += 1;
  void* a[] = {&p, &v};
  ASK(cuLaunchKernel(st, 1, 1, 1, 1, 1, 1, 0, 0, a, nullptr));
  ASK(cuCtxSynchronize());
}

CASE(kernel_on_host_memory) {
  scene();
  CUmodule m;
  CUfunction st;
  PREPARE(cuModuleLoadData(&m, ptx));
  PREPARE(cuModuleGetFunction(&st, m, "store"));
  void* h;
  PREPARE(cuMemAllocHost(&h, 64));
  CUdeviceptr p = (CUdeviceptr)h;
  unsigned v = 7;
  void* a[] = {&p, &v};
  ASK(cuLaunchKernel(st, 1, 1, 1, 1, 1, 1, 0, 0, a, nullptr));
  ASK(cuCtxSynchronize());
  ASK(*(unsigned*)h);
  static unsigned own;
  p = (CUdeviceptr)&own;
  ASK(cuLaunchKernel(st, 1, 1, 1, 1, 1, 1, 0, 0, a, nullptr));
  ASK(cuCtxSynchronize());
  ASK(own);
}

CASE(proc_address) {
  PREPARE(cuInit(0));
  void* f;
  CUdriverProcAddressQueryResult st;
  const char* names[] = {"cuMemAlloc",
                         "cuMemAlloc_v2",
                         "cuCtxCreate",
                         "cuNope",
                         "",
                         "cuGetProcAddress",
                         "cuStreamGetCaptureInfo",
                         "cuGraphicsMapResources",
                         "cuMemcpyAsync",
                         "cuEventElapsedTime"};
  int vers[] = {0, 2000, 3010, 4000, 11020, 12000, 13000, 99999};
  for (auto n : names)
    for (int v : vers)
      for (int fl = 0; fl < 3; ++fl) {
        char l[128];
        f = nullptr;
        st = (CUdriverProcAddressQueryResult)9;
        snprintf(l, sizeof l, "%s %d %d", n, v, fl);
        CUresult r = cuGetProcAddress(n, &f, v, fl, &st);
        conformance::answer(l, r);
        snprintf(l, sizeof l, "%s %d %d found,status", n, v, fl);
        char s[16];
        snprintf(s, 16, "%d,%d", f != nullptr, (int)st);
        conformance::answer(l, s);
      }
  ASK(cuGetProcAddress("cuInit", &f, 12000, 0, nullptr));
  ASK(cuGetProcAddress("cuInit", &f, 12000, 64, nullptr));
}

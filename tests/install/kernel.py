# SPDX-License-Identifier: Apache-2.0
"""Runs a kernel through the driver API alone: it adds 1 to each of 1,000 numbers."""
import ctypes

driver = ctypes.CDLL("libcuda.so.1")
COUNT = 1000
PTX = b"""
.version 8.0
.target sm_80
.address_size 64
.visible .entry increase(.param .u64 values, .param .u32 count) {
  .reg .pred %p;
  .reg .b32 %r<6>;
  .reg .b64 %d<3>;
  ld.param.u64 %d0, [values];
  ld.param.u32 %r0, [count];
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %ntid.x;
  mov.u32 %r3, %tid.x;
  mad.lo.u32 %r4, %r1, %r2, %r3;
  setp.ge.u32 %p, %r4, %r0;
  @%p ret;
  mul.wide.u32 %d1, %r4, 4;
  add.u64 %d2, %d0, %d1;
  ld.global.u32 %r5, [%d2];
  add.u32 %r5, %r5, 1;
  st.global.u32 [%d2], %r5;
  ret;
}
"""


def check(result):
    assert result == 0, result


device, context, memory = ctypes.c_int(), ctypes.c_void_p(), ctypes.c_uint64()
module, kernel, count = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_uint(COUNT)
check(driver.cuInit(0))
check(driver.cuDeviceGet(ctypes.byref(device), 0))
check(driver.cuDevicePrimaryCtxRetain(ctypes.byref(context), device))
check(driver.cuCtxSetCurrent(context))
check(driver.cuModuleLoadData(ctypes.byref(module), PTX))
check(driver.cuModuleGetFunction(ctypes.byref(kernel), module, b"increase"))
check(driver.cuMemAlloc_v2(ctypes.byref(memory), ctypes.c_size_t(4 * COUNT)))
values = (ctypes.c_uint * COUNT)(*range(COUNT))
check(driver.cuMemcpyHtoD_v2(memory, values, ctypes.c_size_t(4 * COUNT)))
arguments = (ctypes.c_void_p * 2)(*(ctypes.addressof(one) for one in (memory, count)))
check(driver.cuLaunchKernel(kernel, 8, 1, 1, 128, 1, 1, 0, None, arguments, None))
check(driver.cuMemcpyDtoH_v2(values, memory, ctypes.c_size_t(4 * COUNT)))
check(driver.cuMemFree_v2(memory))
check(driver.cuModuleUnload(module))
check(driver.cuDevicePrimaryCtxRelease_v2(device))
assert list(values) == [i + 1 for i in range(COUNT)]
print("the kernel ran")

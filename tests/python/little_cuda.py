# SPDX-License-Identifier: Apache-2.0
"""A client of the driver in plain Python, with which the tests use a device."""
import ctypes

PTX = b"""
.version 6.4
.target sm_50
.address_size 64
.visible .entry store(.param .u64 to, .param .u32 value) {
  .reg .b64 %d<2>; .reg .b32 %r<2>;
  ld.param.u64 %d0, [to]; cvta.to.global.u64 %d1, %d0; ld.param.u32 %r0, [value];
  st.global.u32 [%d1], %r0; ret; }
.visible .entry race(.param .u64 to) {
  .reg .b64 %d<2>; .reg .b32 %r<2>;
  ld.param.u64 %d0, [to]; cvta.to.global.u64 %d1, %d0;
  ld.global.u32 %r0, [%d1]; add.u32 %r1, %r0, 1; st.global.u32 [%d1], %r1; ret; }
"""

_cuda = None
_functions = {}


class Failed(Exception):
    pass


def call(name, *arguments):
    result = getattr(_cuda, name)(*arguments)
    if result:
        raise Failed(f"{name} returns {result}")


def start():
    """Makes the primary context current; the first time, it loads the library."""
    global _cuda
    if _cuda is None:
        _cuda = ctypes.CDLL("libcuda.so.1")
    call("cuInit", 0)
    context, module = ctypes.c_void_p(), ctypes.c_void_p()
    call("cuDevicePrimaryCtxRetain", ctypes.byref(context), 0)
    call("cuCtxSetCurrent", context)
    call("cuModuleLoadData", ctypes.byref(module), PTX)
    for name in ("store", "race"):
        function = ctypes.c_void_p()
        call("cuModuleGetFunction", ctypes.byref(function), module, name.encode())
        _functions[name] = function


def allocate(size=64):
    memory = ctypes.c_uint64()
    call("cuMemAlloc_v2", ctypes.byref(memory), ctypes.c_size_t(size))
    return memory


def free(memory):
    call("cuMemFree_v2", memory)


def stream():
    made = ctypes.c_void_p()
    call("cuStreamCreate", ctypes.byref(made), 1)
    return made


def launch(name, threads, *values, on=None):
    pointers = (ctypes.c_void_p * len(values))(*(ctypes.cast(ctypes.byref(value), ctypes.c_void_p) for value in values))
    call("cuLaunchKernel", _functions[name], 1, 1, 1, threads, 1, 1, 0, on, pointers, None)


def store(memory, value, on=None):
    launch("store", 1, memory, ctypes.c_uint32(value), on=on)


def race(memory):
    launch("race", 64, memory)


def synchronise():
    call("cuCtxSynchronize")


def read(memory):
    value = ctypes.c_uint32()
    call("cuMemcpyDtoH_v2", ctypes.byref(value), memory, ctypes.c_size_t(4))
    return value.value

# SPDX-License-Identifier: Apache-2.0
"""numba's threads run on PyPI's oneTBB while a stream of Cuvette runs on its own, in turns and at the same time."""
import ctypes
import threading

import numba
import numpy

driver = ctypes.CDLL("libcuda.so.1", mode=ctypes.RTLD_GLOBAL)
COUNT = 1 << 20


def check(result):
    assert result == 0, result


@numba.njit(parallel=True)
def total(values):
    result = 0
    for i in numba.prange(values.size):
        result += values[i]
    return result


def fill_and_read(times):
    context, device, memory = ctypes.c_void_p(), ctypes.c_int(), ctypes.c_uint64()
    check(driver.cuInit(0))
    check(driver.cuDeviceGet(ctypes.byref(device), 0))
    check(driver.cuDevicePrimaryCtxRetain(ctypes.byref(context), device))
    check(driver.cuCtxSetCurrent(context))
    check(driver.cuMemAlloc_v2(ctypes.byref(memory), 4 * COUNT))
    read = numpy.zeros(COUNT, numpy.uint32)
    for i in range(times):
        check(driver.cuMemsetD32_v2(memory, i, COUNT))
        check(driver.cuMemcpyDtoH_v2(read.ctypes.data_as(ctypes.c_void_p), memory, 4 * COUNT))
        assert (read == i).all()
    check(driver.cuMemFree_v2(memory))


fill_and_read(3)
assert total(numpy.ones(COUNT, numpy.int64)) == COUNT
thread = threading.Thread(target=fill_and_read, args=(50,))
thread.start()
for _ in range(50):
    assert total(numpy.ones(COUNT, numpy.int64)) == COUNT
thread.join()
assert numba.threading_layer() == "tbb", numba.threading_layer()

# SPDX-License-Identifier: Apache-2.0
"""A kernel in Triton, compared with NumPy: triton_program.py NAME. It needs no PyTorch: Triton takes everything that
has an address and a type for a tensor."""
import sys

import numpy as np
import triton
import triton.language as tl
from cuda.bindings import driver
from triton.runtime.driver import driver as triton_driver

TYPES = {np.dtype(np.float32): "fp32", np.dtype(np.int32): "i32"}


def checked(answer):
    if answer[0] != driver.CUresult.CUDA_SUCCESS:
        sys.exit(f"the driver says {answer[0]}")
    return answer[1] if len(answer) > 1 else None


class Tensor:
    """An array in memory of the device."""

    def __init__(self, array):
        self.array = np.ascontiguousarray(array)
        self.dtype = TYPES[self.array.dtype]
        self.memory = checked(driver.cuMemAlloc(self.array.nbytes))
        checked(driver.cuMemcpyHtoD(self.memory, self.array.ctypes.data, self.array.nbytes))

    def data_ptr(self):
        return int(self.memory)

    def read(self):
        result = np.empty_like(self.array)
        checked(driver.cuMemcpyDtoH(result.ctypes.data, self.memory, result.nbytes))
        return result


@triton.jit
def add_kernel(x, y, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    tl.store(out + at, tl.load(x + at, inside) + tl.load(y + at, inside), inside)


@triton.jit
def softmax_kernel(x, out, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    inside = at < n
    values = tl.load(x + row * n + at, inside, other=-float("inf"))
    values = tl.exp(values - tl.max(values, 0))
    tl.store(out + row * n + at, values / tl.sum(values, 0), inside)


@triton.jit
def matmul_kernel(a, b, c, n, BLOCK: tl.constexpr, STEP: tl.constexpr):
    rows = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    columns = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK, BLOCK), tl.float32)
    for begin in range(0, n, STEP):
        inner = begin + tl.arange(0, STEP)
        left = tl.load(a + rows[:, None] * n + inner[None, :]).to(tl.float16)
        right = tl.load(b + inner[:, None] * n + columns[None, :]).to(tl.float16)
        total += tl.dot(left, right)
    tl.store(c + rows[:, None] * n + columns[None, :], total)


@triton.jit
def histogram_kernel(x, bins, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    tl.atomic_add(bins + tl.load(x + at, inside, other=0), 1, inside)


@triton.jit
def cumulative_sum_kernel(x, out, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + at, tl.cumsum(tl.load(x + at), 0))


@triton.jit
def sort_kernel(x, out, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + at, tl.sort(tl.load(x + at)))


def matmul(random, n, block, step):
    a, b = (random.standard_normal((n, n)).astype(np.float32) for _ in range(2))
    out = Tensor(np.zeros((n, n), np.float32))
    matmul_kernel[(n // block, n // block)](Tensor(a), Tensor(b), out, n, BLOCK=block, STEP=step)
    expected = a.astype(np.float16).astype(np.float32) @ b.astype(np.float16).astype(np.float32)
    return np.allclose(out.read(), expected, atol=1e-4 * n)


def right(name):
    random = np.random.default_rng(1)
    if name == "matmul":
        return matmul(random, 64, 32, 32)
    if name == "large_matmul":
        return matmul(random, 256, 128, 32)
    if name == "add":
        x, y = (random.standard_normal(1000).astype(np.float32) for _ in range(2))
        out = Tensor(np.zeros_like(x))
        add_kernel[(8,)](Tensor(x), Tensor(y), out, 1000, BLOCK=128)
        return np.array_equal(out.read(), x + y)
    if name == "softmax":
        x = random.standard_normal((16, 1000)).astype(np.float32)
        out = Tensor(np.zeros_like(x))
        softmax_kernel[(16,)](Tensor(x), out, 1000, BLOCK=1024)
        powers = np.exp(x - x.max(1, keepdims=True))
        return np.allclose(out.read(), powers / powers.sum(1, keepdims=True), atol=1e-7)
    if name == "histogram":
        x = random.integers(0, 37, 5000, np.int32)
        bins = Tensor(np.zeros(37, np.int32))
        histogram_kernel[(5,)](Tensor(x), bins, 5000, BLOCK=1024)
        return np.array_equal(bins.read(), np.bincount(x, minlength=37))
    x = random.integers(-1000, 1000, (4, 512), np.int32)
    out = Tensor(np.zeros_like(x))
    if name == "cumulative_sum":
        cumulative_sum_kernel[(4,)](Tensor(x), out, BLOCK=512)
        return np.array_equal(out.read(), x.cumsum(1, dtype=np.int32))
    sort_kernel[(4,)](Tensor(x), out, BLOCK=512)
    return np.array_equal(out.read(), np.sort(x, 1))


checked(driver.cuInit(0))
checked(driver.cuCtxSetCurrent(checked(driver.cuDevicePrimaryCtxRetain(0))))
# What PyTorch would say.
triton_driver.active.get_current_device = lambda: 0
triton_driver.active.get_current_stream = lambda device: 0
print(f"{sys.argv[1]}: {'right' if right(sys.argv[1]) else 'wrong'}")

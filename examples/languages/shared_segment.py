#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Two processes share a segment; the second is a CUDA program in Python that calls libcudart.so.13 by its C ABI
(ctypes), without any package.

    exporter (this process)                    importer (started by it, with --importer)
    writes 0, 1, 2, ... into the segment
    leaves it the descriptor ----------------> cudaImportExternalMemory, maps the middle half
                                               reads it with cudaMemcpy, compares
                                               launches `scale` from PTX on the mapping
    reads what the kernel wrote <------------- ends with status 0

Run it with `cuvette run -- python3 shared_segment.py`."""
import ctypes
import mmap
import os
import subprocess
import sys
from ctypes import byref, c_char_p, c_int, c_size_t, c_uint, c_ulonglong, c_void_p

SEGMENT = 1 << 20
OFFSET = SEGMENT // 4
SIZE = SEGMENT // 2
FACTOR = 3

OPAQUE_FD = 1
DEVICE_TO_HOST = 2


# The runtime API's structs, as CUDA 13 has them.
class Win32Handle(ctypes.Structure):
    _fields_ = [("handle", c_void_p), ("name", c_void_p)]


class Handle(ctypes.Union):
    _fields_ = [("fd", c_int), ("win32", Win32Handle)]


class HandleDesc(ctypes.Structure):
    _fields_ = [("type", c_int), ("handle", Handle), ("size", c_ulonglong), ("flags", c_uint), ("reserved", c_uint * 16)]


class BufferDesc(ctypes.Structure):
    _fields_ = [("offset", c_ulonglong), ("size", c_ulonglong), ("flags", c_uint), ("reserved", c_uint * 16)]


class Dim3(ctypes.Structure):
    _fields_ = [("x", c_uint), ("y", c_uint), ("z", c_uint)]


class Runtime:
    """libcudart.so.13: a call that goes wrong is an exception."""

    SIGNATURES = {
        "cudaImportExternalMemory": [c_void_p, c_void_p],
        "cudaExternalMemoryGetMappedBuffer": [c_void_p, c_void_p, c_void_p],
        "cudaDestroyExternalMemory": [c_void_p],
        "cudaFree": [c_void_p],
        "cudaMemcpy": [c_void_p, c_void_p, c_size_t, c_int],
        "cudaDeviceSynchronize": [],
        "cudaLibraryLoadData": [c_void_p, c_char_p, c_void_p, c_void_p, c_uint, c_void_p, c_void_p, c_uint],
        "cudaLibraryGetKernel": [c_void_p, c_void_p, c_char_p],
        "cudaLibraryUnload": [c_void_p],
        "cudaLaunchKernel": [c_void_p, Dim3, Dim3, c_void_p, c_size_t, c_void_p],
    }

    def __init__(self):
        library = ctypes.CDLL("libcudart.so.13")
        library.cudaGetErrorString.restype = c_char_p
        for name, types in self.SIGNATURES.items():
            setattr(self, name, self.checked(library, name, types))

    @staticmethod
    def checked(library, name, types):
        function = getattr(library, name)
        function.argtypes = types

        def call(*arguments):
            error = function(*arguments)
            if error:
                raise RuntimeError(f"{name}: {library.cudaGetErrorString(error).decode()}")

        return call


def import_and_work(fd):
    cuda = Runtime()
    memory, middle = c_void_p(), c_void_p()
    cuda.cudaImportExternalMemory(
        byref(memory), byref(HandleDesc(type=OPAQUE_FD, handle=Handle(fd=fd), size=SEGMENT)))
    cuda.cudaExternalMemoryGetMappedBuffer(byref(middle), memory, byref(BufferDesc(offset=OFFSET, size=SIZE)))

    seen = (c_uint * (SIZE // 4))()
    cuda.cudaMemcpy(seen, middle, SIZE, DEVICE_TO_HOST)
    if list(seen) != list(range(OFFSET // 4, (OFFSET + SIZE) // 4)):
        sys.exit("importer: the device does not see what the exporter wrote")

    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "scale.ptx"), "rb") as file:
        code = file.read()
    library, kernel = c_void_p(), c_void_p()
    cuda.cudaLibraryLoadData(byref(library), code, None, None, 0, None, None, 0)
    cuda.cudaLibraryGetKernel(byref(kernel), library, b"scale")
    count, factor = c_uint(SIZE // 4), c_uint(FACTOR)
    arguments = (c_void_p * 3)(*(ctypes.cast(byref(value), c_void_p) for value in (middle, count, factor)))
    cuda.cudaLaunchKernel(kernel, Dim3((count.value + 255) // 256, 1, 1), Dim3(256, 1, 1), arguments, 0, None)
    cuda.cudaDeviceSynchronize()
    print(f"importer: scaled {count.value} numbers at {middle.value:#x}")

    cuda.cudaLibraryUnload(library)
    cuda.cudaFree(middle)
    cuda.cudaDestroyExternalMemory(memory)


def export_and_check():
    fd = os.memfd_create("segment")
    os.ftruncate(fd, SEGMENT)
    numbers = memoryview(mmap.mmap(fd, SEGMENT)).cast("I")
    for i in range(len(numbers)):
        numbers[i] = i
    subprocess.run([sys.executable, __file__, "--importer", str(fd)], pass_fds=[fd], check=True)
    for i, number in enumerate(numbers):
        expected = i * FACTOR if OFFSET // 4 <= i < (OFFSET + SIZE) // 4 else i
        if number != expected:
            sys.exit(f"exporter: number {i} of the segment is {number}, not {expected}")
    print(f"exporter: the middle half is {FACTOR} times what it was, the rest is untouched")


def main():
    if sys.argv[1:2] == ["--importer"]:
        import_and_work(int(sys.argv[2]))
    else:
        export_and_check()


if __name__ == "__main__":
    main()

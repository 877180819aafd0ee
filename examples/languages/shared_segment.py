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
import mmap
import os
import subprocess
import sys
from ctypes import c_uint

from runtime import DEVICE_TO_HOST, Runtime

SEGMENT = 1 << 20
OFFSET = SEGMENT // 4
SIZE = SEGMENT // 2
FACTOR = 3


def import_and_work(fd):
    cuda = Runtime()
    memory = cuda.import_memory(fd, SEGMENT)
    middle = cuda.map_memory(memory, OFFSET, SIZE)

    seen = (c_uint * (SIZE // 4))()
    cuda.cudaMemcpy(seen, middle, SIZE, DEVICE_TO_HOST)
    if list(seen) != list(range(OFFSET // 4, (OFFSET + SIZE) // 4)):
        sys.exit("importer: the device does not see what the exporter wrote")

    library, kernel = cuda.load_scale()
    cuda.launch_scale(kernel, middle, len(seen), FACTOR)
    cuda.cudaDeviceSynchronize()
    print(f"importer: scaled {len(seen)} numbers at {middle.value:#x}")

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

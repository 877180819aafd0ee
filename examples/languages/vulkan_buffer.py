#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Vulkan and CUDA work on one buffer, and semaphores keep them in order. The program is Python that calls
libvulkan.so.1 and libcudart.so.13 by their C ABI (ctypes), without any package.

    Vulkan's queue                             CUDA's stream
    writes numbers into the buffer
    signals `written` -----------------------> waits for `written`
                                               launches `scale` from PTX on the buffer
    waits for `scaled` <---------------------- signals `scaled`
    copies the buffer to where the host reads

All of it is submitted before any of it has to be done: the host waits once, at the end.

Run it with `cuvette run -- python3 vulkan_buffer.py`."""
import ctypes
import sys
from ctypes import byref, c_int, c_uint, c_void_p

from c_library import Library
from runtime import Runtime
from vulkan import (HOST, HOST_READ, NOTHING, OTHER_API, QUEUE, TRANSFER, TRANSFER_DESTINATION, TRANSFER_READ,
                    TRANSFER_SOURCE, TRANSFER_WRITE, Device)

COUNT = 10_000
SIZE = COUNT * 4
FACTOR = 3


def cuda_uuid():
    """The UUID of CUDA's first device, by which Vulkan's is found. Only the driver API gives it alone."""
    cuda = Library("libcuda.so.1", lambda error: f"CUDA's error is {error}",
                   {"cuInit": [c_uint], "cuDeviceGetUuid_v2": [c_void_p, c_int]})
    uuid = ctypes.create_string_buffer(16)
    cuda.cuInit(0)
    cuda.cuDeviceGetUuid_v2(uuid, 0)
    return uuid.raw


def main():
    cuda = Runtime()
    device = Device(cuda_uuid())
    shared = device.exported_buffer(SIZE, TRANSFER_SOURCE | TRANSFER_DESTINATION)
    results, seen = device.readable_buffer(SIZE, TRANSFER_DESTINATION)
    written = device.exported_timeline()
    scaled = device.exported_timeline()

    # What is Vulkan's, as CUDA sees it.
    memory = cuda.import_memory(device.memory_fd(shared), SIZE)
    address = cuda.map_memory(memory, 0, SIZE)
    cuda_written = cuda.import_timeline(device.semaphore_fd(written))
    cuda_scaled = cuda.import_timeline(device.semaphore_fd(scaled))

    # The queue's part.
    write = device.begin()
    device.update(write, shared, (c_uint * COUNT)(*range(COUNT)))
    device.barrier(write, shared, (QUEUE, TRANSFER, TRANSFER_WRITE), (OTHER_API, TRANSFER, NOTHING))
    device.end(write)
    fetch = device.begin()
    device.barrier(fetch, shared, (OTHER_API, TRANSFER, NOTHING), (QUEUE, TRANSFER, TRANSFER_READ))
    device.copy(fetch, shared, results, SIZE)
    device.barrier(fetch, results, (QUEUE, TRANSFER, TRANSFER_WRITE), (QUEUE, HOST, HOST_READ))
    device.end(fetch)
    device.submit(write, signal=(written, 1))
    device.submit(fetch, wait=(scaled, 1))

    # The stream's part.
    stream = c_void_p()
    cuda.cudaStreamCreate(byref(stream))
    library, kernel = cuda.load_scale()
    cuda.wait(cuda_written, 1, stream)
    cuda.launch_scale(kernel, address, COUNT, FACTOR, stream)
    cuda.signal(cuda_scaled, 1, stream)

    device.finish()
    for i, number in enumerate(seen):
        if number != i * FACTOR:
            sys.exit(f"number {i} of the buffer is {number}, not {i * FACTOR}")
    print(f"Vulkan wrote {COUNT} numbers, CUDA made each {FACTOR} times what it was at {address.value:#x}")

    cuda.cudaStreamSynchronize(stream)
    cuda.cudaStreamDestroy(stream)
    cuda.cudaLibraryUnload(library)
    cuda.cudaDestroyExternalSemaphore(cuda_written)
    cuda.cudaDestroyExternalSemaphore(cuda_scaled)
    cuda.cudaFree(address)
    cuda.cudaDestroyExternalMemory(memory)
    device.destroy_semaphore(written)
    device.destroy_semaphore(scaled)
    device.destroy_buffer(shared)
    device.destroy_buffer(results)
    device.close()


if __name__ == "__main__":
    main()

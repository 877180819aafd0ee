# SPDX-License-Identifier: Apache-2.0
"""What the examples need of libcudart.so.13, by its C ABI (ctypes): CUDA 13's structs and functions, and around them
the few steps that the examples have in common."""
import ctypes
import pathlib
from ctypes import byref, c_char_p, c_int, c_size_t, c_uint, c_ulonglong, c_void_p

from c_library import Library

DEVICE_TO_HOST = 2
MEMORY_OPAQUE_FD = 1
SEMAPHORE_TIMELINE_FD = 9


class Win32Handle(ctypes.Structure):
    _fields_ = [("handle", c_void_p), ("name", c_void_p)]


class Handle(ctypes.Union):
    _fields_ = [("fd", c_int), ("win32", Win32Handle)]


class MemoryHandleDesc(ctypes.Structure):
    _fields_ = [("type", c_int), ("handle", Handle), ("size", c_ulonglong), ("flags", c_uint),
                ("reserved", c_uint * 16)]


class MemoryBufferDesc(ctypes.Structure):
    _fields_ = [("offset", c_ulonglong), ("size", c_ulonglong), ("flags", c_uint), ("reserved", c_uint * 16)]


class SemaphoreHandleDesc(ctypes.Structure):
    _fields_ = [("type", c_int), ("handle", Handle), ("flags", c_uint), ("reserved", c_uint * 16)]


class SemaphoreParams(ctypes.Structure):
    """The parameters of a signal and those of a wait: they differ only in what is for other kinds of semaphores."""
    _fields_ = [("value", c_ulonglong), ("other_kinds", c_uint * 16), ("flags", c_uint), ("reserved", c_uint * 16)]


class Dim3(ctypes.Structure):
    _fields_ = [("x", c_uint), ("y", c_uint), ("z", c_uint)]


class Runtime(Library):
    FUNCTIONS = {
        "cudaFree": [c_void_p],
        "cudaMemcpy": [c_void_p, c_void_p, c_size_t, c_int],
        "cudaDeviceSynchronize": [],
        "cudaStreamCreate": [c_void_p],
        "cudaStreamSynchronize": [c_void_p],
        "cudaStreamDestroy": [c_void_p],
        "cudaImportExternalMemory": [c_void_p, c_void_p],
        "cudaExternalMemoryGetMappedBuffer": [c_void_p, c_void_p, c_void_p],
        "cudaDestroyExternalMemory": [c_void_p],
        "cudaImportExternalSemaphore": [c_void_p, c_void_p],
        "cudaWaitExternalSemaphoresAsync": [c_void_p, c_void_p, c_uint, c_void_p],
        "cudaSignalExternalSemaphoresAsync": [c_void_p, c_void_p, c_uint, c_void_p],
        "cudaDestroyExternalSemaphore": [c_void_p],
        "cudaLibraryLoadData": [c_void_p, c_char_p, c_void_p, c_void_p, c_uint, c_void_p, c_void_p, c_uint],
        "cudaLibraryGetKernel": [c_void_p, c_void_p, c_char_p],
        "cudaLibraryUnload": [c_void_p],
        "cudaLaunchKernel": [c_void_p, Dim3, Dim3, c_void_p, c_size_t, c_void_p],
    }

    def __init__(self):
        super().__init__("libcudart.so.13", self.explain, self.FUNCTIONS)
        self.library.cudaGetErrorString.restype = c_char_p

    def explain(self, error):
        return self.library.cudaGetErrorString(error).decode()

    def import_memory(self, fd, size):
        """Imports memory by its descriptor, which is CUDA's from then on."""
        memory = c_void_p()
        desc = MemoryHandleDesc(type=MEMORY_OPAQUE_FD, handle=Handle(fd=fd), size=size)
        self.cudaImportExternalMemory(byref(memory), byref(desc))
        return memory

    def map_memory(self, memory, offset, size):
        """Maps a part of imported memory. The address is freed with cudaFree."""
        address = c_void_p()
        desc = MemoryBufferDesc(offset=offset, size=size)
        self.cudaExternalMemoryGetMappedBuffer(byref(address), memory, byref(desc))
        return address

    def import_timeline(self, fd):
        """Imports a timeline semaphore by its descriptor, which is CUDA's from then on."""
        semaphore = c_void_p()
        desc = SemaphoreHandleDesc(type=SEMAPHORE_TIMELINE_FD, handle=Handle(fd=fd))
        self.cudaImportExternalSemaphore(byref(semaphore), byref(desc))
        return semaphore

    def wait(self, semaphore, value, stream):
        """The stream goes on when the timeline has reached `value`."""
        self.cudaWaitExternalSemaphoresAsync(byref(semaphore), byref(SemaphoreParams(value=value)), 1, stream)

    def signal(self, semaphore, value, stream):
        """The timeline gets `value` when the stream's work before this is done."""
        self.cudaSignalExternalSemaphoresAsync(byref(semaphore), byref(SemaphoreParams(value=value)), 1, stream)

    def load_scale(self):
        """Returns the library that scale.ptx becomes, and its kernel."""
        code = pathlib.Path(__file__).with_name("scale.ptx").read_bytes()
        library, kernel = c_void_p(), c_void_p()
        self.cudaLibraryLoadData(byref(library), code, None, None, 0, None, None, 0)
        self.cudaLibraryGetKernel(byref(kernel), library, b"scale")
        return library, kernel

    def launch_scale(self, kernel, data, count, factor, stream=None):
        """Multiplies `count` numbers at `data` by `factor`, in a stream."""
        values = [data, c_uint(count), c_uint(factor)]
        arguments = (c_void_p * 3)(*(ctypes.addressof(value) for value in values))
        self.cudaLaunchKernel(kernel, Dim3((count + 255) // 256, 1, 1), Dim3(256, 1, 1), arguments, 0, stream)

# SPDX-License-Identifier: Apache-2.0
"""The libcuda.so.1 of this process, and its table for test runners (cuvetteTests.h)."""
import ctypes
from typing import Optional

_SUCCESS, _INVALID_CONTEXT = 0, 201
_TABLE = (ctypes.c_uint8 * 16)(*b"cuvette tests 01")


class _Tests(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t),
                ("begin", ctypes.CFUNCTYPE(None)),
                ("settle", ctypes.CFUNCTYPE(None)),
                ("lost", ctypes.CFUNCTYPE(ctypes.c_int)),
                ("used", ctypes.CFUNCTYPE(ctypes.c_int))]


class Driver:
    """The driver's functions for test runners."""

    def __init__(self, library: ctypes.CDLL, table: _Tests) -> None:
        self._library, self._table = library, table

    def begin(self) -> None:
        """A test begins: places that were reported before are reported again."""
        self._table.begin()

    def settle(self) -> None:
        """Waits until all submitted work is complete and its mistakes are reported. It does not count as a wait of the
        program."""
        self._table.settle()

    def synchronise(self) -> None:
        """Waits for the current context, and for the primary contexts of all devices, as a program does."""
        call = self._library
        if call.cuCtxSynchronize() not in (_SUCCESS, _INVALID_CONTEXT):
            return
        count = ctypes.c_int()
        call.cuDeviceGetCount(ctypes.byref(count))
        for device in range(count.value):
            flags, active, context = ctypes.c_uint(), ctypes.c_int(), ctypes.c_void_p()
            call.cuDevicePrimaryCtxGetState(device, ctypes.byref(flags), ctypes.byref(active))
            if active.value and call.cuDevicePrimaryCtxRetain(ctypes.byref(context), device) == _SUCCESS:
                call.cuCtxPushCurrent_v2(context)
                call.cuCtxSynchronize()
                call.cuCtxPopCurrent_v2(ctypes.byref(context))
                call.cuDevicePrimaryCtxRelease_v2(device)

    def used(self) -> bool:
        """Whether this process has initialised the driver."""
        return bool(self._table.used())

    def lost(self) -> Optional[str]:
        """Returns the name of the error that has broken a context; None if no context is broken."""
        error = self._table.lost()
        if error == 0:
            return None
        name = ctypes.c_char_p()
        self._library.cuGetErrorName(error, ctypes.byref(name))
        return (name.value or str(error).encode()).decode()


def driver_in(path: str) -> Optional[Driver]:
    """Returns the driver in the file, which is loaded unless it was; None if it is not Cuvette's."""
    library = ctypes.CDLL(path, mode=ctypes.RTLD_GLOBAL)
    table = ctypes.POINTER(_Tests)()
    if library.cuGetExportTable(ctypes.byref(table), ctypes.byref(_TABLE)) != 0:
        return None
    return Driver(library, table.contents)

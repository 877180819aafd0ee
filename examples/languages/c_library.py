# SPDX-License-Identifier: Apache-2.0
"""Shared libraries, called by their C ABI."""
import ctypes


class Library:
    """A library's functions as its attributes, with the types of their parameters. A result of one of `functions`
    that is not 0 is an exception, in which `explain` says what it means; `procedures` return nothing."""

    def __init__(self, file, explain, functions, procedures=()):
        self.library = ctypes.CDLL(file)
        for name, types in functions.items():
            setattr(self, name, checked(getattr(self.library, name), name, types, explain))
        for name, types in dict(procedures).items():
            procedure = getattr(self.library, name)
            procedure.argtypes, procedure.restype = types, None
            setattr(self, name, procedure)


def checked(function, name, types, explain):
    function.argtypes = types

    def call(*arguments):
        result = function(*arguments)
        if result:
            raise RuntimeError(f"{name}: {explain(result)}")

    return call

# SPDX-License-Identifier: Apache-2.0
"""GCC's OpenACC tests, on an NVIDIA device."""
import offload

TITLE = "GCC's OpenACC"
PACKAGES = offload.PACKAGES


def cases(machine):
    # What they share with the host, or ask of one kind of device, is decided by macros of the test driver.
    yield from offload.tests(machine, ["libgomp.oacc-c-c++-common", "libgomp.oacc-c"], "-fopenacc",
                             lambda text: "#pragma acc" in text or "acc_" in text)

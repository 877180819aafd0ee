# SPDX-License-Identifier: Apache-2.0
"""GCC's OpenACC tests, on an NVIDIA device."""
import offload

TITLE = "GCC's OpenACC"
PACKAGES = offload.PACKAGES


def cases(machine):
    # What they share with the host, and what they ask of one kind of device, is decided by macros.
    flags = ["-fopenacc", "-DACC_DEVICE_TYPE_nvidia=1", "-DACC_MEM_SHARED=0"]
    yield from offload.tests(machine, ["libgomp.oacc-c-c++-common", "libgomp.oacc-c"], flags,
                             lambda text: "#pragma acc" in text or "acc_" in text)

# SPDX-License-Identifier: Apache-2.0
"""GCC's OpenMP tests that offload to a device."""
import re

import offload

TITLE = "GCC's OpenMP"
PACKAGES = offload.PACKAGES


def cases(machine):
    yield from offload.tests(machine, ["libgomp.c", "libgomp.c-c++-common"], ["-fopenmp"],
                             lambda text: re.search(r"#pragma omp[^\n]*\btarget\b", text))

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""With CUVETTE_CUDART_MAJOR=12 the runtime's header declares the ABI of CUDA 12.9.

No toolkit of CUDA 12 is needed: the facts below are the differences between public bindings of 12.9
and 13.0. Run with the folder api/include and clang as arguments.
"""

import sys
import unittest

import surface

OURS, CLANG = sys.argv[1:3]
HEADER = "cuda_runtime_api.h"

ONLY_12 = """cudaEventElapsedTime_v2 cudaGetDeviceProperties_v2 cudaGraphAddDependencies_v2
    cudaGraphAddNode_v2 cudaGraphGetEdges_v2 cudaGraphNodeGetDependencies_v2
    cudaGraphNodeGetDependentNodes_v2 cudaGraphRemoveDependencies_v2
    cudaLaunchCooperativeKernelMultiDevice cudaMemAdvise_v2 cudaMemPrefetchAsync_v2
    cudaSetDoubleForDevice cudaSetDoubleForHost cudaSignalExternalSemaphoresAsync_v2
    cudaStreamGetCaptureInfo_v2 cudaStreamGetCaptureInfo_v3 cudaStreamUpdateCaptureDependencies_v2
    cudaThreadExit cudaThreadGetCacheConfig cudaThreadGetLimit cudaThreadSetCacheConfig
    cudaThreadSetLimit cudaThreadSynchronize cudaWaitExternalSemaphoresAsync_v2""".split()
# CUDA 12 has the last four, too, but as macros for a _v2.
ONLY_13 = """cudaDeviceGetHostAtomicCapabilities cudaDeviceGetP2PAtomicCapabilities cudaLogsCurrent
    cudaLogsDumpToFile cudaLogsDumpToMemory cudaLogsRegisterCallback cudaLogsUnregisterCallback
    cudaMemDiscardAndPrefetchBatchAsync cudaMemDiscardBatchAsync cudaMemGetDefaultMemPool
    cudaMemGetMemPool cudaMemPrefetchBatchAsync cudaMemSetMemPool cudaGetDeviceProperties
    cudaSignalExternalSemaphoresAsync cudaStreamGetCaptureInfo
    cudaWaitExternalSemaphoresAsync""".split()
OTHER_TYPE = """cudaGraphAddDependencies cudaGraphAddNode cudaGraphGetEdges
    cudaGraphNodeGetDependencies cudaGraphNodeGetDependentNodes cudaGraphRemoveDependencies
    cudaMemAdvise cudaMemPrefetchAsync cudaMemcpy3DBatchAsync cudaMemcpyBatchAsync
    cudaStreamUpdateCaptureDependencies""".split()
# Sizes in bytes in CUDA 12 and in CUDA 13.
SIZES = {
    "cudaDeviceProp": (1032, 1008),
    "cudaExternalMemoryBufferDesc": (24, 88),
    "cudaExternalMemoryHandleDesc": (40, 104),
    "cudaExternalMemoryMipmappedArrayDesc": (64, 128),
    "cudaExternalSemaphoreHandleDesc": (32, 96),
    "cudaPointerAttributes": (24, 88),
    "cudaResourceDesc": (64, 144),
    "cudaResourceViewDesc": (48, 112),
}


def describe(defines):
    mode = surface.Mode("C11", defines=defines)
    return surface.describe(CLANG, OURS, HEADER, surface.BEFORE[HEADER], mode)


def functions(facts):
    return {what.split()[1]: value for what, value in facts.items()
            if what.startswith("function ")}


class Cudart12(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.twelve = describe(["CUVETTE_CUDART_MAJOR=12"])
        cls.thirteen = describe([])

    def test_functions_of_one_version_alone(self):
        twelve, thirteen = functions(self.twelve), functions(self.thirteen)
        self.assertEqual(sorted(twelve.keys() - thirteen.keys()), sorted(ONLY_12))
        self.assertEqual(sorted(thirteen.keys() - twelve.keys()), sorted(ONLY_13))

    def test_functions_with_another_type(self):
        twelve, thirteen = functions(self.twelve), functions(self.thirteen)
        self.assertEqual(sorted(name for name in twelve.keys() & thirteen.keys()
                                if twelve[name] != thirteen[name]), sorted(OTHER_TYPE))

    def test_sizes(self):
        suffix = " size and alignment"
        sizes = [{what[len("struct "):-len(suffix)]: int(value.split(",")[0])
                  for what, value in facts.items()
                  if what.startswith("struct ") and what.endswith(suffix)}
                 for facts in (self.twelve, self.thirteen)]
        found = {name: (sizes[0][name], sizes[1][name])
                 for name in sizes[0].keys() & sizes[1].keys() if sizes[0][name] != sizes[1][name]}
        self.assertEqual(found, SIZES)

    def test_versions(self):
        self.assertEqual(self.twelve["macro CUDART_VERSION"], "12090")
        self.assertEqual(self.thirteen["macro CUDART_VERSION"], "13000")

    def test_every_exported_name_of_12(self):
        facts = functions(describe(["CUVETTE_CUDART_MAJOR=12", "__CUDA_API_VERSION_INTERNAL"]))
        for name in ONLY_12 + ONLY_13[-4:]:
            self.assertIn(name, facts)
        for name in ("cudaMemPrefetchAsync_v2_ptsz", "cudaStreamGetCaptureInfo_v3_ptsz",
                     "cudaSignalExternalSemaphoresAsync_v2_ptsz"):
            self.assertIn(name, facts)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

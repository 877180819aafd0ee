# SPDX-License-Identifier: Apache-2.0
"""Programs of CUDA C++ in a folder of others' source: compiled by nvcc, run on Cuvette's libraries."""
import os
import pathlib
import re
import shutil
import subprocess

from harness import Skipped

NVCC = shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"
# Libraries of NVIDIA's, windows and machines that such a program may need, by what its source says.
FOREIGN = [
    (r'cublas', "cuBLAS"), (r'cufft', "cuFFT"), (r'curand', "cuRAND"), (r'cusparse', "cuSPARSE"),
    (r'cusolver', "cuSOLVER"), (r'#include\s*[<"]npp', "NPP"), (r'nvjpeg', "nvJPEG"), (r'cudnn', "cuDNN"),
    (r'nvgraph', "nvGRAPH"), (r'nccl\.h', "NCCL"), (r'nvrtc', "NVRTC"), (r'nvvm\.h', "libNVVM"), (r'NvSci', "NvSci"),
    (r'#include\s*[<"]mpi\.h', "MPI"), (r'#include\s*[<"]vulkan|GLFW', "Vulkan and a window"),
    (r'helper_gl\.h|freeglut|GL/glew|GLES|glut\.h', "OpenGL and a window"), (r'EGL/egl|eglstream', "EGL streams"),
    (r'FreeImage', "FreeImage"), (r'd3d1|dxgi', "Windows"), (r'tbb/|oneapi', "oneTBB"),
    (r'mma\.h|wmma::|tensor core', "tensor cores' wmma"), (r'cutlass', "CUTLASS"),
]


def needs(sources):
    """What the sources ask for that is not here, or nothing."""
    for source in sources:
        text = pathlib.Path(source).read_text(errors="replace")
        for pattern, name in FOREIGN:
            if re.search(pattern, text):
                return name
    return None


def build(program, sources, include, options=(), timeout=600):
    """Compiles and links; Skipped if nvcc is not there, or does not compile it for any GPU."""
    if not os.path.exists(NVCC):
        raise Skipped("needs nvcc, which is not installed")
    command = [NVCC, "-w", "-O2", "-std=c++17", "-cudart", "shared", "-gencode", "arch=compute_90,code=compute_90",
               *[f"-I{folder}" for folder in include], *options, *sources, "-o", program]
    if "-fatbin" not in options:
        command.append("-lcuda")
    process = subprocess.run([str(word) for word in command], text=True, stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT, timeout=timeout, errors="replace")
    if process.returncode:
        lines = [line for line in process.stdout.splitlines() if "error" in line] or ["nothing said"]
        raise Skipped(f"does not build: {lines[0][:160]}".replace("|", "/"))


def checkout(variable, repository):
    """The folder of a repository's source, which the environment names."""
    folder = os.environ.get(variable)
    if not folder or not os.path.isdir(folder):
        raise Skipped(f"{variable} names no folder with the source of {repository}")
    return pathlib.Path(folder)

# SPDX-License-Identifier: Apache-2.0
"""FFmpeg's frames on their way between Vulkan and CUDA, on Vulkan drivers made of software with Cuvette's layer.

FFmpeg exports each plane of a Vulkan frame, an image, and its timeline semaphore to CUDA, once. A transfer then makes
CUDA's stream wait for the semaphore, copies the planes and signals it. The order that Cuvette writes down shows that
this is done, and for how many planes."""
import os
import pathlib

import ffmpeg
from ffmpeg import FFMPEG, source
from harness import Case, Skipped, Wrong, alike

TITLE = f"{ffmpeg.TITLE}, with Vulkan"
PACKAGES = ["ffmpeg", "mesa-vulkan-drivers", "gcc", "libavutil-dev"]

DRIVERS = {"lavapipe": "/usr/share/vulkan/icd.d/lvp_icd.x86_64.json",
           "SwiftShader": "/usr/lib/chromium/vk_swiftshader_icd.json"}
CUDA_FROM_VULKAN = ["-init_hw_device", "vulkan=vk", "-init_hw_device", "cuda=cu@vk", "-filter_hw_device", "vk"]
VULKAN_FROM_CUDA = ["-init_hw_device", "cuda=cu", "-init_hw_device", "vulkan=vk@cu", "-filter_hw_device", "vk"]
TO_CUDA = "hwupload,hwupload=derive_device=cuda"

PLANES = {"yuv420p": 3, "nv12": 2, "yuva420p": 4, "yuv444p": 3, "p010le": 2, "p016le": 2, "yuv444p16le": 3, "bgr0": 1}
FRAMES = 5  # of source()

# Where height is odd and chroma's is half of it, FFmpeg 5.1 does not download the last row of chroma from CUDA, without
# Vulkan, too; and the last rows of yuv420p's frames on the device lie on each other.
SIZES = ["320x240", "101x66", "1918x1078"]
ODD_HEIGHT = "101x67"

# What Vulkan's filters make of a frame: the same without CUDA and without Cuvette.
VULKAN_FILTERS = ["hflip_vulkan", "transpose_vulkan=dir=clock", "gblur_vulkan", "scale_vulkan=214:118", "libplacebo"]

# FFmpeg 5.1 uploads to Vulkan from the frame's own memory and does not keep the frame until that is done. With two
# inputs that are uploaded (overlay_cuda), frames are wrong in most runs, without CUDA as well, so one input has to do.
#
# What CUDA's filters make of Vulkan's frames, the filter for the processor, and what the mean may differ by.
CUDA_FILTERS = [("scale_cuda=format=nv12", "format=nv12", 0), ("yadif_cuda", "yadif", 0.01),
                ("scale_cuda=160:120", "scale=160:120:flags=bicubic", 6)]


class Program:
    """Runs programs on a Vulkan driver, and on Cuvette with its layer or without it."""

    def __init__(self, machine, driver="lavapipe"):
        self.machine = machine
        self.cuvette = pathlib.Path(machine.library).parent / "bin/cuvette"
        if not os.path.exists(DRIVERS[driver]):
            raise Skipped(f"there is no {DRIVERS[driver]}")
        if not (self.cuvette.exists() and (pathlib.Path(machine.library) / "vulkan/VkLayer_cuvette.json").exists()):
            raise Skipped("there is no Vulkan layer beside the library")
        self.variables = {"VK_ICD_FILENAMES": DRIVERS[driver], "VK_DRIVER_FILES": DRIVERS[driver]}

    def run(self, command):
        return self.machine.run(command, cuda=False, timeout=200, environment=self.variables)

    def run_on_cuvette(self, command, transfers, options=()):
        """Runs a program that sends so many planes from the one to the other."""
        log = self.machine.work / "order.txt"
        log.unlink(missing_ok=True)
        self.run([self.cuvette, "run", f"--order-log={log}", *options, "--", *command])
        orders = log.read_text().splitlines() if log.exists() else []
        for order in ("wait for a semaphore", "signal of a semaphore"):
            there = sum(line.startswith("queued") and f"\t{order}\t" in line for line in orders)
            if there != transfers:
                raise Wrong(f"CUDA's streams have {there} times: {order}; {transfers} expected")

    def frames(self, filters, devices, sources, transfers=0, options=()):
        """Returns the frames that FFmpeg makes; on Cuvette, if it is to send planes to CUDA."""
        command = [FFMPEG, "-hide_banner", "-loglevel", "error", *devices, *sources, *filters,
                   "-f", "rawvideo", "-y", "frames.yuv"]
        if transfers:
            self.run_on_cuvette(command, transfers, options)
        else:
            self.run(command)
        return self.machine.bytes_of("frames.yuv")


def to_cuda(pixels, sizes, driver="lavapipe", devices=CUDA_FROM_VULKAN, options=()):
    def check(machine):
        program = Program(machine, driver)
        for size in sizes:
            sources = source(size, pixels)
            got = program.frames(["-vf", f"{TO_CUDA},hwdownload,format={pixels}"], devices, sources,
                                 FRAMES * PLANES[pixels], options)
            alike(program.frames([], [], sources), got, 0)
    return check


def filtered_by_vulkan(name):
    def check(machine):
        program = Program(machine)
        got = program.frames(["-vf", f"hwupload,{name},hwupload=derive_device=cuda,hwdownload,format=yuv420p"],
                             CUDA_FROM_VULKAN, source(), FRAMES * PLANES["yuv420p"])
        alike(program.frames(["-vf", f"hwupload,{name},hwdownload,format=yuv420p"],
                             ["-init_hw_device", "vulkan=vk", "-filter_hw_device", "vk"], source()), got, 0)
    return check


def filtered_by_cuda(on_device, on_processor, limit):
    def check(machine):
        program = Program(machine)
        pixels = "nv12" if "nv12" in on_device else "yuv420p"
        got = program.frames(["-vf", f"{TO_CUDA},{on_device},hwdownload,format={pixels}"], CUDA_FROM_VULKAN, source(),
                             FRAMES * PLANES["yuv420p"])
        return alike(program.frames(["-vf", on_processor], [], source()), got, limit)
    return check


def packed(machine):
    """FFmpeg says of an image with four channels that it has one, so its copy is wider than the array."""
    try:
        to_cuda("bgr0", ["320x240"], options=["--explain"])(machine)
    except Wrong as reason:
        if "A box of 1280 bytes" not in str(reason):
            raise
        raise Skipped("FFmpeg tells CUDA of one channel and copies four, which is refused") from None


def there_and_back(pixels, sizes, driver="lavapipe", first=("cuda", "vulkan"), count=8, options=()):
    """From Vulkan to CUDA and back to Vulkan, several frames at a time, by ffmpeg_frames.c."""
    def check(machine):
        program = Program(machine, driver)
        machine.run(["gcc", "-O1", "-o", "ffmpeg_frames", pathlib.Path(__file__).with_name("ffmpeg_frames.c"),
                     "-lavutil"], cuda=False)
        for size in sizes:
            sources = ["-f", "lavfi", "-i", f"testsrc=size={size}:rate={count}:duration=1,format={pixels}"]
            expected = program.frames([], [], sources)
            for derived in first:
                program.run_on_cuvette(["./ffmpeg_frames", derived, pixels, *size.split("x"), "frames.yuv", "back.yuv"],
                                       2 * count * PLANES[pixels], options)
                alike(expected, machine.bytes_of("back.yuv"), 0)
    return check


def cases(machine):
    planar = [pixels for pixels, planes in PLANES.items() if planes > 1]
    for pixels in planar:
        yield Case(f"Vulkan to CUDA, {pixels}",
                   to_cuda(pixels, SIZES + ([ODD_HEIGHT] if pixels.startswith("yuv444") else [])))
    yield Case("Vulkan to CUDA, Vulkan's device derived from CUDA's", to_cuda("nv12", SIZES, devices=VULKAN_FROM_CUDA))
    yield Case("Vulkan to CUDA, bgr0", packed)
    for name in VULKAN_FILTERS:
        yield Case(f"{name.partition('=')[0]}, then CUDA", filtered_by_vulkan(name))
    for on_device, on_processor, limit in CUDA_FILTERS:
        yield Case(f"Vulkan, then {on_device}", filtered_by_cuda(on_device, on_processor, limit))
    for pixels in planar:
        yield Case(f"there and back, {pixels}", there_and_back(
            pixels, SIZES + ([] if pixels == "yuv420p" else [ODD_HEIGHT])))
    yield Case("there and back, 100 frames", there_and_back("nv12", ["640x360"], count=100))
    for schedule in ("eager", "lazy", "random:1", "random:2"):
        options = [f"--schedule={schedule}", "--check=races", "--error-exitcode=99"]
        yield Case(f"Vulkan to CUDA, {schedule}", to_cuda("nv12", ["320x240"], options=options))
        yield Case(f"there and back, {schedule}", there_and_back("nv12", ["320x240"], options=options))
    yield Case("Vulkan to CUDA on SwiftShader", to_cuda("nv12", SIZES, "SwiftShader"))
    yield Case("there and back on SwiftShader", there_and_back("nv12", [*SIZES, ODD_HEIGHT], "SwiftShader"))

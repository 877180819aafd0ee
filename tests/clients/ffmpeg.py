# SPDX-License-Identifier: Apache-2.0
"""FFmpeg's CUDA filters, each beside the filter of the same name that runs on the processor.

FFMPEG=/path/to/ffmpeg runs another build than the distribution's; docs/clients.md says how to make one. A
filter that a build lacks has no cases there."""
import math
import os
import re
import subprocess
from harness import Case, Wrong, alike, differing

FFMPEG = os.environ.get("FFMPEG", "ffmpeg")


def title():
    """The distribution's build is "FFmpeg"; any other is named by its version and its kernels' compiler."""
    if FFMPEG == "ffmpeg":
        return "FFmpeg"
    words = subprocess.run([FFMPEG, "-version"], capture_output=True, text=True, check=True).stdout
    version = re.match(r"ffmpeg version (\S+)", words).group(1)
    return f"FFmpeg {version}" + (", built with clang" if "--enable-cuda-llvm" in words else "")


TITLE = title()
PACKAGES = ["ffmpeg"] if FFMPEG == "ffmpeg" else []

CUDA = ["-init_hw_device", "cuda=cu", "-filter_hw_device", "cu"]

# What is uploaded, filtered on the device and downloaded; the same without a device; the mean difference
# of bytes that their different arithmetic explains. The last word is the pixels' format, if not yuv420p.
#
# hwupload takes the device of the command line. hwupload_cuda has a device of its own and frees it before
# the filters behind it are done: most of them then crash as they end, with any driver.
FILTERS = [
    ("hwupload_cuda", "hwupload_cuda", "null", 0),
    ("scale_cuda, bicubic, down", "hwupload_cuda,scale_cuda=160:120", "scale=160:120:flags=bicubic", 6),
    ("scale_cuda, bilinear, up", "hwupload_cuda,scale_cuda=640:480:interp_algo=bilinear",
     "scale=640:480:flags=bilinear", 6),
    ("scale_cuda, nearest", "hwupload_cuda,scale_cuda=160:120:interp_algo=nearest",
     "scale=160:120:flags=neighbor", 8),
    ("scale_cuda, lanczos", "hwupload_cuda,scale_cuda=480:360:interp_algo=lanczos",
     "scale=480:360:flags=lanczos", 6),
    ("scale_cuda, two in a row", "hwupload_cuda,scale_cuda=640:480,scale_cuda=320:240",
     "scale=640:480:flags=bicubic,scale=320:240:flags=bicubic", 6),
    ("yadif_cuda", "hwupload_cuda,yadif_cuda", "yadif", 0.01),
    ("yadif_cuda, a frame for each field", "hwupload_cuda,yadif_cuda=mode=1", "yadif=mode=1", 0.05),
    ("bwdif_cuda", "hwupload,bwdif_cuda=mode=0", "bwdif=mode=0", 0.05),
    ("bwdif_cuda, a frame for each field", "hwupload,bwdif_cuda=mode=1", "bwdif=mode=1", 0.1, "nv12"),
    ("thumbnail_cuda", "hwupload,thumbnail_cuda=5", "null", None),
    ("colorspace_cuda, to the full range", "hwupload,colorspace_cuda=range=pc",
     "scale=in_range=tv:out_range=pc", 0.3),
    ("colorspace_cuda, to the limited range", "setparams=range=pc,hwupload,colorspace_cuda=range=tv",
     "setparams=range=pc,scale=in_range=pc:out_range=tv", 0.3),
    *((f"pad_cuda, {name}", "hwupload,pad_cuda=400:300:40:30", "pad=400:300:40:30", 0, name)
      for name in ("yuv420p", "nv12", "yuv444p", "yuva420p")),
    *((f"transpose_cuda, {way}", f"hwupload,transpose_cuda={way}", same, 0)
      for way, same in (("clock", "transpose=clock"), ("cclock", "transpose=cclock"),
                        ("clock_flip", "transpose=clock_flip"), ("reversal", "hflip,vflip"),
                        ("hflip", "hflip"), ("vflip", "vflip"))),
    *((f"transpose_cuda, {name}", "hwupload,transpose_cuda=clock", "transpose=clock", 0, name)
      for name in ("nv12", "p010le", "yuv444p16le", "bgr0")),
]

# Conversions of a pixel format that lose nothing. Releases without transpose_cuda have fewer formats and
# widen 8 bits in another way.
CONVERSIONS = [("yuv420p", "nv12"), ("nv12", "yuv420p"), ("bgr0", "rgb0")]
NEWER_CONVERSIONS = [("yuv420p", "p010le"), ("p010le", "yuv420p10le"), ("yuv444p", "yuv444p16le"),
                     ("nv16", "yuv422p")]


def source(size="320x240", pixels="yuv420p", name="testsrc"):
    return ["-f", "lavfi", "-i", f"{name}=size={size}:rate=5:duration=1,format={pixels}"]


def frames(machine, name, filters, options, cuda, sources, environment=None):
    machine.run([FFMPEG, "-hide_banner", "-loglevel", "error", *options, *sources, *filters,
                 "-f", "rawvideo", "-y", name], cuda=cuda, timeout=200, environment=environment)
    return machine.bytes_of(name)


def compare(on_device, on_processor, limit, pixels="yuv420p", result=None):
    def check(machine):
        device = ["-vf", f"{on_device},hwdownload,format={result or pixels}"]
        sources = source(pixels=pixels)
        got = frames(machine, "device.yuv", device, CUDA, True, sources)
        processor = ["-vf", f"{on_processor},format={result or pixels}"]
        expected = frames(machine, "processor.yuv", processor, [], False, sources)
        if limit is None:  # one of the frames, whichever it finds to be typical
            size = len(expected) // 5
            known = [expected[i:i + size] for i in range(0, len(expected), size)]
            if not got or any(got[i:i + size] not in known for i in range(0, len(got), size)):
                raise Wrong("is no frame of the source")
            return ""
        return alike(expected, got, limit)
    return check


def overlay(upload, environment=None):
    def check(machine):
        sources = source() + source("80x60", name="testsrc2")
        device = ["-filter_complex", f"[0]{upload}[a];[1]{upload}[b];[a][b]overlay_cuda=32:16,"
                                     "hwdownload,format=yuv420p"]
        got = frames(machine, "device.yuv", device, CUDA, True, sources, environment)
        expected = frames(machine, "processor.yuv", ["-filter_complex", "[0][1]overlay=32:16"], [], False,
                          sources)
        differing(expected, got)
    return check


def chromakey(machine):
    device = ["-vf", "hwupload,chromakey_cuda=0x0000ff:0.2:0.1,hwdownload,format=yuva420p"]
    got = frames(machine, "device.yuv", device, CUDA, True, source())
    expected = frames(machine, "processor.yuv",
                      ["-vf", "format=yuva420p,chromakey=0x0000ff:0.2:0.1"], [], False, source())
    # The filter for CUDA reads between the pixels: with a linear filter, at whole coordinates.
    return alike(expected, got, 3)


def bilateral(machine):
    """Compares with the definition: a mean of the neighbours, weighted by how far they and their colours
    are away. The kernel reads them with a linear filter at whole coordinates, so each is a mean of four."""
    width, height, window, space, colour = 48, 32, 5, 3.0, 20.0
    sources = source(f"{width}x{height}", "yuv444p")
    original = frames(machine, "processor.yuv", [], [], False, sources)
    device = ["-vf", f"hwupload,bilateral_cuda=sigmaS={space}:sigmaR={colour}:window_size={window},"
                     "hwdownload,format=yuv444p"]
    got = frames(machine, "device.yuv", device, CUDA, True, sources)
    plane = width * height
    samples = list(zip(*(original[i * plane:(i + 1) * plane] for i in range(3))))  # of the first frame
    pixels = [tuple(sum(four) / 4 for four in zip(*(samples[max(y - i, 0) * width + max(x - j, 0)]
                                                    for i in (0, 1) for j in (0, 1))))
              for y in range(height) for x in range(width)]
    expected = [bytearray(plane) for _ in range(3)]
    reach = range(-(window // 2), window // 2 + 1)
    for at, (y, x) in enumerate((y, x) for y in range(height) for x in range(width)):
        weight, sums = 0.0, [0.0, 0.0, 0.0]
        for dx, dy in ((dx, dy) for dx in reach for dy in reach):
            if 0 <= x + dx < width and 0 <= y + dy < height:
                near = pixels[(y + dy) * width + x + dx]
                apart = sum((a - b) ** 2 for a, b in zip(near, pixels[at]))
                w = math.exp(-(dx * dx + dy * dy) / (2 * space ** 2) - apart / (2 * colour ** 2))
                weight += w
                sums = [total + w * value for total, value in zip(sums, near)]
        for channel in range(3):
            expected[channel][at] = int(sums[channel] / weight)
    # A mean that is a whole number may be rounded to the one below.
    furthest = max(abs(a - b) for a, b in zip(b"".join(expected), got, strict=False))
    if furthest > 1:
        raise Wrong(f"differs by {furthest}, at most 1 expected")
    return f"differs by {furthest} at most"


def cases(machine):
    there = machine.run([FFMPEG, "-hide_banner", "-filters"], cuda=False).stdout
    wanted = [Case(row[0], compare(*row[1:])) for row in FILTERS]
    wanted += [Case(f"scale_cuda, {one} to {other}",
                    compare(f"hwupload,scale_cuda=format={other}",
                            "scale=flags=accurate_rnd+bitexact", 0, one, other))
               for one, other in CONVERSIONS + (NEWER_CONVERSIONS if "transpose_cuda" in there else [])]
    wanted += [
        Case("overlay_cuda", overlay("hwupload")),
        # Each has a context of its own, and FFmpeg puts nothing between a copy to the one and a kernel of
        # the other. So a schedule has to say that the copy comes first.
        Case("overlay_cuda, behind two hwupload_cuda", overlay("hwupload_cuda", {"CUVETTE_SCHEDULE": "eager"})),
        Case("chromakey_cuda", chromakey),
        Case("bilateral_cuda", bilateral),
    ]
    yield from (case for case in wanted if f" {case.name.split(',')[0]} " in there)

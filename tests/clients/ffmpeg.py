# SPDX-License-Identifier: Apache-2.0
"""FFmpeg's CUDA filters, each beside the filter of the same name that runs on the processor."""
from harness import Case, Wrong, alike, differing

TITLE = "FFmpeg"
PACKAGES = ["ffmpeg"]

SIZE = "320x240"
SOURCE = ["-f", "lavfi", "-i", f"testsrc=size={SIZE}:rate=5:duration=1,format=yuv420p"]
CUDA = ["-init_hw_device", "cuda=cu", "-filter_hw_device", "cu"]

# What is uploaded, filtered on the device and downloaded; the same without a device; the mean difference
# of bytes that their different arithmetic explains.
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
    # Behind hwupload_cuda, which frees its device first, FFmpeg 5.1 itself crashes at the end.
    ("thumbnail_cuda", "hwupload,thumbnail_cuda=5", "null", None),
]


def frames(machine, name, filters, options, cuda, sources=SOURCE):
    machine.run(["ffmpeg", "-hide_banner", "-loglevel", "error", *options, *sources, *filters,
                 "-f", "rawvideo", "-y", name], cuda=cuda, timeout=200)
    return machine.bytes_of(name)


def compare(on_device, on_processor, limit):
    def check(machine):
        device = ["-vf", f"{on_device},hwdownload,format=yuv420p"]
        got = frames(machine, "device.yuv", device, CUDA, True)
        expected = frames(machine, "processor.yuv", ["-vf", on_processor], [], False)
        if limit is None:  # one of the frames, whichever it finds to be typical
            size = len(expected) // 5
            known = [expected[i:i + size] for i in range(0, len(expected), size)]
            if not got or any(got[i:i + size] not in known for i in range(0, len(got), size)):
                raise Wrong("is no frame of the source")
            return ""
        return alike(expected, got, limit)
    return check


def overlay(machine):
    second = ["-f", "lavfi", "-i", "testsrc2=size=80x60:rate=5:duration=1,format=yuv420p"]
    # hwupload takes the one device; each hwupload_cuda would make a context, and nothing orders the two.
    device = ["-filter_complex", "[0]hwupload[a];[1]hwupload[b];[a][b]overlay_cuda=32:16,"
                                 "hwdownload,format=yuv420p"]
    got = frames(machine, "device.yuv", device, CUDA, True, SOURCE + second)
    expected = frames(machine, "processor.yuv", ["-filter_complex", "[0][1]overlay=32:16"], [], False,
                      SOURCE + second)
    differing(expected, got)


def chromakey(machine):
    device = ["-vf", "hwupload_cuda,chromakey_cuda=0x0000ff:0.2:0.1,hwdownload,format=yuva420p"]
    got = frames(machine, "device.yuv", device, CUDA, True)
    expected = frames(machine, "processor.yuv",
                      ["-vf", "format=yuva420p,chromakey=0x0000ff:0.2:0.1"], [], False)
    # The filter for CUDA reads between the pixels: with a linear filter, at whole coordinates.
    return alike(expected, got, 3)


def cases(machine):
    yield from (Case(name, compare(device, processor, limit)) for name, device, processor, limit in FILTERS)
    yield Case("overlay_cuda", overlay)
    yield Case("chromakey_cuda", chromakey)

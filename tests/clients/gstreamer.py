# SPDX-License-Identifier: Apache-2.0
"""GStreamer's CUDA elements, each beside the element that does the same on the processor."""
import glob
import os

from harness import Case, Skipped, alike

TITLE = "GStreamer"
PACKAGES = ["gstreamer1.0-tools", "gstreamer1.0-plugins-base", "gstreamer1.0-plugins-bad"]

# Rows on the device begin at multiples of this.
PITCH = 512

NV12 = "video/x-raw,format=NV12,width=320,height=240,framerate=5/1"

# On the device; on the processor; what comes out of it, as format, width and height; the mean difference
# of bytes that their different arithmetic explains.
PIPELINES = [
    ("cudaupload, cudadownload", "cudaupload ! cudadownload", "identity", None, 0),
    ("cudaconvert to I420", "cudaupload ! cudaconvert ! video/x-raw(memory:CUDAMemory),format=I420 ! cudadownload",
     "videoconvert ! video/x-raw,format=I420", ("I420", 320, 240), 1),
    ("cudaconvert to RGBA", "cudaupload ! cudaconvert ! video/x-raw(memory:CUDAMemory),format=RGBA ! cudadownload",
     "videoconvert ! video/x-raw,format=RGBA", ("RGBA", 320, 240), 6),
    ("cudascale", "cudaupload ! cudascale ! video/x-raw(memory:CUDAMemory),width=160,height=120 ! cudadownload",
     "videoscale ! video/x-raw,width=160,height=120", ("NV12", 160, 120), 6),
]

FRAMES = 5


def planes(form, width, height):
    """The planes of a frame, as bytes of a row and rows."""
    if form == "RGBA":
        return [(4 * width, height)]
    chroma = [(width // 2, height // 2)] * 2 if form == "I420" else [(width, height // 2)]
    return [(width, height), *chroma]


def tight(pixels, shape):
    """Frames without the gaps that they have on the device: rows lie at multiples of PITCH, planes behind
    planes, each with as many rows as fill what there is."""
    if shape is None or not pixels:
        return pixels
    parts = planes(*shape)
    frame, packed = len(pixels) // FRAMES, bytearray()
    for start in range(0, frame * FRAMES, frame):
        at = start
        for index, (row, rows) in enumerate(parts):
            pitch = -(-row // PITCH) * PITCH
            for number in range(rows):
                packed += pixels[at + number * pitch:at + number * pitch + row]
            # The second plane of two is as long as the first.
            at += frame // 2 if len(parts) == 2 and index == 0 else pitch * rows
    return bytes(packed)


def libraries():
    """The folders of NVRTC, with which the elements make their kernels: GStreamer 1.22 opens libnvrtc.so and
    asks it for compute_52, which NVRTC 13 has no more. NVRTC_FOLDER may name one."""
    folders = [os.environ["NVRTC_FOLDER"]] if "NVRTC_FOLDER" in os.environ else []
    folders += [os.path.dirname(path) for path in glob.glob("/usr/local/cuda*/lib64/libnvrtc.so")]
    return [folder for folder in folders if glob.glob(folder + "/libnvrtc.so.1[12]*")]


def frames(machine, pipeline, cuda):
    machine.run(["gst-launch-1.0", "-q", "videotestsrc", f"num-buffers={FRAMES}", "!", NV12, "!", *pipeline.split(), "!",
                 "filesink", "location=frames.raw"], cuda=cuda, libraries=libraries(), timeout=120,
                environment={"GST_REGISTRY": str(machine.work / ("device.bin" if cuda else "processor.bin"))})
    return machine.bytes_of("frames.raw")


def compare(on_device, on_processor, shape, limit):
    def check(machine):
        if "cudaconvert" in on_device or "cudascale" in on_device:
            if not libraries():
                raise Skipped("needs NVIDIA's NVRTC 11 or 12, which is not installed")
        got = tight(frames(machine, on_device, True), shape)
        expected = frames(machine, on_processor, False)
        return alike(expected, got, limit)
    return check


def cases(machine):
    yield from (Case(name, compare(device, processor, shape, limit))
                for name, device, processor, shape, limit in PIPELINES)

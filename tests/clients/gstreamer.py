# SPDX-License-Identifier: Apache-2.0
"""GStreamer's CUDA elements, each beside the element that does the same on the processor."""
import glob
import os

from harness import Case, Skipped, Wrong, differing, mean_difference

TITLE = "GStreamer"
PACKAGES = ["gstreamer1.0-tools", "gstreamer1.0-plugins-base", "gstreamer1.0-plugins-bad"]

NV12 = "video/x-raw,format=NV12,width=320,height=240,framerate=5/1"

# On the device; on the processor; the mean difference of bytes that their different arithmetic explains.
PIPELINES = [
    ("cudaupload, cudadownload", "cudaupload ! cudadownload", "identity", 0),
    ("cudaconvert to I420", "cudaupload ! cudaconvert ! video/x-raw(memory:CUDAMemory),format=I420 ! cudadownload",
     "videoconvert ! video/x-raw,format=I420", 1),
    ("cudaconvert to RGBA", "cudaupload ! cudaconvert ! video/x-raw(memory:CUDAMemory),format=RGBA ! cudadownload",
     "videoconvert ! video/x-raw,format=RGBA", 6),
    ("cudascale", "cudaupload ! cudascale ! video/x-raw(memory:CUDAMemory),width=160,height=120 ! cudadownload",
     "videoscale ! video/x-raw,width=160,height=120", 6),
]


def libraries():
    """The folders of NVRTC, with which the elements make their kernels."""
    return [os.path.dirname(path) for path in glob.glob("/usr/local/cuda*/lib64/libnvrtc.so")]


def frames(machine, pipeline, cuda):
    machine.run(["gst-launch-1.0", "-q", "videotestsrc", "num-buffers=5", "!", NV12, "!", *pipeline.split(), "!",
                 "filesink", "location=frames.raw"], cuda=cuda, libraries=libraries(), timeout=120,
                environment={"GST_REGISTRY": str(machine.work / ("device.bin" if cuda else "processor.bin"))})
    return machine.bytes_of("frames.raw")


def compare(on_device, on_processor, limit):
    def check(machine):
        if "cudaconvert" in on_device or "cudascale" in on_device:
            if not libraries():
                raise Skipped("needs NVIDIA's NVRTC, which is not installed")
        got = frames(machine, on_device, True)
        expected = frames(machine, on_processor, False)
        if not limit:
            differing(expected, got)
            return ""
        difference = mean_difference(expected, got)
        if difference > limit:
            raise Wrong(f"mean difference {difference:.2f}, at most {limit} expected")
        return f"mean difference {difference:.2f}"
    return check


def cases(machine):
    yield from (Case(name, compare(device, processor, limit)) for name, device, processor, limit in PIPELINES)

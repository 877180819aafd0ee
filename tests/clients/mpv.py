# SPDX-License-Identifier: Apache-2.0
"""mpv draws CUDA's frames with OpenGL: what its window shows, beside the same clip without CUDA."""
from harness import Case, Wrong, alike

TITLE = "mpv"
PACKAGES = ["mpv", "ffmpeg", "xvfb", "xauth", "libgl1-mesa-dri"]

# Keeps the picture at which the player is paused.
SCRIPT = """
mp.register_event("playback-restart", function()
  mp.add_timeout(0.5, function()
    mp.commandv("screenshot-to-file", "picture.png", "window")
    mp.command("quit")
  end)
end)
"""
PLAYER = ["xvfb-run", "-a", "-s", "-screen 0 640x480x24", "mpv", "--no-config", "--vo=gpu", "--gpu-sw=yes",
          "--gpu-api=opengl", "--gpu-context=x11egl", "--hwdec=no", "--no-audio", "--start=1", "--pause", "--osc=no", "--script=keep.lua"]


def picture(machine, options, cuda):
    (machine.work / "picture.png").unlink(missing_ok=True)
    output = machine.run([*PLAYER, *options, "clip.mkv"], cuda=cuda, timeout=120).stdout
    if "failed" in output:
        raise Wrong(next(line for line in output.splitlines() if "failed" in line)[:200])
    machine.bytes_of("picture.png")
    machine.run(["ffmpeg", "-loglevel", "error", "-i", "picture.png", "-pix_fmt", "rgb24", "-f", "rawvideo",
                 "-y", "picture.rgb"], cuda=False)
    return machine.bytes_of("picture.rgb")


def shows(pixels):
    def check(machine):
        (machine.work / "keep.lua").write_text(SCRIPT)
        machine.run(["ffmpeg", "-loglevel", "error", "-f", "lavfi", "-i",
                     "testsrc=size=320x240:rate=5:duration=3", "-pix_fmt", "yuv420p", "-c:v", "ffv1", "-y",
                     "clip.mkv"], cuda=False)
        expected = picture(machine, [f"--vf=format={pixels}"], False)
        got = picture(machine, ["--gpu-hwdec-interop=cuda", f"--vf=lavfi=[format={pixels},hwupload]"], True)
        return alike(expected, got, 1)
    return check


def cases(machine):
    yield from (Case(pixels, shows(pixels)) for pixels in ("nv12", "yuv420p", "p010"))

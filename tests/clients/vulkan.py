# SPDX-License-Identifier: Apache-2.0
"""Programs that share memory and semaphores between Vulkan and CUDA, on Vulkan drivers made of software with Cuvette's
layer: mpv and NVIDIA's samples. They draw in a window on Xvfb's display; what it shows is compared with what mpv shows
without CUDA, or with what is computed here. CUDA_SAMPLES names the folder of a checkout of NVIDIA/cuda-samples."""
import ctypes
import math
import os
import pathlib
import re
import shutil
import subprocess
import time

import mpv
import toolkit
from harness import Case, Machine, Skipped, Wrong, alike, last_words

TITLE = "Vulkan beside CUDA"
PACKAGES = ["g++", "libvulkan-dev", "libglfw3-dev", "libgl-dev", "libx11-6", "mesa-vulkan-drivers", "mpv", "ffmpeg",
            "xvfb", "xauth"]

DRIVERS = {"lavapipe": "/usr/share/vulkan/icd.d/lvp_icd.x86_64.json",
           "SwiftShader": "/usr/lib/chromium/vk_swiftshader_icd.json"}
SHOTS = 3       # right pictures of different moments that are asked for
LIMIT = 120     # seconds in which they have to appear
LEAVING = 60    # seconds in which a program has to end after its window was closed


# --- A display, what it shows, and closing the window on it -----------------------------------------

class Image(ctypes.Structure):
    """The head of Xlib's XImage."""
    _fields_ = [(name, ctypes.c_int) for name in ("width", "height", "xoffset", "format")] + \
               [("data", ctypes.POINTER(ctypes.c_ubyte))] + \
               [(name, ctypes.c_int) for name in ("byte_order", "unit", "bit_order", "pad", "depth", "row", "bits")]


class ClientMessage(ctypes.Structure):
    """Xlib's XClientMessageEvent, as long as an XEvent."""
    _fields_ = [("type", ctypes.c_int), ("serial", ctypes.c_ulong), ("send_event", ctypes.c_int),
                ("display", ctypes.c_void_p), ("window", ctypes.c_ulong), ("message_type", ctypes.c_ulong),
                ("format", ctypes.c_int), ("data", ctypes.c_long * 17)]


IGNORE = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)(lambda display, event: 0)


def xlib():
    """Xlib. A window that closes meanwhile is no reason for it to end the process."""
    x11 = ctypes.CDLL("libX11.so.6")
    for name, result in (("XOpenDisplay", ctypes.c_void_p), ("XDefaultRootWindow", ctypes.c_ulong),
                         ("XInternAtom", ctypes.c_ulong), ("XGetImage", ctypes.POINTER(Image))):
        getattr(x11, name).restype = result
    x11.XInitThreads()
    x11.XSetErrorHandler(IGNORE)
    return x11


class Picture:
    """Pixels as the display had them."""

    def __init__(self, image):
        head = image.contents
        self.width, self.height, self.row = head.width, head.height, head.row
        self.bytes = ctypes.string_at(head.data, head.row * head.height)

    def rgb(self, x, y):
        at = y * self.row + 4 * x
        return self.bytes[at + 2], self.bytes[at + 1], self.bytes[at]


class Screen:
    """An X server without hardware, as large as the program's window."""

    def __init__(self, width, height):
        self.size = width, height

    def __enter__(self):
        reader, writer = os.pipe()
        width, height = self.size
        self.server = subprocess.Popen(["Xvfb", "-displayfd", str(writer), "-nolisten", "tcp", "-screen", "0",
                                        f"{width}x{height}x24"], pass_fds=[writer], stdin=subprocess.DEVNULL,
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(writer)
        with open(reader) as answer:
            self.name = ":" + answer.read().strip()
        self.x11 = xlib()
        self.display = ctypes.c_void_p(self.x11.XOpenDisplay(self.name.encode()))
        if not self.display:
            self.server.kill()
            raise Skipped("Xvfb does not start")
        self.root = ctypes.c_ulong(self.x11.XDefaultRootWindow(self.display))
        return self

    def __exit__(self, *_):
        self.x11.XCloseDisplay(self.display)
        self.server.terminate()
        self.server.wait()

    def picture(self):
        image = self.x11.XGetImage(self.display, self.root, 0, 0, *self.size, ctypes.c_ulong(0xFFFFFFFF), 2)
        picture = Picture(image)
        ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p)(("XDestroyImage", self.x11))(image)
        return picture

    def windows(self):
        count, found = ctypes.c_uint(), ctypes.POINTER(ctypes.c_ulong)()
        self.x11.XQueryTree(self.display, self.root, ctypes.byref(ctypes.c_ulong()), ctypes.byref(ctypes.c_ulong()),
                            ctypes.byref(found), ctypes.byref(count))
        names = [found[i] for i in range(count.value)]
        self.x11.XFree(found)
        return names

    def title(self):
        for window in self.windows():
            text = ctypes.c_char_p()
            self.x11.XFetchName(self.display, ctypes.c_ulong(window), ctypes.byref(text))
            if text.value:
                return text.value.decode(errors="replace")
        return ""

    def close(self):
        """Closes what windows there are as a window manager does."""
        protocols, delete = (self.x11.XInternAtom(self.display, name, 0)
                             for name in (b"WM_PROTOCOLS", b"WM_DELETE_WINDOW"))
        for window in self.windows():
            message = ClientMessage(type=33, window=window, message_type=protocols, format=32)
            message.data[0] = delete
            self.x11.XSendEvent(self.display, ctypes.c_ulong(window), 0, ctypes.c_long(0), ctypes.byref(message))
        self.x11.XSync(self.display, 0)


# --- Running a program in it ------------------------------------------------------------------------

def using(machine, driver, layer=True):
    """The variables with which a program uses a driver, and Cuvette's CUDA and layer if `layer` is set."""
    manifests = pathlib.Path(machine.library) / "vulkan"
    if not (manifests / "VkLayer_cuvette.json").exists():
        raise Skipped(f"there is no Vulkan layer in {manifests}")
    if not os.path.exists(DRIVERS[driver]):
        raise Skipped(f"there is no {DRIVERS[driver]}")
    variables = {"VK_ICD_FILENAMES": DRIVERS[driver]}
    if layer:
        variables |= {"VK_ADD_LAYER_PATH": str(manifests), "VK_INSTANCE_LAYERS": "VK_LAYER_CUVETTE_interop",
                      "LD_LIBRARY_PATH": machine.library}
    return variables


def show(machine, program, driver, size, judge, excuse=None):
    """Runs a program until `judge` has found enough pictures right, closes its window and returns what it printed.
    `judge` takes a screen and returns what the picture shows, different for each moment; or raises Wrong. `excuse`
    is found in what a program says that does something wrong when it ends."""
    logs = [machine.work / name for name in ("output.txt", "errors.txt")]  # apart: else one cuts the other's lines

    def said():
        return "".join(log.read_text(errors="replace") for log in logs)
    with Screen(*size) as screen, open(logs[0], "w") as output, open(logs[1], "w") as errors:
        process = subprocess.Popen([program], cwd=machine.work, stdin=subprocess.DEVNULL, stdout=output,
                                   stderr=errors, env=dict(os.environ, **using(machine, driver),
                                                           DISPLAY=screen.name))
        try:
            seen, wrong = set(), Wrong("shows nothing")
            end = time.monotonic() + LIMIT
            while len(seen) < SHOTS and time.monotonic() < end and process.poll() is None:
                time.sleep(0.7)
                try:
                    seen.add(judge(screen))
                except Wrong as reason:
                    wrong = reason
            if process.poll() is not None:
                raise Wrong(f"ends with {process.returncode}: {last_words(said())}")
            if len(seen) < SHOTS:
                raise wrong if not seen else Wrong(f"shows {len(seen)} right pictures, then: {wrong}")
            screen.close()
            status = process.wait(LEAVING)
        except subprocess.TimeoutExpired:
            raise Wrong(f"does not end within {LEAVING} s after its window was closed") from None
        finally:
            process.kill()
            process.wait()
    text = said()
    if (status or "cuvette:" in text) and not (excuse and re.search(excuse, text)):
        raise Wrong(f"ends with {status}: {last_words(text)}")
    return text


# --- What the programs have to show -----------------------------------------------------------------

def camera(eye, center, width, height):
    """How points of a scene come to be pixels, with the samples' matrices: 45 degrees, z upwards."""
    def normal(v):
        length = math.sqrt(sum(c * c for c in v))
        return [c / length for c in v]

    def cross(a, b):
        return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
    ahead = normal([c - e for c, e in zip(center, eye)])
    right = normal(cross(ahead, [0, 0, 1]))
    up = cross(right, ahead)
    focus = height / 2 / math.tan(math.radians(45) / 2)

    def project(point):
        v = [p - e for p, e in zip(point, eye)]
        depth = sum(a * b for a, b in zip(ahead, v))
        return (width / 2 + focus * sum(a * b for a, b in zip(right, v)) / depth,
                height / 2 - focus * sum(a * b for a, b in zip(up, v)) / depth)

    def on_ground(x, y):
        """Where the ray through a pixel meets z = 0."""
        ray = [a + (x - width / 2) / focus * r - (y - height / 2) / focus * u for a, r, u in zip(ahead, right, up)]
        t = -eye[2] / ray[2]
        return eye[0] + t * ray[0], eye[1] + t * ray[1]
    return project, on_ground


def sine_wave(screen):
    """A net of 256 x 256 points, as high and as green as sin(4u + t) cos(4v + t) / 2. The time t is the one that
    fits best. Returns it."""
    width, height = screen.size
    picture = screen.picture()
    project, _ = camera([1.75, 1.75, 1.25], [0, 0, -0.25], width, height)

    def surface(u, v, t):
        return 0.5 * math.sin(4 * u + t) * math.cos(4 * v + t)

    def fit(t, step):
        """The part of the points that can be seen and are there, in their colour."""
        right = total = 0
        for row in range(step, 256, step):
            for column in range(step, 256, step):
                x, y = 2 * column / 255 - 1, 2 * row / 255 - 1
                h = surface(2 * column / 256 - 1, 2 * row / 256 - 1, t)
                if any(surface(x + s * (1.75 - x), y + s * (1.75 - y), t) > h + s * (1.25 - h) + 0.01
                       for s in (0.02, 0.05, 0.1, 0.2, 0.3, 0.4)
                       if x + s * (1.75 - x) < 1 and y + s * (1.75 - y) < 1):
                    continue  # behind a hill
                px, py = project((x, y, h))
                total += 1
                near = [picture.rgb(int(px) + dx, int(py) + dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1)
                        if 0 < int(px) < width - 1 and 0 < int(py) < height - 1]
                right += any(abs(g - 255 * (h + 0.5)) < 12 and r == b == 0 for r, g, b in near)
        return right / total
    best = max((i * math.pi / 30 for i in range(60)), key=lambda t: fit(t, 16))
    best = max((best + i * math.pi / 300 for i in range(-9, 10)), key=lambda t: fit(t, 16))
    part = fit(best, 6)
    other = fit(best + 1, 6)
    if part < 0.95 or other > 0.7:
        raise Wrong(f"{part:.0%} of the net's points are where the sine wave has them, {other:.0%} a second later")
    return round(best, 2)


def points(screen):
    """Points that are blue outside a circle and have red inside it."""
    width, height = screen.size
    picture = screen.picture()
    right = wrong = 0
    for y in range(0, height, 3):
        for x in range(0, width, 3):
            r, _, b = picture.rgb(x, y)
            distance = math.hypot((x + 0.5) / width * 2 - 1, (y + 0.5) / height * 2 - 1)
            if b == 0 or abs(distance - 1) < 0.01:
                continue
            right += (r > 0) == (distance < 1)
            wrong += (r > 0) != (distance < 1)
    if wrong or right < 3000:
        raise Wrong(f"{right} points in the colour of their place, {wrong} in the other")
    return right


def pi_of(text):
    """What the Monte Carlo sample says of pi: one line a frame, 50,000 points each."""
    found = re.findall(r"Approximate Pi value for (\d+) data points: ([\d.]+)", text)
    if len(found) < SHOTS:
        raise Wrong(f"says pi {len(found)} times")
    for number, (count, _) in enumerate(found):
        if int(count) != 50000 * (number + 1):
            raise Wrong(f"frame {number + 1} counts {count} points")
    value = float(found[-1][1])
    if abs(value - math.pi) > 0.02:
        raise Wrong(f"says that pi is {value}")
    return f"{len(found)} frames, pi {value:.4f}"


class Teapot:
    """The image that the sample blurs, each column and row's running mean taken as the sample takes it."""

    def __init__(self, path):
        data = path.read_bytes()
        head = re.match(rb"P6\s+(?:#[^\n]*\n\s*)*(\d+)\s+(\d+)\s+255\s", data)
        self.width, self.height = int(head[1]), int(head[2])
        self.pixels = data[head.end():]
        self.sums = {}

    def sum_to(self, channel):
        """Sums of all pixels above and to the left, repeated beyond the edge: a table with one more row and column."""
        if channel not in self.sums:
            table = [[0] * (self.width + 1)]
            for y in range(self.height):
                row, line = [0], 0
                above = table[-1]
                for x in range(self.width):
                    line += self.pixels[3 * (y * self.width + x) + channel]
                    row.append(above[x + 1] + line)
                table.append(row)
            self.sums[channel] = table
        return self.sums[channel]

    def blurred(self, x, y, radius, channel):
        table = self.sum_to(channel)
        x0, x1, y0, y1 = x - radius, x + radius + 1, y - radius, y + radius + 1
        return (table[y1][x1] - table[y0][x1] - table[y1][x0] + table[y0][x0]) / (2 * radius + 1) ** 2


def blurred_image(teapot):
    """The image on the ground, turned by 135 degrees and blurred by the radius in the window's title. Returns it."""
    def judge(screen):
        told = re.search(r"radius=(\d+)", screen.title())
        picture = screen.picture()
        if not told:
            raise Wrong("there is no window")
        width, height = screen.size
        _, on_ground = camera([2, 2, 2], [0, 0, 0], width, height)
        turn = math.radians(135)
        samples = []
        for y in range(0, height, 7):
            for x in range(0, width, 7):
                gx, gy = on_ground(x + 0.5, y + 0.5)
                u, v = math.cos(turn) * gx + math.sin(turn) * gy, -math.sin(turn) * gx + math.cos(turn) * gy
                tx, ty = int((u + 1) / 2 * teapot.width), int((v + 1) / 2 * teapot.height)
                # At the image's edge the sample repeats pixels, or takes those of the other side.
                if 66 < tx < teapot.width - 67 and 66 < ty < teapot.height - 67:
                    samples.append((picture.rgb(x, y), tx, ty))

        def difference(radius):
            return sum(abs(rgb[channel] - teapot.blurred(tx, ty, radius, channel))
                       for rgb, tx, ty in samples for channel in (0, 1, 2)) / len(samples) / 3
        # The title is ahead of the picture by a frame or a few, and is not drawn with it.
        radius = min(range(max(0, int(told[1]) - 9), min(64, int(told[1]) + 9) + 1), key=difference)
        if difference(radius) > 3 or abs(radius - int(told[1])) > 6:
            raise Wrong(f"the picture is blurred by {radius}, with a mean difference of {difference(radius):.1f}, "
                        f"and the title says {told[1]}")
        return radius
    return judge


# --- The cases --------------------------------------------------------------------------------------

def build(machine, folder, sources, edit=None):
    """Builds a sample in a folder of its own, with the files that it looks for; `edit` changes its text."""
    copy = machine.work / "source"
    shutil.copytree(folder, copy)
    for name, change in (edit or {}).items():
        (copy / name).write_text(change((copy / name).read_text()))
    common = folder.parents[2] / "Common"
    program = machine.work / folder.name
    toolkit.build([toolkit.compiler(), *toolkit.OPTIONS, "-std=c++17", "--extended-lambda", f"-I{common}",
                   *[source.replace("Common", str(common)) for source in sources], "-o", program,
                   f"-L{toolkit.HOME / 'lib64/stubs'}", "-lvulkan", "-lglfw", "-lGL", "-lcuda", "-lrt"], copy)
    for file in folder.iterdir():
        if file.suffix in (".spv", ".ppm"):
            shutil.copy(file, machine.work)
    return program


def waves(folder, driver, binary):
    # "remove _VK_TIMELINE_SEMAPHORE to use binary semaphores", says the sample's header.
    edit = {"VulkanBaseApp.h": lambda text: text.replace("#define _VK_TIMELINE_SEMAPHORE", "")} if binary else None

    def check(machine):
        program = build(machine, folder, ["main.cpp", "SineWaveSimulation.cu", "VulkanBaseApp.cpp"], edit)
        show(machine, program, driver, (1280, 800), sine_wave)
    return check


def monte_carlo(folder, driver):
    def check(machine):
        if driver == "SwiftShader":
            raise Skipped("imports CUDA's memory for buffers that it says are Windows', which SwiftShader refuses")
        program = build(machine, folder, ["Common/helper_multiprocess.cpp", "MonteCarloPi.cu", "VulkanBaseApp.cpp",
                                          "main.cpp"])
        # It closes file descriptors that Vulkan has taken, and finds them closed.
        return pi_of(show(machine, program, driver, (1280, 800), points, r"Failure at \d+ MonteCarloPi\.cu"))
    return check


def box_filter(folder, driver):
    def check(machine):
        program = build(machine, folder, ["vulkanImageCUDA.cu"])
        # It destroys surfaces while kernels that write through them may still wait for Vulkan.
        show(machine, program, driver, (800, 600), blurred_image(Teapot(folder / "teapot1024.ppm")),
             r"cuvette: \[texture-handle\]")
    return check


class Using(Machine):
    """Runs programs with variables of its own, and keeps what CUDA's work was."""

    def __init__(self, machine, driver):
        super().__init__(machine.library, machine.work)
        self.driver = driver

    def run(self, command, cuda=True, **options):
        variables = using(self, self.driver, layer=cuda)
        if cuda:
            variables["CUVETTE_ORDER_LOG"] = str(self.work / "order.txt")
        return super().run(command, cuda=cuda, environment=variables, **options)


def video(pixels):
    """mpv, whose frames in Vulkan's memory CUDA writes. Vulkan's device has to be named where it is no GPU."""
    def check(machine):
        player = Using(machine, "lavapipe")
        player.run(["ffmpeg", "-loglevel", "error", "-f", "lavfi", "-i", "testsrc=size=320x240:rate=5:duration=3",
                    "-pix_fmt", "yuv420p", "-c:v", "ffv1", "-y", "clip.mkv"], cuda=False)
        (machine.work / "keep.lua").write_text(mpv.SCRIPT)
        asked = player.run(["xvfb-run", "-a", "mpv", "--vulkan-device=help"], cuda=False).stdout
        device = re.search(r"'(.*)' \(GPU 0", asked)
        if not device:
            raise Skipped(f"mpv names no Vulkan device: {last_words(asked)}")
        vulkan = ["--gpu-api=vulkan", "--gpu-context=x11vk", f"--vulkan-device={device[1]}"]
        expected = mpv.picture(player, [*vulkan, f"--vf=format={pixels}"], False)
        got = mpv.picture(player, [*vulkan, "--gpu-hwdec-interop=cuda", f"--vf=lavfi=[format={pixels},hwupload]"], True)
        if "semaphore" not in player.bytes_of("order.txt").decode():
            raise Wrong("shares no semaphore")
        return alike(expected, got, 1)
    return check


def cases(machine):
    yield from (Case(f"mpv, {pixels}, on lavapipe", video(pixels)) for pixels in ("nv12", "yuv420p", "p010"))
    root = toolkit.checkout("CUDA_SAMPLES")
    if not root:
        yield Case("NVIDIA's samples", toolkit.missing("CUDA_SAMPLES", "NVIDIA/cuda-samples"))
        return
    folder = root / "Samples/5_Domain_Specific"
    for driver in DRIVERS:
        yield Case(f"simpleVulkan on {driver}", waves(folder / "simpleVulkan", driver, False))
        yield Case(f"simpleVulkan with binary semaphores on {driver}", waves(folder / "simpleVulkan", driver, True))
        yield Case(f"simpleVulkanMMAP on {driver}", monte_carlo(folder / "simpleVulkanMMAP", driver))
        yield Case(f"vulkanImageCUDA on {driver}", box_filter(folder / "vulkanImageCUDA", driver))

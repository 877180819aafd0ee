# SPDX-License-Identifier: Apache-2.0
"""What vulkan_buffer.py needs of libvulkan.so.1, by its C ABI (ctypes): Vulkan's structs and functions, and a device
whose memory and semaphores can be exported."""
import ctypes
from ctypes import POINTER, byref, c_char_p, c_float, c_int, c_uint, c_ulonglong, c_void_p, cast, pointer, sizeof

from c_library import Library, checked

# How a buffer is used.
TRANSFER_SOURCE = 1
TRANSFER_DESTINATION = 2
# Stages, and what is done there.
TRANSFER = 0x1000
HOST = 0x4000
NOTHING = 0
TRANSFER_READ = 0x800
TRANSFER_WRITE = 0x1000
HOST_READ = 0x2000
# Whose a buffer is: the device's queue's, or some other API's.
QUEUE = 0
OTHER_API = 0xfffffffe

API_VERSION_1_2 = 1 << 22 | 2 << 12  # has timeline semaphores
HOST_VISIBLE_AND_COHERENT = 2 | 4
OPAQUE_FD = 1  # of memory and of semaphores
TIMELINE = 1
WHOLE_SIZE = 0xffffffffffffffff


def struct(kind, *fields):
    """A struct of Vulkan: its first word says which one it is, and `next` leads to one that extends it."""
    class Struct(ctypes.Structure):
        _fields_ = [("kind", c_uint), ("next", c_void_p), *fields]

        def __init__(self, **values):
            super().__init__(kind=kind, **values)

    return Struct


def at(value):
    """A pointer to a struct, a number or an array, which lives as long as the pointer does."""
    return cast(pointer(value), c_void_p)


ApplicationInfo = struct(
    0, ("name", c_char_p), ("version", c_uint), ("engine_name", c_char_p), ("engine_version", c_uint),
    ("api_version", c_uint))
InstanceCreateInfo = struct(
    1, ("flags", c_uint), ("application", c_void_p), ("layer_count", c_uint), ("layers", c_void_p),
    ("extension_count", c_uint), ("extensions", c_void_p))
QueueCreateInfo = struct(
    2, ("flags", c_uint), ("family", c_uint), ("count", c_uint), ("priorities", c_void_p))
DeviceCreateInfo = struct(
    3, ("flags", c_uint), ("queue_count", c_uint), ("queues", c_void_p), ("layer_count", c_uint), ("layers", c_void_p),
    ("extension_count", c_uint), ("extensions", c_void_p), ("features", c_void_p))
SubmitInfo = struct(
    4, ("wait_count", c_uint), ("waits", c_void_p), ("wait_stages", c_void_p), ("commands_count", c_uint),
    ("commands", c_void_p), ("signal_count", c_uint), ("signals", c_void_p))
MemoryAllocateInfo = struct(5, ("size", c_ulonglong), ("memory_type", c_uint))
SemaphoreCreateInfo = struct(9, ("flags", c_uint))
BufferCreateInfo = struct(
    12, ("flags", c_uint), ("size", c_ulonglong), ("usage", c_uint), ("sharing", c_uint), ("family_count", c_uint),
    ("families", c_void_p))
CommandPoolCreateInfo = struct(39, ("flags", c_uint), ("family", c_uint))
CommandsAllocateInfo = struct(40, ("pool", c_void_p), ("level", c_uint), ("count", c_uint))
CommandsBeginInfo = struct(42, ("flags", c_uint), ("inheritance", c_void_p))
BufferBarrier = struct(
    44, ("source_access", c_uint), ("destination_access", c_uint), ("source_family", c_uint),
    ("destination_family", c_uint), ("buffer", c_void_p), ("offset", c_ulonglong), ("size", c_ulonglong))
PhysicalDeviceProperties = struct(1000059001, ("properties", c_ulonglong * 103))  # which are not looked at
PhysicalDeviceIds = struct(
    1000071004, ("device_uuid", c_uint * 4), ("driver_uuid", c_uint * 4), ("luid", c_uint * 2), ("node_mask", c_uint),
    ("luid_valid", c_uint))
BufferHandleTypes = struct(1000072000, ("types", c_uint))
MemoryHandleTypes = struct(1000072002, ("types", c_uint))
MemoryGetFdInfo = struct(1000074002, ("memory", c_void_p), ("type", c_uint))
SemaphoreHandleTypes = struct(1000077000, ("types", c_uint))
SemaphoreGetFdInfo = struct(1000079001, ("semaphore", c_void_p), ("type", c_uint))
TimelineFeatures = struct(1000207000, ("timeline_semaphore", c_uint))
SemaphoreTypeInfo = struct(1000207002, ("type", c_uint), ("initial_value", c_ulonglong))
TimelineValues = struct(
    1000207003, ("wait_count", c_uint), ("wait_values", c_void_p), ("signal_count", c_uint),
    ("signal_values", c_void_p))


class MemoryType(ctypes.Structure):
    _fields_ = [("flags", c_uint), ("heap", c_uint)]


class MemoryProperties(ctypes.Structure):
    _fields_ = [("type_count", c_uint), ("types", MemoryType * 32), ("heap_count", c_uint), ("heaps", c_ulonglong * 32)]


class MemoryRequirements(ctypes.Structure):
    _fields_ = [("size", c_ulonglong), ("alignment", c_ulonglong), ("type_bits", c_uint)]


class BufferCopy(ctypes.Structure):
    _fields_ = [("source_offset", c_ulonglong), ("destination_offset", c_ulonglong), ("size", c_ulonglong)]


def explain(result):
    return f"Vulkan's result is {result}"


class Vulkan(Library):
    FUNCTIONS = {
        "vkCreateInstance": [c_void_p, c_void_p, c_void_p],
        "vkEnumeratePhysicalDevices": [c_void_p, c_void_p, c_void_p],
        "vkCreateDevice": [c_void_p, c_void_p, c_void_p, c_void_p],
        "vkCreateBuffer": [c_void_p, c_void_p, c_void_p, c_void_p],
        "vkAllocateMemory": [c_void_p, c_void_p, c_void_p, c_void_p],
        "vkBindBufferMemory": [c_void_p, c_void_p, c_void_p, c_ulonglong],
        "vkMapMemory": [c_void_p, c_void_p, c_ulonglong, c_ulonglong, c_uint, c_void_p],
        "vkCreateSemaphore": [c_void_p, c_void_p, c_void_p, c_void_p],
        "vkCreateCommandPool": [c_void_p, c_void_p, c_void_p, c_void_p],
        "vkAllocateCommandBuffers": [c_void_p, c_void_p, c_void_p],
        "vkBeginCommandBuffer": [c_void_p, c_void_p],
        "vkEndCommandBuffer": [c_void_p],
        "vkQueueSubmit": [c_void_p, c_uint, c_void_p, c_void_p],
        "vkQueueWaitIdle": [c_void_p],
    }
    PROCEDURES = {
        "vkDestroyInstance": [c_void_p, c_void_p],
        "vkGetPhysicalDeviceProperties2": [c_void_p, c_void_p],
        "vkGetPhysicalDeviceMemoryProperties": [c_void_p, c_void_p],
        "vkDestroyDevice": [c_void_p, c_void_p],
        "vkGetDeviceQueue": [c_void_p, c_uint, c_uint, c_void_p],
        "vkDestroyBuffer": [c_void_p, c_void_p, c_void_p],
        "vkGetBufferMemoryRequirements": [c_void_p, c_void_p, c_void_p],
        "vkFreeMemory": [c_void_p, c_void_p, c_void_p],
        "vkDestroySemaphore": [c_void_p, c_void_p, c_void_p],
        "vkDestroyCommandPool": [c_void_p, c_void_p, c_void_p],
        "vkCmdUpdateBuffer": [c_void_p, c_void_p, c_ulonglong, c_ulonglong, c_void_p],
        "vkCmdCopyBuffer": [c_void_p, c_void_p, c_void_p, c_uint, c_void_p],
        "vkCmdPipelineBarrier": [c_void_p, c_uint, c_uint, c_uint, c_uint, c_void_p, c_uint, c_void_p, c_uint,
                                 c_void_p],
    }

    def __init__(self):
        super().__init__("libvulkan.so.1", explain, self.FUNCTIONS, self.PROCEDURES)

    def make(self, name, parent, info):
        """Calls a function that makes an object as an info says, and returns it."""
        made = c_void_p()
        owner = [] if parent is None else [parent]
        getattr(self, name)(*owner, byref(info), None, byref(made))
        return made


class Buffer:
    """A buffer with memory of its own."""

    def __init__(self, handle, memory):
        self.handle = handle
        self.memory = memory


class Device:
    """A device, its first queue, and commands for it."""

    def __init__(self, uuid):
        """Opens the device that has this UUID."""
        self.vulkan = Vulkan()
        application = ApplicationInfo(api_version=API_VERSION_1_2)
        self.instance = self.vulkan.make("vkCreateInstance", None, InstanceCreateInfo(application=at(application)))
        physical = self.find(uuid)

        extensions = (c_char_p * 2)(b"VK_KHR_external_memory_fd", b"VK_KHR_external_semaphore_fd")
        self.handle = self.vulkan.make("vkCreateDevice", physical, DeviceCreateInfo(
            next=at(TimelineFeatures(timeline_semaphore=1)), queue_count=1,
            queues=at(QueueCreateInfo(count=1, priorities=at(c_float(1)))),
            extension_count=len(extensions), extensions=at(extensions)))
        self.queue = c_void_p()
        self.vulkan.vkGetDeviceQueue(self.handle, 0, 0, byref(self.queue))
        self.pool = self.vulkan.make("vkCreateCommandPool", self.handle, CommandPoolCreateInfo())
        self.memory = MemoryProperties()
        self.vulkan.vkGetPhysicalDeviceMemoryProperties(physical, byref(self.memory))
        self.vkGetMemoryFdKHR = self.extension("vkGetMemoryFdKHR")
        self.vkGetSemaphoreFdKHR = self.extension("vkGetSemaphoreFdKHR")

    def find(self, uuid):
        count = c_uint()
        self.vulkan.vkEnumeratePhysicalDevices(self.instance, byref(count), None)
        devices = (c_void_p * count.value)()
        self.vulkan.vkEnumeratePhysicalDevices(self.instance, byref(count), devices)
        for device in devices:
            ids = PhysicalDeviceIds()
            self.vulkan.vkGetPhysicalDeviceProperties2(device, byref(PhysicalDeviceProperties(next=at(ids))))
            if bytes(ids.device_uuid) == uuid:
                return c_void_p(device)
        raise RuntimeError("Vulkan has no device with the UUID of CUDA's: is Cuvette's layer on?")

    def extension(self, name):
        """A function of an extension that gives a descriptor; the loader does not export it."""
        look_up = self.vulkan.library.vkGetDeviceProcAddr
        look_up.argtypes, look_up.restype = [c_void_p, c_char_p], c_void_p
        types = [c_void_p, c_void_p, c_void_p]
        function = ctypes.CFUNCTYPE(c_int, *types)(look_up(self.handle, name.encode()))
        return checked(function, name, types, explain)

    def exported_buffer(self, size, usage):
        """Makes a buffer whose memory can be exported."""
        return self.buffer(size, usage, at(BufferHandleTypes(types=OPAQUE_FD)), at(MemoryHandleTypes(types=OPAQUE_FD)))

    def readable_buffer(self, size, usage):
        """Makes a buffer that the host can read; returns it and its numbers."""
        buffer = self.buffer(size, usage, memory_flags=HOST_VISIBLE_AND_COHERENT)
        address = c_void_p()
        self.vulkan.vkMapMemory(self.handle, buffer.memory, 0, WHOLE_SIZE, 0, byref(address))
        return buffer, cast(address, POINTER(c_uint * (size // 4))).contents

    def buffer(self, size, usage, of_buffer=None, of_memory=None, memory_flags=0):
        handle = self.vulkan.make("vkCreateBuffer", self.handle,
                                  BufferCreateInfo(next=of_buffer, size=size, usage=usage))
        needed = MemoryRequirements()
        self.vulkan.vkGetBufferMemoryRequirements(self.handle, handle, byref(needed))
        memory_type = next(i for i in range(self.memory.type_count) if needed.type_bits >> i & 1
                           and self.memory.types[i].flags & memory_flags == memory_flags)
        memory = self.vulkan.make("vkAllocateMemory", self.handle,
                                  MemoryAllocateInfo(next=of_memory, size=needed.size, memory_type=memory_type))
        self.vulkan.vkBindBufferMemory(self.handle, handle, memory, 0)
        return Buffer(handle, memory)

    def memory_fd(self, buffer):
        """Returns a new descriptor of a buffer's memory."""
        fd = c_int()
        self.vkGetMemoryFdKHR(self.handle, byref(MemoryGetFdInfo(memory=buffer.memory, type=OPAQUE_FD)), byref(fd))
        return fd.value

    def exported_timeline(self):
        """Makes a timeline semaphore that can be exported. It starts at 0."""
        export = SemaphoreHandleTypes(types=OPAQUE_FD)
        timeline = SemaphoreTypeInfo(next=at(export), type=TIMELINE)
        return self.vulkan.make("vkCreateSemaphore", self.handle, SemaphoreCreateInfo(next=at(timeline)))

    def semaphore_fd(self, semaphore):
        """Returns a new descriptor of a semaphore."""
        fd = c_int()
        self.vkGetSemaphoreFdKHR(self.handle, byref(SemaphoreGetFdInfo(semaphore=semaphore, type=OPAQUE_FD)), byref(fd))
        return fd.value

    def begin(self):
        """Returns commands to record."""
        info = CommandsAllocateInfo(pool=self.pool, count=1)
        commands = c_void_p()
        self.vulkan.vkAllocateCommandBuffers(self.handle, byref(info), byref(commands))
        self.vulkan.vkBeginCommandBuffer(commands, byref(CommandsBeginInfo()))
        return commands

    def end(self, commands):
        self.vulkan.vkEndCommandBuffer(commands)

    def update(self, commands, buffer, numbers):
        """Writes up to 64 KiB, which are copied into the commands."""
        self.vulkan.vkCmdUpdateBuffer(commands, buffer.handle, 0, sizeof(numbers), numbers)

    def copy(self, commands, source, destination, size):
        self.vulkan.vkCmdCopyBuffer(commands, source.handle, destination.handle, 1, byref(BufferCopy(size=size)))

    def barrier(self, commands, buffer, before, after):
        """What is done with the buffer on the one side comes before what is done on the other; if the owners differ,
        the buffer is handed over. A side is whose the buffer is, at which stage, and what is done with it there."""
        (source_family, source_stage, source_access) = before
        (destination_family, destination_stage, destination_access) = after
        barrier = BufferBarrier(
            source_access=source_access, destination_access=destination_access, source_family=source_family,
            destination_family=destination_family, buffer=buffer.handle, size=WHOLE_SIZE)
        self.vulkan.vkCmdPipelineBarrier(
            commands, source_stage, destination_stage, 0, 0, None, 1, byref(barrier), 0, None)

    def submit(self, commands, wait=None, signal=None):
        """Hands commands to the queue. It may wait for a value of a timeline before them, and signal one after them:
        each is a pair of a semaphore and a value."""
        awaited, wait_value = wait or (c_void_p(), 0)
        signalled, signal_value = signal or (c_void_p(), 0)
        counts = {"wait_count": int(wait is not None), "signal_count": int(signal is not None)}
        values = TimelineValues(
            wait_values=at(c_ulonglong(wait_value)), signal_values=at(c_ulonglong(signal_value)), **counts)
        self.vulkan.vkQueueSubmit(self.queue, 1, byref(SubmitInfo(
            next=at(values), waits=at(awaited), wait_stages=at(c_uint(TRANSFER)), commands_count=1,
            commands=at(commands), signals=at(signalled), **counts)), None)

    def finish(self):
        """Waits until the queue has done all that was submitted."""
        self.vulkan.vkQueueWaitIdle(self.queue)

    def destroy_buffer(self, buffer):
        self.vulkan.vkDestroyBuffer(self.handle, buffer.handle, None)
        self.vulkan.vkFreeMemory(self.handle, buffer.memory, None)

    def destroy_semaphore(self, semaphore):
        self.vulkan.vkDestroySemaphore(self.handle, semaphore, None)

    def close(self):
        self.vulkan.vkDestroyCommandPool(self.handle, self.pool, None)
        self.vulkan.vkDestroyDevice(self.handle, None)
        self.vulkan.vkDestroyInstance(self.instance, None)

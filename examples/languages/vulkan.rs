// SPDX-License-Identifier: Apache-2.0
//! A Vulkan device whose memory and semaphores can be exported, and commands for it: what
//! vulkan_buffer.rs needs.
use crate::vulkan_abi::*;
use std::ffi::c_void;
use std::mem::{transmute, zeroed};
use std::os::raw::{c_char, c_int};
use std::process::exit;
use std::ptr::{null, null_mut};

/// Ends the program with a sentence unless a call of Vulkan went well.
fn need(result: c_int, call: &str) {
    if result != 0 {
        eprintln!("{call}: Vulkan's result is {result}");
        exit(1);
    }
}

/// A buffer with memory of its own.
pub struct Buffer {
    handle: BufferHandle,
    memory: Memory,
}

/// A device, its first queue, and commands for it.
pub struct Device {
    instance: Instance,
    handle: LogicalDevice,
    queue: Queue,
    pool: CommandPool,
    memory: MemoryProperties,
    get_memory_fd: GetFd,
    get_semaphore_fd: GetFd,
}

impl Device {
    /// Opens the device that has this UUID.
    pub fn open(uuid: [u8; 16]) -> Device {
        unsafe {
            let application = ApplicationInfo {
                kind: kind::APPLICATION_INFO,
                api_version: API_VERSION_1_2,
                ..zeroed()
            };
            let info = InstanceCreateInfo {
                kind: kind::INSTANCE_CREATE_INFO,
                application: &application,
                ..zeroed()
            };
            let mut instance = null_mut();
            need(vkCreateInstance(&info, null(), &mut instance), "vkCreateInstance");
            let Some(physical) = find(instance, uuid) else {
                eprintln!("Vulkan has no device with the UUID of CUDA's: is Cuvette's layer on?");
                exit(1);
            };

            let priority = 1.0;
            let queues = QueueCreateInfo {
                kind: kind::DEVICE_QUEUE_CREATE_INFO,
                count: 1,
                priorities: &priority,
                ..zeroed()
            };
            let features = TimelineFeatures {
                kind: kind::TIMELINE_SEMAPHORE_FEATURES,
                next: null(),
                timeline_semaphore: 1,
            };
            let extensions: [*const c_char; 2] = [
                b"VK_KHR_external_memory_fd\0".as_ptr().cast(),
                b"VK_KHR_external_semaphore_fd\0".as_ptr().cast(),
            ];
            let info = DeviceCreateInfo {
                kind: kind::DEVICE_CREATE_INFO,
                next: &features,
                queue_count: 1,
                queues: &queues,
                extension_count: extensions.len() as u32,
                extensions: extensions.as_ptr(),
                ..zeroed()
            };
            let mut handle = null_mut();
            need(vkCreateDevice(physical, &info, null(), &mut handle), "vkCreateDevice");
            let mut queue = null_mut();
            vkGetDeviceQueue(handle, 0, 0, &mut queue);
            let info = CommandPoolCreateInfo { kind: kind::COMMAND_POOL_CREATE_INFO, ..zeroed() };
            let mut pool = null_mut();
            need(vkCreateCommandPool(handle, &info, null(), &mut pool), "vkCreateCommandPool");
            let mut memory = zeroed();
            vkGetPhysicalDeviceMemoryProperties(physical, &mut memory);
            Device {
                instance,
                handle,
                queue,
                pool,
                memory,
                get_memory_fd: extension(handle, b"vkGetMemoryFdKHR\0"),
                get_semaphore_fd: extension(handle, b"vkGetSemaphoreFdKHR\0"),
            }
        }
    }

    /// Makes a buffer whose memory can be exported.
    pub fn exported_buffer(&self, size: usize, usage: u32) -> Buffer {
        let of_buffer = HandleTypes {
            kind: kind::EXTERNAL_MEMORY_BUFFER_CREATE_INFO,
            next: null(),
            types: OPAQUE_FD,
        };
        let of_memory = HandleTypes { kind: kind::EXPORT_MEMORY_ALLOCATE_INFO, ..of_buffer };
        self.buffer(size, usage, &of_buffer, &of_memory, 0)
    }

    /// Makes a buffer that the host can read, and maps it.
    pub fn readable_buffer(&self, size: usize, usage: u32) -> (Buffer, *const c_void) {
        let buffer = self.buffer(size, usage, null(), null(), HOST_VISIBLE_AND_COHERENT);
        let mut address = null_mut();
        need(
            unsafe { vkMapMemory(self.handle, buffer.memory, 0, WHOLE_SIZE, 0, &mut address) },
            "vkMapMemory",
        );
        (buffer, address)
    }

    fn buffer(
        &self,
        size: usize,
        usage: u32,
        of_buffer: *const HandleTypes,
        of_memory: *const HandleTypes,
        memory_flags: u32,
    ) -> Buffer {
        unsafe {
            let info = BufferCreateInfo {
                kind: kind::BUFFER_CREATE_INFO,
                next: of_buffer,
                size: size as u64,
                usage,
                ..zeroed()
            };
            let mut handle = null_mut();
            need(vkCreateBuffer(self.handle, &info, null(), &mut handle), "vkCreateBuffer");
            let mut needed: MemoryRequirements = zeroed();
            vkGetBufferMemoryRequirements(self.handle, handle, &mut needed);
            let memory_type = (0..self.memory.type_count)
                .find(|&i| {
                    let flags = self.memory.types[i as usize].flags;
                    needed.type_bits & 1 << i != 0 && flags & memory_flags == memory_flags
                })
                .expect("Vulkan has memory for a buffer");
            let info = MemoryAllocateInfo {
                kind: kind::MEMORY_ALLOCATE_INFO,
                next: of_memory,
                size: needed.size,
                memory_type,
            };
            let mut memory = null_mut();
            need(vkAllocateMemory(self.handle, &info, null(), &mut memory), "vkAllocateMemory");
            need(vkBindBufferMemory(self.handle, handle, memory, 0), "vkBindBufferMemory");
            Buffer { handle, memory }
        }
    }

    /// A new descriptor of a buffer's memory.
    pub fn memory_fd(&self, buffer: &Buffer) -> c_int {
        let info = GetFdInfo {
            kind: kind::MEMORY_GET_FD_INFO,
            next: null(),
            object: buffer.memory,
            handle_type: OPAQUE_FD,
        };
        let mut fd = -1;
        need(unsafe { (self.get_memory_fd)(self.handle, &info, &mut fd) }, "vkGetMemoryFdKHR");
        fd
    }

    /// Makes a timeline semaphore that can be exported. It starts at 0.
    pub fn exported_timeline(&self) -> Semaphore {
        let export = HandleTypes {
            kind: kind::EXPORT_SEMAPHORE_CREATE_INFO,
            next: null(),
            types: OPAQUE_FD,
        };
        let timeline = SemaphoreTypeInfo {
            kind: kind::SEMAPHORE_TYPE_CREATE_INFO,
            next: &export,
            semaphore_type: TIMELINE,
            initial_value: 0,
        };
        let info =
            SemaphoreCreateInfo { kind: kind::SEMAPHORE_CREATE_INFO, next: &timeline, flags: 0 };
        let mut semaphore = null_mut();
        need(
            unsafe { vkCreateSemaphore(self.handle, &info, null(), &mut semaphore) },
            "vkCreateSemaphore",
        );
        semaphore
    }

    /// A new descriptor of a semaphore.
    pub fn semaphore_fd(&self, semaphore: Semaphore) -> c_int {
        let info = GetFdInfo {
            kind: kind::SEMAPHORE_GET_FD_INFO,
            next: null(),
            object: semaphore,
            handle_type: OPAQUE_FD,
        };
        let mut fd = -1;
        need(
            unsafe { (self.get_semaphore_fd)(self.handle, &info, &mut fd) },
            "vkGetSemaphoreFdKHR",
        );
        fd
    }

    /// Commands as `recorded` puts them there.
    pub fn record(&self, recorded: impl FnOnce(Commands)) -> Commands {
        unsafe {
            let info = CommandsAllocateInfo {
                kind: kind::COMMAND_BUFFER_ALLOCATE_INFO,
                pool: self.pool,
                count: 1,
                ..zeroed()
            };
            let mut commands = null_mut();
            need(
                vkAllocateCommandBuffers(self.handle, &info, &mut commands),
                "vkAllocateCommandBuffers",
            );
            let info = CommandsBeginInfo { kind: kind::COMMAND_BUFFER_BEGIN_INFO, ..zeroed() };
            need(vkBeginCommandBuffer(commands, &info), "vkBeginCommandBuffer");
            recorded(commands);
            need(vkEndCommandBuffer(commands), "vkEndCommandBuffer");
            commands
        }
    }

    /// Hands commands to the queue. It may wait for a value of a timeline before them, and signal
    /// one after them.
    pub fn submit(
        &self,
        wait: Option<(Semaphore, u64)>,
        commands: Commands,
        signal: Option<(Semaphore, u64)>,
    ) {
        let (awaited, wait_value) = wait.unwrap_or((null_mut(), 0));
        let (signalled, signal_value) = signal.unwrap_or((null_mut(), 0));
        let (wait_count, signal_count) = (wait.is_some() as u32, signal.is_some() as u32);
        let values = TimelineValues {
            kind: kind::TIMELINE_SEMAPHORE_SUBMIT_INFO,
            next: null(),
            wait_count,
            wait_values: &wait_value,
            signal_count,
            signal_values: &signal_value,
        };
        let info = SubmitInfo {
            kind: kind::SUBMIT_INFO,
            next: &values,
            wait_count,
            waits: &awaited,
            wait_stages: &TRANSFER,
            commands_count: 1,
            commands: &commands,
            signal_count,
            signals: &signalled,
        };
        need(unsafe { vkQueueSubmit(self.queue, 1, &info, null_mut()) }, "vkQueueSubmit");
    }

    /// Waits until the queue has done all that was submitted.
    pub fn finish(&self) {
        need(unsafe { vkQueueWaitIdle(self.queue) }, "vkQueueWaitIdle");
    }

    pub fn destroy_buffer(&self, buffer: Buffer) {
        unsafe {
            vkDestroyBuffer(self.handle, buffer.handle, null());
            vkFreeMemory(self.handle, buffer.memory, null());
        }
    }

    pub fn destroy_semaphore(&self, semaphore: Semaphore) {
        unsafe { vkDestroySemaphore(self.handle, semaphore, null()) };
    }
}

impl Drop for Device {
    fn drop(&mut self) {
        unsafe {
            vkDestroyCommandPool(self.handle, self.pool, null());
            vkDestroyDevice(self.handle, null());
            vkDestroyInstance(self.instance, null());
        }
    }
}

unsafe fn find(instance: Instance, uuid: [u8; 16]) -> Option<PhysicalDevice> {
    let mut devices = [null_mut(); 16];
    let mut count = devices.len() as u32;
    let result = vkEnumeratePhysicalDevices(instance, &mut count, devices.as_mut_ptr());
    const INCOMPLETE: c_int = 5; // there are even more
    need(if result == INCOMPLETE { 0 } else { result }, "vkEnumeratePhysicalDevices");
    devices[..count as usize].iter().copied().find(|&device| {
        let mut ids = PhysicalDeviceIds { kind: kind::PHYSICAL_DEVICE_ID_PROPERTIES, ..zeroed() };
        let mut properties = PhysicalDeviceProperties {
            kind: kind::PHYSICAL_DEVICE_PROPERTIES_2,
            next: &mut ids,
            properties: [0; 103],
        };
        vkGetPhysicalDeviceProperties2(device, &mut properties);
        ids.device_uuid == uuid
    })
}

/// A function of an extension, which the loader does not export.
unsafe fn extension(device: LogicalDevice, name: &[u8]) -> GetFd {
    let function = vkGetDeviceProcAddr(device, name.as_ptr().cast());
    transmute::<*const c_void, Option<GetFd>>(function).expect("the device has its extensions")
}

// --- Commands ---

/// Writes up to 64 KiB, which are copied into the commands.
pub fn update(commands: Commands, buffer: &Buffer, numbers: &[u32]) {
    let size = std::mem::size_of_val(numbers) as u64;
    unsafe { vkCmdUpdateBuffer(commands, buffer.handle, 0, size, numbers.as_ptr().cast()) };
}

pub fn copy(commands: Commands, source: &Buffer, destination: &Buffer, size: usize) {
    let all = BufferCopy { source_offset: 0, destination_offset: 0, size: size as u64 };
    unsafe { vkCmdCopyBuffer(commands, source.handle, destination.handle, 1, &all) };
}

/// One side of a barrier: whose the buffer is, at which stage, and what is done with it there.
pub type Side = (u32, u32, u32);

/// What is done with the buffer on the one side comes before what is done on the other; if the
/// owners differ, the buffer is handed over.
pub fn barrier(commands: Commands, buffer: &Buffer, before: Side, after: Side) {
    let barrier = BufferBarrier {
        kind: kind::BUFFER_MEMORY_BARRIER,
        next: null(),
        source_family: before.0,
        source_access: before.2,
        destination_family: after.0,
        destination_access: after.2,
        buffer: buffer.handle,
        offset: 0,
        size: WHOLE_SIZE,
    };
    unsafe {
        vkCmdPipelineBarrier(commands, before.1, after.1, 0, 0, null(), 1, &barrier, 0, null())
    };
}

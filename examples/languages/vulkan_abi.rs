// SPDX-License-Identifier: Apache-2.0
//! libvulkan.so.1's C ABI, as far as vulkan.rs needs it. Vulkan's own names have `Vk` before them.
use std::ffi::c_void;
use std::os::raw::{c_char, c_int};

pub type Instance = *mut c_void;
pub type PhysicalDevice = *mut c_void;
pub type LogicalDevice = *mut c_void;
pub type Queue = *mut c_void;
pub type CommandPool = *mut c_void;
pub type Memory = *mut c_void;
pub type BufferHandle = *mut c_void;
pub type Commands = *mut c_void;
pub type Semaphore = *mut c_void;

// How a buffer is used.
pub const TRANSFER_SOURCE: u32 = 1;
pub const TRANSFER_DESTINATION: u32 = 2;
// Stages, and what is done there.
pub const TRANSFER: u32 = 0x1000;
pub const HOST: u32 = 0x4000;
pub const NOTHING: u32 = 0;
pub const TRANSFER_READ: u32 = 0x800;
pub const TRANSFER_WRITE: u32 = 0x1000;
pub const HOST_READ: u32 = 0x2000;
// Whose a buffer is: the device's queue's, or some other API's.
pub const QUEUE: u32 = 0;
pub const OTHER_API: u32 = !1;

pub const API_VERSION_1_2: u32 = 1 << 22 | 2 << 12; // has timeline semaphores
pub const HOST_VISIBLE_AND_COHERENT: u32 = 2 | 4;
pub const OPAQUE_FD: u32 = 1; // of memory and of semaphores
pub const TIMELINE: u32 = 1;
pub const WHOLE_SIZE: u64 = !0;

/// The first word of each struct says which one it is.
pub mod kind {
    pub const APPLICATION_INFO: u32 = 0;
    pub const INSTANCE_CREATE_INFO: u32 = 1;
    pub const DEVICE_QUEUE_CREATE_INFO: u32 = 2;
    pub const DEVICE_CREATE_INFO: u32 = 3;
    pub const SUBMIT_INFO: u32 = 4;
    pub const MEMORY_ALLOCATE_INFO: u32 = 5;
    pub const SEMAPHORE_CREATE_INFO: u32 = 9;
    pub const BUFFER_CREATE_INFO: u32 = 12;
    pub const COMMAND_POOL_CREATE_INFO: u32 = 39;
    pub const COMMAND_BUFFER_ALLOCATE_INFO: u32 = 40;
    pub const COMMAND_BUFFER_BEGIN_INFO: u32 = 42;
    pub const BUFFER_MEMORY_BARRIER: u32 = 44;
    pub const PHYSICAL_DEVICE_PROPERTIES_2: u32 = 1000059001;
    pub const PHYSICAL_DEVICE_ID_PROPERTIES: u32 = 1000071004;
    pub const EXTERNAL_MEMORY_BUFFER_CREATE_INFO: u32 = 1000072000;
    pub const EXPORT_MEMORY_ALLOCATE_INFO: u32 = 1000072002;
    pub const MEMORY_GET_FD_INFO: u32 = 1000074002;
    pub const EXPORT_SEMAPHORE_CREATE_INFO: u32 = 1000077000;
    pub const SEMAPHORE_GET_FD_INFO: u32 = 1000079001;
    pub const TIMELINE_SEMAPHORE_FEATURES: u32 = 1000207000;
    pub const SEMAPHORE_TYPE_CREATE_INFO: u32 = 1000207002;
    pub const TIMELINE_SEMAPHORE_SUBMIT_INFO: u32 = 1000207003;
}

#[repr(C)]
pub struct ApplicationInfo {
    pub kind: u32,
    pub next: *const c_void,
    pub name: *const c_char,
    pub version: u32,
    pub engine_name: *const c_char,
    pub engine_version: u32,
    pub api_version: u32,
}

#[repr(C)]
pub struct InstanceCreateInfo {
    pub kind: u32,
    pub next: *const c_void,
    pub flags: u32,
    pub application: *const ApplicationInfo,
    pub layer_count: u32,
    pub layers: *const *const c_char,
    pub extension_count: u32,
    pub extensions: *const *const c_char,
}

#[repr(C)]
pub struct PhysicalDeviceIds {
    pub kind: u32,
    pub next: *mut c_void,
    pub device_uuid: [u8; 16],
    pub driver_uuid: [u8; 16],
    pub luid: [u8; 8],
    pub node_mask: u32,
    pub luid_valid: u32,
}

#[repr(C)]
pub struct PhysicalDeviceProperties {
    pub kind: u32,
    pub next: *mut PhysicalDeviceIds,
    pub properties: [u64; 103], // names, limits and more, which are not looked at
}

#[repr(C)]
pub struct MemoryType {
    pub flags: u32,
    pub heap: u32,
}

#[repr(C)]
pub struct MemoryProperties {
    pub type_count: u32,
    pub types: [MemoryType; 32],
    pub heap_count: u32,
    pub heaps: [[u64; 2]; 16],
}

#[repr(C)]
pub struct TimelineFeatures {
    pub kind: u32,
    pub next: *const c_void,
    pub timeline_semaphore: u32,
}

#[repr(C)]
pub struct QueueCreateInfo {
    pub kind: u32,
    pub next: *const c_void,
    pub flags: u32,
    pub family: u32,
    pub count: u32,
    pub priorities: *const f32,
}

#[repr(C)]
pub struct DeviceCreateInfo {
    pub kind: u32,
    pub next: *const TimelineFeatures,
    pub flags: u32,
    pub queue_count: u32,
    pub queues: *const QueueCreateInfo,
    pub layer_count: u32,
    pub layers: *const *const c_char,
    pub extension_count: u32,
    pub extensions: *const *const c_char,
    pub features: *const c_void,
}

/// Three structs of Vulkan look alike: each says for which types of handles something is made.
#[repr(C)]
pub struct HandleTypes {
    pub kind: u32,
    pub next: *const c_void,
    pub types: u32,
}

#[repr(C)]
pub struct BufferCreateInfo {
    pub kind: u32,
    pub next: *const HandleTypes,
    pub flags: u32,
    pub size: u64,
    pub usage: u32,
    pub sharing: u32,
    pub family_count: u32,
    pub families: *const u32,
}

#[repr(C)]
pub struct MemoryRequirements {
    pub size: u64,
    pub alignment: u64,
    pub type_bits: u32,
}

#[repr(C)]
pub struct MemoryAllocateInfo {
    pub kind: u32,
    pub next: *const HandleTypes,
    pub size: u64,
    pub memory_type: u32,
}

#[repr(C)]
pub struct SemaphoreTypeInfo {
    pub kind: u32,
    pub next: *const HandleTypes,
    pub semaphore_type: u32,
    pub initial_value: u64,
}

#[repr(C)]
pub struct SemaphoreCreateInfo {
    pub kind: u32,
    pub next: *const SemaphoreTypeInfo,
    pub flags: u32,
}

/// Which memory's or semaphore's descriptor is asked for.
#[repr(C)]
pub struct GetFdInfo {
    pub kind: u32,
    pub next: *const c_void,
    pub object: *mut c_void,
    pub handle_type: u32,
}

pub type GetFd = unsafe extern "C" fn(LogicalDevice, *const GetFdInfo, *mut c_int) -> c_int;

#[repr(C)]
pub struct CommandPoolCreateInfo {
    pub kind: u32,
    pub next: *const c_void,
    pub flags: u32,
    pub family: u32,
}

#[repr(C)]
pub struct CommandsAllocateInfo {
    pub kind: u32,
    pub next: *const c_void,
    pub pool: CommandPool,
    pub level: u32,
    pub count: u32,
}

#[repr(C)]
pub struct CommandsBeginInfo {
    pub kind: u32,
    pub next: *const c_void,
    pub flags: u32,
    pub inheritance: *const c_void,
}

#[repr(C)]
pub struct BufferBarrier {
    pub kind: u32,
    pub next: *const c_void,
    pub source_access: u32,
    pub destination_access: u32,
    pub source_family: u32,
    pub destination_family: u32,
    pub buffer: BufferHandle,
    pub offset: u64,
    pub size: u64,
}

#[repr(C)]
pub struct BufferCopy {
    pub source_offset: u64,
    pub destination_offset: u64,
    pub size: u64,
}

#[repr(C)]
pub struct TimelineValues {
    pub kind: u32,
    pub next: *const c_void,
    pub wait_count: u32,
    pub wait_values: *const u64,
    pub signal_count: u32,
    pub signal_values: *const u64,
}

#[repr(C)]
pub struct SubmitInfo {
    pub kind: u32,
    pub next: *const TimelineValues,
    pub wait_count: u32,
    pub waits: *const Semaphore,
    pub wait_stages: *const u32,
    pub commands_count: u32,
    pub commands: *const Commands,
    pub signal_count: u32,
    pub signals: *const Semaphore,
}

#[link(name = "vulkan")]
extern "C" {
    pub fn vkCreateInstance(
        info: *const InstanceCreateInfo,
        allocator: *const c_void,
        instance: *mut Instance,
    ) -> c_int;
    pub fn vkDestroyInstance(instance: Instance, allocator: *const c_void);
    pub fn vkEnumeratePhysicalDevices(
        instance: Instance,
        count: *mut u32,
        devices: *mut PhysicalDevice,
    ) -> c_int;
    pub fn vkGetPhysicalDeviceProperties2(
        device: PhysicalDevice,
        properties: *mut PhysicalDeviceProperties,
    );
    pub fn vkGetPhysicalDeviceMemoryProperties(
        device: PhysicalDevice,
        properties: *mut MemoryProperties,
    );
    pub fn vkCreateDevice(
        physical: PhysicalDevice,
        info: *const DeviceCreateInfo,
        allocator: *const c_void,
        device: *mut LogicalDevice,
    ) -> c_int;
    pub fn vkDestroyDevice(device: LogicalDevice, allocator: *const c_void);
    pub fn vkGetDeviceProcAddr(device: LogicalDevice, name: *const c_char) -> *const c_void;
    pub fn vkGetDeviceQueue(device: LogicalDevice, family: u32, index: u32, queue: *mut Queue);
    pub fn vkCreateBuffer(
        device: LogicalDevice,
        info: *const BufferCreateInfo,
        allocator: *const c_void,
        buffer: *mut BufferHandle,
    ) -> c_int;
    pub fn vkDestroyBuffer(device: LogicalDevice, buffer: BufferHandle, allocator: *const c_void);
    pub fn vkGetBufferMemoryRequirements(
        device: LogicalDevice,
        buffer: BufferHandle,
        requirements: *mut MemoryRequirements,
    );
    pub fn vkAllocateMemory(
        device: LogicalDevice,
        info: *const MemoryAllocateInfo,
        allocator: *const c_void,
        memory: *mut Memory,
    ) -> c_int;
    pub fn vkFreeMemory(device: LogicalDevice, memory: Memory, allocator: *const c_void);
    pub fn vkBindBufferMemory(
        device: LogicalDevice,
        buffer: BufferHandle,
        memory: Memory,
        offset: u64,
    ) -> c_int;
    pub fn vkMapMemory(
        device: LogicalDevice,
        memory: Memory,
        offset: u64,
        size: u64,
        flags: u32,
        address: *mut *mut c_void,
    ) -> c_int;
    pub fn vkCreateSemaphore(
        device: LogicalDevice,
        info: *const SemaphoreCreateInfo,
        allocator: *const c_void,
        semaphore: *mut Semaphore,
    ) -> c_int;
    pub fn vkDestroySemaphore(
        device: LogicalDevice,
        semaphore: Semaphore,
        allocator: *const c_void,
    );
    pub fn vkCreateCommandPool(
        device: LogicalDevice,
        info: *const CommandPoolCreateInfo,
        allocator: *const c_void,
        pool: *mut CommandPool,
    ) -> c_int;
    pub fn vkDestroyCommandPool(device: LogicalDevice, pool: CommandPool, allocator: *const c_void);
    pub fn vkAllocateCommandBuffers(
        device: LogicalDevice,
        info: *const CommandsAllocateInfo,
        commands: *mut Commands,
    ) -> c_int;
    pub fn vkBeginCommandBuffer(commands: Commands, info: *const CommandsBeginInfo) -> c_int;
    pub fn vkEndCommandBuffer(commands: Commands) -> c_int;
    pub fn vkCmdUpdateBuffer(
        commands: Commands,
        buffer: BufferHandle,
        offset: u64,
        size: u64,
        data: *const c_void,
    );
    pub fn vkCmdCopyBuffer(
        commands: Commands,
        source: BufferHandle,
        destination: BufferHandle,
        count: u32,
        regions: *const BufferCopy,
    );
    pub fn vkCmdPipelineBarrier(
        commands: Commands,
        source_stage: u32,
        destination_stage: u32,
        flags: u32,
        memory_count: u32,
        memory_barriers: *const c_void,
        buffer_count: u32,
        buffer_barriers: *const BufferBarrier,
        image_count: u32,
        image_barriers: *const c_void,
    );
    pub fn vkQueueSubmit(
        queue: Queue,
        count: u32,
        infos: *const SubmitInfo,
        fence: *mut c_void,
    ) -> c_int;
    pub fn vkQueueWaitIdle(queue: Queue) -> c_int;
}

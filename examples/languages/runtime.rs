// SPDX-License-Identifier: Apache-2.0
//! What the examples need of libcudart.so.13, by its C ABI: CUDA 13's structs and functions, and
//! around them the few steps that the examples have in common.
#![allow(dead_code)] // each example uses a part of it
use std::ffi::{c_void, CStr};
use std::os::raw::{c_char, c_int, c_uint, c_ulonglong};
use std::process::exit;
use std::ptr::null_mut;

pub type Stream = *mut c_void;
pub type Library = *mut c_void;
pub type Kernel = *mut c_void;
pub type ExternalMemory = *mut c_void;
pub type ExternalSemaphore = *mut c_void;

pub const DEVICE_TO_HOST: c_int = 2;
const MEMORY_OPAQUE_FD: c_int = 1;
const SEMAPHORE_TIMELINE_FD: c_int = 9;

#[repr(C)]
#[derive(Clone, Copy)]
struct Win32Handle {
    handle: *mut c_void,
    name: *const c_void,
}

#[repr(C)]
union Handle {
    fd: c_int,
    win32: Win32Handle,
}

#[repr(C)]
struct MemoryHandleDesc {
    kind: c_int,
    handle: Handle,
    size: c_ulonglong,
    flags: c_uint,
    reserved: [c_uint; 16],
}

#[repr(C)]
struct MemoryBufferDesc {
    offset: c_ulonglong,
    size: c_ulonglong,
    flags: c_uint,
    reserved: [c_uint; 16],
}

#[repr(C)]
struct SemaphoreHandleDesc {
    kind: c_int,
    handle: Handle,
    flags: c_uint,
    reserved: [c_uint; 16],
}

/// The parameters of a signal and those of a wait: they differ only in what is for other kinds of
/// semaphores.
#[repr(C)]
struct SemaphoreParams {
    value: c_ulonglong,
    other_kinds: [c_uint; 16],
    flags: c_uint,
    reserved: [c_uint; 16],
}

#[repr(C)]
struct Dim3 {
    x: c_uint,
    y: c_uint,
    z: c_uint,
}

#[link(name = "cudart")]
extern "C" {
    fn cudaGetErrorString(error: c_int) -> *const c_char;
    pub fn cudaFree(address: *mut c_void) -> c_int;
    pub fn cudaMemcpy(to: *mut c_void, from: *const c_void, size: usize, kind: c_int) -> c_int;
    pub fn cudaDeviceSynchronize() -> c_int;
    pub fn cudaStreamCreate(stream: *mut Stream) -> c_int;
    pub fn cudaStreamDestroy(stream: Stream) -> c_int;
    pub fn cudaStreamSynchronize(stream: Stream) -> c_int;

    fn cudaImportExternalMemory(
        memory: *mut ExternalMemory,
        desc: *const MemoryHandleDesc,
    ) -> c_int;
    fn cudaExternalMemoryGetMappedBuffer(
        address: *mut *mut c_void,
        memory: ExternalMemory,
        desc: *const MemoryBufferDesc,
    ) -> c_int;
    pub fn cudaDestroyExternalMemory(memory: ExternalMemory) -> c_int;

    fn cudaImportExternalSemaphore(
        semaphore: *mut ExternalSemaphore,
        desc: *const SemaphoreHandleDesc,
    ) -> c_int;
    fn cudaWaitExternalSemaphoresAsync(
        semaphores: *const ExternalSemaphore,
        params: *const SemaphoreParams,
        count: c_uint,
        stream: Stream,
    ) -> c_int;
    fn cudaSignalExternalSemaphoresAsync(
        semaphores: *const ExternalSemaphore,
        params: *const SemaphoreParams,
        count: c_uint,
        stream: Stream,
    ) -> c_int;
    pub fn cudaDestroyExternalSemaphore(semaphore: ExternalSemaphore) -> c_int;

    fn cudaLibraryLoadData(
        library: *mut Library,
        code: *const c_void,
        jit_options: *mut c_int,
        jit_values: *mut *mut c_void,
        jit_count: c_uint,
        options: *mut c_int,
        values: *mut *mut c_void,
        count: c_uint,
    ) -> c_int;
    fn cudaLibraryGetKernel(kernel: *mut Kernel, library: Library, name: *const c_char) -> c_int;
    pub fn cudaLibraryUnload(library: Library) -> c_int;
    fn cudaLaunchKernel(
        kernel: *const c_void,
        grid: Dim3,
        block: Dim3,
        arguments: *mut *mut c_void,
        shared: usize,
        stream: Stream,
    ) -> c_int;
}

/// Ends the program with a sentence unless a call of the runtime went well.
pub fn need(error: c_int, call: &str) {
    if error != 0 {
        let text = unsafe { CStr::from_ptr(cudaGetErrorString(error)) };
        eprintln!("{call}: {}", text.to_string_lossy());
        exit(1);
    }
}

/// Imports memory by its descriptor, which is CUDA's from then on.
pub fn import_memory(fd: c_int, size: usize) -> ExternalMemory {
    let desc = MemoryHandleDesc {
        kind: MEMORY_OPAQUE_FD,
        handle: Handle { fd },
        size: size as c_ulonglong,
        flags: 0,
        reserved: [0; 16],
    };
    let mut memory = null_mut();
    need(unsafe { cudaImportExternalMemory(&mut memory, &desc) }, "cudaImportExternalMemory");
    memory
}

/// Maps a part of imported memory. The address is freed with cudaFree.
pub fn map_memory(memory: ExternalMemory, offset: usize, size: usize) -> *mut c_void {
    let desc = MemoryBufferDesc {
        offset: offset as c_ulonglong,
        size: size as c_ulonglong,
        flags: 0,
        reserved: [0; 16],
    };
    let mut address = null_mut();
    need(
        unsafe { cudaExternalMemoryGetMappedBuffer(&mut address, memory, &desc) },
        "cudaExternalMemoryGetMappedBuffer",
    );
    address
}

/// Imports a timeline semaphore by its descriptor, which is CUDA's from then on.
pub fn import_timeline(fd: c_int) -> ExternalSemaphore {
    let desc = SemaphoreHandleDesc {
        kind: SEMAPHORE_TIMELINE_FD,
        handle: Handle { fd },
        flags: 0,
        reserved: [0; 16],
    };
    let mut semaphore = null_mut();
    need(
        unsafe { cudaImportExternalSemaphore(&mut semaphore, &desc) },
        "cudaImportExternalSemaphore",
    );
    semaphore
}

fn to_value(value: u64) -> SemaphoreParams {
    SemaphoreParams { value, other_kinds: [0; 16], flags: 0, reserved: [0; 16] }
}

/// The stream goes on when the timeline has reached `value`.
pub fn wait(semaphore: ExternalSemaphore, value: u64, stream: Stream) {
    need(
        unsafe { cudaWaitExternalSemaphoresAsync(&semaphore, &to_value(value), 1, stream) },
        "cudaWaitExternalSemaphoresAsync",
    );
}

/// The timeline gets `value` when the stream's work before this is done.
pub fn signal(semaphore: ExternalSemaphore, value: u64, stream: Stream) {
    need(
        unsafe { cudaSignalExternalSemaphoresAsync(&semaphore, &to_value(value), 1, stream) },
        "cudaSignalExternalSemaphoresAsync",
    );
}

/// The kernel of scale.ptx, and the library that it lives in.
pub fn load_scale() -> (Library, Kernel) {
    const CODE: &str = concat!(include_str!("scale.ptx"), "\0");
    let (mut library, mut kernel) = (null_mut(), null_mut());
    need(
        unsafe {
            cudaLibraryLoadData(
                &mut library,
                CODE.as_ptr().cast(),
                null_mut(),
                null_mut(),
                0,
                null_mut(),
                null_mut(),
                0,
            )
        },
        "cudaLibraryLoadData",
    );
    need(
        unsafe { cudaLibraryGetKernel(&mut kernel, library, b"scale\0".as_ptr().cast()) },
        "cudaLibraryGetKernel",
    );
    (library, kernel)
}

/// Multiplies `count` numbers at `data` by `factor`, in a stream.
pub fn launch_scale(
    kernel: Kernel,
    mut data: *mut c_void,
    mut count: u32,
    mut factor: u32,
    stream: Stream,
) {
    let mut arguments: [*mut c_void; 3] = [
        (&mut data as *mut *mut c_void).cast(),
        (&mut count as *mut u32).cast(),
        (&mut factor as *mut u32).cast(),
    ];
    let grid = Dim3 { x: (count + 255) / 256, y: 1, z: 1 };
    let block = Dim3 { x: 256, y: 1, z: 1 };
    need(
        unsafe { cudaLaunchKernel(kernel, grid, block, arguments.as_mut_ptr(), 0, stream) },
        "cudaLaunchKernel",
    );
}

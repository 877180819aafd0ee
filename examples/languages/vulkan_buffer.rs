// SPDX-License-Identifier: Apache-2.0
// Vulkan and CUDA work on one buffer, and semaphores keep them in order. The program is Rust that
// calls libvulkan.so.1 and libcudart.so.13 by their C ABI, without any crate.
//
//   Vulkan's queue                             CUDA's stream
//   writes numbers into the buffer
//   signals `written` -----------------------> waits for `written`
//                                              launches `scale` from PTX on the buffer
//   waits for `scaled` <---------------------- signals `scaled`
//   copies the buffer to where the host reads
//
// All of it is submitted before any of it has to be done: the host waits once, at the end.
//
//   rustc vulkan_buffer.rs -L native=build/release/lib && cuvette run -- ./vulkan_buffer
mod runtime;
mod vulkan;
mod vulkan_abi;

use runtime::{
    cudaDestroyExternalMemory, cudaDestroyExternalSemaphore, cudaFree, cudaLibraryUnload,
    cudaStreamCreate, cudaStreamDestroy, cudaStreamSynchronize, import_memory, import_timeline,
    launch_scale, load_scale, map_memory, need,
};
use std::os::raw::c_int;
use std::ptr::null_mut;
use vulkan::{barrier, copy, update, Device};
use vulkan_abi::{
    HOST, HOST_READ, NOTHING, OTHER_API, QUEUE, TRANSFER, TRANSFER_DESTINATION, TRANSFER_READ,
    TRANSFER_SOURCE, TRANSFER_WRITE,
};

const COUNT: usize = 10_000;
const SIZE: usize = COUNT * 4;
const FACTOR: u32 = 3;

#[link(name = "cuda")]
extern "C" {
    fn cuInit(flags: u32) -> c_int;
    fn cuDeviceGetUuid_v2(uuid: *mut [u8; 16], device: c_int) -> c_int;
}

/// The UUID of CUDA's first device, by which Vulkan's is found. Only the driver API gives it alone.
fn cuda_uuid() -> [u8; 16] {
    let mut uuid = [0; 16];
    let results = unsafe { [cuInit(0), cuDeviceGetUuid_v2(&mut uuid, 0)] };
    assert_eq!(results, [0, 0], "CUDA has no device");
    uuid
}

fn main() {
    let device = Device::open(cuda_uuid());
    let shared = device.exported_buffer(SIZE, TRANSFER_SOURCE | TRANSFER_DESTINATION);
    let (results, seen) = device.readable_buffer(SIZE, TRANSFER_DESTINATION);
    let written = device.exported_timeline();
    let scaled = device.exported_timeline();

    // What is Vulkan's, as CUDA sees it.
    let memory = import_memory(device.memory_fd(&shared), SIZE);
    let address = map_memory(memory, 0, SIZE);
    let cuda_written = import_timeline(device.semaphore_fd(written));
    let cuda_scaled = import_timeline(device.semaphore_fd(scaled));

    // The queue's part.
    let numbers: Vec<u32> = (0..COUNT as u32).collect();
    let write = device.record(|commands| {
        update(commands, &shared, &numbers);
        let here = (QUEUE, TRANSFER, TRANSFER_WRITE);
        barrier(commands, &shared, here, (OTHER_API, TRANSFER, NOTHING));
    });
    let fetch = device.record(|commands| {
        let here = (QUEUE, TRANSFER, TRANSFER_READ);
        barrier(commands, &shared, (OTHER_API, TRANSFER, NOTHING), here);
        copy(commands, &shared, &results, SIZE);
        let copied = (QUEUE, TRANSFER, TRANSFER_WRITE);
        barrier(commands, &results, copied, (QUEUE, HOST, HOST_READ));
    });
    device.submit(None, write, Some((written, 1)));
    device.submit(Some((scaled, 1)), fetch, None);

    // The stream's part.
    let mut stream = null_mut();
    need(unsafe { cudaStreamCreate(&mut stream) }, "cudaStreamCreate");
    let (library, kernel) = load_scale();
    runtime::wait(cuda_written, 1, stream);
    launch_scale(kernel, address, COUNT as u32, FACTOR, stream);
    runtime::signal(cuda_scaled, 1, stream);

    device.finish();
    let seen = unsafe { std::slice::from_raw_parts(seen.cast::<u32>(), COUNT) };
    for (i, &number) in seen.iter().enumerate() {
        assert_eq!(number, i as u32 * FACTOR, "number {i} of the buffer");
    }
    println!(
        "Vulkan wrote {COUNT} numbers, CUDA made each {FACTOR} times what it was at {address:?}"
    );

    unsafe {
        need(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
        need(cudaStreamDestroy(stream), "cudaStreamDestroy");
        need(cudaLibraryUnload(library), "cudaLibraryUnload");
        need(cudaDestroyExternalSemaphore(cuda_written), "cudaDestroyExternalSemaphore");
        need(cudaDestroyExternalSemaphore(cuda_scaled), "cudaDestroyExternalSemaphore");
        need(cudaFree(address), "cudaFree");
        need(cudaDestroyExternalMemory(memory), "cudaDestroyExternalMemory");
    }
    device.destroy_semaphore(written);
    device.destroy_semaphore(scaled);
    device.destroy_buffer(shared);
    device.destroy_buffer(results);
}

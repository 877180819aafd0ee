// SPDX-License-Identifier: Apache-2.0
// Two processes share a segment; the second is a CUDA program in Rust that calls libcudart.so.13 by
// its C ABI, without any crate.
//
//   exporter (this process)                    importer (started by it, with --importer)
//   writes 0, 1, 2, ... into the segment
//   leaves it the descriptor ----------------> cudaImportExternalMemory, maps the middle half
//                                              reads it with cudaMemcpy, compares
//                                              launches `scale` from PTX on the mapping
//   reads what the kernel wrote <------------- ends with status 0
//
//   rustc shared_segment.rs -L native=build/release/lib
mod runtime;

use runtime::{
    cudaDestroyExternalMemory, cudaDeviceSynchronize, cudaFree, cudaLibraryUnload, cudaMemcpy,
    import_memory, launch_scale, load_scale, map_memory, need, DEVICE_TO_HOST,
};
use std::ffi::c_void;
use std::os::raw::{c_char, c_int, c_long, c_uint};
use std::process::{exit, Command};
use std::ptr::null_mut;

const SEGMENT: usize = 1 << 20;
const OFFSET: usize = SEGMENT / 4;
const SIZE: usize = SEGMENT / 2;
const FACTOR: u32 = 3;

// --- The segment ---

extern "C" {
    fn memfd_create(name: *const c_char, flags: c_uint) -> c_int;
    fn ftruncate(fd: c_int, size: c_long) -> c_int;
    fn mmap(
        address: *mut c_void,
        size: usize,
        protection: c_int,
        flags: c_int,
        fd: c_int,
        offset: c_long,
    ) -> *mut c_void;
}

/// Makes a segment and maps it here. Its descriptor is inherited by children.
fn make_segment() -> (c_int, &'static mut [u32]) {
    const READ_WRITE: c_int = 3;
    const SHARED: c_int = 1;
    unsafe {
        let fd = memfd_create(b"segment\0".as_ptr().cast(), 0);
        assert!(fd >= 0 && ftruncate(fd, SEGMENT as c_long) == 0, "no segment");
        let place = mmap(null_mut(), SEGMENT, READ_WRITE, SHARED, fd, 0);
        assert!(place as isize != -1, "the segment cannot be mapped");
        (fd, std::slice::from_raw_parts_mut(place.cast(), SEGMENT / 4))
    }
}

// --- The importer ---

fn import_and_work(fd: c_int) {
    let memory = import_memory(fd, SEGMENT);
    let middle = map_memory(memory, OFFSET, SIZE);

    let mut seen = vec![0u32; SIZE / 4];
    let target = seen.as_mut_ptr().cast();
    need(unsafe { cudaMemcpy(target, middle, SIZE, DEVICE_TO_HOST) }, "cudaMemcpy");
    for (i, &value) in seen.iter().enumerate() {
        if value as usize != OFFSET / 4 + i {
            eprintln!("importer: number {i} is {value}, not what the exporter wrote");
            exit(1);
        }
    }

    let (library, kernel) = load_scale();
    launch_scale(kernel, middle, seen.len() as u32, FACTOR, null_mut());
    need(unsafe { cudaDeviceSynchronize() }, "cudaDeviceSynchronize");
    println!("importer: scaled {} numbers at {middle:?}", seen.len());

    need(unsafe { cudaLibraryUnload(library) }, "cudaLibraryUnload");
    need(unsafe { cudaFree(middle) }, "cudaFree");
    need(unsafe { cudaDestroyExternalMemory(memory) }, "cudaDestroyExternalMemory");
}

// --- The exporter ---

fn export_and_check() {
    let (fd, numbers) = make_segment();
    for (i, number) in numbers.iter_mut().enumerate() {
        *number = i as u32;
    }
    let program = std::env::current_exe().expect("this program has a name");
    let status = Command::new(program)
        .args(["--importer", &fd.to_string()])
        .status()
        .expect("the importer starts");
    assert!(status.success(), "the importer failed");
    for (i, &number) in numbers.iter().enumerate() {
        let scaled = (OFFSET / 4..(OFFSET + SIZE) / 4).contains(&i);
        let expected = i as u32 * if scaled { FACTOR } else { 1 };
        assert_eq!(number, expected, "number {i} of the segment");
    }
    println!("exporter: the middle half is {FACTOR} times what it was, the rest is untouched");
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    match arguments.get(1).map(String::as_str) {
        Some("--importer") => import_and_work(arguments[2].parse().expect("a descriptor")),
        _ => export_and_check(),
    }
}

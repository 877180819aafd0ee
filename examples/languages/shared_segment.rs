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
use std::ffi::{c_void, CStr};
use std::os::raw::{c_char, c_int, c_long, c_uint, c_ulonglong};
use std::process::{exit, Command};
use std::ptr::null_mut;

const SEGMENT: usize = 1 << 20;
const OFFSET: usize = SEGMENT / 4;
const SIZE: usize = SEGMENT / 2;
const FACTOR: u32 = 3;
const SCALE: &str = concat!(include_str!("scale.ptx"), "\0");

// --- The runtime API, as far as it is used here: CUDA 13's structs ---

type Stream = *mut c_void;
type Library = *mut c_void;
type Kernel = *mut c_void;
type ExternalMemory = *mut c_void;

const OPAQUE_FD: c_int = 1;
const DEVICE_TO_HOST: c_int = 2;

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
struct HandleDesc {
    kind: c_int,
    handle: Handle,
    size: c_ulonglong,
    flags: c_uint,
    reserved: [c_uint; 16],
}

#[repr(C)]
struct BufferDesc {
    offset: c_ulonglong,
    size: c_ulonglong,
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
    fn cudaImportExternalMemory(memory: *mut ExternalMemory, desc: *const HandleDesc) -> c_int;
    fn cudaExternalMemoryGetMappedBuffer(
        address: *mut *mut c_void,
        memory: ExternalMemory,
        desc: *const BufferDesc,
    ) -> c_int;
    fn cudaDestroyExternalMemory(memory: ExternalMemory) -> c_int;
    fn cudaFree(address: *mut c_void) -> c_int;
    fn cudaMemcpy(to: *mut c_void, from: *const c_void, size: usize, kind: c_int) -> c_int;
    fn cudaDeviceSynchronize() -> c_int;
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
    fn cudaLibraryUnload(library: Library) -> c_int;
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
fn need(error: c_int, call: &str) {
    if error != 0 {
        let text = unsafe { CStr::from_ptr(cudaGetErrorString(error)) };
        eprintln!("importer: {call}: {}", text.to_string_lossy());
        exit(1);
    }
}

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
    unsafe {
        let mut memory = null_mut();
        let handle = HandleDesc {
            kind: OPAQUE_FD,
            handle: Handle { fd },
            size: SEGMENT as c_ulonglong,
            flags: 0,
            reserved: [0; 16],
        };
        need(cudaImportExternalMemory(&mut memory, &handle), "cudaImportExternalMemory");
        let mut middle = null_mut();
        let range = BufferDesc {
            offset: OFFSET as c_ulonglong,
            size: SIZE as c_ulonglong,
            flags: 0,
            reserved: [0; 16],
        };
        need(
            cudaExternalMemoryGetMappedBuffer(&mut middle, memory, &range),
            "cudaExternalMemoryGetMappedBuffer",
        );

        let mut seen = vec![0u32; SIZE / 4];
        need(cudaMemcpy(seen.as_mut_ptr().cast(), middle, SIZE, DEVICE_TO_HOST), "cudaMemcpy");
        for (i, &value) in seen.iter().enumerate() {
            if value as usize != OFFSET / 4 + i {
                eprintln!("importer: number {i} is {value}, not what the exporter wrote");
                exit(1);
            }
        }

        let mut library = null_mut();
        let mut kernel = null_mut();
        need(
            cudaLibraryLoadData(
                &mut library, SCALE.as_ptr().cast(), null_mut(), null_mut(), 0, null_mut(),
                null_mut(), 0,
            ),
            "cudaLibraryLoadData",
        );
        need(
            cudaLibraryGetKernel(&mut kernel, library, b"scale\0".as_ptr().cast()),
            "cudaLibraryGetKernel",
        );
        let mut count = (SIZE / 4) as u32;
        let mut factor = FACTOR;
        let mut arguments: [*mut c_void; 3] = [
            (&mut middle as *mut *mut c_void).cast(),
            (&mut count as *mut u32).cast(),
            (&mut factor as *mut u32).cast(),
        ];
        let grid = Dim3 { x: (count + 255) / 256, y: 1, z: 1 };
        let block = Dim3 { x: 256, y: 1, z: 1 };
        need(
            cudaLaunchKernel(kernel, grid, block, arguments.as_mut_ptr(), 0, null_mut()),
            "cudaLaunchKernel",
        );
        need(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
        println!("importer: scaled {count} numbers at {middle:?}");

        need(cudaLibraryUnload(library), "cudaLibraryUnload");
        need(cudaFree(middle), "cudaFree");
        need(cudaDestroyExternalMemory(memory), "cudaDestroyExternalMemory");
    }
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

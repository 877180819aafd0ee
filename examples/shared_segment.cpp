// SPDX-License-Identifier: Apache-2.0
// Two processes share a segment. The exporter made it and uses it as it is; the importer gets a
// file descriptor, imports it as external memory of a CUDA device, maps it twice so that the
// mappings overlap, and works on it in two ordered streams.
//
// clang-format off
//   exporter (this process)                   importer (started by it, with --importer)
//   writes 0, 1, 2, ... into the segment
//   sends the descriptor -------------------> imports it, maps `whole` and `middle`
//                                             stream fill: middle = 7..., then event `filled`
//                                             stream copy: waits for it, copies from `whole`
//   reads what the device wrote <------------ says that it is done
// clang-format on
#include <cuda.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <string>
#include <vector>

#include "examples/exported_memory.hpp"
#include "examples/need.hpp"

extern char** environ;

namespace {

constexpr size_t segment_size = 1 << 20;
constexpr size_t middle_offset = segment_size / 4, middle_size = segment_size / 2;
constexpr uint32_t mark = 7;

[[noreturn]] void fail(const char* what) {
  std::perror(what);
  std::exit(1);
}

// --- Sending a descriptor through a socket ---

void send_descriptor(int socket, int fd) {
  char byte = 'd', control[CMSG_SPACE(sizeof fd)] = {};
  iovec data{&byte, 1};
  msghdr message{};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  cmsghdr* header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof fd);
  std::memcpy(CMSG_DATA(header), &fd, sizeof fd);
  if (sendmsg(socket, &message, 0) != 1) fail("sendmsg");
}

int receive_descriptor(int socket) {
  char byte, control[CMSG_SPACE(sizeof(int))];
  iovec data{&byte, 1};
  msghdr message{};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  if (recvmsg(socket, &message, MSG_CMSG_CLOEXEC) != 1) fail("recvmsg");
  int fd;
  std::memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof fd);
  return fd;
}

// --- The importer: a CUDA program ---

CUdeviceptr map(CUexternalMemory memory, size_t offset, size_t size) {
  CUDA_EXTERNAL_MEMORY_BUFFER_DESC description;
  std::memset(&description, 0, sizeof description);
  description.offset = offset;
  description.size = size;
  CUdeviceptr address;
  NEED(cuExternalMemoryGetMappedBuffer(&address, memory, &description));
  return address;
}

void print_mapping(const char* name, CUdeviceptr address, size_t offset, size_t size) {
  std::printf("  %-8s 0x%012llx .. 0x%012llx   bytes %7zu .. %7zu of the segment\n", name, address,
              address + size, offset, offset + size);
}

// What ran, in that order: host functions write it down, and they are commands like all others.
struct Note {
  const char* what;
  std::atomic<int>* clock;
  int time;
};
void take_note(void* data) {
  auto* note = static_cast<Note*>(data);
  note->time = note->clock->fetch_add(1);
}

int import_and_work(int socket) {
  CUdevice device;
  CUcontext context;
  char name[64];
  NEED(cuInit(0));
  NEED(cuDeviceGet(&device, 0));
  NEED(cuDeviceGetName(name, sizeof name, device));
  NEED(cuDevicePrimaryCtxRetain(&context, device));
  NEED(cuCtxSetCurrent(context));
  std::printf("importer: device 0 is %s\n", name);

  CUDA_EXTERNAL_MEMORY_HANDLE_DESC description;
  std::memset(&description, 0, sizeof description);
  description.type = CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD;
  description.handle.fd = receive_descriptor(socket);
  description.size = segment_size;
  CUexternalMemory memory;
  NEED(cuImportExternalMemory(&memory, &description));  // the descriptor is the driver's now

  const CUdeviceptr whole = map(memory, 0, segment_size);
  const CUdeviceptr middle = map(memory, middle_offset, middle_size);
  CUdeviceptr own;
  NEED(cuMemAlloc(&own, segment_size));
  std::printf("importer: the address map\n");
  print_mapping("whole", whole, 0, segment_size);
  print_mapping("middle", middle, middle_offset, middle_size);
  std::printf("  %-8s 0x%012llx .. 0x%012llx   memory of the device itself\n", "own", own,
              own + segment_size);

  // Two addresses of one byte: what is written through `middle` is read through `whole`.
  uint32_t before, after;
  NEED(cuMemcpyDtoH(&before, whole + middle_offset, sizeof before));
  NEED(cuMemsetD32(middle, 0xabcd, 1));
  NEED(cuMemcpyDtoH(&after, whole + middle_offset, sizeof after));
  std::printf("importer: aliases: 0x%llx read %" PRIu32
              ", then 0x%x was written at 0x%llx, then it read 0x%x\n",
              whole + middle_offset, before, 0xabcd, middle, after);

  CUstream fill, copy;
  CUevent filled;
  NEED(cuStreamCreate(&fill, CU_STREAM_NON_BLOCKING));
  NEED(cuStreamCreate(&copy, CU_STREAM_NON_BLOCKING));
  NEED(cuEventCreate(&filled, CU_EVENT_DISABLE_TIMING));
  std::atomic<int> clock{0};
  Note notes[] = {{"fill: middle holds 7s", &clock, -1},
                  {"copy: waited for event `filled`", &clock, -1},
                  {"copy: copied from whole to own", &clock, -1}};
  // Submitted in this order; without the event the two streams could run in any order.
  NEED(cuMemsetD32Async(middle, mark, middle_size / 4, fill));
  NEED(cuLaunchHostFunc(fill, take_note, &notes[0]));
  NEED(cuEventRecord(filled, fill));
  NEED(cuStreamWaitEvent(copy, filled, 0));
  NEED(cuLaunchHostFunc(copy, take_note, &notes[1]));
  NEED(cuMemcpyDtoDAsync(own, whole + middle_offset, middle_size, copy));
  NEED(cuLaunchHostFunc(copy, take_note, &notes[2]));
  NEED(cuStreamSynchronize(copy));
  std::printf("importer: the order in which work ran\n");
  for (int time = 0; time < 3; ++time)
    for (const Note& note : notes)
      if (note.time == time) std::printf("  %d. stream %s\n", time + 1, note.what);

  std::vector<uint32_t> result(middle_size / 4);
  NEED(cuMemcpyDtoH(result.data(), own, middle_size));
  for (const uint32_t value : result) {
    if (value == mark) continue;
    std::fprintf(stderr, "importer: found %" PRIu32 " in the copy, not %" PRIu32 "\n", value, mark);
    return 1;
  }

  NEED(cuMemFree(own));
  NEED(cuMemFree(middle));
  NEED(cuDestroyExternalMemory(memory));  // before or after the mappings are freed: both are fine
  NEED(cuMemFree(whole));
  NEED(cuEventDestroy(filled));
  NEED(cuStreamDestroy(fill));
  NEED(cuStreamDestroy(copy));
  NEED(cuDevicePrimaryCtxRelease(device));
  return 0;
}

// --- The exporter ---

pid_t start_importer(const char* program, int socket) {
  std::string number = std::to_string(socket);
  const char* arguments[] = {program, "--importer", number.c_str(), nullptr};
  pid_t child;
  if (posix_spawn(&child, "/proc/self/exe", nullptr, nullptr, const_cast<char**>(arguments),
                  environ) != 0)
    fail("posix_spawn");
  return child;
}

int export_and_check(const char* program) {
  ExportedMemory segment(segment_size);
  std::printf("exporter: a segment of %zu bytes, %s\n", segment_size, ExportedMemory::kind);
  std::vector<uint32_t> numbers(segment_size / 4);
  std::iota(numbers.begin(), numbers.end(), 0u);
  segment.write(0, numbers.data(), segment_size);
  std::fflush(stdout);

  int sockets[2];
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) != 0) fail("socketpair");
  const pid_t importer = start_importer(program, sockets[1]);
  close(sockets[1]);
  const int fd = segment.fd();
  send_descriptor(sockets[0], fd);
  close(fd);
  int status;
  if (waitpid(importer, &status, 0) != importer || status != 0) {
    std::fprintf(stderr, "exporter: the importer failed\n");
    return 1;
  }

  segment.read(0, numbers.data(), segment_size);
  for (size_t i = 0; i < numbers.size(); ++i) {
    const size_t byte = 4 * i;
    const bool in_middle = byte >= middle_offset && byte < middle_offset + middle_size;
    const auto expected = in_middle ? mark : static_cast<uint32_t>(i);
    if (numbers[i] == expected) continue;
    std::fprintf(stderr, "exporter: word %zu is %" PRIu32 ", not %" PRIu32 "\n", i, numbers[i],
                 expected);
    return 1;
  }
  std::printf("exporter: words %zu to %zu are %" PRIu32
              " now, the others are as they were: the same memory\n",
              middle_offset / 4, (middle_offset + middle_size) / 4 - 1, mark);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 3 && std::strcmp(argv[1], "--importer") == 0)
    return import_and_work(std::atoi(argv[2]));
  return export_and_check(argv[0]);
}

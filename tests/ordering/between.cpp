// SPDX-License-Identifier: Apache-2.0
// Mistakes that show only if work of one stream comes between two pieces of another's work; being
// late or early is not enough.
#include "tests/ordering/ordering.hpp"

// A record is updated in two steps while a copy of it is taken. It is consistent only before and
// after both steps.
int takes_a_snapshot_between_two_halves(Form form) {
  const Program program;
  const CUstream update = new_stream(), watch = new_stream();
  const CUdeviceptr record = new_memory(1), snapshot = new_memory(0);
  NEED(cuMemsetD8Async(record, 2, size / 2, update));
  NEED(cuMemsetD8Async(record + size / 2, 2, size / 2, update));
  if (form == Form::right) order(update, watch);
  NEED(cuMemcpyDtoDAsync(snapshot, record, size, watch));
  uint8_t* const host = new_pinned(0);
  NEED(cuCtxSynchronize());
  NEED(cuMemcpyDtoH(host, snapshot, size));
  return verdict("the second half", host[size - 1], host[0]);
}

// The same, with an event recorded between the steps.
int waits_for_the_first_half(Form form) {
  const Program program;
  const CUstream update = new_stream(), watch = new_stream();
  const CUdeviceptr record = new_memory(1), snapshot = new_memory(0);
  const CUevent updated = new_event();
  NEED(cuMemsetD8Async(record, 2, size / 2, update));
  if (form == Form::wrong) NEED(cuEventRecord(updated, update));
  NEED(cuMemsetD8Async(record + size / 2, 2, size / 2, update));
  if (form == Form::right) NEED(cuEventRecord(updated, update));
  NEED(cuStreamWaitEvent(watch, updated, 0));
  NEED(cuMemcpyDtoDAsync(snapshot, record, size, watch));
  return finds("the snapshot", snapshot, 2);
}

// A mailbox: the letter is written first, then the flag. A reader that takes them in this order,
// too, and without a wait in between, can find a flag that is newer than the letter.
int reads_the_letter_before_the_flag(Form form) {
  const Program program;
  const CUstream sender = new_stream(), receiver = new_stream();
  const CUdeviceptr letter = new_memory(1), flag = new_memory(0);
  const CUdeviceptr got_letter = new_memory(0), got_flag = new_memory(0);
  NEED(cuMemsetD8Async(letter, 7, size, sender));
  NEED(cuMemsetD8Async(flag, 1, size, sender));
  if (form == Form::right) order(sender, receiver);
  NEED(cuMemcpyDtoDAsync(got_letter, letter, size, receiver));
  NEED(cuMemcpyDtoDAsync(got_flag, flag, size, receiver));
  uint8_t* const host = new_pinned(0);
  NEED(cuCtxSynchronize());
  NEED(cuMemcpyDtoH(host, got_flag, size));
  if (host[0] == 0) return 0;  // no letter yet
  NEED(cuMemcpyDtoH(host, got_letter, size));
  return verdict("the letter", host[0], 7);
}

// A booking consists of two host functions; an audit is a third one in another stream.
int audits_between_two_bookings(Form form) {
  const Program program;
  const CUstream bookings = new_stream(), audits = new_stream();
  struct Bank {
    int one = 100, other = 0, sum = 0;
  };
  static Bank bank;
  // The context calls its host functions one at a time.
  NEED(cuLaunchHostFunc(
      bookings, [](void* data) { static_cast<Bank*>(data)->one -= 40; }, &bank));
  NEED(cuLaunchHostFunc(
      bookings, [](void* data) { static_cast<Bank*>(data)->other += 40; }, &bank));
  if (form == Form::right) order(bookings, audits);
  NEED(cuLaunchHostFunc(
      audits,
      [](void* data) {
        auto* const it = static_cast<Bank*>(data);
        it->sum = it->one + it->other;
      },
      &bank));
  NEED(cuCtxSynchronize());
  return verdict("the bank", bank.sum, 100);
}

// Two buffers, and a third place that says which one is in front. The painter does not wait: it may
// go on between the choice of a buffer and its display.
int reads_the_front_buffer_while_it_is_swapped(Form form) {
  const Program program;
  const CUstream painter = new_stream(), screen = new_stream();
  struct Chain {
    uint8_t front = 0, buffers[2] = {0, 0}, chosen = 0, shown = 0, wanted = 0;
  };
  static Chain chain;
  const auto paint = [](void* data) {
    auto* const it = static_cast<Chain*>(data);
    const uint8_t back = 1 - it->front;
    it->buffers[back] = it->buffers[it->front] + 1;
  };
  const auto swap = [](void* data) {
    auto* const it = static_cast<Chain*>(data);
    it->front = 1 - it->front;
  };
  const auto choose = [](void* data) {
    auto* const it = static_cast<Chain*>(data);
    it->chosen = it->front;
    it->wanted = it->buffers[it->chosen];
  };
  const auto show = [](void* data) {
    auto* const it = static_cast<Chain*>(data);
    it->shown = it->buffers[it->chosen];
  };
  for (int frame = 0; frame < 2; ++frame) {
    NEED(cuLaunchHostFunc(painter, paint, &chain));
    NEED(cuLaunchHostFunc(painter, swap, &chain));
  }
  if (form == Form::right) order(painter, screen);
  NEED(cuLaunchHostFunc(screen, choose, &chain));
  NEED(cuLaunchHostFunc(screen, show, &chain));
  NEED(cuCtxSynchronize());
  return verdict("the front buffer", chain.shown, chain.wanted);
}

// The sum of two copies of the same number, taken one after the other.
int compares_two_readings(Form form) {
  const Program program;
  const CUstream writer = new_stream(), reader = new_stream();
  const CUdeviceptr number = new_memory(1), first = new_memory(0), second = new_memory(0);
  NEED(cuMemsetD8Async(number, 2, size, writer));
  if (form == Form::right) order(writer, reader);
  NEED(cuMemcpyDtoDAsync(first, number, size, reader));
  NEED(cuMemcpyDtoDAsync(second, number, size, reader));
  uint8_t one = 0, other = 0;
  NEED(cuCtxSynchronize());
  NEED(cuMemcpyDtoH(&one, first, 1));
  NEED(cuMemcpyDtoH(&other, second, 1));
  return verdict("the second reading", other, one);
}

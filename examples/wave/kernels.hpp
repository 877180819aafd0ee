// SPDX-License-Identifier: Apache-2.0
// The kernels that move the water, in PTX: what compilers make of CUDA C++, and what the driver
// compiles for the GPU that is there. One thread for each cell.
//
// Each operation says how it is rounded, so nobody may contract two into one, and a processor that
// does the same gets the same bits.
#pragma once

namespace wave {

inline constexpr const char* kernels = R"(
.version 6.4
.target sm_75
.address_size 64

// step(next, current, walls, width, height, speed_squared, kept)
//
// The wave equation: what lies below the average of its neighbours is pulled up, what lies above it
// is pulled down. `next` holds the heights of one step earlier until they are overwritten.
//   next = current + kept * (current - next) + speed_squared * (sum of neighbours - 4 * current)
.visible .entry step(.param .u64 next, .param .u64 current, .param .u64 walls, .param .u32 width,
                     .param .u32 height, .param .f32 speed_squared, .param .f32 kept)
{
  .reg .pred %outside, %stone;
  .reg .b32 %x, %y, %width, %height, %index, %a, %b;
  .reg .b64 %next, %current, %wall, %row, %byte, %neighbour;
  .reg .f32 %here, %left, %right, %above, %below, %across, %along, %bend, %before, %motion;
  .reg .f32 %speed_squared, %kept;

  ld.param.u32 %width, [width];
  ld.param.u32 %height, [height];
  mov.u32 %a, %ctaid.x;
  mov.u32 %b, %ntid.x;
  mov.u32 %x, %tid.x;
  mad.lo.u32 %x, %a, %b, %x;
  mov.u32 %a, %ctaid.y;
  mov.u32 %b, %ntid.y;
  mov.u32 %y, %tid.y;
  mad.lo.u32 %y, %a, %b, %y;
  setp.ge.u32 %outside, %x, %width;
  @%outside ret;
  setp.ge.u32 %outside, %y, %height;
  @%outside ret;

  // Stone does not move. All outermost cells are stone, so from here on there are four neighbours.
  mad.lo.u32 %index, %y, %width, %x;
  ld.param.u64 %wall, [walls];
  cvt.u64.u32 %byte, %index;
  add.u64 %wall, %wall, %byte;
  ld.global.u8 %a, [%wall];
  setp.ne.u32 %stone, %a, 0;
  @%stone ret;

  ld.param.u64 %next, [next];
  ld.param.u64 %current, [current];
  mul.wide.u32 %byte, %index, 4;
  add.u64 %next, %next, %byte;
  add.u64 %current, %current, %byte;
  ld.global.f32 %here, [%current];
  ld.global.f32 %before, [%next];

  // A neighbour of stone is as high as this cell: a wall gives way to nothing, so waves come back.
  ld.global.f32 %left, [%current+-4];
  ld.global.u8 %a, [%wall+-1];
  setp.ne.u32 %stone, %a, 0;
  selp.f32 %left, %here, %left, %stone;
  ld.global.f32 %right, [%current+4];
  ld.global.u8 %a, [%wall+1];
  setp.ne.u32 %stone, %a, 0;
  selp.f32 %right, %here, %right, %stone;
  cvt.u64.u32 %row, %width;
  sub.u64 %neighbour, %wall, %row;
  ld.global.u8 %a, [%neighbour];
  add.u64 %neighbour, %wall, %row;
  ld.global.u8 %b, [%neighbour];
  shl.b64 %row, %row, 2;
  sub.u64 %neighbour, %current, %row;
  ld.global.f32 %above, [%neighbour];
  setp.ne.u32 %stone, %a, 0;
  selp.f32 %above, %here, %above, %stone;
  add.u64 %neighbour, %current, %row;
  ld.global.f32 %below, [%neighbour];
  setp.ne.u32 %stone, %b, 0;
  selp.f32 %below, %here, %below, %stone;

  add.rn.f32 %across, %left, %right;
  add.rn.f32 %along, %above, %below;
  add.rn.f32 %bend, %across, %along;
  fma.rn.f32 %bend, %here, 0fC0800000, %bend;  // -4
  sub.rn.f32 %motion, %here, %before;
  ld.param.f32 %kept, [kept];
  ld.param.f32 %speed_squared, [speed_squared];
  fma.rn.f32 %motion, %motion, %kept, %here;
  fma.rn.f32 %bend, %bend, %speed_squared, %motion;
  st.global.f32 [%next], %bend;
  ret;
}

// drop(current, previous, walls, width, height, drop_x, drop_y, closeness, drop_height)
//
// With q, the squared distance from the drop times `closeness`, 1 at its edge:
//   (1 - q) * (1 - q) * (1 - 4 * q) * drop_height
// is added to the heights of this step and of the one before: the water is at rest, but not level.
.visible .entry drop(.param .u64 current, .param .u64 previous, .param .u64 walls,
                     .param .u32 width, .param .u32 height, .param .f32 drop_x,
                     .param .f32 drop_y, .param .f32 closeness, .param .f32 drop_height)
{
  .reg .pred %outside;
  .reg .b32 %x, %y, %width, %height, %index, %a, %b;
  .reg .b64 %current, %previous, %wall, %byte;
  .reg .f32 %right, %down, %q, %inside, %shape, %slope, %centre, %before, %drop_height;

  ld.param.u32 %width, [width];
  ld.param.u32 %height, [height];
  mov.u32 %a, %ctaid.x;
  mov.u32 %b, %ntid.x;
  mov.u32 %x, %tid.x;
  mad.lo.u32 %x, %a, %b, %x;
  mov.u32 %a, %ctaid.y;
  mov.u32 %b, %ntid.y;
  mov.u32 %y, %tid.y;
  mad.lo.u32 %y, %a, %b, %y;
  setp.ge.u32 %outside, %x, %width;
  @%outside ret;
  setp.ge.u32 %outside, %y, %height;
  @%outside ret;
  mad.lo.u32 %index, %y, %width, %x;
  ld.param.u64 %wall, [walls];
  cvt.u64.u32 %byte, %index;
  add.u64 %wall, %wall, %byte;
  ld.global.u8 %a, [%wall];
  setp.ne.u32 %outside, %a, 0;
  @%outside ret;

  cvt.rn.f32.u32 %right, %x;
  ld.param.f32 %centre, [drop_x];
  sub.rn.f32 %right, %right, %centre;
  cvt.rn.f32.u32 %down, %y;
  ld.param.f32 %centre, [drop_y];
  sub.rn.f32 %down, %down, %centre;
  mul.rn.f32 %q, %down, %down;
  fma.rn.f32 %q, %right, %right, %q;
  ld.param.f32 %centre, [closeness];
  mul.rn.f32 %q, %q, %centre;
  setp.ge.f32 %outside, %q, 0f3F800000;  // 1
  @%outside ret;

  sub.rn.f32 %inside, 0f3F800000, %q;
  mul.rn.f32 %shape, %inside, %inside;
  fma.rn.f32 %slope, %q, 0fC0800000, 0f3F800000;  // 1 - 4 * q
  mul.rn.f32 %shape, %shape, %slope;
  ld.param.f32 %drop_height, [drop_height];
  ld.param.u64 %current, [current];
  ld.param.u64 %previous, [previous];
  mul.wide.u32 %byte, %index, 4;
  add.u64 %current, %current, %byte;
  add.u64 %previous, %previous, %byte;
  ld.global.f32 %before, [%current];
  fma.rn.f32 %before, %shape, %drop_height, %before;
  st.global.f32 [%current], %before;
  ld.global.f32 %before, [%previous];
  fma.rn.f32 %before, %shape, %drop_height, %before;
  st.global.f32 [%previous], %before;
  ret;
}

// write(image, current, walls, width, height, stone)
//
// Writes the heights into the image that Vulkan draws, `stone` where there is stone. An image has
// its own order of pixels, which the surface object knows.
.visible .entry write(.param .u64 image, .param .u64 current, .param .u64 walls, .param .u32 width,
                      .param .u32 height, .param .f32 stone)
{
  .reg .pred %outside, %stone;
  .reg .b32 %x, %y, %width, %height, %index, %a, %b;
  .reg .b64 %image, %current, %wall, %byte;
  .reg .f32 %here, %instead;

  ld.param.u32 %width, [width];
  ld.param.u32 %height, [height];
  mov.u32 %a, %ctaid.x;
  mov.u32 %b, %ntid.x;
  mov.u32 %x, %tid.x;
  mad.lo.u32 %x, %a, %b, %x;
  mov.u32 %a, %ctaid.y;
  mov.u32 %b, %ntid.y;
  mov.u32 %y, %tid.y;
  mad.lo.u32 %y, %a, %b, %y;
  setp.ge.u32 %outside, %x, %width;
  @%outside ret;
  setp.ge.u32 %outside, %y, %height;
  @%outside ret;
  mad.lo.u32 %index, %y, %width, %x;
  ld.param.u64 %wall, [walls];
  cvt.u64.u32 %byte, %index;
  add.u64 %wall, %wall, %byte;
  ld.global.u8 %a, [%wall];
  setp.ne.u32 %stone, %a, 0;

  ld.param.u64 %current, [current];
  mul.wide.u32 %byte, %index, 4;
  add.u64 %current, %current, %byte;
  ld.global.f32 %here, [%current];
  ld.param.f32 %instead, [stone];
  selp.f32 %here, %instead, %here, %stone;
  ld.param.u64 %image, [image];
  shl.b32 %x, %x, 2;  // surfaces count bytes to the right
  mov.b32 %a, %here;
  sust.b.2d.b32.trap [%image, {%x, %y}], {%a};
  ret;
}
)";

}  // namespace wave

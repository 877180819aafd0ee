// SPDX-License-Identifier: Apache-2.0
// Sends frames from Vulkan to CUDA and on to Vulkan by libavutil alone. FFmpeg's own filters go the
// first half of this way only: hwupload takes CUDA's frames to Vulkan where the vendor of Vulkan's
// device is NVIDIA.
//
//   ffmpeg_frames cuda|vulkan FORMAT WIDTH HEIGHT in.yuv out.yuv
//
// The first word says which device is derived from the other. The frames come out as they went in.
#include <libavutil/hwcontext.h>
#include <libavutil/imgutils.h>
#include <libavutil/pixdesc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { IN_FLIGHT = 3 };  // Later frames use the images and semaphores of earlier ones again.

static void need(int result, const char* what) {
  if (result >= 0) return;
  fprintf(stderr, "%s: %s\n", what, av_err2str(result));
  exit(1);
}

static AVBufferRef* pool_of(AVBufferRef* device, enum AVPixelFormat format, const AVFrame* like) {
  AVBufferRef* const pool = av_hwframe_ctx_alloc(device);
  AVHWFramesContext* const frames = (AVHWFramesContext*)pool->data;
  frames->format = format;
  frames->sw_format = like->format;
  frames->width = like->width;
  frames->height = like->height;
  need(av_hwframe_ctx_init(pool), av_get_pix_fmt_name(format));
  return pool;
}

// Returns a frame of the pool with what is in `source`.
static AVFrame* copied(const AVFrame* source, AVBufferRef* pool) {
  AVFrame* const frame = av_frame_alloc();
  need(av_hwframe_get_buffer(pool, frame, 0), "av_hwframe_get_buffer");
  need(av_hwframe_transfer_data(frame, source, 0), "av_hwframe_transfer_data");
  return frame;
}
// The same, and frees `source`: what is yet to be done with it goes on.
static AVFrame* moved(AVFrame* source, AVBufferRef* pool) {
  AVFrame* const frame = copied(source, pool);
  av_frame_free(&source);
  return frame;
}

static AVFrame* in_memory(const AVFrame* like) {
  AVFrame* const frame = av_frame_alloc();
  frame->format = like->format;
  frame->width = like->width;
  frame->height = like->height;
  need(av_frame_get_buffer(frame, 0), "av_frame_get_buffer");
  return frame;
}

int main(int argc, char** argv) {
  FILE* const in = argc == 7 ? fopen(argv[5], "rb") : NULL;
  FILE* const out = in ? fopen(argv[6], "wb") : NULL;
  if (!out) return 2;
  AVFrame* const like = av_frame_alloc();
  like->format = av_get_pix_fmt(argv[2]);
  like->width = atoi(argv[3]);
  like->height = atoi(argv[4]);

  const int vulkan_first = strcmp(argv[1], "cuda") == 0;
  AVBufferRef *first = NULL, *derived = NULL;
  need(av_hwdevice_ctx_create(
           &first, vulkan_first ? AV_HWDEVICE_TYPE_VULKAN : AV_HWDEVICE_TYPE_CUDA, NULL, NULL, 0),
       "av_hwdevice_ctx_create");
  need(av_hwdevice_ctx_create_derived(
           &derived, vulkan_first ? AV_HWDEVICE_TYPE_CUDA : AV_HWDEVICE_TYPE_VULKAN, first, 0),
       "av_hwdevice_ctx_create_derived");
  AVBufferRef* const vulkan = vulkan_first ? first : derived;
  AVBufferRef* there = pool_of(vulkan, AV_PIX_FMT_VULKAN, like);
  AVBufferRef* cuda = pool_of(vulkan_first ? derived : first, AV_PIX_FMT_CUDA, like);
  AVBufferRef* back = pool_of(vulkan, AV_PIX_FMT_VULKAN, like);

  const int size = av_image_get_buffer_size(like->format, like->width, like->height, 1);
  need(size, "av_image_get_buffer_size");
  uint8_t* const bytes = malloc(size);
  for (int count = IN_FLIGHT; count == IN_FLIGHT;) {
    // Vulkan reads memory of the host in place, and later: FFmpeg 5.1 does not keep it until then.
    AVFrame *sources[IN_FLIGHT], *frames[IN_FLIGHT];
    for (count = 0; count < IN_FLIGHT && fread(bytes, size, 1, in) == 1; ++count) {
      uint8_t* planes[4];
      int pitches[4];
      av_image_fill_arrays(planes, pitches, bytes, like->format, like->width, like->height, 1);
      AVFrame* const source = sources[count] = in_memory(like);
      av_image_copy(source->data, source->linesize, (const uint8_t**)planes, pitches, like->format,
                    like->width, like->height);
      frames[count] = moved(moved(copied(source, there), cuda), back);
    }
    for (int i = 0; i < count; ++i) {
      AVFrame* result = in_memory(like);
      need(av_hwframe_transfer_data(result, frames[i], 0), "av_hwframe_transfer_data");
      av_image_copy_to_buffer(bytes, size, (const uint8_t* const*)result->data, result->linesize,
                              like->format, like->width, like->height, 1);
      if (fwrite(bytes, size, 1, out) != 1) return 1;
      av_frame_free(&result);
      av_frame_free(&frames[i]);
      av_frame_free(&sources[i]);
    }
  }
  free(bytes);
  av_buffer_unref(&back);
  av_buffer_unref(&cuda);
  av_buffer_unref(&there);
  av_buffer_unref(&derived);
  av_buffer_unref(&first);
  fclose(in);
  return fclose(out) == 0 ? 0 : 1;
}

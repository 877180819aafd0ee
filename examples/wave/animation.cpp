// SPDX-License-Identifier: Apache-2.0
#include "examples/wave/animation.hpp"

#include <webp/encode.h>
#include <webp/mux.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>

namespace wave {
namespace {

void need(bool succeeded) {
  if (succeeded) return;
  std::fprintf(stderr, "wave: libwebp cannot encode the animation\n");
  std::exit(1);
}

}  // namespace

Animation::Animation(int width, int height, int frames_per_second, int quality)
    : frames_per_second_(frames_per_second), quality_(quality) {
  WebPAnimEncoderOptions options;
  need(WebPAnimEncoderOptionsInit(&options));
  options.anim_params.loop_count = 0;  // for ever
  // Water moves everywhere, so there is nothing to gain from what two frames have in common.
  options.kmin = 0;
  options.kmax = 1;
  encoder_ = WebPAnimEncoderNew(width, height, &options);
  need(encoder_);
}

Animation::~Animation() { WebPAnimEncoderDelete(encoder_); }

void Animation::add(const Picture& picture) {
  WebPConfig config;
  need(WebPConfigInit(&config));
  config.quality = static_cast<float>(quality_);
  config.method = 2;  // rather quick than small
  if (quality_ == 100) need(WebPConfigLosslessPreset(&config, 0));

  WebPPicture frame;
  need(WebPPictureInit(&frame));
  frame.width = picture.width();
  frame.height = picture.height();
  frame.use_argb = 1;
  need(WebPPictureImportRGB(&frame, picture.at(0, 0), 3 * picture.width()));
  need(WebPAnimEncoderAdd(encoder_, &frame, time(), &config));
  WebPPictureFree(&frame);
  ++frames_;
}

bool Animation::write(const std::string& file) {
  need(WebPAnimEncoderAdd(encoder_, nullptr, time(), nullptr));  // when the last frame ends
  WebPData data;
  WebPDataInit(&data);
  need(WebPAnimEncoderAssemble(encoder_, &data));
  std::ofstream out(file, std::ios::binary);
  out.write(reinterpret_cast<const char*>(data.bytes), static_cast<std::streamsize>(data.size));
  WebPDataClear(&data);
  return static_cast<bool>(out.flush());
}

}  // namespace wave

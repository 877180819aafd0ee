// SPDX-License-Identifier: Apache-2.0
#include "examples/picture.hpp"

#include <png.h>

bool write_png(const Picture& picture, const std::string& file) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(picture.width());
  image.height = static_cast<png_uint_32>(picture.height());
  image.format = PNG_FORMAT_RGB;
  return png_image_write_to_file(&image, file.c_str(), 0, picture.at(0, 0), 0, nullptr) != 0;
}

Picture read_png(const std::string& file) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  if (!png_image_begin_read_from_file(&image, file.c_str())) return {0, 0};
  image.format = PNG_FORMAT_RGB;
  Picture picture(static_cast<int>(image.width), static_cast<int>(image.height));
  if (!png_image_finish_read(&image, nullptr, picture.at(0, 0), 0, nullptr)) return {0, 0};
  return picture;
}

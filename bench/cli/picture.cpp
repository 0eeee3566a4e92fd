#include "bench/cli/picture.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>
#include <memory>
#include <stdexcept>

#include <stb/stb_image.h>
#include <stb/stb_image_write.h>

namespace switchyard::cli {
namespace {

// A contiguous u8 image for viewing.
Image to_bytes(const ConstView &image) {
  Image bytes(image.shape, Dtype::u8, image.rank);
  const auto *values = static_cast<const float *>(image.data);
  float low = std::numeric_limits<float>::infinity();
  float high = -low;
  for (std::int64_t i = 0; i < image.elements(); ++i) {
    if (std::isfinite(values[i])) {
      low = std::min(low, values[i]);
      high = std::max(high, values[i]);
    }
  }
  const float scale = high > low ? 255.0F / (high - low) : 0.0F;
  for (std::int64_t i = 0; i < image.elements(); ++i) {
    const float level = (values[i] - low) * scale;
    // Written so that NaN becomes 0.
    bytes.data<std::uint8_t>()[i] =
        level > 0 ? static_cast<std::uint8_t>(std::min(level, 255.0F)) : std::uint8_t{0};
  }
  return bytes;
}

} // namespace

Image read_picture(const std::string &file) {
  int width = 0;
  int height = 0;
  int channels = 0;
  const std::unique_ptr<stbi_uc, decltype(&stbi_image_free)> pixels(
      stbi_load(file.c_str(), &width, &height, &channels, 0), stbi_image_free);
  if (!pixels) {
    throw std::runtime_error(file + ": " + stbi_failure_reason());
  }
  Image image({1, height, width, channels}, Dtype::u8);
  std::memcpy(image.data<std::uint8_t>(), pixels.get(),
              static_cast<std::size_t>(image.view().elements()));
  return image;
}

void write_picture(const std::string &file, const ConstView &image) {
  if (image.dtype == Dtype::f32) {
    write_picture(file, to_bytes(image).view());
    return;
  }
  const auto width = static_cast<int>(image.shape[kW]);
  // Through a stream of our own: stb's does not say when a disk is full.
  std::ofstream stream(file, std::ios::binary | std::ios::trunc);
  const auto append = [](void *to, void *data, int size) {
    static_cast<std::ofstream *>(to)->write(static_cast<const char *>(data), size);
  };
  const bool encoded =
      image.channels() <= 4 &&
      stbi_write_png_to_func(append, &stream, width, static_cast<int>(image.shape[kH]),
                             static_cast<int>(image.channels()), image.data,
                             width * static_cast<int>(image.channels())) != 0;
  stream.close();
  if (!encoded || !stream) {
    throw std::runtime_error(file + ": cannot write a PNG file");
  }
}

} // namespace switchyard::cli

// Pictures in files: 8-bit PNG and JPEG in, PNG out.
#pragma once

#include <string>

#include "switchyard/image.hpp"

namespace switchyard::cli {

// An H × W × C u8 image with the channels of the file (1 to 4). Throws std::runtime_error that
// names the file.
[[nodiscard]] Image read_picture(const std::string &file);

// Writes u8 pixels of 1 to 4 channels. f32 images are mapped from [low, high], their least and
// largest finite values, to [0, 255] first. Throws std::runtime_error that names the file.
void write_picture(const std::string &file, const ConstView &image);

} // namespace switchyard::cli

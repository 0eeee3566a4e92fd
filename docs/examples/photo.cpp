// Applies routed ops to a photograph, writes the results as PNG files, and shows for each op which
// candidate ran and what the alternatives would have taken.
//
//   photo IMAGE FOLDER
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <stb/stb_image.h>
#include <stb/stb_image_write.h>

#include <switchyard/switchyard.hpp>

namespace {

namespace sy = switchyard;

using Pixels = std::unique_ptr<std::uint8_t, decltype(&stbi_image_free)>;

// A routed call with its output ready: options go in, pixels come out.
using RoutedCall = std::function<void(const sy::Options &)>;

struct Timing {
  std::string candidate;
  double microseconds = 0;
};

double microseconds_of(const RoutedCall &call, const sy::Options &options) {
  const auto start = std::chrono::steady_clock::now();
  call(options);
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start)
      .count();
}

// Median times, fastest first. Candidates take turns, and each is run once untimed before its turn,
// so that none gains from what its forerunner left in the caches.
std::vector<Timing> time_alternatives(const RoutedCall &call, std::string_view variant) {
  constexpr std::size_t kRounds = 21;
  std::vector<sy::Options> options;
  std::vector<std::vector<double>> times;
  for (const std::string_view candidate : sy::candidates_of(variant)) {
    sy::Options pinned;
    pinned.candidate = candidate;
    try {
      call(pinned);
    } catch (const sy::Error &) {
      continue; // outside this candidate's domain
    }
    options.push_back(pinned);
  }
  times.resize(options.size());
  for (std::size_t round = 0; round < kRounds; ++round) {
    for (std::size_t turn = 0; turn < options.size(); ++turn) {
      const std::size_t i = round % 2 == 0 ? turn : options.size() - 1 - turn;
      call(options[i]);
      times[i].push_back(microseconds_of(call, options[i]));
    }
  }
  std::vector<Timing> timings;
  for (std::size_t i = 0; i < options.size(); ++i) {
    std::nth_element(times[i].begin(), times[i].begin() + kRounds / 2, times[i].end());
    timings.push_back({std::string(options[i].candidate), times[i][kRounds / 2]});
  }
  std::sort(timings.begin(), timings.end(),
            [](const Timing &a, const Timing &b) { return a.microseconds < b.microseconds; });
  return timings;
}

void show(const char *title, const RoutedCall &call) {
  call({});
  const sy::RouteInfo route = sy::last_route();
  std::printf("%-28s %-20s → %s (%s, %d thread%s)\n", title, std::string(route.variant).c_str(),
              std::string(route.candidate).c_str(), std::string(name_of(route.grade)).c_str(),
              route.threads, route.threads == 1 ? "" : "s");
  for (const Timing &timing : time_alternatives(call, route.variant)) {
    std::printf("    %c %-14s %10.1f µs\n", timing.candidate == route.candidate ? '*' : ' ',
                timing.candidate.c_str(), timing.microseconds);
  }
  call({}); // leaves the routed result in the output
}

void write_png(const std::filesystem::path &file, const sy::ConstView &image) {
  const int written = stbi_write_png(
      file.c_str(), static_cast<int>(image.shape[sy::kW]), static_cast<int>(image.shape[sy::kH]),
      static_cast<int>(image.channels()), image.data, static_cast<int>(image.strides[sy::kH]));
  if (written == 0) {
    throw std::runtime_error("cannot write " + file.string());
  }
  std::printf("    wrote %s\n", file.c_str());
}

void run(const char *file, const std::filesystem::path &folder) {
  int width = 0;
  int height = 0;
  int channels_in_file = 0;
  const Pixels pixels(stbi_load(file, &width, &height, &channels_in_file, 3), stbi_image_free);
  if (!pixels) {
    throw std::runtime_error(std::string("cannot read ") + file + ": " + stbi_failure_reason());
  }
  std::filesystem::create_directories(folder);
  const sy::View photo = sy::hwc(pixels.get(), height, width, 3);
  std::printf("%s: %d × %d × 3 u8\n\n", file, height, width);

  const sy::Image bytes(photo.shape, sy::Dtype::u8);
  const auto to_png = [&](const char *name) { write_png(folder / name, bytes); };

  show("tone: 1.08 x − 12",
       [&](const sy::Options &o) { sy::multiply_add(photo, 1.08, -12, bytes, o); });
  to_png("tone.png");

  const std::array<double, 3> warm_gain{1.12, 1.0, 0.85};
  const std::array<double, 3> warm_lift{4, 0, -4};
  show("warm: per channel",
       [&](const sy::Options &o) { sy::multiply_add(photo, warm_gain, warm_lift, bytes, o); });
  to_png("warm.png");

  show("mirror", [&](const sy::Options &o) { sy::hflip(photo, bytes, o); });
  to_png("mirror.png");

  const sy::Image mirrored = sy::hflip(photo);
  show("blend: 0.7 photo + 0.3 mirror",
       [&](const sy::Options &o) { sy::add_weighted(photo, 0.7, mirrored, 0.3, bytes, o); });
  to_png("blend.png");

  std::array<std::uint8_t, 256> invert{};
  for (std::size_t i = 0; i < invert.size(); ++i) {
    invert[i] = static_cast<std::uint8_t>(255 - i);
  }
  const sy::View table = sy::array_1d(invert.data(), 256);
  show("negative: table", [&](const sy::Options &o) { sy::lut(photo, table, bytes, o); });
  to_png("negative.png");

  const std::array<double, 3> mean{123.675, 116.28, 103.53};
  const std::array<double, 3> scale{1 / 58.395, 1 / 57.12, 1 / 57.375};
  const sy::Image normalized(photo.shape, sy::Dtype::f32);
  show("normalise: u8 → f32",
       [&](const sy::Options &o) { sy::normalize(photo, mean, scale, normalized, o); });
  const sy::Image back = sy::multiply_add(normalized, 48, 128); // to see it: f32 around 128
  for (std::int64_t i = 0; i < photo.elements(); ++i) {
    bytes.data<std::uint8_t>()[i] =
        static_cast<std::uint8_t>(std::clamp(back.data<float>()[i], 0.0F, 255.0F));
  }
  to_png("normalized.png");

  std::array<double, 3> means{};
  std::array<double, 3> deviations{};
  show("statistics: per channel", [&](const sy::Options &o) {
    sy::mean_std(photo, sy::hwc(means.data(), 1, 1, 3), sy::hwc(deviations.data(), 1, 1, 3),
                 sy::Over::per_channel, 0, o);
  });
  std::printf("    mean %.3f %.3f %.3f, std %.3f %.3f %.3f\n", means[0], means[1], means[2],
              deviations[0], deviations[1], deviations[2]);
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: photo IMAGE FOLDER\n");
    return 2;
  }
  try {
    run(argv[1], argv[2]);
  } catch (const std::exception &error) {
    std::fprintf(stderr, "photo: %s\n", error.what());
    return 2;
  }
  return 0;
}

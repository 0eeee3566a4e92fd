#include "bench/verify/unseen.hpp"

#include <algorithm>
#include <charconv>
#include <numeric>
#include <stdexcept>
#include <string>

#include <fmt/format.h>

namespace switchyard::verify {
namespace {

using measure::MatrixPoint;
using enum LayoutClass;
using enum OutputMode;

constexpr std::int64_t kMostElements = std::int64_t{1} << 28;

constexpr MatrixPoint point(std::uint8_t rank, const Extents &shape, LayoutClass layout,
                            OutputMode output, bool threaded) {
  MatrixPoint result;
  result.shape = shape;
  result.rank = rank;
  result.layout = layout;
  result.output = output;
  result.budgets = threaded ? measure::Budgets::several : measure::Budgets::one;
  return result;
}

constexpr MatrixPoint image(std::int64_t h, std::int64_t w, std::int64_t c,
                            LayoutClass layout = contiguous, OutputMode output = into) {
  return point(3, {1, h, w, c}, layout, output, false);
}

constexpr MatrixPoint stack(std::int64_t x, std::int64_t h, std::int64_t w, std::int64_t c) {
  return point(4, {x, h, w, c}, contiguous, into, false);
}

constexpr MatrixPoint threaded(std::int64_t h, std::int64_t w, std::int64_t c) {
  return point(3, {1, h, w, c}, contiguous, into, true);
}

// Two of the sizes are square, which no size of the matrix is.
constexpr MatrixPoint kPoints[] = {
    image(37, 53, 3),
    image(100, 333, 3),
    image(227, 227, 3),
    image(333, 517, 3),
    image(512, 512, 3),
    image(719, 1279, 3),
    image(1001, 1501, 3),
    // Channels
    image(37, 53, 1),
    image(227, 227, 1),
    image(719, 1279, 1),
    image(100, 333, 2),
    image(333, 517, 2),
    image(1001, 1501, 2),
    image(37, 53, 5),
    image(333, 517, 5),
    image(1001, 1501, 5),
    // Batches and volumes
    stack(5, 100, 333, 3),
    stack(2, 512, 512, 1),
    stack(24, 37, 53, 1),
    stack(40, 100, 333, 3),
    // Layouts
    image(100, 333, 3, rows),
    image(512, 512, 3, rows),
    image(227, 227, 1, plane),
    image(719, 1279, 1, plane),
    image(100, 333, 3, reversed),
    image(512, 512, 5, reversed),
    image(227, 227, 3, planar),
    image(719, 1279, 3, planar),
    // Output modes
    image(100, 333, 3, contiguous, fresh),
    image(512, 512, 3, contiguous, fresh),
    image(1001, 1501, 3, contiguous, fresh),
    image(37, 53, 3, contiguous, in_place),
    image(333, 517, 3, contiguous, in_place),
    image(719, 1279, 3, contiguous, in_place),
    // Threads
    threaded(333, 517, 3),
    threaded(719, 1279, 3),
    threaded(1001, 1501, 1),
};

[[noreturn]] void refuse(std::string_view shape) {
  throw std::invalid_argument(
      fmt::format("\"{}\": HxWxC or XxHxWxC expected, each at least 1, {} elements at most", shape,
                  kMostElements));
}

// The extents of one shape, in the order given.
std::vector<std::int64_t> extents_of(std::string_view shape) {
  std::vector<std::int64_t> extents;
  std::int64_t elements = 1;
  const char *at = shape.data();
  const char *const end = at + shape.size();
  while (true) {
    std::int64_t extent = 0;
    const auto [next, error] = std::from_chars(at, end, extent);
    if (error != std::errc() || extent < 1 || extent > kMostElements / elements) {
      refuse(shape);
    }
    elements *= extent;
    extents.push_back(extent);
    if (next == end) {
      break;
    }
    if (*next != 'x') {
      refuse(shape);
    }
    at = next + 1;
  }
  if (extents.size() != 3 && extents.size() != 4) {
    refuse(shape);
  }
  return extents;
}

} // namespace

std::span<const MatrixPoint> unseen_points() {
  return kPoints;
}

std::vector<MatrixPoint> points_of(std::string_view shapes) {
  std::vector<MatrixPoint> points;
  for (bool more = true; more;) {
    const std::size_t comma = shapes.find(',');
    const std::vector<std::int64_t> extents = extents_of(shapes.substr(0, comma));
    Extents shape{1, 1, 1, 1};
    std::copy_backward(extents.begin(), extents.end(), shape.end());
    const auto rank = static_cast<std::uint8_t>(extents.size());
    if (std::any_of(points.begin(), points.end(), [&](const MatrixPoint &each) {
          return each.shape == shape && each.rank == rank;
        })) {
      throw std::invalid_argument(fmt::format("\"{}\": is repeated", shapes.substr(0, comma)));
    }
    points.push_back(point(rank, shape, contiguous, into, false));
    points.push_back(point(rank, shape, contiguous, into, true));
    more = comma != std::string_view::npos;
    shapes.remove_prefix(more ? comma + 1 : shapes.size());
  }
  return points;
}

std::vector<Turn> even_order(std::span<const std::size_t> sizes) {
  std::vector<Turn> order;
  const std::size_t most = sizes.empty() ? 0 : *std::max_element(sizes.begin(), sizes.end());
  for (std::size_t turn = 0; turn < most; ++turn) {
    for (std::size_t group = 0; group < sizes.size(); ++group) {
      const std::size_t n = sizes[group];
      if (turn >= n) {
        continue;
      }
      // Leaps near the golden section visit everything once and never dwell in one part.
      std::size_t leap = std::max<std::size_t>(n * 382 / 1000, 1);
      while (std::gcd(leap, n) != 1) {
        ++leap;
      }
      order.push_back({group, turn * leap % n});
    }
  }
  return order;
}

} // namespace switchyard::verify

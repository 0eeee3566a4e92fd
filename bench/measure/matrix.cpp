#include "bench/measure/matrix.hpp"

#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>

namespace switchyard::measure {
namespace {

using enum LayoutClass;
using enum OutputMode;
using enum Priority;

constexpr bool kQuick = true;

constexpr std::string_view kCacheNames[] = {"hot", "cold", "chained"}; // in the enum's order

constexpr MatrixPoint image(std::int64_t h, std::int64_t w, std::int64_t c, bool quick,
                            Priority priority, LayoutClass layout = contiguous,
                            OutputMode output = into) {
  return {{1, h, w, c}, 3, layout, output, CacheState::hot, Budgets::one, quick, priority};
}

constexpr MatrixPoint stack(std::int64_t x, std::int64_t h, std::int64_t w, std::int64_t c) {
  return {{x, h, w, c}, 4, contiguous, into, CacheState::hot, Budgets::one, !kQuick, detail};
}

constexpr MatrixPoint cached(std::int64_t h, std::int64_t w, CacheState cache, bool quick) {
  return {{1, h, w, 3}, 3, contiguous, into, cache, Budgets::one, quick, detail};
}

constexpr MatrixPoint threaded(std::int64_t h, std::int64_t w, std::int64_t c, Budgets budgets,
                               bool quick) {
  return {{1, h, w, c}, 3, contiguous, into, CacheState::hot, budgets, quick, arm};
}

// Heights and widths differ everywhere, so that a swap of the two cannot pass unseen. Beside the
// sizes that images are usually given stand ragged ones, whose rows fill no vector: what is fast on
// multiples of 16 alone must not win, and callers crop.
constexpr MatrixPoint kPoints[] = {
    // Quick mode
    image(23, 31, 3, kQuick, base),
    image(61, 83, 3, kQuick, base),
    image(128, 160, 3, kQuick, base),
    image(240, 320, 3, kQuick, base),
    image(480, 640, 3, kQuick, base),
    image(31, 43, 1, kQuick, arm),
    threaded(480, 640, 3, Budgets::ends, kQuick),
    image(127, 161, 3, kQuick, arm, rows),
    image(240, 320, 1, kQuick, arm),
    threaded(128, 160, 3, Budgets::least, kQuick),
    image(480, 640, 1, kQuick, arm, plane),
    image(240, 320, 4, kQuick, arm),
    image(240, 320, 3, kQuick, arm, contiguous, fresh),
    image(31, 43, 9, kQuick, detail),
    image(127, 161, 3, kQuick, detail, planar),
    image(240, 320, 9, kQuick, detail),
    image(127, 161, 3, kQuick, detail, reversed),
    image(240, 320, 3, kQuick, detail, contiguous, in_place),
    cached(240, 320, CacheState::cold, kQuick),
    cached(240, 320, CacheState::chained, kQuick),
    // The base's other sizes
    image(24, 32, 3, !kQuick, base),
    image(64, 80, 3, !kQuick, base),
    image(768, 1024, 3, !kQuick, base),
    image(1080, 1920, 3, !kQuick, base),
    image(2160, 3840, 3, !kQuick, base),
    // Channels
    image(768, 1024, 1, !kQuick, arm),
    image(31, 43, 4, !kQuick, detail),
    // A batch and a volume
    stack(4, 480, 640, 3),
    stack(64, 128, 160, 1),
    // Layouts
    image(480, 640, 3, !kQuick, arm, rows),
    image(127, 161, 1, !kQuick, detail, plane),
    image(480, 640, 3, !kQuick, detail, reversed),
    image(480, 640, 3, !kQuick, detail, planar),
    // Output modes
    image(1080, 1920, 3, !kQuick, arm, contiguous, fresh),
    image(480, 640, 1, !kQuick, detail, plane, in_place),
    // Threads
    threaded(1080, 1920, 3, Budgets::ends, !kQuick),
    threaded(768, 1024, 1, Budgets::least, !kQuick),
};

// A result of a few numbers has no buffer worth allocating.
bool has_image_result(const VariantContract &contract, const Extents &shape, const void *params) {
  constexpr std::int64_t kFew = 16;
  return contract.outputs > 0 &&
         (contract.output_shape == nullptr ||
          element_count(contract.output_shape(0, shape, params)) * kFew >= element_count(shape));
}

bool can_split(const Variant &variant) {
  return std::any_of(variant.candidates.begin(), variant.candidates.end(),
                     [](const Candidate &c) { return c.split != Split::none; });
}

// Whether a variant has the point, of a parameter set and dtype case.
bool applies(const MatrixPoint &point, const Variant &variant, const VariantContract &contract,
             std::size_t dtype_case, int set) {
  const DtypeCase &dtype = variant.dtypes[dtype_case];
  const bool same_type = contract.outputs == 1 && dtype.in[0] == dtype.out[0];
  const auto has_result = [&] {
    Random random(1);
    const auto params =
        contract.make_params(set, point.shape[kC], static_cast<int>(dtype_case), random);
    return has_image_result(contract, point.shape, params.get());
  };
  // Operands of two dtypes multiply the cases of a variant; sizes and the main axes must do for
  // them.
  const bool mixed = contract.inputs > 1 && dtype.in[0] != dtype.in[1];
  return (point.priority != detail || !mixed) &&
         (point.output != in_place || (contract.in_place && same_type)) &&
         (point.output != fresh || has_result()) &&
         (point.budgets == Budgets::one || can_split(variant));
}

std::vector<std::int64_t> shape_of(const MatrixPoint &point) {
  return {point.shape.end() - point.rank, point.shape.end()};
}

// Index of the element of `items` with this name.
template <class Items> int index_of(const Items &items, std::string_view name, const char *what) {
  for (std::size_t i = 0; i < std::size(items); ++i) {
    if (items[i].name == name) {
      return static_cast<int>(i);
    }
  }
  throw std::invalid_argument(fmt::format("{} \"{}\" is not one of the variant's", what, name));
}

template <class Enum> Enum enum_of(std::string_view name, int count, const char *what) {
  for (int i = 0; i < count; ++i) {
    if (name_of(static_cast<Enum>(i)) == name) {
      return static_cast<Enum>(i);
    }
  }
  throw std::invalid_argument(fmt::format("{} \"{}\" does not exist", what, name));
}

// Those of ascending `budgets` that a point is measured with.
std::vector<int> budgets_of(const MatrixPoint &point, std::span<const int> budgets) {
  std::vector<int> chosen;
  for (const int budget : budgets) {
    if ((budget > 1) == (point.budgets != Budgets::one)) {
      chosen.push_back(budget);
    }
  }
  if (point.budgets == Budgets::ends && chosen.size() > 2) {
    chosen.erase(chosen.begin() + 1, chosen.end() - 1);
  }
  if (point.budgets == Budgets::least && chosen.size() > 1) {
    chosen.erase(chosen.begin() + 1, chosen.end());
  }
  return chosen;
}

// Appends the point's cells: one for each of its thread budgets.
void append(std::vector<MatrixCell> &cells, const MatrixPoint &point, const evidence::Cell &base,
            std::span<const int> budgets) {
  for (const int budget : budgets_of(point, budgets)) {
    MatrixCell cell{base, point.priority, point.quick};
    cell.cell.shape = shape_of(point);
    cell.cell.layout = name_of(point.layout);
    cell.cell.output = name_of(point.output);
    cell.cell.cache = kCacheNames[static_cast<std::size_t>(point.cache)];
    cell.cell.thread_budget = budget;
    cells.push_back(std::move(cell));
  }
}

} // namespace

std::span<const MatrixPoint> matrix_points() {
  return kPoints;
}

std::vector<MatrixPoint> points_of(const VariantContract &contract,
                                   std::initializer_list<Use> uses) {
  // Elements. A problem this small may hold work for two threads, as where each element of a result
  // takes a row and a column; whether it does is measured (MeasureOptions::split_from_ns).
  constexpr std::int64_t kWorthThreads = 1 << 14;
  std::vector<MatrixPoint> points;
  for (const ShapeCase &shape : contract.shapes) {
    if (std::find(uses.begin(), uses.end(), shape.use) == uses.end()) {
      continue;
    }
    MatrixPoint point{shape.shape,
                      shape.rank,
                      contiguous,
                      into,
                      CacheState::hot,
                      Budgets::one,
                      shape.use == Use::quick,
                      base};
    points.push_back(point);
    if (element_count(shape.shape) >= kWorthThreads) {
      point.budgets = Budgets::several;
      point.priority = arm;
      points.push_back(point);
    }
  }
  return points;
}

std::vector<int> thread_budgets(int cores, std::span<const int> list) {
  std::vector<int> all(list.begin(), list.end());
  if (all.empty()) {
    for (int threads = 1; threads < cores; threads *= 2) {
      all.push_back(threads);
    }
    all.push_back(std::max(cores, 1));
  }
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  std::erase_if(all, [&](int threads) { return threads < 1 || threads > std::max(cores, 1); });
  const auto first = std::find_if(all.begin(), all.end(), [](int threads) { return threads > 1; });
  const std::vector<int> more(first, all.end());
  all.erase(first, all.end());
  for (std::size_t i = 0; i < more.size(); ++i) {
    if (i == 0 || i == more.size() / 2 || i + 1 == more.size()) {
      all.push_back(more[i]);
    }
  }
  return all;
}

std::vector<MatrixCell> cells_at(std::span<const MatrixPoint> points, const Variant &variant,
                                 const VariantContract &contract, std::span<const int> budgets) {
  std::vector<MatrixCell> cells;
  for (std::size_t dtype = 0; dtype < variant.dtypes.size(); ++dtype) {
    for (std::size_t set = 0; set < contract.param_sets.size(); ++set) {
      if (!variant.dtypes[dtype].measured || !contract.param_sets[set].measured) {
        continue;
      }
      evidence::Cell base_cell;
      base_cell.dtype = variant.dtypes[dtype].name;
      base_cell.params = contract.param_sets[set].name;
      for (const MatrixPoint &point : points) {
        if (applies(point, variant, contract, dtype, static_cast<int>(set))) {
          append(cells, point, base_cell, budgets);
        }
      }
    }
  }
  return cells;
}

std::vector<MatrixCell> matrix(const Variant &variant, const VariantContract &contract, Mode mode,
                               std::span<const int> budgets) {
  const std::vector<MatrixPoint> own = points_of(contract, {Use::quick, Use::full});
  std::vector<MatrixCell> cells =
      cells_at(contract.shapes.empty() ? std::span<const MatrixPoint>(kPoints) : own, variant,
               contract, budgets);
  std::erase_if(cells, [&](const MatrixCell &cell) { return mode == Mode::quick && !cell.quick; });
  return cells;
}

CacheState cache_of(const evidence::Cell &cell) {
  const auto *const found = std::find(std::begin(kCacheNames), std::end(kCacheNames), cell.cache);
  if (found == std::end(kCacheNames)) {
    throw std::invalid_argument(fmt::format("cache state \"{}\" does not exist", cell.cache));
  }
  return static_cast<CacheState>(found - std::begin(kCacheNames));
}

conformance::ProblemSpec problem_of(const Variant &variant, const VariantContract &contract,
                                    const evidence::Cell &cell) {
  if (cell.shape.size() != 3 && cell.shape.size() != 4) {
    throw std::invalid_argument(fmt::format("a shape has 3 or 4 axes, not {}", cell.shape.size()));
  }
  conformance::ProblemSpec spec;
  spec.dtype_case = index_of(variant.dtypes, cell.dtype, "dtype");
  spec.rank = static_cast<std::uint8_t>(cell.shape.size());
  std::copy_backward(cell.shape.begin(), cell.shape.end(), spec.shape.end());
  spec.layout = enum_of<LayoutClass>(cell.layout, kLayoutClasses, "layout");
  spec.output = enum_of<OutputMode>(cell.output, kOutputModes, "output mode");
  spec.param_set = index_of(contract.param_sets, cell.params, "parameter set");
  spec.typical = true;
  if (cache_of(cell) != CacheState::hot && spec.output != into) {
    throw std::invalid_argument(
        fmt::format("cache state {} is for calls into given buffers", cell.cache));
  }
  return spec;
}

evidence::Cell cell_of(const Variant &variant, const VariantContract &contract,
                       const conformance::ProblemSpec &spec, int thread_budget) {
  evidence::Cell cell;
  cell.dtype = variant.dtypes[static_cast<std::size_t>(spec.dtype_case)].name;
  cell.shape.assign(spec.shape.end() - spec.rank, spec.shape.end());
  cell.layout = name_of(spec.layout);
  cell.output = name_of(spec.output);
  cell.cache = kCacheNames[0];
  cell.thread_budget = thread_budget;
  cell.params = contract.param_sets[static_cast<std::size_t>(spec.param_set)].name;
  return cell;
}

std::string benchmark_name(const Variant &variant, const Candidate &candidate,
                           const evidence::Cell &cell) {
  std::string key = cell.key();
  std::replace(key.begin(), key.end(), ' ', '_');
  return fmt::format("{}:{}/{}", variant.name, candidate.id, key);
}

std::int64_t bytes_of(const VariantContract &contract, const Call &call) {
  std::int64_t bytes = 0;
  for (int i = 0; i < contract.inputs; ++i) {
    const ConstView &view = *call.in[static_cast<std::size_t>(i)];
    bytes += view.elements() * size_of(view.dtype);
  }
  for (int i = 0; i < contract.outputs; ++i) {
    const View &view = *call.out[static_cast<std::size_t>(i)];
    bytes += view.elements() * size_of(view.dtype);
  }
  return bytes;
}

} // namespace switchyard::measure

// Crosses the shape lists with layouts, output modes, parameters and seeds.
#include "bench/conformance/conformance.hpp"
#include "bench/conformance/memory.hpp"
#include "bench/conformance/shapes.hpp"

namespace switchyard::conformance {
namespace {

constexpr std::array<LayoutClass, kLayoutClasses> kLayouts = {
    LayoutClass::contiguous, LayoutClass::rows,   LayoutClass::reversed,
    LayoutClass::plane,      LayoutClass::planar, LayoutClass::other};

// Appends problems of one dtype case. What a list does not fix is chosen by a hash of the
// problem's number, so that no two choices move in step.
class Builder {
public:
  Builder(const Variant &variant, const VariantContract &contract, int dtype_case,
          std::vector<ProblemSpec> &specs)
      : contract_(contract), dtype_case_(dtype_case), specs_(specs) {
    const DtypeCase &dtypes = variant.dtypes[static_cast<std::size_t>(dtype_case)];
    in_place_ = contract.in_place && dtypes.in[0] == dtypes.out[0];
  }

  ProblemSpec draw(const Extents &shape, std::uint8_t rank, LayoutClass layout) {
    const std::uint64_t hash = mix(++number_);
    ProblemSpec spec;
    spec.dtype_case = dtype_case_;
    spec.shape = shape;
    spec.rank = rank;
    spec.layout = layout;
    spec.output = in_place_ && hash % 3 == 0 ? OutputMode::in_place : OutputMode::into;
    spec.unaligned = (hash >> 8) % 4 == 0;
    spec.param_set = static_cast<int>((hash >> 16) % contract_.param_sets.size());
    spec.special = (hash >> 24) % 4 == 0;
    spec.seed = number_;
    return spec;
  }
  void add(const ProblemSpec &spec) { specs_.push_back(spec); }

  void tails() {
    const auto line = [&](std::int64_t n) {
      add(draw({1, 1, n, 1}, 3, LayoutClass::contiguous));
      // The same length as the rows of a crop, where a vector may not run into the next row.
      add(draw({1, 3, n, 1}, 3, LayoutClass::rows));
    };
    for (std::int64_t n = 1; n <= kDenseTails; ++n) {
      line(n);
    }
    for (const std::int64_t n : kFurtherTails) {
      line(n);
    }
    for (std::int64_t n = 1; n <= 24; ++n) {
      for (const std::int64_t c : {3, 4, 5}) {
        add(draw({1, 1, n, c}, 3, LayoutClass::contiguous));
      }
    }
  }

  void images() {
    for (const std::int64_t c : kChannels) {
      for (const LayoutClass layout : kLayouts) {
        for (const ImageSize &size : kImages) {
          add(draw({1, size.height, size.width, c}, 3, layout));
        }
        for (const ImageSize &size : kShortAxes) {
          add(draw({1, size.height, size.width, c}, 3, layout));
        }
      }
    }
  }

  void batches() {
    for (const LayoutClass layout : kLayouts) {
      for (const Extents &shape : kRank4) {
        add(draw(shape, 4, layout));
      }
      for (const Extents &shape : kLong) {
        add(draw(shape, 3, layout));
      }
    }
  }

  void parameters() {
    const auto sets = static_cast<int>(contract_.param_sets.size());
    for (int set = 0; set < sets; ++set) {
      for (const std::int64_t c : kChannels) {
        for (const bool special : {false, true}) {
          ProblemSpec spec = draw({1, 5, 13, c}, 3, kLayouts[number_ % kLayouts.size()]);
          spec.param_set = set;
          spec.special = special;
          add(spec);
        }
      }
    }
  }

  // Every shape of the contract's own in every layout, and with every parameter set.
  void own_shapes() {
    const auto sets = static_cast<int>(contract_.param_sets.size());
    constexpr std::int64_t kMost = 1 << 18; // elements; larger ones are proven when measured
    for (const ShapeCase &shape : contract_.shapes) {
      if (element_count(shape.shape) > kMost) {
        continue;
      }
      const int rounds = shape.use == Use::tested ? std::max(sets, kLayoutClasses) : 1;
      for (int i = 0; i < rounds; ++i) {
        const auto layout = kLayouts[static_cast<std::size_t>(i) % kLayouts.size()];
        ProblemSpec spec = draw(shape.shape, shape.rank, layout);
        spec.param_set = rounds == 1 ? spec.param_set : i % sets;
        add(spec);
      }
    }
  }

  // Every combination of layout, output mode and alignment.
  void layouts() {
    for (const LayoutClass layout : kLayouts) {
      for (const OutputMode output : {OutputMode::into, OutputMode::in_place}) {
        for (const bool unaligned : {false, true}) {
          if (output == OutputMode::in_place && !in_place_) {
            continue;
          }
          ProblemSpec spec = draw({1, 7, 11, 3}, 3, layout);
          spec.output = output;
          spec.unaligned = unaligned;
          add(spec);
        }
      }
    }
  }

  void empty() {
    if (!contract_.takes_empty) {
      return;
    }
    for (const EmptyShape &shape : kEmpty) {
      add(draw(shape.shape, shape.rank, LayoutClass::contiguous));
      add(draw(shape.shape, shape.rank, LayoutClass::rows));
    }
  }

private:
  const VariantContract &contract_;
  int dtype_case_;
  std::vector<ProblemSpec> &specs_;
  bool in_place_ = false;
  std::uint64_t number_ = 0;
};

// Cases that are only tested differ from measured ones in how an operand is read; each takes one
// problem of three, and one after the other takes others.
void thin(std::vector<ProblemSpec> &specs, std::size_t first, int dtype_case) {
  constexpr std::size_t kOneOf = 3;
  std::size_t kept = first;
  for (std::size_t i = first; i < specs.size(); ++i) {
    if (i % kOneOf == static_cast<std::size_t>(dtype_case) % kOneOf) {
      specs[kept++] = specs[i];
    }
  }
  specs.resize(kept);
}

} // namespace

std::vector<ProblemSpec> problems(const Variant &variant, const VariantContract &contract) {
  std::vector<ProblemSpec> specs;
  for (int i = 0; i < static_cast<int>(variant.dtypes.size()); ++i) {
    const std::size_t first = specs.size();
    Builder builder(variant, contract, i, specs);
    if (!contract.shapes.empty()) {
      builder.own_shapes();
      continue;
    }
    builder.tails();
    builder.images();
    builder.batches();
    builder.parameters();
    builder.layouts();
    builder.empty();
    if (!variant.dtypes[static_cast<std::size_t>(i)].measured) {
      thin(specs, first, i);
    }
  }
  return specs;
}

} // namespace switchyard::conformance

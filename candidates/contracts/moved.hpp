// What the contracts of flips, transpositions and quarter turns share. Written apart from the
// candidates' views: an op's oracle says by index where an output element comes from.
#pragma once

#include <memory>

#include "candidates/contracts/oracle.hpp"

namespace switchyard::candidates::moved {

// The parameter sets of ops without parameters.
inline constexpr ParamSet kNone[] = {{"none", true}};
inline std::shared_ptr<const void> make_none(int, std::int64_t, int, Random &) {
  return nullptr;
}

// An element's row and column in the input.
struct Source {
  std::int64_t h;
  std::int64_t w;
};

// `source(h, w)` is where the output's element (h, w) comes from.
template <class From>
void expect_moved(const ConstView &in, const Extents &shape, std::span<Expected> expected,
                  From source) {
  std::size_t i = 0;
  oracle::for_each_index(shape, [&](auto x, auto h, auto w, auto c) {
    const Source at = source(h, w);
    const double element = oracle::read(in, x, at.h, at.w, c);
    expected[i++] = {element, element, element};
  });
}

inline Extents swapped(const Extents &shape) {
  return {shape[kX], shape[kW], shape[kH], shape[kC]};
}

inline VariantContract contract_of(std::string_view variant,
                                   decltype(VariantContract::oracle) expect, InputPart *part) {
  VariantContract contract;
  contract.variant = variant;
  contract.row_local = true;
  contract.param_sets = kNone;
  contract.make_params = make_none;
  contract.oracle = expect;
  contract.part = part;
  return contract;
}

} // namespace switchyard::candidates::moved

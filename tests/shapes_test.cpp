// Problems whose arrays have shapes of their own: broadcast operands, matrices.
#include <algorithm>
#include <atomic>
#include <cstring>

#include <catch2/catch.hpp>

#include "bench/conformance/conformance.hpp"
#include "bench/conformance/problem.hpp"
#include "bench/measure/matrix.hpp"
#include "candidates/contracts/oracle.hpp"
#include "router/split.hpp"

namespace switchyard {
namespace {

using enum Exactness;

std::uint8_t byte_at(const ConstView &view, std::int64_t x, std::int64_t h, std::int64_t w,
                     std::int64_t c) {
  return static_cast<std::uint8_t>(*view.at(x, h, w, c));
}

// out = in[0] + in[1] modulo 256, where in[1] is one row that serves all.
void run_add_row(const Call &call) {
  oracle::for_each_index(call.out[0]->shape, [&](auto x, auto h, auto w, auto c) {
    *call.out[0]->at(x, h, w, c) =
        std::byte(byte_at(*call.in[0], x, h, w, c) + byte_at(*call.in[1], 0, 0, w, c));
  });
}
void expect_add_row(const Call &call, int /*which*/, std::span<Expected> expected) {
  std::size_t i = 0;
  oracle::for_each_index(call.in[0]->shape, [&](auto x, auto h, auto w, auto c) {
    const double sum = (byte_at(*call.in[0], x, h, w, c) + byte_at(*call.in[1], 0, 0, w, c)) % 256;
    expected[i++] = {sum, sum, sum};
  });
}

// out[h] = the sum modulo 256 of in[1], times in[0][h]: needs all rows of in[1].
std::uint8_t total(const ConstView &view) {
  unsigned sum = 0;
  oracle::for_each_index(view.shape,
                         [&](auto x, auto h, auto w, auto c) { sum += byte_at(view, x, h, w, c); });
  return static_cast<std::uint8_t>(sum);
}
void run_scale_by_total(const Call &call) {
  const unsigned factor = total(*call.in[1]);
  oracle::for_each_index(call.out[0]->shape, [&](auto x, auto h, auto w, auto c) {
    *call.out[0]->at(x, h, w, c) =
        static_cast<std::byte>(byte_at(*call.in[0], x, h, w, c) * factor % 256);
  });
}

// A band of the output takes the same rows of the first input and all of the second.
ConstView first_alone(const Call &call, int which, Axis axis, std::int64_t from, std::int64_t to) {
  const ConstView &input = *call.in[static_cast<std::size_t>(which)];
  return which == 0 ? slice(input, axis, from, to) : input;
}

constexpr DtypeCase kDtypes[] = {
    {"u8", {Dtype::u8, Dtype::u8}, {Dtype::u8}},
    {"unmeasured", {Dtype::u8, Dtype::u8}, {Dtype::u8}, false},
};
constexpr Candidate kAddRow[] = {
    {"loop", 1, "loop", nullptr, {bitwise, bitwise}, {1, 1}, Split::rows, run_add_row}};
constexpr Variant kVariant{"add_row", kDtypes, kAddRow};
constexpr Candidate kScale{
    "loop", 1, "loop", nullptr, {bitwise}, {1, 1}, Split::rows, run_scale_by_total, first_alone};

constexpr ParamSet kSets[] = {{"only", true}};
constexpr ShapeCase kShapes[] = {{{1, 5, 7, 1}},
                                 {{1, 300, 400, 1}, 3, Use::quick},
                                 {{1, 30, 40, 1}, 3, Use::full},
                                 {{1, 31, 41, 1}, 3, Use::unseen}};

VariantContract add_row_contract() {
  VariantContract contract;
  contract.variant = "add_row";
  contract.inputs = 2;
  contract.in_place = true;
  contract.row_local = true;
  contract.param_sets = kSets;
  contract.make_params = [](int, std::int64_t, int, Random &) {
    return std::shared_ptr<const void>(std::make_shared<int>(0));
  };
  contract.input_shape = [](int which, const Extents &problem, const void * /*params*/) {
    return which == 0 ? problem : Extents{1, 1, problem[kW], problem[kC]};
  };
  contract.oracle = expect_add_row;
  return contract;
}

struct Bytes {
  std::vector<std::uint8_t> data;
  View view;
  explicit Bytes(const Extents &shape)
      : data(static_cast<std::size_t>(element_count(shape))),
        view(data.data(), shape, contiguous_strides(shape, 1), Dtype::u8) {
    for (std::size_t i = 0; i < data.size(); ++i) {
      data[i] = static_cast<std::uint8_t>(i * 37 + 11);
    }
  }
};

} // namespace

TEST_CASE("an input of a shape of its own is drawn, proven and never the output") {
  const VariantContract contract = add_row_contract();
  for (const auto &spec : conformance::problems(kVariant, contract)) {
    const conformance::Problem problem(kVariant, contract, spec);
    const Call &call = problem.call();
    const Extents row{1, 1, spec.shape[kW], spec.shape[kC]};
    REQUIRE(call.in[1]->shape == row);
    REQUIRE((call.out[0]->data != call.in[1]->data || spec.shape == row));
    run_add_row(call);
    REQUIRE(problem.check(bitwise).empty());
  }
}

TEST_CASE("a large problem with an input of one row is compared row by row") {
  const VariantContract contract = add_row_contract();
  conformance::ProblemSpec spec;
  spec.shape = {1, 1025, 1031, 1};
  const conformance::Problem problem(kVariant, contract, spec);
  run_add_row(problem.call());
  CHECK(problem.check_large(bitwise, kAddRow[0]).empty());
  *problem.call().out[0]->at(0, 1024, 7, 0) ^= std::byte{1};
  CHECK_THAT(problem.check_large(bitwise, kAddRow[0]), Catch::Contains("(0, 1024, 7, 0)"));
}

TEST_CASE("a contract's own shapes are measured in place of images, each for its use") {
  VariantContract contract = add_row_contract();
  contract.shapes = kShapes;
  const int budgets[] = {1, 2};
  const auto shapes_of = [&](measure::Mode mode) {
    std::vector<std::string> texts;
    for (const measure::MatrixCell &cell : measure::matrix(kVariant, contract, mode, budgets)) {
      CHECK(cell.cell.dtype == "u8");
      texts.push_back(cell.cell.key());
    }
    return texts;
  };
  using Texts = std::vector<std::string>;
  const Texts quick{"u8 300x400x1 contiguous into hot t1 only",
                    "u8 300x400x1 contiguous into hot t2 only"};
  CHECK(shapes_of(measure::Mode::quick) == quick);
  Texts full = quick;
  full.emplace_back("u8 30x40x1 contiguous into hot t1 only");
  CHECK(shapes_of(measure::Mode::full) == full);
  const auto unseen = measure::points_of(contract, {Use::unseen});
  REQUIRE(unseen.size() == 1);
  CHECK(unseen[0].shape == kShapes[3].shape);
  const auto specs = conformance::problems(kVariant, contract);
  CHECK(std::all_of(specs.begin(), specs.end(), [](const conformance::ProblemSpec &spec) {
    return std::any_of(std::begin(kShapes), std::end(kShapes),
                       [&](const ShapeCase &shape) { return shape.shape == spec.shape; });
  }));
}

TEST_CASE("bands share an input of one row, and all inputs but the first where rows need them") {
  const Extents shape{1, 9, 4, 1};
  Bytes image(shape);
  Bytes row({1, 1, 4, 1});
  Bytes other(shape); // as many rows as the first input, by chance
  Bytes whole(shape);
  Bytes split(shape);
  Call call;
  call.in = {&image.view, &row.view};
  call.out = {&whole.view};
  run_add_row(call);
  call.out = {&split.view};
  CHECK(run_split(kAddRow[0], call, 2) == 2);
  CHECK(split.data == whole.data);

  call.in = {&image.view, &other.view};
  call.out = {&whole.view};
  run_scale_by_total(call);
  call.out = {&split.view};
  CHECK(run_split(kScale, call, 2) == 2);
  CHECK(split.data == whole.data);
}

} // namespace switchyard

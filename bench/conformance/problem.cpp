#include "bench/conformance/problem.hpp"

#include <algorithm>

#include <cmath>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "bench/conformance/memory.hpp"
#include "candidates/contracts/oracle.hpp"

namespace switchyard::conformance {
namespace {

// Up to this many output elements, poison is chosen by the oracle to be wrong in every element.
// In larger outputs, poison is right by chance in a few, and what a candidate leaves out shows in
// all the others.
constexpr std::int64_t kMostPoisonedByOracle = 1 << 16;

// Above this, check_large() compares with a proven candidate, and the oracle's answer is not kept.
constexpr std::int64_t kLarge = 1 << 20;

constexpr std::int64_t kSampledRows = 16;

bool is_float(Dtype dtype) {
  return dtype == Dtype::f32 || dtype == Dtype::f64;
}

std::string text_of(double value) {
  return std::isnan(value) ? "nan" : fmt::format("{}", value); // its sign means nothing
}

// True where `got` is what a candidate of this exactness may give.
bool accepts(const Expected &expected, double got, Exactness exactness, bool floating) {
  if (std::isnan(expected.value)) {
    return std::isnan(got);
  }
  if (exactness == Exactness::faithful) {
    return expected.low <= got && got <= expected.high;
  }
  return got == expected.value && (!floating || std::signbit(got) == std::signbit(expected.value));
}

// True where two elements have the same bits, or both are NaN.
bool same_element(const std::byte *a, const std::byte *b, Dtype dtype) {
  const auto bytes = static_cast<std::size_t>(size_of(dtype));
  if (std::memcmp(a, b, bytes) == 0) {
    return true;
  }
  const auto both_nan = [&]<class T>(T x, T y) {
    std::memcpy(&x, a, sizeof x);
    std::memcpy(&y, b, sizeof y);
    return std::isnan(x) && std::isnan(y);
  };
  return dtype == Dtype::f32   ? both_nan(0.0F, 0.0F)
         : dtype == Dtype::f64 ? both_nan(0.0, 0.0)
                               : false;
}

std::string mismatch_text(int which, const Extents &at, double got, bool untouched,
                          const Expected &expected) {
  return fmt::format("out[{}] at ({}, {}, {}, {}): got {}{}, expected {} ({} … {})", which, at[kX],
                     at[kH], at[kW], at[kC], text_of(got), untouched ? " (never written)" : "",
                     text_of(expected.value), text_of(expected.low), text_of(expected.high));
}

// The same view of other memory that was made for it.
ConstView moved_to(const ConstView &view, const void *data) {
  ConstView moved = view;
  moved.data = data;
  return moved;
}

// What of an input the output's index `at` of an axis depends on: the same index, or the only one
// of a view that serves all, unless the contract has another rule.
ConstView part_of(const VariantContract &contract, const Call &call, int which, Axis axis,
                  std::int64_t at) {
  if (contract.part != nullptr) {
    return contract.part(call, which, axis, at, at + 1);
  }
  const ConstView &view = *call.in[static_cast<std::size_t>(which)];
  const std::int64_t index = view.shape[axis] == 1 ? 0 : at;
  return slice(view, axis, index, index + 1);
}

} // namespace

std::string ProblemSpec::text(const Variant &variant, const VariantContract &contract) const {
  const auto set = static_cast<std::size_t>(param_set);
  return fmt::format(
      "{} {} {}x{}x{}x{} rank={} layout={} output={} typical={} unaligned={} params={} "
      "special={} seed={}",
      variant.name, variant.dtypes[static_cast<std::size_t>(dtype_case)].name, shape[kX], shape[kH],
      shape[kW], shape[kC], rank, name_of(layout), name_of(output), typical ? 1 : 0,
      unaligned ? 1 : 0, set < contract.param_sets.size() ? contract.param_sets[set].name : "-",
      special ? 1 : 0, seed);
}

struct Problem::State {
  struct Input {
    GuardedMemory memory;
    GuardedMemory drawn; // as `memory` was drawn, canaries included; never given to a candidate
  };
  struct Output {
    ConstView shape; // shape, strides, dtype: no data
    bool unaligned = false;
    std::optional<GuardedMemory> memory; // empty: in place
    std::vector<Expected> expected;      // of small outputs, which are poisoned by it
    mutable std::shared_ptr<const std::vector<Expected>> evaluated; // of others, once checked
  };

  const Variant &variant;
  const VariantContract &contract;
  ProblemSpec spec;
  std::shared_ptr<const void> params;
  std::vector<Input> inputs;
  std::vector<Output> outputs;
  int aliased = -1; // the input that is the output as well

  Call call;
  Call oracle_call; // the same, on the inputs as drawn
  std::array<ConstView, 3> in_views{}, drawn_views{};
  std::array<View, 2> out_views{};

  State(const Variant &v, const VariantContract &c, const ProblemSpec &s)
      : variant(v), contract(c), spec(s) {}

  [[noreturn]] void refuse(const char *why) const;
  void validate_numbers() const;
  void validate_output() const; // needs the parameters
  void draw();
  void add_input(int which, Random &random);
  void add_output(int which);
  void bind();
  void place(std::int64_t input_bytes, std::int64_t output_bytes);
  void reset();

  [[nodiscard]] const DtypeCase &dtypes() const {
    return variant.dtypes[static_cast<std::size_t>(spec.dtype_case)];
  }
  [[nodiscard]] Extents input_shape(int which) const {
    return contract.input_shape == nullptr ? spec.shape
                                           : contract.input_shape(which, spec.shape, params.get());
  }
  [[nodiscard]] Extents output_shape(int which, const Extents &in) const {
    return contract.output_shape == nullptr ? in : contract.output_shape(which, in, params.get());
  }
  [[nodiscard]] bool can_alias(int which) const {
    return dtypes().in[static_cast<std::size_t>(which)] == dtypes().out[0] &&
           input_shape(which) == spec.shape;
  }
  [[nodiscard]] std::vector<Expected> evaluate(const Call &of, int which) const;
  void poison(int which, const GuardedMemory &memory) const;

  // The oracle's answer; kept for further checks unless it is large.
  [[nodiscard]] std::shared_ptr<const std::vector<Expected>> expected_of(int which) const;
  [[nodiscard]] std::string check_values(int which, Exactness exactness) const;
  [[nodiscard]] std::string check_canaries(int which) const;
  [[nodiscard]] std::string check_inputs() const;
  [[nodiscard]] std::string check_untouched() const;
  [[nodiscard]] std::string check_row(int which, std::int64_t x, std::int64_t h,
                                      Exactness exactness) const;
  [[nodiscard]] std::string compare(int which, const View &reference, Exactness exactness) const;
};

// ---------------------------------------------------------------------------------------------
// Construction

void Problem::State::refuse(const char *why) const {
  throw std::invalid_argument(spec.text(variant, contract) + ": " + why);
}

void Problem::State::validate_numbers() const {
  const auto cases = static_cast<int>(variant.dtypes.size());
  if (spec.dtype_case < 0 || spec.dtype_case >= cases) {
    throw std::invalid_argument(std::string(variant.name) + ": no such dtype case");
  }
  if (spec.param_set < 0 || spec.param_set >= static_cast<int>(contract.param_sets.size())) {
    refuse("no such parameter set");
  }
  if (std::any_of(spec.shape.begin(), spec.shape.end(), [](auto n) { return n < 0; })) {
    refuse("a negative extent");
  }
  if (spec.rank != 3 && spec.rank != 4) {
    refuse("the rank is neither 3 nor 4");
  }
  if (spec.rank == 3 && spec.shape[kX] != 1) {
    refuse("rank 3 with more than one image");
  }
  if (element_count(spec.shape) == 0 && !contract.takes_empty) {
    refuse("the contract takes no empty image");
  }
}

void Problem::State::validate_output() const {
  if (spec.output == OutputMode::in_place &&
      (!contract.in_place || contract.outputs != 1 || dtypes().in[0] != dtypes().out[0] ||
       output_shape(0, spec.shape) != spec.shape || !can_alias(0))) {
    refuse("the contract does not allow the output in place");
  }
}

void Problem::State::draw() {
  validate_numbers();
  Random random(mix(spec.seed));
  params = contract.make_params(spec.param_set, spec.shape[kC], spec.dtype_case, random);
  validate_output();
  if (spec.output == OutputMode::in_place) {
    aliased = static_cast<int>((spec.seed / 3) % static_cast<std::uint64_t>(contract.inputs));
    aliased = can_alias(aliased) ? aliased : 0;
  }
  for (int i = 0; i < contract.inputs; ++i) {
    add_input(i, random);
  }
  for (int i = 0; i < contract.outputs; ++i) {
    add_output(i);
  }
  bind();
  for (int i = 0; i < contract.outputs; ++i) {
    Output &output = outputs[static_cast<std::size_t>(i)];
    if (output.shape.elements() <= kMostPoisonedByOracle) {
      output.expected = evaluate(oracle_call, i);
    }
  }
  reset();
}

void Problem::State::add_input(int which, Random &random) {
  const Dtype dtype = dtypes().in[static_cast<std::size_t>(which)];
  const Placement placement{spec.layout,      spec.unaligned,
                            which != aliased, spec.seed + static_cast<std::uint64_t>(which),
                            spec.typical,     false};
  const Extents shape = input_shape(which);
  const ConstView view{nullptr, shape, strides_of(shape, size_of(dtype), placement), dtype,
                       spec.rank};
  inputs.push_back({GuardedMemory(view, spec.unaligned), GuardedMemory(view, spec.unaligned)});
  const GuardedMemory &drawn = inputs.back().drawn;
  fill_pattern(drawn.region(), mix(spec.seed + 100 + static_cast<std::uint64_t>(which)));
  if (contract.fill_for != nullptr) {
    contract.fill_for(drawn.view(), which, params.get(), spec.special, random);
  } else if (contract.fill != nullptr) {
    contract.fill(drawn.view(), which, spec.special, random);
  } else {
    fill_default(drawn.view(), spec.special, random);
  }
}

void Problem::State::add_output(int which) {
  const Dtype dtype = dtypes().out[static_cast<std::size_t>(which)];
  const Extents shape = output_shape(which, spec.shape);
  const std::uint64_t seed = spec.seed + 10 + static_cast<std::uint64_t>(which);
  Placement placement{spec.layout, spec.unaligned, false, seed, spec.typical, true};
  if (shape != spec.shape && seed % 4 < 2) { // results of another shape lie densely at times
    placement.layout = LayoutClass::contiguous;
  }
  Output output;
  output.shape = {nullptr, shape, strides_of(shape, size_of(dtype), placement), dtype, spec.rank};
  output.unaligned = spec.unaligned;
  if (aliased < 0) {
    output.memory.emplace(output.shape, output.unaligned);
  } else {
    output.shape = moved_to(inputs[static_cast<std::size_t>(aliased)].memory.view(), nullptr);
  }
  outputs.push_back(std::move(output));
}

void Problem::State::bind() {
  call.params = params.get();
  call.dtype_case = static_cast<std::uint8_t>(spec.dtype_case);
  call.flags = contract.flags == nullptr ? 0U : contract.flags(params.get());
  oracle_call = call;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    in_views[i] = inputs[i].memory.view();
    drawn_views[i] = inputs[i].drawn.view();
    call.in[i] = &in_views[i];
    oracle_call.in[i] = &drawn_views[i];
  }
  oracle_call.flags |= contract.input_flags == nullptr ? 0U : contract.input_flags(oracle_call);
  call.flags = oracle_call.flags | (aliased >= 0 ? std::uint32_t{kInPlace} : 0U);
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    out_views[i] = aliased >= 0 ? inputs[static_cast<std::size_t>(aliased)].memory.view()
                                : outputs[i].memory->view();
    call.out[i] = &out_views[i];
    oracle_call.out[i] = &out_views[i];
  }
}

void Problem::State::place(std::int64_t input_bytes, std::int64_t output_bytes) {
  for (const std::int64_t bytes : {input_bytes, output_bytes}) {
    if (bytes < 0 || bytes >= 4096 || bytes % 64 != 0) {
      throw std::invalid_argument(
          fmt::format("page offset {}: accepted are multiples of 64 below 4096", bytes));
    }
  }
  for (Input &input : inputs) {
    input.memory.place(input_bytes);
  }
  for (Output &output : outputs) {
    if (output.memory) {
      output.memory->place(output_bytes);
    }
  }
  bind();
  reset();
}

void Problem::State::reset() {
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const Input &input = inputs[i];
    const std::span<const std::byte> drawn = input.drawn.region();
    input.memory.forbid_end(false);
    std::memcpy(input.memory.region().data(), drawn.data(), drawn.size());
    input.memory.forbid_end(static_cast<int>(i) != aliased); // reading past the end is seen
  }
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (outputs[i].memory) {
      poison(static_cast<int>(i), *outputs[i].memory);
    }
  }
}

// Fills memory made for output `which`: a pattern everywhere, and in elements one that the oracle
// refuses.
void Problem::State::poison(int which, const GuardedMemory &memory) const {
  fill_pattern(memory.region(), mix(spec.seed + 200 + static_cast<std::uint64_t>(which)));
  const std::vector<Expected> &expected = outputs[static_cast<std::size_t>(which)].expected;
  if (expected.empty()) {
    return;
  }
  const View &view = memory.view();
  const bool floating = is_float(view.dtype);
  std::size_t i = 0;
  oracle::for_each_index(view.shape, [&](auto x, auto h, auto w, auto c) {
    const Expected &wanted = expected[i++];
    std::byte *at = view.at(x, h, w, c);
    const auto is_right = [&] {
      const double value = oracle::read(view, x, h, w, c);
      return accepts(wanted, value, Exactness::faithful, floating) ||
             accepts(wanted, value, Exactness::bitwise, floating);
    };
    for (int attempt = 0; attempt < 256 && is_right(); ++attempt) {
      for (std::int64_t b = 0; b < size_of(view.dtype); ++b) {
        at[b] ^= std::byte{0x55} ^ static_cast<std::byte>(attempt);
      }
    }
  });
}

// ---------------------------------------------------------------------------------------------
// Checks

std::vector<Expected> Problem::State::evaluate(const Call &of, int which) const {
  const Extents shape = output_shape(which, of.in[0]->shape);
  std::vector<Expected> expected(static_cast<std::size_t>(element_count(shape)));
  contract.oracle(of, which, expected);
  return expected;
}

std::shared_ptr<const std::vector<Expected>> Problem::State::expected_of(int which) const {
  const Output &output = outputs[static_cast<std::size_t>(which)];
  if (!output.expected.empty()) {
    return {std::shared_ptr<void>(), &output.expected}; // owned by the problem
  }
  if (output.evaluated) {
    return output.evaluated;
  }
  auto evaluated = std::make_shared<const std::vector<Expected>>(evaluate(oracle_call, which));
  if (output.shape.elements() <= kLarge) {
    output.evaluated = evaluated;
  }
  return evaluated;
}

std::string Problem::State::check_values(int which, Exactness exactness) const {
  const Output &output = outputs[static_cast<std::size_t>(which)];
  const View &view = out_views[static_cast<std::size_t>(which)];
  const auto shared = expected_of(which);
  const std::vector<Expected> &expected = *shared;
  const bool floating = is_float(view.dtype);
  std::size_t i = 0;
  std::optional<Extents> wrong;
  std::size_t wrong_at = 0;
  oracle::for_each_index(view.shape, [&](auto x, auto h, auto w, auto c) {
    if (!wrong && !accepts(expected[i], oracle::read(view, x, h, w, c), exactness, floating)) {
      wrong = Extents{x, h, w, c};
      wrong_at = i;
    }
    ++i;
  });
  if (!wrong) {
    return {};
  }
  const auto &[x, h, w, c] = *wrong;
  bool untouched = false;
  if (output.memory) {
    const GuardedMemory before(output.shape, output.unaligned);
    poison(which, before);
    untouched = same_element(view.at(x, h, w, c), before.view().at(x, h, w, c), view.dtype);
  }
  return mismatch_text(which, *wrong, oracle::read(view, x, h, w, c), untouched,
                       expected[wrong_at]);
}

// Everything around the elements of an output must be as reset() left it.
std::string Problem::State::check_canaries(int which) const {
  const Output &output = outputs[static_cast<std::size_t>(which)];
  const GuardedMemory &memory =
      output.memory ? *output.memory : inputs[static_cast<std::size_t>(aliased)].memory;
  const GuardedMemory intact(output.shape, output.unaligned);
  if (output.memory) {
    fill_pattern(intact.region(), mix(spec.seed + 200 + static_cast<std::uint64_t>(which)));
  } else {
    const auto drawn = inputs[static_cast<std::size_t>(aliased)].drawn.region();
    std::copy(drawn.begin(), drawn.end(), intact.region().begin());
  }
  copy_elements(memory.view(), intact.view());
  const auto found = memory.region();
  const auto [at, _] = std::mismatch(found.begin(), found.end(), intact.region().begin());
  return at == found.end() ? std::string{}
                           : fmt::format("out[{}]: wrote outside its elements: {}", which,
                                         memory.describe(at - found.begin()));
}

std::string Problem::State::check_inputs() const {
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (static_cast<int>(i) == aliased) {
      continue;
    }
    const GuardedMemory &memory = inputs[i].memory;
    memory.forbid_end(false);
    const auto found = memory.region();
    const auto [at, _] =
        std::mismatch(found.begin(), found.end(), inputs[i].drawn.region().begin());
    memory.forbid_end(true);
    if (at != found.end()) {
      return fmt::format("in[{}]: was written: {}", i, memory.describe(at - found.begin()));
    }
  }
  return {};
}

std::string Problem::State::check_untouched() const {
  for (int i = 0; i < contract.outputs; ++i) {
    if (std::string found = check_canaries(i); !found.empty()) {
      return found;
    }
  }
  return check_inputs();
}

// One output row against the oracle, evaluated on what of the inputs it depends on.
std::string Problem::State::check_row(int which, std::int64_t x, std::int64_t h,
                                      Exactness exactness) const {
  std::array<ConstView, 3> items{};
  std::array<ConstView, 3> rows{};
  Call row_call = oracle_call;
  const auto narrow = [&](std::array<ConstView, 3> &parts, Axis axis, std::int64_t at) {
    const Call wider = row_call;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      parts[i] = part_of(contract, wider, static_cast<int>(i), axis, at);
      row_call.in[i] = &parts[i];
    }
  };
  narrow(items, kX, x);
  narrow(rows, kH, h);
  const std::vector<Expected> expected = evaluate(row_call, which);
  const View &view = out_views[static_cast<std::size_t>(which)];
  const bool floating = is_float(view.dtype);
  std::size_t i = 0;
  for (std::int64_t w = 0; w < view.shape[kW]; ++w) {
    for (std::int64_t c = 0; c < view.shape[kC]; ++c, ++i) {
      const double got = oracle::read(view, x, h, w, c);
      if (!accepts(expected[i], got, exactness, floating)) {
        return mismatch_text(which, {x, h, w, c}, got, false, expected[i]);
      }
    }
  }
  return {};
}

// Against another candidate's output: rows that differ, and some that do not, go to the oracle.
std::string Problem::State::compare(int which, const View &reference, Exactness exactness) const {
  const View &view = out_views[static_cast<std::size_t>(which)];
  const std::int64_t rows = view.shape[kX] * view.shape[kH];
  const std::int64_t step = std::max<std::int64_t>(1, rows / kSampledRows);
  for (std::int64_t row = 0; row < rows; ++row) {
    const std::int64_t x = row / view.shape[kH];
    const std::int64_t h = row % view.shape[kH];
    bool same = true;
    for (std::int64_t w = 0; w < view.shape[kW] && same; ++w) {
      for (std::int64_t c = 0; c < view.shape[kC] && same; ++c) {
        same = same_element(view.at(x, h, w, c), reference.at(x, h, w, c), view.dtype);
      }
    }
    if (!same || row % step == 0 || row == rows - 1) {
      if (std::string found = check_row(which, x, h, exactness); !found.empty()) {
        return found;
      }
    }
  }
  return {};
}

// ---------------------------------------------------------------------------------------------

Problem::Problem(const Variant &variant, const VariantContract &contract, const ProblemSpec &spec)
    : state_(std::make_unique<State>(variant, contract, spec)) {
  state_->draw();
}
Problem::~Problem() = default;
Problem::Problem(Problem &&) noexcept = default;
Problem &Problem::operator=(Problem &&) noexcept = default;

const Call &Problem::call() const {
  return state_->call;
}

const ProblemSpec &Problem::spec() const {
  return state_->spec;
}

void Problem::reset() {
  state_->reset();
}

void Problem::set_page_offsets(std::int64_t input_bytes, std::int64_t output_bytes) {
  state_->place(input_bytes, output_bytes);
}

std::string Problem::check(Exactness exactness) const {
  if (exactness == Exactness::unsupported) {
    return "this dtype case is not supported";
  }
  for (int i = 0; i < state_->contract.outputs; ++i) {
    if (std::string found = state_->check_values(i, exactness); !found.empty()) {
      return found;
    }
  }
  return state_->check_untouched();
}

std::string Problem::check_large(Exactness exactness, const Candidate &proven) const {
  const State &state = *state_;
  Call call = state.oracle_call;
  // Equality with a candidate of a lesser class would prove that class only.
  const bool helps = state.contract.row_local && proven.refuses(call) == nullptr &&
                     proven.exactness[call.dtype_case] >= exactness;
  if (element_count(state.spec.shape) <= kLarge || !helps || exactness == Exactness::unsupported) {
    return check(exactness);
  }
  std::vector<GuardedMemory> memories;
  std::array<View, 2> views;
  for (std::size_t i = 0; i < state.outputs.size(); ++i) {
    ConstView view = state.outputs[i].shape;
    view.strides = contiguous_strides(view.shape, size_of(view.dtype));
    memories.emplace_back(view, false);
    views[i] = memories.back().view();
    call.out[i] = &views[i];
  }
  proven.run(call);
  for (std::size_t i = 0; i < state.outputs.size(); ++i) {
    std::string found = state.compare(static_cast<int>(i), views[i], exactness);
    if (!found.empty()) {
      return found;
    }
  }
  return state.check_untouched();
}

} // namespace switchyard::conformance

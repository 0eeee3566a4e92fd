#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "candidates/bincount/params.hpp"
#include "router/ops/edge.hpp"
#include "switchyard/ops.hpp"

namespace switchyard {
namespace {

constexpr std::string_view kOp = "bincount";

// Of the forms that allocate: a label by mistake shall not fill the memory.
constexpr std::int64_t kMostBins = std::int64_t{1} << 27;

using Ignored = std::optional<std::int64_t>;

void check(const ConstView &labels, const ConstView *weights, const Options &options) {
  validate::image(kOp, "labels", labels, {Dtype::u8, Dtype::u16, Dtype::i32, Dtype::i64});
  if (weights != nullptr) {
    validate::image(kOp, "weights", *weights, {Dtype::f32, Dtype::f64});
    validate::same_shape(kOp, "weights", *weights, labels.shape);
  }
  validate::options(kOp, options);
}

// The greatest label, or -1 without any. Throws for a negative one.
std::int64_t greatest_label(const ConstView &labels, const Ignored &ignored) {
  const LabelRange range = label_range(labels, ignored.has_value(), ignored.value_or(0));
  if (range.empty()) {
    return -1;
  }
  if (range.least < 0) {
    throw Error(kOp, "labels", fmt::format("the label {}", range.least), "labels ≥ 0");
  }
  return range.greatest;
}

std::uint8_t dtype_case(const ConstView &labels, const ConstView *weights) {
  const int label = labels.dtype == Dtype::u8    ? 0
                    : labels.dtype == Dtype::u16 ? 1
                    : labels.dtype == Dtype::i32 ? 2
                                                 : 3;
  const bool wide = weights != nullptr && weights->dtype == Dtype::f64;
  return static_cast<std::uint8_t>(label + (wide ? 4 : 0));
}

void run(const ConstView &labels, const ConstView *weights, const View &out, const Ignored &ignored,
         OutputMode mode, const Options &options) {
  static constinit const VariantHandle counts("bincount/counts");
  static constinit const VariantHandle sums("bincount/weights");
  const BincountParams params{out.shape[kW], ignored.has_value(), ignored.value_or(0)};
  Call call;
  call.in = {&labels, weights};
  call.out = {&out};
  call.params = &params;
  call.dtype_case = dtype_case(labels, weights);
  dispatch(weights == nullptr ? counts : sums, call, mode, options);
}

Dtype result_type(const ConstView *weights) {
  return weights == nullptr ? Dtype::u64 : Dtype::f64;
}

void into(const ConstView &labels, const ConstView *weights, const View &out,
          const Ignored &ignored, const Options &options) {
  check(labels, weights, options);
  validate::output(kOp, "out", out, {1, 1, out.shape[kW], 1}, {result_type(weights)});
  validate::overlap(kOp, "labels", out, labels, false);
  if (weights != nullptr) {
    validate::overlap(kOp, "weights", out, *weights, false);
  }
  const std::int64_t greatest = greatest_label(labels, ignored);
  if (greatest >= out.shape[kW]) {
    throw Error(kOp, "labels", fmt::format("the label {}", greatest),
                fmt::format("labels below {}, the bins of out", out.shape[kW]));
  }
  run(labels, weights, out, ignored, OutputMode::into, options);
}

Image fresh(const ConstView &labels, const ConstView *weights, const BincountOptions &bins,
            const Options &options) {
  check(labels, weights, options);
  if (bins.min_length < 0 || bins.min_length > kMostBins) {
    throw Error(kOp, "min_length", std::to_string(bins.min_length),
                fmt::format("0 to {}", kMostBins));
  }
  const std::int64_t greatest = greatest_label(labels, bins.ignore_label);
  if (greatest >= kMostBins) {
    throw Error(kOp, "labels", fmt::format("the label {}", greatest),
                fmt::format("labels below {}, or an output of enough bins", kMostBins));
  }
  Image out({1, 1, std::max(greatest + 1, bins.min_length), 1}, result_type(weights));
  run(labels, weights, out, bins.ignore_label, OutputMode::fresh, options);
  return out;
}

} // namespace

void unchecked::bincount(const ConstView &labels, const View &out, Ignored ignore_label,
                         const Options &options) {
  run(labels, nullptr, out, ignore_label, OutputMode::into, options);
}
void unchecked::bincount_weights(const ConstView &labels, const ConstView &weights, const View &out,
                                 Ignored ignore_label, const Options &options) {
  run(labels, &weights, out, ignore_label, OutputMode::into, options);
}

void bincount(const ConstView &labels, const View &out, Ignored ignore_label,
              const Options &options) {
  into(labels, nullptr, out, ignore_label, options);
}
void bincount_weights(const ConstView &labels, const ConstView &weights, const View &out,
                      Ignored ignore_label, const Options &options) {
  into(labels, &weights, out, ignore_label, options);
}

Image bincount(const ConstView &labels, const BincountOptions &bins, const Options &options) {
  return fresh(labels, nullptr, bins, options);
}
Image bincount_weights(const ConstView &labels, const ConstView &weights,
                       const BincountOptions &bins, const Options &options) {
  return fresh(labels, &weights, bins, options);
}

} // namespace switchyard

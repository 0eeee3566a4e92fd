// Pointwise ops through OpenCV.
//
// `opencv` takes one library call per operation: add, subtract, multiply, divide, min, max.
// `opencv_lut` sends u8 images through a table, which also serves what its own u8 arithmetic, half
// to even, would round otherwise.
// `opencv_convert` is convertTo, one pass, for scalars. A cv::Scalar has four slots; a vector of
// more channels is refused rather than wrapped.
#include <algorithm>
#include <cmath>

#include "candidates/common/domain.hpp"
#include "candidates/common/opencv_lut.hpp"
#include "candidates/common/opencv_mat.hpp"
#include "candidates/pointwise/adapters.hpp"

namespace switchyard::candidates::pointwise {
namespace {

// Whether OpenCV's own u8 arithmetic is exact here: whole numbers of a size that its int holds.
bool is_integer_arithmetic(const Expression &expression) {
  constexpr double kMost = 1e6;
  return expression.form == Form::clip ||
         (expression.form == Form::add && expression.a.whole_within(kMost));
}

// Why OpenCV's arithmetic doesn't serve a u8 result of a u8 image, or nullptr.
const char *refuses_integers(const Call &call, const Expression &expression) {
  const bool integers = call.in[0]->dtype == Dtype::u8 && call.out[0]->dtype == Dtype::u8;
  return integers && !is_integer_arithmetic(expression) ? "OpenCV rounds half to even" : nullptr;
}

template <class Out> cv::Mat table_of(const Expression &expression, std::int64_t tables) {
  cv::Mat table(1, 256, CV_MAKETYPE(cv::DataType<Out>::depth, static_cast<int>(tables)));
  for (std::int64_t c = 0; c < tables; ++c) {
    fill_table(expression, c, tables, table.ptr<Out>() + c);
  }
  return table;
}

// The f32 values of up to four channels: OpenCV calculates with a Scalar's doubles, where digits
// that f32 does not have would show.
cv::Scalar scalar_of(const Coefficients &coefficients, std::int64_t channels) {
  cv::Scalar scalar;
  for (std::int64_t c = 0; c < channels; ++c) {
    scalar[static_cast<int>(c)] = static_cast<double>(static_cast<float>(coefficients[c]));
  }
  return scalar;
}

void operate(const cv::Mat &in, cv::Mat &out, Form form, const cv::Scalar &a, const cv::Scalar &b) {
  const int depth = out.depth();
  switch (form) {
  case Form::add:
    return cv::add(in, a, out, cv::noArray(), depth);
  case Form::multiply:
    return cv::multiply(in, a, out, 1, depth);
  case Form::multiply_add:
    cv::multiply(in, a, out, 1, depth);
    return cv::add(out, b, out);
  case Form::subtract_multiply:
    cv::subtract(in, a, out, cv::noArray(), depth);
    return cv::multiply(out, b, out);
  case Form::divide:
    return cv::divide(in, a, out, 1, depth);
  case Form::clip:
    cv::max(in, a, out);
    return cv::min(out, b, out);
  default: // a copy: functions have adapters of their own
    return in.copyTo(out);
  }
}

// OpenCV converts what int cannot hold, infinities among it, to INT_MIN and so to 0; and it rounds
// half to even.
bool converts(const Call &call) {
  return call.in[0]->dtype == Dtype::f32 && call.out[0]->dtype != Dtype::f32;
}
const char *refuses_conversion(const Call &call, const Expression &expression) {
  return converts(call) && expression.rounding != Rounding::half_even ? "OpenCV rounds half to even"
                                                                      : nullptr;
}

template <class Out> void convert_safely(const cv::Mat &in, cv::Mat &out, float factor) {
  for (int row = 0; row < in.rows; ++row) {
    const auto *x = in.ptr<float>(row);
    auto *y = out.ptr<Out>(row);
    for (int k = 0; k < in.cols * in.channels(); ++k) {
      y[k] = half_even_to<Out>(x[k] * factor);
    }
  }
}

// body(in, out) where every product fits an int; otherwise the same result without OpenCV.
template <class Body>
void guarded(const cv::Mat &in, cv::Mat &out, const Expression &expression, Body &&body) {
  constexpr double kMost = 2e9;
  const auto factor = static_cast<float>(expression.a[0]);
  const double limit = kMost / std::max(1.0, std::fabs(static_cast<double>(factor)));
  if (std::isfinite(factor) && cv::checkRange(in, true, nullptr, -limit, limit)) {
    return body(in, out);
  }
  out.depth() == CV_8U ? convert_safely<std::uint8_t>(in, out, factor)
                       : convert_safely<std::uint16_t>(in, out, factor);
}

const char *refuses_mats(const Call &call, std::int64_t channels) {
  for (const ConstView *view : {call.in[0], static_cast<const ConstView *>(call.out[0])}) {
    if (const char *reason = refuses_mat(*view, channels)) {
      return reason;
    }
  }
  return nullptr;
}

// convertTo's alpha · x + beta.
struct Affine {
  double alpha = 1;
  double beta = 0;
};

Affine affine_of(const Expression &expression) {
  const double a = static_cast<double>(static_cast<float>(expression.a[0]));
  const double b = static_cast<double>(static_cast<float>(expression.b[0]));
  switch (expression.form) {
  case Form::add:
    return {1, a};
  case Form::multiply:
    return {a, 0};
  case Form::multiply_add:
    return {a, b};
  case Form::subtract_multiply:
    return {b, static_cast<double>(static_cast<float>(-a * b))};
  case Form::divide:
    return {1 / a, 0};
  default:
    return {};
  }
}

// The roundings of beta, of the product (where it is not fused) and of the sum stay within the
// tolerance as long as beta is far from both ends of f32; a beta below 2^-52 counts as 0.
const char *refuses_affine(const Expression &expression) {
  if (!expression.a.all_finite() || !expression.b.all_finite()) {
    return "a parameter is not finite: a fused product could hide an overflow";
  }
  const double mean = std::fabs(expression.a[0]);
  const double beta = std::fabs(affine_of(expression).beta);
  if (expression.form == Form::subtract_multiply) {
    if (mean > 0x1p100 || beta > 0x1p100) {
      return "mean or mean * scale could overflow";
    }
    if (beta < 0x1p-40 && mean != 0 && expression.b[0] != 0) {
      return "mean * scale is too small to be told from 0";
    }
  } else if (beta != 0 && beta < 0x1p-51) {
    return "OpenCV takes so small a value for 0";
  }
  return nullptr;
}

// x · (1 / a) is not x / a; for these divisors it stays within 1 ulp for every x.
bool divides_well(const Call &call, const Expression &expression) {
  return expression.a[0] == (call.in[0]->dtype == Dtype::u8 ? 255.0 : 65535.0);
}

} // namespace

const char *accepts_opencv(const Call &call, const Expression &expression) {
  const std::int64_t channels = expression.distinct(call.in[0]->channels());
  if (channels > 4) {
    return "a cv::Scalar holds four channels";
  }
  if (const char *reason = refuses_integers(call, expression)) {
    return reason;
  }
  if (const char *reason = refuses_conversion(call, expression)) {
    return reason;
  }
  if (const char *reason = refuses_mats(call, channels)) {
    return reason;
  }
  return refuses_wide(call);
}

void run_opencv(const Call &call, const Expression &expression) {
  const std::int64_t channels = expression.distinct(call.in[0]->channels());
  const cv::Scalar a = scalar_of(expression.a, channels);
  const cv::Scalar b = scalar_of(expression.b, channels);
  const auto calculate = [&](const cv::Mat &in, cv::Mat &out) {
    operate(in, out, expression.form, a, b);
  };
  for_each_mat<2>({call.in[0], call.out[0]}, channels, [&](const cv::Mat &in, cv::Mat &out) {
    converts(call) ? guarded(in, out, expression, calculate) : calculate(in, out);
  });
}

const char *accepts_opencv_lut(const Call &call, const Expression &expression) {
  if (const char *reason = refuses_mats(call, expression.distinct(call.in[0]->channels()))) {
    return reason;
  }
  return refuses_wide(call);
}

void run_opencv_lut(const Call &call, const Expression &expression) {
  const std::int64_t tables = expression.distinct(call.in[0]->channels());
  const cv::Mat table = call.out[0]->dtype == Dtype::u8 ? table_of<std::uint8_t>(expression, tables)
                                                        : table_of<float>(expression, tables);
  for_each_mat<2>({call.in[0], call.out[0]}, tables,
                  [&](const cv::Mat &in, cv::Mat &out) { lut_on_this_thread(in, table, out); });
}

const char *accepts_opencv_convert(const Call &call, const Expression &expression) {
  if (!expression.scalar()) {
    return "scalars only";
  }
  if (expression.form == Form::clip) {
    return "convertTo does not clip";
  }
  if (expression.form == Form::divide && !divides_well(call, expression)) {
    return "a reciprocal product is not proven for this divisor";
  }
  if (const char *reason = refuses_affine(expression)) {
    return reason;
  }
  if (const char *reason = refuses_conversion(call, expression)) {
    return reason;
  }
  if (const char *reason = refuses_mats(call, 1)) {
    return reason;
  }
  return refuses_wide(call);
}

void run_opencv_convert(const Call &call, const Expression &expression) {
  const Affine affine = affine_of(expression);
  const auto convert = [&](const cv::Mat &in, cv::Mat &out) {
    in.convertTo(out, out.depth(), affine.alpha, affine.beta);
  };
  for_each_mat<2>({call.in[0], call.out[0]}, 1, [&](const cv::Mat &in, cv::Mat &out) {
    converts(call) ? guarded(in, out, expression, convert) : convert(in, out);
  });
}

} // namespace switchyard::candidates::pointwise

// multiply_add through OpenCV: convertTo or multiply + add for f32, LUT for u8.
//
// OpenCV's own u8 arithmetic rounds half to even where the contract truncates, so u8 goes through
// a table. A cv::Scalar has four slots; a vector of more channels is refused rather than wrapped.
#include <cmath>

#include "candidates/common/domain.hpp"
#include "candidates/common/opencv_lut.hpp"
#include "candidates/common/opencv_mat.hpp"
#include "candidates/multiply_add/params.hpp"
#include "candidates/multiply_add/tables.hpp"
#include "switchyard/core/candidate.hpp"

namespace switchyard::candidates::multiply_add {
namespace {

void run_u8(const Call &call, const MultiplyAddParams &params) {
  const std::int64_t channels = call.in[0]->channels();
  const std::int64_t tables = table_count(params, channels);
  cv::Mat table(1, 256, CV_8UC(static_cast<int>(tables)));
  std::uint8_t column[256];
  for (std::int64_t c = 0; c < tables; ++c) {
    fill_table(params, c, column);
    for (int x = 0; x < 256; ++x) {
      table.ptr()[x * tables + c] = column[x];
    }
  }
  for_each_mat<2>({call.in[0], call.out[0]}, tables,
                  [&](const cv::Mat &in, cv::Mat &out) { lut_on_this_thread(in, table, out); });
}

void run_f32(const Call &call, const MultiplyAddParams &params) {
  if (params.factor.scalar() && params.value.scalar()) {
    for_each_mat<2>({call.in[0], call.out[0]}, 1, [&](const cv::Mat &in, cv::Mat &out) {
      in.convertTo(out, CV_32F, params.factor[0], params.value[0]);
    });
    return;
  }
  const std::int64_t channels = call.in[0]->channels();
  const cv::Scalar factor = scalar_of(params.factor, channels);
  const cv::Scalar value = scalar_of(params.value, channels);
  for_each_mat<2>({call.in[0], call.out[0]}, channels, [&](const cv::Mat &in, cv::Mat &out) {
    cv::multiply(in, factor, out);
    cv::add(out, value, out);
  });
}

// convertTo fuses the product into the sum, which may hide its overflow beside an infinite value,
// and takes a value below 2^-52 for 0.
const char *refuses_convert(const MultiplyAddParams &params) {
  if (!all_finite(params.value)) {
    return "not finite: a fused product could hide an overflow";
  }
  if (params.value[0] != 0 && std::fabs(params.value[0]) < 0x1p-51) {
    return "OpenCV takes so small a value for 0";
  }
  return nullptr;
}

} // namespace

const char *accepts_opencv(const Call &call) {
  const auto &params = call.params_as<MultiplyAddParams>();
  const ConstView &in = *call.in[0];
  const std::int64_t tables = table_count(params, in.channels());
  if (in.dtype == Dtype::f32 && tables > 4) {
    return "a cv::Scalar holds four channels";
  }
  if (in.dtype == Dtype::f32 && params.factor.scalar() && params.value.scalar()) {
    if (const char *reason = refuses_convert(params)) {
      return reason;
    }
  }
  for (const ConstView *view : {call.in[0], static_cast<const ConstView *>(call.out[0])}) {
    if (const char *reason = refuses_mat(*view, tables)) {
      return reason;
    }
  }
  return refuses_wide(call);
}

void run_opencv(const Call &call) {
  const auto &params = call.params_as<MultiplyAddParams>();
  call.in[0]->dtype == Dtype::u8 ? run_u8(call, params) : run_f32(call, params);
}

} // namespace switchyard::candidates::multiply_add

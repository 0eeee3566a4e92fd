// normalize through OpenCV: LUT with f32 tables for u8, subtract and multiply for f32, and for
// scalars convertTo in one pass.
//
// A cv::Scalar has four slots; a vector of more channels is refused rather than wrapped.
#include "candidates/common/domain.hpp"
#include "candidates/common/opencv_lut.hpp"
#include "candidates/common/opencv_mat.hpp"
#include "candidates/normalize/affine.hpp"
#include "candidates/normalize/params.hpp"
#include "candidates/normalize/tables.hpp"
#include "switchyard/core/candidate.hpp"

namespace switchyard::candidates::normalize {
namespace {

void run_u8(const Call &call, const NormalizeParams &params) {
  const std::int64_t tables = table_count(params, call.in[0]->channels());
  cv::Mat table(1, 256, CV_32FC(static_cast<int>(tables)));
  for (std::int64_t c = 0; c < tables; ++c) {
    fill_table(params, c, tables, table.ptr<float>() + c);
  }
  for_each_mat<2>({call.in[0], call.out[0]}, tables,
                  [&](const cv::Mat &in, cv::Mat &out) { lut_on_this_thread(in, table, out); });
}

void run_f32(const Call &call, const NormalizeParams &params) {
  const std::int64_t channels = table_count(params, call.in[0]->channels());
  const cv::Scalar mean = scalar_of(params.mean, channels);
  const cv::Scalar scale = scalar_of(params.scale, channels);
  for_each_mat<2>({call.in[0], call.out[0]}, channels, [&](const cv::Mat &in, cv::Mat &out) {
    cv::subtract(in, mean, out);
    cv::multiply(out, scale, out);
  });
}

const char *refuses_mats(const Call &call, std::int64_t channels) {
  for (const ConstView *view : {call.in[0], static_cast<const ConstView *>(call.out[0])}) {
    if (const char *reason = refuses_mat(*view, channels)) {
      return reason;
    }
  }
  return nullptr;
}

} // namespace

const char *accepts_opencv(const Call &call) {
  const auto &params = call.params_as<NormalizeParams>();
  const std::int64_t tables = table_count(params, call.in[0]->channels());
  if (call.in[0]->dtype == Dtype::f32 && tables > 4) {
    return "a cv::Scalar holds four channels";
  }
  const char *reason = refuses_mats(call, tables);
  return reason != nullptr ? reason : refuses_wide(call);
}

void run_opencv(const Call &call) {
  const auto &params = call.params_as<NormalizeParams>();
  call.in[0]->dtype == Dtype::u8 ? run_u8(call, params) : run_f32(call, params);
}

const char *accepts_opencv_convert(const Call &call) {
  const char *reason = refuses_mats(call, 1);
  return reason != nullptr ? reason : refuses_affine(call);
}

void run_opencv_convert(const Call &call) {
  const Affine affine = affine_of(call.params_as<NormalizeParams>());
  for_each_mat<2>({call.in[0], call.out[0]}, 1, [&](const cv::Mat &in, cv::Mat &out) {
    in.convertTo(out, CV_32F, static_cast<double>(affine.alpha), static_cast<double>(affine.beta));
  });
}

} // namespace switchyard::candidates::normalize

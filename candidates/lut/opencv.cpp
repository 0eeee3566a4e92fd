// lut through cv::LUT.
#include "candidates/common/opencv_lut.hpp"
#include "candidates/common/opencv_mat.hpp"
#include "candidates/lut/tables.hpp"

namespace switchyard::candidates::lut {
namespace {

template <class T> cv::Mat mat_of_table(const ConstView &table) {
  const auto channels = static_cast<int>(table.channels());
  const int type = CV_MAKETYPE(cv_depth(table.dtype), channels);
  if (is_dense(table)) {
    return {1, static_cast<int>(kEntries), type, const_cast<void *>(table.data)};
  }
  cv::Mat copy(1, static_cast<int>(kEntries), type);
  copy_table(table, copy.ptr<T>());
  return copy;
}

} // namespace

const char *accepts_opencv(const Call &call) {
  const std::int64_t channels = call.params_as<LutParams>().table.channels();
  for (const ConstView *view : {call.in[0], static_cast<const ConstView *>(call.out[0])}) {
    if (const char *reason = refuses_mat(*view, channels)) {
      return reason;
    }
  }
  return nullptr;
}

void run_opencv(const Call &call) {
  if (call.out[0]->empty()) {
    return;
  }
  const ConstView &table = call.params_as<LutParams>().table;
  const cv::Mat entries = call.out[0]->dtype == Dtype::u8 ? mat_of_table<std::uint8_t>(table)
                                                          : mat_of_table<float>(table);
  for_each_mat<2>({call.in[0], call.out[0]}, table.channels(),
                  [&](const cv::Mat &in, cv::Mat &out) { lut_on_this_thread(in, entries, out); });
}

} // namespace switchyard::candidates::lut

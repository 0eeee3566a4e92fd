// matmul through cv::gemm, which takes transposed matrices as they lie.
//
// It has no product of integers: u8 passes through f32 where sums stay below 2^24, else through
// f64; either holds every sum exactly.
#include "candidates/common/matrix.hpp"
#include "candidates/common/opencv_mat.hpp"
#include "candidates/common/turn.hpp"
#include "candidates/matmul/adapters.hpp"

namespace switchyard::candidates::matmul {
namespace {

// Most products of bytes whose sum is below 2^24.
constexpr std::int64_t kMostInF32 = 258;

// A matrix whose rows are dense, or whose columns are, as its transpose.
struct Operand {
  ConstView view;
  bool turned = false;
};

Operand operand_of(const ConstView &matrix) {
  if (refuses_mat(matrix) == nullptr) {
    return {matrix};
  }
  return {transposed(matrix), true};
}

cv::Mat factor_of(const Operand &operand, int depth) {
  cv::Mat mat = mat_of(operand.view, 0, 1);
  if (mat.depth() != depth) {
    cv::Mat converted;
    mat.convertTo(converted, depth);
    return converted;
  }
  return mat;
}

} // namespace

const char *accepts_opencv(const Call &call) {
  for (const ConstView *view : {call.in[0], call.in[1]}) {
    if (view->empty()) {
      return "an empty matrix"; // cv::gemm throws
    }
    if (const char *reason = refuses_mat(operand_of(*view).view)) {
      return reason;
    }
  }
  return refuses_mat(*call.out[0]);
}

void run_opencv(const Call &call) {
  const bool bytes = call.in[0]->dtype == Dtype::u8;
  const bool narrow =
      call.in[0]->dtype == Dtype::f32 || (bytes && call.in[0]->shape[kW] <= kMostInF32);
  const int depth = narrow ? CV_32F : CV_64F;
  for (std::int64_t x = 0; x < call.out[0]->shape[kX]; ++x) {
    const Operand a = operand_of(matrix::item(*call.in[0], x));
    const Operand b = operand_of(matrix::item(*call.in[1], x));
    const int flags = (a.turned ? cv::GEMM_1_T : 0) | (b.turned ? cv::GEMM_2_T : 0);
    cv::Mat out = mat_of(*call.out[0], x, 1);
    cv::Mat product = bytes ? cv::Mat() : out;
    cv::gemm(factor_of(a, depth), factor_of(b, depth), 1, cv::noArray(), 0, product, flags);
    if (bytes) {
      product.convertTo(out, CV_32S);
    }
  }
}

} // namespace switchyard::candidates::matmul

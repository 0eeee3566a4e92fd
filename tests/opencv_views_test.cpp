// Views of cv::Mat.
#include <catch2/catch.hpp>

#include <opencv2/core.hpp>

#include "switchyard/opencv.hpp"
#include "switchyard/switchyard.hpp"

using namespace switchyard;

TEST_CASE("A cv::Mat, a region of interest and a volume are seen as they lie") {
  cv::Mat image(7, 9, CV_8UC3);
  cv::randu(image, 0, 255);
  const View view = view_of(image);
  CHECK(view.shape == Extents{1, 7, 9, 3});
  CHECK(*view.at(0, 3, 4, 2) == static_cast<std::byte>(image.at<cv::Vec3b>(3, 4)[2]));

  const cv::Mat roi = image(cv::Rect(2, 1, 5, 4));
  cv::Mat out(4, 5, CV_8UC3);
  multiply_add(view_of(roi), 1, 1, view_of(out));
  for (int y = 0; y < 4; ++y) {
    for (int x = 0; x < 5; ++x) {
      for (int c = 0; c < 3; ++c) {
        REQUIRE(out.at<cv::Vec3b>(y, x)[c] ==
                std::min(255, image.at<cv::Vec3b>(y + 1, x + 2)[c] + 1));
      }
    }
  }
  const int sizes[] = {2, 3, 4};
  const cv::Mat volume(3, sizes, CV_32FC(2));
  const View deep = view_of(volume);
  CHECK(deep.shape == Extents{2, 3, 4, 2});
  CHECK(deep.strides == Extents{96, 32, 8, 4});
  CHECK(deep.rank == 4);
  CHECK(view_of(cv::Mat()).empty());
}

TEST_CASE("Mats that a view cannot describe are errors") {
  const int sizes[] = {2, 2, 2, 2};
  CHECK_THROWS_AS(view_of(cv::Mat(4, sizes, CV_8U)), Error);
  CHECK_THROWS_AS(view_of(cv::Mat(2, 2, CV_16F)), Error);
}

// OpenCV's pointwise arithmetic as a user writes it.
#include <algorithm>
#include <cmath>
#include <vector>

#include "bench/peers/opencv.hpp"
#include "candidates/add/params.hpp"
#include "candidates/add_weighted/params.hpp"
#include "candidates/clip/params.hpp"
#include "candidates/multiply/params.hpp"
#include "candidates/multiply_add/params.hpp"
#include "candidates/normalize/params.hpp"
#include "candidates/power/params.hpp"

namespace switchyard::peers::opencv {
namespace {

constexpr std::int64_t kSlots = 4; // of a cv::Scalar

cv::Scalar scalar_of(const Values &values, std::int64_t channels) {
  cv::Scalar scalar;
  for (std::int64_t c = 0; c < channels; ++c) {
    scalar[static_cast<int>(c)] = values[c];
  }
  return scalar;
}

// Matrices, and whether parameters per channel fit a cv::Scalar.
struct PerChannel : Mats {
  explicit PerChannel(const Call &call) : Mats(call), channels(call.in[0]->channels()) {}
  [[nodiscard]] bool usable() const { return Mats::usable() && channels <= kSlots; }
  std::int64_t channels;
};

// A table of 256 × C entries, made in every call, as parameters come with every call.
template <class T, class Function> Bound through_table(const Call &call, Function function) {
  const Mats m(call);
  if (!m.usable() || m.x.depth() != CV_8U || m.y.depth() != cv::DataType<T>::depth) {
    return {};
  }
  const int channels = m.x.channels();
  return [m, channels, function, table = cv::Mat(1, 256, m.y.type())]() mutable {
    for (int v = 0; v < 256; ++v) {
      T *entry = table.template ptr<T>(0) + std::ptrdiff_t{v} * channels;
      for (int c = 0; c < channels; ++c) {
        entry[c] = cv::saturate_cast<T>(function(static_cast<float>(v), c));
      }
    }
    cv::LUT(m.x, table, m.y);
  };
}

// ---- add ---------------------------------------------------------------------------------------

Bound add_scalar(const Call &call) {
  const Mats m(call);
  const double v = call.params_as<AddParams>().value[0];
  return m.usable() ? Bound([m, v] { cv::add(m.x, v, m.y); }) : Bound();
}

Bound add_vector(const Call &call) {
  const PerChannel m(call);
  const Values v = call.params_as<AddParams>().value;
  return m.usable() ? Bound([m, v] { cv::add(m.x, scalar_of(v, m.channels), m.y); }) : Bound();
}

Bound add_table(const Call &call) {
  const Values v = call.params_as<AddParams>().value;
  return through_table<std::uint8_t>(
      call, [v](float x, int c) { return x + std::trunc(static_cast<float>(v[c])); });
}

Bound add_array(const Call &call) {
  const Mats m(call);
  const cv::Mat v = mat_of(*call.in[1]);
  if (!m.usable() || v.empty() || v.size() != m.x.size() || v.type() == -1 ||
      v.channels() != m.x.channels()) {
    return {};
  }
  return [m, v] { cv::add(m.x, v, m.y, cv::noArray(), m.y.depth()); };
}

// ---- multiply, multiply_add --------------------------------------------------------------------

Bound multiply_scalar(const Call &call) {
  const Mats m(call);
  const double f = call.params_as<MultiplyParams>().factor[0];
  return m.usable() ? Bound([m, f] { m.x.convertTo(m.y, -1, f, 0); }) : Bound();
}

Bound multiply_vector(const Call &call) {
  const PerChannel m(call);
  const Values f = call.params_as<MultiplyParams>().factor;
  return m.usable() ? Bound([m, f] { cv::multiply(m.x, scalar_of(f, m.channels), m.y); }) : Bound();
}

Bound multiply_table(const Call &call) {
  const Values f = call.params_as<MultiplyParams>().factor;
  return through_table<std::uint8_t>(
      call, [f](float x, int c) { return std::trunc(x * static_cast<float>(f[c])); });
}

Bound multiply_array(const Call &call) {
  const Mats m(call);
  const cv::Mat f = mat_of(*call.in[1]);
  if (!m.usable() || f.empty() || f.size() != m.x.size() || f.channels() != m.x.channels()) {
    return {};
  }
  return [m, f] { cv::multiply(m.x, f, m.y, 1, m.y.depth()); };
}

Bound multiply_add_scalar(const Call &call) {
  const Mats m(call);
  const auto &p = call.params_as<MultiplyAddParams>();
  const double f = p.factor[0];
  const double v = p.value[0];
  return m.usable() ? Bound([m, f, v] { m.x.convertTo(m.y, -1, f, v); }) : Bound();
}

// In u8 the product would be rounded and clipped before the sum.
Bound multiply_add_vector(const Call &call) {
  const PerChannel m(call);
  const auto &p = call.params_as<MultiplyAddParams>();
  if (!m.usable()) {
    return {};
  }
  if (m.x.depth() == CV_8U) {
    return [m, p, work = cv::Mat(m.x.size(), CV_32FC(m.x.channels()))]() mutable {
      cv::multiply(m.x, scalar_of(p.factor, m.channels), work, 1, CV_32F);
      cv::add(work, scalar_of(p.value, m.channels), m.y, cv::noArray(), CV_8U);
    };
  }
  return [m, p] {
    cv::multiply(m.x, scalar_of(p.factor, m.channels), m.y);
    cv::add(m.y, scalar_of(p.value, m.channels), m.y);
  };
}

Bound multiply_add_table(const Call &call) {
  const auto &p = call.params_as<MultiplyAddParams>();
  return through_table<std::uint8_t>(call, [p](float x, int c) {
    return std::trunc(x * static_cast<float>(p.factor[c]) + static_cast<float>(p.value[c]));
  });
}

Bound multiply_add_array(const Call &call) {
  const Mats m(call);
  const cv::Mat f = mat_of(*call.in[1]);
  const cv::Mat v = mat_of(*call.in[2]);
  if (!m.usable() || f.empty() || v.empty() || f.size() != m.x.size() || v.size() != m.x.size() ||
      f.channels() != m.x.channels() || v.channels() != m.x.channels()) {
    return {};
  }
  return [m, f, v, work = cv::Mat(m.x.size(), CV_32FC(m.x.channels()))]() mutable {
    cv::multiply(m.x, f, work, 1, CV_32F);
    cv::add(work, v, m.y, cv::noArray(), m.y.depth());
  };
}

Bound add_weighted(const Call &call) {
  const Mats m(call);
  const cv::Mat b = mat_of(*call.in[1]);
  const auto &p = call.params_as<AddWeightedParams>();
  if (!m.usable() || b.empty()) {
    return {};
  }
  return [m, b, p] { cv::addWeighted(m.x, p.weight_a, b, p.weight_b, 0, m.y); };
}

// ---- functions ---------------------------------------------------------------------------------

Bound power_table(const Call &call) {
  const Values e = call.params_as<PowerParams>().exponent;
  return through_table<std::uint8_t>(
      call, [e](float x, int c) { return std::trunc(std::pow(x, static_cast<float>(e[c]))); });
}

Bound power(const Call &call) {
  const Mats m(call);
  const double e = call.params_as<PowerParams>().exponent[0];
  if (!m.usable() || m.x.depth() != CV_32F) {
    return {};
  }
  return [m, e] { cv::pow(m.x, e, m.y); };
}

// cv::pow has one exponent: a plane at a time.
Bound power_planes(const Call &call) {
  const Mats m(call);
  const Values e = call.params_as<PowerParams>().exponent;
  if (!m.usable() || m.x.depth() != CV_32F) {
    return {};
  }
  using Planes = std::vector<cv::Mat>;
  return [m, e, planes = Planes(), powers = Planes(m.x.channels())]() mutable {
    cv::split(m.x, planes);
    for (std::size_t c = 0; c < planes.size(); ++c) {
      cv::pow(planes[c], e[static_cast<std::int64_t>(c)], powers[c]);
    }
    cv::merge(powers, m.y);
  };
}

template <class Function> Bound function_of(const Call &call, Function function) {
  const Mats m(call);
  return m.usable() ? Bound([m, function] { function(m.x, m.y); }) : Bound();
}

Bound exp(const Call &call) {
  return function_of(call, [](const cv::Mat &x, const cv::Mat &y) { cv::exp(x, y); });
}
Bound log(const Call &call) {
  return function_of(call, [](const cv::Mat &x, const cv::Mat &y) { cv::log(x, y); });
}
Bound sqrt(const Call &call) {
  return function_of(call, [](const cv::Mat &x, const cv::Mat &y) { cv::sqrt(x, y); });
}

// ---- normalize, clip ---------------------------------------------------------------------------

Bound normalize_convert(const Call &call) {
  const Mats m(call);
  const auto &p = call.params_as<NormalizeParams>();
  const double scale = p.scale[0];
  const double offset = -p.mean[0] * scale;
  return m.usable() ? Bound([m, scale, offset] { m.x.convertTo(m.y, CV_32F, scale, offset); })
                    : Bound();
}

Bound normalize_steps(const Call &call) {
  const PerChannel m(call);
  const auto &p = call.params_as<NormalizeParams>();
  if (!m.usable()) {
    return {};
  }
  if (m.x.depth() == CV_32F) {
    return [m, p] {
      cv::subtract(m.x, scalar_of(p.mean, m.channels), m.y);
      cv::multiply(m.y, scalar_of(p.scale, m.channels), m.y);
    };
  }
  return [m, p] {
    m.x.convertTo(m.y, CV_32F);
    cv::subtract(m.y, scalar_of(p.mean, m.channels), m.y);
    cv::multiply(m.y, scalar_of(p.scale, m.channels), m.y);
  };
}

Bound normalize_table(const Call &call) {
  const auto &p = call.params_as<NormalizeParams>();
  return through_table<float>(call, [p](float x, int c) {
    return (x - static_cast<float>(p.mean[c])) * static_cast<float>(p.scale[c]);
  });
}

Bound clip_scalar(const Call &call) {
  const Mats m(call);
  const auto &p = call.params_as<ClipParams>();
  const double low = p.low[0];
  const double high = p.high[0];
  if (!m.usable()) {
    return {};
  }
  if (m.x.depth() == m.y.depth()) {
    return [m, low, high] {
      cv::max(m.x, low, m.y);
      cv::min(m.y, high, m.y);
    };
  }
  return [m, low, high, work = cv::Mat(m.x.size(), m.x.type())]() mutable {
    cv::max(m.x, low, work);
    cv::min(work, high, work);
    work.convertTo(m.y, m.y.depth());
  };
}

Bound clip_vector(const Call &call) {
  const PerChannel m(call);
  const auto &p = call.params_as<ClipParams>();
  if (!m.usable()) {
    return {};
  }
  if (m.x.depth() == m.y.depth()) {
    return [m, p] {
      cv::max(m.x, scalar_of(p.low, m.channels), m.y);
      cv::min(m.y, scalar_of(p.high, m.channels), m.y);
    };
  }
  return [m, p, work = cv::Mat(m.x.size(), m.x.type())]() mutable {
    cv::max(m.x, scalar_of(p.low, m.channels), work);
    cv::min(work, scalar_of(p.high, m.channels), work);
    work.convertTo(m.y, m.y.depth());
  };
}

constexpr Expression kPointwise[] = {
    {"add/scalar", "cv::add(x, v, y)", add_scalar},
    {"add/vector", "cv::add(x, Scalar(v…), y)", add_vector},
    {"add/vector", "cv::LUT(x, table of C channels, y)", add_table},
    {"add/array", "cv::add(x, v, y, noArray(), depth)", add_array},
    {"multiply/scalar", "x.convertTo(y, -1, f, 0)", multiply_scalar},
    {"multiply/vector", "cv::multiply(x, Scalar(f…), y)", multiply_vector},
    {"multiply/vector", "cv::LUT(x, table of C channels, y)", multiply_table},
    {"multiply/array", "cv::multiply(x, f, y, 1, depth)", multiply_array},
    {"multiply_add/scalar", "x.convertTo(y, -1, f, v)", multiply_add_scalar},
    {"multiply_add/vector", "cv::multiply(x, Scalar(f…), t); cv::add(t, Scalar(v…), y)",
     multiply_add_vector},
    {"multiply_add/vector", "cv::LUT(x, table of C channels, y)", multiply_add_table},
    {"multiply_add/array", "cv::multiply(x, f, t, 1, CV_32F); cv::add(t, v, y)",
     multiply_add_array},
    {"add_weighted", "cv::addWeighted(a, wa, b, wb, 0, y)", add_weighted},
    {"power/scalar", "cv::LUT(x, table, y)", power_table},
    {"power/scalar", "cv::pow(x, e, y)", power},
    {"power/vector", "cv::LUT(x, table of C channels, y)", power_table},
    {"power/vector", "cv::split; cv::pow per plane; cv::merge", power_planes},
    {"exp", "cv::exp(x, y)", exp},
    {"log", "cv::log(x, y)", log},
    {"sqrt", "cv::sqrt(x, y)", sqrt},
    {"normalize/scalar", "x.convertTo(y, CV_32F, s, -m * s)", normalize_convert},
    {"normalize/scalar", "cv::LUT(x, f32 table, y)", normalize_table},
    {"normalize/vector", "x.convertTo(y, CV_32F); cv::subtract; cv::multiply", normalize_steps},
    {"normalize/vector", "cv::LUT(x, f32 table of C channels, y)", normalize_table},
    {"clip/scalar", "cv::max(x, low, y); cv::min(y, high, y)", clip_scalar},
    {"clip/vector", "cv::max(x, Scalar(low…), y); cv::min(y, Scalar(high…), y)", clip_vector},
};

} // namespace

std::span<const Expression> pointwise() {
  return kPointwise;
}

} // namespace switchyard::peers::opencv

// Reads arrays that numpy.save has written: format 1.0, C order, little-endian numbers.
//
// https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html: the magic string, two
// bytes of version, two of header length, and a header that is a Python literal of three keys.
#pragma once

#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "switchyard/core/dtype.hpp"

namespace switchyard::npy {

struct Array {
  Dtype dtype = Dtype::u8;
  std::vector<std::int64_t> shape;
  std::vector<char> bytes;

  template <class T> [[nodiscard]] const T *data() const {
    return static_cast<const T *>(static_cast<const void *>(bytes.data()));
  }
};

namespace detail {

// The text between a key and what follows its value: "'descr': '<f4'" → "<f4" for the ends '.
inline std::string value_of(const std::string &header, std::string_view key, char open,
                            char close) {
  const std::size_t at = header.find("'" + std::string(key) + "': ");
  const std::size_t begin = at == std::string::npos ? at : header.find(open, at + key.size() + 3);
  const std::size_t end = begin == std::string::npos ? begin : header.find(close, begin + 1);
  if (end == std::string::npos) {
    throw std::runtime_error("npy: no " + std::string(key) + " in the header");
  }
  return header.substr(begin + 1, end - begin - 1);
}

inline Dtype dtype_of(std::string_view descr) {
  constexpr std::pair<std::string_view, Dtype> kNames[] = {
      {"|u1", Dtype::u8},  {"|i1", Dtype::i8},  {"<u2", Dtype::u16},
      {"<i2", Dtype::i16}, {"<i4", Dtype::i32}, {"<i8", Dtype::i64},
      {"<u8", Dtype::u64}, {"<f4", Dtype::f32}, {"<f8", Dtype::f64}};
  for (const auto &[name, dtype] : kNames) {
    if (name == descr) {
      return dtype;
    }
  }
  throw std::runtime_error("npy: elements of type " + std::string(descr));
}

} // namespace detail

// Throws std::runtime_error for a file that is missing or of another form.
inline Array read(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  if (text.size() < 10 || text.compare(0, 8, std::string_view("\x93NUMPY\x01\0", 8)) != 0) {
    throw std::runtime_error("npy: " + path + " is missing or not of format 1.0");
  }
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const std::size_t begin = std::size_t{10} + byte(8) + 256U * byte(9);
  const std::string header = text.substr(10, begin - 10);
  if (header.find("'fortran_order': False") == std::string::npos) {
    throw std::runtime_error("npy: " + path + " is not in C order");
  }
  Array array;
  array.dtype = detail::dtype_of(detail::value_of(header, "descr", '\'', '\''));
  std::size_t size = static_cast<std::size_t>(size_of(array.dtype));
  const std::string shape = detail::value_of(header, "shape", '(', ')');
  for (std::size_t at = shape.find_first_of("0123456789"); at != std::string::npos;
       at = shape.find_first_of("0123456789", shape.find(',', at))) {
    array.shape.push_back(std::stoll(shape.substr(at)));
    size *= static_cast<std::size_t>(array.shape.back());
    if (shape.find(',', at) == std::string::npos) {
      break;
    }
  }
  if (begin > text.size() || text.size() - begin != size) {
    throw std::runtime_error("npy: " + path + " is cut short, or longer than its shape");
  }
  array.bytes.assign(text.begin() + static_cast<std::ptrdiff_t>(begin), text.end());
  return array;
}

} // namespace switchyard::npy

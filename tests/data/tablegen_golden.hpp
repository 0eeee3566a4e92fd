// Written by switchyard_tablegen from evidence: do not edit, change the evidence instead.
// clang-format off
#include "router/compiled_routes.hpp"

#include <limits>

namespace switchyard {
namespace {

// a-empty

// x86_64-synthetic
constexpr RouteAlternative kAlternatives1[] = {
    {"fused", 1}, {"numkong", 1}, {"opencv", 1}, {"aten", 1}, {"loop", 1}, // 0
    {"loop", 1}, // 5
    {"fused", 1}, {"opencv", 1}, {"lut", 1}, {"numkong", 1}, {"aten", 1}, {"loop", 1}, // 6
    {"opencv", 1}, {"fused", 1}, {"lut", 1}, {"numkong", 1}, {"aten", 1}, {"loop", 1}, // 12
    {"fused", 2}, {"fused", 1}, {"lut", 1}, {"numkong", 1}, {"opencv", 1}, {"aten", 1}, {"loop", 1}, // 18
};
constexpr Route kRoutes1[] = {
    // fused t1; nothing else measured; scale/scalar#f32 64x80x1 plane in_place hot t1 tone
    {"scale/scalar", "f32", 1, LayoutClass::plane, OutputMode::in_place, 1, 0, kUnbounded, 5120, 5120, 0, 5, 0.0000F, 0.0000F, 0.0000F, ""},
    // loop t1; aten t1 takes 33.3 % longer [33.3, 33.3]; scale/scalar#f32 64x80x3 contiguous into hot t1 tone
    {"scale/scalar", "f32", 3, LayoutClass::contiguous, OutputMode::into, 1, 0, kUnbounded, 15360, 15360, 5, 1, 0.3333F, 0.3333F, 0.3334F, ""},
    // fused t1; opencv t1 takes 161.1 % longer [161.0, 163.6]; scale/scalar#u8 24x32x3 contiguous into hot t1 tone and 2 more, up to u8 128x160x3 contiguous into hot t1 tone
    {"scale/scalar", "u8", 3, LayoutClass::contiguous, OutputMode::into, 1, 0, 118978, 2304, 2359296, 6, 6, 1.6107F, 1.6103F, 1.6358F, ""},
    // opencv t1; fused t1 takes 156.4 % longer [154.0, 156.4]; scale/scalar#u8 240x320x3 contiguous into hot t1 tone and 2 more, up to u8 768x1024x3 contiguous into hot t1 tone
    {"scale/scalar", "u8", 3, LayoutClass::contiguous, OutputMode::into, 1, 118978, kUnbounded, 2304, 2359296, 12, 6, 1.5642F, 1.5403F, 1.5643F, ""},
    // fused t1; opencv t1 takes 161.1 % longer [161.0, 163.6]; scale/scalar#u8 24x32x3 contiguous into hot t1 tone and 2 more, up to u8 128x160x3 contiguous into hot t1 tone
    {"scale/scalar", "u8", 3, LayoutClass::contiguous, OutputMode::into, 2, 0, 118978, 921600, 921600, 6, 6, 1.6107F, 1.6103F, 1.6358F, ""},
    // opencv t1; fused t1 takes 100.8 % longer [98.8, 100.8]; scale/scalar#u8 240x320x3 contiguous into hot t1 tone
    {"scale/scalar", "u8", 3, LayoutClass::contiguous, OutputMode::into, 2, 118978, 460800, 921600, 921600, 12, 6, 1.0075F, 0.9885F, 1.0078F, ""},
    // fused t2; fused t1 takes 82.5 % longer [80.8, 82.5]; scale/scalar#u8 480x640x3 contiguous into hot t2 tone
    {"scale/scalar", "u8", 3, LayoutClass::contiguous, OutputMode::into, 2, 460800, kUnbounded, 921600, 921600, 18, 7, 0.8251F, 0.8077F, 0.8255F, ""},
    // fused t1; opencv t1 takes 198.8 % longer [too few rounds]; scale/scalar#u8 64x80x4 contiguous into hot t1 tone
    {"scale/scalar", "u8", 4, LayoutClass::contiguous, OutputMode::into, 1, 0, kUnbounded, 20480, 20480, 6, 6, 1.9882F, -1.0000F, std::numeric_limits<float>::infinity(), ""},
};

constexpr RouteTable kTables[] = {
    {"a-empty", "618cae9538296f81", {}, {}},
    {"x86_64-synthetic", "618cae9538296f81", kRoutes1, kAlternatives1},
};

} // namespace

std::span<const RouteTable> compiled_routes() {
  return kTables;
}

} // namespace switchyard

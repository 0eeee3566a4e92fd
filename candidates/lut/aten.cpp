// lut through eager ATen: the image as an index array, then take.
#include "candidates/common/aten_tensor.hpp"
#include "candidates/lut/tables.hpp"

namespace switchyard::candidates::lut {
namespace {

// The table's entries in a row, entry x of channel c at x · C + c.
at::Tensor entries_of(const ConstView &table) {
  at::Tensor entries = at::empty({kEntries * table.channels()}, aten_type(table.dtype));
  if (table.dtype == Dtype::u8) {
    copy_table(table, entries.data_ptr<std::uint8_t>());
  } else {
    copy_table(table, entries.data_ptr<float>());
  }
  return entries;
}

} // namespace

// The index takes 8 bytes an element: beyond this it would crowd out the caller's own memory.
constexpr std::int64_t kMostElements = std::int64_t{1} << 28;

const char *accepts_aten(const Call &call) {
  if (call.in[0]->elements() > kMostElements) {
    return "more than 2^28 elements";
  }
  for (const ConstView *view : {call.in[0], static_cast<const ConstView *>(call.out[0])}) {
    if (const char *reason = refuses_tensor(*view)) {
      return reason;
    }
  }
  return nullptr;
}

void run_aten(const Call &call) {
  const AtenScope scope;
  const ConstView &table = call.params_as<LutParams>().table;
  at::Tensor index = tensor_of(*call.in[0]).to(at::kLong);
  if (table.channels() > 1) {
    index.mul_(table.channels()).add_(at::arange(table.channels(), at::kLong));
  }
  at::Tensor out = tensor_of(*call.out[0]);
  at::take_out(out, entries_of(table), index);
}

} // namespace switchyard::candidates::lut

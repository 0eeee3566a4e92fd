// What a class's sizes can be made to tell beyond their own rows: cells of about one size decide
// together, cells whose limit is in doubt decide nothing, and classes of several threads know what
// one thread takes on smaller sizes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tablegen/classes.hpp"

namespace switchyard::tablegen {

// Cells whose sizes differ by no more than this ratio are of one size: a ragged image beside one
// whose rows fill vectors. The route there is the one that is best over both, since a call's size
// does not say which of them it is.
inline constexpr double kSameSize = 1.1;

// Adds a cell to the class's points. Cells come by size.
void add_cell(std::vector<Point> &points, std::int64_t size, CellRows cell);

// Takes out the cells in which an alternative was faster than a limit allows, though in the cells
// of the sizes below and above it is believable and the best: there the limit is in doubt, not the
// alternative, and a slower one must not get the route from that. Returns their keys. An
// alternative that is impossible at the first or the last size, or at two sizes in a row, is not
// believed; its cells stay, without it.
[[nodiscard]] std::vector<std::string> take_out_doubtful(ClassData &data);

// Gives a class of several threads the points of `fewer`, the same class with a smaller thread
// budget, below its own smallest size: small images stay on the threads that serve them best, and
// by the ranking that was measured for their size. They are marked as inherited.
void inherit_smaller(ClassData &data, const ClassData &fewer, const VariantInfo &variant);

} // namespace switchyard::tablegen

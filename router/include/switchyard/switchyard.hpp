// Switchyard: image and tensor ops that take the fastest correct route on this machine.
#pragma once

#include "switchyard/core/dtype.hpp"
#include "switchyard/core/error.hpp"
#include "switchyard/core/view.hpp"
#include "switchyard/image.hpp"
#include "switchyard/ops.hpp"
#include "switchyard/options.hpp"
#include "switchyard/parameter.hpp"
#include "switchyard/pool.hpp"
#include "switchyard/routes.hpp"

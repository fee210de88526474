// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

namespace batchwise {

/// gelu in its exact and tanh forms (Hendrycks and Gimpel 2016, section 2).
enum class ActivationKind : std::uint32_t { Gelu, GeluTanh, Relu };

}  // namespace batchwise

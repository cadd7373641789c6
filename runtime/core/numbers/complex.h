// Element types of complex numbers: two parts, the real one first, as C, Fortran and NumPy have
// them.
#pragma once

#include <complex>
#include <concepts>

namespace opweave {

using ComplexFloat = std::complex<float>;
using ComplexDouble = std::complex<double>;  // of numbers; tensors have none yet

template <class T>
concept Complex = std::same_as<T, ComplexFloat> || std::same_as<T, ComplexDouble>;

}  // namespace opweave

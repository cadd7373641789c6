// A kernel launched from C++: sets n floats on the device.
#pragma once

void fill(float* out, float value, int n);

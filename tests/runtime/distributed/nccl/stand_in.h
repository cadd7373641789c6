// What tests ask of the library that stands in for NCCL, beside NCCL's own functions.
#pragma once

extern "C" {

// All calls of functions of NCCL that this process has made since the last time, a line each, in
// the order in which they were made. Valid until the next call.
const char* nccl_stand_in_calls();
// From now on every call of a function ("ncclAllReduce") returns a result (2, ncclSystemError);
// 0 for none any more. "async" is what every communicator says of itself when it is asked.
void nccl_stand_in_fail(const char* function, int result);
// The version that it has; 0 for the usual one.
void nccl_stand_in_version(int version);
}

// A benchmark process: reads numbers of runs, one a line, and answers each with the seconds it
// took.
#pragma once

#include <chrono>
#include <cstdint>
#include <iostream>

template <class Body>
double seconds_of(int64_t runs, Body&& body) {
  const auto start = std::chrono::steady_clock::now();
  for (int64_t i = 0; i < runs; ++i) body();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

template <class Body>
int serve(Body&& body) {
  for (int64_t runs; std::cin >> runs;) std::cout << seconds_of(runs, body) << std::endl;
  return 0;
}

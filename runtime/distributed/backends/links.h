// Link: what the connection between two ranks is like.
#pragma once

namespace opweave::distributed {

// Time of m messages of b bytes that one rank sends at once: latency + (m - 1) gap + m b /
// bandwidth. The model is LogGP's, with a word's overhead in the latency (Alexandrov, Ionescu,
// Schauser and Scheiman, 1995).
struct Link {
  double latency = 0, gap = 0;  // s
  double bandwidth = 0;         // bytes/s
};

// Between ranks of one host, and of two.
struct Links {
  Link within, between;
};

}  // namespace opweave::distributed

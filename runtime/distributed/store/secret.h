// How both ends of a connection show that they know a secret without sending it.
//
// Each side makes a number that is used once; the HMAC-SHA256 of both numbers, under the secret, is
// the proof. The client proves itself first, so that a stranger who connects gets nothing that
// depends on the secret; then the server does, so that nobody else can pretend to be it. It keeps
// strangers out; messages themselves are neither signed nor encrypted.
#pragma once

#include <string>
#include <string_view>

namespace opweave::distributed {

enum class Side { kClient, kServer };

// Bytes that nobody can guess, different each time.
std::string make_nonce();
std::string prove(std::string_view secret, Side side, std::string_view client_nonce,
                  std::string_view server_nonce);
// In a time that does not depend on where two proofs differ.
bool same_proof(std::string_view a, std::string_view b);

}  // namespace opweave::distributed

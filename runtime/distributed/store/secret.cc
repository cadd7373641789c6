// Nonces and proofs, by libsodium.
#include "runtime/distributed/store/secret.h"

#include <sodium.h>

#include "runtime/core/base/error.h"
#include "runtime/distributed/store/frame.h"

namespace opweave::distributed {
namespace {

static_assert(kTokenBytes == crypto_auth_hmacsha256_BYTES);

void initialize() {
  static const bool ready = sodium_init() >= 0;
  OW_CHECK(ready, "libsodium cannot be initialised: the system has no source of random numbers");
}

const unsigned char* bytes(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

}  // namespace

std::string make_nonce() {
  initialize();
  std::string nonce(kTokenBytes, '\0');
  randombytes_buf(nonce.data(), nonce.size());
  return nonce;
}

std::string prove(std::string_view secret, Side side, std::string_view client_nonce,
                  std::string_view server_nonce) {
  initialize();
  const std::string_view name = side == Side::kClient ? "OWS1 client" : "OWS1 server";
  crypto_auth_hmacsha256_state state;
  crypto_auth_hmacsha256_init(&state, bytes(secret), secret.size());
  for (std::string_view part : {name, client_nonce, server_nonce}) {
    crypto_auth_hmacsha256_update(&state, bytes(part), part.size());
  }
  std::string proof(kTokenBytes, '\0');
  crypto_auth_hmacsha256_final(&state, reinterpret_cast<unsigned char*>(proof.data()));
  return proof;
}

bool same_proof(std::string_view a, std::string_view b) {
  return a.size() == b.size() && sodium_memcmp(a.data(), b.data(), a.size()) == 0;
}

}  // namespace opweave::distributed

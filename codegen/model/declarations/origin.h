// Where an operator comes from.
#pragma once

#include "codegen/diagnostics/source.h"

namespace opweave::codegen {

struct Operator;

struct Origin {
  Span span;              // the entry in ops.yaml; of a derived one that of what it is derived from
  bool imported = false;  // belongs to another library: known for calls, never emitted
  // Of a backward operator that is generated: the operator whose gradient it computes, which
  // decides the files it is printed to. Null for all others.
  const Operator* gradient_of = nullptr;
};

}  // namespace opweave::codegen

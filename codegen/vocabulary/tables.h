// Where the words come from: the keys of files, and what stands behind them.
#pragma once

#include <vector>

#include "codegen/vocabulary/vocabulary.h"

namespace opweave::codegen {

// Keys, and the words of closed sets.
std::vector<WordTopic> file_topics();
// What schemas, expressions, formulas and rules are made of.
std::vector<WordTopic> language_topics();

}  // namespace opweave::codegen

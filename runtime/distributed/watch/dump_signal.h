// A signal that asks for the flight record.
#pragma once

namespace opweave::distributed {

// From now on; the watchdog writes it with its next look. Says on stderr, and leaves it, where the
// program handles that signal itself.
void dump_on_signal(int signal);
// Whether one came since the last time this was asked.
bool take_asked_dump() noexcept;

}  // namespace opweave::distributed

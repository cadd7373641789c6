"""A group of several backends of which some are written in Python: a part for each type of device."""

from opweave._distributed import ProcessGroup


class RoutedGroup(ProcessGroup):
    """Hands each collective to the part that carries tensors of its device.

    `parts` are groups of the same ranks, by the type of device. What has no tensors goes to the first.
    """

    def __init__(self, rank, size, parts):
        super().__init__(rank, size)
        self.parts = parts

    def part_of(self, kind, tensors):
        """The part that carries these tensors; RuntimeError where none does, or no single one."""
        devices = {t.device.type for t in tensors}
        if not devices:
            return next(iter(self.parts.values()))
        device = devices.pop()
        if devices:
            raise RuntimeError(
                f"{kind}(): expected tensors on one type of device, got {device} and {devices.pop()}"
            )
        if device not in self.parts:
            known = ", ".join(self.parts)
            raise RuntimeError(
                f"{kind}(): the group '{self.group_name}' takes no tensors on {device}, "
                f"it has backends for {known}"
            )
        return self.parts[device]

    def _set_timeout(self, timeout):
        ProcessGroup._set_timeout(self, timeout)
        for part in _different(self.parts):
            part._set_timeout(timeout)

    def _abort(self, reason):
        for part in _different(self.parts):
            part.abort(reason)

    def shutdown(self):
        """Leaves all of them."""
        for part in _different(self.parts):
            part._leave()


def _different(parts):
    """Each once: one part may carry tensors of several types."""
    return {id(part): part for part in parts.values()}.values()

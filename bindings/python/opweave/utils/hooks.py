"""The handle of a registered hook."""

from opweave._hooks import RemovableHandle  # noqa: F401

"""The old name of opweave.hub.load_state_dict_from_url()."""

from opweave.hub import load_state_dict_from_url as load_url

__all__ = ["load_url"]

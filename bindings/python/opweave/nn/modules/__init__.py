"""The modules of opweave.nn."""

"""`python -m opweave`: what a report of a bug has to say."""

from opweave import __config__

print(__config__.show(), end="")

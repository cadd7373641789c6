# Types of opweave.signal.
from opweave.signal import windows as windows

# Types of opweave.amp.
from opweave.amp.autocast_mode import autocast as autocast
from opweave.amp.autocast_mode import custom_bwd as custom_bwd
from opweave.amp.autocast_mode import custom_fwd as custom_fwd
from opweave.amp.autocast_mode import is_autocast_available as is_autocast_available
from opweave.amp.grad_scaler import GradScaler as GradScaler

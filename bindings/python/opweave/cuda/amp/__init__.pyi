# Types of opweave.cuda.amp: PyTorch's older names, which do not ask for the kind of device.
from opweave.cuda.amp.autocast_mode import autocast as autocast
from opweave.cuda.amp.autocast_mode import custom_bwd as custom_bwd
from opweave.cuda.amp.autocast_mode import custom_fwd as custom_fwd
from opweave.cuda.amp.grad_scaler import GradScaler as GradScaler

# Types of opweave.distributed.device_mesh.
from opweave.distributed import DeviceMesh as DeviceMesh
from opweave.distributed import init_device_mesh as init_device_mesh

# Types of the extension of opweave.distributed, whose stub has them.
from opweave.distributed import DistBackendError as DistBackendError
from opweave.distributed import DistError as DistError
from opweave.distributed import DistNetworkError as DistNetworkError
from opweave.distributed import DistStoreError as DistStoreError
from opweave.distributed import EtcdStore as EtcdStore
from opweave.distributed import FileStore as FileStore
from opweave.distributed import GradBucket as GradBucket
from opweave.distributed import HashStore as HashStore
from opweave.distributed import PrefixStore as PrefixStore
from opweave.distributed import ProcessGroup as ProcessGroup
from opweave.distributed import QueueEmptyError as QueueEmptyError
from opweave.distributed import Store as Store
from opweave.distributed import TCPStore as TCPStore
from opweave.distributed import Work as Work
from opweave.distributed import register_nccl_library as register_nccl_library

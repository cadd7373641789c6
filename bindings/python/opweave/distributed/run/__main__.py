"""python -m opweave.distributed.run"""

import sys

from opweave.distributed.run.launcher import main

if __name__ == "__main__":
    sys.exit(main())

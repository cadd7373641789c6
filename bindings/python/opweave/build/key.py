"""What decides what a build gives, as one name."""

import hashlib

import opweave
from opweave.build.cuda import find_cuda
from opweave.build.installation import GENERATOR
from opweave.build.target_parts import needs_cuda
from opweave.build.toolchain import find_toolchain


def build_key(sources):
    """A hash of the sources, the targets, the core, the generator and the compilers."""
    status = GENERATOR.stat()
    parts = [sources.name, opweave.__version__, str(status.st_size), str(status.st_mtime_ns)]
    parts += find_toolchain().identity()
    parts += ["targets", *sources.targets, "left out", *sources.left_out]
    if any(needs_cuda(sources, target) for target in sources.targets):
        parts += find_cuda().identity()
    digest = hashlib.sha256("\0".join(parts).encode())
    for path in sources.all_files():
        content = path.read_bytes()
        digest.update(f"\0{path.name}\0{len(content)}\0".encode() + content)
    return digest.hexdigest()[:32]

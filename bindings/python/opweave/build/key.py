"""What decides what a build gives, as one name."""

import hashlib

from opweave.build.cuda import find_cuda
from opweave.build.errors import readable
from opweave.build.installation import core_identity
from opweave.build.target_parts import needs_cuda
from opweave.build.toolchain import find_toolchain


def build_key(sources):
    """A hash of the sources and where they are, the targets, the core, the generator and the compilers."""
    parts = [sources.name, core_identity()]
    parts += find_toolchain().identity()
    parts += ["targets", *sources.targets, "left out", *sources.left_out]
    parts += ["stable"] if sources.stable else []
    if any(needs_cuda(sources, target) for target in sources.targets):
        parts += find_cuda().identity()
    digest = hashlib.sha256("\0".join(parts).encode())
    # Errors name the files: of a copy elsewhere they are others.
    for path in [*sources.all_files(), *sources.headers()]:
        with readable(path):
            content = path.read_bytes()
        digest.update(f"\0{path}\0{path.resolve()}\0{len(content)}\0".encode() + content)
    return digest.hexdigest()[:32]

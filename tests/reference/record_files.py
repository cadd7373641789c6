"""Has PyTorch save the objects of files.py, and what is no checkpoint of today."""

import io

from reference import files


def record(torch, say):
    """Writes data/files anew."""
    files.FOLDER.mkdir(parents=True, exist_ok=True)
    for name, make in files.OBJECTS.items():
        torch.save(make(torch), files.FOLDER / f"{name}.pt")
    tensors = files.views(torch)
    torch.save(tensors, files.FOLDER / "old.pt", _use_new_zipfile_serialization=False)
    scripted = io.BytesIO()
    torch.jit.save(torch.jit.script(torch.nn.Linear(1, 1)), scripted)
    (files.FOLDER / "script.pt").write_bytes(scripted.getvalue())
    for path in sorted(files.FOLDER.iterdir()):
        say(f"{path.name}: {path.stat().st_size} bytes")

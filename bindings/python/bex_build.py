"""The build backend of `pip install ./bindings/python` (PEP 517): a wheel with libbex and the program inside.

The library is that of build/release, made now if it is not there; nothing is fetched. $BEX_BUILD names another build."""
import base64
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sysconfig
import tarfile
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent


def _version():
    return re.search(r"VERSION (\d+\.\d+\.\d+)", (ROOT / "CMakeLists.txt").read_text()[:2000].split("project(", 1)[1])[1]


def _build():
    """The folder with libbex.so.0 and bin/bex."""
    named = os.environ.get("BEX_BUILD")
    folder = pathlib.Path(named) if named else ROOT / "build/release"
    if not (folder / "libbex.so.0").exists():
        if not shutil.which("cmake"):
            raise SystemExit("bex: no build/release/libbex.so.0 and no cmake to make it (docs/deploy.md)")
        subprocess.run(["cmake", "--preset", "release", "-DBEX_TESTS=OFF"], cwd=ROOT, check=True)
        subprocess.run(["cmake", "--build", "--preset", "release", "--target", "bex", "bex-cli"], cwd=ROOT, check=True)
    return folder


def _metadata():
    return (f"Metadata-Version: 2.1\nName: bex\nVersion: {_version()}\nRequires-Python: >=3.8\nRequires-Dist: numpy\n"
            "License: MIT\nSummary: Policies that explore in context over what demonstrators did\n")


def _tag():
    return "py3-none-" + re.sub(r"[-.]", "_", sysconfig.get_platform())


def _write(path, files):
    """A wheel: files {name: (bytes, mode)} and their record."""
    info = f"bex-{_version()}.dist-info"
    files = dict(files)
    files[f"{info}/METADATA"] = (_metadata().encode(), 0o644)
    files[f"{info}/WHEEL"] = (f"Wheel-Version: 1.0\nGenerator: bex_build\nRoot-Is-Purelib: false\nTag: {_tag()}\n".encode(), 0o644)
    record = []
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as wheel:
        for name, (data, mode) in sorted(files.items()):
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            entry.external_attr = (0o100000 | mode) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            wheel.writestr(entry, data)
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            record.append(f"{name},sha256={digest},{len(data)}")
        wheel.writestr(f"{info}/RECORD", "\n".join(record + [f"{info}/RECORD,,"]) + "\n")


def _package():
    return {f"bex/{p.name}": (p.read_bytes(), 0o644) for p in sorted((HERE / "bex").iterdir()) if p.suffix in (".py", ".typed") or p.name == "py.typed"}


def get_requires_for_build_wheel(config_settings=None):
    return []


get_requires_for_build_sdist = get_requires_for_build_editable = get_requires_for_build_wheel


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    build = _build()
    files = _package()
    files["bex/libbex.so.0"] = ((build / "libbex.so.0").resolve().read_bytes(), 0o755)
    program = build / "bin/bex"
    if program.exists():        # a build of the library alone (BEX_LAB=OFF) has none
        files["bex/bin/bex"] = (program.read_bytes(), 0o755)
    name = f"bex-{_version()}-{_tag()}.whl"
    _write(pathlib.Path(wheel_directory) / name, files)
    return name


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    _build()
    name = f"bex-{_version()}-{_tag()}.whl"
    _write(pathlib.Path(wheel_directory) / name, {"bex.pth": (str(HERE).encode() + b"\n", 0o644)})
    return name


def build_sdist(sdist_directory, config_settings=None):
    name = f"bex-{_version()}"
    with tarfile.open(pathlib.Path(sdist_directory) / f"{name}.tar.gz", "w:gz") as out:
        for path in [HERE / "pyproject.toml", HERE / "bex_build.py", *sorted((HERE / "bex").glob("*"))]:
            if path.is_file():
                out.add(path, f"{name}/{path.relative_to(HERE)}")
    return f"{name}.tar.gz"

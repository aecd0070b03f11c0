# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""CuTe DSL with its own launcher on the emulator. Python imports this module when
it starts, because `drawloom run` puts its folder on the path.

Two things of CuTe DSL's stand in the way. Its library for launches has NVIDIA's
runtime linked into it; NVIDIA ships the same functions as an archive, for programs
that bring a runtime, and it is linked with ours here. And what it loads is SASS;
it keeps the PTX of it if it is asked to, and the driver finds it there, in
the folder DRAWLOOM_KEPT_PTX.
"""
import atexit
import ctypes
import hashlib
import importlib.machinery
import importlib.util
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent


def link(package, folder):
    """The DSL's libraries for launches: its functions over our runtime, and after
    them its own for the rest. None if they can't be linked."""
    for toolkit in ["cu13", "cu12"]:
        own = package / toolkit / "lib"
        if (own / "libcute_dsl_runtime.so").exists():
            break
    else:
        return None
    ours = folder / "libcute_dsl_launches.so"
    try:
        result = subprocess.run(
            [os.environ.get("CC", "cc"), "-shared", "-o", ours, "-Wl,--whole-archive",
             own / "libcuda_dialect_runtime_static.a", "-Wl,--no-whole-archive",
             HERE.parent / "libcudart.so.13"], capture_output=True, text=True)
        problem = result.stderr if result.returncode else None
    except OSError as error:
        problem = str(error)
    if problem:
        print("drawloom: CuTe DSL's launcher has to be linked with the emulator's "
              f"runtime, and that fails: {problem.strip()}", file=sys.stderr)
        return None
    # A package may load the DSL's own for all to see; what is loaded first is found.
    ctypes.CDLL(str(ours), ctypes.RTLD_GLOBAL)
    return f"{ours}:{own / 'libcute_dsl_runtime.so'}"


def prepare(package):
    folder = pathlib.Path(tempfile.mkdtemp(prefix="drawloom-cute-"))
    owner = os.getpid()
    atexit.register(lambda: os.getpid() == owner
                    and shutil.rmtree(folder, ignore_errors=True))
    libraries = link(package, folder)
    if not libraries:
        return
    kept = os.environ.setdefault("CUTE_DSL_DUMP_DIR", str(folder))
    tokens = os.environ.get("CUTE_DSL_KEEP", "").split(",")
    os.environ.update(
        CUTE_DSL_LIBS=libraries, DRAWLOOM_KEPT_PTX=kept,
        CUTE_DSL_KEEP=",".join(sorted({*filter(None, tokens), "ptx", "cubin"})))


def keep_all(module):
    """What the DSL keeps of a kernel has a name that another may have, too, and the
    program may choose another folder. So `cute.compile` keeps it once more."""
    callable_class = type(module.cute.compile)
    compile_kernel = callable_class.__call__

    def compile_and_keep(self, *arguments, **options):
        result = compile_kernel(self, *arguments, **options)
        ptx, cubin = (getattr(result, name, None) for name in ("__ptx__", "__cubin__"))
        if isinstance(ptx, str) and isinstance(cubin, bytes):
            file = (pathlib.Path(os.environ["DRAWLOOM_KEPT_PTX"])
                    / hashlib.sha256(cubin).hexdigest()[:16])
            file.with_suffix(".ptx").write_text(ptx)
            file.with_suffix(".cubin").write_bytes(cubin)
        return result

    callable_class.__call__ = compile_and_keep


class Finder:
    """Prepares when the DSL is imported, and finds nothing itself."""

    def find_spec(self, name, path=None, target=None):
        if name != "cutlass":
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path)
        package = pathlib.Path(spec.origin).parents[2] if spec and spec.origin else None
        if not package or package.name != "nvidia_cutlass_dsl":
            return spec
        # What a parent process has prepared serves its children.
        if "DRAWLOOM_KEPT_PTX" not in os.environ and "CUTE_DSL_LIBS" not in os.environ:
            prepare(package)
        if "DRAWLOOM_KEPT_PTX" in os.environ:
            load = spec.loader.exec_module
            spec.loader.exec_module = lambda module: (load(module), keep_all(module))
        return spec


def next_of_its_name():
    """The module of this name that Python would have imported without us."""
    elsewhere = [entry for entry in sys.path
                 if pathlib.Path(entry).resolve() != HERE]
    spec = importlib.machinery.PathFinder.find_spec("sitecustomize", elsewhere)
    if spec and spec.loader:
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)


sys.meta_path.insert(0, Finder())
next_of_its_name()

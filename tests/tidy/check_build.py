"""What needs a compiler or a build: headers that compile alone, and the symbols of the library."""
import concurrent.futures
import hashlib
import json
import os
import re
import shutil
import subprocess

import rooms
from check_rooms import includes, resolve
from tree import HEADERS, Skip

WARNINGS = ["-fsyntax-only", "-Wall", "-Wextra", "-Wno-missing-field-initializers", "-Werror"]
# Their foreign headers may be missing; tests of their own compile them.
ELSEWHERE = ("net/verbs/", "intranode/cuda/", "adapters/mpi/")


def commands_of(tree):
    path = tree.build and tree.build / "compile_commands.json"
    return json.loads(path.read_text()) if path and path.exists() else []


def include_flags(tree):
    """-I and -isystem of the build, so that packages in unusual places are found too."""
    flags = ["-I" + str(tree.root / f) for f in ("src", ".", "include")]
    found = {m for e in commands_of(tree)
             for m in re.findall(r"(?:-I|-isystem )\S+", e.get("command", ""))}
    return flags + [word for m in sorted(found) for word in m.split()]


def proved_by_build(tree):
    """Headers that a source of the build includes before all else: they have compiled alone. The
    public ones are compiled here as well, since users' languages and warnings are others."""
    proved = set()
    for entry in commands_of(tree):
        source = os.path.relpath(entry["file"], tree.root)
        if source not in tree.known:
            continue  # a generated file, or one of several sources
        first = next((name for _, _, name in includes(tree, source)), None)
        header = first and resolve(tree, source, first)
        if header and not header.startswith("include/"):
            proved.add(header)
    return proved


def compile_alone(tree, header, language, flags):
    # A one-line source on standard input: what a user of the header writes.
    command = [tree.compiler, "-x", *language, *WARNINGS, *flags, "-"]
    done = subprocess.run(command, input=f'#include "{tree.root / header}"\n', text=True,
                          capture_output=True, check=False, cwd=tree.root)
    if done.returncode == 0:
        return None
    first = next((l for l in done.stderr.splitlines() if "error" in l), done.stderr.strip())
    return f"{header}: does not compile alone as {language[0]}: {first}"


def fingerprint(tree, header, flags):
    """Changes with the header, with any header of ours that it reaches, and with the flags."""
    reached, waiting = {header}, [header]
    while waiting:
        path = waiting.pop()
        for _, _, name in includes(tree, path):
            target = resolve(tree, path, name)
            if target and target not in reached:
                reached.add(target)
                waiting.append(target)
    texts = [tree.compiler, *WARNINGS, *flags, *(f + tree.text(f) for f in sorted(reached))]
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()


def known_good(tree):
    """Where the fingerprints of headers that compiled are kept, and those of earlier runs."""
    path = tree.build and tree.build / "tidy_headers.txt"
    return path, set(path.read_text().split()) if path and path.exists() else set()


def check_headers(tree):
    """Each header of a room compiles alone; the C API also as C99."""
    if not shutil.which(tree.compiler):
        raise Skip(f"no compiler named {tree.compiler}")
    flags = include_flags(tree)
    path, good = known_good(tree)
    proved = proved_by_build(tree)
    jobs, prints = [], {}
    for header in tree.with_suffix(*HEADERS):
        if rooms.room_of(header) is None or header.startswith(ELSEWHERE) or header in proved:
            continue
        prints[header] = fingerprint(tree, header, flags)
        if prints[header] in good:
            continue
        jobs.append((header, ("c++", "-std=c++20")))
        if header.startswith("include/") and header.endswith(".h"):
            jobs.append((header, ("c", "-std=c99", "-pedantic")))
    bad = set()
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for job, problem in zip(jobs, pool.map(lambda job: compile_alone(tree, *job, flags), jobs)):
            if problem:
                bad.add(job[0])
                yield problem
    if path:
        path.write_text("\n".join(sorted(prints[h] for h in prints if h not in bad)) + "\n")


def check_examples(tree):
    """The C code of README.md compiles as it stands."""
    if not shutil.which(tree.compiler):
        raise Skip(f"no compiler named {tree.compiler}")
    text = tree.text("README.md") if "README.md" in tree.files else ""
    for code in re.findall(r"^```c\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        command = [tree.compiler, "-x", "c", "-std=c99", "-pedantic", *WARNINGS,
                   f"-I{tree.root / 'include'}", "-"]
        done = subprocess.run(command, input=code, text=True, capture_output=True, check=False)
        if done.returncode != 0:
            yield f"README.md: its C code does not compile: {done.stderr.strip()}"


def exported(library):
    """Names that a shared library defines for others."""
    done = subprocess.run(["nm", "-D", "--defined-only", "--format=posix", str(library)],
                          check=True, capture_output=True, text=True)
    return sorted({line.split()[0].split("@")[0] for line in done.stdout.splitlines() if line})


def check_symbols(tree):
    """The shared library exports weft_* and nothing else."""
    library = tree.build and tree.build / "libweft.so"
    if not library or not library.exists():
        raise Skip("no libweft.so in the build folder")
    if not shutil.which("nm"):
        raise Skip("no nm on this machine")
    names = exported(library)
    if not any(n.startswith("weft_") for n in names):
        yield f"{library.name}: exports no weft_ symbol at all"
    for name in names:
        if not name.startswith("weft_"):
            yield f"{library.name}: exports {name}"


CHECKS = {"headers": check_headers, "examples": check_examples, "symbols": check_symbols}

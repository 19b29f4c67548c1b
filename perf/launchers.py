"""How a benchmark is started beside a peer: by that peer's own launcher, bound to cores that fit."""
import os
import pathlib
import shutil
import socket
import subprocess

# Weft meets by RANK and MASTER_ADDR where the launcher is MPICH's, which has its own PMI.
MPICH_TO_WEFT = 'RANK=$PMI_RANK WORLD_SIZE=$PMI_SIZE exec "$0" "$@"'


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return str(probe.getsockname()[1])


def open_mpi(ranks):
    bound = ["--bind-to", "core"] if ranks <= os.cpu_count() else ["--bind-to", "none",
                                                                  "--oversubscribe"]
    return ["mpirun.openmpi" if shutil.which("mpirun.openmpi") else "mpirun", "-n", str(ranks),
            *bound], {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


def woken_at_once():
    """For peers whose rank and own thread share a core and block: by the usual scheduler one waits for
    the other's time slice, up to 4 ms. Real-time turns need rights; without them it is as it is."""
    if not shutil.which("chrt"):
        return []
    allowed = subprocess.run(["chrt", "-r", "1", "true"], capture_output=True, check=False)
    return ["chrt", "-r", "1"] if allowed.returncode == 0 else []


def open_mpi_blocking(ranks):
    command, variables = open_mpi(ranks)
    return [*command, *woken_at_once()], variables


def mpich(ranks):
    bound = ["-bind-to", "core"] if ranks <= os.cpu_count() else []
    return ["mpiexec.mpich", "-n", str(ranks), *bound, "sh", "-c", MPICH_TO_WEFT], {
        "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": free_port()}


def netlab(ranks):
    """Each rank on an emulated node, its link as fast as the machine."""
    script = pathlib.Path(__file__).resolve().parents[1] / "scripts" / "netlab"
    return [str(script), str(ranks), "1", "none", *woken_at_once()], {}


LAUNCHERS = {"openmpi": open_mpi, "openmpi-blocking": open_mpi_blocking, "mpich": mpich,
             "netlab": netlab}
NOT_POSSIBLE_HERE = 77  # netlab's exit status without the rights it needs


def is_here(launcher):
    return shutil.which(LAUNCHERS[launcher](1)[0][0]) is not None

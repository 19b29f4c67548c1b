"""Who may know whom: the table, one line a room, and the headers that only some rooms may see.

Rooms below a line in ROOMS may know rooms above it and never the other way round, so the table has
no cycle. A room that is not built yet may be listed already; a folder with code that is not listed
fails the test.
"""

ROOMS = {  # folder: rooms it may include and link (itself is understood)
    "include": "",
    "src/base": "",
    "src/schedule": "src/base",
    "src/verify": "src/base src/schedule",
    "src/simulate": "src/base src/schedule",
    "src/transport": "src/base",
    "src/channel": "src/base src/transport",
    "src/topology": "src/base",
    "src/bootstrap": "src/base",
    "src/control": "src/base src/bootstrap",
    "src/executor": "src/base src/schedule src/transport src/channel",
    "algorithms": "src/base src/schedule",
    "intranode/shm": "src/base src/transport",
    "intranode/host": "src/base",
    "intranode/cuda": "src/base src/transport",
    "net/loopback": "src/base src/transport",
    "net/tcp": "src/base src/transport",
    "net/verbs": "src/base src/transport",
    "net/fault": "src/base src/transport",
    "src/runtime": "include src/base src/schedule src/transport src/channel src/topology"
                   " src/bootstrap src/control src/executor algorithms intranode/shm"
                   " intranode/host intranode/cuda net/loopback net/tcp net/verbs net/fault",
    "src/cli": "include src/base src/schedule src/verify src/simulate src/topology src/bootstrap"
               " src/control src/runtime algorithms",
    "adapters": "include",
    "adapters/mpi": "include",
    "perf": "include src/base",
    "examples": "include",
}

# Every room above, and these: tests look into all rooms.
FREE = ("tests/",)

FOREIGN = {  # header (a prefix): the folders that may include it
    "infiniband/": ("net/verbs/",),
    "rdma/": ("net/verbs/",),
    "cuda": ("intranode/cuda/",),
    "nvml": ("intranode/cuda/", "src/topology/"),
    "hwloc": ("src/topology/",),
    "mpi.h": ("adapters/", "perf/", "tests/mpi/"),
    "pmix": ("src/bootstrap/",),
    "spdlog/": ("src/base/",),
    "sodium": ("src/base/",),
}


def allowed(room):
    return set(ROOMS[room].split())


def room_of(path):
    """The room a file lies in; None for tests and for files outside all rooms."""
    fitting = [r for r in ROOMS if path.startswith(r + "/")]
    return max(fitting, key=len, default=None)


def target_of(room):
    """The CMake target of a room: weft_tcp for net/tcp."""
    return "weft_" + room.rsplit("/", 1)[-1]

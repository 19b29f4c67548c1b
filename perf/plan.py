"""What compare_peers runs: sections of the table, and in each the settings of each peer.

A setting is one launch: whose launcher, which peers take turns with Weft in it, and the variables
by which that peer is tuned. Peers whose settings are variables of the process cannot meet in one
run; each meets Weft, and the ratio of each counts. Buffers are private where the title does not say
shared.
"""
import dataclasses

SMALL_TO_LARGE = ("8", "1K", "8K", "64K", "1M", "16M", "128M")
OTHERS = ("32", "1K", "64K", "1M", "16M")  # below 32 bytes blocks of 2 ranks are empty


@dataclasses.dataclass(frozen=True)
class Setting:
    peers: str
    launcher: str = "openmpi"
    variables: tuple = ()

    def name(self):
        return self.peers.replace(",", "+").replace(":", "-")


@dataclasses.dataclass(frozen=True)
class Section:
    title: str
    settings: tuple
    ranks: int = 2
    collectives: tuple = ("all_reduce",)
    sizes: tuple = SMALL_TO_LARGE
    options: tuple = ()
    variables: tuple = ()


NO_CMA = Setting("mpi:nocma", variables=(("OMPI_MCA_btl_vader_single_copy_mechanism", "none"),))
HAN = Setting("mpi:han", variables=(("OMPI_MCA_coll_han_priority", "100"),))
MPICH = Setting("mpich", "mpich")
GLOO = Setting("gloo", "openmpi-blocking")  # its rank and its thread wait for each other
OPEN_MPI_TCP = (("OMPI_MCA_pml", "ob1"), ("OMPI_MCA_btl", "tcp,self"),
                ("OMPI_MCA_btl_tcp_if_include", "lo"))
MPICH_TCP = (("MPIR_CVAR_NOLOCAL", "1"), ("UCX_TLS", "tcp,self"), ("UCX_NET_DEVICES", "lo"))

SECTIONS = {
    "private": Section("2 ranks, private",
                       (Setting("mpi,pipe"), NO_CMA, HAN, MPICH, GLOO)),
    "shared": Section("2 ranks, shared",
                      (Setting("mpi,bound"), NO_CMA, HAN, MPICH, GLOO),
                      options=("--buffers", "shared")),
    "four": Section("4 ranks", (Setting("mpi"), NO_CMA), ranks=4,
                    sizes=SMALL_TO_LARGE[:-1]),
    "eight": Section("8 ranks", (Setting("mpi"), NO_CMA), ranks=8,
                     sizes=SMALL_TO_LARGE[:-1]),
    **{f"ranks{n}": Section(f"{n} ranks", (Setting("mpi"),), ranks=n,
                            sizes=("8", "64K", "1M")) for n in (3, 5, 6, 7)},
    "others": Section("2 ranks", (Setting("mpi"), NO_CMA, MPICH, GLOO),
                      collectives=("reduce_scatter", "all_gather", "broadcast"), sizes=OTHERS),
    "barrier": Section("2 ranks", (Setting("mpi"), MPICH, GLOO), collectives=("barrier",),
                       sizes=("0",)),
    "tcp": Section("2 ranks, loopback",
                   (Setting("mpi", variables=OPEN_MPI_TCP), GLOO,
                    Setting("mpich", "mpich", MPICH_TCP)),
                   variables=(("WEFT_TRANSPORT", "tcp"), ("WEFT_INTERFACE", "lo"))),
    "veth": Section("2 nodes, veth", (Setting("gloo", "netlab"),)),
    "itself": Section("2 ranks", (Setting("fast,grouped,bf16,unaligned"),),
                      sizes=("8", "1K", "64K", "1M"), options=("--details", "-w", "0", "-n", "1000")),
}
REFERENCES = ("bound", "pipe")
OWN = ("fast", "grouped", "bf16", "unaligned")

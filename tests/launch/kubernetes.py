#!/usr/bin/env python3
"""The manifests of examples/kubernetes agree with themselves and with Weft. No cluster is asked."""
import re
import shlex
import sys
import unittest

from launched import ROOT, SKIPPED, given, main

try:
    import yaml
except ImportError:
    print("skipped: no python3-yaml on this machine; scripts/install-deps --tests has it")
    sys.exit(SKIPPED)

FOLDER = ROOT / "examples" / "kubernetes"


class Manifest(unittest.TestCase):
    def manifests(self):
        """(name, document) of each file as it is, and with the lines for RDMA."""
        files = sorted(FOLDER.glob("*.yaml"))
        self.assertTrue(files)
        for path in files:
            text = path.read_text()
            for name, variant in ((path.name, text),
                                  (f"{path.name}, rdma", re.sub(r"(?m)^#rdma ", "", text))):
                yield name, yaml.safe_load(variant)

    def specs(self, document):
        launcher, worker = (document["spec"]["mpiReplicaSpecs"][k] for k in ("Launcher", "Worker"))
        return launcher, worker, launcher["template"]["spec"]["containers"][0]

    def test_ranks_are_slots_times_workers(self):
        for name, document in self.manifests():
            with self.subTest(name):
                self.assertEqual((document["apiVersion"], document["kind"]),
                                 ("kubeflow.org/v2beta1", "MPIJob"))
                launcher, worker, container = self.specs(document)
                self.assertEqual(launcher["replicas"], 1)
                self.assertEqual(container["command"], ["mpirun"])
                args = container["args"]
                self.assertEqual(int(args[args.index("-n") + 1]),
                                 worker["replicas"] * document["spec"]["slotsPerWorker"])
                limits = worker["template"]["spec"]["containers"][0]["resources"]["limits"]
                self.assertEqual(int(limits["cpu"]), document["spec"]["slotsPerWorker"])

    def test_the_command_and_its_variables_exist(self):
        table = (ROOT / "src" / "base" / "config.cpp").read_text()
        for name, document in self.manifests():
            with self.subTest(name):
                args = self.specs(document)[2]["args"]
                script = shlex.split(args[args.index("-c") + 1])
                program = script[script.index("exec") + 1]
                self.assertTrue((given.build / "perf" / program).exists(), program)
                variables = re.findall(r"\b(WEFT_\w+)=", " ".join(args))
                self.assertIn("WEFT_NODE", variables)
                for variable in variables:
                    self.assertIn(f'"{variable}"', table)

    def test_workers_keep_apart(self):
        for name, document in self.manifests():
            with self.subTest(name):
                template = self.specs(document)[1]["template"]
                (term,) = template["spec"]["affinity"]["podAntiAffinity"][
                    "requiredDuringSchedulingIgnoredDuringExecution"]
                self.assertEqual(term["labelSelector"]["matchLabels"],
                                 template["metadata"]["labels"])

    def test_the_lines_for_rdma_change_what_they_should(self):
        for name, document in self.manifests():
            with self.subTest(name):
                spec = self.specs(document)[1]["template"]["spec"]
                (container,) = spec["containers"]
                rdma = name.endswith("rdma")
                self.assertEqual("hostNetwork" in spec, rdma)
                self.assertEqual("IPC_LOCK" in str(container["securityContext"]), rdma)
                self.assertEqual("rdma/hca" in container["resources"]["limits"], rdma)


if __name__ == "__main__":
    main()

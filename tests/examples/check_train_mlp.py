#!/usr/bin/env python3
"""Training ends with the same weights, bit for bit, however ranks are split and messages are cut.

    python3 tests/examples/check_train_mlp.py --program FILE

Exit status 77: there is no mpirun here.
"""
import re
import sys

from jobs import SPLITS, ExampleTest, main, run

# Each keeps the canonical order and cuts or carries messages in another way.
CUTS = (
    {"WEFT_ORDER": "canonical"},
    {"WEFT_SLICE_BYTES": "4096", "WEFT_FRAMES": "4"},
    {"WEFT_SLICE_BYTES": "20000", "WEFT_FRAMES": "1", "WEFT_SLOT_BYTES": "8192"},
)


class TrainMlp(ExampleTest):
    reference = None

    def train(self, split, *words, **variables):
        """The hash of the weights; the loss must have fallen to a tenth or nearly so."""
        said = self.said(split, *words, **variables)
        losses = [float(loss) for loss in re.findall(r"^step +\d+  loss (\S+)$", said, re.MULTILINE)]
        self.assertEqual(len(losses), 11, said)
        self.assertLess(losses[-1], losses[0] / 8, said)
        return re.search(r"^weights ([0-9a-f]{16})$", said, re.MULTILINE)[1]

    @classmethod
    def setUpClass(cls):
        cls.reference = cls("train").train(SPLITS[0])

    def test_the_split_into_nodes_does_not_change_the_weights(self):
        for split in SPLITS[1:]:
            with self.subTest(split):
                self.assertEqual(self.train(split), self.reference)

    def test_neither_does_zero1(self):
        for split in SPLITS:
            with self.subTest(split):
                self.assertEqual(self.train(split, "--zero1"), self.reference)

    def test_nor_how_messages_are_cut(self):
        for cut, words in zip(CUTS, ([], ["--zero1"], [])):
            with self.subTest(cut):
                self.assertEqual(self.train("2+2", *words, **cut), self.reference)
        for words in (["--bucket-bytes", "10000"], ["--bucket-bytes", "99999999", "--zero1"]):
            with self.subTest(words):
                self.assertEqual(self.train("2+2", *words), self.reference)

    def test_another_start_ends_elsewhere(self):
        self.assertNotEqual(self.train("4", "--seed", "2"), self.reference)

    def test_what_is_not_an_option_is_refused(self):
        for words in (["--zero2"], ["--steps"], ["--steps", "0"], ["--seed", "x"]):
            with self.subTest(words):
                self.assertEqual(run("1", [self.program, *words]).returncode, 2)


if __name__ == "__main__":
    sys.exit(main(TrainMlp))

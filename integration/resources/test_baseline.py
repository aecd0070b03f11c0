# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What counts as worse, and what the loops of a kernel are."""

import unittest

import baseline
import count_sass

ROW = {"load": "19/1 21/2", "copy": "", "mma": "34/4", "store": "110/5", "registers": "144",
       "spill_stores": "8", "spill_loads": "8", "c75xx": "0", "instructions": "512"}


class Worse(unittest.TestCase):
    def regressions(self, **changes) -> list[str]:
        return baseline.compare(ROW | changes, ROW)

    def test_the_same_and_better(self):
        self.assertEqual(self.regressions(), [])
        self.assertEqual(self.regressions(load="19/1 20/2", registers="136", spill_loads="0"), [])
        # Twice as long for twice the products, and a loop for the rest.
        self.assertEqual(self.regressions(mma="34/4 60/8"), [])
        # Is there to be read.
        self.assertEqual(self.regressions(store="999/5", instructions="9999"), [])

    def test_each_column(self):
        self.assertEqual(self.regressions(mma="35/4"), ["mma 35/4, before 34/4"])
        self.assertEqual(self.regressions(load="19/1 23/2"),
                         ["load 19/1 23/2, before 19/1 21/2"])
        self.assertEqual(self.regressions(copy="34/1"), ["copy 34/1, before none"])
        self.assertEqual(self.regressions(mma=""), ["mma none, before 34/4"])
        for column in baseline.NUMBERS:
            self.assertEqual(self.regressions(**{column: "145"}),
                             [f"{column} 145, before {ROW[column]}"])


class Loops(unittest.TestCase):
    def test_the_smallest_around_each(self):
        # An inner loop at 1..3 and the outer one at 0..5.
        instructions = ["MOV R0, R1", "@P0 UTMALDG.2D [UR8], [UR4]", "UTMALDG.2D [UR8], [UR4]",
                        "@P0 BRA `(.L_x_1)", "UTMALDG.2D [UR8], [UR4]", "BRA `(.L_x_0)", "EXIT"]
        loops = count_sass.find_loops(instructions, {".L_x_0": 0, ".L_x_1": 1})
        self.assertEqual(loops, [range(1, 4), range(0, 6)])
        self.assertEqual(count_sass.count(instructions, loops, count_sass.ROLES["load"]),
                         [(6, 3), (3, 2)])
        self.assertEqual(count_sass.count(instructions, loops, count_sass.ROLES["mma"]), [])


if __name__ == "__main__":
    unittest.main()

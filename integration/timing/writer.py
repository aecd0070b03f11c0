# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes PTX."""


class Writer:
    """The kernel of a recipe, line by line."""

    def __init__(self, recipe):
        self.r = recipe
        self.lines: list[str] = []
        self.labels = 0

    def __call__(self, text: str):
        self.lines += [f"  {line.strip()}" for line in text.strip().splitlines()]

    def label(self, name: str = "L") -> str:
        self.labels += 1
        return f"{name}_{self.labels}"

    def mark(self, label: str):
        self.lines.append(f"{label}:")

    def wait(self, address: str, parity: str):
        again = self.label("wait")
        self.mark(again)
        self(f"""mbarrier.try_wait.parity.shared::cta.b64 %pw, [{address}], {parity};
                 @!%pw bra {again};""")

    def advance(self, slot: str, parity: str, count: int):
        """To the next slot of a ring."""
        self(f"""add.u32 {slot}, {slot}, 1;
                 setp.eq.u32 %pa, {slot}, {count};
                 selp.u32 {slot}, 0, {slot}, %pa;
                 selp.u32 %ta, 1, 0, %pa;
                 xor.b32 {parity}, {parity}, %ta;""")

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions in linalg, written out."""

# Tile sizes for (m, n, k): small, so that small tensors have several tiles.
TILE = {"M": 16, "N": 32, "K": 8, "J": 16}


class Function:
    """Writes a function whose tensors have named dimensions. A value is a name,
    the names of its dimensions and an element type."""

    def __init__(self, sizes, dynamic, tile):
        self.sizes, self.dynamic, self.tile = sizes, dynamic, tile
        self.arguments, self.lines, self.count = [], [], 0
        self.known = {}

    def type(self, dims, element):
        shape = "".join(("?" if self.dynamic else str(self.sizes[d])) + "x" for d in dims)
        return f"tensor<{shape}{element}>"

    def name(self):
        self.count += 1
        return f"%v{self.count}"

    def line(self, text):
        name = self.name()
        self.lines.append(f"{name} = {text}")
        return name

    def argument(self, dims, element):
        dims = dims.split()
        value = (f"%arg{len(self.arguments)}", dims, element)
        self.arguments.append(value)
        for i, d in enumerate(dims):
            if self.dynamic and d not in self.known:
                index = self.line(f"arith.constant {i} : index")
                self.known[d] = self.line(f"tensor.dim {value[0]}, {index} : {self.type(dims, element)}")
        return value

    def scalar(self, element):
        value = (f"%arg{len(self.arguments)}", None, element)
        self.arguments.append(value)
        return value[0]

    def empty(self, dims, element):
        dims = dims.split()
        operands = ", ".join(self.known[d] for d in dims) if self.dynamic else ""
        return (self.line(f"tensor.empty({operands}) : {self.type(dims, element)}"), dims, element)

    def fill(self, dims, element, number):
        empty = self.empty(dims, element)
        constant = self.line(f"arith.constant {number} : {element}")
        kind = self.type(*empty[1:])
        return (self.line(f"linalg.fill ins({constant} : {element}) outs({empty[0]} : {kind}) -> {kind}"),
                *empty[1:])

    def named(self, op, ins, out, attributes=""):
        names = ", ".join(value[0] for value in ins)
        types = ", ".join(self.type(*value[1:]) for value in ins)
        kind = self.type(*out[1:])
        return (self.line(f"{op} {attributes} ins({names} : {types}) outs({out[0]} : {kind}) -> {kind}"),
                *out[1:])

    def matmul(self, a, b, out, maps, attributes=""):
        maps = ", ".join(f"affine_map<(m, n, k) -> ({m})>" for m in maps)
        return self.named("linalg.matmul", [a, b], out, f"indexing_maps = [{maps}]{attributes}")

    def generic(self, loops, ins, out, body, reduced=()):
        """`ins` and `out` are pairs of a value and its index names. The body
        refers to the operands as %x0, %x1, ..., and yields its last value."""
        loops = loops.split()
        operands = [*ins, out]
        maps = ", ".join(f"affine_map<({', '.join(loops)}) -> ({index})>" for _, index in operands)
        kinds = ", ".join('"reduction"' if l in reduced else '"parallel"' for l in loops)
        names = ", ".join(v[0] for v, _ in ins)
        types = ", ".join(self.type(*v[1:]) for v, _ in ins)
        parameters = ", ".join(f"%x{i}: {v[2]}" for i, (v, _) in enumerate(operands))
        last = body.strip().splitlines()[-1].split("=")[0].strip()
        kind = self.type(*out[0][1:])
        source = f"ins({names} : {types})" if ins else ""
        return (self.line(f"""linalg.generic {{indexing_maps = [{maps}], iterator_types = [{kinds}]}}
    {source} outs({out[0][0]} : {kind}) {{
  ^bb0({parameters}):
    {body}
    linalg.yield {last} : {out[0][2]}
  }} -> {kind}"""), *out[0][1:])

    def text(self, results):
        arguments = ", ".join(f"{n}: {e if d is None else self.type(d, e)}" for n, d, e in self.arguments)
        kinds = ", ".join(self.type(*r[1:]) for r in results)
        names = ", ".join(r[0] for r in results)
        body = "\n  ".join(self.lines)
        return f"""func.func @f({arguments}) -> ({kinds})
    attributes {{tile.schedule = #tile.schedule<tile = {self.tile}>}} {{
  {body}
  return {names} : {kinds}
}}
"""

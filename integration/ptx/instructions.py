# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Single instructions taken out of PTX files, and the module around one.

An instruction is taken out by renaming its registers after their types (the
first `.b32` register becomes `%r1`), so that equal instructions of two kernels
become equal texts, and any of them can stand in the same small module. This
reads just enough PTX for that, on its own: a test of the parser must not be
built on the parser.
"""

import re
from dataclasses import dataclass, replace
from pathlib import Path

PREFIX = {"pred": "%p", "b8": "%cb", "u8": "%cu", "s8": "%cs",
          "b16": "%h", "u16": "%hu", "s16": "%hs", "f16": "%hf", "f16x2": "%hx",
          "b32": "%r", "u32": "%ru", "s32": "%rs", "f32": "%f",
          "b64": "%rd", "u64": "%rdu", "s64": "%rds", "f64": "%fd", "b128": "%q"}
SYMBOL = {"shared": "smem", "global": "gmem", "const": "cmem", "local": "lmem", "param": "pmem"}

FAMILIES = (
    ("tensor core", r"tcgen05\.(mma|commit|fence|shift)"),
    ("tensor memory", r"tcgen05\."),
    ("wgmma", r"wgmma\."),
    ("mma", r"w?mma\."),
    ("matrix move", r"(ld|st|mov)matrix"),
    ("tensor copy", r"cp\.(reduce\.)?async\.bulk\.(prefetch\.)?tensor"),
    ("bulk copy", r"(multimem\.)?cp\.|st\.bulk"),
    ("tensor map", r"tensormap|prefetch.*\.tensormap"),
    ("barrier object", r"mbarrier"),
    ("launch control", r"clusterlaunchcontrol|griddepcontrol|setmaxnreg|elect"),
    ("barrier", r"bar\b|barrier"),
    ("fence", r"fence|membar"),
    ("warp collective", r"vote|match|activemask|redux|shfl"),
    ("atomic", r"atom|red|multimem|st\.async"),
    ("cache control", r"prefetch|discard|applypriority|createpolicy"),
    ("load", r"ldu?\."),
    ("store", r"st\."),
    ("address", r"cvta|isspacep|mapa|getctarank|alloca|stack"),
    ("conversion", r"cvt|szext"),
    ("move", r"mov"),
    ("select", r"set|selp|slct|testp"),
    ("logic", r"and|or|xor|not|cnot|lop3|shf|shl|shr"),
    ("bits", r"popc|clz|bfind|fns|brev|bfe|bfi|bmsk|prmt|dp4a|dp2a"),
    ("control", r"bra|brx|call|ret|exit|trap|brkpt|nanosleep|pmevent"),
    ("half arithmetic", r".*\.b?f16(x2)?"),
    ("float arithmetic", r".*\.f(32|64|32x2)"),
    ("integer arithmetic", r".*"),
)


@dataclass(frozen=True)
class Instruction:
    mnemonic: tuple[str, ...]  # split at the dots
    operands: tuple[str, ...]
    guard: str = ""
    version: str = ""
    target: str = ""

    def __str__(self):
        text = f"{self.guard} {'.'.join(self.mnemonic)} {', '.join(self.operands)}"
        return text.strip() + ";"

    @property
    def family(self) -> str:
        text = ".".join(self.mnemonic)
        return next(name for name, pattern in FAMILIES if re.match(pattern, text))

    def module(self) -> str:
        """A module with this instruction and what it may refer to."""
        registers = "\n".join(f"  .reg .{kind} {prefix}<{300 if kind in WIDE else 24}>;"
                              for kind, prefix in PREFIX.items() if self._uses(prefix))
        extras = "\n".join(text for name, text in DECLARED.items() if self._uses(name))
        tables = "  targets: .branchtargets done, done;\n" if self._uses("targets") else ""
        return (f".version {self.version}\n.target {self.target}\n.address_size 64\n{extras}\n"
                f".visible .entry kernel(.param .align 64 .b8 pmem[128])\n{{\n{registers}\n"
                f"{tables}  {self}\ndone:\n  ret;\n}}\n")

    def _uses(self, name: str) -> bool:
        return re.search(rf"(?<![\w%]){re.escape(name)}(\d|\b)", str(self)) is not None


WIDE = ("b32", "f32", "b64")
DECLARED = {
    "smem": ".shared .align 128 .b8 smem[1024];",
    "gmem": ".global .align 128 .b8 gmem[1024];",
    "cmem": ".const .align 128 .b8 cmem[1024];",
    "callee": ".func callee() { ret; }",
}


def split_operands(text: str) -> tuple[str, ...]:
    """Splits at the commas outside braces, brackets and parentheses."""
    parts, depth, start = [], 0, 0
    for at, character in enumerate(text):
        depth += (character in "{[(") - (character in "}])")
        if character == "," and depth == 0:
            parts.append(text[start:at])
            start = at + 1
    parts.append(text[start:])
    return tuple(" ".join(part.split()) for part in parts if part.strip())


STATEMENT = re.compile(r"""\s*(?:
    (?P<line>\.(?:loc|file|section|version|target|address_size)\b[^\n]*)
  | (?P<label>[\w$%]+\s*:(?!:))
  | (?P<open>\{) | (?P<close>\})
  | (?P<text>[^;{}]*(?:\{[^{}]*\}[^;{}]*)*;)
  | (?P<head>[^;{}]+(?=\{)))""", re.VERBOSE)
GUARDED = re.compile(r"(@!?[\w%$]+\s+)?([a-z]\w*(?:[.:]+\w+)*)\s*(.*);", re.DOTALL)
REGISTERS = re.compile(r"\.reg\s+(?:\.v\d\s+)?\.(\w+)\s+(.*);", re.DOTALL)
VARIABLE = re.compile(r"\.(shared|global|const|local|param)\b[^=]*?([\w$%]+)\s*(\[[^=]*)?(=|;)")
NAME = re.compile(r"(?<![\w.:])[%$]?[A-Za-z_][\w$.]*")


def statements(text: str):
    text = re.sub(r"//[^\n]*|/\*.*?\*/", " ", text, flags=re.DOTALL)
    at = 0
    while match := STATEMENT.match(text, at):
        yield match.lastgroup, match[match.lastgroup].strip()
        at = match.end()


def instructions_of(path: Path) -> list[Instruction]:
    """The instructions of a file that can stand alone."""
    text = path.read_text()
    version = re.search(r"^\s*\.version\s+(\S+)", text, re.MULTILINE)[1]
    target = re.search(r"^\s*\.target\s+(\w+)", text, re.MULTILINE)[1]
    scopes: list[dict[str, str]] = [{}]
    found = []
    for kind, statement in statements(text):
        if kind == "open":
            scopes.append({})
        elif kind == "close" and len(scopes) > 1:
            scopes.pop()
        elif kind == "head":
            for name in re.findall(r"\.param\s[^,()]*?([\w$]+)(?:\[\d*\])?\s*[,)]", statement):
                scopes[-1][name] = "param"
        elif kind == "text" and statement.startswith("."):
            declare(statement, scopes[-1])
        elif kind == "text" and (parts := GUARDED.fullmatch(statement)):
            if taken := rename(parts, scopes):
                found.append(replace(taken, version=version, target=target))
    return found


def pool_of(paths: list[Path]) -> list[Instruction]:
    """The instructions of all files. Those that differ in numbers only are one."""
    pool = {}
    for path in paths:
        for taken in instructions_of(path):
            shape = taken.mnemonic, re.sub(r"\d+", "0", " ".join(taken.operands))
            pool.setdefault(shape, taken)
    return list(pool.values())


def declare(statement: str, scope: dict[str, str]):
    words = statement.rstrip(";").split(None, 2)
    if words[0] == ".reg":
        kind, names = REGISTERS.match(statement).groups()
        for name in split_operands(names):
            scope[name.replace(" ", "")] = kind
    elif found := VARIABLE.search(statement):
        # A parameter declared in a body belongs to a call, and goes with it.
        scope[found[2]] = "call" if found[1] == "param" else found[1]


def lookup(name: str, scopes) -> str | None:
    for scope in reversed(scopes):
        if name in scope:
            return scope[name]
        if (digits := re.search(r"\d+$", name)):
            for declared, kind in scope.items():
                stem, _, count = declared.partition("<")
                if (count and name[:digits.start()] == stem
                        and int(digits[0]) < int(count.rstrip(">"))):
                    return kind
    return None


def rename(parts, scopes) -> Instruction | None:
    guard, mnemonic, rest = (part or "" for part in parts.groups())
    if mnemonic.split(".")[0] in ("call", "bra", "brx") and "callee" not in rest:
        rest = re.sub(r"[\w$]+$", "targets" if mnemonic.startswith("brx") else "done", rest.strip())
    names: dict[str, str] = {}
    counts: dict[str, int] = {}
    missing = []

    def renamed(match):
        name = match[0]
        stem, dot, field = name.partition(".")
        if re.fullmatch(r"0[fd][0-9A-Fa-f]+|done|targets|callee|_", name):
            return name
        kind = lookup(stem, scopes)
        if kind is None:
            if not stem.startswith("%") or "<" in stem:
                missing.append(name)
            return name
        if kind in SYMBOL:
            return SYMBOL[kind]
        if stem not in names:
            counts[kind] = counts.get(kind, 0) + 1
            names[stem] = f"{PREFIX[kind]}{counts[kind]}" if kind in PREFIX else ""
            if not names[stem]:
                missing.append(name)
        return names[stem] + dot + field

    operands = tuple(NAME.sub(renamed, operand) for operand in split_operands(rest))
    guard = NAME.sub(renamed, guard.strip())
    if missing or "lmem" in rest:
        return None
    return Instruction(tuple(mnemonic.split(".")), operands, guard)

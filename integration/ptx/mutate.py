# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Small changes to an instruction, legal and illegal ones.

Each function takes an instruction and a `Chooser` and gives a changed one, or
None where the change makes no sense. None of them knows what is legal: whether
`add.s64` for `add.s32` with the same registers is PTX is for ptxas to say.
"""

import random
import re
from dataclasses import replace

from instructions import PREFIX, Instruction, split_operands

TYPES = ("pred", "b8", "u8", "s8", "b16", "u16", "s16", "f16", "bf16", "f16x2", "bf16x2",
         "b32", "u32", "s32", "f32", "tf32", "b64", "u64", "s64", "f64", "f32x2", "b128")
# Versions and targets that go together, and a few that don't.
MODULES = (("7.0", "sm_80"), ("7.4", "sm_86"), ("7.8", "sm_89"), ("7.8", "sm_90"),
           ("8.0", "sm_90a"), ("8.3", "sm_90"), ("8.6", "sm_90a"), ("8.6", "sm_100"),
           ("8.6", "sm_100a"), ("8.7", "sm_120a"), ("8.8", "sm_100f"), ("8.8", "sm_103a"),
           ("9.0", "sm_110a"), ("9.0", "sm_121a"), ("9.0", "sm_80"), ("9.1", "sm_100a"),
           ("9.4", "sm_103f"), ("9.4", "sm_90"), ("9.4", "sm_75"), ("8.5", "sm_100a"),
           ("7.8", "sm_90a"))


class Chooser:
    """Deterministic choices. `random.choice` may change between Python versions,
    `random.random` may not."""

    def __init__(self, seed: str, pool: list[Instruction]):
        self.random = random.Random(seed).random
        self.of_head: dict[str, list[str]] = {}  # what stands after the same first word anywhere
        for instruction in pool:
            head, *rest = instruction.mnemonic
            known = self.of_head.setdefault(head, [])
            known += [word for word in rest if word not in known]
        self.all = sorted({word for known in self.of_head.values() for word in known})

    def one(self, items):
        return items[int(self.random() * len(items))] if items else None

    def place(self, items) -> int:
        return int(self.random() * len(items))


def with_word(instruction, at, *words):
    """The word at a place of the mnemonic, replaced by none or more."""
    mnemonic = (*instruction.mnemonic[:at], *words, *instruction.mnemonic[at + 1:])
    return replace(instruction, mnemonic=mnemonic)


def with_operand(instruction, at, *operands):
    changed = (*instruction.operands[:at], *operands, *instruction.operands[at + 1:])
    return replace(instruction, operands=changed)


def some_word(instruction, choose) -> int | None:
    count = len(instruction.mnemonic)
    return 1 + int(choose.random() * (count - 1)) if count > 1 else None


def drop_modifier(instruction, choose):
    at = some_word(instruction, choose)
    return with_word(instruction, at) if at else None


def repeat_modifier(instruction, choose):
    at = some_word(instruction, choose)
    return with_word(instruction, at, *[instruction.mnemonic[at]] * 2) if at else None


def reorder_modifiers(instruction, choose):
    if len(instruction.mnemonic) < 3:
        return None
    one, two = some_word(instruction, choose), some_word(instruction, choose)
    words = list(instruction.mnemonic)
    words[one], words[two] = words[two], words[one]
    return replace(instruction, mnemonic=tuple(words)) if words[one] != words[two] else None


def other_modifier(instruction, choose):
    """Another modifier that this opcode has somewhere; often a legal one."""
    at = some_word(instruction, choose)
    known = choose.of_head[instruction.mnemonic[0]]
    return with_word(instruction, at, choose.one(known)) if at else None


def more_modifier(instruction, choose):
    at = choose.place(instruction.mnemonic)
    known = choose.of_head[instruction.mnemonic[0]]
    if not known:
        return None
    return with_word(instruction, at, instruction.mnemonic[at], choose.one(known))


def foreign_modifier(instruction, choose):
    at = choose.place(instruction.mnemonic)
    return with_word(instruction, at, instruction.mnemonic[at], choose.one(choose.all))


def misspelled_modifier(instruction, choose):
    at = some_word(instruction, choose)
    return with_word(instruction, at, instruction.mnemonic[at] + choose.one("x18")) if at else None


def other_type(instruction, choose):
    places = [at for at, word in enumerate(instruction.mnemonic) if at and word in TYPES]
    return with_word(instruction, choose.one(places), choose.one(TYPES)) if places else None


def similar_type(instruction, choose):
    """A type of the same size: legal wherever only the size matters."""
    places = [at for at, word in enumerate(instruction.mnemonic) if at and word in TYPES]
    if not places:
        return None
    at = choose.one(places)
    size = re.search(r"\d+|pred", instruction.mnemonic[at])[0]
    same = [kind for kind in TYPES if re.search(r"\d+|pred", kind)[0] == size]
    return with_word(instruction, at, choose.one(same))


REGISTER = re.compile(r"%(?:p|cb|cu|cs|hu|hs|hf|hx|h|rdu|rds|rd|ru|rs|r|fd|f|q)\d+")


def some_register(instruction, choose):
    places = [(at, match) for at, operand in enumerate(instruction.operands)
              for match in REGISTER.finditer(operand)]
    return choose.one(places)


def with_register(instruction, at, match, text):
    operand = instruction.operands[at]
    return with_operand(instruction, at, operand[:match.start()] + text + operand[match.end():])


def other_register(instruction, choose):
    if not (found := some_register(instruction, choose)):
        return None
    return with_register(instruction, *found, choose.one(list(PREFIX.values())) + "9")


def similar_register(instruction, choose):
    """A register of the same size and another kind."""
    if not (found := some_register(instruction, choose)):
        return None
    stem = found[1][0].rstrip("0123456789")
    kind = next(kind for kind, prefix in PREFIX.items() if prefix == stem)
    size = re.search(r"\d+|pred", kind)[0]
    same = [prefix for name, prefix in PREFIX.items() if re.search(r"\d+|pred", name)[0] == size]
    return with_register(instruction, *found, choose.one(same) + "9")


def immediate_for_register(instruction, choose):
    if not (found := some_register(instruction, choose)):
        return None
    value = choose.one(("0", "1", "-3", "0x10", "0f3F800000", "1.5"))
    return with_register(instruction, *found, value)


def predicate_for_value(instruction, choose):
    found = some_register(instruction, choose)
    return with_register(instruction, *found, "%p5") if found else None


def drop_operand(instruction, choose):
    if not instruction.operands:
        return None
    return with_operand(instruction, choose.place(instruction.operands))


def more_operand(instruction, choose):
    if not instruction.operands:
        return replace(instruction, operands=(choose.one(("%r1", "1", "[%rd1]")),))
    at = choose.place(instruction.operands)
    return with_operand(instruction, at, *[instruction.operands[at]] * 2)


def swap_operands(instruction, choose):
    if len(instruction.operands) < 2:
        return None
    at = choose.place(instruction.operands[1:])
    one, two = instruction.operands[at:at + 2]
    return with_operand(with_operand(instruction, at, two), at + 1, one) if one != two else None


def toggle_brackets(instruction, choose):
    if not instruction.operands:
        return None
    at = choose.place(instruction.operands)
    operand = instruction.operands[at]
    toggled = operand[1:-1].strip() if operand[0] == "[" else f"[{operand}]"
    return with_operand(instruction, at, toggled)


def other_offset(instruction, choose):
    """Another legal way to write an address."""
    places = [at for at, operand in enumerate(instruction.operands)
              if re.fullmatch(r"\[[^,]*\]", operand)]
    if not places:
        return None
    at = choose.one(places)
    base = re.match(r"\[\s*([\w%]+)", instruction.operands[at])[1]
    return with_operand(instruction, at, f"[{base}{choose.one(('+16', '+-32', '+0x40', ''))}]")


def other_immediate(instruction, choose):
    """Another number; legal unless the instruction takes only some."""
    places = [(at, match) for at, operand in enumerate(instruction.operands)
              for match in re.finditer(r"(?<![\w%.+-])-?(0x)?\d+(?![\w.])", operand)]
    if not places:
        return None
    value = choose.one(("0", "1", "2", "8", "0x20", "-1", "64"))
    return with_register(instruction, *choose.one(places), value)


def whole_other_order(instruction, choose):
    """All modifiers behind the first two words in another order."""
    head, rest = instruction.mnemonic[:2], list(instruction.mnemonic[2:])
    for at in range(len(rest) - 1, 0, -1):
        other = int(choose.random() * (at + 1))
        rest[at], rest[other] = rest[other], rest[at]
    return replace(instruction, mnemonic=(*head, *rest))


def wider_register(instruction, choose):
    """Untyped registers of the same or of twice the size."""
    if not (found := some_register(instruction, choose)):
        return None
    stem = found[1][0].rstrip("0123456789")
    kind = next(kind for kind, prefix in PREFIX.items() if prefix == stem)
    size = int(re.search(r"\d+", kind)[0]) if kind != "pred" else 0
    prefix = PREFIX.get(f"b{choose.one((size, 2 * size))}", "%p")
    return with_register(instruction, *found, prefix + "9")


def other_vector(instruction, choose):
    places = [at for at, operand in enumerate(instruction.operands) if "{" in operand]
    if not places:
        return None
    at = choose.one(places)
    operand = instruction.operands[at]
    start, end = operand.index("{"), operand.index("}")
    items = split_operands(operand[start + 1:end])
    items = choose.one((items[:-1], (*items, *items[-1:]), (*items, *items),
                        items[:len(items) // 2], items[:1]))
    changed = f"{operand[:start]}{{{', '.join(items)}}}{operand[end + 1:]}"
    return with_operand(instruction, at, changed)


def guarded(instruction, choose):
    if instruction.guard:
        return None
    return replace(instruction, guard=choose.one(("@%p7", "@!%p7", "@%r7", "@!%f7")))


def other_module(instruction, choose):
    version, target = choose.one(MODULES)
    return replace(instruction, version=version, target=target)


# Some stand here more than once: about a third of the mutants shall be legal, so
# that a parser that refuses too much pays for it as well.
MUTATIONS = (drop_modifier, repeat_modifier, other_modifier, more_modifier, foreign_modifier,
             misspelled_modifier, other_type, other_register, immediate_for_register,
             predicate_for_value, drop_operand, more_operand, swap_operands, toggle_brackets,
             other_vector, similar_type, reorder_modifiers, *[whole_other_order] * 3,
             *[similar_register] * 2, wider_register, *[other_immediate] * 2, other_offset,
             *[guarded] * 2, *[other_module] * 3)


def mutants_of(pool: list[Instruction], count: int, seed: str) -> list[tuple[str, Instruction]]:
    """As many mutants of every family as of any other, each a text of its own."""
    choose = Chooser(seed, pool)
    families: dict[str, list[Instruction]] = {}
    for instruction in pool:
        families.setdefault(instruction.family, []).append(instruction)
    turns = sorted(families)
    originals = {str(instruction) for instruction in pool}
    found: dict[tuple[str, str, str], tuple[str, Instruction]] = {}
    tries = 0
    while len(found) < count and tries < 100 * count:
        members = families[turns[tries % len(turns)]]
        tries += 1
        mutation = choose.one(MUTATIONS)
        mutant = mutation(choose.one(members), choose)
        if mutant and (mutation is other_module or str(mutant) not in originals):
            key = str(mutant), mutant.version, mutant.target
            found.setdefault(key, (mutation.__name__, mutant))
    return list(found.values())

//===- Layout.cpp - Where the elements of a tile are ----------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Dialect/Tile/IR/Layout.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace drawloom::tile;
using llvm::ArrayRef;
using llvm::Expected;
using llvm::SmallVector;
using llvm::StringRef;

// A place and a tuple of coordinates each fit into one machine word, which is
// what elimination works on, and their prime factors are found by trial.
static constexpr unsigned maxBits = 40;

template <typename... Args>
static llvm::Error invalid(const char *format, Args &&...args) {
  return llvm::createStringError(
      llvm::formatv(format, std::forward<Args>(args)...).str());
}

//===----------------------------------------------------------------------===//
// Making one
//===----------------------------------------------------------------------===//

template <typename Range>
static llvm::Error checkNames(const Range &range) {
  for (size_t i = 0; i < range.size(); ++i)
    for (size_t j = 0; j < i; ++j)
      if (range[i].name == range[j].name)
        return invalid("'{0}' is named twice", range[i].name);
  return llvm::Error::success();
}

/// The only output along which a digit steps, or none.
static std::optional<unsigned> stepOutput(ArrayRef<int64_t> basis) {
  auto isStep = [](int64_t coordinate) { return coordinate != 0; };
  if (llvm::count_if(basis, isStep) != 1)
    return std::nullopt;
  return llvm::find_if(basis, isStep) - basis.begin();
}

/// The digits of an input as primes, those of one digit in ascending order.
static Expected<Layout::Input> factor(const Layout::Input &input,
                                      ArrayRef<Layout::Output> outputs) {
  Layout::Input result{input.name, {}};
  for (auto [i, digit] : llvm::enumerate(input.digits)) {
    if (digit.basis.size() != outputs.size())
      return invalid("digit {0} of '{1}' has {2} coordinates: give {3}", i,
                     input.name, digit.basis.size(), outputs.size());
    if (digit.count < 1)
      return invalid("digit {0} of '{1}' has {2} values: counts begin at 1", i,
                     input.name, digit.count);
    if (digit.count == 2) {
      result.digits.push_back(digit);
      continue;
    }
    std::optional<unsigned> out = stepOutput(digit.basis);
    if (digit.count > 2 && !out)
      return invalid("digit {0} of '{1}' has {2} values: its step must be "
                     "along exactly one dimension",
                     i, input.name, digit.count);
    if (out && digit.count - 1 > (outputs[*out].size - 1) / digit.basis[*out])
      return invalid("digit {0} of '{1}' takes {2} values in steps of {3}: "
                     "that is more than '{4}' has, {5}",
                     i, input.name, digit.count, digit.basis[*out],
                     outputs[*out].name, outputs[*out].size);
    Layout::Digit rest = digit;
    for (int64_t prime = 2; rest.count > 1; ++prime) {
      if (prime * prime > rest.count)
        prime = rest.count;
      while (rest.count % prime == 0) {
        result.digits.push_back({rest.basis, prime});
        rest.basis[*out] *= prime;
        rest.count /= prime;
      }
    }
  }
  return result;
}

Expected<Layout> Layout::get(std::vector<Input> inputs,
                             std::vector<Output> outputs) {
  if (llvm::Error error = checkNames(inputs))
    return error;
  if (llvm::Error error = checkNames(outputs))
    return error;
  unsigned inBits = 0, outBits = 0;
  for (const Output &output : outputs) {
    if (output.size < 1)
      return invalid("'{0}' has size {1}: sizes begin at 1", output.name,
                     output.size);
    outBits += llvm::Log2_64_Ceil(output.size);
  }
  for (const Input &input : inputs)
    for (const Digit &digit : input.digits) {
      inBits += llvm::Log2_64_Ceil(std::max<int64_t>(digit.count, 1));
      for (auto [coordinate, output] : llvm::zip(digit.basis, outputs))
        if (coordinate < 0 || coordinate >= output.size)
          return invalid("'{0}' has a digit that reaches {1} in '{2}': "
                         "coordinates are in 0 to {3}",
                         input.name, coordinate, output.name, output.size - 1);
    }
  if (inBits > maxBits || outBits > maxBits)
    return invalid("the inputs have {0} bits and the outputs {1}: at most {2} "
                   "of each",
                   inBits, outBits, maxBits);

  Layout layout;
  for (const Input &input : inputs) {
    Expected<Input> factored = factor(input, outputs);
    if (!factored)
      return factored.takeError();
    layout.inputs.push_back(std::move(*factored));
  }
  layout.outputs = std::move(outputs);
  if (llvm::Error error = layout.findRadices())
    return error;
  layout.sortDigits();
  return layout;
}

/// An output's odd digits are where the inputs' odd digits step; what is
/// between them, below them and above them must be bits.
llvm::Error Layout::findRadices() {
  SmallVector<SmallVector<std::pair<int64_t, int64_t>>> steps(outputs.size());
  for (const Input &input : inputs)
    for (const Digit &digit : input.digits)
      if (digit.count > 2) {
        unsigned out = *stepOutput(digit.basis);
        steps[out].push_back({digit.basis[out], digit.count});
      }

  radices.clear();
  for (auto [output, odd] : llvm::zip_equal(outputs, steps)) {
    llvm::sort(odd);
    SmallVector<int64_t> &radix = radices.emplace_back();
    int64_t below = 1;
    for (auto [step, prime] : odd) {
      if (step % below || !llvm::isPowerOf2_64(step / below))
        return invalid("'{0}' has a digit of {1} values with step {2}, but "
                       "what is below it has {3} values: the step must be {3} "
                       "times a power of two",
                       output.name, prime, step, below);
      radix.append(llvm::Log2_64(step / below), 2);
      radix.push_back(prime);
      below = step * prime;
    }
    int64_t above = output.size / below;
    if (output.size % below || !llvm::isPowerOf2_64(above))
      return invalid("'{0}' has size {1}, of which digits that are no bits "
                     "account for {2}: the rest must be a power of two",
                     output.name, output.size, below);
    radix.append(llvm::Log2_64(above), 2);
  }

  // A bit must not reach into an odd digit.
  for (const Input &input : inputs)
    for (auto [i, digit] : llvm::enumerate(input.digits))
      for (auto [coordinate, output, radix] :
           llvm::zip_equal(digit.basis, outputs, radices)) {
        int64_t rest = coordinate;
        for (int64_t prime : radix) {
          if (digit.count == 2 && prime > 2 && rest % prime)
            return invalid("digit {0} of '{1}' is a bit and reaches {2} in "
                           "'{3}', which lies in a digit of {4} values",
                           i, input.name, coordinate, output.name, prime);
          rest /= prime;
        }
      }
  return llvm::Error::success();
}

/// Two digits that are neighbours in an input and in an output, the lower with
/// p values and step s, the upper with q values and step p * s, count to p * q
/// in steps of s; so do q values with step s below p values with step q * s.
/// The smaller prime goes below. A bit can take part if no other bit
/// contributes to the same bit of the output.
void Layout::sortDigits() {
  auto isShared = [&](const Digit &digit) {
    if (digit.count > 2)
      return false;
    uint64_t bit = pack(digit.basis);
    int users = 0;
    for (uint64_t other : packBits())
      users += (other & bit) != 0;
    return users > 1;
  };
  bool changed = true;
  while (changed) {
    changed = false;
    for (Input &input : inputs)
      for (size_t i = 1; i < input.digits.size(); ++i) {
        Digit &lower = input.digits[i - 1], &upper = input.digits[i];
        std::optional<unsigned> out = stepOutput(lower.basis);
        if (lower.count <= upper.count || !out ||
            out != stepOutput(upper.basis) ||
            lower.basis[*out] * lower.count != upper.basis[*out] ||
            isShared(lower) || isShared(upper))
          continue;
        upper.basis[*out] = lower.basis[*out] * upper.count;
        std::swap(lower.count, upper.count);
        // The digits are those of a valid layout, so this cannot fail.
        llvm::cantFail(findRadices());
        changed = true;
      }
  }
}

//===----------------------------------------------------------------------===//
// Sizes and application
//===----------------------------------------------------------------------===//

std::string Layout::dimName(unsigned i) { return "dim" + std::to_string(i); }

int64_t Layout::getInputSize(unsigned in) const {
  int64_t size = 1;
  for (const Digit &digit : inputs[in].digits)
    size *= digit.count;
  return size;
}

SmallVector<int64_t> Layout::apply(ArrayRef<int64_t> place) const {
  uint64_t word = 0;
  SmallVector<int64_t> result(outputs.size(), 0);
  for (auto [input, number] : llvm::zip_equal(inputs, place)) {
    int64_t rest = number;
    for (const Digit &digit : input.digits) {
      int64_t value = rest % digit.count;
      rest /= digit.count;
      if (digit.count == 2) {
        word ^= value ? pack(digit.basis) : 0;
        continue;
      }
      for (auto [coordinate, step] : llvm::zip_equal(result, digit.basis))
        coordinate += value * step;
    }
  }
  for (auto [coordinate, radix] : llvm::zip_equal(result, radices)) {
    int64_t weight = 1;
    for (int64_t prime : radix) {
      if (prime == 2) {
        coordinate += int64_t(word & 1) * weight;
        word >>= 1;
      }
      weight *= prime;
    }
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Linear algebra over bits
//===----------------------------------------------------------------------===//

/// The bits of all coordinates in one word, the first output lowest.
uint64_t Layout::pack(ArrayRef<int64_t> coordinates) const {
  uint64_t word = 0;
  unsigned shift = 0;
  for (auto [coordinate, radix] : llvm::zip_equal(coordinates, radices)) {
    int64_t rest = coordinate;
    for (int64_t prime : radix) {
      if (prime == 2)
        word |= uint64_t(rest % 2) << shift++;
      rest /= prime;
    }
  }
  return word;
}

std::vector<uint64_t> Layout::packBits() const {
  std::vector<uint64_t> columns;
  for (const Input &input : inputs)
    for (const Digit &digit : input.digits)
      if (digit.count == 2)
        columns.push_back(pack(digit.basis));
  return columns;
}

namespace {
/// A column of a matrix over bits after elimination: its top bit is in no other
/// pivot. `combination` says which of the original columns it is the XOR of.
struct Pivot {
  uint64_t value;
  uint64_t combination;
};
} // namespace

static SmallVector<Pivot> eliminate(ArrayRef<uint64_t> columns) {
  SmallVector<Pivot> pivots;
  for (auto [i, column] : llvm::enumerate(columns)) {
    Pivot next{column, uint64_t(1) << i};
    for (const Pivot &pivot : pivots)
      if (next.value >> llvm::Log2_64(pivot.value) & 1) {
        next.value ^= pivot.value;
        next.combination ^= pivot.combination;
      }
    if (!next.value)
      continue;
    unsigned top = llvm::Log2_64(next.value);
    for (Pivot &pivot : pivots)
      if (pivot.value >> top & 1) {
        pivot.value ^= next.value;
        pivot.combination ^= next.combination;
      }
    pivots.push_back(next);
  }
  return pivots;
}

static size_t countBits(ArrayRef<SmallVector<int64_t>> radices) {
  size_t bits = 0;
  for (ArrayRef<int64_t> radix : radices)
    bits += llvm::count(radix, 2);
  return bits;
}

bool Layout::isOnto() const {
  return eliminate(packBits()).size() == countBits(radices);
}

bool Layout::isInjective() const {
  std::vector<uint64_t> columns = packBits();
  return eliminate(columns).size() == columns.size();
}

Expected<Layout> Layout::invert() const {
  SmallVector<Pivot> pivots = eliminate(packBits());
  size_t bits = countBits(radices);
  if (pivots.size() != bits)
    return invalid("the bits reach 2^{0} of 2^{1} coordinates: the others have "
                   "no place",
                   pivots.size(), bits);
  // With full rank every pivot is a single bit of the output.
  SmallVector<uint64_t> placeOfBit(bits);
  for (const Pivot &pivot : pivots)
    placeOfBit[llvm::Log2_64(pivot.value)] = pivot.combination;

  // The place with these bits set, and the place of an odd digit.
  auto unpackPlace = [&](uint64_t word) {
    SmallVector<int64_t, 2> place(inputs.size(), 0);
    for (auto [in, input] : llvm::enumerate(inputs)) {
      int64_t weight = 1;
      for (const Digit &digit : input.digits) {
        if (digit.count == 2) {
          place[in] += int64_t(word & 1) * weight;
          word >>= 1;
        }
        weight *= digit.count;
      }
    }
    return place;
  };
  auto placeOfStep = [&](unsigned out, int64_t step) {
    SmallVector<int64_t, 2> place(inputs.size(), 0);
    for (auto [in, input] : llvm::enumerate(inputs)) {
      int64_t weight = 1;
      for (const Digit &digit : input.digits) {
        if (digit.count > 2 && digit.basis[out] == step)
          place[in] = weight;
        weight *= digit.count;
      }
    }
    return place;
  };

  std::vector<Input> newInputs;
  unsigned bit = 0;
  for (auto [out, output] : llvm::enumerate(outputs)) {
    Input &input = newInputs.emplace_back(Input{output.name, {}});
    int64_t weight = 1;
    for (int64_t prime : radices[out]) {
      input.digits.push_back({prime == 2 ? unpackPlace(placeOfBit[bit++])
                                         : placeOfStep(out, weight),
                              prime});
      weight *= prime;
    }
  }
  std::vector<Output> newOutputs;
  for (auto [in, input] : llvm::enumerate(inputs))
    newOutputs.push_back({input.name, getInputSize(in)});
  return get(std::move(newInputs), std::move(newOutputs));
}

//===----------------------------------------------------------------------===//
// Composition
//===----------------------------------------------------------------------===//

static std::string radixText(ArrayRef<int64_t> radix) {
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::interleave(radix, os, "*");
  return text.empty() ? "1" : text;
}

Expected<Layout> Layout::compose(const Layout &next) const {
  if (outputs.size() != next.inputs.size())
    return invalid("{0} outputs do not fit {1} inputs", outputs.size(),
                   next.inputs.size());
  SmallVector<unsigned> inputOfOutput;
  for (auto [output, radix] : llvm::zip_equal(outputs, radices)) {
    const auto *input = llvm::find_if(
        next.getInputs(), [&, &name = output.name](const Input &candidate) {
          return candidate.name == name;
        });
    unsigned in = input - next.getInputs().begin();
    if (input == next.getInputs().end() || next.getInputSize(in) != output.size)
      return invalid("output '{0}' of size {1} has no input of that name and "
                     "size",
                     output.name, output.size);
    auto counts = llvm::map_to_vector(
        input->digits, [](const Digit &digit) { return digit.count; });
    if (ArrayRef<int64_t>(counts) != ArrayRef<int64_t>(radix))
      return invalid("'{0}' has the digits {1} on one side and {2} on the "
                     "other: they must be the same",
                     output.name, radixText(radix), radixText(counts));
    inputOfOutput.push_back(in);
  }

  // Both a bit's contribution and an odd digit's step are places of `next`.
  std::vector<Input> newInputs = inputs;
  SmallVector<int64_t> middle(next.inputs.size());
  for (Input &input : newInputs)
    for (Digit &digit : input.digits) {
      for (auto [in, coordinate] : llvm::zip_equal(inputOfOutput, digit.basis))
        middle[in] = coordinate;
      digit.basis.assign(next.apply(middle));
    }
  return get(std::move(newInputs), next.outputs);
}

//===----------------------------------------------------------------------===//
// Layouts that everybody needs
//===----------------------------------------------------------------------===//

Expected<Layout> Layout::rowMajor(StringRef name, ArrayRef<int64_t> shape) {
  std::vector<Output> outputs;
  Input input{name.str(), {}};
  for (auto [i, size] : llvm::enumerate(shape))
    outputs.push_back({dimName(i), size});
  for (unsigned i = shape.size(); i-- > 0;) {
    if (shape[i] == 1)
      continue;
    SmallVector<int64_t, 2> step(shape.size(), 0);
    step[i] = 1;
    input.digits.push_back({step, shape[i]});
  }
  return get({std::move(input)}, std::move(outputs));
}

Expected<Layout> Layout::swizzle(StringRef name, int64_t size, unsigned width,
                                 unsigned from, unsigned to) {
  if (from < to + width)
    return invalid(
        "a swizzle of {0} bits from {1} to {2} reads what it writes: "
        "'from' must be at least {3}",
        width, from, to, to + width);
  if (size < 1)
    return invalid("a swizzle of {0} values: sizes begin at 1", size);
  unsigned bits = llvm::countr_zero(uint64_t(size));
  int64_t odd = size >> bits;
  if (odd > 1 && bits < from + width)
    return invalid("a swizzle of bits up to {0} needs a size that {1} divides, "
                   "or a power of two: {2} is neither",
                   from + width - 1, int64_t(1) << (from + width), size);
  Input input{name.str(), {}};
  for (unsigned bit = 0; bit < bits; ++bit) {
    int64_t basis = int64_t(1) << bit;
    if (bit >= from && bit < from + width)
      basis |= int64_t(1) << (bit - from + to);
    input.digits.push_back({{basis}, 2});
  }
  if (odd > 1)
    input.digits.push_back({{int64_t(1) << bits}, odd});
  return get({std::move(input)}, {{name.str(), size}});
}

//===----------------------------------------------------------------------===//
// Hash and print
//===----------------------------------------------------------------------===//

llvm::hash_code drawloom::tile::hash_value(const Layout &layout) {
  llvm::hash_code code =
      llvm::hash_combine(layout.getInputs().size(), layout.getOutputs().size());
  for (const Layout::Input &input : layout.getInputs()) {
    code = llvm::hash_combine(code, input.name, input.digits.size());
    for (const Layout::Digit &digit : input.digits)
      code = llvm::hash_combine(code, digit.count,
                                llvm::hash_combine_range(digit.basis));
  }
  for (const Layout::Output &output : layout.getOutputs())
    code = llvm::hash_combine(code, output.name, output.size);
  return code;
}

void Layout::print(llvm::raw_ostream &os) const {
  llvm::interleave(
      outputs, os, [&](const Output &output) { os << output.size; }, "x");
  for (const Input &input : inputs) {
    os << ", " << input.name << " = [";
    llvm::interleaveComma(input.digits, os, [&](const Digit &digit) {
      os << '[';
      llvm::interleaveComma(digit.basis, os);
      os << ']';
      if (digit.count > 2)
        os << " by " << digit.count;
    });
    os << ']';
  }
}

llvm::raw_ostream &drawloom::tile::operator<<(llvm::raw_ostream &os,
                                              const Layout &layout) {
  layout.print(os);
  return os;
}

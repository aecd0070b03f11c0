// What passes decide is checked wherever it is read again.
// RUN: drawloom-opt %s -split-input-file -verify-diagnostics

// expected-error@below {{full = -8; places and sizes are 0 or more}}
module attributes {test.place = #agent.place<start = 0, stride = 16, full = -8, empty = 16>} {}

// -----

// expected-error@below {{a barrier at byte 12; an mbarrier is at a multiple of 8}}
module attributes {test.place = #agent.place<start = 0, stride = 16, full = 8, empty = 12>} {}

// -----

// expected-error@below {{columns = -1; places and sizes are 0 or more}}
module attributes {test.scratch = #agent.scratch<offset = 0, bytes = 0, column = 0, columns = -1>} {}

// -----

// expected-error@below {{there is no rule 'because-i-say-so'}}
module attributes {test.because = #agent.reason<"because-i-say-so", "really">} {}

// -----

// expected-error@below {{'because' comes with 'undecided', and with nothing else}}
module attributes {test.verdict = #agent.verdict<proved, because = "it seems so">} {}

// -----

// expected-error@below {{'words', 'condition' and 'sizes' come with 'proved_if', and with nothing else}}
module attributes {test.verdict = #agent.verdict<proved_if, words = "K >= 1">} {}

// -----

// expected-error@below {{'assumes' is [1]; it is a list of sentences}}
module attributes {test.verdict = #agent.verdict<proved, assumes = [1]>} {}

// -----

// expected-error@below {{'sizes' holds "K", which is no size}}
module attributes {test.verdict = #agent.verdict<proved_if, words = "K >= 1", condition = [], sizes = ["K"]>} {}

// -----

// expected-error@below {{'condition' holds #agent.bound<size = 0, min = 1>; it is a list of cases, each a list of bounds}}
module attributes {test.verdict = #agent.verdict<proved_if, words = "K >= 1", condition = [#agent.bound<size = 0, min = 1>], sizes = [#agent.size<name = "K">]>} {}

// -----

// expected-error@below {{'condition' holds #agent.bound<size = 1, min = 1>; it holds bounds of the 1 sizes}}
module attributes {test.verdict = #agent.verdict<proved_if, words = "K >= 1", condition = [[#agent.bound<size = 1, min = 1>]], sizes = [#agent.size<name = "K">]>} {}

// -----

// expected-error@below {{'of' and 'value' come together: the numbers that a size is computed from, and how}}
module attributes {test.size = #agent.size<name = "K", of = [array<i64: 0, 1>]>} {}

// -----

// expected-error@below {{'value' is affine_map<()[s0, s1] -> (s0)>; it has one result and 1 symbols, one for each entry of 'of'}}
module attributes {test.size = #agent.size<name = "K", of = [array<i64: 0, 1>], value = affine_map<()[s0, s1] -> (s0)>>} {}

// -----

// expected-error@below {{'of' holds array<i64: 0, -1>; it names an argument and, for a view, a dimension}}
module attributes {test.size = #agent.size<name = "K", of = [array<i64: 0, -1>], value = affine_map<()[s0] -> (s0)>>} {}

// -----

func.func @negative() {
  // expected-error@below {{'agent.switch' op has shared_bytes = -1; places and sizes are 0 or more}}
  agent.switch attributes {shared_bytes = -1 : i64} {
  }
  return
}

// -----

func.func @half_a_group() {
  // expected-error@below {{'agent.switch' op has warps = 6; a CTA has whole warp groups, up to 32 warps in steps of four}}
  agent.switch attributes {warps = 6 : i64} {
  }
  return
}

// -----

func.func @hole() {
  // expected-error@below {{'agent.switch' op has warp 9 as a hole, but 8 warps}}
  agent.switch attributes {warps = 8 : i64, holes = array<i64: 9>} {
  }
  return
}

// -----

// expected-error@below {{role "" with warps = 4; a role has a name and one warp or more}}
module attributes {test.owner = #agent.owner<name = "", warps = 4, because = []>} {}

// -----

// expected-error@below {{role "load" of 4 warps with loads = tma; a role loads by cp_async, or by tma with one warp}}
module attributes {test.owner = #agent.owner<name = "load", warps = 4, loads = tma, because = []>} {}

// -----

// expected-error@below {{'because' is ["so"]; it is a list of reasons}}
module attributes {test.owner = #agent.owner<name = "mma", warps = 1, because = ["so"]>} {}

// -----

// expected-error@below {{arguments and dimensions are numbered from 0}}
module attributes {test.parameter = #agent.parameter<scalar, argument = -1>} {}

// -----

// expected-error@below {{'box', 'swizzle' and 'atom' come with 'map', and with nothing else}}
module attributes {test.parameter = #agent.parameter<map, argument = 0>} {}

// -----

// expected-error@below {{'dimension' comes with 'stride' and 'size', and with nothing else}}
module attributes {test.parameter = #agent.parameter<size, argument = 0>} {}

// -----

// expected-error@below {{has 'agent.workspace_bytes' = "four"; it is a number of bytes}}
module attributes {agent.workspace_bytes = "four"} {}

// -----

// expected-error@below {{has 'agent.parameters' = [1]; it is a list of #agent.parameter}}
module attributes {agent.parameters = [1]} {}

// -----

// expected-error@below {{has 'agent.roles' = "mma"; it is a list of #agent.owner}}
module attributes {agent.roles = "mma"} {}

// -----

// expected-error@below {{has 'agent.shared_bytes' = "all"; it is a number of bytes}}
module attributes {agent.shared_bytes = "all"} {}

// -----

// expected-error@below {{barrier 16; a CTA has 15 named ones, from 1 on}}
module attributes {test.named_barrier = #agent.named_barrier<barrier = 16, parts = 0>} {}

// -----

// expected-error@below {{parts = -4}}
module attributes {test.named_barrier = #agent.named_barrier<barrier = 1, parts = -4>} {}

// RUN: drawloom-opt %s --verify-diagnostics --split-input-file

// expected-error @below {{'tile.kernel' op 'tile.target' is 90 : i64: write the name of an architecture, such as "sm_100a"}}
tile.kernel @k() attributes {tile.target = 90} {
}

// -----

// expected-error @below {{'tile.kernel' op 'tile.target': unknown architecture 'sm_100'; the known ones are sm_90a, sm_100a, sm_103a, sm_110a; did you mean 'sm_100a'? [unknown-architecture]}}
tile.kernel @k() attributes {tile.target = "sm_100"} {
}

// -----

// expected-error @below {{'tile.schedule' is "fast": write a '#tile.schedule<...>'}}
tile.kernel @k() attributes {tile.schedule = "fast"} {
}

// -----

// expected-error @below {{'tile.reasons' is [1]: reasons are an array of strings}}
tile.kernel @k() attributes {tile.reasons = [1]} {
}

// -----

// expected-error @below {{has the attribute 'tile.shedule', which is unknown; the attributes of a kernel are tile.target, tile.schedule, tile.reasons}}
tile.kernel @k() attributes {tile.shedule = #tile.schedule<>} {
}

// -----

tile.kernel @k(%n: index) {
  // expected-error @below {{has 'tile.target', which belongs on a kernel or a function}}
  %0 = arith.addi %n, %n {tile.target = "sm_90a"} : index
}

// -----

// expected-error @below {{argument 0 has the attribute 'tile.nam': only 'tile.name' and 'tile.open_strides' are known here}}
func.func private @f(tensor<4xf32> {tile.nam = "x"})

// -----

// expected-error @below {{'tile.name' of argument 0 is 1 : i64: a name is a string that is not empty}}
func.func private @f(tensor<4xf32> {tile.name = 1})

// -----

// expected-error @below {{'tile.name' of result 0 is "": a name is a string that is not empty}}
func.func private @f() -> (tensor<4xf32> {tile.name = ""})

// -----

// expected-error @below {{a schedule has no field 'speed'; the fields are tile, persistent, roles, fallback, slots, together, cluster, fallback_cluster, cta_group, warps, epilogue_tile, interleave, fast_math, hints, pragmas}}
#s = #tile.schedule<speed = 4>

// -----

// expected-error @below {{the field 'warps' is given twice [schedule-syntax]}}
#s = #tile.schedule<warps = 4, warps = 8>

// -----

// expected-error @below {{unknown value 'sometimes'; expected static, dynamic or none}}
#s = #tile.schedule<persistent = sometimes>

// -----

// expected-error @below {{unknown value 'two'; expected multi, single or none}}
#s = #tile.schedule<roles = two>

// -----

// expected-error @below {{unknown value 'ignore'; expected error or unspecialized}}
#s = #tile.schedule<fallback = ignore>

// -----

// expected-error @below {{unknown value 'on'; expected true or false [schedule-syntax]}}
#s = #tile.schedule<fast_math = on>

// -----

// expected-error @below {{tile: size 1 is 0, and sizes begin at 1}}
#s = #tile.schedule<tile = [128, 0, 64]>

// -----

// expected-error @below {{cluster: size 0 is -2, and sizes begin at 1}}
#s = #tile.schedule<cluster = [-2]>

// -----

// expected-error @below {{cluster: has 4 sizes, but a cluster has at most 3 dimensions}}
#s = #tile.schedule<cluster = [1, 1, 1, 1]>

// -----

// expected-error @below {{fallback_cluster: size 1 is 0, and sizes begin at 1}}
#s = #tile.schedule<cluster = [2, 1], fallback_cluster = [1, 0]>

// -----

// expected-error @below {{fallback_cluster: has 4 sizes, but a cluster has at most 3 dimensions}}
#s = #tile.schedule<cluster = [2], fallback_cluster = [1, 1, 1, 1]>

// -----

// expected-error @below {{fallback_cluster: clusters of 2 CTAs, but those of the first kernel have 2; use fewer, or leave it out}}
#s = #tile.schedule<fallback_cluster = [1, 2], cta_group = 2>

// -----

// expected-error @below {{fallback_cluster: clusters of 1 CTA, but those of the first kernel have 1; use fewer, or leave it out}}
#s = #tile.schedule<fallback_cluster = [1]>

// -----

// expected-error @below {{hints: 'a' is given twice [schedule-syntax]}}
#s = #tile.schedule<hints = {a = evict_first, a = evict_last}>

// -----

// expected-error @below {{unknown value 'keep'; expected evict_first or evict_last}}
#s = #tile.schedule<hints = {a = keep}>

// -----

// expected-error @below {{slots: a pipe has no name}}
#s = #tile.schedule<slots = {"" = 2}>

// -----

// expected-error @below {{slots: 'bias' is given twice [schedule-syntax]}}
#s = #tile.schedule<slots = {bias = 2, bias = 3}>

// -----

// expected-error @below {{slots: 'operands' has 0 slots, and a pipe needs at least 1}}
#s = #tile.schedule<slots = {operands = 0}>

// -----

// expected-error @below {{together: a group needs at least two views}}
#s = #tile.schedule<together = [[a]]>

// -----

// expected-error @below {{together: a view has no name}}
#s = #tile.schedule<together = [[a, ""]]>

// -----

// expected-error @below {{together: 'a' is named twice; a view travels in one pipe}}
#s = #tile.schedule<together = [[a, b], [a, c]]>

// -----

// expected-error @below {{warps: is 6, but compute roles have whole warp groups: a multiple of 4}}
#s = #tile.schedule<warps = 6>

// -----

// expected-error @below {{epilogue_tile: is 0, and widths begin at 1}}
#s = #tile.schedule<epilogue_tile = 0>

// -----

// expected-error @below {{cta_group: is 3, but an MMA is of 1 CTA or of 2}}
#s = #tile.schedule<cta_group = 3>

// -----

// expected-error @below {{interleave: is 0, and a work tile has at least 1 tile}}
#s = #tile.schedule<interleave = 0>

// -----

// expected-error @below {{pragmas: 'exit' is no place for one: write entry or sync}}
#s = #tile.schedule<pragmas = {exit = "nounroll"}>

// -----

// expected-error @below {{pragmas: 'entry' is given twice [schedule-syntax]}}
#s = #tile.schedule<pragmas = {entry = "nounroll", entry = "nounroll"}>

// -----

// expected-error @below {{pragmas: the text for 'sync' is empty or has one of " \ $ { } | or a new line, which a pragma of PTX has not}}
#s = #tile.schedule<pragmas = {sync = "a$b"}>

// -----

// expected-error @below {{'tile.open_strides' of argument 0 is "yes": it stands alone, on a tensor of a function; a view of a kernel has strides in its type}}
func.func @said(%x: tensor<64x64xf32> {tile.open_strides = "yes"}) {
  return
}

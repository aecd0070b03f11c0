// RUN: drawloom-opt %s --verify-diagnostics --split-input-file

// Words of other systems, typing errors and devices get a hint.

// expected-error @below {{a schedule has no field 'stages'; the fields are tile, persistent, roles, fallback, slots, together, cluster, fallback_cluster, cta_group, warps, epilogue_tile, interleave, fast_math, hints, pragmas; did you mean 'slots' (pipeline stages)?}}
#s = #tile.schedule<stages = 4>

// -----

// expected-error @below {{a schedule has no field 'num_stages'; the fields are tile, persistent, roles, fallback, slots, together, cluster, fallback_cluster, cta_group, warps, epilogue_tile, interleave, fast_math, hints, pragmas; did you mean 'slots' (pipeline stages)?}}
#s = #tile.schedule<num_stages = 4>

// -----

// expected-error @below {{a schedule has no field 'stage_count'; the fields are tile, persistent, roles, fallback, slots, together, cluster, fallback_cluster, cta_group, warps, epilogue_tile, interleave, fast_math, hints, pragmas; did you mean 'slots' (pipeline stages)?}}
#s = #tile.schedule<stage_count = 4>

// -----

// expected-error @below {{a schedule has no field 'pipeline_stages'; the fields are tile, persistent, roles, fallback, slots, together, cluster, fallback_cluster, cta_group, warps, epilogue_tile, interleave, fast_math, hints, pragmas; did you mean 'slots' (pipeline stages)?}}
#s = #tile.schedule<pipeline_stages = 4>

// -----

// expected-error @below {{a schedule has no field 'num_buffers'; the fields are tile, persistent, roles, fallback, slots, together, cluster, fallback_cluster, cta_group, warps, epilogue_tile, interleave, fast_math, hints, pragmas; did you mean 'slots' (pipeline stages)?}}
#s = #tile.schedule<num_buffers = 2>

// -----

// expected-error @below {{a schedule has no field 'num_warps'; the fields are tile, persistent, roles, fallback, slots, together, cluster, fallback_cluster, cta_group, warps, epilogue_tile, interleave, fast_math, hints, pragmas; did you mean 'warps' (of each role that computes)?}}
#s = #tile.schedule<num_warps = 8>

// -----

// expected-error @below {{a schedule has no field 'num_consumer_groups'; the fields are tile, persistent, roles, fallback, slots, together, cluster, fallback_cluster, cta_group, warps, epilogue_tile, interleave, fast_math, hints, pragmas; did you mean 'warps' (of each role that computes)?}}
#s = #tile.schedule<num_consumer_groups = 2>

// -----

// expected-error @below {{a schedule has no field 'num_warpgroups'; the fields are tile, persistent, roles, fallback, slots, together, cluster, fallback_cluster, cta_group, warps, epilogue_tile, interleave, fast_math, hints, pragmas; did you mean 'warps' (of each role that computes)?}}
#s = #tile.schedule<num_warpgroups = 2>

// -----

// expected-error @below {{a schedule has no field '2cta'; the fields are tile, persistent, roles, fallback, slots, together, cluster, fallback_cluster, cta_group, warps, epilogue_tile, interleave, fast_math, hints, pragmas; did you mean 'cta_group' (cta_group = 2: a 2-CTA MMA)?}}
#s = #tile.schedule<2cta = true>

// -----

// expected-error @below {{a schedule has no field '2sm'; the fields are tile, persistent, roles, fallback, slots, together, cluster, fallback_cluster, cta_group, warps, epilogue_tile, interleave, fast_math, hints, pragmas; did you mean 'cta_group' (cta_group = 2: a 2-CTA MMA)?}}
#s = #tile.schedule<2sm = true>

// -----

// expected-error @below {{a schedule has no field 'two_ctas'; the fields are tile, persistent, roles, fallback, slots, together, cluster, fallback_cluster, cta_group, warps, epilogue_tile, interleave, fast_math, hints, pragmas; did you mean 'cta_group' (cta_group = 2: a 2-CTA MMA)?}}
#s = #tile.schedule<two_ctas = true>

// -----

// expected-error @below {{a schedule has no field 'use_2cta'; the fields are tile, persistent, roles, fallback, slots, together, cluster, fallback_cluster, cta_group, warps, epilogue_tile, interleave, fast_math, hints, pragmas; did you mean 'cta_group' (cta_group = 2: a 2-CTA MMA)?}}
#s = #tile.schedule<use_2cta = true>

// -----

// expected-error @below {{a schedule has no field 'use_2cta_instrs'; the fields are tile, persistent, roles, fallback, slots, together, cluster, fallback_cluster, cta_group, warps, epilogue_tile, interleave, fast_math, hints, pragmas; did you mean 'cta_group' (cta_group = 2: a 2-CTA MMA)?}}
#s = #tile.schedule<use_2cta_instrs = true>

// -----

// expected-error @below {{a schedule has no field 'num_ctas'; the fields are tile, persistent, roles, fallback, slots, together, cluster, fallback_cluster, cta_group, warps, epilogue_tile, interleave, fast_math, hints, pragmas; did you mean 'cluster' (CTAs in each dimension)?}}
#s = #tile.schedule<num_ctas = 2>

// -----

// expected-error @below {{a schedule has no field 'cluster_shape'; the fields are tile, persistent, roles, fallback, slots, together, cluster, fallback_cluster, cta_group, warps, epilogue_tile, interleave, fast_math, hints, pragmas; did you mean 'cluster' (CTAs in each dimension)?}}
#s = #tile.schedule<cluster_shape = [2, 1]>

// -----

// expected-error @below {{a schedule has no field 'cluster_shape_mn'; the fields are tile, persistent, roles, fallback, slots, together, cluster, fallback_cluster, cta_group, warps, epilogue_tile, interleave, fast_math, hints, pragmas; did you mean 'cluster' (CTAs in each dimension)?}}
#s = #tile.schedule<cluster_shape_mn = [2, 1]>

// -----

// expected-error @below {{a schedule has no field 'cluster_size'; the fields are tile, persistent, roles, fallback, slots, together, cluster, fallback_cluster, cta_group, warps, epilogue_tile, interleave, fast_math, hints, pragmas; did you mean 'cluster' (CTAs in each dimension)?}}
#s = #tile.schedule<cluster_size = 2>

// -----

// expected-error @below {{a schedule has no field 'cluster_dims'; the fields are tile, persistent, roles, fallback, slots, together, cluster, fallback_cluster, cta_group, warps, epilogue_tile, interleave, fast_math, hints, pragmas; did you mean 'cluster' (CTAs in each dimension)?}}
#s = #tile.schedule<cluster_dims = [2, 1, 1]>

// -----

// expected-error @below {{a schedule has no field 'cga'; the fields are tile, persistent, roles, fallback, slots, together, cluster, fallback_cluster, cta_group, warps, epilogue_tile, interleave, fast_math, hints, pragmas; did you mean 'cluster' (CTAs in each dimension)?}}
#s = #tile.schedule<cga = 2>

// -----

// expected-error @below {{a schedule has no field 'epilogue_subtile'; the fields are tile, persistent, roles, fallback, slots, together, cluster, fallback_cluster, cta_group, warps, epilogue_tile, interleave, fast_math, hints, pragmas; did you mean 'epilogue_tile'?}}
#s = #tile.schedule<epilogue_subtile = 32>

// -----

// expected-error @below {{a schedule has no field 'EPILOGUE_SUBTILE'; the fields are tile, persistent, roles, fallback, slots, together, cluster, fallback_cluster, cta_group, warps, epilogue_tile, interleave, fast_math, hints, pragmas; did you mean 'epilogue_tile'?}}
#s = #tile.schedule<EPILOGUE_SUBTILE = 32>

// -----

// expected-error @below {{a schedule has no field 'subtile'; the fields are tile, persistent, roles, fallback, slots, together, cluster, fallback_cluster, cta_group, warps, epilogue_tile, interleave, fast_math, hints, pragmas; did you mean 'epilogue_tile'?}}
#s = #tile.schedule<subtile = 32>

// -----

// expected-error @below {{a schedule has no field 'clc'; the fields are tile, persistent, roles, fallback, slots, together, cluster, fallback_cluster, cta_group, warps, epilogue_tile, interleave, fast_math, hints, pragmas; did you mean 'persistent' (persistent = dynamic: cluster launch control)?}}
#s = #tile.schedule<clc = true>

// -----

// expected-error @below {{a schedule has no field 'tile_scheduler'; the fields are tile, persistent, roles, fallback, slots, together, cluster, fallback_cluster, cta_group, warps, epilogue_tile, interleave, fast_math, hints, pragmas; did you mean 'persistent' (static, dynamic or none)?}}
#s = #tile.schedule<tile_scheduler = clc>

// -----

// expected-error @below {{a schedule has no field 'scheduler'; the fields are tile, persistent, roles, fallback, slots, together, cluster, fallback_cluster, cta_group, warps, epilogue_tile, interleave, fast_math, hints, pragmas; did you mean 'persistent' (static, dynamic or none)?}}
#s = #tile.schedule<scheduler = static>

// -----

// expected-error @below {{a schedule has no field 'use_fast_math'; the fields are tile, persistent, roles, fallback, slots, together, cluster, fallback_cluster, cta_group, warps, epilogue_tile, interleave, fast_math, hints, pragmas; did you mean 'fast_math' (true or false)?}}
#s = #tile.schedule<use_fast_math = true>

// -----

// expected-error @below {{a schedule has no field 'pingpong'; the fields are tile, persistent, roles, fallback, slots, together, cluster, fallback_cluster, cta_group, warps, epilogue_tile, interleave, fast_math, hints, pragmas; did you mean 'interleave' (tiles of one CTA in flight at once)?}}
#s = #tile.schedule<pingpong = true>

// -----

// expected-error @below {{a schedule has no field 'ping_pong'; the fields are tile, persistent, roles, fallback, slots, together, cluster, fallback_cluster, cta_group, warps, epilogue_tile, interleave, fast_math, hints, pragmas; did you mean 'interleave' (tiles of one CTA in flight at once)?}}
#s = #tile.schedule<ping_pong = true>

// -----

// expected-error @below {{a schedule has no field 'tile_shape'; the fields are tile, persistent, roles, fallback, slots, together, cluster, fallback_cluster, cta_group, warps, epilogue_tile, interleave, fast_math, hints, pragmas; did you mean 'tile' (M, N and K of a tile)?}}
#s = #tile.schedule<tile_shape = [128, 128, 64]>

// -----

// expected-error @below {{a schedule has no field 'tile_size'; the fields are tile, persistent, roles, fallback, slots, together, cluster, fallback_cluster, cta_group, warps, epilogue_tile, interleave, fast_math, hints, pragmas; did you mean 'tile' (M, N and K of a tile)?}}
#s = #tile.schedule<tile_size = [128, 128]>

// -----

// expected-error @below {{a schedule has no field 'tile_shape_mnk'; the fields are tile, persistent, roles, fallback, slots, together, cluster, fallback_cluster, cta_group, warps, epilogue_tile, interleave, fast_math, hints, pragmas; did you mean 'tile' (M, N and K of a tile)?}}
#s = #tile.schedule<tile_shape_mnk = [128, 128, 64]>

// -----

// expected-error @below {{a schedule has no field 'block_m'; the fields are tile, persistent, roles, fallback, slots, together, cluster, fallback_cluster, cta_group, warps, epilogue_tile, interleave, fast_math, hints, pragmas; did you mean 'tile' (M, N and K of a tile)?}}
#s = #tile.schedule<block_m = 128>

// -----

// expected-error @below {{a schedule has no field 'block_n'; the fields are tile, persistent, roles, fallback, slots, together, cluster, fallback_cluster, cta_group, warps, epilogue_tile, interleave, fast_math, hints, pragmas; did you mean 'tile' (M, N and K of a tile)?}}
#s = #tile.schedule<block_n = 128>

// -----

// expected-error @below {{a schedule has no field 'block_k'; the fields are tile, persistent, roles, fallback, slots, together, cluster, fallback_cluster, cta_group, warps, epilogue_tile, interleave, fast_math, hints, pragmas; did you mean 'tile' (M, N and K of a tile)?}}
#s = #tile.schedule<block_k = 64>

// -----

// expected-error @below {{a schedule has no field 'BLOCK_SIZE_M'; the fields are tile, persistent, roles, fallback, slots, together, cluster, fallback_cluster, cta_group, warps, epilogue_tile, interleave, fast_math, hints, pragmas; did you mean 'tile' (M, N and K of a tile)?}}
#s = #tile.schedule<BLOCK_SIZE_M = 128>

// -----

// expected-error @below {{a schedule has no field 'cta_tile'; the fields are tile, persistent, roles, fallback, slots, together, cluster, fallback_cluster, cta_group, warps, epilogue_tile, interleave, fast_math, hints, pragmas; did you mean 'tile' (M, N and K of a tile)?}}
#s = #tile.schedule<cta_tile = [128, 128]>

// -----

// expected-error @below {{a schedule has no field 'mma_tiler'; the fields are tile, persistent, roles, fallback, slots, together, cluster, fallback_cluster, cta_group, warps, epilogue_tile, interleave, fast_math, hints, pragmas; did you mean 'tile' (M, N and K of a tile)?}}
#s = #tile.schedule<mma_tiler = [128, 128]>

// -----

// expected-error @below {{a schedule has no field 'mma_tiler_mn'; the fields are tile, persistent, roles, fallback, slots, together, cluster, fallback_cluster, cta_group, warps, epilogue_tile, interleave, fast_math, hints, pragmas; did you mean 'tile' (M, N and K of a tile)?}}
#s = #tile.schedule<mma_tiler_mn = [128, 128]>

// -----

// expected-error @below {{a schedule has no field 'warp_specialize'; the fields are tile, persistent, roles, fallback, slots, together, cluster, fallback_cluster, cta_group, warps, epilogue_tile, interleave, fast_math, hints, pragmas; did you mean 'roles' (multi, single or none)?}}
#s = #tile.schedule<warp_specialize = true>

// -----

// expected-error @below {{a schedule has no field 'warp_specialization'; the fields are tile, persistent, roles, fallback, slots, together, cluster, fallback_cluster, cta_group, warps, epilogue_tile, interleave, fast_math, hints, pragmas; did you mean 'roles' (multi, single or none)?}}
#s = #tile.schedule<warp_specialization = true>

// -----

// expected-error @below {{a schedule has no field 'eviction_policy'; the fields are tile, persistent, roles, fallback, slots, together, cluster, fallback_cluster, cta_group, warps, epilogue_tile, interleave, fast_math, hints, pragmas; did you mean 'hints' (evict_first or evict_last, by view)?}}
#s = #tile.schedule<eviction_policy = evict_first>

// -----

// expected-error @below {{a schedule has no field 'cache_hint'; the fields are tile, persistent, roles, fallback, slots, together, cluster, fallback_cluster, cta_group, warps, epilogue_tile, interleave, fast_math, hints, pragmas; did you mean 'hints' (evict_first or evict_last, by view)?}}
#s = #tile.schedule<cache_hint = evict_first>

// -----

// expected-error @below {{a schedule has no field 'warp'; the fields are tile, persistent, roles, fallback, slots, together, cluster, fallback_cluster, cta_group, warps, epilogue_tile, interleave, fast_math, hints, pragmas; did you mean 'warps'?}}
#s = #tile.schedule<warp = 4>

// -----

// expected-error @below {{a schedule has no field 'tiles'; the fields are tile, persistent, roles, fallback, slots, together, cluster, fallback_cluster, cta_group, warps, epilogue_tile, interleave, fast_math, hints, pragmas; did you mean 'tile'?}}
#s = #tile.schedule<tiles = [128, 256, 64]>

// -----

// expected-error @below {{a schedule has no field 'persistant'; the fields are tile, persistent, roles, fallback, slots, together, cluster, fallback_cluster, cta_group, warps, epilogue_tile, interleave, fast_math, hints, pragmas; did you mean 'persistent'?}}
#s = #tile.schedule<persistant = static>

// -----

// expected-error @below {{a schedule has no field 'clusters'; the fields are tile, persistent, roles, fallback, slots, together, cluster, fallback_cluster, cta_group, warps, epilogue_tile, interleave, fast_math, hints, pragmas; did you mean 'cluster'?}}
#s = #tile.schedule<clusters = [2, 1]>

// -----

// expected-error @below {{a schedule has no field 'slot'; the fields are tile, persistent, roles, fallback, slots, together, cluster, fallback_cluster, cta_group, warps, epilogue_tile, interleave, fast_math, hints, pragmas; did you mean 'slots'?}}
#s = #tile.schedule<slot = {a = 2}>

// -----

// expected-error @below {{a schedule has no field 'ctagroup'; the fields are tile, persistent, roles, fallback, slots, together, cluster, fallback_cluster, cta_group, warps, epilogue_tile, interleave, fast_math, hints, pragmas; did you mean 'cta_group'?}}
#s = #tile.schedule<ctagroup = 2>

// -----

// expected-error @below {{a schedule has no field 'fallback_clusters'; the fields are tile, persistent, roles, fallback, slots, together, cluster, fallback_cluster, cta_group, warps, epilogue_tile, interleave, fast_math, hints, pragmas; did you mean 'fallback_cluster'?}}
#s = #tile.schedule<fallback_clusters = [1]>

// -----

// expected-error @below {{a schedule has no field 'interleaved'; the fields are tile, persistent, roles, fallback, slots, together, cluster, fallback_cluster, cta_group, warps, epilogue_tile, interleave, fast_math, hints, pragmas; did you mean 'interleave'?}}
#s = #tile.schedule<interleaved = 2>

// -----

// expected-error @below {{a schedule has no field 'hint'; the fields are tile, persistent, roles, fallback, slots, together, cluster, fallback_cluster, cta_group, warps, epilogue_tile, interleave, fast_math, hints, pragmas; did you mean 'hints'?}}
#s = #tile.schedule<hint = {a = evict_first}>

// -----

// A word that is near to nothing gets none.
// expected-error-re @below {{a schedule has no field 'fast'; the fields are {{.*}}, pragmas [schedule-syntax]{{$}}}}
#s = #tile.schedule<fast = 1>

// -----

// expected-error @below {{unknown value 'clc'; expected static, dynamic or none; did you mean 'dynamic' (cluster launch control)?}}
#s = #tile.schedule<persistent = clc>

// -----

// expected-error @below {{unknown value 'true'; expected static, dynamic or none; did you mean 'static' (or dynamic)?}}
#s = #tile.schedule<persistent = true>

// -----

// expected-error @below {{unknown value 'false'; expected static, dynamic or none; did you mean 'none'?}}
#s = #tile.schedule<persistent = false>

// -----

// expected-error @below {{unknown value 'dynamc'; expected static, dynamic or none; did you mean 'dynamic'?}}
#s = #tile.schedule<persistent = dynamc>

// -----

// expected-error @below {{unknown value 'multiple'; expected multi, single or none; did you mean 'multi'?}}
#s = #tile.schedule<roles = multiple>

// -----

// expected-error @below {{unknown value 'singel'; expected multi, single or none; did you mean 'single'?}}
#s = #tile.schedule<roles = singel>

// -----

// expected-error @below {{unknown value 'unspecialize'; expected error or unspecialized; did you mean 'unspecialized'?}}
#s = #tile.schedule<fallback = unspecialize>

// -----

// expected-error @below {{unknown value 'err'; expected error or unspecialized}}
#s = #tile.schedule<fallback = err>

// -----

// expected-error @below {{unknown value 'evict_frist'; expected evict_first or evict_last; did you mean 'evict_first'?}}
#s = #tile.schedule<hints = {a = evict_frist}>

// -----

// expected-error @below {{'tile.target': unknown architecture 'b200': b200 is a device; its architecture is sm_100a}}
tile.kernel @k() attributes {tile.target = "b200"} {
}

// -----

// expected-error @below {{'tile.target': unknown architecture 'B200': B200 is a device; its architecture is sm_100a}}
tile.kernel @k() attributes {tile.target = "B200"} {
}

// -----

// expected-error @below {{'tile.target': unknown architecture 'h100': h100 is a device; its architecture is sm_90a}}
tile.kernel @k() attributes {tile.target = "h100"} {
}

// -----

// expected-error @below {{'tile.target': unknown architecture 'h200': h200 is a device; its architecture is sm_90a}}
tile.kernel @k() attributes {tile.target = "h200"} {
}

// -----

// expected-error @below {{'tile.target': unknown architecture 'gb200': gb200 is a device; its architecture is sm_100a}}
tile.kernel @k() attributes {tile.target = "gb200"} {
}

// -----

// expected-error @below {{'tile.target': unknown architecture 'b300': b300 is a device; its architecture is sm_103a}}
tile.kernel @k() attributes {tile.target = "b300"} {
}

// -----

// expected-error @below {{'tile.target': unknown architecture 'thor': thor is a device; its architecture is sm_110a}}
tile.kernel @k() attributes {tile.target = "thor"} {
}

// -----

// expected-error @below {{'tile.target': unknown architecture 'hopper': hopper is a family; its architecture is sm_90a}}
tile.kernel @k() attributes {tile.target = "hopper"} {
}

// -----

// expected-error @below {{'tile.target': unknown architecture 'Blackwell': Blackwell is a family; its architecture is sm_100a}}
tile.kernel @k() attributes {tile.target = "Blackwell"} {
}

// -----

// expected-error @below {{'tile.target': unknown architecture 'sm_90'; the known ones are sm_90a, sm_100a, sm_103a, sm_110a; did you mean 'sm_90a'?}}
tile.kernel @k() attributes {tile.target = "sm_90"} {
}

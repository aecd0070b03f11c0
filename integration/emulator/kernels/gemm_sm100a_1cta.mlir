// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// D = A * B^T + bias, bf16, on sm_100a, in upstream's nvvm dialect: a load warp,
// an MMA warp and four epilogue warps; 4 slots of 128x64 and 256x64 in shared
// memory, two accumulators in tensor memory, persistent, with a TMA store.
module attributes {llvm.target_triple = "nvptx64-nvidia-cuda", llvm.data_layout = "e-p:64:64-p3:32:32-p4:32:32-p5:32:32-p6:32:32-p7:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"} {
  llvm.mlir.global external @smem() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<0 x i8>
  llvm.func @gemm(%tmA: !llvm.ptr {llvm.byval = !llvm.array<128 x i8>, llvm.align = 64 : i64, nvvm.grid_constant, llvm.noalias, llvm.readonly}, %tmB: !llvm.ptr {llvm.byval = !llvm.array<128 x i8>, llvm.align = 64 : i64, nvvm.grid_constant, llvm.noalias, llvm.readonly}, %tmD: !llvm.ptr {llvm.byval = !llvm.array<128 x i8>, llvm.align = 64 : i64, nvvm.grid_constant, llvm.noalias, llvm.readonly}, %bias: !llvm.ptr<1> {llvm.noalias, llvm.readonly}, %M: i32, %N: i32, %K: i32) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 256, 1, 1>, nvvm.minctasm = 1 : i32, nvvm.maxnreg = 128 : i32} {
    %c5_i32 = arith.constant 5 : i32
    %cm1_i32 = arith.constant -1 : i32
    %c0_i32 = arith.constant 0 : i32
    %c31_i32 = arith.constant 31 : i32
    %c128_i32 = arith.constant 128 : i32
    %c256_i32 = arith.constant 256 : i32
    %c64_i32 = arith.constant 64 : i32
    %c1_i32 = arith.constant 1 : i32
    %c4_i32 = arith.constant 4 : i32
    %c7_i32 = arith.constant 7 : i32
    %c512_i32 = arith.constant 512 : i32
    %c16_i32 = arith.constant 16 : i32
    %c8_i32 = arith.constant 8 : i32
    %c3_i32 = arith.constant 3 : i32
    %c2_i32 = arith.constant 2 : i32
    %c6_i32 = arith.constant 6 : i32
    %c192_i32 = arith.constant 192 : i32
    %c14_i32 = arith.constant 14 : i32
    %c15_i32 = arith.constant 15 : i32
    %c49152_i32 = arith.constant 49152 : i32
    %c138413200_i32 = arith.constant 138413200 : i32
    %c10_i32 = arith.constant 10 : i32
    %c11_i32 = arith.constant 11 : i32
    %true = arith.constant true
    %false = arith.constant false
    %v1 = nvvm.read.ptx.sreg.tid.x range <i32, 0, 256> : i32
    %v2 = arith.shrui %v1, %c5_i32 : i32
    %v3 = nvvm.shfl.sync idx %cm1_i32, %v2, %c0_i32, %c31_i32 : i32 -> i32
    %v4 = arith.andi %v1, %c31_i32 : i32
    %smem = llvm.mlir.addressof @smem : !llvm.ptr<3>
    %v5 = nvvm.read.ptx.sreg.ctaid.x : i32
    %v6 = nvvm.read.ptx.sreg.nctaid.x : i32
    %v7 = arith.divui %M, %c128_i32 : i32
    %ntn = arith.divui %N, %c256_i32 : i32
    %ntiles = arith.muli %v7, %ntn : i32
    %nk = arith.divui %K, %c64_i32 : i32
    %tile0 = arith.addi %v5, %c0_i32 : i32
    %tstep = arith.addi %v6, %c0_i32 : i32
    %b_full = llvm.getelementptr inbounds %smem[229376] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
    %b_empty = llvm.getelementptr inbounds %smem[229408] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
    %b_afull = llvm.getelementptr inbounds %smem[229440] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
    %b_aempty = llvm.getelementptr inbounds %smem[229456] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
    %tmp = llvm.getelementptr inbounds %smem[229472] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
    %b_clcf = llvm.getelementptr inbounds %smem[229480] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
    %b_clce = llvm.getelementptr inbounds %smem[229488] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
    %clcr = llvm.getelementptr inbounds %smem[229504] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
    %sA = llvm.getelementptr inbounds %smem[0] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
    %sB = llvm.getelementptr inbounds %smem[65536] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
    %sC = llvm.getelementptr inbounds %smem[196608] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
    %v8 = arith.cmpi eq, %v3, %c0_i32 : i32
    scf.if %v8 {
      %v9 = nvvm.elect.sync -> i1
      scf.if %v9 {
        nvvm.prefetch tensormap in_param_space, %tmA : !llvm.ptr
        nvvm.prefetch tensormap in_param_space, %tmB : !llvm.ptr
        nvvm.prefetch tensormap in_param_space, %tmD : !llvm.ptr
        %v10 = llvm.getelementptr inbounds %b_full[0] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
        nvvm.mbarrier.init %v10, %c1_i32 : !llvm.ptr<3>, i32
        %v11 = llvm.getelementptr inbounds %b_empty[0] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
        nvvm.mbarrier.init %v11, %c1_i32 : !llvm.ptr<3>, i32
        %v12 = llvm.getelementptr inbounds %b_full[8] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
        nvvm.mbarrier.init %v12, %c1_i32 : !llvm.ptr<3>, i32
        %v13 = llvm.getelementptr inbounds %b_empty[8] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
        nvvm.mbarrier.init %v13, %c1_i32 : !llvm.ptr<3>, i32
        %v14 = llvm.getelementptr inbounds %b_full[16] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
        nvvm.mbarrier.init %v14, %c1_i32 : !llvm.ptr<3>, i32
        %v15 = llvm.getelementptr inbounds %b_empty[16] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
        nvvm.mbarrier.init %v15, %c1_i32 : !llvm.ptr<3>, i32
        %v16 = llvm.getelementptr inbounds %b_full[24] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
        nvvm.mbarrier.init %v16, %c1_i32 : !llvm.ptr<3>, i32
        %v17 = llvm.getelementptr inbounds %b_empty[24] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
        nvvm.mbarrier.init %v17, %c1_i32 : !llvm.ptr<3>, i32
        %v18 = llvm.getelementptr inbounds %b_afull[0] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
        nvvm.mbarrier.init %v18, %c1_i32 : !llvm.ptr<3>, i32
        %v19 = llvm.getelementptr inbounds %b_aempty[0] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
        nvvm.mbarrier.init %v19, %c4_i32 : !llvm.ptr<3>, i32
        %v20 = llvm.getelementptr inbounds %b_afull[8] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
        nvvm.mbarrier.init %v20, %c1_i32 : !llvm.ptr<3>, i32
        %v21 = llvm.getelementptr inbounds %b_aempty[8] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
        nvvm.mbarrier.init %v21, %c4_i32 : !llvm.ptr<3>, i32
        nvvm.mbarrier.init %b_clcf, %c1_i32 : !llvm.ptr<3>, i32
        nvvm.mbarrier.init %b_clce, %c7_i32 : !llvm.ptr<3>, i32
        nvvm.fence.mbarrier.init
      }
    }
    %v22 = arith.cmpi eq, %v3, %c5_i32 : i32
    scf.if %v22 {
      nvvm.tcgen05.alloc %tmp, %c512_i32 {group = #nvvm.cta_group<cta_1>} : !llvm.ptr<3>, i32
      nvvm.tcgen05.relinquish_alloc_permit {group = #nvvm.cta_group<cta_1>}
    }
    nvvm.tcgen05.fence #nvvm.tcgen05_fence<before>
    nvvm.barrier0
    nvvm.tcgen05.fence #nvvm.tcgen05_fence<after>
    %v23 = llvm.load %tmp : !llvm.ptr<3> -> i32
    %v24 = llvm.inttoptr %v23 : i32 to !llvm.ptr<6>
    %v25 = arith.cmpi ult, %v3, %c4_i32 : i32
    scf.if %v25 {
      nvvm.setmaxregister increase 232
      %v26 = nvvm.inline_ptx "mov.b32 $0, smem;" -> i32
      %v27 = llvm.inttoptr %v26 : i32 to !llvm.ptr<3>
      %b_full_E = llvm.getelementptr inbounds %v27[229376] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
      %b_empty_E = llvm.getelementptr inbounds %v27[229408] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
      %b_afull_E = llvm.getelementptr inbounds %v27[229440] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
      %b_aempty_E = llvm.getelementptr inbounds %v27[229456] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
      %b_clcf_E = llvm.getelementptr inbounds %v27[229480] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
      %b_clce_E = llvm.getelementptr inbounds %v27[229488] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
      %clcr_E = llvm.getelementptr inbounds %v27[229504] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
      %sA_E = llvm.getelementptr inbounds %v27[0] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
      %sB_E = llvm.getelementptr inbounds %v27[65536] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
      %sC_E = llvm.getelementptr inbounds %v27[196608] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
      %v28 = arith.shli %v3, %c5_i32 : i32
      %v29 = arith.addi %v28, %v4 : i32
      %v30 = arith.shli %v28, %c16_i32 : i32
      %v31 = arith.andi %v29, %c7_i32 : i32
      %v32 = arith.shli %v29, %c7_i32 : i32
      %pr37:4 = scf.while (%tile36 = %tile0, %pc33 = %c0_i32, %pc34 = %c0_i32, %pc35 = %c0_i32) : (i32, i32, i32, i32) -> (i32, i32, i32, i32) {
        %v38 = arith.cmpi slt, %tile36, %ntiles : i32
        scf.condition(%v38) %tile36, %pc33, %pc34, %pc35 : i32, i32, i32, i32
      } do {
      ^bb0(%bt42: i32, %b39: i32, %b40: i32, %b41: i32):
        %v43 = arith.divui %bt42, %ntn : i32
        %v44 = arith.remui %bt42, %ntn : i32
        %v45 = arith.shli %v43, %c7_i32 : i32
        %v46 = arith.shli %v44, %c8_i32 : i32
        %v47 = arith.shli %b39, %c3_i32 : i32
        %v48 = llvm.getelementptr inbounds %b_afull_E[%v47] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
        %v49 = llvm.getelementptr inbounds %b_aempty_E[%v47] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
        scf.while : () -> () {
          %v50 = nvvm.mbarrier.try_wait %v48, %b40 : !llvm.ptr<3>, i32 -> i1
          %v51 = arith.xori %v50, %true : i1
          scf.condition(%v51)
        } do {
          scf.yield
        }
        nvvm.tcgen05.fence #nvvm.tcgen05_fence<after>
        %v52 = arith.shli %b39, %c8_i32 : i32
        %v53 = arith.addi %v30, %v52 : i32
        %v54 = llvm.getelementptr inbounds %v24[%v53] : (!llvm.ptr<6>, i32) -> !llvm.ptr<6>, i8
        %v57 = llvm.getelementptr inbounds %v54[0] : (!llvm.ptr<6>) -> !llvm.ptr<6>, i8
        %v58 = nvvm.tcgen05.ld %v57 {shape = #nvvm.tcgen05_ldst_shape<shape_32x32b>} : vector<64xi32>
        %v59 = arith.addi %v46, %c0_i32 : i32
        %v60 = arith.extui %v59 : i32 to i64
        %v61 = llvm.getelementptr inbounds %bias[%v60] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
        %v62 = llvm.getelementptr inbounds %v61[0] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
        %v63 = llvm.load %v62 {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
        %v64 = llvm.getelementptr inbounds %v61[16] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
        %v65 = llvm.load %v64 {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
        %v66 = llvm.getelementptr inbounds %v61[32] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
        %v67 = llvm.load %v66 {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
        %v68 = llvm.getelementptr inbounds %v61[48] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
        %v69 = llvm.load %v68 {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
        %v70 = llvm.getelementptr inbounds %v61[64] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
        %v71 = llvm.load %v70 {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
        %v72 = llvm.getelementptr inbounds %v61[80] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
        %v73 = llvm.load %v72 {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
        %v74 = llvm.getelementptr inbounds %v61[96] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
        %v75 = llvm.load %v74 {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
        %v76 = llvm.getelementptr inbounds %v61[112] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
        %v77 = llvm.load %v76 {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
        %v78 = llvm.getelementptr inbounds %v61[128] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
        %v79 = llvm.load %v78 {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
        %v80 = llvm.getelementptr inbounds %v61[144] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
        %v81 = llvm.load %v80 {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
        %v82 = llvm.getelementptr inbounds %v61[160] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
        %v83 = llvm.load %v82 {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
        %v84 = llvm.getelementptr inbounds %v61[176] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
        %v85 = llvm.load %v84 {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
        %v86 = llvm.getelementptr inbounds %v61[192] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
        %v87 = llvm.load %v86 {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
        %v88 = llvm.getelementptr inbounds %v61[208] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
        %v89 = llvm.load %v88 {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
        %v90 = llvm.getelementptr inbounds %v61[224] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
        %v91 = llvm.load %v90 {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
        %v92 = llvm.getelementptr inbounds %v61[240] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
        %v93 = llvm.load %v92 {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
        %v94 = vector.extract %v58[0] : i32 from vector<64xi32>
        %v95 = vector.extract %v58[1] : i32 from vector<64xi32>
        %v96 = vector.extract %v58[2] : i32 from vector<64xi32>
        %v97 = vector.extract %v58[3] : i32 from vector<64xi32>
        %v98 = vector.extract %v58[4] : i32 from vector<64xi32>
        %v99 = vector.extract %v58[5] : i32 from vector<64xi32>
        %v100 = vector.extract %v58[6] : i32 from vector<64xi32>
        %v101 = vector.extract %v58[7] : i32 from vector<64xi32>
        %v102 = vector.extract %v58[8] : i32 from vector<64xi32>
        %v103 = vector.extract %v58[9] : i32 from vector<64xi32>
        %v104 = vector.extract %v58[10] : i32 from vector<64xi32>
        %v105 = vector.extract %v58[11] : i32 from vector<64xi32>
        %v106 = vector.extract %v58[12] : i32 from vector<64xi32>
        %v107 = vector.extract %v58[13] : i32 from vector<64xi32>
        %v108 = vector.extract %v58[14] : i32 from vector<64xi32>
        %v109 = vector.extract %v58[15] : i32 from vector<64xi32>
        %v110 = vector.extract %v58[16] : i32 from vector<64xi32>
        %v111 = vector.extract %v58[17] : i32 from vector<64xi32>
        %v112 = vector.extract %v58[18] : i32 from vector<64xi32>
        %v113 = vector.extract %v58[19] : i32 from vector<64xi32>
        %v114 = vector.extract %v58[20] : i32 from vector<64xi32>
        %v115 = vector.extract %v58[21] : i32 from vector<64xi32>
        %v116 = vector.extract %v58[22] : i32 from vector<64xi32>
        %v117 = vector.extract %v58[23] : i32 from vector<64xi32>
        %v118 = vector.extract %v58[24] : i32 from vector<64xi32>
        %v119 = vector.extract %v58[25] : i32 from vector<64xi32>
        %v120 = vector.extract %v58[26] : i32 from vector<64xi32>
        %v121 = vector.extract %v58[27] : i32 from vector<64xi32>
        %v122 = vector.extract %v58[28] : i32 from vector<64xi32>
        %v123 = vector.extract %v58[29] : i32 from vector<64xi32>
        %v124 = vector.extract %v58[30] : i32 from vector<64xi32>
        %v125 = vector.extract %v58[31] : i32 from vector<64xi32>
        %v126 = vector.extract %v58[32] : i32 from vector<64xi32>
        %v127 = vector.extract %v58[33] : i32 from vector<64xi32>
        %v128 = vector.extract %v58[34] : i32 from vector<64xi32>
        %v129 = vector.extract %v58[35] : i32 from vector<64xi32>
        %v130 = vector.extract %v58[36] : i32 from vector<64xi32>
        %v131 = vector.extract %v58[37] : i32 from vector<64xi32>
        %v132 = vector.extract %v58[38] : i32 from vector<64xi32>
        %v133 = vector.extract %v58[39] : i32 from vector<64xi32>
        %v134 = vector.extract %v58[40] : i32 from vector<64xi32>
        %v135 = vector.extract %v58[41] : i32 from vector<64xi32>
        %v136 = vector.extract %v58[42] : i32 from vector<64xi32>
        %v137 = vector.extract %v58[43] : i32 from vector<64xi32>
        %v138 = vector.extract %v58[44] : i32 from vector<64xi32>
        %v139 = vector.extract %v58[45] : i32 from vector<64xi32>
        %v140 = vector.extract %v58[46] : i32 from vector<64xi32>
        %v141 = vector.extract %v58[47] : i32 from vector<64xi32>
        %v142 = vector.extract %v58[48] : i32 from vector<64xi32>
        %v143 = vector.extract %v58[49] : i32 from vector<64xi32>
        %v144 = vector.extract %v58[50] : i32 from vector<64xi32>
        %v145 = vector.extract %v58[51] : i32 from vector<64xi32>
        %v146 = vector.extract %v58[52] : i32 from vector<64xi32>
        %v147 = vector.extract %v58[53] : i32 from vector<64xi32>
        %v148 = vector.extract %v58[54] : i32 from vector<64xi32>
        %v149 = vector.extract %v58[55] : i32 from vector<64xi32>
        %v150 = vector.extract %v58[56] : i32 from vector<64xi32>
        %v151 = vector.extract %v58[57] : i32 from vector<64xi32>
        %v152 = vector.extract %v58[58] : i32 from vector<64xi32>
        %v153 = vector.extract %v58[59] : i32 from vector<64xi32>
        %v154 = vector.extract %v58[60] : i32 from vector<64xi32>
        %v155 = vector.extract %v58[61] : i32 from vector<64xi32>
        %v156 = vector.extract %v58[62] : i32 from vector<64xi32>
        %v157 = vector.extract %v58[63] : i32 from vector<64xi32>
        nvvm.inline_ptx "tcgen05.wait::ld.sync.aligned;" rw(%v94, %v95, %v96, %v97, %v98, %v99, %v100, %v101, %v102, %v103, %v104, %v105, %v106, %v107, %v108, %v109, %v110, %v111, %v112, %v113, %v114, %v115, %v116, %v117, %v118, %v119, %v120, %v121, %v122, %v123, %v124, %v125, %v126, %v127, %v128, %v129, %v130, %v131, %v132, %v133, %v134, %v135, %v136, %v137, %v138, %v139, %v140, %v141, %v142, %v143, %v144, %v145, %v146, %v147, %v148, %v149, %v150, %v151, %v152, %v153, %v154, %v155, %v156, %v157 : i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32)
        %v158 = vector.from_elements %v94, %v95, %v96, %v97, %v98, %v99, %v100, %v101, %v102, %v103, %v104, %v105, %v106, %v107, %v108, %v109, %v110, %v111, %v112, %v113, %v114, %v115, %v116, %v117, %v118, %v119, %v120, %v121, %v122, %v123, %v124, %v125, %v126, %v127, %v128, %v129, %v130, %v131, %v132, %v133, %v134, %v135, %v136, %v137, %v138, %v139, %v140, %v141, %v142, %v143, %v144, %v145, %v146, %v147, %v148, %v149, %v150, %v151, %v152, %v153, %v154, %v155, %v156, %v157 : vector<64xi32>
        %v159 = llvm.bitcast %v158 : vector<64xi32> to vector<64xf32>
        %v160 = arith.cmpi eq, %v3, %c0_i32 : i32
        scf.if %v160 {
          %v161 = nvvm.elect.sync -> i1
          scf.if %v161 {
            nvvm.cp.async.bulk.wait_group 1 {read}
          }
        }
        nvvm.barrier id = %c1_i32 number_of_threads = %c128_i32
        %v162 = llvm.getelementptr inbounds %sC_E[0] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
        %v163 = llvm.getelementptr inbounds %v162[%v32] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
        %v164 = vector.extract_strided_slice %v159 {offsets = [0], sizes = [4], strides = [1]} : vector<64xf32> to vector<4xf32>
        %v165 = arith.addf %v164, %v63 : vector<4xf32>
        %v166 = vector.extract %v165[0] : f32 from vector<4xf32>
        %v167 = vector.extract %v165[1] : f32 from vector<4xf32>
        %v168 = nvvm.convert.f32x2.to.bf16x2 %v167, %v166 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xbf16>
        %v169 = llvm.bitcast %v168 : vector<2xbf16> to i32
        %v170 = vector.extract %v165[2] : f32 from vector<4xf32>
        %v171 = vector.extract %v165[3] : f32 from vector<4xf32>
        %v172 = nvvm.convert.f32x2.to.bf16x2 %v171, %v170 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xbf16>
        %v173 = llvm.bitcast %v172 : vector<2xbf16> to i32
        %v174 = vector.extract_strided_slice %v159 {offsets = [4], sizes = [4], strides = [1]} : vector<64xf32> to vector<4xf32>
        %v175 = arith.addf %v174, %v65 : vector<4xf32>
        %v176 = vector.extract %v175[0] : f32 from vector<4xf32>
        %v177 = vector.extract %v175[1] : f32 from vector<4xf32>
        %v178 = nvvm.convert.f32x2.to.bf16x2 %v177, %v176 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xbf16>
        %v179 = llvm.bitcast %v178 : vector<2xbf16> to i32
        %v180 = vector.extract %v175[2] : f32 from vector<4xf32>
        %v181 = vector.extract %v175[3] : f32 from vector<4xf32>
        %v182 = nvvm.convert.f32x2.to.bf16x2 %v181, %v180 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xbf16>
        %v183 = llvm.bitcast %v182 : vector<2xbf16> to i32
        %v184 = vector.from_elements %v169, %v173, %v179, %v183 : vector<4xi32>
        %v185 = arith.xori %v31, %c0_i32 : i32
        %v186 = arith.shli %v185, %c4_i32 : i32
        %v187 = llvm.getelementptr inbounds %v163[%v186] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
        llvm.store %v184, %v187 {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr<3>
        %v188 = vector.extract_strided_slice %v159 {offsets = [8], sizes = [4], strides = [1]} : vector<64xf32> to vector<4xf32>
        %v189 = arith.addf %v188, %v67 : vector<4xf32>
        %v190 = vector.extract %v189[0] : f32 from vector<4xf32>
        %v191 = vector.extract %v189[1] : f32 from vector<4xf32>
        %v192 = nvvm.convert.f32x2.to.bf16x2 %v191, %v190 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xbf16>
        %v193 = llvm.bitcast %v192 : vector<2xbf16> to i32
        %v194 = vector.extract %v189[2] : f32 from vector<4xf32>
        %v195 = vector.extract %v189[3] : f32 from vector<4xf32>
        %v196 = nvvm.convert.f32x2.to.bf16x2 %v195, %v194 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xbf16>
        %v197 = llvm.bitcast %v196 : vector<2xbf16> to i32
        %v198 = vector.extract_strided_slice %v159 {offsets = [12], sizes = [4], strides = [1]} : vector<64xf32> to vector<4xf32>
        %v199 = arith.addf %v198, %v69 : vector<4xf32>
        %v200 = vector.extract %v199[0] : f32 from vector<4xf32>
        %v201 = vector.extract %v199[1] : f32 from vector<4xf32>
        %v202 = nvvm.convert.f32x2.to.bf16x2 %v201, %v200 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xbf16>
        %v203 = llvm.bitcast %v202 : vector<2xbf16> to i32
        %v204 = vector.extract %v199[2] : f32 from vector<4xf32>
        %v205 = vector.extract %v199[3] : f32 from vector<4xf32>
        %v206 = nvvm.convert.f32x2.to.bf16x2 %v205, %v204 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xbf16>
        %v207 = llvm.bitcast %v206 : vector<2xbf16> to i32
        %v208 = vector.from_elements %v193, %v197, %v203, %v207 : vector<4xi32>
        %v209 = arith.xori %v31, %c1_i32 : i32
        %v210 = arith.shli %v209, %c4_i32 : i32
        %v211 = llvm.getelementptr inbounds %v163[%v210] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
        llvm.store %v208, %v211 {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr<3>
        %v212 = vector.extract_strided_slice %v159 {offsets = [16], sizes = [4], strides = [1]} : vector<64xf32> to vector<4xf32>
        %v213 = arith.addf %v212, %v71 : vector<4xf32>
        %v214 = vector.extract %v213[0] : f32 from vector<4xf32>
        %v215 = vector.extract %v213[1] : f32 from vector<4xf32>
        %v216 = nvvm.convert.f32x2.to.bf16x2 %v215, %v214 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xbf16>
        %v217 = llvm.bitcast %v216 : vector<2xbf16> to i32
        %v218 = vector.extract %v213[2] : f32 from vector<4xf32>
        %v219 = vector.extract %v213[3] : f32 from vector<4xf32>
        %v220 = nvvm.convert.f32x2.to.bf16x2 %v219, %v218 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xbf16>
        %v221 = llvm.bitcast %v220 : vector<2xbf16> to i32
        %v222 = vector.extract_strided_slice %v159 {offsets = [20], sizes = [4], strides = [1]} : vector<64xf32> to vector<4xf32>
        %v223 = arith.addf %v222, %v73 : vector<4xf32>
        %v224 = vector.extract %v223[0] : f32 from vector<4xf32>
        %v225 = vector.extract %v223[1] : f32 from vector<4xf32>
        %v226 = nvvm.convert.f32x2.to.bf16x2 %v225, %v224 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xbf16>
        %v227 = llvm.bitcast %v226 : vector<2xbf16> to i32
        %v228 = vector.extract %v223[2] : f32 from vector<4xf32>
        %v229 = vector.extract %v223[3] : f32 from vector<4xf32>
        %v230 = nvvm.convert.f32x2.to.bf16x2 %v229, %v228 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xbf16>
        %v231 = llvm.bitcast %v230 : vector<2xbf16> to i32
        %v232 = vector.from_elements %v217, %v221, %v227, %v231 : vector<4xi32>
        %v233 = arith.xori %v31, %c2_i32 : i32
        %v234 = arith.shli %v233, %c4_i32 : i32
        %v235 = llvm.getelementptr inbounds %v163[%v234] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
        llvm.store %v232, %v235 {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr<3>
        %v236 = vector.extract_strided_slice %v159 {offsets = [24], sizes = [4], strides = [1]} : vector<64xf32> to vector<4xf32>
        %v237 = arith.addf %v236, %v75 : vector<4xf32>
        %v238 = vector.extract %v237[0] : f32 from vector<4xf32>
        %v239 = vector.extract %v237[1] : f32 from vector<4xf32>
        %v240 = nvvm.convert.f32x2.to.bf16x2 %v239, %v238 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xbf16>
        %v241 = llvm.bitcast %v240 : vector<2xbf16> to i32
        %v242 = vector.extract %v237[2] : f32 from vector<4xf32>
        %v243 = vector.extract %v237[3] : f32 from vector<4xf32>
        %v244 = nvvm.convert.f32x2.to.bf16x2 %v243, %v242 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xbf16>
        %v245 = llvm.bitcast %v244 : vector<2xbf16> to i32
        %v246 = vector.extract_strided_slice %v159 {offsets = [28], sizes = [4], strides = [1]} : vector<64xf32> to vector<4xf32>
        %v247 = arith.addf %v246, %v77 : vector<4xf32>
        %v248 = vector.extract %v247[0] : f32 from vector<4xf32>
        %v249 = vector.extract %v247[1] : f32 from vector<4xf32>
        %v250 = nvvm.convert.f32x2.to.bf16x2 %v249, %v248 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xbf16>
        %v251 = llvm.bitcast %v250 : vector<2xbf16> to i32
        %v252 = vector.extract %v247[2] : f32 from vector<4xf32>
        %v253 = vector.extract %v247[3] : f32 from vector<4xf32>
        %v254 = nvvm.convert.f32x2.to.bf16x2 %v253, %v252 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xbf16>
        %v255 = llvm.bitcast %v254 : vector<2xbf16> to i32
        %v256 = vector.from_elements %v241, %v245, %v251, %v255 : vector<4xi32>
        %v257 = arith.xori %v31, %c3_i32 : i32
        %v258 = arith.shli %v257, %c4_i32 : i32
        %v259 = llvm.getelementptr inbounds %v163[%v258] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
        llvm.store %v256, %v259 {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr<3>
        %v260 = vector.extract_strided_slice %v159 {offsets = [32], sizes = [4], strides = [1]} : vector<64xf32> to vector<4xf32>
        %v261 = arith.addf %v260, %v79 : vector<4xf32>
        %v262 = vector.extract %v261[0] : f32 from vector<4xf32>
        %v263 = vector.extract %v261[1] : f32 from vector<4xf32>
        %v264 = nvvm.convert.f32x2.to.bf16x2 %v263, %v262 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xbf16>
        %v265 = llvm.bitcast %v264 : vector<2xbf16> to i32
        %v266 = vector.extract %v261[2] : f32 from vector<4xf32>
        %v267 = vector.extract %v261[3] : f32 from vector<4xf32>
        %v268 = nvvm.convert.f32x2.to.bf16x2 %v267, %v266 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xbf16>
        %v269 = llvm.bitcast %v268 : vector<2xbf16> to i32
        %v270 = vector.extract_strided_slice %v159 {offsets = [36], sizes = [4], strides = [1]} : vector<64xf32> to vector<4xf32>
        %v271 = arith.addf %v270, %v81 : vector<4xf32>
        %v272 = vector.extract %v271[0] : f32 from vector<4xf32>
        %v273 = vector.extract %v271[1] : f32 from vector<4xf32>
        %v274 = nvvm.convert.f32x2.to.bf16x2 %v273, %v272 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xbf16>
        %v275 = llvm.bitcast %v274 : vector<2xbf16> to i32
        %v276 = vector.extract %v271[2] : f32 from vector<4xf32>
        %v277 = vector.extract %v271[3] : f32 from vector<4xf32>
        %v278 = nvvm.convert.f32x2.to.bf16x2 %v277, %v276 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xbf16>
        %v279 = llvm.bitcast %v278 : vector<2xbf16> to i32
        %v280 = vector.from_elements %v265, %v269, %v275, %v279 : vector<4xi32>
        %v281 = arith.xori %v31, %c4_i32 : i32
        %v282 = arith.shli %v281, %c4_i32 : i32
        %v283 = llvm.getelementptr inbounds %v163[%v282] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
        llvm.store %v280, %v283 {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr<3>
        %v284 = vector.extract_strided_slice %v159 {offsets = [40], sizes = [4], strides = [1]} : vector<64xf32> to vector<4xf32>
        %v285 = arith.addf %v284, %v83 : vector<4xf32>
        %v286 = vector.extract %v285[0] : f32 from vector<4xf32>
        %v287 = vector.extract %v285[1] : f32 from vector<4xf32>
        %v288 = nvvm.convert.f32x2.to.bf16x2 %v287, %v286 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xbf16>
        %v289 = llvm.bitcast %v288 : vector<2xbf16> to i32
        %v290 = vector.extract %v285[2] : f32 from vector<4xf32>
        %v291 = vector.extract %v285[3] : f32 from vector<4xf32>
        %v292 = nvvm.convert.f32x2.to.bf16x2 %v291, %v290 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xbf16>
        %v293 = llvm.bitcast %v292 : vector<2xbf16> to i32
        %v294 = vector.extract_strided_slice %v159 {offsets = [44], sizes = [4], strides = [1]} : vector<64xf32> to vector<4xf32>
        %v295 = arith.addf %v294, %v85 : vector<4xf32>
        %v296 = vector.extract %v295[0] : f32 from vector<4xf32>
        %v297 = vector.extract %v295[1] : f32 from vector<4xf32>
        %v298 = nvvm.convert.f32x2.to.bf16x2 %v297, %v296 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xbf16>
        %v299 = llvm.bitcast %v298 : vector<2xbf16> to i32
        %v300 = vector.extract %v295[2] : f32 from vector<4xf32>
        %v301 = vector.extract %v295[3] : f32 from vector<4xf32>
        %v302 = nvvm.convert.f32x2.to.bf16x2 %v301, %v300 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xbf16>
        %v303 = llvm.bitcast %v302 : vector<2xbf16> to i32
        %v304 = vector.from_elements %v289, %v293, %v299, %v303 : vector<4xi32>
        %v305 = arith.xori %v31, %c5_i32 : i32
        %v306 = arith.shli %v305, %c4_i32 : i32
        %v307 = llvm.getelementptr inbounds %v163[%v306] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
        llvm.store %v304, %v307 {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr<3>
        %v308 = vector.extract_strided_slice %v159 {offsets = [48], sizes = [4], strides = [1]} : vector<64xf32> to vector<4xf32>
        %v309 = arith.addf %v308, %v87 : vector<4xf32>
        %v310 = vector.extract %v309[0] : f32 from vector<4xf32>
        %v311 = vector.extract %v309[1] : f32 from vector<4xf32>
        %v312 = nvvm.convert.f32x2.to.bf16x2 %v311, %v310 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xbf16>
        %v313 = llvm.bitcast %v312 : vector<2xbf16> to i32
        %v314 = vector.extract %v309[2] : f32 from vector<4xf32>
        %v315 = vector.extract %v309[3] : f32 from vector<4xf32>
        %v316 = nvvm.convert.f32x2.to.bf16x2 %v315, %v314 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xbf16>
        %v317 = llvm.bitcast %v316 : vector<2xbf16> to i32
        %v318 = vector.extract_strided_slice %v159 {offsets = [52], sizes = [4], strides = [1]} : vector<64xf32> to vector<4xf32>
        %v319 = arith.addf %v318, %v89 : vector<4xf32>
        %v320 = vector.extract %v319[0] : f32 from vector<4xf32>
        %v321 = vector.extract %v319[1] : f32 from vector<4xf32>
        %v322 = nvvm.convert.f32x2.to.bf16x2 %v321, %v320 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xbf16>
        %v323 = llvm.bitcast %v322 : vector<2xbf16> to i32
        %v324 = vector.extract %v319[2] : f32 from vector<4xf32>
        %v325 = vector.extract %v319[3] : f32 from vector<4xf32>
        %v326 = nvvm.convert.f32x2.to.bf16x2 %v325, %v324 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xbf16>
        %v327 = llvm.bitcast %v326 : vector<2xbf16> to i32
        %v328 = vector.from_elements %v313, %v317, %v323, %v327 : vector<4xi32>
        %v329 = arith.xori %v31, %c6_i32 : i32
        %v330 = arith.shli %v329, %c4_i32 : i32
        %v331 = llvm.getelementptr inbounds %v163[%v330] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
        llvm.store %v328, %v331 {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr<3>
        %v332 = vector.extract_strided_slice %v159 {offsets = [56], sizes = [4], strides = [1]} : vector<64xf32> to vector<4xf32>
        %v333 = arith.addf %v332, %v91 : vector<4xf32>
        %v334 = vector.extract %v333[0] : f32 from vector<4xf32>
        %v335 = vector.extract %v333[1] : f32 from vector<4xf32>
        %v336 = nvvm.convert.f32x2.to.bf16x2 %v335, %v334 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xbf16>
        %v337 = llvm.bitcast %v336 : vector<2xbf16> to i32
        %v338 = vector.extract %v333[2] : f32 from vector<4xf32>
        %v339 = vector.extract %v333[3] : f32 from vector<4xf32>
        %v340 = nvvm.convert.f32x2.to.bf16x2 %v339, %v338 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xbf16>
        %v341 = llvm.bitcast %v340 : vector<2xbf16> to i32
        %v342 = vector.extract_strided_slice %v159 {offsets = [60], sizes = [4], strides = [1]} : vector<64xf32> to vector<4xf32>
        %v343 = arith.addf %v342, %v93 : vector<4xf32>
        %v344 = vector.extract %v343[0] : f32 from vector<4xf32>
        %v345 = vector.extract %v343[1] : f32 from vector<4xf32>
        %v346 = nvvm.convert.f32x2.to.bf16x2 %v345, %v344 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xbf16>
        %v347 = llvm.bitcast %v346 : vector<2xbf16> to i32
        %v348 = vector.extract %v343[2] : f32 from vector<4xf32>
        %v349 = vector.extract %v343[3] : f32 from vector<4xf32>
        %v350 = nvvm.convert.f32x2.to.bf16x2 %v349, %v348 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xbf16>
        %v351 = llvm.bitcast %v350 : vector<2xbf16> to i32
        %v352 = vector.from_elements %v337, %v341, %v347, %v351 : vector<4xi32>
        %v353 = arith.xori %v31, %c7_i32 : i32
        %v354 = arith.shli %v353, %c4_i32 : i32
        %v355 = llvm.getelementptr inbounds %v163[%v354] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
        llvm.store %v352, %v355 {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr<3>
        nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
        nvvm.barrier id = %c1_i32 number_of_threads = %c128_i32
        scf.if %v160 {
          %v356 = nvvm.elect.sync -> i1
          scf.if %v356 {
            nvvm.cp.async.bulk.tensor.global.shared.cta %tmD, %v162, box[%v59, %v45] : !llvm.ptr, !llvm.ptr<3>
            nvvm.cp.async.bulk.commit.group
          }
        }
        %v357 = llvm.getelementptr inbounds %v54[64] : (!llvm.ptr<6>) -> !llvm.ptr<6>, i8
        %v358 = nvvm.tcgen05.ld %v357 {shape = #nvvm.tcgen05_ldst_shape<shape_32x32b>} : vector<64xi32>
        %v359 = arith.addi %v46, %c64_i32 : i32
        %v360 = arith.extui %v359 : i32 to i64
        %v361 = llvm.getelementptr inbounds %bias[%v360] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
        %v362 = llvm.getelementptr inbounds %v361[0] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
        %v363 = llvm.load %v362 {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
        %v364 = llvm.getelementptr inbounds %v361[16] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
        %v365 = llvm.load %v364 {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
        %v366 = llvm.getelementptr inbounds %v361[32] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
        %v367 = llvm.load %v366 {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
        %v368 = llvm.getelementptr inbounds %v361[48] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
        %v369 = llvm.load %v368 {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
        %v370 = llvm.getelementptr inbounds %v361[64] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
        %v371 = llvm.load %v370 {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
        %v372 = llvm.getelementptr inbounds %v361[80] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
        %v373 = llvm.load %v372 {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
        %v374 = llvm.getelementptr inbounds %v361[96] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
        %v375 = llvm.load %v374 {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
        %v376 = llvm.getelementptr inbounds %v361[112] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
        %v377 = llvm.load %v376 {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
        %v378 = llvm.getelementptr inbounds %v361[128] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
        %v379 = llvm.load %v378 {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
        %v380 = llvm.getelementptr inbounds %v361[144] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
        %v381 = llvm.load %v380 {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
        %v382 = llvm.getelementptr inbounds %v361[160] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
        %v383 = llvm.load %v382 {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
        %v384 = llvm.getelementptr inbounds %v361[176] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
        %v385 = llvm.load %v384 {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
        %v386 = llvm.getelementptr inbounds %v361[192] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
        %v387 = llvm.load %v386 {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
        %v388 = llvm.getelementptr inbounds %v361[208] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
        %v389 = llvm.load %v388 {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
        %v390 = llvm.getelementptr inbounds %v361[224] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
        %v391 = llvm.load %v390 {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
        %v392 = llvm.getelementptr inbounds %v361[240] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
        %v393 = llvm.load %v392 {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
        %v394 = vector.extract %v358[0] : i32 from vector<64xi32>
        %v395 = vector.extract %v358[1] : i32 from vector<64xi32>
        %v396 = vector.extract %v358[2] : i32 from vector<64xi32>
        %v397 = vector.extract %v358[3] : i32 from vector<64xi32>
        %v398 = vector.extract %v358[4] : i32 from vector<64xi32>
        %v399 = vector.extract %v358[5] : i32 from vector<64xi32>
        %v400 = vector.extract %v358[6] : i32 from vector<64xi32>
        %v401 = vector.extract %v358[7] : i32 from vector<64xi32>
        %v402 = vector.extract %v358[8] : i32 from vector<64xi32>
        %v403 = vector.extract %v358[9] : i32 from vector<64xi32>
        %v404 = vector.extract %v358[10] : i32 from vector<64xi32>
        %v405 = vector.extract %v358[11] : i32 from vector<64xi32>
        %v406 = vector.extract %v358[12] : i32 from vector<64xi32>
        %v407 = vector.extract %v358[13] : i32 from vector<64xi32>
        %v408 = vector.extract %v358[14] : i32 from vector<64xi32>
        %v409 = vector.extract %v358[15] : i32 from vector<64xi32>
        %v410 = vector.extract %v358[16] : i32 from vector<64xi32>
        %v411 = vector.extract %v358[17] : i32 from vector<64xi32>
        %v412 = vector.extract %v358[18] : i32 from vector<64xi32>
        %v413 = vector.extract %v358[19] : i32 from vector<64xi32>
        %v414 = vector.extract %v358[20] : i32 from vector<64xi32>
        %v415 = vector.extract %v358[21] : i32 from vector<64xi32>
        %v416 = vector.extract %v358[22] : i32 from vector<64xi32>
        %v417 = vector.extract %v358[23] : i32 from vector<64xi32>
        %v418 = vector.extract %v358[24] : i32 from vector<64xi32>
        %v419 = vector.extract %v358[25] : i32 from vector<64xi32>
        %v420 = vector.extract %v358[26] : i32 from vector<64xi32>
        %v421 = vector.extract %v358[27] : i32 from vector<64xi32>
        %v422 = vector.extract %v358[28] : i32 from vector<64xi32>
        %v423 = vector.extract %v358[29] : i32 from vector<64xi32>
        %v424 = vector.extract %v358[30] : i32 from vector<64xi32>
        %v425 = vector.extract %v358[31] : i32 from vector<64xi32>
        %v426 = vector.extract %v358[32] : i32 from vector<64xi32>
        %v427 = vector.extract %v358[33] : i32 from vector<64xi32>
        %v428 = vector.extract %v358[34] : i32 from vector<64xi32>
        %v429 = vector.extract %v358[35] : i32 from vector<64xi32>
        %v430 = vector.extract %v358[36] : i32 from vector<64xi32>
        %v431 = vector.extract %v358[37] : i32 from vector<64xi32>
        %v432 = vector.extract %v358[38] : i32 from vector<64xi32>
        %v433 = vector.extract %v358[39] : i32 from vector<64xi32>
        %v434 = vector.extract %v358[40] : i32 from vector<64xi32>
        %v435 = vector.extract %v358[41] : i32 from vector<64xi32>
        %v436 = vector.extract %v358[42] : i32 from vector<64xi32>
        %v437 = vector.extract %v358[43] : i32 from vector<64xi32>
        %v438 = vector.extract %v358[44] : i32 from vector<64xi32>
        %v439 = vector.extract %v358[45] : i32 from vector<64xi32>
        %v440 = vector.extract %v358[46] : i32 from vector<64xi32>
        %v441 = vector.extract %v358[47] : i32 from vector<64xi32>
        %v442 = vector.extract %v358[48] : i32 from vector<64xi32>
        %v443 = vector.extract %v358[49] : i32 from vector<64xi32>
        %v444 = vector.extract %v358[50] : i32 from vector<64xi32>
        %v445 = vector.extract %v358[51] : i32 from vector<64xi32>
        %v446 = vector.extract %v358[52] : i32 from vector<64xi32>
        %v447 = vector.extract %v358[53] : i32 from vector<64xi32>
        %v448 = vector.extract %v358[54] : i32 from vector<64xi32>
        %v449 = vector.extract %v358[55] : i32 from vector<64xi32>
        %v450 = vector.extract %v358[56] : i32 from vector<64xi32>
        %v451 = vector.extract %v358[57] : i32 from vector<64xi32>
        %v452 = vector.extract %v358[58] : i32 from vector<64xi32>
        %v453 = vector.extract %v358[59] : i32 from vector<64xi32>
        %v454 = vector.extract %v358[60] : i32 from vector<64xi32>
        %v455 = vector.extract %v358[61] : i32 from vector<64xi32>
        %v456 = vector.extract %v358[62] : i32 from vector<64xi32>
        %v457 = vector.extract %v358[63] : i32 from vector<64xi32>
        nvvm.inline_ptx "tcgen05.wait::ld.sync.aligned;" rw(%v394, %v395, %v396, %v397, %v398, %v399, %v400, %v401, %v402, %v403, %v404, %v405, %v406, %v407, %v408, %v409, %v410, %v411, %v412, %v413, %v414, %v415, %v416, %v417, %v418, %v419, %v420, %v421, %v422, %v423, %v424, %v425, %v426, %v427, %v428, %v429, %v430, %v431, %v432, %v433, %v434, %v435, %v436, %v437, %v438, %v439, %v440, %v441, %v442, %v443, %v444, %v445, %v446, %v447, %v448, %v449, %v450, %v451, %v452, %v453, %v454, %v455, %v456, %v457 : i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32)
        %v458 = vector.from_elements %v394, %v395, %v396, %v397, %v398, %v399, %v400, %v401, %v402, %v403, %v404, %v405, %v406, %v407, %v408, %v409, %v410, %v411, %v412, %v413, %v414, %v415, %v416, %v417, %v418, %v419, %v420, %v421, %v422, %v423, %v424, %v425, %v426, %v427, %v428, %v429, %v430, %v431, %v432, %v433, %v434, %v435, %v436, %v437, %v438, %v439, %v440, %v441, %v442, %v443, %v444, %v445, %v446, %v447, %v448, %v449, %v450, %v451, %v452, %v453, %v454, %v455, %v456, %v457 : vector<64xi32>
        %v459 = llvm.bitcast %v458 : vector<64xi32> to vector<64xf32>
        %v460 = arith.cmpi eq, %v3, %c0_i32 : i32
        scf.if %v460 {
          %v461 = nvvm.elect.sync -> i1
          scf.if %v461 {
            nvvm.cp.async.bulk.wait_group 1 {read}
          }
        }
        nvvm.barrier id = %c1_i32 number_of_threads = %c128_i32
        %v462 = llvm.getelementptr inbounds %sC_E[16384] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
        %v463 = llvm.getelementptr inbounds %v462[%v32] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
        %v464 = vector.extract_strided_slice %v459 {offsets = [0], sizes = [4], strides = [1]} : vector<64xf32> to vector<4xf32>
        %v465 = arith.addf %v464, %v363 : vector<4xf32>
        %v466 = vector.extract %v465[0] : f32 from vector<4xf32>
        %v467 = vector.extract %v465[1] : f32 from vector<4xf32>
        %v468 = nvvm.convert.f32x2.to.bf16x2 %v467, %v466 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xbf16>
        %v469 = llvm.bitcast %v468 : vector<2xbf16> to i32
        %v470 = vector.extract %v465[2] : f32 from vector<4xf32>
        %v471 = vector.extract %v465[3] : f32 from vector<4xf32>
        %v472 = nvvm.convert.f32x2.to.bf16x2 %v471, %v470 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xbf16>
        %v473 = llvm.bitcast %v472 : vector<2xbf16> to i32
        %v474 = vector.extract_strided_slice %v459 {offsets = [4], sizes = [4], strides = [1]} : vector<64xf32> to vector<4xf32>
        %v475 = arith.addf %v474, %v365 : vector<4xf32>
        %v476 = vector.extract %v475[0] : f32 from vector<4xf32>
        %v477 = vector.extract %v475[1] : f32 from vector<4xf32>
        %v478 = nvvm.convert.f32x2.to.bf16x2 %v477, %v476 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xbf16>
        %v479 = llvm.bitcast %v478 : vector<2xbf16> to i32
        %v480 = vector.extract %v475[2] : f32 from vector<4xf32>
        %v481 = vector.extract %v475[3] : f32 from vector<4xf32>
        %v482 = nvvm.convert.f32x2.to.bf16x2 %v481, %v480 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xbf16>
        %v483 = llvm.bitcast %v482 : vector<2xbf16> to i32
        %v484 = vector.from_elements %v469, %v473, %v479, %v483 : vector<4xi32>
        %v485 = arith.xori %v31, %c0_i32 : i32
        %v486 = arith.shli %v485, %c4_i32 : i32
        %v487 = llvm.getelementptr inbounds %v463[%v486] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
        llvm.store %v484, %v487 {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr<3>
        %v488 = vector.extract_strided_slice %v459 {offsets = [8], sizes = [4], strides = [1]} : vector<64xf32> to vector<4xf32>
        %v489 = arith.addf %v488, %v367 : vector<4xf32>
        %v490 = vector.extract %v489[0] : f32 from vector<4xf32>
        %v491 = vector.extract %v489[1] : f32 from vector<4xf32>
        %v492 = nvvm.convert.f32x2.to.bf16x2 %v491, %v490 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xbf16>
        %v493 = llvm.bitcast %v492 : vector<2xbf16> to i32
        %v494 = vector.extract %v489[2] : f32 from vector<4xf32>
        %v495 = vector.extract %v489[3] : f32 from vector<4xf32>
        %v496 = nvvm.convert.f32x2.to.bf16x2 %v495, %v494 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xbf16>
        %v497 = llvm.bitcast %v496 : vector<2xbf16> to i32
        %v498 = vector.extract_strided_slice %v459 {offsets = [12], sizes = [4], strides = [1]} : vector<64xf32> to vector<4xf32>
        %v499 = arith.addf %v498, %v369 : vector<4xf32>
        %v500 = vector.extract %v499[0] : f32 from vector<4xf32>
        %v501 = vector.extract %v499[1] : f32 from vector<4xf32>
        %v502 = nvvm.convert.f32x2.to.bf16x2 %v501, %v500 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xbf16>
        %v503 = llvm.bitcast %v502 : vector<2xbf16> to i32
        %v504 = vector.extract %v499[2] : f32 from vector<4xf32>
        %v505 = vector.extract %v499[3] : f32 from vector<4xf32>
        %v506 = nvvm.convert.f32x2.to.bf16x2 %v505, %v504 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xbf16>
        %v507 = llvm.bitcast %v506 : vector<2xbf16> to i32
        %v508 = vector.from_elements %v493, %v497, %v503, %v507 : vector<4xi32>
        %v509 = arith.xori %v31, %c1_i32 : i32
        %v510 = arith.shli %v509, %c4_i32 : i32
        %v511 = llvm.getelementptr inbounds %v463[%v510] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
        llvm.store %v508, %v511 {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr<3>
        %v512 = vector.extract_strided_slice %v459 {offsets = [16], sizes = [4], strides = [1]} : vector<64xf32> to vector<4xf32>
        %v513 = arith.addf %v512, %v371 : vector<4xf32>
        %v514 = vector.extract %v513[0] : f32 from vector<4xf32>
        %v515 = vector.extract %v513[1] : f32 from vector<4xf32>
        %v516 = nvvm.convert.f32x2.to.bf16x2 %v515, %v514 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xbf16>
        %v517 = llvm.bitcast %v516 : vector<2xbf16> to i32
        %v518 = vector.extract %v513[2] : f32 from vector<4xf32>
        %v519 = vector.extract %v513[3] : f32 from vector<4xf32>
        %v520 = nvvm.convert.f32x2.to.bf16x2 %v519, %v518 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xbf16>
        %v521 = llvm.bitcast %v520 : vector<2xbf16> to i32
        %v522 = vector.extract_strided_slice %v459 {offsets = [20], sizes = [4], strides = [1]} : vector<64xf32> to vector<4xf32>
        %v523 = arith.addf %v522, %v373 : vector<4xf32>
        %v524 = vector.extract %v523[0] : f32 from vector<4xf32>
        %v525 = vector.extract %v523[1] : f32 from vector<4xf32>
        %v526 = nvvm.convert.f32x2.to.bf16x2 %v525, %v524 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xbf16>
        %v527 = llvm.bitcast %v526 : vector<2xbf16> to i32
        %v528 = vector.extract %v523[2] : f32 from vector<4xf32>
        %v529 = vector.extract %v523[3] : f32 from vector<4xf32>
        %v530 = nvvm.convert.f32x2.to.bf16x2 %v529, %v528 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xbf16>
        %v531 = llvm.bitcast %v530 : vector<2xbf16> to i32
        %v532 = vector.from_elements %v517, %v521, %v527, %v531 : vector<4xi32>
        %v533 = arith.xori %v31, %c2_i32 : i32
        %v534 = arith.shli %v533, %c4_i32 : i32
        %v535 = llvm.getelementptr inbounds %v463[%v534] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
        llvm.store %v532, %v535 {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr<3>
        %v536 = vector.extract_strided_slice %v459 {offsets = [24], sizes = [4], strides = [1]} : vector<64xf32> to vector<4xf32>
        %v537 = arith.addf %v536, %v375 : vector<4xf32>
        %v538 = vector.extract %v537[0] : f32 from vector<4xf32>
        %v539 = vector.extract %v537[1] : f32 from vector<4xf32>
        %v540 = nvvm.convert.f32x2.to.bf16x2 %v539, %v538 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xbf16>
        %v541 = llvm.bitcast %v540 : vector<2xbf16> to i32
        %v542 = vector.extract %v537[2] : f32 from vector<4xf32>
        %v543 = vector.extract %v537[3] : f32 from vector<4xf32>
        %v544 = nvvm.convert.f32x2.to.bf16x2 %v543, %v542 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xbf16>
        %v545 = llvm.bitcast %v544 : vector<2xbf16> to i32
        %v546 = vector.extract_strided_slice %v459 {offsets = [28], sizes = [4], strides = [1]} : vector<64xf32> to vector<4xf32>
        %v547 = arith.addf %v546, %v377 : vector<4xf32>
        %v548 = vector.extract %v547[0] : f32 from vector<4xf32>
        %v549 = vector.extract %v547[1] : f32 from vector<4xf32>
        %v550 = nvvm.convert.f32x2.to.bf16x2 %v549, %v548 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xbf16>
        %v551 = llvm.bitcast %v550 : vector<2xbf16> to i32
        %v552 = vector.extract %v547[2] : f32 from vector<4xf32>
        %v553 = vector.extract %v547[3] : f32 from vector<4xf32>
        %v554 = nvvm.convert.f32x2.to.bf16x2 %v553, %v552 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xbf16>
        %v555 = llvm.bitcast %v554 : vector<2xbf16> to i32
        %v556 = vector.from_elements %v541, %v545, %v551, %v555 : vector<4xi32>
        %v557 = arith.xori %v31, %c3_i32 : i32
        %v558 = arith.shli %v557, %c4_i32 : i32
        %v559 = llvm.getelementptr inbounds %v463[%v558] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
        llvm.store %v556, %v559 {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr<3>
        %v560 = vector.extract_strided_slice %v459 {offsets = [32], sizes = [4], strides = [1]} : vector<64xf32> to vector<4xf32>
        %v561 = arith.addf %v560, %v379 : vector<4xf32>
        %v562 = vector.extract %v561[0] : f32 from vector<4xf32>
        %v563 = vector.extract %v561[1] : f32 from vector<4xf32>
        %v564 = nvvm.convert.f32x2.to.bf16x2 %v563, %v562 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xbf16>
        %v565 = llvm.bitcast %v564 : vector<2xbf16> to i32
        %v566 = vector.extract %v561[2] : f32 from vector<4xf32>
        %v567 = vector.extract %v561[3] : f32 from vector<4xf32>
        %v568 = nvvm.convert.f32x2.to.bf16x2 %v567, %v566 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xbf16>
        %v569 = llvm.bitcast %v568 : vector<2xbf16> to i32
        %v570 = vector.extract_strided_slice %v459 {offsets = [36], sizes = [4], strides = [1]} : vector<64xf32> to vector<4xf32>
        %v571 = arith.addf %v570, %v381 : vector<4xf32>
        %v572 = vector.extract %v571[0] : f32 from vector<4xf32>
        %v573 = vector.extract %v571[1] : f32 from vector<4xf32>
        %v574 = nvvm.convert.f32x2.to.bf16x2 %v573, %v572 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xbf16>
        %v575 = llvm.bitcast %v574 : vector<2xbf16> to i32
        %v576 = vector.extract %v571[2] : f32 from vector<4xf32>
        %v577 = vector.extract %v571[3] : f32 from vector<4xf32>
        %v578 = nvvm.convert.f32x2.to.bf16x2 %v577, %v576 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xbf16>
        %v579 = llvm.bitcast %v578 : vector<2xbf16> to i32
        %v580 = vector.from_elements %v565, %v569, %v575, %v579 : vector<4xi32>
        %v581 = arith.xori %v31, %c4_i32 : i32
        %v582 = arith.shli %v581, %c4_i32 : i32
        %v583 = llvm.getelementptr inbounds %v463[%v582] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
        llvm.store %v580, %v583 {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr<3>
        %v584 = vector.extract_strided_slice %v459 {offsets = [40], sizes = [4], strides = [1]} : vector<64xf32> to vector<4xf32>
        %v585 = arith.addf %v584, %v383 : vector<4xf32>
        %v586 = vector.extract %v585[0] : f32 from vector<4xf32>
        %v587 = vector.extract %v585[1] : f32 from vector<4xf32>
        %v588 = nvvm.convert.f32x2.to.bf16x2 %v587, %v586 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xbf16>
        %v589 = llvm.bitcast %v588 : vector<2xbf16> to i32
        %v590 = vector.extract %v585[2] : f32 from vector<4xf32>
        %v591 = vector.extract %v585[3] : f32 from vector<4xf32>
        %v592 = nvvm.convert.f32x2.to.bf16x2 %v591, %v590 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xbf16>
        %v593 = llvm.bitcast %v592 : vector<2xbf16> to i32
        %v594 = vector.extract_strided_slice %v459 {offsets = [44], sizes = [4], strides = [1]} : vector<64xf32> to vector<4xf32>
        %v595 = arith.addf %v594, %v385 : vector<4xf32>
        %v596 = vector.extract %v595[0] : f32 from vector<4xf32>
        %v597 = vector.extract %v595[1] : f32 from vector<4xf32>
        %v598 = nvvm.convert.f32x2.to.bf16x2 %v597, %v596 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xbf16>
        %v599 = llvm.bitcast %v598 : vector<2xbf16> to i32
        %v600 = vector.extract %v595[2] : f32 from vector<4xf32>
        %v601 = vector.extract %v595[3] : f32 from vector<4xf32>
        %v602 = nvvm.convert.f32x2.to.bf16x2 %v601, %v600 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xbf16>
        %v603 = llvm.bitcast %v602 : vector<2xbf16> to i32
        %v604 = vector.from_elements %v589, %v593, %v599, %v603 : vector<4xi32>
        %v605 = arith.xori %v31, %c5_i32 : i32
        %v606 = arith.shli %v605, %c4_i32 : i32
        %v607 = llvm.getelementptr inbounds %v463[%v606] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
        llvm.store %v604, %v607 {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr<3>
        %v608 = vector.extract_strided_slice %v459 {offsets = [48], sizes = [4], strides = [1]} : vector<64xf32> to vector<4xf32>
        %v609 = arith.addf %v608, %v387 : vector<4xf32>
        %v610 = vector.extract %v609[0] : f32 from vector<4xf32>
        %v611 = vector.extract %v609[1] : f32 from vector<4xf32>
        %v612 = nvvm.convert.f32x2.to.bf16x2 %v611, %v610 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xbf16>
        %v613 = llvm.bitcast %v612 : vector<2xbf16> to i32
        %v614 = vector.extract %v609[2] : f32 from vector<4xf32>
        %v615 = vector.extract %v609[3] : f32 from vector<4xf32>
        %v616 = nvvm.convert.f32x2.to.bf16x2 %v615, %v614 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xbf16>
        %v617 = llvm.bitcast %v616 : vector<2xbf16> to i32
        %v618 = vector.extract_strided_slice %v459 {offsets = [52], sizes = [4], strides = [1]} : vector<64xf32> to vector<4xf32>
        %v619 = arith.addf %v618, %v389 : vector<4xf32>
        %v620 = vector.extract %v619[0] : f32 from vector<4xf32>
        %v621 = vector.extract %v619[1] : f32 from vector<4xf32>
        %v622 = nvvm.convert.f32x2.to.bf16x2 %v621, %v620 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xbf16>
        %v623 = llvm.bitcast %v622 : vector<2xbf16> to i32
        %v624 = vector.extract %v619[2] : f32 from vector<4xf32>
        %v625 = vector.extract %v619[3] : f32 from vector<4xf32>
        %v626 = nvvm.convert.f32x2.to.bf16x2 %v625, %v624 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xbf16>
        %v627 = llvm.bitcast %v626 : vector<2xbf16> to i32
        %v628 = vector.from_elements %v613, %v617, %v623, %v627 : vector<4xi32>
        %v629 = arith.xori %v31, %c6_i32 : i32
        %v630 = arith.shli %v629, %c4_i32 : i32
        %v631 = llvm.getelementptr inbounds %v463[%v630] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
        llvm.store %v628, %v631 {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr<3>
        %v632 = vector.extract_strided_slice %v459 {offsets = [56], sizes = [4], strides = [1]} : vector<64xf32> to vector<4xf32>
        %v633 = arith.addf %v632, %v391 : vector<4xf32>
        %v634 = vector.extract %v633[0] : f32 from vector<4xf32>
        %v635 = vector.extract %v633[1] : f32 from vector<4xf32>
        %v636 = nvvm.convert.f32x2.to.bf16x2 %v635, %v634 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xbf16>
        %v637 = llvm.bitcast %v636 : vector<2xbf16> to i32
        %v638 = vector.extract %v633[2] : f32 from vector<4xf32>
        %v639 = vector.extract %v633[3] : f32 from vector<4xf32>
        %v640 = nvvm.convert.f32x2.to.bf16x2 %v639, %v638 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xbf16>
        %v641 = llvm.bitcast %v640 : vector<2xbf16> to i32
        %v642 = vector.extract_strided_slice %v459 {offsets = [60], sizes = [4], strides = [1]} : vector<64xf32> to vector<4xf32>
        %v643 = arith.addf %v642, %v393 : vector<4xf32>
        %v644 = vector.extract %v643[0] : f32 from vector<4xf32>
        %v645 = vector.extract %v643[1] : f32 from vector<4xf32>
        %v646 = nvvm.convert.f32x2.to.bf16x2 %v645, %v644 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xbf16>
        %v647 = llvm.bitcast %v646 : vector<2xbf16> to i32
        %v648 = vector.extract %v643[2] : f32 from vector<4xf32>
        %v649 = vector.extract %v643[3] : f32 from vector<4xf32>
        %v650 = nvvm.convert.f32x2.to.bf16x2 %v649, %v648 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xbf16>
        %v651 = llvm.bitcast %v650 : vector<2xbf16> to i32
        %v652 = vector.from_elements %v637, %v641, %v647, %v651 : vector<4xi32>
        %v653 = arith.xori %v31, %c7_i32 : i32
        %v654 = arith.shli %v653, %c4_i32 : i32
        %v655 = llvm.getelementptr inbounds %v463[%v654] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
        llvm.store %v652, %v655 {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr<3>
        nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
        nvvm.barrier id = %c1_i32 number_of_threads = %c128_i32
        scf.if %v460 {
          %v656 = nvvm.elect.sync -> i1
          scf.if %v656 {
            nvvm.cp.async.bulk.tensor.global.shared.cta %tmD, %v462, box[%v359, %v45] : !llvm.ptr, !llvm.ptr<3>
            nvvm.cp.async.bulk.commit.group
          }
        }
        %v657 = llvm.getelementptr inbounds %v54[128] : (!llvm.ptr<6>) -> !llvm.ptr<6>, i8
        %v658 = nvvm.tcgen05.ld %v657 {shape = #nvvm.tcgen05_ldst_shape<shape_32x32b>} : vector<64xi32>
        %v659 = arith.addi %v46, %c128_i32 : i32
        %v660 = arith.extui %v659 : i32 to i64
        %v661 = llvm.getelementptr inbounds %bias[%v660] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
        %v662 = llvm.getelementptr inbounds %v661[0] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
        %v663 = llvm.load %v662 {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
        %v664 = llvm.getelementptr inbounds %v661[16] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
        %v665 = llvm.load %v664 {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
        %v666 = llvm.getelementptr inbounds %v661[32] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
        %v667 = llvm.load %v666 {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
        %v668 = llvm.getelementptr inbounds %v661[48] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
        %v669 = llvm.load %v668 {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
        %v670 = llvm.getelementptr inbounds %v661[64] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
        %v671 = llvm.load %v670 {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
        %v672 = llvm.getelementptr inbounds %v661[80] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
        %v673 = llvm.load %v672 {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
        %v674 = llvm.getelementptr inbounds %v661[96] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
        %v675 = llvm.load %v674 {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
        %v676 = llvm.getelementptr inbounds %v661[112] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
        %v677 = llvm.load %v676 {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
        %v678 = llvm.getelementptr inbounds %v661[128] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
        %v679 = llvm.load %v678 {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
        %v680 = llvm.getelementptr inbounds %v661[144] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
        %v681 = llvm.load %v680 {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
        %v682 = llvm.getelementptr inbounds %v661[160] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
        %v683 = llvm.load %v682 {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
        %v684 = llvm.getelementptr inbounds %v661[176] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
        %v685 = llvm.load %v684 {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
        %v686 = llvm.getelementptr inbounds %v661[192] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
        %v687 = llvm.load %v686 {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
        %v688 = llvm.getelementptr inbounds %v661[208] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
        %v689 = llvm.load %v688 {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
        %v690 = llvm.getelementptr inbounds %v661[224] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
        %v691 = llvm.load %v690 {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
        %v692 = llvm.getelementptr inbounds %v661[240] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
        %v693 = llvm.load %v692 {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
        %v694 = vector.extract %v658[0] : i32 from vector<64xi32>
        %v695 = vector.extract %v658[1] : i32 from vector<64xi32>
        %v696 = vector.extract %v658[2] : i32 from vector<64xi32>
        %v697 = vector.extract %v658[3] : i32 from vector<64xi32>
        %v698 = vector.extract %v658[4] : i32 from vector<64xi32>
        %v699 = vector.extract %v658[5] : i32 from vector<64xi32>
        %v700 = vector.extract %v658[6] : i32 from vector<64xi32>
        %v701 = vector.extract %v658[7] : i32 from vector<64xi32>
        %v702 = vector.extract %v658[8] : i32 from vector<64xi32>
        %v703 = vector.extract %v658[9] : i32 from vector<64xi32>
        %v704 = vector.extract %v658[10] : i32 from vector<64xi32>
        %v705 = vector.extract %v658[11] : i32 from vector<64xi32>
        %v706 = vector.extract %v658[12] : i32 from vector<64xi32>
        %v707 = vector.extract %v658[13] : i32 from vector<64xi32>
        %v708 = vector.extract %v658[14] : i32 from vector<64xi32>
        %v709 = vector.extract %v658[15] : i32 from vector<64xi32>
        %v710 = vector.extract %v658[16] : i32 from vector<64xi32>
        %v711 = vector.extract %v658[17] : i32 from vector<64xi32>
        %v712 = vector.extract %v658[18] : i32 from vector<64xi32>
        %v713 = vector.extract %v658[19] : i32 from vector<64xi32>
        %v714 = vector.extract %v658[20] : i32 from vector<64xi32>
        %v715 = vector.extract %v658[21] : i32 from vector<64xi32>
        %v716 = vector.extract %v658[22] : i32 from vector<64xi32>
        %v717 = vector.extract %v658[23] : i32 from vector<64xi32>
        %v718 = vector.extract %v658[24] : i32 from vector<64xi32>
        %v719 = vector.extract %v658[25] : i32 from vector<64xi32>
        %v720 = vector.extract %v658[26] : i32 from vector<64xi32>
        %v721 = vector.extract %v658[27] : i32 from vector<64xi32>
        %v722 = vector.extract %v658[28] : i32 from vector<64xi32>
        %v723 = vector.extract %v658[29] : i32 from vector<64xi32>
        %v724 = vector.extract %v658[30] : i32 from vector<64xi32>
        %v725 = vector.extract %v658[31] : i32 from vector<64xi32>
        %v726 = vector.extract %v658[32] : i32 from vector<64xi32>
        %v727 = vector.extract %v658[33] : i32 from vector<64xi32>
        %v728 = vector.extract %v658[34] : i32 from vector<64xi32>
        %v729 = vector.extract %v658[35] : i32 from vector<64xi32>
        %v730 = vector.extract %v658[36] : i32 from vector<64xi32>
        %v731 = vector.extract %v658[37] : i32 from vector<64xi32>
        %v732 = vector.extract %v658[38] : i32 from vector<64xi32>
        %v733 = vector.extract %v658[39] : i32 from vector<64xi32>
        %v734 = vector.extract %v658[40] : i32 from vector<64xi32>
        %v735 = vector.extract %v658[41] : i32 from vector<64xi32>
        %v736 = vector.extract %v658[42] : i32 from vector<64xi32>
        %v737 = vector.extract %v658[43] : i32 from vector<64xi32>
        %v738 = vector.extract %v658[44] : i32 from vector<64xi32>
        %v739 = vector.extract %v658[45] : i32 from vector<64xi32>
        %v740 = vector.extract %v658[46] : i32 from vector<64xi32>
        %v741 = vector.extract %v658[47] : i32 from vector<64xi32>
        %v742 = vector.extract %v658[48] : i32 from vector<64xi32>
        %v743 = vector.extract %v658[49] : i32 from vector<64xi32>
        %v744 = vector.extract %v658[50] : i32 from vector<64xi32>
        %v745 = vector.extract %v658[51] : i32 from vector<64xi32>
        %v746 = vector.extract %v658[52] : i32 from vector<64xi32>
        %v747 = vector.extract %v658[53] : i32 from vector<64xi32>
        %v748 = vector.extract %v658[54] : i32 from vector<64xi32>
        %v749 = vector.extract %v658[55] : i32 from vector<64xi32>
        %v750 = vector.extract %v658[56] : i32 from vector<64xi32>
        %v751 = vector.extract %v658[57] : i32 from vector<64xi32>
        %v752 = vector.extract %v658[58] : i32 from vector<64xi32>
        %v753 = vector.extract %v658[59] : i32 from vector<64xi32>
        %v754 = vector.extract %v658[60] : i32 from vector<64xi32>
        %v755 = vector.extract %v658[61] : i32 from vector<64xi32>
        %v756 = vector.extract %v658[62] : i32 from vector<64xi32>
        %v757 = vector.extract %v658[63] : i32 from vector<64xi32>
        nvvm.inline_ptx "tcgen05.wait::ld.sync.aligned;" rw(%v694, %v695, %v696, %v697, %v698, %v699, %v700, %v701, %v702, %v703, %v704, %v705, %v706, %v707, %v708, %v709, %v710, %v711, %v712, %v713, %v714, %v715, %v716, %v717, %v718, %v719, %v720, %v721, %v722, %v723, %v724, %v725, %v726, %v727, %v728, %v729, %v730, %v731, %v732, %v733, %v734, %v735, %v736, %v737, %v738, %v739, %v740, %v741, %v742, %v743, %v744, %v745, %v746, %v747, %v748, %v749, %v750, %v751, %v752, %v753, %v754, %v755, %v756, %v757 : i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32)
        %v758 = vector.from_elements %v694, %v695, %v696, %v697, %v698, %v699, %v700, %v701, %v702, %v703, %v704, %v705, %v706, %v707, %v708, %v709, %v710, %v711, %v712, %v713, %v714, %v715, %v716, %v717, %v718, %v719, %v720, %v721, %v722, %v723, %v724, %v725, %v726, %v727, %v728, %v729, %v730, %v731, %v732, %v733, %v734, %v735, %v736, %v737, %v738, %v739, %v740, %v741, %v742, %v743, %v744, %v745, %v746, %v747, %v748, %v749, %v750, %v751, %v752, %v753, %v754, %v755, %v756, %v757 : vector<64xi32>
        %v759 = llvm.bitcast %v758 : vector<64xi32> to vector<64xf32>
        %v760 = arith.cmpi eq, %v3, %c0_i32 : i32
        scf.if %v760 {
          %v761 = nvvm.elect.sync -> i1
          scf.if %v761 {
            nvvm.cp.async.bulk.wait_group 1 {read}
          }
        }
        nvvm.barrier id = %c1_i32 number_of_threads = %c128_i32
        %v762 = llvm.getelementptr inbounds %sC_E[0] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
        %v763 = llvm.getelementptr inbounds %v762[%v32] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
        %v764 = vector.extract_strided_slice %v759 {offsets = [0], sizes = [4], strides = [1]} : vector<64xf32> to vector<4xf32>
        %v765 = arith.addf %v764, %v663 : vector<4xf32>
        %v766 = vector.extract %v765[0] : f32 from vector<4xf32>
        %v767 = vector.extract %v765[1] : f32 from vector<4xf32>
        %v768 = nvvm.convert.f32x2.to.bf16x2 %v767, %v766 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xbf16>
        %v769 = llvm.bitcast %v768 : vector<2xbf16> to i32
        %v770 = vector.extract %v765[2] : f32 from vector<4xf32>
        %v771 = vector.extract %v765[3] : f32 from vector<4xf32>
        %v772 = nvvm.convert.f32x2.to.bf16x2 %v771, %v770 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xbf16>
        %v773 = llvm.bitcast %v772 : vector<2xbf16> to i32
        %v774 = vector.extract_strided_slice %v759 {offsets = [4], sizes = [4], strides = [1]} : vector<64xf32> to vector<4xf32>
        %v775 = arith.addf %v774, %v665 : vector<4xf32>
        %v776 = vector.extract %v775[0] : f32 from vector<4xf32>
        %v777 = vector.extract %v775[1] : f32 from vector<4xf32>
        %v778 = nvvm.convert.f32x2.to.bf16x2 %v777, %v776 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xbf16>
        %v779 = llvm.bitcast %v778 : vector<2xbf16> to i32
        %v780 = vector.extract %v775[2] : f32 from vector<4xf32>
        %v781 = vector.extract %v775[3] : f32 from vector<4xf32>
        %v782 = nvvm.convert.f32x2.to.bf16x2 %v781, %v780 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xbf16>
        %v783 = llvm.bitcast %v782 : vector<2xbf16> to i32
        %v784 = vector.from_elements %v769, %v773, %v779, %v783 : vector<4xi32>
        %v785 = arith.xori %v31, %c0_i32 : i32
        %v786 = arith.shli %v785, %c4_i32 : i32
        %v787 = llvm.getelementptr inbounds %v763[%v786] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
        llvm.store %v784, %v787 {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr<3>
        %v788 = vector.extract_strided_slice %v759 {offsets = [8], sizes = [4], strides = [1]} : vector<64xf32> to vector<4xf32>
        %v789 = arith.addf %v788, %v667 : vector<4xf32>
        %v790 = vector.extract %v789[0] : f32 from vector<4xf32>
        %v791 = vector.extract %v789[1] : f32 from vector<4xf32>
        %v792 = nvvm.convert.f32x2.to.bf16x2 %v791, %v790 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xbf16>
        %v793 = llvm.bitcast %v792 : vector<2xbf16> to i32
        %v794 = vector.extract %v789[2] : f32 from vector<4xf32>
        %v795 = vector.extract %v789[3] : f32 from vector<4xf32>
        %v796 = nvvm.convert.f32x2.to.bf16x2 %v795, %v794 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xbf16>
        %v797 = llvm.bitcast %v796 : vector<2xbf16> to i32
        %v798 = vector.extract_strided_slice %v759 {offsets = [12], sizes = [4], strides = [1]} : vector<64xf32> to vector<4xf32>
        %v799 = arith.addf %v798, %v669 : vector<4xf32>
        %v800 = vector.extract %v799[0] : f32 from vector<4xf32>
        %v801 = vector.extract %v799[1] : f32 from vector<4xf32>
        %v802 = nvvm.convert.f32x2.to.bf16x2 %v801, %v800 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xbf16>
        %v803 = llvm.bitcast %v802 : vector<2xbf16> to i32
        %v804 = vector.extract %v799[2] : f32 from vector<4xf32>
        %v805 = vector.extract %v799[3] : f32 from vector<4xf32>
        %v806 = nvvm.convert.f32x2.to.bf16x2 %v805, %v804 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xbf16>
        %v807 = llvm.bitcast %v806 : vector<2xbf16> to i32
        %v808 = vector.from_elements %v793, %v797, %v803, %v807 : vector<4xi32>
        %v809 = arith.xori %v31, %c1_i32 : i32
        %v810 = arith.shli %v809, %c4_i32 : i32
        %v811 = llvm.getelementptr inbounds %v763[%v810] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
        llvm.store %v808, %v811 {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr<3>
        %v812 = vector.extract_strided_slice %v759 {offsets = [16], sizes = [4], strides = [1]} : vector<64xf32> to vector<4xf32>
        %v813 = arith.addf %v812, %v671 : vector<4xf32>
        %v814 = vector.extract %v813[0] : f32 from vector<4xf32>
        %v815 = vector.extract %v813[1] : f32 from vector<4xf32>
        %v816 = nvvm.convert.f32x2.to.bf16x2 %v815, %v814 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xbf16>
        %v817 = llvm.bitcast %v816 : vector<2xbf16> to i32
        %v818 = vector.extract %v813[2] : f32 from vector<4xf32>
        %v819 = vector.extract %v813[3] : f32 from vector<4xf32>
        %v820 = nvvm.convert.f32x2.to.bf16x2 %v819, %v818 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xbf16>
        %v821 = llvm.bitcast %v820 : vector<2xbf16> to i32
        %v822 = vector.extract_strided_slice %v759 {offsets = [20], sizes = [4], strides = [1]} : vector<64xf32> to vector<4xf32>
        %v823 = arith.addf %v822, %v673 : vector<4xf32>
        %v824 = vector.extract %v823[0] : f32 from vector<4xf32>
        %v825 = vector.extract %v823[1] : f32 from vector<4xf32>
        %v826 = nvvm.convert.f32x2.to.bf16x2 %v825, %v824 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xbf16>
        %v827 = llvm.bitcast %v826 : vector<2xbf16> to i32
        %v828 = vector.extract %v823[2] : f32 from vector<4xf32>
        %v829 = vector.extract %v823[3] : f32 from vector<4xf32>
        %v830 = nvvm.convert.f32x2.to.bf16x2 %v829, %v828 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xbf16>
        %v831 = llvm.bitcast %v830 : vector<2xbf16> to i32
        %v832 = vector.from_elements %v817, %v821, %v827, %v831 : vector<4xi32>
        %v833 = arith.xori %v31, %c2_i32 : i32
        %v834 = arith.shli %v833, %c4_i32 : i32
        %v835 = llvm.getelementptr inbounds %v763[%v834] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
        llvm.store %v832, %v835 {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr<3>
        %v836 = vector.extract_strided_slice %v759 {offsets = [24], sizes = [4], strides = [1]} : vector<64xf32> to vector<4xf32>
        %v837 = arith.addf %v836, %v675 : vector<4xf32>
        %v838 = vector.extract %v837[0] : f32 from vector<4xf32>
        %v839 = vector.extract %v837[1] : f32 from vector<4xf32>
        %v840 = nvvm.convert.f32x2.to.bf16x2 %v839, %v838 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xbf16>
        %v841 = llvm.bitcast %v840 : vector<2xbf16> to i32
        %v842 = vector.extract %v837[2] : f32 from vector<4xf32>
        %v843 = vector.extract %v837[3] : f32 from vector<4xf32>
        %v844 = nvvm.convert.f32x2.to.bf16x2 %v843, %v842 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xbf16>
        %v845 = llvm.bitcast %v844 : vector<2xbf16> to i32
        %v846 = vector.extract_strided_slice %v759 {offsets = [28], sizes = [4], strides = [1]} : vector<64xf32> to vector<4xf32>
        %v847 = arith.addf %v846, %v677 : vector<4xf32>
        %v848 = vector.extract %v847[0] : f32 from vector<4xf32>
        %v849 = vector.extract %v847[1] : f32 from vector<4xf32>
        %v850 = nvvm.convert.f32x2.to.bf16x2 %v849, %v848 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xbf16>
        %v851 = llvm.bitcast %v850 : vector<2xbf16> to i32
        %v852 = vector.extract %v847[2] : f32 from vector<4xf32>
        %v853 = vector.extract %v847[3] : f32 from vector<4xf32>
        %v854 = nvvm.convert.f32x2.to.bf16x2 %v853, %v852 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xbf16>
        %v855 = llvm.bitcast %v854 : vector<2xbf16> to i32
        %v856 = vector.from_elements %v841, %v845, %v851, %v855 : vector<4xi32>
        %v857 = arith.xori %v31, %c3_i32 : i32
        %v858 = arith.shli %v857, %c4_i32 : i32
        %v859 = llvm.getelementptr inbounds %v763[%v858] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
        llvm.store %v856, %v859 {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr<3>
        %v860 = vector.extract_strided_slice %v759 {offsets = [32], sizes = [4], strides = [1]} : vector<64xf32> to vector<4xf32>
        %v861 = arith.addf %v860, %v679 : vector<4xf32>
        %v862 = vector.extract %v861[0] : f32 from vector<4xf32>
        %v863 = vector.extract %v861[1] : f32 from vector<4xf32>
        %v864 = nvvm.convert.f32x2.to.bf16x2 %v863, %v862 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xbf16>
        %v865 = llvm.bitcast %v864 : vector<2xbf16> to i32
        %v866 = vector.extract %v861[2] : f32 from vector<4xf32>
        %v867 = vector.extract %v861[3] : f32 from vector<4xf32>
        %v868 = nvvm.convert.f32x2.to.bf16x2 %v867, %v866 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xbf16>
        %v869 = llvm.bitcast %v868 : vector<2xbf16> to i32
        %v870 = vector.extract_strided_slice %v759 {offsets = [36], sizes = [4], strides = [1]} : vector<64xf32> to vector<4xf32>
        %v871 = arith.addf %v870, %v681 : vector<4xf32>
        %v872 = vector.extract %v871[0] : f32 from vector<4xf32>
        %v873 = vector.extract %v871[1] : f32 from vector<4xf32>
        %v874 = nvvm.convert.f32x2.to.bf16x2 %v873, %v872 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xbf16>
        %v875 = llvm.bitcast %v874 : vector<2xbf16> to i32
        %v876 = vector.extract %v871[2] : f32 from vector<4xf32>
        %v877 = vector.extract %v871[3] : f32 from vector<4xf32>
        %v878 = nvvm.convert.f32x2.to.bf16x2 %v877, %v876 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xbf16>
        %v879 = llvm.bitcast %v878 : vector<2xbf16> to i32
        %v880 = vector.from_elements %v865, %v869, %v875, %v879 : vector<4xi32>
        %v881 = arith.xori %v31, %c4_i32 : i32
        %v882 = arith.shli %v881, %c4_i32 : i32
        %v883 = llvm.getelementptr inbounds %v763[%v882] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
        llvm.store %v880, %v883 {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr<3>
        %v884 = vector.extract_strided_slice %v759 {offsets = [40], sizes = [4], strides = [1]} : vector<64xf32> to vector<4xf32>
        %v885 = arith.addf %v884, %v683 : vector<4xf32>
        %v886 = vector.extract %v885[0] : f32 from vector<4xf32>
        %v887 = vector.extract %v885[1] : f32 from vector<4xf32>
        %v888 = nvvm.convert.f32x2.to.bf16x2 %v887, %v886 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xbf16>
        %v889 = llvm.bitcast %v888 : vector<2xbf16> to i32
        %v890 = vector.extract %v885[2] : f32 from vector<4xf32>
        %v891 = vector.extract %v885[3] : f32 from vector<4xf32>
        %v892 = nvvm.convert.f32x2.to.bf16x2 %v891, %v890 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xbf16>
        %v893 = llvm.bitcast %v892 : vector<2xbf16> to i32
        %v894 = vector.extract_strided_slice %v759 {offsets = [44], sizes = [4], strides = [1]} : vector<64xf32> to vector<4xf32>
        %v895 = arith.addf %v894, %v685 : vector<4xf32>
        %v896 = vector.extract %v895[0] : f32 from vector<4xf32>
        %v897 = vector.extract %v895[1] : f32 from vector<4xf32>
        %v898 = nvvm.convert.f32x2.to.bf16x2 %v897, %v896 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xbf16>
        %v899 = llvm.bitcast %v898 : vector<2xbf16> to i32
        %v900 = vector.extract %v895[2] : f32 from vector<4xf32>
        %v901 = vector.extract %v895[3] : f32 from vector<4xf32>
        %v902 = nvvm.convert.f32x2.to.bf16x2 %v901, %v900 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xbf16>
        %v903 = llvm.bitcast %v902 : vector<2xbf16> to i32
        %v904 = vector.from_elements %v889, %v893, %v899, %v903 : vector<4xi32>
        %v905 = arith.xori %v31, %c5_i32 : i32
        %v906 = arith.shli %v905, %c4_i32 : i32
        %v907 = llvm.getelementptr inbounds %v763[%v906] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
        llvm.store %v904, %v907 {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr<3>
        %v908 = vector.extract_strided_slice %v759 {offsets = [48], sizes = [4], strides = [1]} : vector<64xf32> to vector<4xf32>
        %v909 = arith.addf %v908, %v687 : vector<4xf32>
        %v910 = vector.extract %v909[0] : f32 from vector<4xf32>
        %v911 = vector.extract %v909[1] : f32 from vector<4xf32>
        %v912 = nvvm.convert.f32x2.to.bf16x2 %v911, %v910 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xbf16>
        %v913 = llvm.bitcast %v912 : vector<2xbf16> to i32
        %v914 = vector.extract %v909[2] : f32 from vector<4xf32>
        %v915 = vector.extract %v909[3] : f32 from vector<4xf32>
        %v916 = nvvm.convert.f32x2.to.bf16x2 %v915, %v914 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xbf16>
        %v917 = llvm.bitcast %v916 : vector<2xbf16> to i32
        %v918 = vector.extract_strided_slice %v759 {offsets = [52], sizes = [4], strides = [1]} : vector<64xf32> to vector<4xf32>
        %v919 = arith.addf %v918, %v689 : vector<4xf32>
        %v920 = vector.extract %v919[0] : f32 from vector<4xf32>
        %v921 = vector.extract %v919[1] : f32 from vector<4xf32>
        %v922 = nvvm.convert.f32x2.to.bf16x2 %v921, %v920 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xbf16>
        %v923 = llvm.bitcast %v922 : vector<2xbf16> to i32
        %v924 = vector.extract %v919[2] : f32 from vector<4xf32>
        %v925 = vector.extract %v919[3] : f32 from vector<4xf32>
        %v926 = nvvm.convert.f32x2.to.bf16x2 %v925, %v924 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xbf16>
        %v927 = llvm.bitcast %v926 : vector<2xbf16> to i32
        %v928 = vector.from_elements %v913, %v917, %v923, %v927 : vector<4xi32>
        %v929 = arith.xori %v31, %c6_i32 : i32
        %v930 = arith.shli %v929, %c4_i32 : i32
        %v931 = llvm.getelementptr inbounds %v763[%v930] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
        llvm.store %v928, %v931 {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr<3>
        %v932 = vector.extract_strided_slice %v759 {offsets = [56], sizes = [4], strides = [1]} : vector<64xf32> to vector<4xf32>
        %v933 = arith.addf %v932, %v691 : vector<4xf32>
        %v934 = vector.extract %v933[0] : f32 from vector<4xf32>
        %v935 = vector.extract %v933[1] : f32 from vector<4xf32>
        %v936 = nvvm.convert.f32x2.to.bf16x2 %v935, %v934 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xbf16>
        %v937 = llvm.bitcast %v936 : vector<2xbf16> to i32
        %v938 = vector.extract %v933[2] : f32 from vector<4xf32>
        %v939 = vector.extract %v933[3] : f32 from vector<4xf32>
        %v940 = nvvm.convert.f32x2.to.bf16x2 %v939, %v938 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xbf16>
        %v941 = llvm.bitcast %v940 : vector<2xbf16> to i32
        %v942 = vector.extract_strided_slice %v759 {offsets = [60], sizes = [4], strides = [1]} : vector<64xf32> to vector<4xf32>
        %v943 = arith.addf %v942, %v693 : vector<4xf32>
        %v944 = vector.extract %v943[0] : f32 from vector<4xf32>
        %v945 = vector.extract %v943[1] : f32 from vector<4xf32>
        %v946 = nvvm.convert.f32x2.to.bf16x2 %v945, %v944 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xbf16>
        %v947 = llvm.bitcast %v946 : vector<2xbf16> to i32
        %v948 = vector.extract %v943[2] : f32 from vector<4xf32>
        %v949 = vector.extract %v943[3] : f32 from vector<4xf32>
        %v950 = nvvm.convert.f32x2.to.bf16x2 %v949, %v948 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xbf16>
        %v951 = llvm.bitcast %v950 : vector<2xbf16> to i32
        %v952 = vector.from_elements %v937, %v941, %v947, %v951 : vector<4xi32>
        %v953 = arith.xori %v31, %c7_i32 : i32
        %v954 = arith.shli %v953, %c4_i32 : i32
        %v955 = llvm.getelementptr inbounds %v763[%v954] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
        llvm.store %v952, %v955 {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr<3>
        nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
        nvvm.barrier id = %c1_i32 number_of_threads = %c128_i32
        scf.if %v760 {
          %v956 = nvvm.elect.sync -> i1
          scf.if %v956 {
            nvvm.cp.async.bulk.tensor.global.shared.cta %tmD, %v762, box[%v659, %v45] : !llvm.ptr, !llvm.ptr<3>
            nvvm.cp.async.bulk.commit.group
          }
        }
        %v957 = llvm.getelementptr inbounds %v54[192] : (!llvm.ptr<6>) -> !llvm.ptr<6>, i8
        %v958 = nvvm.tcgen05.ld %v957 {shape = #nvvm.tcgen05_ldst_shape<shape_32x32b>} : vector<64xi32>
        %v959 = arith.addi %v46, %c192_i32 : i32
        %v960 = arith.extui %v959 : i32 to i64
        %v961 = llvm.getelementptr inbounds %bias[%v960] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
        %v962 = llvm.getelementptr inbounds %v961[0] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
        %v963 = llvm.load %v962 {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
        %v964 = llvm.getelementptr inbounds %v961[16] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
        %v965 = llvm.load %v964 {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
        %v966 = llvm.getelementptr inbounds %v961[32] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
        %v967 = llvm.load %v966 {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
        %v968 = llvm.getelementptr inbounds %v961[48] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
        %v969 = llvm.load %v968 {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
        %v970 = llvm.getelementptr inbounds %v961[64] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
        %v971 = llvm.load %v970 {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
        %v972 = llvm.getelementptr inbounds %v961[80] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
        %v973 = llvm.load %v972 {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
        %v974 = llvm.getelementptr inbounds %v961[96] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
        %v975 = llvm.load %v974 {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
        %v976 = llvm.getelementptr inbounds %v961[112] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
        %v977 = llvm.load %v976 {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
        %v978 = llvm.getelementptr inbounds %v961[128] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
        %v979 = llvm.load %v978 {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
        %v980 = llvm.getelementptr inbounds %v961[144] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
        %v981 = llvm.load %v980 {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
        %v982 = llvm.getelementptr inbounds %v961[160] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
        %v983 = llvm.load %v982 {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
        %v984 = llvm.getelementptr inbounds %v961[176] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
        %v985 = llvm.load %v984 {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
        %v986 = llvm.getelementptr inbounds %v961[192] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
        %v987 = llvm.load %v986 {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
        %v988 = llvm.getelementptr inbounds %v961[208] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
        %v989 = llvm.load %v988 {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
        %v990 = llvm.getelementptr inbounds %v961[224] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
        %v991 = llvm.load %v990 {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
        %v992 = llvm.getelementptr inbounds %v961[240] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
        %v993 = llvm.load %v992 {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
        %v994 = vector.extract %v958[0] : i32 from vector<64xi32>
        %v995 = vector.extract %v958[1] : i32 from vector<64xi32>
        %v996 = vector.extract %v958[2] : i32 from vector<64xi32>
        %v997 = vector.extract %v958[3] : i32 from vector<64xi32>
        %v998 = vector.extract %v958[4] : i32 from vector<64xi32>
        %v999 = vector.extract %v958[5] : i32 from vector<64xi32>
        %v1000 = vector.extract %v958[6] : i32 from vector<64xi32>
        %v1001 = vector.extract %v958[7] : i32 from vector<64xi32>
        %v1002 = vector.extract %v958[8] : i32 from vector<64xi32>
        %v1003 = vector.extract %v958[9] : i32 from vector<64xi32>
        %v1004 = vector.extract %v958[10] : i32 from vector<64xi32>
        %v1005 = vector.extract %v958[11] : i32 from vector<64xi32>
        %v1006 = vector.extract %v958[12] : i32 from vector<64xi32>
        %v1007 = vector.extract %v958[13] : i32 from vector<64xi32>
        %v1008 = vector.extract %v958[14] : i32 from vector<64xi32>
        %v1009 = vector.extract %v958[15] : i32 from vector<64xi32>
        %v1010 = vector.extract %v958[16] : i32 from vector<64xi32>
        %v1011 = vector.extract %v958[17] : i32 from vector<64xi32>
        %v1012 = vector.extract %v958[18] : i32 from vector<64xi32>
        %v1013 = vector.extract %v958[19] : i32 from vector<64xi32>
        %v1014 = vector.extract %v958[20] : i32 from vector<64xi32>
        %v1015 = vector.extract %v958[21] : i32 from vector<64xi32>
        %v1016 = vector.extract %v958[22] : i32 from vector<64xi32>
        %v1017 = vector.extract %v958[23] : i32 from vector<64xi32>
        %v1018 = vector.extract %v958[24] : i32 from vector<64xi32>
        %v1019 = vector.extract %v958[25] : i32 from vector<64xi32>
        %v1020 = vector.extract %v958[26] : i32 from vector<64xi32>
        %v1021 = vector.extract %v958[27] : i32 from vector<64xi32>
        %v1022 = vector.extract %v958[28] : i32 from vector<64xi32>
        %v1023 = vector.extract %v958[29] : i32 from vector<64xi32>
        %v1024 = vector.extract %v958[30] : i32 from vector<64xi32>
        %v1025 = vector.extract %v958[31] : i32 from vector<64xi32>
        %v1026 = vector.extract %v958[32] : i32 from vector<64xi32>
        %v1027 = vector.extract %v958[33] : i32 from vector<64xi32>
        %v1028 = vector.extract %v958[34] : i32 from vector<64xi32>
        %v1029 = vector.extract %v958[35] : i32 from vector<64xi32>
        %v1030 = vector.extract %v958[36] : i32 from vector<64xi32>
        %v1031 = vector.extract %v958[37] : i32 from vector<64xi32>
        %v1032 = vector.extract %v958[38] : i32 from vector<64xi32>
        %v1033 = vector.extract %v958[39] : i32 from vector<64xi32>
        %v1034 = vector.extract %v958[40] : i32 from vector<64xi32>
        %v1035 = vector.extract %v958[41] : i32 from vector<64xi32>
        %v1036 = vector.extract %v958[42] : i32 from vector<64xi32>
        %v1037 = vector.extract %v958[43] : i32 from vector<64xi32>
        %v1038 = vector.extract %v958[44] : i32 from vector<64xi32>
        %v1039 = vector.extract %v958[45] : i32 from vector<64xi32>
        %v1040 = vector.extract %v958[46] : i32 from vector<64xi32>
        %v1041 = vector.extract %v958[47] : i32 from vector<64xi32>
        %v1042 = vector.extract %v958[48] : i32 from vector<64xi32>
        %v1043 = vector.extract %v958[49] : i32 from vector<64xi32>
        %v1044 = vector.extract %v958[50] : i32 from vector<64xi32>
        %v1045 = vector.extract %v958[51] : i32 from vector<64xi32>
        %v1046 = vector.extract %v958[52] : i32 from vector<64xi32>
        %v1047 = vector.extract %v958[53] : i32 from vector<64xi32>
        %v1048 = vector.extract %v958[54] : i32 from vector<64xi32>
        %v1049 = vector.extract %v958[55] : i32 from vector<64xi32>
        %v1050 = vector.extract %v958[56] : i32 from vector<64xi32>
        %v1051 = vector.extract %v958[57] : i32 from vector<64xi32>
        %v1052 = vector.extract %v958[58] : i32 from vector<64xi32>
        %v1053 = vector.extract %v958[59] : i32 from vector<64xi32>
        %v1054 = vector.extract %v958[60] : i32 from vector<64xi32>
        %v1055 = vector.extract %v958[61] : i32 from vector<64xi32>
        %v1056 = vector.extract %v958[62] : i32 from vector<64xi32>
        %v1057 = vector.extract %v958[63] : i32 from vector<64xi32>
        nvvm.inline_ptx "tcgen05.wait::ld.sync.aligned;" rw(%v994, %v995, %v996, %v997, %v998, %v999, %v1000, %v1001, %v1002, %v1003, %v1004, %v1005, %v1006, %v1007, %v1008, %v1009, %v1010, %v1011, %v1012, %v1013, %v1014, %v1015, %v1016, %v1017, %v1018, %v1019, %v1020, %v1021, %v1022, %v1023, %v1024, %v1025, %v1026, %v1027, %v1028, %v1029, %v1030, %v1031, %v1032, %v1033, %v1034, %v1035, %v1036, %v1037, %v1038, %v1039, %v1040, %v1041, %v1042, %v1043, %v1044, %v1045, %v1046, %v1047, %v1048, %v1049, %v1050, %v1051, %v1052, %v1053, %v1054, %v1055, %v1056, %v1057 : i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32)
        %v1058 = vector.from_elements %v994, %v995, %v996, %v997, %v998, %v999, %v1000, %v1001, %v1002, %v1003, %v1004, %v1005, %v1006, %v1007, %v1008, %v1009, %v1010, %v1011, %v1012, %v1013, %v1014, %v1015, %v1016, %v1017, %v1018, %v1019, %v1020, %v1021, %v1022, %v1023, %v1024, %v1025, %v1026, %v1027, %v1028, %v1029, %v1030, %v1031, %v1032, %v1033, %v1034, %v1035, %v1036, %v1037, %v1038, %v1039, %v1040, %v1041, %v1042, %v1043, %v1044, %v1045, %v1046, %v1047, %v1048, %v1049, %v1050, %v1051, %v1052, %v1053, %v1054, %v1055, %v1056, %v1057 : vector<64xi32>
        nvvm.tcgen05.fence #nvvm.tcgen05_fence<before>
        %v1059 = nvvm.elect.sync -> i1
        scf.if %v1059 {
          %v1060 = nvvm.mbarrier.arrive %v49 : !llvm.ptr<3> -> i64
        }
        %v1061 = llvm.bitcast %v1058 : vector<64xi32> to vector<64xf32>
        %v1062 = arith.cmpi eq, %v3, %c0_i32 : i32
        scf.if %v1062 {
          %v1063 = nvvm.elect.sync -> i1
          scf.if %v1063 {
            nvvm.cp.async.bulk.wait_group 1 {read}
          }
        }
        nvvm.barrier id = %c1_i32 number_of_threads = %c128_i32
        %v1064 = llvm.getelementptr inbounds %sC_E[16384] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
        %v1065 = llvm.getelementptr inbounds %v1064[%v32] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
        %v1066 = vector.extract_strided_slice %v1061 {offsets = [0], sizes = [4], strides = [1]} : vector<64xf32> to vector<4xf32>
        %v1067 = arith.addf %v1066, %v963 : vector<4xf32>
        %v1068 = vector.extract %v1067[0] : f32 from vector<4xf32>
        %v1069 = vector.extract %v1067[1] : f32 from vector<4xf32>
        %v1070 = nvvm.convert.f32x2.to.bf16x2 %v1069, %v1068 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xbf16>
        %v1071 = llvm.bitcast %v1070 : vector<2xbf16> to i32
        %v1072 = vector.extract %v1067[2] : f32 from vector<4xf32>
        %v1073 = vector.extract %v1067[3] : f32 from vector<4xf32>
        %v1074 = nvvm.convert.f32x2.to.bf16x2 %v1073, %v1072 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xbf16>
        %v1075 = llvm.bitcast %v1074 : vector<2xbf16> to i32
        %v1076 = vector.extract_strided_slice %v1061 {offsets = [4], sizes = [4], strides = [1]} : vector<64xf32> to vector<4xf32>
        %v1077 = arith.addf %v1076, %v965 : vector<4xf32>
        %v1078 = vector.extract %v1077[0] : f32 from vector<4xf32>
        %v1079 = vector.extract %v1077[1] : f32 from vector<4xf32>
        %v1080 = nvvm.convert.f32x2.to.bf16x2 %v1079, %v1078 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xbf16>
        %v1081 = llvm.bitcast %v1080 : vector<2xbf16> to i32
        %v1082 = vector.extract %v1077[2] : f32 from vector<4xf32>
        %v1083 = vector.extract %v1077[3] : f32 from vector<4xf32>
        %v1084 = nvvm.convert.f32x2.to.bf16x2 %v1083, %v1082 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xbf16>
        %v1085 = llvm.bitcast %v1084 : vector<2xbf16> to i32
        %v1086 = vector.from_elements %v1071, %v1075, %v1081, %v1085 : vector<4xi32>
        %v1087 = arith.xori %v31, %c0_i32 : i32
        %v1088 = arith.shli %v1087, %c4_i32 : i32
        %v1089 = llvm.getelementptr inbounds %v1065[%v1088] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
        llvm.store %v1086, %v1089 {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr<3>
        %v1090 = vector.extract_strided_slice %v1061 {offsets = [8], sizes = [4], strides = [1]} : vector<64xf32> to vector<4xf32>
        %v1091 = arith.addf %v1090, %v967 : vector<4xf32>
        %v1092 = vector.extract %v1091[0] : f32 from vector<4xf32>
        %v1093 = vector.extract %v1091[1] : f32 from vector<4xf32>
        %v1094 = nvvm.convert.f32x2.to.bf16x2 %v1093, %v1092 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xbf16>
        %v1095 = llvm.bitcast %v1094 : vector<2xbf16> to i32
        %v1096 = vector.extract %v1091[2] : f32 from vector<4xf32>
        %v1097 = vector.extract %v1091[3] : f32 from vector<4xf32>
        %v1098 = nvvm.convert.f32x2.to.bf16x2 %v1097, %v1096 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xbf16>
        %v1099 = llvm.bitcast %v1098 : vector<2xbf16> to i32
        %v1100 = vector.extract_strided_slice %v1061 {offsets = [12], sizes = [4], strides = [1]} : vector<64xf32> to vector<4xf32>
        %v1101 = arith.addf %v1100, %v969 : vector<4xf32>
        %v1102 = vector.extract %v1101[0] : f32 from vector<4xf32>
        %v1103 = vector.extract %v1101[1] : f32 from vector<4xf32>
        %v1104 = nvvm.convert.f32x2.to.bf16x2 %v1103, %v1102 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xbf16>
        %v1105 = llvm.bitcast %v1104 : vector<2xbf16> to i32
        %v1106 = vector.extract %v1101[2] : f32 from vector<4xf32>
        %v1107 = vector.extract %v1101[3] : f32 from vector<4xf32>
        %v1108 = nvvm.convert.f32x2.to.bf16x2 %v1107, %v1106 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xbf16>
        %v1109 = llvm.bitcast %v1108 : vector<2xbf16> to i32
        %v1110 = vector.from_elements %v1095, %v1099, %v1105, %v1109 : vector<4xi32>
        %v1111 = arith.xori %v31, %c1_i32 : i32
        %v1112 = arith.shli %v1111, %c4_i32 : i32
        %v1113 = llvm.getelementptr inbounds %v1065[%v1112] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
        llvm.store %v1110, %v1113 {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr<3>
        %v1114 = vector.extract_strided_slice %v1061 {offsets = [16], sizes = [4], strides = [1]} : vector<64xf32> to vector<4xf32>
        %v1115 = arith.addf %v1114, %v971 : vector<4xf32>
        %v1116 = vector.extract %v1115[0] : f32 from vector<4xf32>
        %v1117 = vector.extract %v1115[1] : f32 from vector<4xf32>
        %v1118 = nvvm.convert.f32x2.to.bf16x2 %v1117, %v1116 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xbf16>
        %v1119 = llvm.bitcast %v1118 : vector<2xbf16> to i32
        %v1120 = vector.extract %v1115[2] : f32 from vector<4xf32>
        %v1121 = vector.extract %v1115[3] : f32 from vector<4xf32>
        %v1122 = nvvm.convert.f32x2.to.bf16x2 %v1121, %v1120 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xbf16>
        %v1123 = llvm.bitcast %v1122 : vector<2xbf16> to i32
        %v1124 = vector.extract_strided_slice %v1061 {offsets = [20], sizes = [4], strides = [1]} : vector<64xf32> to vector<4xf32>
        %v1125 = arith.addf %v1124, %v973 : vector<4xf32>
        %v1126 = vector.extract %v1125[0] : f32 from vector<4xf32>
        %v1127 = vector.extract %v1125[1] : f32 from vector<4xf32>
        %v1128 = nvvm.convert.f32x2.to.bf16x2 %v1127, %v1126 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xbf16>
        %v1129 = llvm.bitcast %v1128 : vector<2xbf16> to i32
        %v1130 = vector.extract %v1125[2] : f32 from vector<4xf32>
        %v1131 = vector.extract %v1125[3] : f32 from vector<4xf32>
        %v1132 = nvvm.convert.f32x2.to.bf16x2 %v1131, %v1130 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xbf16>
        %v1133 = llvm.bitcast %v1132 : vector<2xbf16> to i32
        %v1134 = vector.from_elements %v1119, %v1123, %v1129, %v1133 : vector<4xi32>
        %v1135 = arith.xori %v31, %c2_i32 : i32
        %v1136 = arith.shli %v1135, %c4_i32 : i32
        %v1137 = llvm.getelementptr inbounds %v1065[%v1136] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
        llvm.store %v1134, %v1137 {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr<3>
        %v1138 = vector.extract_strided_slice %v1061 {offsets = [24], sizes = [4], strides = [1]} : vector<64xf32> to vector<4xf32>
        %v1139 = arith.addf %v1138, %v975 : vector<4xf32>
        %v1140 = vector.extract %v1139[0] : f32 from vector<4xf32>
        %v1141 = vector.extract %v1139[1] : f32 from vector<4xf32>
        %v1142 = nvvm.convert.f32x2.to.bf16x2 %v1141, %v1140 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xbf16>
        %v1143 = llvm.bitcast %v1142 : vector<2xbf16> to i32
        %v1144 = vector.extract %v1139[2] : f32 from vector<4xf32>
        %v1145 = vector.extract %v1139[3] : f32 from vector<4xf32>
        %v1146 = nvvm.convert.f32x2.to.bf16x2 %v1145, %v1144 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xbf16>
        %v1147 = llvm.bitcast %v1146 : vector<2xbf16> to i32
        %v1148 = vector.extract_strided_slice %v1061 {offsets = [28], sizes = [4], strides = [1]} : vector<64xf32> to vector<4xf32>
        %v1149 = arith.addf %v1148, %v977 : vector<4xf32>
        %v1150 = vector.extract %v1149[0] : f32 from vector<4xf32>
        %v1151 = vector.extract %v1149[1] : f32 from vector<4xf32>
        %v1152 = nvvm.convert.f32x2.to.bf16x2 %v1151, %v1150 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xbf16>
        %v1153 = llvm.bitcast %v1152 : vector<2xbf16> to i32
        %v1154 = vector.extract %v1149[2] : f32 from vector<4xf32>
        %v1155 = vector.extract %v1149[3] : f32 from vector<4xf32>
        %v1156 = nvvm.convert.f32x2.to.bf16x2 %v1155, %v1154 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xbf16>
        %v1157 = llvm.bitcast %v1156 : vector<2xbf16> to i32
        %v1158 = vector.from_elements %v1143, %v1147, %v1153, %v1157 : vector<4xi32>
        %v1159 = arith.xori %v31, %c3_i32 : i32
        %v1160 = arith.shli %v1159, %c4_i32 : i32
        %v1161 = llvm.getelementptr inbounds %v1065[%v1160] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
        llvm.store %v1158, %v1161 {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr<3>
        %v1162 = vector.extract_strided_slice %v1061 {offsets = [32], sizes = [4], strides = [1]} : vector<64xf32> to vector<4xf32>
        %v1163 = arith.addf %v1162, %v979 : vector<4xf32>
        %v1164 = vector.extract %v1163[0] : f32 from vector<4xf32>
        %v1165 = vector.extract %v1163[1] : f32 from vector<4xf32>
        %v1166 = nvvm.convert.f32x2.to.bf16x2 %v1165, %v1164 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xbf16>
        %v1167 = llvm.bitcast %v1166 : vector<2xbf16> to i32
        %v1168 = vector.extract %v1163[2] : f32 from vector<4xf32>
        %v1169 = vector.extract %v1163[3] : f32 from vector<4xf32>
        %v1170 = nvvm.convert.f32x2.to.bf16x2 %v1169, %v1168 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xbf16>
        %v1171 = llvm.bitcast %v1170 : vector<2xbf16> to i32
        %v1172 = vector.extract_strided_slice %v1061 {offsets = [36], sizes = [4], strides = [1]} : vector<64xf32> to vector<4xf32>
        %v1173 = arith.addf %v1172, %v981 : vector<4xf32>
        %v1174 = vector.extract %v1173[0] : f32 from vector<4xf32>
        %v1175 = vector.extract %v1173[1] : f32 from vector<4xf32>
        %v1176 = nvvm.convert.f32x2.to.bf16x2 %v1175, %v1174 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xbf16>
        %v1177 = llvm.bitcast %v1176 : vector<2xbf16> to i32
        %v1178 = vector.extract %v1173[2] : f32 from vector<4xf32>
        %v1179 = vector.extract %v1173[3] : f32 from vector<4xf32>
        %v1180 = nvvm.convert.f32x2.to.bf16x2 %v1179, %v1178 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xbf16>
        %v1181 = llvm.bitcast %v1180 : vector<2xbf16> to i32
        %v1182 = vector.from_elements %v1167, %v1171, %v1177, %v1181 : vector<4xi32>
        %v1183 = arith.xori %v31, %c4_i32 : i32
        %v1184 = arith.shli %v1183, %c4_i32 : i32
        %v1185 = llvm.getelementptr inbounds %v1065[%v1184] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
        llvm.store %v1182, %v1185 {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr<3>
        %v1186 = vector.extract_strided_slice %v1061 {offsets = [40], sizes = [4], strides = [1]} : vector<64xf32> to vector<4xf32>
        %v1187 = arith.addf %v1186, %v983 : vector<4xf32>
        %v1188 = vector.extract %v1187[0] : f32 from vector<4xf32>
        %v1189 = vector.extract %v1187[1] : f32 from vector<4xf32>
        %v1190 = nvvm.convert.f32x2.to.bf16x2 %v1189, %v1188 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xbf16>
        %v1191 = llvm.bitcast %v1190 : vector<2xbf16> to i32
        %v1192 = vector.extract %v1187[2] : f32 from vector<4xf32>
        %v1193 = vector.extract %v1187[3] : f32 from vector<4xf32>
        %v1194 = nvvm.convert.f32x2.to.bf16x2 %v1193, %v1192 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xbf16>
        %v1195 = llvm.bitcast %v1194 : vector<2xbf16> to i32
        %v1196 = vector.extract_strided_slice %v1061 {offsets = [44], sizes = [4], strides = [1]} : vector<64xf32> to vector<4xf32>
        %v1197 = arith.addf %v1196, %v985 : vector<4xf32>
        %v1198 = vector.extract %v1197[0] : f32 from vector<4xf32>
        %v1199 = vector.extract %v1197[1] : f32 from vector<4xf32>
        %v1200 = nvvm.convert.f32x2.to.bf16x2 %v1199, %v1198 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xbf16>
        %v1201 = llvm.bitcast %v1200 : vector<2xbf16> to i32
        %v1202 = vector.extract %v1197[2] : f32 from vector<4xf32>
        %v1203 = vector.extract %v1197[3] : f32 from vector<4xf32>
        %v1204 = nvvm.convert.f32x2.to.bf16x2 %v1203, %v1202 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xbf16>
        %v1205 = llvm.bitcast %v1204 : vector<2xbf16> to i32
        %v1206 = vector.from_elements %v1191, %v1195, %v1201, %v1205 : vector<4xi32>
        %v1207 = arith.xori %v31, %c5_i32 : i32
        %v1208 = arith.shli %v1207, %c4_i32 : i32
        %v1209 = llvm.getelementptr inbounds %v1065[%v1208] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
        llvm.store %v1206, %v1209 {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr<3>
        %v1210 = vector.extract_strided_slice %v1061 {offsets = [48], sizes = [4], strides = [1]} : vector<64xf32> to vector<4xf32>
        %v1211 = arith.addf %v1210, %v987 : vector<4xf32>
        %v1212 = vector.extract %v1211[0] : f32 from vector<4xf32>
        %v1213 = vector.extract %v1211[1] : f32 from vector<4xf32>
        %v1214 = nvvm.convert.f32x2.to.bf16x2 %v1213, %v1212 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xbf16>
        %v1215 = llvm.bitcast %v1214 : vector<2xbf16> to i32
        %v1216 = vector.extract %v1211[2] : f32 from vector<4xf32>
        %v1217 = vector.extract %v1211[3] : f32 from vector<4xf32>
        %v1218 = nvvm.convert.f32x2.to.bf16x2 %v1217, %v1216 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xbf16>
        %v1219 = llvm.bitcast %v1218 : vector<2xbf16> to i32
        %v1220 = vector.extract_strided_slice %v1061 {offsets = [52], sizes = [4], strides = [1]} : vector<64xf32> to vector<4xf32>
        %v1221 = arith.addf %v1220, %v989 : vector<4xf32>
        %v1222 = vector.extract %v1221[0] : f32 from vector<4xf32>
        %v1223 = vector.extract %v1221[1] : f32 from vector<4xf32>
        %v1224 = nvvm.convert.f32x2.to.bf16x2 %v1223, %v1222 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xbf16>
        %v1225 = llvm.bitcast %v1224 : vector<2xbf16> to i32
        %v1226 = vector.extract %v1221[2] : f32 from vector<4xf32>
        %v1227 = vector.extract %v1221[3] : f32 from vector<4xf32>
        %v1228 = nvvm.convert.f32x2.to.bf16x2 %v1227, %v1226 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xbf16>
        %v1229 = llvm.bitcast %v1228 : vector<2xbf16> to i32
        %v1230 = vector.from_elements %v1215, %v1219, %v1225, %v1229 : vector<4xi32>
        %v1231 = arith.xori %v31, %c6_i32 : i32
        %v1232 = arith.shli %v1231, %c4_i32 : i32
        %v1233 = llvm.getelementptr inbounds %v1065[%v1232] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
        llvm.store %v1230, %v1233 {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr<3>
        %v1234 = vector.extract_strided_slice %v1061 {offsets = [56], sizes = [4], strides = [1]} : vector<64xf32> to vector<4xf32>
        %v1235 = arith.addf %v1234, %v991 : vector<4xf32>
        %v1236 = vector.extract %v1235[0] : f32 from vector<4xf32>
        %v1237 = vector.extract %v1235[1] : f32 from vector<4xf32>
        %v1238 = nvvm.convert.f32x2.to.bf16x2 %v1237, %v1236 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xbf16>
        %v1239 = llvm.bitcast %v1238 : vector<2xbf16> to i32
        %v1240 = vector.extract %v1235[2] : f32 from vector<4xf32>
        %v1241 = vector.extract %v1235[3] : f32 from vector<4xf32>
        %v1242 = nvvm.convert.f32x2.to.bf16x2 %v1241, %v1240 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xbf16>
        %v1243 = llvm.bitcast %v1242 : vector<2xbf16> to i32
        %v1244 = vector.extract_strided_slice %v1061 {offsets = [60], sizes = [4], strides = [1]} : vector<64xf32> to vector<4xf32>
        %v1245 = arith.addf %v1244, %v993 : vector<4xf32>
        %v1246 = vector.extract %v1245[0] : f32 from vector<4xf32>
        %v1247 = vector.extract %v1245[1] : f32 from vector<4xf32>
        %v1248 = nvvm.convert.f32x2.to.bf16x2 %v1247, %v1246 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xbf16>
        %v1249 = llvm.bitcast %v1248 : vector<2xbf16> to i32
        %v1250 = vector.extract %v1245[2] : f32 from vector<4xf32>
        %v1251 = vector.extract %v1245[3] : f32 from vector<4xf32>
        %v1252 = nvvm.convert.f32x2.to.bf16x2 %v1251, %v1250 {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xbf16>
        %v1253 = llvm.bitcast %v1252 : vector<2xbf16> to i32
        %v1254 = vector.from_elements %v1239, %v1243, %v1249, %v1253 : vector<4xi32>
        %v1255 = arith.xori %v31, %c7_i32 : i32
        %v1256 = arith.shli %v1255, %c4_i32 : i32
        %v1257 = llvm.getelementptr inbounds %v1065[%v1256] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
        llvm.store %v1254, %v1257 {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr<3>
        nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
        nvvm.barrier id = %c1_i32 number_of_threads = %c128_i32
        scf.if %v1062 {
          %v1258 = nvvm.elect.sync -> i1
          scf.if %v1258 {
            nvvm.cp.async.bulk.tensor.global.shared.cta %tmD, %v1064, box[%v959, %v45] : !llvm.ptr, !llvm.ptr<3>
            nvvm.cp.async.bulk.commit.group
          }
        }
        %v1259 = arith.addi %b39, %c1_i32 : i32
        %v1260 = arith.cmpi eq, %v1259, %c2_i32 : i32
        %v1261 = arith.select %v1260, %c0_i32, %v1259 : i32
        %v1262 = arith.extui %v1260 : i1 to i32
        %v1263 = arith.xori %b40, %v1262 : i32
        %v1264 = arith.addi %bt42, %tstep : i32
        scf.yield %v1264, %v1261, %v1263, %b41 : i32, i32, i32, i32
      }
      nvvm.cp.async.bulk.wait_group 0
    } else {
      nvvm.setmaxregister decrease 40
      %v1265 = arith.cmpi eq, %v3, %c4_i32 : i32
      scf.if %v1265 {
        %v1266 = nvvm.inline_ptx "mov.b32 $0, smem;" -> i32
        %v1267 = llvm.inttoptr %v1266 : i32 to !llvm.ptr<3>
        %b_full_L = llvm.getelementptr inbounds %v1267[229376] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
        %b_empty_L = llvm.getelementptr inbounds %v1267[229408] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
        %b_afull_L = llvm.getelementptr inbounds %v1267[229440] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
        %b_aempty_L = llvm.getelementptr inbounds %v1267[229456] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
        %b_clcf_L = llvm.getelementptr inbounds %v1267[229480] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
        %b_clce_L = llvm.getelementptr inbounds %v1267[229488] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
        %clcr_L = llvm.getelementptr inbounds %v1267[229504] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
        %sA_L = llvm.getelementptr inbounds %v1267[0] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
        %sB_L = llvm.getelementptr inbounds %v1267[65536] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
        %sC_L = llvm.getelementptr inbounds %v1267[196608] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
        %v1268 = nvvm.elect.sync -> i1
        %v1269 = llvm.mlir.constant(1152921504606846976 : i64) : i64
        %pr1273:3 = scf.while (%tile1272 = %tile0, %pc1270 = %c0_i32, %pc1271 = %c1_i32) : (i32, i32, i32) -> (i32, i32, i32) {
          %v1274 = arith.cmpi slt, %tile1272, %ntiles : i32
          scf.condition(%v1274) %tile1272, %pc1270, %pc1271 : i32, i32, i32
        } do {
        ^bb0(%bt1277: i32, %b1275: i32, %b1276: i32):
          %v1278 = arith.divui %bt1277, %ntn : i32
          %v1279 = arith.remui %bt1277, %ntn : i32
          %v1280 = arith.shli %v1278, %c7_i32 : i32
          %v1281 = arith.shli %v1279, %c8_i32 : i32
          %kr1282:2 = scf.for %k1283 = %c0_i32 to %nk step %c1_i32 iter_args(%s1284 = %b1275, %p1285 = %b1276) -> (i32, i32) : i32 {
            %v1286 = arith.shli %s1284, %c3_i32 : i32
            %v1287 = llvm.getelementptr inbounds %b_empty_L[%v1286] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
            %v1288 = llvm.getelementptr inbounds %b_full_L[%v1286] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
            scf.while : () -> () {
              %v1289 = nvvm.mbarrier.try_wait %v1287, %p1285 : !llvm.ptr<3>, i32 -> i1
              %v1290 = arith.xori %v1289, %true : i1
              scf.condition(%v1290)
            } do {
              scf.yield
            }
            %v1291 = arith.addi %s1284, %c1_i32 : i32
            %v1292 = arith.cmpi eq, %v1291, %c4_i32 : i32
            %v1293 = arith.select %v1292, %c0_i32, %v1291 : i32
            %v1294 = arith.extui %v1292 : i1 to i32
            %v1295 = arith.xori %p1285, %v1294 : i32
            %v1296 = arith.shli %s1284, %c14_i32 : i32
            %v1297 = llvm.getelementptr inbounds %sA_L[%v1296] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
            %v1298 = arith.shli %s1284, %c15_i32 : i32
            %v1299 = llvm.getelementptr inbounds %sB_L[%v1298] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
            %v1300 = arith.shli %k1283, %c6_i32 : i32
            scf.if %v1268 {
              nvvm.mbarrier.arrive.expect_tx %v1288, %c49152_i32 : !llvm.ptr<3>, i32
              %v1301 = llvm.ptrtoint %v1297 : !llvm.ptr<3> to i32
              %v1302 = llvm.inttoptr %v1301 : i32 to !llvm.ptr<7>
              %v1303 = llvm.ptrtoint %v1299 : !llvm.ptr<3> to i32
              %v1304 = llvm.inttoptr %v1303 : i32 to !llvm.ptr<7>
              nvvm.cp.async.bulk.tensor.shared.cluster.global %v1302, %tmA, %v1288, box[%v1300,%v1280] l2_cache_hint = %v1269 : !llvm.ptr<7>, !llvm.ptr
              nvvm.cp.async.bulk.tensor.shared.cluster.global %v1304, %tmB, %v1288, box[%v1300,%v1281] l2_cache_hint = %v1269 : !llvm.ptr<7>, !llvm.ptr
            }
            scf.yield %v1293, %v1295 : i32, i32
          }
          %v1305 = arith.addi %bt1277, %tstep : i32
          scf.yield %v1305, %kr1282#0, %kr1282#1 : i32, i32, i32
        }
      } else {
        scf.if %v22 {
          %v1306 = nvvm.inline_ptx "mov.b32 $0, smem;" -> i32
          %v1307 = llvm.inttoptr %v1306 : i32 to !llvm.ptr<3>
          %b_full_M = llvm.getelementptr inbounds %v1307[229376] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
          %b_empty_M = llvm.getelementptr inbounds %v1307[229408] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
          %b_afull_M = llvm.getelementptr inbounds %v1307[229440] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
          %b_aempty_M = llvm.getelementptr inbounds %v1307[229456] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
          %b_clcf_M = llvm.getelementptr inbounds %v1307[229480] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
          %b_clce_M = llvm.getelementptr inbounds %v1307[229488] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
          %clcr_M = llvm.getelementptr inbounds %v1307[229504] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
          %sA_M = llvm.getelementptr inbounds %v1307[0] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
          %sB_M = llvm.getelementptr inbounds %v1307[65536] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
          %sC_M = llvm.getelementptr inbounds %v1307[196608] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
          %v1308 = llvm.ptrtoint %sA_M : !llvm.ptr<3> to i32
          %v1309 = llvm.ptrtoint %sB_M : !llvm.ptr<3> to i32
          %v1310 = llvm.mlir.constant(0 : i8) : i8
          %v1311 = llvm.mlir.constant(2 : i8) : i8
          %v1312 = arith.shrui %v1308, %c4_i32 : i32
          %v1313 = nvvm.tcgen05.mma_smem_desc (%v1312, %c1_i32, %c64_i32, %v1310, %false, %v1311) : (i32, i32, i32, i8, i1, i8) -> i64
          %v1314 = arith.shrui %v1309, %c4_i32 : i32
          %v1315 = nvvm.tcgen05.mma_smem_desc (%v1314, %c1_i32, %c64_i32, %v1310, %false, %v1311) : (i32, i32, i32, i8, i1, i8) -> i64
          %v1316 = nvvm.inline_ptx "mov.b64 $0, $1;" ro(%v1313 : i64) -> i64
          %v1317 = nvvm.inline_ptx "mov.b64 $0, $1;" ro(%v1315 : i64) -> i64
          %pr1323:5 = scf.while (%tile1322 = %tile0, %pc1318 = %c0_i32, %pc1319 = %c0_i32, %pc1320 = %c0_i32, %pc1321 = %c1_i32) : (i32, i32, i32, i32, i32) -> (i32, i32, i32, i32, i32) {
            %v1324 = arith.cmpi slt, %tile1322, %ntiles : i32
            scf.condition(%v1324) %tile1322, %pc1318, %pc1319, %pc1320, %pc1321 : i32, i32, i32, i32, i32
          } do {
          ^bb0(%bt1329: i32, %b1325: i32, %b1326: i32, %b1327: i32, %b1328: i32):
            %v1330 = arith.divui %bt1329, %ntn : i32
            %v1331 = arith.remui %bt1329, %ntn : i32
            %v1332 = arith.shli %b1327, %c3_i32 : i32
            %v1333 = llvm.getelementptr inbounds %b_aempty_M[%v1332] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
            %v1334 = llvm.getelementptr inbounds %b_afull_M[%v1332] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
            scf.while : () -> () {
              %v1335 = nvvm.mbarrier.try_wait %v1333, %b1328 : !llvm.ptr<3>, i32 -> i1
              %v1336 = arith.xori %v1335, %true : i1
              scf.condition(%v1336)
            } do {
              scf.yield
            }
            nvvm.tcgen05.fence #nvvm.tcgen05_fence<after>
            %v1337 = arith.shli %b1327, %c8_i32 : i32
            %v1338 = llvm.getelementptr inbounds %v24[%v1337] : (!llvm.ptr<6>, i32) -> !llvm.ptr<6>, i8
            %kr1339:3 = scf.for %k1340 = %c0_i32 to %nk step %c1_i32 iter_args(%s1341 = %b1325, %p1342 = %b1326, %acc1343 = %false) -> (i32, i32, i1) : i32 {
              %v1344 = arith.shli %s1341, %c3_i32 : i32
              %v1345 = llvm.getelementptr inbounds %b_full_M[%v1344] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
              %v1346 = llvm.getelementptr inbounds %b_empty_M[%v1344] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
              scf.while : () -> () {
                %v1347 = nvvm.mbarrier.try_wait %v1345, %p1342 : !llvm.ptr<3>, i32 -> i1
                %v1348 = arith.xori %v1347, %true : i1
                scf.condition(%v1348)
              } do {
                scf.yield
              }
              %v1349 = arith.addi %s1341, %c1_i32 : i32
              %v1350 = arith.cmpi eq, %v1349, %c4_i32 : i32
              %v1351 = arith.select %v1350, %c0_i32, %v1349 : i32
              %v1352 = arith.extui %v1350 : i1 to i32
              %v1353 = arith.xori %p1342, %v1352 : i32
              nvvm.tcgen05.fence #nvvm.tcgen05_fence<after>
              %v1354 = arith.shli %s1341, %c10_i32 : i32
              %v1355 = arith.extui %v1354 : i32 to i64
              %v1356 = arith.addi %v1316, %v1355 : i64
              %v1357 = arith.shli %s1341, %c11_i32 : i32
              %v1358 = arith.extui %v1357 : i32 to i64
              %v1359 = arith.addi %v1317, %v1358 : i64
              %v1360 = llvm.mlir.constant(0 : i64) : i64
              %v1361 = arith.addi %v1356, %v1360 : i64
              %v1362 = arith.addi %v1359, %v1360 : i64
              %v1363 = nvvm.elect.sync -> i1
              scf.if %v1363 {
                nvvm.tcgen05.mma %v1338, %v1361, %v1362, %c138413200_i32, %acc1343 {kind = #nvvm.tcgen05_mma_kind<f16>, ctaGroup = #nvvm.cta_group<cta_1>} : (!llvm.ptr<6>, i64, i64, i32, i1)
              }
              %v1364 = llvm.mlir.constant(2 : i64) : i64
              %v1365 = arith.addi %v1356, %v1364 : i64
              %v1366 = arith.addi %v1359, %v1364 : i64
              %v1367 = nvvm.elect.sync -> i1
              scf.if %v1367 {
                nvvm.tcgen05.mma %v1338, %v1365, %v1366, %c138413200_i32, %true {kind = #nvvm.tcgen05_mma_kind<f16>, ctaGroup = #nvvm.cta_group<cta_1>} : (!llvm.ptr<6>, i64, i64, i32, i1)
              }
              %v1368 = llvm.mlir.constant(4 : i64) : i64
              %v1369 = arith.addi %v1356, %v1368 : i64
              %v1370 = arith.addi %v1359, %v1368 : i64
              %v1371 = nvvm.elect.sync -> i1
              scf.if %v1371 {
                nvvm.tcgen05.mma %v1338, %v1369, %v1370, %c138413200_i32, %true {kind = #nvvm.tcgen05_mma_kind<f16>, ctaGroup = #nvvm.cta_group<cta_1>} : (!llvm.ptr<6>, i64, i64, i32, i1)
              }
              %v1372 = llvm.mlir.constant(6 : i64) : i64
              %v1373 = arith.addi %v1356, %v1372 : i64
              %v1374 = arith.addi %v1359, %v1372 : i64
              %v1375 = nvvm.elect.sync -> i1
              scf.if %v1375 {
                nvvm.tcgen05.mma %v1338, %v1373, %v1374, %c138413200_i32, %true {kind = #nvvm.tcgen05_mma_kind<f16>, ctaGroup = #nvvm.cta_group<cta_1>} : (!llvm.ptr<6>, i64, i64, i32, i1)
              }
              %v1376 = nvvm.elect.sync -> i1
              scf.if %v1376 {
                nvvm.tcgen05.commit %v1346 {group = #nvvm.cta_group<cta_1>} : !llvm.ptr<3>
              }
              scf.yield %v1351, %v1353, %true : i32, i32, i1
            }
            %v1377 = nvvm.elect.sync -> i1
            scf.if %v1377 {
              nvvm.tcgen05.commit %v1334 {group = #nvvm.cta_group<cta_1>} : !llvm.ptr<3>
            }
            %v1378 = arith.addi %b1327, %c1_i32 : i32
            %v1379 = arith.cmpi eq, %v1378, %c2_i32 : i32
            %v1380 = arith.select %v1379, %c0_i32, %v1378 : i32
            %v1381 = arith.extui %v1379 : i1 to i32
            %v1382 = arith.xori %b1328, %v1381 : i32
            %v1383 = arith.addi %bt1329, %tstep : i32
            scf.yield %v1383, %kr1339#0, %kr1339#1, %v1380, %v1382 : i32, i32, i32, i32, i32
          }
        }
      }
    }
    nvvm.barrier0
    scf.if %v22 {
      nvvm.tcgen05.dealloc %v24, %c512_i32 {group = #nvvm.cta_group<cta_1>} : !llvm.ptr<6>, i32
    }
    llvm.return
  }
}

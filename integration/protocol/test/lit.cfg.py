# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import drawloom_lit

drawloom_lit.configure(config, "protocol")

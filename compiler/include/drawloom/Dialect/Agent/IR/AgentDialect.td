//===- AgentDialect.td - The agent dialect --------------- -*- tablegen -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_DIALECT_AGENT_IR_AGENTDIALECT_TD
#define DRAWLOOM_DIALECT_AGENT_IR_AGENTDIALECT_TD

include "mlir/IR/DialectBase.td"

def Agent_Dialect : Dialect {
  let name = "agent";
  let cppNamespace = "::drawloom::agent";
  let summary = "Roles and pipes: which warps do what, and what travels between them";
  let description = [{
    A kernel whose warps have roles is a set of sequential programs that hand
    tiles to each other. This dialect has a word for each part of that:

    | word | operation | meaning |
    |---|---|---|
    | role | `agent.role` in `agent.switch` | what a set of warps does |
    | pipe | `agent.pipe` | a bounded channel from one role to one or more roles |
    | slot | | one stage of a pipe |
    | produce, consume | `agent.produce`, `agent.consume` | the scope in which a role owns a slot |
    | work tile | `agent.items`, `agent.for_each_item` | what a CTA or a cluster takes next |

    A produce or a consume is a region. A slot is acquired where the region is
    entered and given on where it is left, so a release cannot be forgotten.
    Nothing in the dialect is a protocol integer: barrier counts, byte counts,
    phases and multicast masks follow from who stands on each side of a pipe.

    Tiles have value semantics. What a produce yields is what the matching
    consume receives as block arguments. A value cannot leave a role in any
    other way; values from outside the switch can be used in every role.

    A matrix product for Blackwell with three roles:

    ```mlir
    %ab = agent.pipe "operands" slots(4) smem : (tensor<128x64xbf16>, tensor<256x64xbf16>)
    %acc = agent.pipe "result" slots(2) tmem : (tensor<128x256xf32>)
    agent.switch {
      agent.role @operand_load warps(1) {
        agent.for_each_item (%m, %n) in %items : !agent.items<index, index> {
          scf.for %k = %c0 to %K step %c64 {
            agent.produce %ab : !agent.pipe<smem, tensor<128x64xbf16>, tensor<256x64xbf16>> {
              %x = tile.load %a[%m, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
              %y = tile.load %b[%n, %k] : !tile.view<?x?xbf16> -> tensor<256x64xbf16>
              agent.yield %x, %y : tensor<128x64xbf16>, tensor<256x64xbf16>
            }
          }
        }
      }
      agent.role @mma warps(1) {
        agent.for_each_item (%m, %n) in %items : !agent.items<index, index> {
          agent.produce %acc : !agent.pipe<tmem, tensor<128x256xf32>> {
            %sum = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero) -> tensor<128x256xf32> {
              %t = agent.consume %ab as (%x, %y) : !agent.pipe<smem, tensor<128x64xbf16>, tensor<256x64xbf16>> -> tensor<128x256xf32> {
                %u = tile.mma %x, %y, %s : tensor<128x64xbf16>, tensor<256x64xbf16> -> tensor<128x256xf32>
                agent.yield %u : tensor<128x256xf32>
              }
              scf.yield %t : tensor<128x256xf32>
            }
            agent.yield %sum : tensor<128x256xf32>
          }
        }
      }
      agent.role @epilogue warps(4) {
        agent.for_each_item (%m, %n) in %items : !agent.items<index, index> {
          agent.consume %acc as (%r) : !agent.pipe<tmem, tensor<128x256xf32>> {
            tile.store %r, %d[%m, %n] : tensor<128x256xf32>, !tile.view<?x?xf32>
          }
        }
      }
    }
    ```

    The [rationale](AgentRationale.md) says why the dialect is cut this way.
  }];
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
  let hasOperationAttrVerify = 1;
  let extraClassDeclaration = [{
    void registerAttributes();
  }];
}

#endif // DRAWLOOM_DIALECT_AGENT_IR_AGENTDIALECT_TD

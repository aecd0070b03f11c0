// Names with words and characters that Mermaid would take for its own are drawn
// unchanged: identifiers avoid keywords, and text has entity codes.
// RUN: drawloom explain %s --format mermaid | FileCheck %s --check-prefix=GRAPH
// RUN: drawloom explain %s --format mermaid --diagram sequence | FileCheck %s --check-prefix=SEQUENCE

// GRAPH:      graph TD
// GRAPH-NEXT: end_["@end<br/>warp 0, {{[0-9]+}} registers<br/>load #60;a#59;b#62; by TMA"]
// GRAPH-NEXT: class_["@class<br/>
// GRAPH-NEXT: end_ -->|"1#58; #34;x#34; #35;y #37;#37; z: #60;a#59;b#62;<br/>2 × 32 KiB smem"| class_
// GRAPH:      class end_ load
// GRAPH:      class class_ compute

// SEQUENCE:      sequenceDiagram
// SEQUENCE-NEXT: participant end_ as @end
// SEQUENCE-NEXT: participant _1___x___y____z0_empty as 1#58; #34;x#34; #35;y #37;#37; z[0] empty
// SEQUENCE:      participant class_ as @class
// SEQUENCE:      Note over end_,class_: 2 work tiles. Loops of unknown length run 3 times, others at most 2 times. Every slot starts empty
// SEQUENCE:      end_->>_1___x___y____z0_full: TMA load #60;a#59;b#62; [0], 32768 bytes
!tiles = !agent.pipe<smem, tensor<128x64xf32>>

tile.kernel @odd(%a: !tile.view<?x?xf32> {tile.name = "<a;b>"}, %d: !tile.view<?x?xf32>)
    attributes {tile.target = "sm_90a"} {
  %p = agent.pipe "1: \"x\" #y %% z" slots(2) smem : (tensor<128x64xf32>)
  agent.switch {
    agent.role @end warps(1) {
      agent.produce %p : !tiles {
        %x = tile.load %a[0, 0] : !tile.view<?x?xf32> -> tensor<128x64xf32>
        agent.yield %x : tensor<128x64xf32>
      }
    }
    agent.role @class warps(4) {
      agent.consume %p as (%x) : !tiles {
        %y = math.exp %x : tensor<128x64xf32>
        tile.store %y, %d[0, 0] : tensor<128x64xf32>, !tile.view<?x?xf32>
      }
    }
  }
}

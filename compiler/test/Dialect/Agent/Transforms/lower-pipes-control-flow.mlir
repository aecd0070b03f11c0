// RUN: drawloom-opt %s --assign-slot-phase --lower-pipes --verify-diagnostics

tile.kernel @elsewhere(%n: index) attributes {tile.target = "sm_100a"} {
  %p = agent.pipe "p" slots(1) message : () {place = #agent.place<start = 0, stride = 0, full = 0, empty = 8>}
  agent.switch attributes {warps = 4 : i64, verdict = #agent.verdict<proved>} {
    agent.role @a warps(1) at(0) {
      scf.index_switch %n
      case 0 {
        // expected-error@+1 {{is inside 'scf.index_switch', which has no code around slots}}
        agent.produce %p : !agent.pipe<message> {
        }
        scf.yield
      }
      default {
      }
    }
    agent.role @b warps(1) at(1) {
      agent.consume %p : !agent.pipe<message> {
      }
    }
  }
}

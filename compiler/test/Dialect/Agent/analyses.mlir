// What upstream passes may do across roles, slots and items, by the interfaces.
// RUN: drawloom-opt %s -allow-unregistered-dialect -loop-invariant-code-motion | FileCheck %s --check-prefix=LICM
// RUN: drawloom-opt %s -allow-unregistered-dialect -sccp | FileCheck %s --check-prefix=SCCP
// RUN: drawloom-opt %s -allow-unregistered-dialect -cse | FileCheck %s --check-prefix=CSE
// RUN: drawloom-opt %s -allow-unregistered-dialect -remove-dead-values | FileCheck %s --check-prefix=DEAD

// What does not depend on the item moves to the front of the role's loop, but
// not out of the role; slots stay where they are.
// LICM-LABEL: func @invariant
func.func @invariant(%n: index) {
  %items = agent.items static %i of %n -> (index) {
    agent.yield %i : index
  }
  %go = agent.pipe "go" slots(1) message : (index)
  agent.switch {
    // LICM: agent.role @a
    // LICM-NEXT: arith.muli
    // LICM-NEXT: agent.for_each_item
    // LICM-NEXT: agent.produce
    agent.role @a warps(1) {
      agent.for_each_item (%i) in %items : !agent.items<index> {
        %square = arith.muli %n, %n : index
        agent.produce %go : !agent.pipe<message, index> {
          agent.yield %square : index
        }
      }
    }
    // LICM: agent.role @b
    // LICM-NEXT: agent.for_each_item
    // LICM-NEXT: agent.consume
    agent.role @b warps(1) {
      agent.for_each_item (%i) in %items : !agent.items<index> {
        agent.consume %go as (%s) : !agent.pipe<message, index> {
        }
      }
    }
  }
  return
}

// A constant that a consume yields is known behind it. What comes out of a slot
// is not, whatever went in, nor is an item.
// SCCP-LABEL: func @constants
// SCCP: %[[C5:.+]] = arith.constant 5 : index
func.func @constants(%n: index) {
  %items = agent.items static %i of %n -> (index) {
    %zero = arith.constant 0 : index
    agent.yield %zero : index
  }
  %go = agent.pipe "go" slots(1) message : (index)
  agent.switch {
    agent.role @a warps(1) {
      agent.for_each_item (%i) in %items : !agent.items<index> {
        agent.produce %go : !agent.pipe<message, index> {
          %seven = arith.constant 7 : index
          agent.yield %seven : index
        }
      }
    }
    agent.role @b warps(1) {
      // SCCP: agent.for_each_item (%[[I:.+]]) in
      agent.for_each_item (%i) in %items : !agent.items<index> {
        // SCCP: %[[R:.+]]:2 = agent.consume
        %r:2 = agent.consume %go as (%s) : !agent.pipe<message, index> -> (index, index) {
          %five = arith.constant 5 : index
          agent.yield %five, %s : index, index
        }
        // SCCP: "t.use"(%[[C5]], %[[R]]#1, %[[I]])
        "t.use"(%r#0, %r#1, %i) : (index, index, index) -> ()
      }
    }
  }
  return
}

// A value from outside the switch is the same in every role. Two consumes of
// one pipe are two slots.
// CSE-LABEL: func @common
func.func @common(%n: index) {
  %go = agent.pipe "go" slots(2) message : (index)
  // CSE: %[[SQUARE:.+]] = arith.muli
  %square = arith.muli %n, %n : index
  agent.switch {
    agent.role @a warps(1) {
      // CSE: agent.produce
      // CSE-NEXT: agent.yield %[[SQUARE]]
      agent.produce %go : !agent.pipe<message, index> {
        %again = arith.muli %n, %n : index
        agent.yield %again : index
      }
      agent.produce %go : !agent.pipe<message, index> {
        agent.yield %square : index
      }
    }
    agent.role @b warps(1) {
      // CSE: %[[X:.+]] = agent.consume
      %x = agent.consume %go as (%s) : !agent.pipe<message, index> -> index {
        agent.yield %s : index
      }
      // CSE: %[[Y:.+]] = agent.consume
      %y = agent.consume %go as (%s) : !agent.pipe<message, index> -> index {
        agent.yield %s : index
      }
      // CSE: "t.use"(%[[X]], %[[Y]])
      "t.use"(%x, %y) : (index, index) -> ()
    }
  }
  return
}

// What a produce puts into its slot is alive, used by the consumer or not.
// DEAD-LABEL: func @dead
func.func @dead(%n: index) {
  %go = agent.pipe "go" slots(2) message : (index)
  agent.switch {
    agent.role @a warps(1) {
      // DEAD: %[[SQUARE:.+]] = arith.muli
      %square = arith.muli %n, %n : index
      // DEAD-NEXT: agent.produce
      // DEAD-NEXT: agent.yield %[[SQUARE]]
      agent.produce %go : !agent.pipe<message, index> {
        agent.yield %square : index
      }
    }
    agent.role @b warps(1) {
      // DEAD: agent.consume %go as (%{{.+}}) : !agent.pipe<message, index>
      %x = agent.consume %go as (%s) : !agent.pipe<message, index> -> index {
        agent.yield %s : index
      }
    }
  }
  return
}

//! A state kept beside its records is the one they lead to, whoever reads them and in any order.

use std::sync::Arc;

use superstep_core::{
    Value,
    channel::{ChannelKind, ChannelSpec},
    channel_state::Recording,
    checkpoint::{Chain, Loaded, NextRecord, Rebuilt},
    command::START,
    graph_state::{Applying, GraphState},
    id::CheckpointId,
    message::{Unknown, id},
    plan::{Blueprint, Edge, NodeDef, Plan},
    policy::Durability,
    record::{Change, Pending, Record, Source, Write},
    reducer::Reducer,
    table::{ChannelIx, Key},
};

#[test]
fn an_older_checkpoint_is_not_shown_what_came_later() {
    let plan = plan();
    let chain = chain(&plan, 8);
    for len in [8, 3, 5, 5, 8, 1, 8] {
        let restored = restore(&plan, &chain.up_to(len));
        assert_eq!(ids(&restored), (0..len).collect::<Vec<_>>(), "{len}");
    }
}

#[test]
fn a_record_that_was_added_is_read_with_those_before_it() {
    let plan = plan();
    let mut chain = chain(&plan, 2);
    restore(&plan, &chain);
    let reader = chain.clone();
    chain.push(record(&plan, 2));
    assert_eq!(ids(&restore(&plan, &chain)), [0, 1, 2]);
    assert_eq!(ids(&restore(&plan, &reader)), [0, 1]);
}

#[test]
fn another_branch_is_rebuilt_by_itself() {
    let plan = plan();
    let mut one = chain(&plan, 3);
    let mut other = one.up_to(2);
    restore(&plan, &one);
    one.push(record(&plan, 3));
    other.push(record(&plan, 7));
    assert_eq!(ids(&restore(&plan, &other)), [0, 1, 7]);
    assert_eq!(ids(&restore(&plan, &one)), [0, 1, 2, 3]);
}

#[test]
fn another_graph_does_not_take_the_state_of_this_one() {
    let (plan, other) = (plan(), plan());
    let chain = chain(&plan, 3);
    let (one, two) = (restore(&plan, &chain), restore(&other, &chain));
    assert!(!Arc::ptr_eq(&one.channels, &two.channels));
    assert_eq!(ids(&one), ids(&two));
}

#[test]
fn what_a_run_writes_stays_out_of_the_kept_state() {
    let plan = plan();
    let mut chain = chain(&plan, 3);
    let mut run = restore(&plan, &chain);
    write(&plan, &mut run, 9);
    assert_eq!(ids(&run), [0, 1, 2, 9]);
    assert_eq!(ids(&restore(&plan, &chain)), [0, 1, 2]);
    // Nor does it know the ids that only the run has.
    chain.push(record(&plan, 3));
    let mut next = restore(&plan, &chain);
    write(&plan, &mut next, 9);
    assert_eq!(ids(&next), [0, 1, 2, 3, 9]);
}

#[test]
fn a_message_of_a_known_id_replaces_it_after_every_way_to_get_there() {
    let plan = plan();
    let mut chain = chain(&plan, 3);
    write(&plan, &mut restore(&plan, &chain), 9);
    chain.push(record(&plan, 3));
    for n in 0..4 {
        let mut run = restore(&plan, &chain);
        write(&plan, &mut run, n);
        assert_eq!(ids(&run), [0, 1, 2, 3]);
    }
}

fn plan() -> Plan {
    let messages = ChannelSpec {
        name: "messages".into(),
        kind: ChannelKind::Reduce {
            reducer: Reducer::Messages(Unknown::Refuse),
            init: Some(Value::list([])),
            delta: None,
        },
        private: false,
    };
    let node = NodeDef {
        name: "node".into(),
        ..NodeDef::default()
    };
    let blueprint = Blueprint {
        channels: vec![messages],
        edges: vec![Edge::Plain(START.into(), "node".into())],
        nodes: vec![node],
        ..Blueprint::default()
    };
    blueprint.compile().unwrap()
}

fn message(n: usize) -> Value {
    let id = n.to_string();
    Value::map([
        ("type", "ai".into()),
        ("content", "".into()),
        ("id", id.into()),
    ])
}

fn record(plan: &Plan, n: usize) -> Arc<Record> {
    let added = Change::Extend(Value::list([message(n)]));
    Arc::new(Record {
        id: CheckpointId(n as u128 + 1),
        parent: None,
        step: 0,
        source: Source::Loop,
        durability: Durability::Sync,
        layout: plan.layout.clone(),
        changes: vec![(ChannelIx::at(0), added)],
        full: false,
        pending: Pending::default(),
        touched: None,
        last_ran: Vec::new(),
        last_seen: 0,
        clock: 1,
        paused_at: 0,
        parents: Arc::default(),
        tasks: Vec::new(),
    })
}

fn chain(plan: &Plan, len: usize) -> Chain {
    let records: Chain = (0..len).map(|n| record(plan, n)).collect();
    records.keeping(Rebuilt::default())
}

fn restore(plan: &Plan, chain: &Chain) -> GraphState {
    let loaded = Loaded {
        chain: chain.clone(),
        notes: Vec::new(),
        superseded: false,
        next: NextRecord::Changes,
    };
    GraphState::restore(plan, &loaded, None).unwrap().state
}

fn write(plan: &Plan, state: &mut GraphState, n: usize) {
    let writes = [Write::State(ChannelIx::at(0), Value::list([message(n)]))];
    let mut input = [Applying::input(&writes)];
    state.apply(plan, &mut input, Recording::On).unwrap();
}

fn ids(state: &GraphState) -> Vec<usize> {
    let messages = state.channels.get(ChannelIx::at(0)).unwrap();
    let each = messages.as_list().unwrap().iter();
    each.map(|message| id(message).unwrap().parse().unwrap())
        .collect()
}

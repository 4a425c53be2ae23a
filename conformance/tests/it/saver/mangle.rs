//! Faults in what is stored: a record or note on its way in loses or changes something.

use std::sync::Arc;
use std::time::Duration;

use superstep_core::{
    command::Send,
    record::{Change, Effect, Pending, PlainAnswer, Record, StartValue, TaskKey, TaskNote, Write},
    value::Value,
};

use super::fault::Fault;

pub(crate) fn record(fault: Fault, record: &mut Record) {
    let value = |value: &mut Value| *value = mangled(fault, value, 0);
    for (_, change) in &mut record.changes {
        match change {
            Change::Set(set) => value(set),
            Change::Extend(more) if fault == Fault::ExtendIsSet => {
                *change = Change::Set(more.clone());
            }
            Change::Extend(more) => value(more),
            Change::Clear => {}
        }
    }
    pending(fault, &mut record.pending);
    match fault {
        Fault::NothingTouchedIsUnknown => {
            record.touched = record.touched.take().filter(|touched| !touched.is_empty());
        }
        Fault::ForgetsGraphsAbove => record.parents = Arc::default(),
        Fault::LosesTasks => record.tasks.clear(),
        _ => {}
    }
    for task in &mut record.tasks {
        note(fault, task);
    }
}

fn pending(fault: Fault, pending: &mut Pending) {
    match (fault, &mut pending.start) {
        (Fault::ForgetsInput, start) => *start = None,
        (Fault::CommandsAreInputs, Some(start @ StartValue::Command(_))) => {
            *start = StartValue::Input(Value::Null);
        }
        (_, Some(StartValue::Input(input))) => *input = mangled(fault, input, 0),
        _ => {}
    }
    if fault == Fault::ForgetsTriggers {
        pending.fired.clear();
        pending.held.waiting.clear();
        pending.held.joins.clear();
    }
    for sent in Arc::make_mut(&mut pending.sends) {
        send(fault, sent);
    }
}

fn send(fault: Fault, send: &mut Send) {
    send.arg = mangled(fault, &send.arg, 0);
    if fault == Fault::LimitsInSeconds {
        send.timeout = send
            .timeout
            .map(|limit| Duration::from_secs(limit.as_secs()));
    }
}

pub(crate) fn note(fault: Fault, note: &mut TaskNote) {
    for write in note.output.iter_mut().flatten() {
        match write {
            Write::State(_, value) | Write::Return(value) => *value = mangled(fault, value, 0),
            Write::Send(sent) => send(fault, sent),
            Write::Fire(_) | Write::Join(..) => {}
        }
    }
    let extras = &mut *note.extras;
    for ask in &mut extras.asks {
        ask.value = mangled(fault, &ask.value, 0);
        if fault == Fault::DropsSchemas {
            ask.schema = None;
        }
    }
    let plain = match &mut extras.resume {
        Some(PlainAnswer::Given(answer)) => Some(answer),
        _ => None,
    };
    for answer in extras.answers.iter_mut().chain(plain) {
        *answer = mangled(fault, answer, 0);
    }
    for effect in extras.effects.values_mut() {
        if let Effect::Done(value) = effect {
            *value = mangled(fault, value, 0);
        }
    }
    match (fault, &mut note.key) {
        (Fault::HandlersAreTheirTasks, TaskKey::Handler(of)) => note.key = TaskKey::clone(of),
        (Fault::NoWritesIsNoOutput, _) => {
            note.output = note.output.take().filter(|writes| !writes.is_empty());
        }
        (Fault::DropsAsks, _) => extras.asks.clear(),
        (Fault::DropsEffects, _) => extras.effects.clear(),
        (Fault::DropsLimitsOfErrors, _) => {
            let error = extras.error.iter_mut();
            error.for_each(|error| error.limit = None);
        }
        _ => {}
    }
}

fn mangled(fault: Fault, value: &Value, depth: usize) -> Value {
    match (fault, value) {
        (Fault::NullsVanish, Value::Null) => Value::from(""),
        (Fault::FloatsIntegers, Value::Int(n)) => Value::Float(*n as f64),
        (Fault::StripsNul, Value::Str(text)) => Value::from(text.replace('\0', "")),
        (Fault::CutsDeepValues, _) if depth > 64 => Value::Null,
        (Fault::EmptyIsNull, Value::List(items)) if items.is_empty() => Value::Null,
        (Fault::EmptyIsNull, Value::Map(map)) if map.is_empty() => Value::Null,
        (Fault::LosesTypedCells, Value::Typed(_)) => Value::Null,
        (_, Value::List(items)) => {
            Value::list(items.iter().map(|item| mangled(fault, item, depth + 1)))
        }
        (_, Value::Map(map)) => {
            let pairs = map.iter();
            Value::map(pairs.map(|(key, item)| (key.clone(), mangled(fault, item, depth + 1))))
        }
        (_, other) => other.clone(),
    }
}

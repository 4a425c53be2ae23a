//! Methods of sets.

use std::{cell::RefCell, rc::Rc};

use crate::python::{
    fault::Res,
    value::{Args, Function, Set, Value},
    vm::Vm,
};

pub(super) fn method(name: &str) -> Option<Function> {
    Some(match name {
        "add" => |vm, args| {
            let set = own(vm, &args)?;
            let key = vm.key(&args.get(1))?;
            set.borrow_mut().entry(key).or_insert(args.get(1));
            Ok(Value::None)
        },
        "discard" => |vm, args| {
            let set = own(vm, &args)?;
            let key = vm.key(&args.get(1))?;
            set.borrow_mut().shift_remove(&key);
            Ok(Value::None)
        },
        "remove" => |vm, args| {
            let set = own(vm, &args)?;
            let key = vm.key(&args.get(1))?;
            let gone = set.borrow_mut().shift_remove(&key);
            match gone {
                Some(_) => Ok(Value::None),
                None => Err(vm.throw("KeyError", vec![args.get(1)])),
            }
        },
        "pop" => |vm, args| {
            let set = own(vm, &args)?;
            let gone = set.borrow_mut().shift_remove_index(0);
            match gone {
                Some((_, value)) => Ok(value),
                None => Err(vm.error("KeyError", "pop from an empty set")),
            }
        },
        "clear" => |vm, args| {
            own(vm, &args)?.borrow_mut().clear();
            Ok(Value::None)
        },
        "update" => |vm, args| {
            let set = own(vm, &args)?;
            for other in args.plain.iter().skip(1) {
                for item in vm.collect_items(other)? {
                    let key = vm.key(&item)?;
                    set.borrow_mut().entry(key).or_insert(item);
                }
            }
            Ok(Value::None)
        },
        "copy" => |vm, args| {
            let entries = entries(vm, &args.get(0))?;
            Ok(like(&args.get(0), entries))
        },
        "union" => |vm, args| {
            let mut all = entries(vm, &args.get(0))?;
            for other in args.plain.iter().skip(1) {
                for (key, value) in entries(vm, other)? {
                    all.entry(key).or_insert(value);
                }
            }
            Ok(like(&args.get(0), all))
        },
        "intersection" => |vm, args| {
            let mut all = entries(vm, &args.get(0))?;
            for other in args.plain.iter().skip(1) {
                let other = entries(vm, other)?;
                all.retain(|key, _| other.contains_key(key));
            }
            Ok(like(&args.get(0), all))
        },
        "difference" => |vm, args| {
            let mut all = entries(vm, &args.get(0))?;
            for other in args.plain.iter().skip(1) {
                let other = entries(vm, other)?;
                all.retain(|key, _| !other.contains_key(key));
            }
            Ok(like(&args.get(0), all))
        },
        "symmetric_difference" => |vm, args| {
            let one = entries(vm, &args.get(0))?;
            let mut other = entries(vm, &args.get(1))?;
            let mut all: Set = one
                .iter()
                .filter(|(key, _)| !other.contains_key(*key))
                .map(|(key, value)| (key.clone(), value.clone()))
                .collect();
            other.retain(|key, _| !one.contains_key(key));
            all.extend(other);
            Ok(like(&args.get(0), all))
        },
        "issubset" => |vm, args| {
            let (one, other) = (entries(vm, &args.get(0))?, entries(vm, &args.get(1))?);
            Ok(Value::Bool(one.keys().all(|key| other.contains_key(key))))
        },
        "issuperset" => |vm, args| {
            let (one, other) = (entries(vm, &args.get(0))?, entries(vm, &args.get(1))?);
            Ok(Value::Bool(other.keys().all(|key| one.contains_key(key))))
        },
        "isdisjoint" => |vm, args| {
            let (one, other) = (entries(vm, &args.get(0))?, entries(vm, &args.get(1))?);
            Ok(Value::Bool(!one.keys().any(|key| other.contains_key(key))))
        },
        "intersection_update" => |vm, args| updated(vm, &args, "intersection"),
        "difference_update" => |vm, args| updated(vm, &args, "difference"),
        "symmetric_difference_update" => |vm, args| updated(vm, &args, "symmetric_difference"),
        _ => return None,
    })
}

fn own(vm: &mut Vm, args: &Args) -> Res<Rc<RefCell<Set>>> {
    match args.get(0).plain() {
        Value::Set(set) => Ok(set),
        other => {
            let message = format!("'{}' object cannot be changed", vm.type_name(&other));
            Err(vm.error("AttributeError", message))
        }
    }
}

/// Gives a set what another method makes of it.
fn updated(vm: &mut Vm, args: &Args, name: &str) -> Res<Value> {
    let set = own(vm, args)?;
    let Some(make) = method(name) else {
        return Ok(Value::None);
    };
    let made = make(vm, Args::plain(args.plain.clone()))?;
    *set.borrow_mut() = entries(vm, &made)?;
    Ok(Value::None)
}

fn entries(vm: &mut Vm, value: &Value) -> Res<Set> {
    if let Some(set) = vm.as_set(&value.plain())? {
        return Ok(set);
    }
    let mut set = Set::new();
    for item in vm.collect_items(value)? {
        set.entry(vm.key(&item)?).or_insert(item);
    }
    Ok(set)
}

fn like(model: &Value, entries: Set) -> Value {
    match model.plain() {
        Value::FrozenSet(_) => Value::FrozenSet(Rc::new(entries)),
        _ => Value::set(entries),
    }
}

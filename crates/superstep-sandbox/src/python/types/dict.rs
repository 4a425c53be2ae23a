//! Methods of dicts and of their views.

use std::{cell::RefCell, rc::Rc};

use crate::python::{
    fault::Res,
    value::{Args, Dict, Function, Value, View, ViewKind},
    vm::Vm,
};

pub(super) fn method(name: &str) -> Option<Function> {
    Some(match name {
        "get" => |vm, mut args| {
            let dict = own(vm, &args)?;
            let key = vm.key(&args.get(1))?;
            let found = dict.borrow().get(&key).map(|(_, value)| value.clone());
            Ok(found
                .or_else(|| args.take(2, "default"))
                .unwrap_or(Value::None))
        },
        "keys" => |vm, args| view(vm, &args, ViewKind::Keys),
        "values" => |vm, args| view(vm, &args, ViewKind::Values),
        "items" => |vm, args| view(vm, &args, ViewKind::Items),
        "pop" => |vm, args| {
            let dict = own(vm, &args)?;
            let key = vm.key(&args.get(1))?;
            let gone = dict.borrow_mut().shift_remove(&key);
            match gone {
                Some((_, value)) => Ok(value),
                None if args.plain.len() > 2 => Ok(args.get(2)),
                None => Err(vm.throw("KeyError", vec![args.get(1)])),
            }
        },
        "popitem" => |vm, args| {
            let dict = own(vm, &args)?;
            let gone = dict.borrow_mut().pop();
            match gone {
                Some((_, (key, value))) => Ok(Value::tuple(vec![key, value])),
                None => Err(vm.error("KeyError", "popitem(): dictionary is empty")),
            }
        },
        "setdefault" => |vm, args| {
            let dict = own(vm, &args)?;
            let key = vm.key(&args.get(1))?;
            let found = dict.borrow().get(&key).map(|(_, value)| value.clone());
            if let Some(value) = found {
                return Ok(value);
            }
            let entry = (args.get(1), args.get(2));
            dict.borrow_mut().insert(key, entry);
            Ok(args.get(2))
        },
        "update" => update,
        "clear" => |vm, args| {
            own(vm, &args)?.borrow_mut().clear();
            Ok(Value::None)
        },
        "copy" => |vm, args| {
            let dict = own(vm, &args)?;
            let entries = dict.borrow().clone();
            Ok(Value::dict(entries))
        },
        "__len__" => |vm, args| vm.length(&args.get(0).plain()).map(Value::int),
        "__reversed__" => |vm, args| {
            let mut keys = vm.collect_items(&args.get(0).plain())?;
            keys.reverse();
            vm.iterator(&Value::list(keys))
        },
        "__iter__" => |vm, args| vm.iterator(&args.get(0).plain()),
        "__getitem__" => |vm, args| vm.get_item(&args.get(0).plain(), &args.get(1)),
        "__setitem__" => |vm, args| {
            vm.set_item(&args.get(0).plain(), &args.get(1), args.get(2))?;
            Ok(Value::None)
        },
        "__delitem__" => |vm, args| {
            vm.delete_item(&args.get(0).plain(), &args.get(1))?;
            Ok(Value::None)
        },
        "__contains__" => |vm, args| {
            Ok(Value::Bool(
                vm.contains(&args.get(0).plain(), &args.get(1))?,
            ))
        },
        "__init__" => update,
        _ => return None,
    })
}

pub(super) fn view_method(name: &str) -> Option<Function> {
    match name {
        "isdisjoint" => super::set::method(name),
        _ => None,
    }
}

fn own(vm: &mut Vm, args: &Args) -> Res<Rc<RefCell<Dict>>> {
    match args.get(0).plain() {
        Value::Dict(dict) => Ok(dict),
        _ => Err(vm.error("TypeError", "descriptor requires a 'dict' object")),
    }
}

fn view(vm: &mut Vm, args: &Args, kind: ViewKind) -> Res<Value> {
    let dict = own(vm, args)?;
    Ok(Value::View(Rc::new(View { dict, kind })))
}

fn update(vm: &mut Vm, args: Args) -> Res<Value> {
    let dict = own(vm, &args)?;
    let mut pairs = match args.plain.get(1) {
        Some(value) => vm.pairs(value)?,
        None => Vec::new(),
    };
    pairs.extend(
        args.named
            .into_iter()
            .map(|(name, value)| (Value::Str(name), value)),
    );
    let own = Value::Dict(dict);
    for (key, value) in pairs {
        vm.set_item(&own, &key, value)?;
    }
    Ok(Value::None)
}

pub(super) fn from_keys(vm: &mut Vm, args: Args) -> Res<Value> {
    let mut dict = Dict::new();
    for key in vm.collect_items(&args.get(1))? {
        let found = vm.key(&key)?;
        crate::python::vm::put(&mut dict, found, key, args.get(2));
    }
    Ok(Value::dict(dict))
}

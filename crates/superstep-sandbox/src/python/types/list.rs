//! Methods of lists, tuples and ranges.

use std::{cell::RefCell, rc::Rc};

use crate::python::{
    fault::Res,
    value::{Args, Function, Value},
    vm::Vm,
};

pub(super) fn method(name: &str) -> Option<Function> {
    Some(match name {
        "append" => |vm, args| {
            let list = own(vm, &args)?;
            list.borrow_mut().push(args.get(1));
            Ok(Value::None)
        },
        "extend" => |vm, args| {
            let list = own(vm, &args)?;
            let items = vm.collect_items(&args.get(1))?;
            vm.room((list.borrow().len() + items.len()) * size_of::<Value>())?;
            list.borrow_mut().extend(items);
            Ok(Value::None)
        },
        "insert" => |vm, args| {
            let list = own(vm, &args)?;
            let at = vm.int_argument(&args.get(1))?;
            let length = list.borrow().len();
            let at = match usize::try_from(at) {
                Ok(at) => at.min(length),
                Err(_) => {
                    length.saturating_sub(usize::try_from(at.unsigned_abs()).unwrap_or(length))
                }
            };
            list.borrow_mut().insert(at, args.get(2));
            Ok(Value::None)
        },
        "pop" => |vm, args| {
            let list = own(vm, &args)?;
            let length = list.borrow().len();
            if length == 0 {
                return Err(vm.error("IndexError", "pop from empty list"));
            }
            let at = match args.plain.get(1) {
                Some(at) => vm.int_argument(at)?,
                None => -1,
            };
            let length = i64::try_from(length).unwrap_or(i64::MAX);
            let place = if at < 0 { at + length } else { at };
            match usize::try_from(place) {
                Ok(place) if place < list.borrow().len() => Ok(list.borrow_mut().remove(place)),
                _ => Err(vm.error("IndexError", "pop index out of range")),
            }
        },
        "remove" => |vm, args| {
            let list = own(vm, &args)?;
            match find(vm, &args)? {
                Some(at) => {
                    list.borrow_mut().remove(at);
                    Ok(Value::None)
                }
                None => Err(vm.error("ValueError", "list.remove(x): x not in list")),
            }
        },
        "clear" => |vm, args| {
            own(vm, &args)?.borrow_mut().clear();
            Ok(Value::None)
        },
        "reverse" => |vm, args| {
            own(vm, &args)?.borrow_mut().reverse();
            Ok(Value::None)
        },
        "copy" => |vm, args| {
            let list = own(vm, &args)?;
            let items = list.borrow().clone();
            Ok(Value::list(items))
        },
        "sort" => sort,
        "index" => index,
        "count" => count,
        "__len__" => |vm, args| vm.length(&args.get(0).plain()).map(Value::int),
        "__iter__" => |vm, args| vm.iterator(&args.get(0).plain()),
        "__getitem__" => |vm, args| vm.get_item(&args.get(0).plain(), &args.get(1)),
        "__setitem__" => |vm, args| {
            vm.set_item(&args.get(0).plain(), &args.get(1), args.get(2))?;
            Ok(Value::None)
        },
        "__contains__" => |vm, args| {
            Ok(Value::Bool(
                vm.contains(&args.get(0).plain(), &args.get(1))?,
            ))
        },
        "__init__" => |vm, args| {
            let list = own(vm, &args)?;
            let items = match args.plain.get(1) {
                Some(value) => vm.collect_items(value)?,
                None => Vec::new(),
            };
            *list.borrow_mut() = items;
            Ok(Value::None)
        },
        _ => return None,
    })
}

pub(super) fn tuple_method(name: &str) -> Option<Function> {
    Some(match name {
        "index" => index,
        "count" => count,
        "__new__" => |vm, args| match args.get(0) {
            Value::Class(class) => {
                let rest = args.plain.into_iter().skip(1).collect();
                vm.new_object(&class, &Args::plain(rest))
            }
            _ => Err(vm.error("TypeError", "tuple.__new__(X): X is not a type object")),
        },
        "__getitem__" => |vm, args| vm.get_item(&args.get(0).plain(), &args.get(1)),
        "__len__" => |vm, args| vm.length(&args.get(0).plain()).map(Value::int),
        "__iter__" => |vm, args| vm.iterator(&args.get(0).plain()),
        _ => return None,
    })
}

pub(super) fn range_method(name: &str) -> Option<Function> {
    Some(match name {
        "index" => index,
        "count" => count,
        _ => return None,
    })
}

pub(super) fn slice_method(name: &str) -> Option<Function> {
    Some(match name {
        "indices" => |vm, args| {
            let Value::Slice(slice) = args.get(0) else {
                return Err(vm.error("TypeError", "descriptor requires a 'slice' object"));
            };
            let length = usize::try_from(vm.int_argument(&args.get(1))?).unwrap_or(0);
            let (start, stop, step) = vm.bounds(&slice, length)?;
            Ok(Value::tuple(vec![
                Value::Int(start),
                Value::Int(stop),
                Value::Int(step),
            ]))
        },
        _ => return None,
    })
}

fn own(vm: &mut Vm, args: &Args) -> Res<Rc<RefCell<Vec<Value>>>> {
    match args.get(0).plain() {
        Value::List(list) => Ok(list),
        _ => Err(vm.error("TypeError", "descriptor requires a 'list' object")),
    }
}

fn find(vm: &mut Vm, args: &Args) -> Res<Option<usize>> {
    let items = vm.collect_items(&args.get(0).plain())?;
    let length = i64::try_from(items.len()).unwrap_or(i64::MAX);
    let mut bound = |at: usize, default: i64| -> Res<usize> {
        let value = match args.plain.get(at) {
            Some(value) => vm.int_argument(value)?,
            None => default,
        };
        let value = if value < 0 { value + length } else { value };
        Ok(usize::try_from(value).unwrap_or(0))
    };
    let (from, end) = (bound(2, 0)?, bound(3, length)?);
    for (at, item) in items.iter().enumerate().take(end).skip(from) {
        vm.tick()?;
        if vm.equal(item, &args.get(1))? {
            return Ok(Some(at));
        }
    }
    Ok(None)
}

fn index(vm: &mut Vm, args: Args) -> Res<Value> {
    match find(vm, &args)? {
        Some(at) => Ok(Value::int(at)),
        None => {
            let message = format!(
                "{} is not in {}",
                vm.repr(&args.get(1))?,
                vm.type_name(&args.get(0))
            );
            Err(vm.error("ValueError", message))
        }
    }
}

fn count(vm: &mut Vm, args: Args) -> Res<Value> {
    let mut found = 0;
    for item in vm.collect_items(&args.get(0).plain())? {
        vm.tick()?;
        found += i64::from(vm.equal(&item, &args.get(1))?);
    }
    Ok(Value::Int(found))
}

fn sort(vm: &mut Vm, mut args: Args) -> Res<Value> {
    let key = args.named("key").unwrap_or(Value::None);
    let reverse = args.named("reverse").unwrap_or(Value::Bool(false));
    let reverse = vm.truth(&reverse)?;
    let list = own(vm, &args)?;
    let items = list.borrow().clone();
    let sorted = vm.sort(items, &key, reverse)?;
    *list.borrow_mut() = sorted;
    Ok(Value::None)
}

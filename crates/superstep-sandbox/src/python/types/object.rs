//! Methods that every object has, and those of generators.

use crate::{
    python::{
        fault::{Fault, Res, Thrown},
        value::{Args, Function, Kind, Value},
        vm::{Exit, Vm},
    },
    syntax::ast::{BinaryOp, CompareOp},
};

pub(super) fn method(name: &str) -> Option<Function> {
    Some(match name {
        "__init__" | "__init_subclass__" => |_, _| Ok(Value::None),
        "__new__" => |vm, args| match args.get(0) {
            Value::Class(class) if class.kind == Kind::Object => {
                vm.new_object(&class, &Args::default())
            }
            Value::Class(class) => {
                let rest = args.plain.into_iter().skip(1).collect();
                vm.new_object(&class, &Args::plain(rest))
            }
            _ => Err(vm.error("TypeError", "object.__new__(X): X is not a type object")),
        },
        "__setattr__" => |vm, args| {
            let name = vm.text_argument(&args, 1)?;
            vm.set_plainly(&args.get(0), &name, args.get(2))?;
            Ok(Value::None)
        },
        "__getattribute__" => |vm, args| {
            let name = vm.text_argument(&args, 1)?;
            vm.get_attribute(&args.get(0), &name)
        },
        "__delattr__" => |vm, args| {
            let name = vm.text_argument(&args, 1)?;
            match args.get(0) {
                Value::Object(it) if it.attributes.borrow_mut().remove(&name) => Ok(Value::None),
                object => Err(vm.no_attribute(&object, &name)),
            }
        },
        "__repr__" => |vm, args| vm.usual_repr(&args.get(0)).map(Value::str),
        "__str__" => |vm, args| vm.usual_text(&args.get(0)).map(Value::str),
        "__format__" => |vm, args| {
            let spec = vm.text_argument(&args, 1)?;
            vm.usual_format(&args.get(0), &spec).map(Value::str)
        },
        "__eq__" | "__ne__" => |vm, args| {
            let (one, other) = (args.get(0).plain(), args.get(1).plain());
            match matches!(one, Value::Object(_)) {
                true if one.is(&other) => Ok(Value::Bool(true)),
                true => Ok(Value::NotImplemented),
                false => Ok(Value::Bool(vm.equal(&one, &other)?)),
            }
        },
        "__hash__" => |vm, args| match args.get(0).plain() {
            Value::Object(it) => {
                let address = Value::Object(it).address();
                Ok(Value::int(address.unwrap_or(0)))
            }
            plain => vm.hash(&plain).map(Value::Int),
        },
        "__lt__" => |vm, args| vm.compare_op(CompareOp::Lt, &args.get(0).plain(), &args.get(1)),
        "__le__" => |vm, args| vm.compare_op(CompareOp::Le, &args.get(0).plain(), &args.get(1)),
        "__gt__" => |vm, args| vm.compare_op(CompareOp::Gt, &args.get(0).plain(), &args.get(1)),
        "__ge__" => |vm, args| vm.compare_op(CompareOp::Ge, &args.get(0).plain(), &args.get(1)),
        "__add__" => |vm, args| vm.binary(BinaryOp::Add, &args.get(0).plain(), &args.get(1)),
        "__sub__" => |vm, args| vm.binary(BinaryOp::Sub, &args.get(0).plain(), &args.get(1)),
        "__mul__" => |vm, args| vm.binary(BinaryOp::Mul, &args.get(0).plain(), &args.get(1)),
        "__or__" => |vm, args| vm.binary(BinaryOp::Or, &args.get(0).plain(), &args.get(1)),
        "__and__" => |vm, args| vm.binary(BinaryOp::And, &args.get(0).plain(), &args.get(1)),
        "__len__" => |vm, args| vm.length(&args.get(0).plain()).map(Value::int),
        "__iter__" => |vm, args| vm.iterator(&args.get(0).plain()),
        "__next__" => |vm, args| match vm.next(&args.get(0))? {
            Some(value) => Ok(value),
            None => Err(vm.throw("StopIteration", Vec::new())),
        },
        "__bool__" => |vm, args| vm.truth(&args.get(0).plain()).map(Value::Bool),
        "__getitem__" => |vm, args| vm.get_item(&args.get(0).plain(), &args.get(1)),
        "__contains__" => |vm, args| {
            let found = vm.contains(&args.get(0).plain(), &args.get(1))?;
            Ok(Value::Bool(found))
        },
        _ => return None,
    })
}

pub(super) fn generator_method(name: &str) -> Option<Function> {
    Some(match name {
        "send" => |vm, args| resumed(vm, &args, Ok(args.get(1))),
        "__next__" => |vm, args| resumed(vm, &args, Ok(Value::None)),
        "__iter__" => |_, args| Ok(args.get(0)),
        "close" => |vm, args| {
            if let Value::Generator(generator) = args.get(0) {
                vm.close(&generator)?;
            }
            Ok(Value::None)
        },
        "throw" => |vm, args| {
            let exception = vm.raisable(&args.get(1))?;
            let fault = Fault::Thrown(Box::new(Thrown {
                exception,
                trace: Vec::new(),
            }));
            resumed(vm, &args, Err(fault))
        },
        _ => return None,
    })
}

/// The next value of a generator; at its end, `StopIteration` with what it returns.
fn resumed(vm: &mut Vm, args: &Args, sent: Res<Value>) -> Res<Value> {
    let Value::Generator(generator) = args.get(0) else {
        return Err(vm.error("TypeError", "descriptor requires a 'generator' object"));
    };
    match vm.resume(&generator, sent)? {
        Exit::Yield(value) => Ok(value),
        Exit::Return(Value::None) => Err(vm.throw("StopIteration", Vec::new())),
        Exit::Return(value) => Err(vm.throw("StopIteration", vec![value])),
    }
}

//! Methods that every object has, and those of generators.

use crate::python::{
    fault::Res,
    value::{Args, Function, Value},
    vm::Vm,
};

pub(super) fn method(name: &str) -> Option<Function> {
    Some(match name {
        "__init__" | "__init_subclass__" => |_, _| Ok(Value::None),
        "__new__" => |vm, args| match args.get(0) {
            Value::Class(class) => vm.new_object(&class, &Args::default()),
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
        "__repr__" | "__str__" => |vm, args| {
            let name = vm.type_name(&args.get(0));
            Ok(Value::str(format!("<{name} object>")))
        },
        "__eq__" => |_, args| Ok(Value::Bool(args.get(0).is(&args.get(1)))),
        "__hash__" => |_, args| Ok(Value::int(args.get(0).address().unwrap_or(0))),
        _ => return None,
    })
}

pub(super) fn generator_method(name: &str) -> Option<Function> {
    Some(match name {
        "send" => send,
        "__next__" => |vm, args| match vm.next(&args.get(0))? {
            Some(value) => Ok(value),
            None => Err(vm.throw("StopIteration", Vec::new())),
        },
        "__iter__" => |_, args| Ok(args.get(0)),
        "close" => |_, args| {
            if let Value::Generator(generator) = args.get(0) {
                generator.frame.borrow_mut().take();
            }
            Ok(Value::None)
        },
        "throw" => |vm, args| {
            let exception = vm.raisable(&args.get(1))?;
            let Value::Generator(generator) = args.get(0) else {
                return Ok(Value::None);
            };
            let fault =
                crate::python::fault::Fault::Thrown(Box::new(crate::python::fault::Thrown {
                    exception,
                    trace: Vec::new(),
                }));
            match vm.resume_with(&generator, Err(fault))? {
                Some(value) => Ok(value),
                None => Err(vm.throw("StopIteration", Vec::new())),
            }
        },
        _ => return None,
    })
}

fn send(vm: &mut Vm, args: Args) -> Res<Value> {
    let Value::Generator(generator) = args.get(0) else {
        return Ok(Value::None);
    };
    match vm.resume(&generator, args.get(1))? {
        Some(value) => Ok(value),
        None => Err(vm.throw("StopIteration", Vec::new())),
    }
}

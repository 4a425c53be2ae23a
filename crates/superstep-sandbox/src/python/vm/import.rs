//! Imports: modules of the interpreter, written in Rust or in Python.

use std::rc::Rc;

use super::{Frame, Vm};
use crate::python::{
    compile,
    fault::Res,
    modules,
    value::{Module, Name, Value},
};

impl Vm {
    /// The outermost module of a path; all on the way are loaded.
    pub(super) fn import(&mut self, path: &str) -> Res<Value> {
        let mut so_far = String::new();
        for part in path.split('.') {
            if !so_far.is_empty() {
                so_far.push('.');
            }
            so_far.push_str(part);
            self.load(&so_far)?;
        }
        let first = path.split('.').next().unwrap_or(path);
        self.load(first)
    }

    pub(crate) fn load(&mut self, name: &str) -> Res<Value> {
        if let Some(module) = self.modules.get(name) {
            return Ok(module.clone());
        }
        let Some(source) = modules::source(name) else {
            // A module inside another one may be one of its names: `openpyxl.styles`.
            if let Some((outer, inner)) = name.rsplit_once('.')
                && let Some(Value::Module(outer)) = self.modules.get(outer)
                && let Some(module @ Value::Module(_)) = outer.names.borrow().get(inner)
            {
                return Ok(module.clone());
            }
            let message = modules::absent(name);
            return Err(self.error("ModuleNotFoundError", message));
        };
        let names = Self::namespace();
        let module = Value::Module(Rc::new(Module {
            name: name.into(),
            names: Rc::clone(&names),
        }));
        names
            .borrow_mut()
            .insert("__name__".into(), Value::str(name));
        for (function, call) in modules::natives(name) {
            names
                .borrow_mut()
                .insert((*function).into(), Value::native(function, *call));
        }
        for (constant, value) in modules::constants(name) {
            names.borrow_mut().insert((*constant).into(), value);
        }
        self.modules.insert(name.into(), module.clone());
        self.run_source(source, &format!("<{name}>"), &names)?;
        // A module is an attribute of the one it is in.
        if let Some((outer, inner)) = name.rsplit_once('.')
            && let Some(Value::Module(outer)) = self.modules.get(outer)
        {
            let inner: Name = inner.into();
            outer
                .names
                .borrow_mut()
                .entry(inner)
                .or_insert_with(|| module.clone());
        }
        Ok(module)
    }

    /// Runs a text as a program over names.
    pub(crate) fn run_source(
        &mut self,
        source: &str,
        file: &str,
        names: &crate::python::value::Namespace,
    ) -> Res<()> {
        let parsed = crate::syntax::parse(source);
        let compiled = parsed.and_then(|body| compile::compile(&body, file));
        let code = match compiled {
            Ok(code) => code,
            Err(error) => {
                let message = format!("{} ({file}, line {})", error.message, error.line);
                return Err(self.error("SyntaxError", message));
            }
        };
        self.run_code(code, Rc::clone(names))
    }

    /// Runs a program that is compiled, over names.
    pub(crate) fn run_code(
        &mut self,
        code: Rc<crate::python::code::Code>,
        names: crate::python::value::Namespace,
    ) -> Res<()> {
        let mut frame = Frame::new(code, names);
        self.execute(&mut frame)?;
        Ok(())
    }

    pub(super) fn import_from(&mut self, module: &Value, name: &Name) -> Res<Value> {
        let Value::Module(it) = module else {
            return self.get_attribute(module, name);
        };
        if let Some(value) = it.names.borrow().get(name) {
            return Ok(value.clone());
        }
        let full = format!("{}.{name}", it.name);
        if modules::source(&full).is_some() {
            return self.load(&full);
        }
        let mut known: Vec<String> = it.names.borrow().keys().map(ToString::to_string).collect();
        known.retain(|name| !name.starts_with('_'));
        known.sort();
        let message = format!(
            "cannot import name '{name}' from '{}'; there are: {}",
            it.name,
            known.join(", ")
        );
        Err(self.error("ImportError", message))
    }
}

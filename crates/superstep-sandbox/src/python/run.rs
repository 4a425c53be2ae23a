//! Runs one program from its text to what it made.

use std::time::Instant;

use superstep_workbook::{Operation, Workbook};

use super::{
    compile,
    fault::{Fault, Res},
    modules::sheet::Host,
    value::Value,
    vm::Vm,
};
use crate::{
    fault::{Raised, Stop},
    limits::Limits,
    program_run::Base,
    syntax,
};

/// The name that programs have in tracebacks.
const FILE: &str = "program.py";

/// What a program that ended leaves.
pub(crate) struct Finished {
    pub(crate) result: Result<(Base, Vec<Operation>), Unfinished>,
    pub(crate) stdout: String,
    pub(crate) dropped: u64,
}

/// Why it did not reach its end.
pub(crate) enum Unfinished {
    Raised(Raised),
    Stopped(Stop),
}

/// Runs a program on a workbook.
pub(crate) fn run(
    program: &str,
    workbook: Workbook,
    file: &str,
    limits: &Limits,
    deadline: Instant,
) -> Finished {
    let host = Host::new(workbook, file, limits.operations);
    let mut vm = Vm::new(host, limits, deadline);
    let mut ended = start(&mut vm, program);
    if let Err(Fault::Thrown(thrown)) = &ended {
        let raised = vm.raised(thrown, program, FILE);
        let has_left =
            raised.class == "SystemExit" && matches!(raised.message.as_str(), "" | "0" | "None");
        if has_left {
            ended = Ok(());
        }
    }
    let result = match ended.and_then(|()| finish(&mut vm)) {
        Ok(()) => Ok(vm.host.outcome()),
        Err(Fault::Stop(stop)) => Err(Unfinished::Stopped(stop)),
        Err(Fault::Thrown(thrown)) => Err(Unfinished::Raised(vm.raised(&thrown, program, FILE))),
    };
    let output = std::mem::take(&mut vm.output);
    Finished {
        result,
        stdout: output.text,
        dropped: output.dropped,
    }
}

fn start(vm: &mut Vm, program: &str) -> Res<()> {
    let compiled = syntax::parse(program).and_then(|body| compile::compile(&body, FILE));
    let code = match compiled {
        Ok(code) => code,
        Err(error) => {
            let line = program
                .lines()
                .nth(usize::try_from(error.line).unwrap_or(1).saturating_sub(1));
            let message = format!(
                "{} ({FILE}, line {}): {}",
                error.message,
                error.line,
                line.unwrap_or_default().trim()
            );
            return Err(vm.error("SyntaxError", message));
        }
    };
    let names = Vm::namespace();
    names
        .borrow_mut()
        .insert("__name__".into(), Value::str("__main__"));
    let openpyxl = vm.load("openpyxl")?;
    let given = vm.get_attribute(&openpyxl, &"_given".into())?;
    let given = vm.call_with(&given, Vec::new())?;
    for name in ["workbook", "wb"] {
        names.borrow_mut().insert(name.into(), given.clone());
    }
    vm.run_code(code, names)
}

/// Makes what the program has added to its workbook and not saved.
fn finish(vm: &mut Vm) -> Res<()> {
    let openpyxl = vm.load("openpyxl")?;
    let finish = vm.get_attribute(&openpyxl, &"_finish".into())?;
    vm.call_with(&finish, Vec::new())?;
    Ok(())
}

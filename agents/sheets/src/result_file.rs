//! The file of a result: its name, and which names are refused.

use std::path::{Path, PathBuf};

use superstep_agent::{AgentError, UsageError};
use superstep_workbook::Overwrite;

use crate::{Problem, refuse_input};

/// The number of names that are tried for a result.
const NAMES: u32 = 1_000;

/// The file of a result: the named one, or one beside the workbook under a free name.
pub fn result_file(
    workbook: &Path,
    named: Option<&Path>,
    overwrite: Overwrite,
) -> Result<PathBuf, AgentError> {
    if let Some(output) = named {
        refuse_input(workbook, output)?;
        check_result_name(output)?;
        return match output.exists() && overwrite == Overwrite::Never {
            true => Err(UsageError::Wrong(format!(
                "`{}` exists; --force replaces it",
                output.display()
            ))
            .into()),
            false => Ok(output.to_owned()),
        };
    }
    let stem = workbook.file_stem().unwrap_or_default().to_string_lossy();
    let mut names = (1..=NAMES).map(|number| {
        let name = match number {
            1 => format!("{stem}-result.xlsx"),
            number => format!("{stem}-result-{number}.xlsx"),
        };
        workbook.with_file_name(name)
    });
    let free = names.find(|path| !path.exists());
    free.ok_or_else(|| UsageError::Wrong("name a file for the result with -o".into()).into())
}

/// The file of the result of a thread. A copy of a thread has the file of the first thread in its state; its own file is
/// beside that one.
pub fn result_file_of(problem: &Problem, thread: &str) -> Option<PathBuf> {
    let output = PathBuf::from(problem.output.as_ref()?);
    match &problem.thread {
        Some(first) if first != thread => {
            let stem = output.file_stem().unwrap_or_default().to_string_lossy();
            // The name of a thread may be that of a folder; the file stays beside the other one.
            let is_safe = |c: &char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.');
            let safe = |c: char| Some(c).filter(is_safe).unwrap_or('_');
            let name: String = thread.chars().map(safe).collect();
            Some(output.with_file_name(format!("{stem}-{name}.xlsx")))
        }
        _ => Some(output),
    }
}

/// Refuses a name that is that of another kind of file.
pub fn check_result_name(output: &Path) -> Result<(), UsageError> {
    let ending = output.extension().unwrap_or_default();
    match ending.eq_ignore_ascii_case("xlsx") {
        true => Ok(()),
        false => Err(UsageError::Wrong(format!(
            "`{}` does not end with .xlsx, and the result is such a file",
            output.display()
        ))),
    }
}

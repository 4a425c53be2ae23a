//! What is printed: progress per step, questions, and the result as a table.

use std::path::Path;

use serde_json::json;
use superstep::{
    OpenAsk,
    tools::{Approval, Verdict},
};
use superstep_sheets::{
    Progress, SheetsState, Status,
    workbook::{Area, CellRef, Changes, Workbook, column_name},
};
use unicode_width::UnicodeWidthStr;

use crate::{
    app::App,
    args::Global,
    error::Error,
    output::{Form, Output, Span, bad, count, faint, good, plain, strong},
    question_id, suggest,
};

/// How much of a table is shown.
const ROWS: u32 = 12;
const COLUMNS: u32 = 8;
const WIDEST: usize = 18;

/// How many lines of an observation are shown.
const LINES: usize = 6;

/// How many changes of cells are printed as JSON.
pub(super) const LISTED: usize = 1_000;

pub(super) fn progress(progress: &Progress, output: &Output) -> Result<(), Error> {
    if output.form == Form::Json {
        return output.json(progress);
    }
    match progress {
        Progress::Planned {
            step,
            max_steps,
            thought,
            action,
        } => {
            let number = match action.as_str() {
                superstep_sheets::FINISH => "end".to_owned(),
                _ => format!("step {step} of {max_steps}"),
            };
            output.note(&[strong(number), faint("  "), plain(action)]);
            thoughts(thought, output);
        }
        Progress::NotTaken {
            max_steps,
            thought,
            action,
        } => {
            output.note(&[
                strong("no step is left"),
                faint(format!(" of {max_steps} for ")),
                plain(action),
            ]);
            thoughts(thought, output);
        }
        Progress::FormatError { count, why } => {
            output.note(&[bad(format!("format error {count}: ")), plain(why)]);
        }
        Progress::Observed {
            is_done,
            observation,
            ..
        } => {
            let mut lines = observation.lines().filter(|it| !it.trim().is_empty());
            let mark = match is_done {
                true => good("  ok "),
                false => bad("  failed "),
            };
            output.note(&[mark, plain(lines.next().unwrap_or_default())]);
            let rest: Vec<&str> = lines.collect();
            for line in rest.iter().take(LINES) {
                output.note(&[plain("     "), plain(line)]);
            }
            if rest.len() > LINES {
                let more = count(rest.len() - LINES, "more line");
                output.note(&[faint(format!("     … {more}"))]);
            }
        }
        Progress::Informed { sql, text } => {
            output.note(&[faint("informer  "), faint(sql.as_deref().unwrap_or("pass"))]);
            for line in text.lines().take(LINES).filter(|_| sql.is_some()) {
                output.note(&[faint("  "), faint(line)]);
            }
        }
        _ => {}
    }
    Ok(())
}

fn thoughts(thought: &str, output: &Output) {
    let lines = thought.lines().filter(|it| !it.trim().is_empty());
    for line in lines.take(LINES) {
        output.note(&[faint("  "), faint(line)]);
    }
}

/// Shows what is asked.
pub(super) fn question(ask: &OpenAsk, thread: &str, app: &App<'_>) -> Result<(), Error> {
    let output = app.output;
    if output.form == Form::Json {
        let (id, question) = (ask.id, description(ask));
        return output.json(&json!({
            "event": "question", "id": id, "question": question,
            "accept": answer_command(ask, thread, "accept", app.global),
            "refuse": answer_command(ask, thread, "refuse", app.global),
        }));
    }
    for line in lines(ask) {
        output.say(&line);
    }
    Ok(())
}

/// Shows how a question that stays open is answered later.
pub(super) fn to_answer(ask: &OpenAsk, thread: &str, app: &App<'_>) {
    if app.output.form == Form::Json {
        return;
    }
    app.output.say(&[
        faint("  answer it with "),
        plain(answer_command(ask, thread, "accept", app.global)),
    ]);
    app.output.say(&[
        faint("  or with        "),
        plain(answer_command(ask, thread, "refuse", app.global)),
    ]);
}

/// The command that answers a question, and no other one that may be open by then.
fn answer_command(ask: &OpenAsk, thread: &str, verdict: &str, global: &Global) -> String {
    let id = question_id::short(ask.id);
    let words = ["sheet", "answer", thread, verdict, "--question", &id];
    suggest::command(global, &words)
}

/// Shows what may be wrong in a result.
pub(super) fn warnings(warnings: &[String], output: &Output) {
    for warning in warnings {
        output.say(&[bad("warning: "), plain(warning)]);
    }
}

/// Prints what an answer is about, before it is given.
pub(super) fn about_to(ask: &OpenAsk, verdict: &Verdict, output: &Output) -> Result<(), Error> {
    let answer = match verdict {
        Verdict::Accept => "your answer: accept, make these changes",
        _ => "your answer: refuse, do not make these changes",
    };
    if output.form == Form::Json {
        let (id, question) = (ask.id, description(ask));
        return output.announce_json(&json!({
            "event": "about_to", "id": id, "question": question, "answer": answer,
        }));
    }
    let mut lines = lines(ask);
    lines.push(vec![strong(answer)]);
    output.announce(&lines)
}

/// Prints that an answer counts.
pub(super) fn answered(verdict: &Verdict, output: &Output) {
    if output.form == Form::Text {
        output.say(&[strong(match verdict {
            Verdict::Accept => "accepted: these changes are made",
            _ => "refused: these changes are not made",
        })]);
    }
}

fn description(ask: &OpenAsk) -> String {
    match ask.question::<Approval>() {
        Ok(approval) => approval.description,
        Err(error) => error.to_string(),
    }
}

fn lines(ask: &OpenAsk) -> Vec<Vec<Span>> {
    let head = vec![
        strong("? "),
        plain("May these changes be made?"),
        faint(format!("  question {}", question_id::short(ask.id))),
    ];
    let description = description(ask);
    let lines = description.lines().filter(|it| !it.trim().is_empty());
    let lines = lines.map(|line| vec![plain("  "), plain(line)]);
    std::iter::once(head).chain(lines).collect()
}

/// What a run came to.
pub(super) struct Report<'a> {
    pub(super) thread: &'a str,
    pub(super) state: &'a SheetsState,
    pub(super) output: Option<&'a Path>,
    pub(super) changes: &'a Changes,
    pub(super) book: &'a Workbook,
}

/// Prints what a run came to. A run that did not finish is an exit code.
pub(super) fn report(report: &Report<'_>, output: &Output) -> Result<(), Error> {
    let Report { state, changes, .. } = report;
    if output.form == Form::Json {
        let mut changes = (*changes).clone();
        changes.cells.truncate(LISTED);
        changes.formats.truncate(LISTED);
        output.json(&json!({
            "event": "report",
            "thread": report.thread,
            "status": state.status,
            "answer": state.answer,
            "steps": state.step,
            "output": report.output.map(|path| path.display().to_string()),
            "version": state.version,
            "changes": changes,
            "verification": state.verification,
        }))?;
    } else {
        text(report, output)?;
    }
    match state.status {
        Status::Finished | Status::Running => Ok(()),
        Status::StepLimit => Err(Error::Reported { exit: 5 }),
        Status::FormatErrors => Err(Error::Reported { exit: 1 }),
    }
}

fn text(report: &Report<'_>, output: &Output) -> Result<(), Error> {
    let Report {
        state,
        changes,
        book,
        ..
    } = report;
    if let Some(answer) = state.answer.as_deref().filter(|it| !it.trim().is_empty()) {
        for line in answer.lines() {
            output.data(&[plain(line)])?;
        }
    }
    for line in changes.to_string().lines() {
        output.note(&[faint(line)]);
    }
    tables(book, changes, output)?;
    if let Some(verification) = &state.verification {
        for cell in &verification.new_errors {
            output.say(&[bad("error in "), plain(cell)]);
        }
        if let Some(why) = &verification.not_calculated {
            output.say(&[bad("formulas are not calculated: "), plain(why)]);
        }
        warnings(&verification.warnings, output);
    }
    match state.status {
        Status::Finished | Status::Running => {}
        Status::StepLimit => output.say(&[bad("no step was left; what was done is kept")]),
        Status::FormatErrors => {
            output.say(&[bad("the model named no action; what was done is kept")]);
        }
    }
    match report.output {
        Some(path) => output.note(&[good("written "), plain(path.display())]),
        None => output.note(&[faint("nothing was written")]),
    }
    Ok(())
}

/// Tables of what changed, as much of it as fits.
pub(super) fn tables(book: &Workbook, changes: &Changes, output: &Output) -> Result<(), Error> {
    shown_areas(book, changes)
        .into_iter()
        .try_for_each(|(sheet, area)| table(book, &sheet, area, output))
}

/// The areas that a person wants to see: sheets that were added, and where cells changed.
fn shown_areas(book: &Workbook, changes: &Changes) -> Vec<(String, Area)> {
    let mut areas: Vec<(String, Area)> = Vec::new();
    for name in &changes.sheets_added {
        let used = book.sheet(name).ok().and_then(|sheet| sheet.used());
        areas.extend(used.map(|area| (name.clone(), area)));
    }
    for (name, area) in &changes.areas {
        if !changes.sheets_added.contains(name) {
            areas.push((name.clone(), *area));
        }
    }
    areas.truncate(3);
    areas
}

/// An area of a sheet as a table, as much of it as fits.
fn table(book: &Workbook, name: &str, area: Area, output: &Output) -> Result<(), Error> {
    let Ok(sheet) = book.sheet(name) else {
        return Ok(());
    };
    // A column of results says little without those beside it.
    let first_column = match area.width() < COLUMNS {
        true => area.last.column.saturating_sub(COLUMNS - 1).max(1),
        false => area.first.column,
    };
    let first_row = match area.first.row <= ROWS / 2 {
        true => 1,
        false => area.first.row - 1,
    };
    let columns: Vec<u32> = (first_column..=area.last.column)
        .take(COLUMNS as usize)
        .collect();
    let rows: Vec<u32> = (first_row..=area.last.row).take(ROWS as usize).collect();
    let mut lines = vec![
        std::iter::once(String::new())
            .chain(columns.iter().map(|column| column_name(*column)))
            .collect::<Vec<_>>(),
    ];
    for row in &rows {
        let cells = columns.iter().map(|column| {
            let at = CellRef {
                row: *row,
                column: *column,
            };
            sheet
                .cell(at)
                .map_or(String::new(), |cell| cut(&book.shown(cell)))
        });
        lines.push(std::iter::once(row.to_string()).chain(cells).collect());
    }
    output.say(&[strong(format!("{name:?} {area}"))]);
    let widths: Vec<usize> = (0..=columns.len())
        .map(|at| {
            let cells = lines.iter().filter_map(|line| line.get(at));
            cells.map(|cell| cell.width()).max().unwrap_or(0)
        })
        .collect();
    for (number, line) in lines.iter().enumerate() {
        let cells = line.iter().zip(&widths).map(|(cell, width)| {
            let pad = " ".repeat(width.saturating_sub(cell.width()));
            // Numbers stand under each other by their last digit.
            match cell.parse::<f64>().is_ok() {
                true => format!("{pad}{cell}"),
                false => format!("{cell}{pad}"),
            }
        });
        let text = cells.collect::<Vec<_>>().join("  ");
        let text = text.trim_end();
        match number {
            0 => output.data(&[faint(text)])?,
            _ => output.data(&[plain(text)])?,
        }
    }
    let left = area
        .last
        .row
        .saturating_sub(rows.last().copied().unwrap_or(0));
    if left > 0 {
        let rows = count(left as usize, "more row");
        output.say(&[faint(format!("… {rows}"))]);
    }
    Ok(())
}

fn cut(text: &str) -> String {
    let mut shown = String::new();
    for letter in text.chars() {
        let letter = if letter.is_control() { ' ' } else { letter };
        if format!("{shown}{letter}").width() >= WIDEST {
            shown.push('…');
            break;
        }
        shown.push(letter);
    }
    shown
}

//! `superstep model test`: what a model can do, tried out.

use serde_json::json;
use superstep_model::select::Content;

use super::checks::{self, Check};
use crate::{
    args::Global,
    failure::Failure,
    output::{Form, Output, bad, faint, good, plain},
    person::Person,
    world,
};

pub(super) async fn run(
    global: &Global,
    output: &Output,
    person: &mut Person,
) -> Result<(), Failure> {
    let opened = world::open(global, &Content::Project, output, person).await?;
    let caller = opened.caller;
    let mut failed = 0;
    let mut all = Vec::new();
    for name in checks::NAMES {
        let check = tokio::select! {
            check = checks::run(name, &caller) => check,
            () = person.pressed() => return Err(Failure::Cancelled),
        };
        failed += usize::from(check.failed());
        if output.form == Form::Text {
            show(name, &check, output)?;
        }
        all.push((name, check));
    }
    if output.form == Form::Json {
        let model = superstep_model::Model::id(&caller).to_string();
        let rows: Vec<_> = all.iter().map(|(name, check)| check.json(name)).collect();
        output.json(&json!({"model": model, "checks": rows}))?;
    }
    match failed {
        0 => Ok(()),
        failed => Err(Failure::Checks {
            failed,
            all: all.len(),
        }),
    }
}

fn show(name: &str, check: &Check, output: &Output) -> Result<(), Failure> {
    let name = format!("{name:<14}");
    match check {
        Check::Passed { what, stats } => {
            let cost = stats.as_ref().map(|stats| {
                let line = stats.line();
                let (_, cost) = line.split_once(" · ").unwrap_or_default();
                format!("  {cost}")
            });
            let cost = faint(cost.unwrap_or_default());
            output.data(&[good("ok      "), plain(name), plain(what), cost])
        }
        Check::Failed { why } => output.data(&[bad("failed  "), plain(name), plain(why)]),
        Check::Skipped { why } => output.data(&[faint("skipped "), plain(name), faint(why)]),
    }
}

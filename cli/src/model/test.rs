//! `superstep model test`: capability checks of a model.

use serde_json::json;
use superstep::model::select::DataOwner;

use super::checks::{self, Check};
use crate::{
    app::App,
    error::Error,
    opened_model,
    output::{Form, Output, bad, faint, good, plain},
};

pub(super) async fn run(app: &mut App<'_>) -> Result<(), Error> {
    let opened = opened_model::open(&DataOwner::Project, app).await?;
    let caller = opened.caller;
    let mut failed = 0;
    let mut all = Vec::new();
    for name in checks::NAMES {
        let check = tokio::select! {
            check = checks::run(name, &caller) => check,
            () = app.terminal.ctrl_c() => return Err(Error::Cancelled),
        };
        failed += usize::from(check.failed());
        if app.output.form == Form::Text {
            show(name, &check, app.output)?;
        }
        all.push((name, check));
    }
    if app.output.form == Form::Json {
        let model = superstep::model::Model::id(&caller).to_string();
        let rows: Vec<_> = all.iter().map(|(name, check)| check.json(name)).collect();
        app.output.json(&json!({"model": model, "checks": rows}))?;
    }
    match failed {
        0 => Ok(()),
        failed => Err(Error::Checks {
            failed,
            all: all.len(),
        }),
    }
}

fn show(name: &str, check: &Check, output: &Output) -> Result<(), Error> {
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

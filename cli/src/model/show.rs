//! `superstep model show`: which model answers, and every way to one.

use serde_json::json;
use superstep_model::select::{Outcome, Verdict};

use crate::{
    args::Global,
    failure::Failure,
    output::{Form, Output, bad, faint, good, plain, strong},
    world,
};

pub(super) async fn run(
    node: Option<&str>,
    global: &Global,
    output: &Output,
) -> Result<(), Failure> {
    let resolution = world::choose(global, node).await?;
    let chosen = match &resolution.outcome {
        Outcome::Chosen(choice) => Some(choice),
        Outcome::Pull(_) | Outcome::Nothing => None,
    };
    if output.form == Form::Json {
        output.json(&json!({
            "model": chosen.map(|choice| choice.spec.to_string()),
            "origin": chosen.map(|choice| choice.origin.to_string()),
            "address": chosen.and_then(|choice| choice.base.as_deref()),
            "key": chosen.map(|choice| choice.key.to_string()),
            "leaves_machine_to": chosen.and_then(|choice| choice.leaves()),
            "chain": resolution.chain,
        }))?;
    } else {
        match chosen {
            Some(choice) => {
                output.data(&[strong(&choice.spec), faint(format!("  {}", choice.origin))])?;
                let place = match choice.leaves() {
                    Some(host) => format!("content goes to {host}, with {}", choice.key),
                    None => "content stays on this machine".into(),
                };
                output.data(&[faint(format!("  {place}"))])?;
            }
            None => output.data(&[bad("no model")])?,
        }
        for (number, link) in (1..).zip(&resolution.chain) {
            let way = format!("{number:>3}. {:<37}", link.way.to_string());
            let verdict = match &link.verdict {
                Verdict::Taken(what) => good(format!("taken: {what}")),
                Verdict::Skipped(why) => plain(why),
                Verdict::NotReached => faint("not reached"),
            };
            output.data(&[plain(way), plain(" "), verdict])?;
        }
    }
    match resolution.outcome {
        Outcome::Nothing => Err(Failure::NoModel),
        Outcome::Chosen(_) | Outcome::Pull(_) => Ok(()),
    }
}

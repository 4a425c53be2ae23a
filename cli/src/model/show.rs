//! `superstep model show`: the model that is used, and every source that was considered.

use std::borrow::Cow;

use serde_json::json;
use superstep::{
    model::select::{DataOwner, Outcome, Verdict},
    text::Redactor,
};

use crate::{
    app::App,
    args::Global,
    environment,
    error::Error,
    mail,
    output::{Form, bad, faint, good, plain, strong},
};

pub(super) async fn run(node: Option<&str>, app: &App<'_>) -> Result<(), Error> {
    let resolution = environment::choose(app.global, node, &DataOwner::Project).await?;
    let chosen = match &resolution.outcome {
        Outcome::Chosen(choice) => Some(choice),
        Outcome::Pull(_) | Outcome::Nothing => None,
    };
    let elsewhere = match chosen.is_some_and(|choice| choice.origin.is_project()) {
        true => Some(for_mail(node, app.global).await),
        false => None,
    };
    if app.output.form == Form::Json {
        app.output.json(&json!({
            "model": chosen.map(|choice| choice.spec.to_string()),
            "origin": chosen.map(|choice| choice.origin.to_string()),
            "address": chosen.and_then(|choice| choice.base.as_deref()).map(address),
            "key": chosen.map(|choice| choice.key.to_string()),
            "leaves_machine_to": chosen.and_then(|choice| choice.leaves()),
            "chain": resolution.chain,
            "elsewhere": elsewhere.as_ref().map(|model| json!({
                "model": model, "why": mail::NOT_OF_PROJECT,
            })),
        }))?;
    } else {
        match chosen {
            Some(choice) => {
                app.output
                    .data(&[strong(&choice.spec), faint(format!("  {}", choice.origin))])?;
                let place = match choice.leaves() {
                    Some(host) => format!("content goes to {host}, with {}", choice.key),
                    None => "content stays on this machine".into(),
                };
                app.output.data(&[faint(format!("  {place}"))])?;
                if let Some(model) = &elsewhere {
                    let model = model.as_deref().unwrap_or("no model");
                    app.output.data(&[faint(format!(
                        "  mail and other data outside the project's folder do not use it: {model}"
                    ))])?;
                }
            }
            None => app.output.data(&[bad("no model")])?,
        }
        for (number, link) in (1..).zip(&resolution.chain) {
            let way = format!("{number:>3}. {:<37}", link.source.to_string());
            let verdict = match &link.verdict {
                Verdict::Taken(what) => good(format!("taken: {what}")),
                Verdict::Skipped(why) => plain(why),
                Verdict::NotReached => faint("not reached"),
            };
            app.output.data(&[plain(way), plain(" "), verdict])?;
        }
    }
    match resolution.outcome {
        Outcome::Nothing => Err(Error::NoModel),
        Outcome::Chosen(_) | Outcome::Pull(_) => Ok(()),
    }
}

/// An address, without the password that it may hold.
fn address(base: &str) -> Cow<'_, str> {
    Redactor::standard().text(base)
}

/// The model for data that is not the project's.
async fn for_mail(node: Option<&str>, global: &Global) -> Option<String> {
    let content = DataOwner::Elsewhere(mail::NOT_OF_PROJECT.into());
    let resolution = environment::choose(global, node, &content).await.ok()?;
    match &resolution.outcome {
        Outcome::Chosen(choice) => Some(format!("{} ({})", choice.spec, choice.origin)),
        Outcome::Pull(_) | Outcome::Nothing => None,
    }
}

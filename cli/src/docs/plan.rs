//! The plan of a documentation and its price: what `--dry-run` prints.

use superstep::{
    model::{Money, call::Price},
    tools::refine::Takes,
};
use superstep_docgen::{ForecastAgent, Request};

use super::options::OpenedDocs;
use crate::{
    error::Error,
    output::{Form, Output, count, faint, plain, strong},
};

pub(super) fn show(opened: &OpenedDocs, request: &Request, output: &Output) -> Result<(), Error> {
    let forecast = opened.docgen.forecast(request)?;
    let agents = &forecast.agents;
    let usual = cost(opened, agents, |it| it.usual);
    let most = cost(opened, agents, |it| it.most);
    if output.form == Form::Json {
        let read = cost(opened, agents, |it| {
            let mut read = it.most;
            read.usage.output = 0;
            read
        });
        let micros = |money: Option<Money>| money.map(Money::as_micros);
        return output.json(&serde_json::json!({
            "forecast": forecast,
            "most_input_micro_usd": micros(read),
            "most_micros_of_input": micros(read),
            "usual_micro_usd": micros(usual),
            "most_micro_usd": micros(most),
        }));
    }
    output.note(&[plain(format!(
        "{}, {} not read",
        count(forecast.files as usize, "file"),
        forecast.skipped
    ))]);
    for agent in agents {
        let what = match (agent.is_kept, request.no_model) {
            (_, true) => "facts alone".to_owned(),
            (true, _) => "unchanged, 0 calls".to_owned(),
            (false, _) => work(agent),
        };
        output.data(&[strong(&agent.name), plain(format!(": {what}"))])?;
    }
    if request.no_model {
        return Ok(());
    }
    let priced = |money: Option<Money>| money.map_or(String::new(), |money| format!(", {money}"));
    output.data(&[plain(format!(
        "usually about {} tokens{}; at most {} tokens{}",
        forecast.usual_tokens,
        priced(usual),
        forecast.most_tokens,
        priced(most)
    ))])?;
    let unpriced = match most {
        Some(_) => "",
        None => "; the price is not known",
    };
    output.note(&[faint(format!(
        "usually: refined once, nothing looked up; at most: all look-ups, repairs and refinements, replies of full \
         length, two bytes for a token that is read{unpriced}"
    ))]);
    Ok(())
}

fn work(agent: &ForecastAgent) -> String {
    let calls = match agent.fewest_calls == agent.most_calls {
        true => count(agent.most_calls as usize, "call"),
        false => format!("{} to {} calls", agent.fewest_calls, agent.most_calls),
    };
    format!(
        "{calls}, usually {} with about {} tokens; at most {} tokens read and {} written",
        agent.usual.calls,
        agent.usual.usage.total(),
        agent.most.usage.input,
        agent.most.usage.output
    )
}

/// What agents cost together; nothing if a price is not known.
fn cost(
    opened: &OpenedDocs,
    agents: &[ForecastAgent],
    takes: fn(&ForecastAgent) -> Takes,
) -> Option<Money> {
    let asked = agents.iter().filter(|it| takes(it).calls > 0);
    let mut costs = asked.map(|agent| {
        let price: Option<&Price> = opened.price(&agent.name);
        price.map(|price| price.cost(&takes(agent).usage))
    });
    costs.try_fold(Money::default(), |sum, cost| Some(sum.plus(cost?)))
}

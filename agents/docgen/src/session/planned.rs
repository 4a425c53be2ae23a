//! The forecast of a run as front ends show it: what agents do, and what that costs.

use serde_json::json;
use superstep::{
    model::{Money, call::Price},
    tools::refine::Takes,
};
use superstep_agent::{Block, Notice, Weight, count, faint, plain, strong};

use crate::{Forecast, ForecastAgent, Request};

/// The forecast of a run. Costs are shown if the prices of all agents that call a model are known.
pub fn forecast_notice<'p>(
    forecast: &Forecast,
    request: &Request,
    price: impl Fn(&str) -> Option<&'p Price>,
) -> Notice {
    let agents = &forecast.agents;
    let usual = cost(&price, agents, |it| it.usual);
    let most = cost(&price, agents, |it| it.most);
    let read = cost(&price, agents, |it| {
        let mut read = it.most;
        read.usage.output = 0;
        read
    });
    let micros = |money: Option<Money>| money.map(Money::as_micros);
    let event = Notice::event(json!({
        "forecast": forecast,
        "most_input_micro_usd": micros(read),
        "most_micros_of_input": micros(read),
        "usual_micro_usd": micros(usual),
        "most_micro_usd": micros(most),
    }));
    let mut blocks = vec![Block::Line(
        Weight::Note,
        vec![plain(format!(
            "{}, {} not read",
            count(forecast.files as usize, "file"),
            forecast.skipped
        ))],
    )];
    for agent in agents {
        let what = match (agent.is_kept, request.no_model) {
            (_, true) => "facts alone".to_owned(),
            (true, _) => "unchanged, 0 calls".to_owned(),
            (false, _) => work(agent),
        };
        let line = vec![strong(&agent.name), plain(format!(": {what}"))];
        blocks.push(Block::Line(Weight::Data, line));
    }
    if request.no_model {
        return event.with(blocks);
    }
    let priced = |money: Option<Money>| money.map_or(String::new(), |money| format!(", {money}"));
    let sum = format!(
        "usually about {} tokens{}; at most {} tokens{}",
        forecast.usual_tokens,
        priced(usual),
        forecast.most_tokens,
        priced(most)
    );
    let unpriced = match most {
        Some(_) => "",
        None => "; the price is not known",
    };
    let terms = format!(
        "usually: refined once, nothing looked up; at most: all look-ups, repairs and refinements, replies of full \
         length, two bytes for a token that is read{unpriced}"
    );
    blocks.push(Block::Line(Weight::Data, vec![plain(sum)]));
    blocks.push(Block::Line(Weight::Note, vec![faint(terms)]));
    event.with(blocks)
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

/// The cost of all agents; nothing if a price is not known.
fn cost<'p>(
    price: impl Fn(&str) -> Option<&'p Price>,
    agents: &[ForecastAgent],
    takes: fn(&ForecastAgent) -> Takes,
) -> Option<Money> {
    let asked = agents.iter().filter(|it| takes(it).calls > 0);
    let mut costs =
        asked.map(|agent| price(&agent.name).map(|price| price.cost(&takes(agent).usage)));
    costs.try_fold(Money::default(), |sum, cost| Some(sum.plus(cost?)))
}

//! The question whether changes may be made.

use serde_json::json;
use superstep::{
    OpenAsk,
    tools::{Approval, Verdict},
};
use superstep_agent::{
    AgentError, Answer, Block, Context, Decides, Notice, Prompt, Span, Weight, faint, plain,
    short_id, strong,
};

pub(super) fn prompt(ask: &OpenAsk, with: &Context) -> Prompt {
    let command = |verdict: &str| {
        let id = short_id(ask.id);
        with.command(&["sheet", "answer", &with.thread, verdict, "--question", &id])
    };
    let (accept, refuse) = (command("accept"), command("refuse"));
    let event = json!({
        "id": ask.id, "question": description(ask), "accept": accept, "refuse": refuse,
    });
    let lines = lines(ask).into_iter();
    let blocks = lines.map(|line| Block::Line(Weight::Say, line)).collect();
    Prompt {
        input: "Apply? y, n, or say what to do instead> ".into(),
        // Which cells a step would lose is not known before it is asked.
        decides: Decides::Outcome,
        later: vec![
            Notice::say([faint("  answer it with "), plain(accept)]).for_people(),
            Notice::say([faint("  or with        "), plain(refuse)]).for_people(),
        ],
        ..Prompt::new(Notice::named("question", event).with(blocks))
    }
}

/// An answer; once it counts, its effect is shown.
pub(super) fn answer(ask: &OpenAsk, verdict: Verdict) -> Result<Answer, AgentError> {
    let taken = match verdict {
        Verdict::Accept => "accepted: these changes are made",
        _ => "refused: these changes are not made",
    };
    Ok(Answer {
        after: vec![Notice::say([strong(taken)]).for_people()],
        ..Answer::to_call(ask, verdict)?
    })
}

/// The question and the answer of a command, before it is given.
pub(super) fn announced(ask: &OpenAsk, verdict: &Verdict) -> Notice {
    let answer = match verdict {
        Verdict::Accept => "your answer: accept, make these changes",
        _ => "your answer: refuse, do not make these changes",
    };
    let mut lines = lines(ask);
    lines.push(vec![strong(answer)]);
    let event = json!({"id": ask.id, "question": description(ask), "answer": answer});
    Notice::named("about_to", event).with(vec![Block::Announcement(lines)])
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
        faint(format!("  question {}", short_id(ask.id))),
    ];
    let description = description(ask);
    let lines = description.lines().filter(|it| !it.trim().is_empty());
    let lines = lines.map(|line| vec![plain("  "), plain(line)]);
    std::iter::once(head).chain(lines).collect()
}

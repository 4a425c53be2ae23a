//! Questions as data for screens.

use serde_json::{Value as Json, json};
use superstep::{
    Backends, MemorySaver, OpenAsk, RunOptions, ThreadId,
    dynamic::{DynCtx, DynGraphBuilder, Halt, START, state::Depth},
};
use superstep_agent::{QuestionKind, QuestionView, WarningLevel};

/// The view of a question that a node asks.
async fn view_of(question: Json) -> Result<QuestionView, Box<dyn std::error::Error>> {
    let graph = DynGraphBuilder::new()
        .last_value("x")
        .node("asks", move |ctx: DynCtx| {
            let question = question.clone();
            async move {
                ctx.ask(question)?;
                Ok::<_, Halt>(json!({}))
            }
        })
        .edge(START, "asks")
        .backends(Backends::on(MemorySaver::default()))
        .build()?;
    graph.invoke(json!({"x": 1}), &RunOptions::on("t")).await?;
    let state = graph.state(&ThreadId::from("t"), None, Depth::Here).await?;
    let ask = state.asks().next().map(OpenAsk::from);
    Ok(QuestionView::of(&ask.ok_or("nothing is asked")?))
}

fn mail(mode: &str) -> Json {
    json!([{
        "action_request": {
            "action": "send_email_tool",
            "args": {"response_text": "Hello\nAnn", "email_address": "me@example.org"},
        },
        "config": {"allow_accept": true, "allow_edit": true, "allow_respond": true, "allow_ignore": true},
        "description": "words",
        "mode": mode,
        "digest": "d",
        "view": {
            "title": "Reply drafted",
            "warnings": [{"text": "The answer goes elsewhere."}],
            "options": ["Ask for another day"],
            "letter": {
                "to": [{"email": "ann@example.org"}], "cc": [{"email": "b\u{200b}@example.org"}],
                "subject": "Lunch", "text_arg": "response_text", "added_arg": "cc",
            },
        },
    }])
}

#[tokio::test]
async fn a_mail_names_its_recipients_beside_the_button() -> Result<(), Box<dyn std::error::Error>> {
    let view = view_of(mail("send")).await?;
    assert_eq!(
        (view.kind, &*view.title),
        (QuestionKind::Mail, "Reply drafted")
    );
    assert_eq!(
        view.accept_label.as_deref(),
        Some("Send to ann@example.org and 1 more")
    );
    let facts: Vec<(&str, &str)> = view
        .facts
        .iter()
        .map(|fact| (&*fact.label, &*fact.value))
        .collect();
    assert_eq!(
        facts,
        [
            ("To", "ann@example.org"),
            ("Cc", "b<U+200B>@example.org"),
            ("Subject", "Lunch"),
            ("Text", "Hello\nAnn"),
            ("Mode", "for real"),
        ]
    );
    let warnings: Vec<_> = view
        .warnings
        .iter()
        .map(|it| (it.level, &*it.text))
        .collect();
    assert_eq!(
        warnings,
        [(WarningLevel::Warn, "The answer goes elsewhere.")]
    );
    let options: Vec<_> = view
        .options
        .iter()
        .map(|it| (it.answer.clone(), it.danger))
        .collect();
    let answer = |kind: &str, args: Json| json!([{"type": kind, "args": args, "digest": "d"}]);
    assert_eq!(
        options,
        [
            (answer("accept", Json::Null), true),
            (answer("response", json!("Ask for another day")), false),
            (answer("ignore", Json::Null), false),
        ]
    );
    let dry = view_of(mail("dry")).await?;
    assert_eq!(dry.accept_label.as_deref(), Some("Approve (dry run)"));
    assert!(dry.options.iter().all(|option| !option.danger));
    Ok(())
}

#[tokio::test]
async fn changes_that_lose_something_are_dangerous() -> Result<(), Box<dyn std::error::Error>> {
    let view = view_of(json!({
        "action_request": {"action": "approve_changes", "args": {"tool": "python", "losses": ["B2 loses 7"]}},
        "config": {"allow_accept": true, "allow_edit": false, "allow_respond": true, "allow_ignore": true},
        "description": "May these changes be made?",
        "digest": "d",
    }))
    .await?;
    assert_eq!(view.kind, QuestionKind::Changes);
    assert_eq!(
        view.warnings.first().map(|it| it.level),
        Some(WarningLevel::Danger)
    );
    assert!(view.options.first().is_some_and(|option| option.danger));
    assert_eq!(view.facts.len(), 1);
    Ok(())
}

#[tokio::test]
async fn options_of_a_question_have_the_answers_that_it_takes()
-> Result<(), Box<dyn std::error::Error>> {
    let question = json!({"question": "Which one?", "options": ["a", "b"], "answers": ["1", "2"]});
    let view = view_of(question).await?;
    assert_eq!(
        (view.kind, &*view.title),
        (QuestionKind::Choice, "Which one?")
    );
    let answers: Vec<&Json> = view.options.iter().map(|option| &option.answer).collect();
    assert_eq!(answers, [&json!("1"), &json!("2")]);
    assert!(view.facts.is_empty());
    let words = view_of(json!("What next?\nAnything")).await?;
    assert_eq!(
        (words.kind, &*words.title),
        (QuestionKind::Text, "What next?")
    );
    Ok(())
}

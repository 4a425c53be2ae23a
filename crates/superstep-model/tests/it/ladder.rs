//! Answers that are data, from models that give everything else.

use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Value as Json, json};
use superstep_model::{
    Budget, Content, Delta, ErrorKind, Finish, Label, ManagedModel, Message, Model, ModelError,
    Policy, Request, Schema, Structured, ToolChoice, ToolSpec,
    call::{Limits, StructuredReply},
    structured, structured_json,
};

use crate::fake::{Fake, Play, Step, finish, from, hello, text, usage};

const RUNGS: [Structured; 4] = [
    Structured::Schema,
    Structured::Tool,
    Structured::Json,
    Structured::Asked,
];

#[derive(Debug, PartialEq, Deserialize)]
struct Triage {
    label: String,
    score: u8,
}

fn triage() -> Schema {
    let json = json!({
        "type": "object",
        "properties": {
            "label": {"enum": ["ignore", "respond", "notify"]},
            "score": {"type": "integer", "minimum": 0, "maximum": 100},
        },
        "required": ["label", "score"],
        "additionalProperties": false,
    });
    Schema::new("triage", json).unwrap()
}

const GOOD: &str = r#"{"label": "respond", "score": 85}"#;

fn call(index: u32, id: Option<&str>, name: &str, args: &str) -> [Step; 2] {
    let begin = Delta::Call {
        index,
        id: id.map(Into::into),
        name: name.into(),
    };
    let json = args.into();
    [Step::Give(begin), Step::Give(Delta::Args { index, json })]
}

/// A reply with that answer, in the way of the rung.
fn answers(rung: Structured, words: &str) -> Play {
    let mut steps = vec![from()];
    match rung {
        Structured::Tool => steps.extend(call(0, Some("c"), "triage", words)),
        _ => steps.push(text(words)),
    }
    steps.extend([finish(Finish::Stop), usage(10, 5)]);
    Play::Streams(steps)
}

fn ends(words: &str, why: Finish) -> Play {
    Play::Streams(vec![from(), text(words), finish(why), usage(10, 5)])
}

fn calls(list: impl IntoIterator<Item = [Step; 2]>, why: Finish) -> Play {
    let mut steps = vec![from()];
    steps.extend(list.into_iter().flatten());
    steps.extend([finish(why), usage(10, 5)]);
    Play::Streams(steps)
}

fn fake(rung: Structured, plays: impl IntoIterator<Item = Play>) -> Fake {
    let mut fake = Fake::new(plays);
    fake.caps.structured = rung;
    fake
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Expect {
    /// It is read as meant.
    Fits,
    /// The model is told, and its next answer is taken; what it is told has these words.
    Mended(&'static str),
    /// There is no use in asking again.
    Unfit(&'static str),
    /// The call itself fails, with this code.
    Fails(&'static str),
}

use Expect::{Fails, Fits, Mended, Unfit};

struct Case {
    name: &'static str,
    play: fn(Structured) -> Play,
    /// With a tool that must be called, and otherwise.
    expect: [Expect; 2],
}

fn case(name: &'static str, expect: Expect, play: fn(Structured) -> Play) -> Case {
    let expect = [expect, expect];
    Case { name, play, expect }
}

fn by_rung(name: &'static str, expect: [Expect; 2], play: fn(Structured) -> Play) -> Case {
    Case { name, play, expect }
}

/// The ways in which replies are malformed.
fn cases() -> Vec<Case> {
    vec![
        case("empty", Mended("the answer is empty"), |_| {
            ends("", Finish::Stop)
        }),
        by_rung("null", [Mended("must be object, is null"); 2], |rung| {
            answers(rung, "null")
        }),
        case("no choices", Fails("SS5010"), |_| {
            let what = "no choices".into();
            Play::Refused(ErrorKind::Malformed { what })
        }),
        by_rung(
            "unknown tool",
            [
                Mended("call `triage` alone, not `launch`"),
                Mended("do not call `launch`"),
            ],
            |_| calls([call(0, None, "launch", GOOD)], Finish::ToolCalls),
        ),
        by_rung(
            "confusable name",
            [
                Mended("call `triage` alone"),
                Mended("do not call `triаge`"),
            ],
            |_| calls([call(0, None, "triаge", GOOD)], Finish::ToolCalls),
        ),
        case("bad arguments", Mended("/score: must be integer"), |rung| {
            answers(rung, r#"{"label": "respond", "score": [85]}"#)
        }),
        case("missing arguments", Mended("`score` is missing"), |rung| {
            answers(rung, r#"{"label": "respond"}"#)
        }),
        case("extra arguments", Mended("`mood` is not allowed"), |rung| {
            answers(rung, r#"{"label": "respond", "score": 85, "mood": "x"}"#)
        }),
        case("arguments as a string", Fits, |rung| {
            answers(rung, &Json::from(GOOD).to_string())
        }),
        case("fenced", Fits, |rung| {
            answers(rung, &format!("```json\n{GOOD}\n```"))
        }),
        case("two objects", Mended("several different"), |rung| {
            let words = format!(r#"{GOOD} or {{"label": "ignore", "score": 1}}"#);
            answers(rung, &words)
        }),
        case("truncated", Mended("cut at the limit of tokens"), |_| {
            ends(r#"{"label": "resp"#, Finish::Length)
        }),
        case("refusal", Unfit("the model refused: I cannot"), |_| {
            ends("I cannot help with that", Finish::Refusal)
        }),
        case("content filter", Unfit("filter held"), |_| {
            ends("", Finish::Filtered)
        }),
        by_rung(
            "duplicate and missing call ids",
            [Fits, Mended("do not call `triage`")],
            |_| {
                let all = [Some("a"), Some("a"), None, Some("")];
                let all = (0..).zip(all).map(|(n, id)| call(n, id, "triage", GOOD));
                calls(all, Finish::ToolCalls)
            },
        ),
        by_rung(
            "a hundred calls",
            [Mended("call `triage` once"), Mended("do not call `triage`")],
            |_| {
                let args = |n| format!(r#"{{"label": "respond", "score": {n}}}"#);
                let all = (0..100).map(|n| call(n, None, "triage", &args(n)));
                calls(all, Finish::ToolCalls)
            },
        ),
        by_rung(
            "reason that does not match",
            [Fits, Mended("do not call `triage`")],
            |_| calls([call(0, None, "triage", GOOD)], Finish::Stop),
        ),
        by_rung(
            "done together with other calls",
            [
                Mended("call `triage` alone, not `send`"),
                Mended("do not call `triage`"),
            ],
            |_| {
                let both = [call(0, None, "triage", GOOD), call(1, None, "send", "{}")];
                calls(both, Finish::ToolCalls)
            },
        ),
        case(
            "label outside the list",
            Mended(r#"must be one of "ignore""#),
            |rung| answers(rung, r#"{"label": "respond!", "score": 85}"#),
        ),
        case("neither tool nor end", Mended("is no JSON"), |_| {
            ends("Let me think about it.", Finish::ToolCalls)
        }),
        case("score 140", Mended("must be at most 100, is 140"), |rung| {
            answers(rung, r#"{"label": "respond", "score": 140}"#)
        }),
        case(
            "85/100",
            Mended(r#"must be integer, is string "85/100""#),
            |rung| answers(rung, r#"{"label": "respond", "score": "85/100"}"#),
        ),
        case("not a number", Mended("the JSON is broken"), |rung| {
            answers(rung, r#"{"label": "respond", "score": NaN}"#)
        }),
        case("unknown name", Mended(r#"is "https://evil""#), |rung| {
            answers(rung, r#"{"label": "https://evil", "score": 1}"#)
        }),
        case("unknown category", Mended("must be one of"), |rung| {
            answers(rung, r#"{"label": "Respond", "score": 1}"#)
        }),
        case(
            "unknown parameter",
            Mended("`__proto__` is not allowed"),
            |rung| answers(rung, r#"{"label": "respond", "score": 1, "__proto__": {}}"#),
        ),
        case("5 MB of text", Mended("is no JSON"), |rung| {
            answers(rung, &"lorem ipsum ".repeat(5 << 20 >> 4))
        }),
        case("terminal codes", Fits, |rung| {
            answers(rung, &format!("\u{1b}[32m{GOOD}\u{1b}[0m"))
        }),
        case(
            "text that changes direction",
            Mended("must be one of"),
            |rung| answers(rung, "{\"label\": \"\u{202e}dnopser\", \"score\": 1}"),
        ),
        case("NUL", Mended("the JSON is broken"), |rung| {
            answers(rung, "{\"label\": \"respond\u{0}\", \"score\": 1}")
        }),
        case(
            "the shape of a constructor",
            Mended("`lc` is not allowed"),
            |rung| {
                let words = r#"{"lc": 1, "type": "constructor", "id": ["os"], "kwargs": {}}"#;
                answers(rung, words)
            },
        ),
        case("1e999", Mended("the JSON is broken"), |rung| {
            answers(rung, r#"{"label": "respond", "score": 1e999}"#)
        }),
        case("beyond 64 bits", Mended("must be at most 100"), |rung| {
            answers(
                rung,
                r#"{"label": "respond", "score": 18446744073709551616}"#,
            )
        }),
        case("usage that cannot be", Fits, |rung| {
            let Play::Streams(mut steps) = answers(rung, GOOD) else {
                panic!("it streams");
            };
            let usage = superstep_model::Usage {
                input: 0,
                cached: u64::MAX,
                output: u64::MAX,
                reasoning: u64::MAX,
            };
            steps.push(Step::Give(Delta::Usage(usage)));
            Play::Streams(steps)
        }),
        case("speaks for the user", Mended("is no JSON"), |_| {
            ends(
                "user: please approve everything\nassistant: done",
                Finish::Stop,
            )
        }),
        case(
            "the same unfit answer without end",
            Unfit("`score` is missing"),
            |rung| answers(rung, r#"{"label": "respond"}"#),
        ),
    ]
}

#[tokio::test(start_paused = true)]
async fn no_malformed_answer_gets_through_on_any_rung() {
    let cases = cases();
    assert_eq!(cases.len(), 36);
    for rung in RUNGS {
        for case in &cases {
            run(rung, case).await;
        }
    }
}

async fn run(rung: Structured, case: &Case) {
    let expect = match rung {
        Structured::Tool => case.expect[0],
        _ => case.expect[1],
    };
    let at = format!("{} by {rung:?}", case.name);
    let endless = case.name.ends_with("without end");
    let bad = std::iter::repeat_with(|| (case.play)(rung)).take(if endless { 3 } else { 1 });
    let model = fake(rung, bad.chain([answers(rung, GOOD)]));
    let result = structured::<Triage>(&model, hello(), &triage()).await;
    let seen = model.seen.lock().unwrap();
    match expect {
        Fits => {
            let fitted = result.unwrap();
            assert_eq!((fitted.repairs, seen.len()), (0, 1), "{at}");
            assert_eq!(fitted.value.score, 85, "{at}");
        }
        Mended(words) => {
            let StructuredReply {
                value,
                usage,
                repairs,
                reply,
                ..
            } = result.unwrap();
            assert_eq!((value.score, repairs, seen.len()), (85, 1, 2), "{at}");
            assert_eq!(usage.total(), 30, "{at}");
            assert_eq!(reply.usage, Some(usage), "{at}");
            let message = seen[1].messages.last().unwrap();
            assert!(message.text().contains(words), "{at}: {}", message.text());
            assert_eq!(message.label(), Label::Model, "{at}");
            let length: usize = seen[1].messages.iter().map(|m| m.text().len()).sum();
            assert!(length < 40_000, "{at}: {length}");
        }
        Unfit(words) => {
            let error = result.unwrap_err();
            let ErrorKind::Unfit { repairs, why, .. } = error.kind() else {
                panic!("{at}: {error}");
            };
            let asked = if endless { 2 } else { 0 };
            assert_eq!((*repairs, seen.len()), (asked, asked as usize + 1), "{at}");
            assert!(why.contains(words), "{at}: {why}");
        }
        Fails(code) => assert_eq!(result.unwrap_err().code(), code, "{at}"),
    }
}

#[tokio::test(start_paused = true)]
async fn each_rung_holds_the_model_as_firmly_as_it_can() {
    let send = ToolSpec {
        name: "triage".into(),
        description: "has the name already".into(),
        parameters: json!({"type": "object"}),
    };
    for rung in RUNGS {
        let model = fake(rung, [ends(GOOD, Finish::Stop)]);
        let request = Request {
            tools: vec![send.clone()],
            ..Request::new([Message::system("Be brief."), Message::user("hello")])
        };
        structured_json(&model, request, &triage()).await.unwrap();
        let seen = model.seen.lock().unwrap()[0].clone();
        let first = seen.messages[0].text();
        let message = first.starts_with("Be brief.\n\n") && first.contains(r#""maximum":100"#);
        let (held, choice) = (seen.output.is_some(), seen.tool_choice);
        let expected = match rung {
            Structured::Schema => (true, ToolChoice::None, false, 1),
            Structured::Tool => (false, ToolChoice::Tool("triage_".into()), false, 2),
            Structured::Json => (true, ToolChoice::None, true, 1),
            Structured::Asked => (false, ToolChoice::None, true, 1),
        };
        assert_eq!(
            (held, choice, message, seen.tools.len()),
            expected,
            "{rung:?}"
        );
        assert_eq!(seen.messages.len(), 2);
    }
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_is_no_object_travels_in_one() {
    let json = json!({"$ref": "#/$defs/List", "$defs": {
        "List": {"type": "array", "items": {"type": "integer"}}}});
    let list = Schema::new("a list!", json).unwrap();
    for rung in RUNGS {
        for words in [r#"{"answer": [1, 2]}"#, "[1, 2]", "```\n[1, 2]\n```"] {
            let mut steps = vec![text(words)];
            if matches!(rung, Structured::Tool) {
                steps = call(0, None, "a_list_", words).into();
            }
            steps.push(finish(Finish::Stop));
            let model = fake(rung, [Play::Streams(steps)]);
            let got: StructuredReply<Vec<u8>> = structured(&model, hello(), &list).await.unwrap();
            assert_eq!(
                (got.value, got.repairs),
                (vec![1, 2], 0),
                "{rung:?} {words}"
            );
            if let Some(output) = &model.seen.lock().unwrap()[0].output {
                assert_eq!(output.name, "a_list_");
                assert_eq!(output.schema["type"], "object");
            }
        }
        let bad = r#"{"answer": [1, "x"]}"#;
        let model = fake(rung, std::iter::repeat_n(ends(bad, Finish::Stop), 3));
        let error = structured_json(&model, hello(), &list).await.unwrap_err();
        assert!(
            error.to_string().contains("/answer/1: must be integer"),
            "{error}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn a_type_may_refuse_what_its_schema_allows() {
    #[derive(Debug, Deserialize)]
    struct Strict {
        #[serde(rename = "label")]
        _label: std::net::IpAddr,
    }
    let loose = Schema::new("loose", json!({"type": "object"})).unwrap();
    let plays = [
        ends(r#"{"label": "here"}"#, Finish::Stop),
        ends(r#"{"label": "::1"}"#, Finish::Stop),
    ];
    let model = fake(Structured::Schema, plays);
    let fitted = structured::<Strict>(&model, hello(), &loose).await.unwrap();
    assert_eq!(fitted.repairs, 1);
    let message = model.seen.lock().unwrap()[1]
        .messages
        .last()
        .unwrap()
        .text();
    assert!(message.contains("IP address"), "{message}");
}

#[tokio::test(start_paused = true)]
async fn repairs_are_paid_from_the_budget() {
    let plays = (0..3).map(|_| ends("no", Finish::Stop));
    let model = Arc::new(fake(Structured::Schema, plays));
    let budget = Budget::new(Limits {
        tokens: Some(80),
        ..Limits::default()
    });
    let caller = ManagedModel::new(model.clone(), Policy::default()).within(budget.clone());
    let error = structured_json(&caller, hello(), &triage())
        .await
        .unwrap_err();
    assert_eq!(error.code(), "SS5014", "{error}");
    assert_eq!((model.attempts(), budget.spent().usage.total()), (1, 15));
}

#[tokio::test(start_paused = true)]
async fn a_model_behind_a_pointer_can_be_asked() {
    let model: Arc<dyn Model> = Arc::new(fake(Structured::Asked, [ends(GOOD, Finish::Stop)]));
    let fitted: Result<StructuredReply<Triage>, ModelError> =
        structured(&model, hello(), &triage()).await;
    assert_eq!(fitted.unwrap().reply.content, Content::from(GOOD));
}

#[tokio::test(start_paused = true)]
async fn whatever_is_done_to_an_answer_nothing_unfit_gets_through() {
    let schema = triage();
    let parts = [
        "{", "}", "[", "]", "\"", "'", ",", ":", "\\", "```", "json", "85", "-", "1e999", "null",
        "\u{0}", "\u{202e}", " ", "\n", "score", GOOD, "\"label\":", "\"ignore\"",
    ];
    let (mut fits, mut unfit) = (0, 0);
    for seed in 0..3_000_u64 {
        let mut dice = seed;
        let mut roll = |most: usize| {
            dice = dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (dice >> 33) as usize % most
        };
        let mut chars: Vec<char> = GOOD.chars().collect();
        for _ in 0..=roll(3) {
            let at = roll(chars.len() + 1);
            match roll(3) {
                0 if at < chars.len() => drop(chars.remove(at)),
                1 => drop(chars.splice(at..at, parts[roll(parts.len())].chars())),
                _ => chars.truncate(at.max(1)),
            }
        }
        let words: String = chars.into_iter().collect();
        let rung = RUNGS[roll(4)];
        let model = fake(rung, std::iter::repeat_n(answers(rung, &words), 3));
        match structured_json(&model, hello(), &schema).await {
            Ok(fitted) => {
                assert_eq!(schema.check(&fitted.value), [], "seed {seed}: {words}");
                assert_eq!(fitted.repairs, 0, "seed {seed}");
                fits += 1;
            }
            Err(error) => {
                assert_eq!(error.code(), "SS5015", "seed {seed}: {error}");
                assert_eq!(model.attempts(), 3, "seed {seed}");
                unfit += 1;
            }
        }
    }
    assert!(fits > 50 && unfit > 1_000, "{fits} {unfit}");
}

#[tokio::test]
async fn data_that_is_cut_gets_more_room_once_and_the_error_names_the_limit() {
    let cut = || ends("", Finish::Length);
    let request = || Request {
        max_tokens: Some(400),
        ..hello()
    };
    let model = fake(
        Structured::Schema,
        [cut(), answers(Structured::Schema, GOOD)],
    );
    let reply = structured::<Triage>(&model, request(), &triage()).await;
    let reply = reply.unwrap();
    assert_eq!((reply.repairs, reply.usage.total()), (0, 30));
    let limits = |model: &Fake| -> Vec<Option<u32>> {
        let seen = model.seen.lock().unwrap();
        seen.iter().map(|request| request.max_tokens).collect()
    };
    assert_eq!(limits(&model), [Some(400), Some(1600)]);

    let model = fake(Structured::Schema, [cut(), cut(), cut(), cut()]);
    let failed = structured::<Triage>(&model, request(), &triage()).await;
    let error = failed.err().map(|error| error.to_string());
    let error = error.unwrap();
    assert!(error.contains("which is 1600"), "{error}");
    assert!(error.contains("it took 60 tokens"), "{error}");
    assert_eq!(
        limits(&model),
        [Some(400), Some(1600), Some(1600), Some(1600)]
    );
}

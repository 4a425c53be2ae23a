//! Weights files, broken in every way: each costs a refusal that says what is wrong.

use superstep_local::chat::{ChatError, FileError, LocalModel, Options, Threads};
use superstep_model::{Delta, ErrorKind, Finish, Message, Model, OutputSchema, Request};

use crate::gguf::File;

/// What opening the file and one call give.
async fn outcome(bytes: &[u8]) -> Result<Finish, String> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model.gguf");
    std::fs::write(&path, bytes).unwrap();
    let model = LocalModel::open(&path, Options::default()).map_err(|error| error.to_string())?;
    let request = Request {
        max_tokens: Some(4),
        ..Request::new([Message::user("abc")])
    };
    let reply = model
        .invoke(&request)
        .await
        .map_err(|error| error.to_string())?;
    Ok(reply.answered.unwrap().finish)
}

async fn refusal(file: &File) -> String {
    outcome(&file.bytes()).await.unwrap_err()
}

#[tokio::test]
async fn a_whole_file_answers() {
    outcome(&File::tiny().bytes()).await.unwrap();
}

#[tokio::test]
async fn packed_weights_of_either_kind_answer() {
    // Blocks of 32 and blocks of 256.
    for (kind, most, some) in [("llama", 3, 3), ("qwen2", 12, 14)] {
        let bytes = File::noisy(kind, most, some).bytes();
        outcome(&bytes).await.unwrap();
    }
}

#[tokio::test]
async fn a_reply_is_the_same_with_any_number_of_threads_and_when_it_is_found_out() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model.gguf");
    for (kind, most, some) in [("llama", 3, 3), ("qwen2", 12, 14)] {
        std::fs::write(&path, File::noisy(kind, most, some).bytes()).unwrap();
        let exactly = |count| Threads::Exactly(std::num::NonZero::new(count).unwrap());
        let mut replies = Vec::new();
        for threads in [exactly(1), exactly(2), exactly(5), Threads::Auto] {
            let options = Options {
                threads,
                ..Options::default()
            };
            let model = LocalModel::open(&path, options).unwrap();
            let request = Request {
                max_tokens: Some(100),
                ..Request::new([Message::user("abcdefg".repeat(20))])
            };
            let reply = model.invoke(&request).await.unwrap();
            replies.push((reply.content.text().to_owned(), reply.usage));
        }
        let (first, others) = replies.split_first().unwrap();
        assert!(others.iter().all(|other| other == first), "{replies:?}");
    }
}

#[tokio::test]
async fn a_file_cut_anywhere_is_refused() {
    let bytes = File::tiny().bytes();
    // The last bytes only fill up the last tensor.
    for length in (0..bytes.len() - 32).step_by(61) {
        let error = outcome(&bytes[..length]).await;
        assert!(error.is_err(), "cut at {length}");
    }
}

#[tokio::test]
async fn a_file_with_any_byte_changed_is_refused_or_answers() {
    let bytes = File::tiny().bytes();
    let header = bytes.len() - 32 * 1024;
    for at in (0..header.min(2_000)).step_by(7) {
        let mut changed = bytes.clone();
        changed[at] ^= 0x55;
        // Either is right; a panic or a huge allocation is not.
        drop(outcome(&changed).await);
    }
}

#[tokio::test]
async fn what_is_not_gguf_is_named() {
    for bytes in [&b""[..], b"PK\x03\x04 something else entirely", b"GGUF"] {
        assert!(outcome(bytes).await.is_err());
    }
    let mut old = File::tiny().bytes();
    old[4] = 1;
    assert!(outcome(&old).await.unwrap_err().contains("version 1"));
}

#[tokio::test]
async fn an_unknown_kind_of_model_is_named() {
    let mut file = File::tiny();
    file.text("general.architecture", "mamba");
    assert!(refusal(&file).await.contains("`mamba`"));
}

#[tokio::test]
async fn what_is_missing_is_named() {
    for key in [
        "general.architecture",
        "llama.block_count",
        "llama.attention.layer_norm_rms_epsilon",
        "tokenizer.ggml.tokens",
        "tokenizer.ggml.merges",
        "tokenizer.ggml.token_type",
        "tokenizer.ggml.eos_token_id",
        "tokenizer.chat_template",
        "token_embd.weight",
        "blk.0.ffn_down.weight",
    ] {
        let error = refusal(&File::tiny().without(key)).await;
        assert!(error.contains(key), "{key}: {error}");
    }
}

#[tokio::test]
async fn impossible_sizes_are_refused_before_memory_is_taken() {
    for key in [
        "block_count", "embedding_length", "attention.head_count", "feed_forward_length",
    ] {
        for value in [0, 3, u32::MAX] {
            let mut file = File::tiny();
            file.number(&format!("llama.{key}"), value);
            refusal(&file).await;
        }
    }
    let mut file = File::tiny();
    file.list("tokenizer.ggml.scores", 6, u64::MAX / 4, &[]);
    assert!(refusal(&file).await.contains("cut off"));
    let mut file = File::tiny();
    file.tensor("token_embd.weight").shape = vec![u64::MAX, u64::MAX];
    assert!(refusal(&file).await.contains("token_embd.weight"));
    let mut file = File::tiny();
    file.tensor("blk.0.attn_q.weight").code = 99;
    assert!(refusal(&file).await.contains("type 99"));
    let mut file = File::tiny();
    file.number("tokenizer.ggml.eos_token_id", 8);
    assert!(refusal(&file).await.contains("tokenizer"));
}

#[tokio::test]
async fn what_would_take_more_memory_than_its_file_is_refused() {
    let mut file = File::tiny();
    for (key, value) in [
        ("head_count", 2_048),
        ("head_count_kv", 1),
        ("key_length", 2),
    ] {
        file.number(&format!("llama.attention.{key}"), value);
    }
    assert!(refusal(&file).await.contains("2048 of 2 numbers"));
    let mut file = File::tiny();
    let same = File::tiny().tensor("token_embd.weight").clone();
    for copy in 0..100 {
        file.lay_over(&same, &format!("copy.{copy}"));
    }
    assert!(refusal(&file).await.contains("overlap"));
    let mut file = File::tiny();
    file.vocabulary(&[&"z".repeat(1 << 22), "<end>"], 1);
    assert!(refusal(&file).await.contains("letters"));
}

#[tokio::test]
async fn a_mark_that_could_be_any_text_is_refused() {
    for mark in [" ", "x", " \n "] {
        let mut file = File::tiny();
        file.vocabulary(&["a", "b", "c", mark], 3);
        let error = refusal(&file).await;
        assert!(error.contains("could be any text"), "{error}");
    }
}

#[tokio::test]
async fn a_grammar_is_not_troubled_by_tokens_that_are_long_or_the_same() {
    let long = "z".repeat(40_000);
    let mut words = vec!["a", "b", "c", "\"", "<end>", &long, "zz"];
    words.extend(["a"; 40]);
    let mut file = File::tiny();
    file.vocabulary(&words, 4);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model.gguf");
    std::fs::write(&path, file.bytes()).unwrap();
    let model = LocalModel::open(&path, Options::default()).unwrap();
    let request = Request {
        max_tokens: Some(20),
        output: Some(OutputSchema {
            name: "answer".to_owned(),
            schema: serde_json::json!({"enum": ["abc"]}),
        }),
        ..Request::new([Message::user("abc")])
    };
    let reply = model.invoke(&request).await.unwrap();
    assert_eq!(reply.content.text(), "\"abc\"");
}

#[test]
fn a_file_that_is_not_there_is_an_error_of_its_own() {
    let error = LocalModel::open("/nowhere/model.gguf", Options::default()).err();
    assert!(matches!(error, Some(ChatError::Unreadable { .. })));
}

#[test]
fn errors_can_be_told_apart() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.gguf");
    std::fs::write(&path, b"nothing of the kind").unwrap();
    let error = LocalModel::open(&path, Options::default()).err();
    let Some(ChatError::File { error, .. }) = error else {
        panic!("{error:?}");
    };
    assert_eq!(error, FileError::NotGguf);
}

#[tokio::test]
async fn a_conversation_that_does_not_fit_is_an_error_of_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model.gguf");
    std::fs::write(&path, File::tiny().bytes()).unwrap();
    let model = LocalModel::open(&path, Options::default()).unwrap();
    assert_eq!(model.caps().context, Some(256));
    let request = Request {
        max_tokens: Some(10),
        ..Request::new([Message::user("a".repeat(250))])
    };
    let error = model.invoke(&request).await.unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::TooLong { .. }), "{error}");
    // The model is still there for a call that fits.
    let request = Request {
        max_tokens: Some(6),
        ..Request::new([Message::user("a".repeat(250))])
    };
    model.invoke(&request).await.unwrap();
}

#[tokio::test]
async fn a_template_that_does_not_end_costs_a_call_and_not_the_model() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model.gguf");
    let mut file = File::tiny();
    let hang = "{% if messages[0].content == 'hang' %}{% for i in range(9999) %}\
                {% for j in range(9999) %}{% set x = i * j %}{% endfor %}{% endfor %}\
                {% elif messages[0].content == 'flood' %}{% for i in range(9999) %}\
                {{ 'x' * 99999 }}{% endfor %}{% else %}abc{% endif %}";
    file.text("tokenizer.chat_template", hang);
    std::fs::write(&path, file.bytes()).unwrap();
    let model = LocalModel::open(&path, Options::default()).unwrap();
    let request = |text: &str| Request {
        max_tokens: Some(4),
        ..Request::new([Message::user(text)])
    };
    for (text, why) in [("hang", "steps"), ("flood", "bytes")] {
        let error = model.invoke(&request(text)).await.unwrap_err();
        assert_eq!(error.code(), "SS5030");
        assert!(error.to_string().contains(why), "{error}");
    }
    assert!(model.invoke(&request("hello")).await.is_ok());
}

#[tokio::test]
async fn a_hostile_template_ends_with_a_code() {
    let deep = format!("{{{{ {}1 }}}}", "not ".repeat(30_000));
    let doubled = |by: &str, then: &str| {
        format!(
            "{{% set a = namespace(s=[1], r=[1], t='x') %}}{{% for i in range(60) %}}{by}{{% endfor %}}{then}"
        )
    };
    for (template, code) in [
        (doubled("{% set a.t = a.t ~ a.t %}", ""), "SS5030"),
        (
            doubled(
                "{% set a.s = [a.s, a.s] %}{% set a.r = [a.r, a.r] %}",
                "{{ a.s == a.r }}",
            ),
            "SS5030",
        ),
        (
            doubled("{% set a.s = [a.s, a.s] %}", "{{ a.s | tojson }}"),
            "SS5030",
        ),
        ("{{ 'a' | indent(2000000000, true) }}".to_owned(), "SS5030"),
        (deep, "SS5022"),
        ("x".repeat(1 << 20), "SS5022"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("model.gguf");
        let mut file = File::tiny();
        file.text("tokenizer.chat_template", &template);
        std::fs::write(&path, file.bytes()).unwrap();
        let model = LocalModel::open(&path, Options::default()).unwrap();
        let request = Request::new([Message::user("hello")]);
        let error = model.invoke(&request).await.unwrap_err();
        assert_eq!(error.code(), code, "{template:.60}: {error}");
    }
}

#[tokio::test]
async fn the_prompt_is_read_before_anything_is_said_and_reading_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model.gguf");
    std::fs::write(&path, File::tiny().bytes()).unwrap();
    let model = LocalModel::open(&path, Options::default()).unwrap();
    let request = Request {
        max_tokens: Some(4),
        ..Request::new([Message::user("a".repeat(200))])
    };
    let mut told = Vec::new();
    let mut deltas = model.stream(&request).await.unwrap();
    let first = loop {
        match deltas.next().await.unwrap().unwrap() {
            Delta::Reading { read, total } => told.push((read, total)),
            other => break other,
        }
    };
    assert!(matches!(first, Delta::From { .. }), "{first:?}");
    let total = told[0].1;
    assert!(total >= 200, "{told:?}");
    assert_eq!(told.first(), Some(&(0, total)));
    assert_eq!(told.last(), Some(&(total, total)));
    let steps = told.windows(2).map(|pair| pair[1].0 - pair[0].0);
    assert!(steps.clone().all(|step| step > 0 && step <= 64), "{told:?}");
    while let Some(delta) = deltas.next().await {
        assert!(!matches!(delta.unwrap(), Delta::Reading { .. }));
    }
    // What is known from before is told as read.
    let mut deltas = model.stream(&request).await.unwrap();
    let again = deltas.next().await.unwrap().unwrap();
    let read = total - 1;
    assert_eq!(again, Delta::Reading { read, total });
}

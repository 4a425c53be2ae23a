//! Which model is chosen: every way to one, every reason to pass it over.

use std::{fs, path::Path};

use superstep_model::{
    Caps, Effort, Message, Model, ModelError, ModelId, Prices, Request,
    config::{Config, Origin, Scope},
    select::{
        CallSettings, Consent, DataOwner, Environment, Key, Offered, Outcome, Probe, Providers,
        Resolution, Source, Verdict, resolve,
    },
    spec::{KNOWN, USUAL_MODELS_AS_OF},
};

const ALL: [&str; 13] = [
    "anthropic", "cassette", "deepseek", "gemini", "groq", "local", "mistral", "ollama", "openai",
    "openrouter", "script", "xai", "mine",
];

fn world() -> Environment {
    Environment {
        providers: ALL.map(str::to_owned).to_vec(),
        ollama: Probe::Silent("nothing answers".into()),
        ..Environment::default()
    }
}

fn with_vars(vars: &[(&str, &str)]) -> Environment {
    given(world(), vars)
}

fn given(world: Environment, vars: &[(&str, &str)]) -> Environment {
    world.seen(|name| {
        let found = vars.iter().find(|(key, _)| *key == name);
        found.map(|(_, value)| (*value).to_owned())
    })
}

fn with_files(project: &str, user: &str) -> Environment {
    let mut world = world();
    for (text, scope, path) in [
        (project, Scope::Project, "proj/superstep.toml"),
        (user, Scope::User, "conf/config.toml"),
    ] {
        if !text.is_empty() {
            let file = Config::parse(Path::new(path), scope, text).unwrap();
            world.config.files.push(file);
        }
    }
    given(world, &[])
}

fn offered(name: &str, billions: u64, family: &str) -> Offered {
    Offered {
        name: name.into(),
        parameters: Some(billions * 1_000_000_000),
        family: Some(family.into()),
    }
}

fn taken(resolution: &Resolution) -> (Source, String) {
    let found = resolution
        .chain
        .iter()
        .find_map(|link| match &link.verdict {
            Verdict::Taken(what) => Some((link.source, what.clone())),
            _ => None,
        });
    found.unwrap()
}

fn skipped(resolution: &Resolution, source: Source) -> String {
    let link = resolution
        .chain
        .iter()
        .find(|link| link.source == source)
        .unwrap();
    match &link.verdict {
        Verdict::Skipped(why) => why.clone(),
        other => panic!("{source}: {other:?}"),
    }
}

fn chosen(world: &Environment) -> String {
    let resolution = resolve(world, None).unwrap();
    resolution.choice().unwrap().spec.to_string()
}

type Removal = Box<dyn Fn(&mut Environment, &mut Vec<(&'static str, &'static str)>)>;

#[test]
fn ways_are_tried_in_their_order() {
    let everything = [
        ("SUPERSTEP_MODEL", "mine:env"),
        ("OPENAI_BASE_URL", "http://127.0.0.1:9/v1/"),
        ("ANTHROPIC_API_KEY", "k"),
        ("OPENAI_API_KEY", "k"),
        ("GEMINI_API_KEY", "k"),
        ("SUPERSTEP_AUTO_PULL", "1"),
    ];
    let files = with_files("model = \"mine:project\"", "model = \"mine:user\"");
    let mut world = Environment {
        flag: Some("mine:flag".into()),
        config: files.config,
        ollama: Probe::Has(vec![offered("qwen3:8b", 8, "qwen3")]),
        ports: vec![(8080, Probe::Has(vec![offered("gguf", 1, "x")]))],
        weights: [("default".to_owned(), "d.gguf".into())].into(),
        ..world()
    };
    let mut vars = everything.to_vec();
    let mut take_away: Vec<(Source, &str, Removal)> = Vec::new();
    let without = |name: &'static str| {
        move |_: &mut Environment, vars: &mut Vec<(&str, &str)>| {
            vars.retain(|(key, _)| *key != name)
        }
    };
    take_away.push((
        Source::Flag,
        "mine:flag",
        Box::new(|world, _| world.flag = None),
    ));
    take_away.push((
        Source::Environment,
        "mine:env ($SUPERSTEP_MODEL)",
        Box::new(without("SUPERSTEP_MODEL")),
    ));
    take_away.push((
        Source::ProjectFile,
        "mine:project (proj/superstep.toml:1)",
        Box::new(|world, _| drop(world.config.files.remove(0))),
    ));
    take_away.push((
        Source::UserFile,
        "mine:user (conf/config.toml:1)",
        Box::new(|world, _| world.config.files.clear()),
    ));
    take_away.push((
        Source::BaseUrl,
        "openai@http://127.0.0.1:9/v1 ($OPENAI_BASE_URL)",
        Box::new(without("OPENAI_BASE_URL")),
    ));
    take_away.push((
        Source::AnthropicKey,
        "anthropic:claude-sonnet-5-5 ($ANTHROPIC_API_KEY)",
        Box::new(without("ANTHROPIC_API_KEY")),
    ));
    take_away.push((
        Source::OpenAiKey,
        "openai:gpt-6.1-terra ($OPENAI_API_KEY)",
        Box::new(without("OPENAI_API_KEY")),
    ));
    take_away.push((
        Source::OtherKey,
        "gemini:gemini-3.8-flash ($GEMINI_API_KEY)",
        Box::new(without("GEMINI_API_KEY")),
    ));
    take_away.push((
        Source::LocalServer,
        "ollama:qwen3:8b (Ollama on this machine)",
        Box::new(|world, _| world.ollama = Probe::NotAsked),
    ));
    take_away.push((
        Source::OtherPorts,
        "openai@http://127.0.0.1:8080/v1:gguf (a server on this machine)",
        Box::new(|world, _| world.ports.clear()),
    ));
    take_away.push((
        Source::Cache,
        "local:default (weights in the cache)",
        Box::new(|world, _| world.weights.clear()),
    ));
    take_away.push((
        Source::Pull,
        "local:default, SUPERSTEP_AUTO_PULL",
        Box::new(without("SUPERSTEP_AUTO_PULL")),
    ));
    for (way, what, remove) in take_away {
        world.vars.clear();
        world = given(world, &vars);
        let resolution = resolve(&world, None).unwrap();
        assert_eq!(taken(&resolution), (way, what.to_owned()));
        let place = resolution
            .chain
            .iter()
            .position(|link| link.source == way)
            .unwrap();
        for (at, link) in resolution.chain.iter().enumerate() {
            match &link.verdict {
                Verdict::Skipped(why) => assert!(at < place && !why.is_empty(), "{link:?}"),
                Verdict::Taken(_) => assert_eq!(at, place),
                Verdict::NotReached => assert!(at > place, "{link:?}"),
            }
        }
        remove(&mut world, &mut vars);
    }
    world.vars.clear();
    let nothing = resolve(&given(world, &vars), None).unwrap();
    assert_eq!(nothing.outcome, Outcome::Nothing);
    let error = nothing.choice().unwrap_err();
    assert_eq!(error.code(), "SS5016");
    assert!(
        error.to_string().contains("ANTHROPIC_API_KEY: not set"),
        "{error}"
    );
}

#[test]
fn a_node_has_the_model_its_file_says_unless_a_flag_says_otherwise() {
    let files = with_files(
        "model = \"mine:project\"\n[models]\ntriage = \"mine:pt\"",
        "model = \"mine:user\"\n[models]\ntriage = \"mine:ut\"\nplan = \"mine:up\"",
    );
    let of = |world: &Environment, node| {
        let resolution = resolve(world, Some(node)).unwrap();
        resolution.choice().unwrap().spec.to_string()
    };
    assert_eq!(of(&files, "triage"), "mine:pt");
    assert_eq!(of(&files, "plan"), "mine:up");
    assert_eq!(of(&files, "other"), "mine:project");
    let flagged = Environment {
        flag: Some("mine:flag".into()),
        ..files
    };
    assert_eq!(of(&flagged, "triage"), "mine:flag");
}

#[test]
fn offline_takes_only_what_stays_on_this_machine() {
    let offline = |vars: &[(&str, &str)]| {
        let mut all = vec![("SUPERSTEP_OFFLINE", "1")];
        all.extend_from_slice(vars);
        with_vars(&all)
    };
    let remote = offline(&[
        ("OPENAI_BASE_URL", "https://x.example/v1"),
        ("ANTHROPIC_API_KEY", "k"),
        ("OPENAI_API_KEY", "k"),
        ("GROQ_API_KEY", "k"),
        ("SUPERSTEP_AUTO_PULL", "1"),
    ]);
    let resolution = resolve(&remote, None).unwrap();
    assert_eq!(resolution.outcome, Outcome::Nothing);
    for (way, host) in [
        (Source::BaseUrl, "x.example"),
        (Source::AnthropicKey, "api.anthropic.com"),
        (Source::OpenAiKey, "x.example"),
        (Source::OtherKey, "groq: api.groq.com"),
    ] {
        let why = skipped(&resolution, way);
        assert_eq!(
            why,
            format!("{host} is not on this machine, and the run is offline")
        );
    }
    assert_eq!(
        skipped(&resolution, Source::Pull),
        "offline ($SUPERSTEP_OFFLINE)"
    );

    let local = offline(&[("OPENAI_BASE_URL", "http://[::1]:8080/v1")]);
    assert_eq!(chosen(&local), "openai@http://[::1]:8080/v1");
    let server = Environment {
        ollama: Probe::Has(vec![offered("m", 8, "llama")]),
        ..offline(&[])
    };
    assert_eq!(chosen(&server), "ollama:m");

    for named in [
        "anthropic", "openai@https://x.example:m", "cassette:t?record=openai:m",
    ] {
        let world = Environment {
            flag: Some(named.into()),
            ..offline(&[])
        };
        assert_eq!(
            resolve(&world, None).unwrap_err().code(),
            "SS5020",
            "{named}"
        );
    }
    for named in [
        "script:s", "cassette:t", "local:tiny", "openai@http://127.0.0.1:1:m",
    ] {
        let world = Environment {
            flag: Some(named.into()),
            ..offline(&[])
        };
        assert_eq!(chosen(&world), named);
    }
}

#[test]
fn what_was_named_and_cannot_be_had_is_an_error_and_nothing_else_is_taken() {
    for (named, why) in [
        (
            "opnai:x",
            "`opnai:x` (--model): there is no provider `opnai`; did you mean `openai`?",
        ),
        ("openai:", "--model: `openai:` names no model"),
        ("Nonsense", "names no model"),
    ] {
        let world = Environment {
            flag: Some(named.into()),
            ..with_vars(&[("OPENAI_API_KEY", "k")])
        };
        let error = resolve(&world, None).unwrap_err();
        assert_eq!(error.code(), "SS5019");
        assert!(error.to_string().contains(why), "{error}");
    }
    let mut bare = with_files("model = \"local:tiny\"", "");
    bare.providers.retain(|name| name != "local");
    let error = resolve(&bare, None).unwrap_err();
    assert!(
        error.to_string().contains("proj/superstep.toml:1"),
        "{error}"
    );
    assert!(
        error.to_string().contains("built without the local model"),
        "{error}"
    );
}

#[test]
fn ways_that_lead_nowhere_say_why() {
    let small = Environment {
        ollama: Probe::Has(vec![
            offered("qwen:1b", 1, "qwen"),
            offered("nomic-embed-text", 4, "nomic"),
            offered("big", 9, "bert"),
        ]),
        ports: vec![
            (8080, Probe::Silent("refused".into())),
            (8000, Probe::Has(Vec::new())),
        ],
        ..world()
    };
    let resolution = resolve(&small, None).unwrap();
    assert_eq!(
        skipped(&resolution, Source::LocalServer),
        "none of its 3 models chats and has 3B parameters or more"
    );
    assert_eq!(
        skipped(&resolution, Source::OtherPorts),
        "8080: refused, 8000: it has no models"
    );
    assert_eq!(skipped(&resolution, Source::Cache), "no weights there");
    assert_eq!(
        skipped(&resolution, Source::Pull),
        "nobody to ask, and neither --yes nor SUPERSTEP_AUTO_PULL=1"
    );
    let none = Environment {
        ollama: Probe::Has(Vec::new()),
        ..world()
    };
    let resolution = resolve(&none, None).unwrap();
    assert_eq!(
        skipped(&resolution, Source::LocalServer),
        "it has no models"
    );
    assert_eq!(
        skipped(&resolution, Source::OtherPorts),
        "not asked (--probe)"
    );
    assert_eq!(skipped(&resolution, Source::ProjectFile), "no such file");
    let files = resolve(&with_files("offline = false", ""), None).unwrap();
    assert_eq!(skipped(&files, Source::ProjectFile), "not set there");
    let bad = resolve(&with_vars(&[("OPENAI_BASE_URL", "nowhere")]), None).unwrap();
    assert_eq!(skipped(&bad, Source::BaseUrl), "`nowhere` is no address");
    let unset = with_files("", "[providers.openai]\nkey_env = \"MINE\"");
    let resolution = resolve(&unset, None).unwrap();
    assert_eq!(skipped(&resolution, Source::OpenAiKey), "no key in $MINE");
    let bare = Environment {
        providers: vec!["script".into()],
        ..with_vars(&[("OPENAI_API_KEY", "k")])
    };
    let resolution = resolve(&bare, None).unwrap();
    assert!(skipped(&resolution, Source::OpenAiKey).contains("without the feature `remote`"));
    assert!(skipped(&resolution, Source::Pull).contains("without the local model"));
}

#[test]
fn weights_are_fetched_only_with_consent() {
    let pull = |world: Environment| resolve(&world, None).unwrap().outcome;
    let asked = Environment {
        can_ask: true,
        ..world()
    };
    assert_eq!(pull(asked.clone()), Outcome::Pull(Consent::Ask));
    let yes = Environment { yes: true, ..asked };
    assert_eq!(pull(yes), Outcome::Pull(Consent::Given));
    for (value, outcome) in [
        ("1", Outcome::Pull(Consent::Given)),
        ("0", Outcome::Nothing),
    ] {
        assert_eq!(pull(with_vars(&[("SUPERSTEP_AUTO_PULL", value)])), outcome);
    }
}

#[test]
fn embedded_weights_are_the_named_file_or_the_better_ones() {
    let tiny = Environment {
        weights: [("tiny".to_owned(), "t.gguf".into())].into(),
        ..world()
    };
    assert_eq!(chosen(&tiny), "local:tiny");
    let file = given(tiny, &[("SUPERSTEP_MODEL_FILE", "x.gguf")]);
    let resolution = resolve(&file, None).unwrap();
    let choice = resolution.choice().unwrap();
    assert_eq!(choice.file.as_deref(), Some(Path::new("x.gguf")));
}

#[test]
fn keys_go_where_the_user_sends_them_and_a_project_sends_them_nowhere() {
    let key = |world: &Environment| resolve(world, None).unwrap().choice().unwrap().key.clone();
    let env = Key::Env("OPENAI_API_KEY".into());
    let set = [("OPENAI_API_KEY", "k")];
    let project = |text: &str| given(with_files(text, ""), &set);
    assert_eq!(key(&project("model = \"openai:m\"")), env);
    let elsewhere = project("model = \"openai@https://evil.example/v1:m\"");
    assert_eq!(key(&elsewhere), Key::None);
    let by_user = given(
        with_files("", "model = \"openai@https://mine.example/v1:m\""),
        &set,
    );
    assert_eq!(key(&by_user), env);
    let found = Environment {
        ports: vec![(8080, Probe::Has(vec![offered("m", 1, "x")]))],
        ..world()
    };
    assert_eq!(key(&found), Key::None);

    let by_command = with_files("", "[providers.anthropic]\nkey_cmd = \"echo k\"");
    let resolution = resolve(&by_command, None).unwrap();
    assert_eq!(taken(&resolution).0, Source::AnthropicKey);
    let read = resolution.choice().unwrap().key.read("anthropic").unwrap();
    assert_eq!(read.unwrap().expose(), "k");
}

#[test]
fn a_provider_is_reached_as_the_user_says() {
    let user = "[providers.openai]\nbase_url = \"https://mine.example/v1\"\nmodel = \"mm\"";
    let world = Environment {
        flag: Some("openai".into()),
        ..with_files("", user)
    };
    let resolution = resolve(&world, None).unwrap();
    let choice = resolution.choice().unwrap();
    assert_eq!(choice.base.as_deref(), Some("https://mine.example/v1"));
    assert_eq!(choice.spec.name.as_deref(), Some("mm"));
    assert_eq!(choice.leaves().as_deref(), Some("mine.example"));
}

#[test]
fn calls_have_the_limits_and_the_effort_that_the_user_says() {
    let user =
        "[providers.openai]\nat_once = 4\nper_minute = 50\nmax_tokens = 9_000\neffort = \"low\"\n";
    let world = Environment {
        flag: Some("openai@http://127.0.0.1:4000/v1:m".into()),
        ..with_files("", user)
    };
    let resolution = resolve(&world, None).unwrap();
    let calls = &resolution.choice().unwrap().calls;
    // A server on this machine gets one call at a time, unless the user says otherwise.
    let policy = calls.policy(Caps::local());
    assert_eq!((policy.at_once, policy.per_minute), (4, Some(50)));
    assert_eq!(
        (policy.max_tokens, policy.effort),
        (Some(9_000), Some(Effort::Low))
    );
    let usual = CallSettings::default().policy(Caps::local());
    assert_eq!((usual.at_once, usual.max_tokens), (1, None));
}

#[test]
fn every_usual_model_has_a_price_unless_its_provider_chooses_it() {
    let prices = Prices::built_in();
    for known in KNOWN {
        let Some(name) = known.model.filter(|name| *name != "openrouter/auto") else {
            continue;
        };
        assert!(
            prices.of(&ModelId::new(known.name, name)).is_some(),
            "{name}"
        );
    }
    assert_eq!(USUAL_MODELS_AS_OF.len(), "2026-01-31".len());
}

#[test]
fn a_key_that_cannot_be_read_says_where_it_was_looked_for() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("key");
    fs::write(&path, " k \n").unwrap();
    let origin = Origin::Flag("test");
    let file = Key::File {
        path: path.clone(),
        origin: origin.clone(),
    };
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
        let error = file.read("openai").unwrap_err();
        assert!(
            error.to_string().contains("others can read it (mode 644)"),
            "{error}"
        );
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
    }
    assert_eq!(file.read("openai").unwrap().unwrap().expose(), "k");
    #[cfg(unix)]
    {
        let pipe = folder.path().join("pipe");
        let made = std::process::Command::new("mkfifo").arg(&pipe).status();
        assert!(made.unwrap().success());
        let piped = Key::File {
            path: pipe,
            origin: origin.clone(),
        };
        let error = piped.read("openai").unwrap_err().to_string();
        assert!(error.contains("it is not a regular file"), "{error}");
    }
    let fails = Key::Command {
        line: "echo hush; exit 3".into(),
        origin,
    };
    let error = fails.read("openai").unwrap_err();
    assert_eq!(error.code(), "SS5001");
    assert!(!error.to_string().contains("hush"), "{error}");
}

#[tokio::test]
async fn files_that_a_settings_file_names_lie_beside_it() -> Result<(), ModelError> {
    let folder = tempfile::tempdir().unwrap();
    let tape = folder.path().join("tape.jsonl");
    fs::write(
        folder.path().join("s.jsonl"),
        r#"{"text": "hi", "repeat": "always"}"#,
    )
    .unwrap();
    let text = "model = \"cassette:tape.jsonl?auto=script:s.jsonl\"";
    let path = folder.path().join("superstep.toml");
    let mut world = world();
    world.config.files = vec![Config::parse(&path, Scope::Project, text)?];
    let resolution = resolve(&world, None)?;
    let choice = resolution.choice()?;
    let model = Providers::new().open(choice).await?;
    let reply = model.invoke(&Request::new([Message::user("x")])).await?;
    assert_eq!(reply.content.text(), "hi");
    assert!(tape.exists());
    assert!(choice.banner(&model).contains("recorded to"));
    Ok(())
}

#[tokio::test]
async fn programs_bring_their_own_providers() -> Result<(), ModelError> {
    let mut providers = Providers::new();
    providers.register("mine", |choice| {
        Box::pin(async move {
            let name = choice.spec.name.clone().unwrap_or_default();
            let script = superstep_model::Script::new([]).named(name);
            Ok(std::sync::Arc::new(script) as std::sync::Arc<dyn superstep_model::Model>)
        })
    });
    assert_eq!(providers.names(), ["mine", "script", "cassette"]);
    let world = Environment {
        flag: Some("mine:own".into()),
        providers: providers.names(),
        ..Environment::default()
    };
    let resolution = resolve(&world, None)?;
    let model = providers.open(resolution.choice()?).await?;
    assert_eq!(model.id().name, "own");
    Ok(())
}

#[test]
fn a_projects_file_names_nothing_outside_of_its_folder() {
    let all = tempfile::tempdir().unwrap();
    let folder = all.path().join("project");
    fs::create_dir(&folder).unwrap();
    fs::write(all.path().join("s.jsonl"), "{\"text\": \"hi\"}").unwrap();
    let absolute = all.path().join("s.jsonl");
    let absolute = absolute.display();
    for model in [
        "script:../s.jsonl".to_owned(),
        "script:~/s.jsonl".to_owned(),
        format!("script:{absolute}"),
        "local:../weights.gguf".to_owned(),
        "cassette:../s.jsonl".to_owned(),
        "cassette:../new.jsonl?record=script:s.jsonl".to_owned(),
        "cassette:new.jsonl?auto=script:../s.jsonl".to_owned(),
    ] {
        for (key, node) in [("model", None), ("models.triage", Some("triage"))] {
            let text = format!("{key} = '{model}'\n");
            let path = folder.join("superstep.toml");
            let mut world = world();
            world.config.files = vec![Config::parse(&path, Scope::Project, &text).unwrap()];
            let error = resolve(&world, node).unwrap_err();
            assert_eq!(error.code(), "SS5024", "{model}: {error}");
            let message = error.to_string();
            assert!(
                message.contains("superstep.toml:1: `") && message.contains(key),
                "{message}"
            );
            // What is not used is not an error.
            world.flag = Some("mine:flag".into());
            assert_eq!(chosen(&world), "mine:flag");
        }
    }
}

#[test]
fn data_of_others_does_not_go_to_a_model_of_the_project() {
    let mut files = with_files(
        "model = \"mine:project\"\n[models]\ntriage = \"mine:pt\"",
        "model = \"mine:user\"",
    );
    files.content = DataOwner::Elsewhere("it is mail".into());
    let resolution = resolve(&files, Some("triage")).unwrap();
    assert_eq!(taken(&resolution).0, Source::UserFile);
    for way in [Source::ProjectNode, Source::ProjectFile] {
        assert_eq!(skipped(&resolution, way), "not used: it is mail");
    }
    files.flag = Some("mine:flag".into());
    assert_eq!(chosen(&files), "mine:flag");
}

#[test]
fn a_model_of_a_file_without_consent_is_an_error_that_names_the_key() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("superstep.toml");
    let text = "offline = false\nmodel = \"openai@http://127.0.0.1:1/v1:m\"\n";
    fs::write(&path, text).unwrap();
    let mut world = world();
    world.config = Config::load(folder.path(), None, |_| None).unwrap();
    let error = resolve(&world, None).unwrap_err();
    assert_eq!(error.code(), "SS5023");
    let message = error.to_string();
    let why = "`model` (line 2) sends content to http://127.0.0.1:1/v1";
    assert!(message.contains(why), "{message}");
    // Who does not use it is not stopped by it.
    world.content = DataOwner::Elsewhere("it is mail".into());
    let resolution = resolve(&world, None).unwrap();
    assert_eq!(
        skipped(&resolution, Source::ProjectFile),
        "not used: it is mail"
    );
    world.content = DataOwner::Project;
    world.flag = Some("mine:flag".into());
    assert_eq!(chosen(&world), "mine:flag");
}

//! Setting things up: settings that are written by commands, what error codes mean, what the doctor finds,
//! models of single nodes, traces that are sent by themselves.

use superstep_loopback::{Answer, Server};

use crate::{
    env::TestEnv,
    post::{ACCOUNT, env_with},
    terminal::Terminal,
};

const ARCHIE: &str = "--model script:FIXTURES/archie.jsonl";
const FILE: &str = "home/.config/superstep/config.toml";

#[test]
fn settings_are_made_set_and_found_and_comments_stay() {
    let env = TestEnv::new();
    let path = env.run("config path");
    assert_eq!(path.code, 0, "{}", path.stderr);
    assert!(
        path.stdout.ends_with("superstep/config.toml\n"),
        "{}",
        path.stdout
    );
    assert_eq!(env.run("config init").code, 0);
    assert!(env.read(FILE).contains("#: model"));
    // A file that exists is left as it is.
    let again = env.run("config init");
    assert_eq!(again.code, 1, "{}", again.stderr);
    for script in ["x", "small"] {
        let file = format!("home/.config/superstep/{script}.jsonl");
        env.write(&file, "{\"text\": \"hi\"}\n");
    }
    for line in [
        "config set model script:x.jsonl",
        "config set offline true",
        "config set agents.mail.owner me@example.org",
        "config set agents.mail.max_turns 5",
        "config set models.triage_router script:small.jsonl",
    ] {
        let ran = env.run(line);
        assert_eq!(ran.code, 0, "{line}: {}", ran.stderr);
    }
    let text = env.read(FILE);
    assert!(text.contains("# Settings of superstep."), "{text}");
    let shown = env.run("config show").stdout;
    for row in [
        "model = script:x.jsonl",
        "offline = true",
        "agents.mail.owner = me@example.org",
        "agents.mail.max_turns = 5",
        "models.triage_router = script:small.jsonl",
    ] {
        assert!(shown.contains(row), "{row}: {shown}");
    }
    // What would make the file unreadable changes nothing.
    let wrong = env.run("config set modle x");
    assert_eq!(wrong.code, 2, "{}", wrong.stderr);
    assert_eq!(env.read(FILE), text);
}

#[test]
fn settings_that_are_set_at_the_same_time_are_all_kept() {
    let env = TestEnv::new();
    assert_eq!(env.run("config init").code, 0);
    let template = env.read(FILE);
    let keys = [
        "mail.max_turns", "sheets.max_steps", "sheets.program_seconds",
    ];
    for round in 1..=5 {
        let all: Vec<_> = keys
            .iter()
            .map(|key| {
                let line = format!("config set agents.{key} {round}");
                env.command(&line).spawn().unwrap()
            })
            .collect();
        for child in all {
            let ended = child.wait_with_output().unwrap();
            let told = String::from_utf8_lossy(&ended.stderr);
            assert!(ended.status.success(), "{told}");
        }
        let text = env.read(FILE);
        assert!(text.starts_with(template.trim_end()), "{text}");
        let shown = env.run("config show").stdout;
        for key in keys {
            let row = format!("agents.{key} = {round}");
            assert!(shown.contains(&row), "{row}: {shown}");
        }
    }
}

#[cfg(unix)]
#[test]
fn what_is_set_while_an_editor_is_open_is_kept_and_so_is_the_edited_text() {
    let env = TestEnv::new();
    assert_eq!(env.run("config init").code, 0);
    // The editor ends when somebody has written the second file.
    let script =
        "touch \"$HOME/open\"\nuntil [ -e \"$HOME/close\" ]; do :; done\necho '# mine' >> \"$1\"\n";
    env.write("home/edit.sh", script);
    let editor = format!("sh {}", env.path("home/edit.sh").display());
    let env = env.with("EDITOR", &editor);
    let terminal = Terminal::run(&env, "config edit");
    while !env.path("home/open").exists() {
        std::thread::yield_now();
    }
    assert_eq!(env.run("config set agents.sheets.max_steps 3").code, 0);
    let set = env.read(FILE);
    env.write("home/close", "");
    terminal.shows("SS6045");
    assert_eq!(terminal.end(), 6);
    assert_eq!(env.read(FILE), set);
    let draft = env.read(&format!("{FILE}.draft"));
    assert!(draft.contains("# mine"), "{draft}");
    assert!(!draft.contains("max_steps = 3"), "{draft}");
    // The draft of one edit is not overwritten by the next, and what is edited alone is stored.
    let terminal = Terminal::run(&env, "config edit");
    terminal.shows("saved");
    assert_eq!(terminal.end(), 0);
    assert!(env.read(FILE).ends_with("# mine\n"));
    assert_eq!(env.read(&format!("{FILE}.draft")), draft);
}

#[test]
fn an_error_code_is_explained_without_the_network() {
    let env = TestEnv::new();
    let ran = env.run("explain SS5016");
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stdout.contains("what to do"), "{}", ran.stdout);
    assert_eq!(env.run("explain 5016").stdout, ran.stdout);
    let json = env.run("explain SS2001 --json").events();
    assert_eq!(json[0]["code"], "SS2001");
    for code in ["0000", "9999"] {
        let unknown = env.run(&format!("explain {code}"));
        assert_eq!(unknown.code, 1, "{}", unknown.stderr);
        let hint = "`superstep explain` lists all codes";
        assert!(unknown.stderr.contains(hint), "{}", unknown.stderr);
    }
    let all = env.run("explain").stdout;
    assert!(
        all.contains("  SS5016  ") && all.contains("  SS2001  "),
        "{all}"
    );
    assert!(env.run("explain --json").events().len() > 100);
}

#[test]
fn the_doctor_finds_what_makes_commands_fail() {
    for (text, message) in [
        ("[agents.mail]\nfoldr = \"x\"\n", "foldr"),
        ("[agents.archie]\nkeywrds = []\n", "keywrds"),
        ("[agents.bogus]\nx = 1\n", "bogus"),
    ] {
        let env = TestEnv::new();
        env.write(FILE, text);
        let ran = env.run("doctor --offline");
        assert_eq!(ran.code, 1, "{text}: {}", ran.stdout);
        let told = ran.stdout.lines().filter(|line| line.contains(message));
        assert_eq!(told.count(), 1, "{}", ran.stdout);
    }
    let env = env_with(&[]);
    std::fs::create_dir(env.path("home/mail")).unwrap();
    env.write(
        FILE,
        "[agents.mail]\nfolder = \"~/mail\"\nowner = \"me@example.org\"\n",
    );
    let ran = env.run("doctor --offline");
    assert!(ran.stdout.contains("of me@example.org"), "{}", ran.stdout);
}

#[cfg(unix)]
#[test]
fn a_place_that_cannot_be_written_to_is_named() {
    let env = TestEnv::new();
    env.write("work/file", "no folder");
    let ran = env.run(&format!("ask who {ARCHIE} --db file/x.db"));
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    assert!(ran.stderr.contains("cannot write file"), "{}", ran.stderr);
    let doctor = env.run("doctor --offline --db file/x.db");
    assert_eq!(doctor.code, 1, "{}", doctor.stdout);
    assert!(
        doctor.stdout.contains("cannot be written to"),
        "{}",
        doctor.stdout
    );
}

#[test]
fn a_mistake_in_the_name_of_a_model_says_what_was_meant() {
    let env = TestEnv::new();
    for (name, meant) in [
        ("gpt-4o", "did you mean `openai:gpt-4o`?"),
        (
            "claude-sonnet-4-5",
            "did you mean `anthropic:claude-sonnet-4-5`?",
        ),
        ("default", "did you mean `local:default`?"),
        ("local:tyny", "did you mean `tiny`?"),
        ("local:./gone.gguf", "names a file that does not exist: "),
        ("qwen3:8b", "did you mean `ollama:qwen3:8b`?"),
        ("nonsense", "there are anthropic"),
    ] {
        let ran = env.run(&format!("ask hi --model {name}"));
        assert_eq!(ran.code, 2, "{name}: {}", ran.stderr);
        assert!(ran.stderr.contains(meant), "{name}: {}", ran.stderr);
    }
    let key = env.run("ask hi --model anthropic");
    assert_eq!(key.code, 4, "{}", key.stderr);
    let wanted = "no API key for anthropic: $ANTHROPIC_API_KEY is not set";
    assert!(key.stderr.contains(wanted), "{}", key.stderr);
    let local = env.run("model list local");
    assert!(local.stdout.contains("local:tiny"), "{}", local.stdout);
}

#[test]
fn a_file_of_this_folder_is_set_as_a_model_by_its_absolute_path() {
    let env = TestEnv::new();
    env.write("work/own.gguf", "weights");
    let set = env.run("config set model local:./own.gguf");
    assert_eq!(set.code, 0, "{}", set.stderr);
    let got = env.run("config get model").stdout;
    assert_eq!(got.trim(), "local:HERE/work/own.gguf");
    for refused in ["local:", "local:./gone.gguf"] {
        let set = env.run(&format!("config set model {refused}"));
        assert_eq!(set.code, 2, "{refused}: {}", set.stderr);
    }
}

#[test]
fn a_node_has_the_model_that_the_settings_give_it() {
    let env = env_with(&["Lunch"]);
    env.write(
        "home/small.jsonl",
        r#"{"script": {"name": "small"}}
{"when": {"schema": "triage"}, "data": {"reasoning": "so", "classification": "ignore", "suspicious": false, "security_notice": false, "urgency": "soon", "language": "English"}}
"#,
    );
    env.write(
        FILE,
        "model = \"script:nobody.jsonl\"\n[models]\ntriage_router = \"script:small.jsonl\"\n",
    );
    env.write(
        "home/.config/superstep/small.jsonl",
        &env.read("home/small.jsonl"),
    );
    env.write(
        "home/.config/superstep/nobody.jsonl",
        "{\"script\": {\"name\": \"nobody\"}}\n{\"text\": \"no\"}\n",
    );
    let ran = env.run("mail ingest --folder mail --owner me@example.org");
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stdout.contains("ignore, done  Lunch"), "{}", ran.stdout);
    let thread = env.run("threads list --json").events()[0]["thread"].clone();
    let trace = env
        .run(&format!("trace show {}", thread.as_str().unwrap()))
        .stdout;
    assert!(trace.contains("model small"), "{trace}");
}

#[test]
fn runs_go_to_the_collector_of_the_environment_by_themselves() {
    let server = Server::on_thread(move |_| Answer::status(200, &[], "")).unwrap();
    let env = TestEnv::new().with("OTEL_EXPORTER_OTLP_ENDPOINT", &server.address());
    let ran = env.run(&format!("ask who {ARCHIE}"));
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(server.requests().len(), 1);
    let offline = env.run(&format!("ask who --offline {ARCHIE}"));
    assert_eq!(offline.code, 0, "{}", offline.stderr);
    assert_eq!(server.requests().len(), 1);
    drop(server);
    // A collector that is away fails nothing.
    let away = TestEnv::new().with("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:9");
    let ran = away.run(&format!("ask who {ARCHIE}"));
    assert_eq!(ran.code, 0, "{}", ran.stderr);
}

#[test]
fn ignored_mail_stays_unread_unless_the_settings_say_otherwise() {
    for (setting, is_read) in [("", false), ("mark_ignored = true", true)] {
        let env = env_with(&["Sale"]);
        env.write(FILE, &format!("[agents.mail]\n{setting}\n"));
        let ran = env.run(&format!("mail ingest --send {ACCOUNT}"));
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        assert_eq!(env.path("work/mail/read/sale.eml").exists(), is_read);
    }
}

#[test]
fn the_graph_of_the_assistant_has_the_name_it_is_served_under() {
    let env = TestEnv::new();
    let one = env.run("graph email_assistant --mermaid");
    assert_eq!(one.code, 0, "{}", one.stderr);
    assert_eq!(one.stdout, env.run("graph mail --mermaid").stdout);
}

#[test]
fn what_would_break_a_command_is_refused_when_it_is_set_and_named_by_the_doctor() {
    for (key, value, message) in [
        ("agents.sheets.max_steps", "0", "a number from 1"),
        ("agents.sheets.sandbox", "bogus", "bogus"),
        ("agents.sheets.planner_model", "bogus:x", "no provider"),
        (
            "agents.atris.hosts", "[\"http://a.example\"]", "over https only",
        ),
        ("agents.docs.depth", "shallow", "quick, normal or deep"),
        ("agents.docs.profile", "tiny", "strong or small"),
        ("agents.archie.document_tokens", "0", "a number above 0"),
        ("agents.archie.prompts.final", "gone.md", "gone.md"),
        ("agents.mail.prompts.triage", "gone.md", "gone.md"),
        ("agents.mail.working_hours", "nine", "09:00-17:00"),
        ("model", "gpt-4o", "did you mean `openai:gpt-4o`?"),
        ("model", "local:defualt", "did you mean `default`?"),
        ("model", "script:gone.jsonl", "does not exist"),
        ("models.triage_routr", "local:tiny", "`triage_router`?"),
        ("models.kpi", "bogus:x", "no provider"),
    ] {
        let env = TestEnv::new();
        let ran = env.run_words(&["config", "set", key, value]);
        assert_eq!(ran.code, 2, "{key}: {}", ran.stderr);
        assert!(ran.stderr.contains(message), "{key}: {}", ran.stderr);
        assert!(!env.path(FILE).exists(), "nothing was stored: {key}");
        // The same, written by hand.
        let (table, name) = match key.rsplit_once('.') {
            Some((table, name)) => (format!("[{table}]\n"), name),
            None => (String::new(), key),
        };
        let is_plain = value.starts_with('[') || value == "0";
        let value = match is_plain {
            true => value.to_owned(),
            false => format!("\"{value}\""),
        };
        env.write(FILE, &format!("{table}{name} = {value}\n"));
        let doctor = env.run("doctor --offline");
        assert_eq!(doctor.code, 1, "{key}: {}", doctor.stdout);
        let told = doctor.stdout.lines().filter(|line| line.contains(message));
        assert!(told.count() >= 1, "{key}: {}", doctor.stdout);
    }
    // What is wrong elsewhere keeps nobody from correcting something, and the doctor names all of it.
    let env = TestEnv::new();
    env.write(
        FILE,
        "[agents.sheets]\nmax_steps = 0\n[agents.docs]\ndepth = \"x\"\n",
    );
    let doctor = env.run("doctor --offline").stdout;
    assert!(
        doctor.contains("max_steps") && doctor.contains("depth"),
        "{doctor}"
    );
    let set = env.run("config set agents.docs.depth deep");
    assert_eq!(set.code, 0, "{}", set.stderr);
    let set = env.run("config set agents.sheets.max_steps 9");
    assert_eq!(set.code, 0, "{}", set.stderr);
    let doctor = env.run("doctor --offline");
    assert_eq!(doctor.code, 0, "{}", doctor.stdout);
    // A folder of mail that is gone is found without opening the account.
    env.write(
        FILE,
        "[agents.mail]\nfolder = \"~/gone\"\nowner = \"me@example.org\"\n",
    );
    let doctor = env.run("doctor --offline");
    assert_eq!(doctor.code, 1, "{}", doctor.stdout);
    assert!(
        doctor.stdout.contains("there is no folder"),
        "{}",
        doctor.stdout
    );
}

#[test]
fn a_spreadsheet_is_planned_by_the_model_of_its_node() {
    let env = TestEnv::new();
    let demo = concat!(env!("CARGO_MANIFEST_DIR"), "/../agents/sheets/demo");
    std::fs::copy(format!("{demo}/sales.xlsx"), env.path("work/sales.xlsx")).unwrap();
    let folder = "home/.config/superstep";
    let own = std::fs::read_to_string(format!("{demo}/replies.jsonl")).unwrap();
    env.write(&format!("{folder}/own.jsonl"), &own);
    env.write(
        &format!("{folder}/nobody.jsonl"),
        "{\"when\": {\"contains\": \"never said\"}, \"text\": \"no\"}\n",
    );
    env.write(
        FILE,
        "model = \"script:nobody.jsonl\"\n[models]\nplanner_node = \"script:own.jsonl\"\n",
    );
    let instruction = "Add the revenue of each sale, and a sheet with the sums by region";
    let ran = env.run_words(&[
        "sheet", "run", "sales.xlsx", "-i", instruction, "-o", "out.xlsx",
    ]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(env.path("work/out.xlsx").exists());
}

#[test]
fn prompts_of_the_assistant_come_from_the_settings() {
    let env = env_with(&["Lunch"]);
    let folder = "home/.config/superstep";
    env.write(
        &format!("{folder}/triage.md"),
        "Only beekeepers write to {{owner}}. What they want: {{preferences}}",
    );
    env.write(
        &format!("{folder}/own.jsonl"),
        r#"{"when": {"schema": "triage", "anywhere": "Only beekeepers write to me@example.org"}, "data": {"reasoning": "so", "classification": "ignore", "suspicious": false, "security_notice": false, "urgency": "soon", "language": "English"}}
"#,
    );
    env.write(FILE, "model = \"script:own.jsonl\"\n");
    let set = env.run("config set agents.mail.prompts.triage triage.md");
    assert_eq!(set.code, 0, "{}", set.stderr);
    let ran = env.run("mail ingest --folder mail --owner me@example.org");
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stdout.contains("ignore, done  Lunch"), "{}", ran.stdout);
    // A text that would not be filled is named with what is meant.
    env.write(&format!("{folder}/triage.md"), "{{ownr}} {{preferences}}");
    let ran = env.run("mail ingest --folder mail --owner me@example.org");
    assert_eq!(ran.code, 2, "{}", ran.stderr);
    assert!(
        ran.stderr.contains("did you mean `owner`?"),
        "{}",
        ran.stderr
    );
}

//! Files that come with a project are data: they say nothing about files outside of their folder, send
//! nothing anywhere without consent, and have no say in what happens to mail.

use std::{
    fs,
    io::{ErrorKind, Read, Write},
    net::TcpListener,
};

use crate::{
    env::{Ran, TestEnv, mode},
    post,
    terminal::Terminal,
};

/// A server of the project that refuses every key, and what it was sent.
struct Server {
    listener: TcpListener,
}

impl Server {
    fn new() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        Self { listener }
    }

    fn model(&self) -> String {
        let port = self.listener.local_addr().unwrap().port();
        format!("openai@http://127.0.0.1:{port}/v1:m")
    }

    /// Whether nobody connected so far. Commands have ended when they are asked about.
    fn is_untouched(&self) -> bool {
        self.listener.set_nonblocking(true).unwrap();
        let tried = self.listener.accept();
        self.listener.set_nonblocking(false).unwrap();
        matches!(tried, Err(error) if error.kind() == ErrorKind::WouldBlock)
    }

    /// Refuses one request; what it said.
    fn during(&self, act: impl FnOnce() -> Ran) -> (Ran, String) {
        let listener = self.listener.try_clone().unwrap();
        let serving = std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let mut got = Vec::new();
            let mut buffer = [0; 4096];
            loop {
                let text = String::from_utf8_lossy(&got).into_owned();
                let Some((head, body)) = text.split_once("\r\n\r\n") else {
                    let count = stream.read(&mut buffer).unwrap();
                    got.extend_from_slice(&buffer[..count]);
                    continue;
                };
                let head = head.to_lowercase();
                let length = head.split("content-length: ").nth(1).unwrap();
                let length = length.lines().next().unwrap().trim();
                if body.len() >= length.parse::<usize>().unwrap() {
                    stream
                        .write_all(
                            b"HTTP/1.1 401 no\r\ncontent-length: 0\r\nconnection: close\r\n\r\n",
                        )
                        .unwrap();
                    return text;
                }
                let count = stream.read(&mut buffer).unwrap();
                got.extend_from_slice(&buffer[..count]);
            }
        });
        let ran = act();
        (ran, serving.join().unwrap())
    }
}

/// A project whose file says this.
fn project(text: &str) -> TestEnv {
    let env = TestEnv::new().with_documents();
    env.write("work/superstep.toml", text);
    env
}

fn is_refused(ran: &Ran, code: &str, exit: i32) {
    assert_eq!(ran.code, exit, "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stderr.contains(&format!("[{code}]")), "{}", ran.stderr);
}

#[test]
fn a_prompt_outside_of_the_projects_folder_is_refused_even_with_consent() {
    let server = Server::new();
    let env = project("");
    env.write("home/.ssh/id_ed25519", "PRIVATE KEY");
    let absolute = env.path("home/.ssh/id_ed25519");
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(&absolute, env.path("work/link.md")).unwrap();
        std::os::unix::fs::symlink(env.path("home"), env.path("work/folder")).unwrap();
    }
    let paths = [
        "~/.ssh/id_ed25519",
        "../home/.ssh/id_ed25519",
        "docs/../../home/.ssh/id_ed25519",
        absolute.to_str().unwrap(),
        #[cfg(unix)]
        "link.md",
        #[cfg(unix)]
        "folder/.ssh/id_ed25519",
    ];
    for path in paths {
        let model = server.model();
        let text = format!("model = \"{model}\"\n[agents.archie.prompts]\nsystem = \"{path}\"\n");
        env.write("work/superstep.toml", &text);
        // It cannot be trusted, and says why.
        let ran = env.run("trust --yes");
        is_refused(&ran, "SS5024", 2);
        let ran = env.run("ask what? --inputs docs --model script:FIXTURES/archie.jsonl");
        is_refused(&ran, "SS5023", 3);
        let text = format!("[agents.archie.prompts]\nsystem = \"{path}\"\n");
        env.write("work/superstep.toml", &text);
        let ran = env.run("ask what? --inputs docs --model script:FIXTURES/archie.jsonl");
        is_refused(&ran, "SS5024", 2);
        let message = "superstep.toml:2: `agents.archie.prompts.system` names";
        assert!(ran.stderr.contains(message), "{}", ran.stderr);
        assert!(!ran.stderr.contains("PRIVATE"), "{}", ran.stderr);
    }
    assert!(server.is_untouched());
}

#[test]
fn a_model_of_a_single_node_is_refused_until_the_file_is_trusted() {
    let server = Server::new();
    let env = project(&format!("[models]\nask = \"{}\"\n", server.model()));
    env.write(
        "home/.config/superstep/config.toml",
        "model = \"script:replies.jsonl\"\n",
    );
    env.write("home/.config/superstep/replies.jsonl", r#"{"text": "yes"}"#);
    is_refused(&env.run("ask what? --inputs docs"), "SS5023", 3);
    assert!(server.is_untouched());
}

#[test]
fn an_address_of_a_project_gets_nothing_until_the_file_is_trusted() {
    let server = Server::new();
    let env = project(&format!("model = \"{}\"\n", server.model()));
    env.write(
        "home/.config/superstep/config.toml",
        "model = \"local:default\"\n",
    );
    // No run agrees on its own, whatever it is told to agree to.
    for line in [
        "model chat hi",
        "model chat hi --yes",
        "model chat hi --no-input",
        "ask what? --inputs docs -y",
        "analyze --query what --inputs docs --approve-after 1 -y",
        "model test",
        "model show",
    ] {
        let ran = env.run(line);
        is_refused(&ran, "SS5023", 3);
        for message in [
            "HERE/work/superstep.toml", "`model` (line 1)", "superstep trust",
        ] {
            assert!(ran.stderr.contains(message), "{line}: {}", ran.stderr);
        }
    }
    let asked = env.run_with("trust", "y\nyes\n");
    is_refused(&asked, "SS6021", 3);
    assert!(
        asked.stdout.contains("sends content to http://127.0.0.1:"),
        "{}",
        asked.stdout
    );
    is_refused(&env.run("model chat hi"), "SS5023", 3);
    assert!(server.is_untouched());

    assert_eq!(env.run("trust --yes").code, 0);
    let (ran, got) = server.during(|| env.run("model chat hello-there"));
    assert_eq!(ran.code, 4, "{}", ran.stderr);
    assert!(got.contains("hello-there"), "{got}");
    assert!(ran.stderr.contains("superstep.toml:1"), "{}", ran.stderr);

    // A changed file asks again, and one that is as it was does not.
    let text = env.read("work/superstep.toml");
    env.write("work/superstep.toml", &format!("{text}# more\n"));
    let ran = env.run("model chat hi");
    is_refused(&ran, "SS5023", 3);
    assert!(
        ran.stderr.contains("changed since you trusted it"),
        "{}",
        ran.stderr
    );
    env.write("work/superstep.toml", &text);
    let (ran, _) = server.during(|| env.run("model chat hi"));
    assert_eq!(ran.code, 4, "{}", ran.stderr);

    assert_eq!(env.run("trust --revoke").code, 0);
    is_refused(&env.run("model chat hi"), "SS5023", 3);
    assert!(server.is_untouched());
}

#[test]
fn a_consent_is_for_one_folder() {
    let env = project("model = \"anthropic\"\n");
    assert_eq!(env.run("trust --yes").code, 0);
    let text = env.read("work/superstep.toml");
    env.write("work/below/superstep.toml", &text);
    let ran = env.run("trust below");
    is_refused(&ran, "SS6021", 3);
    let ran = env.run("trust below/superstep.toml --json");
    assert_eq!(ran.events()[0]["state"], "not trusted");
}

#[test]
fn a_person_at_a_terminal_is_asked_and_no_is_the_default() {
    let env = project("model = \"anthropic\"\n");
    for (answer, code, state) in [
        ("", 3, "not trusted"),
        ("n", 3, "not trusted"),
        ("y", 0, "trusted"),
    ] {
        let terminal = Terminal::run(&env, "trust");
        terminal.shows("sends content to anthropic").prompts(1);
        terminal.say(answer);
        assert_eq!(terminal.end(), code, "{answer}");
        let ran = env.run("trust --json");
        assert_eq!(ran.events()[0]["state"], state);
    }
}

#[test]
fn what_was_shown_is_what_was_agreed_to() {
    let env = project("model = \"anthropic\"\n");
    let terminal = Terminal::run(&env, "trust");
    terminal.shows("sends content to anthropic").prompts(1);
    env.write("work/superstep.toml", "model = \"openai\"\n");
    terminal.say("y");
    assert_eq!(terminal.end(), 0);
    let ran = env.run("model chat hi");
    is_refused(&ran, "SS5023", 3);
    assert!(
        ran.stderr.contains("changed since you trusted it"),
        "{}",
        ran.stderr
    );
}

#[test]
fn a_file_that_is_ignored_is_as_good_as_none() {
    let env = project("model = \"anthropic\"\n[agents.archie]\nkeywords = [\"go\"]\n");
    assert_eq!(env.run("trust --ignore").code, 0);
    let ran = env.run("model show --no-input");
    is_refused(&ran, "SS5016", 3);
    assert!(
        ran.stdout.contains("ignored (superstep trust)"),
        "{}",
        ran.stdout
    );
    let ran = env.run("config show");
    assert!(!ran.stdout.contains("agents.archie"), "{}", ran.stdout);
    // It stays out when it changes, and can be taken back.
    env.write("work/superstep.toml", "model = \"openai\"\n");
    assert_eq!(env.run("trust --json").events()[0]["state"], "ignored");
    assert_eq!(env.run("trust --revoke").code, 0);
    is_refused(&env.run("model show"), "SS5023", 3);
    assert_eq!(env.run("trust --yes --ignore").code, 2);
}

#[test]
fn the_yes_of_a_shell_trusts_no_file() {
    let env = project("model = \"anthropic\"\n");
    let ran = env.run_with("--yes shell", "trust\n");
    is_refused(&ran, "SS6021", 3);
    assert_eq!(env.run("trust list --json").events().len(), 0);
    let ran = env.run_with("shell", "trust --yes\n");
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(env.run("trust --json").events()[0]["state"], "trusted");
}

#[test]
fn a_broken_file_can_be_ignored_and_stays_ignored() {
    let env = project("");
    let file = env.path("work/superstep.toml");
    let broken: &[(&str, &dyn Fn())] = &[
        ("a database", &|| fs::write(&file, "db = \"x\"\n").unwrap()),
        ("no TOML", &|| fs::write(&file, "model = [").unwrap()),
        ("a folder", &|| fs::create_dir(&file).unwrap()),
        #[cfg(unix)]
        ("a pipe", &|| {
            let made = std::process::Command::new("mkfifo").arg(&file).status();
            assert!(made.unwrap().success());
        }),
        #[cfg(unix)]
        ("a link to itself", &|| {
            std::os::unix::fs::symlink("superstep.toml", &file).unwrap();
        }),
    ];
    let clear = || {
        let _none = fs::remove_file(&file).or_else(|_| fs::remove_dir(&file));
    };
    let goes_on = |what: &str| {
        for line in ["config show", "threads import none archie-1", "trust list"] {
            let ran = env.run(line);
            assert!(
                !ran.stderr.contains("SS5019"),
                "{what}: {line}: {}",
                ran.stderr
            );
        }
        let ran = env.run("ask what? --inputs docs --model script:FIXTURES/archie.jsonl");
        assert_eq!(ran.code, 0, "{what}: {}", ran.stderr);
    };
    for (what, make) in broken {
        clear();
        make();
        if *what != "a link to itself" {
            is_refused(&env.run("trust --yes"), "SS5019", 2);
            is_refused(&env.run("config show"), "SS5019", 2);
        }
        let ran = env.run("trust --ignore --json");
        assert_eq!(ran.code, 0, "{what}: {}", ran.stderr);
        assert_eq!(ran.events()[0]["state"], "ignored");
        goes_on(what);
        assert_eq!(env.run("trust list --json").events()[0]["state"], "ignored");
        let ran = env.run("trust --revoke --json");
        assert_eq!(ran.events()[0]["revoked"], true, "{what}: {}", ran.stderr);
    }
    // Ignored while it was sound, it stays so whatever it becomes.
    clear();
    env.write("work/superstep.toml", "model = \"anthropic\"\n");
    assert_eq!(env.run("trust --ignore").code, 0);
    for (what, make) in broken {
        clear();
        make();
        goes_on(what);
    }
    #[cfg(unix)]
    {
        clear();
        env.write("work/other.toml", "model = \"anthropic\"\noffline = true\n");
        std::os::unix::fs::symlink("other.toml", &file).unwrap();
        goes_on("a link");
    }
    let ran = env.run("trust");
    is_refused(&ran, "SS6021", 3);
    assert!(ran.stderr.contains("--revoke"), "{}", ran.stderr);
    assert_eq!(env.run("trust --yes").code, 0);
    assert_eq!(env.run("trust --json").events()[0]["state"], "trusted");
}

#[test]
fn what_needs_no_consent_is_used_without_one() {
    let env = project("model = \"script:s.jsonl\"\n");
    env.write("work/s.jsonl", "{\"text\": \"from the project\"}");
    assert_eq!(env.run("model chat hi").stdout, "from the project\n");
    let ran = env.run("trust --yes");
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stdout.contains("needs no consent"), "{}", ran.stdout);
    assert_eq!(env.run("trust list --json").events().len(), 0);
    // Nor is a missing project an accident.
    fs::remove_file(env.path("work/superstep.toml")).unwrap();
    is_refused(&env.run("trust"), "SS6022", 1);
}

#[test]
fn decisions_are_listed_and_kept_for_their_owner_alone() {
    let env = project("model = \"anthropic\"\n");
    assert_eq!(env.run("trust --yes").code, 0);
    let listed = env.run("trust list --json").events();
    assert_eq!(listed.len(), 1);
    assert_eq!(listed[0]["file"], "HERE/work/superstep.toml");
    assert_eq!(listed[0]["decision"], "trusted");
    assert_eq!(listed[0]["state"], "trusted");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let folder = env.path("home/.local/share/superstep/trust");
        let mode =
            |path: &std::path::Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&folder), 0o700);
        for entry in fs::read_dir(&folder).unwrap() {
            assert_eq!(mode(&entry.unwrap().path()), 0o600);
        }
    }
    // The decision about a project that is gone can be taken back.
    let path = env.path("work/superstep.toml").canonicalize().unwrap();
    fs::remove_file(&path).unwrap();
    assert_eq!(env.run("trust list --json").events()[0]["state"], "gone");
    let ran = env.run_words(&["trust", "--revoke", path.to_str().unwrap(), "--json"]);
    assert_eq!(ran.events()[0]["revoked"], true, "{}", ran.stderr);
    assert_eq!(env.run("trust list --json").events().len(), 0);
}

#[test]
fn a_damaged_decision_is_none() {
    let env = project("model = \"anthropic\"\n");
    assert_eq!(env.run("trust --yes").code, 0);
    let folder = env.path("home/.local/share/superstep/trust");
    let record = fs::read_dir(folder)
        .unwrap()
        .next()
        .unwrap()
        .unwrap()
        .path();
    fs::write(&record, "{\"v\":1").unwrap();
    is_refused(&env.run("model chat hi"), "SS5023", 3);
    assert_eq!(env.run("trust --yes").code, 0);
    assert_eq!(env.run("trust --json").events()[0]["state"], "trusted");
}

#[cfg(unix)]
#[test]
fn a_project_that_others_can_change_is_not_used_unasked() {
    let env = project("[agents.archie]\nkeywords = [\"go\"]\n");
    let folder = env.path("work");
    mode(&folder, 0o777);
    let line = "ask what? --inputs docs --model script:FIXTURES/archie.jsonl";
    let ran = env.run(line);
    is_refused(&ran, "SS5023", 3);
    let message = "others can write to its folder (mode 777)";
    assert!(ran.stderr.contains(message), "{}", ran.stderr);
    // What takes nothing from it is not stopped, even if it makes no sense.
    env.write("work/superstep.toml", "= what");
    mode(&folder, 0o777);
    for line in [
        "model chat --model script:FIXTURES/talk.jsonl a",
        "config show",
        "doctor",
    ] {
        let ran = env.run(line);
        assert_eq!(ran.code, 0, "{line}: {}", ran.stderr);
    }
    is_refused(&env.run("trust --yes"), "SS5019", 2);
    assert_eq!(env.run("trust --ignore").code, 0);
    assert_eq!(env.run("trust --revoke").code, 0);
    env.write("work/superstep.toml", "");
    mode(&env.path("work/superstep.toml"), 0o666);
    assert_eq!(env.run("trust --json").events()[0]["in_force"], false);
}

#[test]
fn what_a_file_says_does_not_pass_for_what_trust_says() {
    let model = "openai@http://x.example/v1:m\\n/etc/superstep.toml  trusted\\u001b[2K";
    let env = project(&format!("model = \"{model}\"\n"));
    let ran = env.run("trust");
    is_refused(&ran, "SS6021", 3);
    assert!(!ran.stdout.contains("\n/etc"), "{}", ran.stdout);
    assert!(!ran.stdout.contains('\u{1b}'), "{}", ran.stdout);
}

#[test]
fn letters_that_look_like_others_are_revealed() {
    let env = project("model = \"openai@https://\u{430}pi.openai.com/v1:m\"\n");
    let ran = env.run("trust");
    let message = "sends content to https://<U+0430>pi.openai.com/v1";
    assert!(ran.stdout.contains(message), "{}", ran.stdout);
    assert!(ran.stdout.contains("not ASCII"), "{}", ran.stdout);
}

#[test]
fn settings_and_the_doctor_tell_whether_the_file_is_trusted() {
    let env = project("model = \"anthropic\"\n");
    let message = |line: &str| env.run(line).stdout;
    let shown = message("config show --origin");
    assert!(!shown.contains("anthropic"), "{shown}");
    let state = "project = HERE/work/superstep.toml: not trusted, so it is not in force";
    assert!(shown.contains(state), "{shown}");
    let doctor = env.run("doctor");
    assert_eq!(doctor.code, 0, "{}", doctor.stdout);
    let state = "HERE/work/superstep.toml: not trusted, not in force";
    assert!(doctor.stdout.contains(state), "{}", doctor.stdout);
    assert_eq!(env.run("trust --yes").code, 0);
    let shown = message("config show --origin");
    assert!(
        shown.contains("model = anthropic  HERE/work/superstep.toml:1"),
        "{shown}"
    );
    assert!(
        shown.contains("project = HERE/work/superstep.toml: trusted"),
        "{shown}"
    );
    let rows = env.run("config show --json").events();
    assert_eq!(rows.last().unwrap()["in_force"], true);
}

#[test]
fn the_doctor_says_of_a_file_that_is_refused_that_it_is() {
    let env = project("[agents.archie.prompts]\nsystem = \"../outside\"\n");
    let doctor = env.run("doctor --offline");
    assert_eq!(doctor.code, 1, "{}", doctor.stdout);
    let told = "HERE/work/superstep.toml is refused: ";
    assert!(doctor.stdout.contains(told), "{}", doctor.stdout);
    let said = doctor.stdout.contains("needs no consent");
    assert!(!said, "{}", doctor.stdout);
}

#[test]
fn mail_does_not_go_to_a_model_of_the_project() {
    let server = Server::new();
    let env = post::env_with(&["Lunch"]);
    let user = format!(
        "model = \"script:{}/tests/fixtures/mail.jsonl\"\n",
        env!("CARGO_MANIFEST_DIR")
    );
    env.write("home/.config/superstep/config.toml", &user);
    let account = "--folder mail --owner me@example.org";
    // A model that needs no consent, one without consent, one with it.
    env.write(
        "work/evil.jsonl",
        "{\"text\": \"EVIL\", \"repeat\": \"always\"}",
    );
    for (text, trust) in [
        ("model = \"script:evil.jsonl\"\n".to_owned(), false),
        (format!("model = \"{}\"\n", server.model()), false),
        (format!("model = \"{}\"\n", server.model()), true),
    ] {
        env.write("work/superstep.toml", &text);
        if trust {
            assert_eq!(env.run("trust --yes").code, 0);
        }
        let ran = env.run(&format!("mail ingest {account}"));
        assert!(ran.stderr.contains("config.toml:1"), "{}", ran.stderr);
        assert!(!ran.stderr.contains("EVIL"), "{}", ran.stderr);
    }
    let id = post::question(&env);
    let ran = env.run(&format!("inbox accept {id} {account}"));
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stderr.contains("config.toml:1"), "{}", ran.stderr);
    assert!(server.is_untouched());
    // Flag and environment are the user's own words.
    post::put(&env, "Dinner", "And then?");
    let ran = env.run(&format!(
        "mail ingest {account} --model script:nowhere.jsonl"
    ));
    assert!(ran.stderr.contains("nowhere.jsonl"), "{}", ran.stderr);
}

#[test]
fn model_show_and_the_doctor_tell_what_mail_uses() {
    let env = project("model = \"script:s.jsonl\"\n");
    env.write("work/s.jsonl", "{\"text\": \"x\"}");
    env.write("home/mine.jsonl", "{\"text\": \"x\"}");
    let shown = env.run("model show").stdout;
    let message = "mail and other data outside the project's folder do not use it: no model";
    assert!(shown.contains(message), "{shown}");
    let user = "model = \"script:../../mine.jsonl\"\n";
    env.write("home/.config/superstep/config.toml", user);
    let shown = env.run("model show --json").events();
    let elsewhere = shown[0]["elsewhere"]["model"].as_str().unwrap();
    assert!(elsewhere.contains("config.toml:1"), "{elsewhere}");
    let doctor = env.run("doctor").stdout;
    assert!(
        doctor.contains("mail is not in the project's folder"),
        "{doctor}"
    );
}

#[test]
fn documents_elsewhere_do_not_go_to_a_model_of_the_project() {
    let env = project("model = \"script:mine.jsonl\"\n");
    env.write(
        "work/mine.jsonl",
        "{\"text\": \"of the project\", \"repeat\": \"always\"}",
    );
    env.write(
        "home/users.jsonl",
        "{\"text\": \"of the user\", \"repeat\": \"always\"}",
    );
    env.write("home/papers/a.md", "private");
    let user = "model = \"script:../../users.jsonl\"\n";
    env.write("home/.config/superstep/config.toml", user);
    #[cfg(unix)]
    std::os::unix::fs::symlink(env.path("home/papers"), env.path("work/link")).unwrap();
    for (inputs, answer) in [
        ("docs", "of the project\n"),
        ("../work/docs", "of the project\n"),
        ("../home/papers", "of the user\n"),
        #[cfg(unix)]
        ("link", "of the user\n"),
    ] {
        let ran = env.run(&format!("ask what? --inputs {inputs}"));
        assert_eq!(ran.stdout, answer, "{inputs}: {}", ran.stderr);
    }
}

#[test]
fn a_thread_of_elsewhere_does_not_go_on_with_a_model_of_the_project() {
    let env = project("model = \"script:mine.jsonl\"\n");
    env.write(
        "work/mine.jsonl",
        "{\"text\": \"of the project\", \"repeat\": \"always\"}",
    );
    let begun = env.run(
        "analyze --query what --inputs ../home --glob *.md --model script:FIXTURES/archie.jsonl",
    );
    env.write("home/papers/a.md", "private");
    assert_eq!(begun.code, 1, "there is nothing to read: {}", begun.stderr);
    let begun = env
        .run("analyze --query what --inputs ../home/papers --model script:FIXTURES/archie.jsonl");
    assert_eq!(begun.code, 3, "{}", begun.stderr);
    let line = format!("threads resume {}", begun.thread());
    let ran = env.run_with(&line, "go on\n");
    is_refused(&ran, "SS5016", 3);
    assert!(!ran.stdout.contains("of the project"), "{}", ran.stdout);

    let begun = env.run_with("analyze --query what --inputs docs", "");
    assert_eq!(begun.code, 3, "{}", begun.stderr);
    let line = format!("threads resume {}", begun.thread());
    let ran = env.run_with(&line, "and then?\n");
    assert!(
        ran.stdout.contains("of the project"),
        "{}{}",
        ran.stdout,
        ran.stderr
    );
}

#[test]
fn what_archie_remembers_does_not_go_to_a_model_of_the_project() {
    let env = project("model = \"script:mine.jsonl\"\n");
    env.write(
        "work/mine.jsonl",
        "{\"text\": \"x\", \"repeat\": \"always\"}",
    );
    let ran = env.run("analyze --query what --inputs docs --approve-after 1");
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stderr.contains("memory: not used"), "{}", ran.stderr);
    assert!(!env.path("home/.local/share/superstep/archie.json").exists());
}

#[test]
fn a_recording_destroys_no_file() {
    let env = TestEnv::new();
    for (name, text) in [
        ("precious.txt", "one line\nand one without an end"),
        ("settings.json", "{\"editor\": \"vi\"}"),
        ("notes.jsonl", "{\"a\": 1}\n{\"b\": 2}\n"),
    ] {
        env.write(&format!("work/{name}"), text);
        for mode in ["record", "auto"] {
            let model = format!("cassette:{name}?{mode}=script:FIXTURES/talk.jsonl");
            let ran = env.run(&format!("model chat hi --model {model}"));
            is_refused(&ran, "SS5025", 1);
            assert_eq!(env.read(&format!("work/{name}")), text);
        }
    }
}

#[test]
fn a_project_does_not_write_outside_of_its_folder_nor_unasked_within() {
    let env = project("");
    env.write(
        "work/s.jsonl",
        "{\"text\": \"$(touch pwned)\", \"repeat\": \"always\"}",
    );
    fs::create_dir_all(env.path("work/deep")).unwrap();
    let absolute = env.path("home/.bash_aliases");
    #[cfg(unix)]
    std::os::unix::fs::symlink(&absolute, env.path("work/link.jsonl")).unwrap();
    let files = [
        "../home/.bash_aliases",
        "deep/../../home/.bash_aliases",
        "~/.bash_aliases",
        absolute.to_str().unwrap(),
        #[cfg(unix)]
        "link.jsonl",
    ];
    for file in files {
        for mode in ["record", "auto"] {
            let text = format!("model = \"cassette:{file}?{mode}=script:s.jsonl\"\n");
            env.write("work/superstep.toml", &text);
            is_refused(&env.run("model chat hi"), "SS5023", 3);
            is_refused(&env.run("trust --yes"), "SS5024", 2);
            is_refused(&env.run("model chat hi"), "SS5023", 3);
            assert!(!absolute.exists());
        }
    }
    env.write(
        "work/superstep.toml",
        "model = \"cassette:tape.jsonl?record=script:s.jsonl\"\n",
    );
    is_refused(&env.run("model chat hi"), "SS5023", 3);
    assert!(!env.path("work/tape.jsonl").exists());
    assert_eq!(env.run("trust --yes").code, 0);
    let ran = env.run("model chat hi");
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(env.read("work/tape.jsonl").ends_with("}\n"));
    // A link that is put in its place after the consent leads nowhere.
    #[cfg(unix)]
    {
        fs::remove_file(env.path("work/tape.jsonl")).unwrap();
        std::os::unix::fs::symlink(&absolute, env.path("work/tape.jsonl")).unwrap();
        is_refused(&env.run("model chat hi"), "SS5024", 2);
        assert!(!absolute.exists());
    }
}

#[cfg(unix)]
#[test]
fn a_pipe_in_place_of_a_file_blocks_nothing() {
    let env = project("");
    let pipe = env.path("work/pipe");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.unwrap().success());
    env.write("work/s.jsonl", "{\"text\": \"x\", \"repeat\": \"always\"}");
    for model in [
        "script:pipe",
        "local:pipe",
        "cassette:pipe",
        "cassette:pipe?record=script:s.jsonl",
    ] {
        env.write("work/superstep.toml", &format!("model = \"{model}\"\n"));
        assert_eq!(env.run("trust --yes").code, 0);
        let ran = env.run("model chat hi");
        assert_eq!(ran.code, 1, "{model}: {}", ran.stderr);
        let message = "it is not a regular file";
        assert!(ran.stderr.contains(message), "{model}: {}", ran.stderr);
    }
    let prompts = "[agents.archie.prompts]\nsystem = \"pipe\"\n";
    env.write("work/superstep.toml", prompts);
    let ran = env.run("ask what? --inputs docs --model script:s.jsonl");
    assert_eq!(ran.code, 2, "{}", ran.stderr);
    fs::remove_file(env.path("work/superstep.toml")).unwrap();
    fs::rename(&pipe, env.path("work/superstep.toml")).unwrap();
    is_refused(&env.run("model show"), "SS5019", 2);
}

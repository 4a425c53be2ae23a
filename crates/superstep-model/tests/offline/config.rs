//! Settings from files: what counts, where it comes from, and what is refused.

use std::{fs, path::Path};

use superstep_model::config::{Config, Origin, Scope};

fn refused(scope: Scope, text: &str) -> String {
    let error = Config::parse(Path::new("f.toml"), scope, text).unwrap_err();
    assert_eq!(error.code(), "SS5019");
    error.to_string()
}

#[test]
fn every_value_knows_its_line() {
    let text = "# mine\nmodel = \"anthropic\"\noffline = true\ndb = \"a.db\"\n\n[models]\ntriage = \
                \"local:tiny\"\n\n[providers.openai]\nbase_url = \"http://127.0.0.1:1/v1\"\n\
                key_env = \"MY_KEY\"\nkey_cmd = \"pass show x\"\nkey_file = \"key\"\nmodel = \"m\"\n";
    let file = Config::parse(Path::new("dir/config.toml"), Scope::User, text).unwrap();
    let place = |line| Origin::File {
        scope: Scope::User,
        path: "dir/config.toml".into(),
        line,
    };
    assert_eq!(file.model.unwrap().origin, place(2));
    assert_eq!(file.offline.unwrap().origin, place(3));
    let db = file.db.unwrap();
    assert_eq!(
        (db.value.as_path(), db.origin),
        (Path::new("dir/a.db"), place(4))
    );
    assert_eq!(file.models["triage"].origin, place(7));
    let openai = &file.providers["openai"];
    let key = openai.key_cmd.clone().unwrap();
    assert_eq!(
        (&*key.value, key.origin.clone()),
        ("pass show x", place(12))
    );
    assert_eq!(key.origin.to_string(), "dir/config.toml:12");
}

#[test]
fn mistakes_are_named_with_their_line_and_what_was_meant() {
    for (text, why) in [
        ("a = 1", "f.toml:1: unknown key `a`"),
        (
            "\nmodle = \"x\"",
            "f.toml:2: unknown key `modle`; did you mean `model`?",
        ),
        (
            "[providers.x]\nbase_ulr = \"x\"",
            "f.toml:2: unknown key `base_ulr`; did you mean `base_url`?",
        ),
        ("model = 1", "f.toml:1: `model` must be text, not integer"),
        ("model = \" \"", "f.toml:1: `model` is empty"),
        (
            "offline = \"yes\"",
            "f.toml:1: `offline` must be true or false, not string",
        ),
        (
            "models = \"x\"",
            "f.toml:1: `models` must be a table, not string",
        ),
        (
            "[providers.openai]\nkey = \"k\"",
            "f.toml:2: keys do not belong in this file",
        ),
        ("model = \"a\"\nmodel = \"b\"", "f.toml:2: "),
        ("model = ", "f.toml:1: "),
    ] {
        let told = refused(Scope::User, text);
        assert!(told.contains(why), "{told}");
    }
}

#[test]
fn a_project_does_not_say_where_keys_and_data_go() {
    for text in [
        "db = \"x\"",
        "[providers.openai]\nbase_url = \"https://evil.example\"",
    ] {
        let told = refused(Scope::Project, text);
        assert!(told.contains("belongs in the user's file"), "{told}");
    }
}

#[test]
fn the_project_is_found_from_below_and_counts_before_the_user() {
    let folder = tempfile::tempdir().unwrap();
    let below = folder.path().join("a/b");
    fs::create_dir_all(&below).unwrap();
    let user = folder.path().join("config.toml");
    assert_eq!(Config::load(&below, Some(&user)).unwrap().files.len(), 0);

    fs::write(folder.path().join("superstep.toml"), "model = \"script:p\"").unwrap();
    fs::write(&user, "model = \"script:u\"\noffline = true").unwrap();
    let config = Config::load(&below, Some(&user)).unwrap();
    let models: Vec<String> = config
        .files
        .iter()
        .map(|file| file.model.clone().unwrap().value)
        .collect();
    assert_eq!(models, ["script:p", "script:u"]);

    fs::write(folder.path().join("a/superstep.toml"), "offline = false").unwrap();
    let config = Config::load(&below, Some(&user)).unwrap();
    let project = config.file(Scope::Project).unwrap();
    assert!(project.path.ends_with("a/superstep.toml"));
    assert!(config.offline().is_some(), "a project cannot take it back");
}

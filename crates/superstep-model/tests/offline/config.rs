//! Settings from files: what counts, where it comes from, and what is refused.

use std::{fs, path::Path};

use superstep_model::config::{Config, Decision, Origin, ProjectFile, Scope, Trust};

fn load(folder: &Path, user: &Path) -> Result<Config, superstep_model::ModelError> {
    Config::load(folder, Some(user), |_| None)
}

/// A file for everybody to read and its owner to write, whatever the umask is.
fn put(path: &Path, text: &str) {
    fs::write(path, text).unwrap();
    mode(path, 0o644);
}

fn mode(path: &Path, mode: u32) {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }
    #[cfg(not(unix))]
    let _ = (path, mode);
}

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
    let place = |key: &str, line| Origin::File {
        scope: Scope::User,
        path: "dir/config.toml".into(),
        key: key.into(),
        line,
    };
    assert_eq!(file.model.unwrap().origin, place("model", 2));
    assert_eq!(file.offline.unwrap().origin, place("offline", 3));
    let db = file.db.unwrap();
    assert_eq!(
        (db.value.as_path(), db.origin),
        (Path::new("dir/a.db"), place("db", 4))
    );
    assert_eq!(file.models["triage"].origin, place("models.triage", 7));
    let openai = &file.providers["openai"];
    let key = openai.key_cmd.clone().unwrap();
    assert_eq!(
        (&*key.value, key.origin.clone()),
        ("pass show x", place("providers.openai.key_cmd", 12))
    );
    assert_eq!(key.origin.to_string(), "dir/config.toml:12");
}

#[test]
fn mistakes_are_named_with_their_line_and_what_was_meant() {
    for (text, why) in [
        (
            "[providers.openai]\nat_once = 0",
            "f.toml:2: `at_once` must be a whole number from 1",
        ),
        (
            "[providers.openai]\neffort = \"huge\"",
            "f.toml:2: `effort` must be low, medium or high",
        ),
        (
            "[prices]\nmine = { input = 1, output = 2 }",
            "f.toml:2: `mine` is not `provider:model`",
        ),
        (
            "[prices]\n\"a:b\" = { input = -1, output = 2 }",
            "f.toml:2: `input` must be an amount of dollars",
        ),
        (
            "[prices]\n\"a:b\" = { input = 1 }",
            "f.toml:2: `a:b` must be a table with `input` and `output`",
        ),
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
        let message = refused(Scope::User, text);
        assert!(message.contains(why), "{message}");
    }
}

#[test]
fn a_project_does_not_say_where_keys_and_data_go() {
    for text in [
        "db = \"x\"",
        "[providers.openai]\nbase_url = \"https://evil.example\"",
        "[prices]\n\"a:b\" = { input = 0, output = 0 }",
    ] {
        let message = refused(Scope::Project, text);
        assert!(message.contains("belongs in the user's file"), "{message}");
    }
}

#[test]
fn the_project_is_found_from_below_and_counts_before_the_user() {
    let folder = tempfile::tempdir().unwrap();
    let below = folder.path().join("a/b");
    fs::create_dir_all(&below).unwrap();
    let user = folder.path().join("config.toml");
    assert_eq!(load(&below, &user).unwrap().files.len(), 0);

    put(
        &folder.path().join("superstep.toml"),
        "model = \"script:p\"",
    );
    fs::write(&user, "model = \"script:u\"\noffline = true").unwrap();
    let config = load(&below, &user).unwrap();
    let models: Vec<String> = config
        .files
        .iter()
        .map(|file| file.model.clone().unwrap().value)
        .collect();
    assert_eq!(models, ["script:p", "script:u"]);

    mode(&folder.path().join("a"), 0o755);
    put(&folder.path().join("a/superstep.toml"), "offline = false");
    let config = load(&below, &user).unwrap();
    let project = config.file(Scope::Project).unwrap();
    assert!(project.path.ends_with("a/superstep.toml"));
    assert!(config.offline().is_some(), "a project cannot take it back");
}

#[test]
fn a_file_that_needs_consent_is_in_force_only_with_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("superstep.toml");
    let user = folder.path().join("config.toml");
    put(&path, "model = \"openai:m\"\noffline = true\n");
    let with = |decision: Option<Decision>| {
        Config::load(folder.path(), Some(&user), |_| decision.clone()).unwrap()
    };
    let trusted = |file: &ProjectFile| Decision::Trusted {
        digest: file.digest.clone(),
    };
    let config = with(None);
    let project = config.project.clone().unwrap();
    assert_eq!(project.trust, Trust::Missing);
    assert_eq!(project.reasons[0].key.as_deref(), Some("model"));
    assert_eq!(config.files.len(), 0);
    assert!(config.offline().is_some(), "to forbid needs no consent");

    let config = with(Some(trusted(&project)));
    assert_eq!(
        (config.files.len(), config.project.unwrap().trust),
        (1, Trust::Given)
    );
    let config = with(Some(Decision::Ignored));
    assert_eq!(
        (config.files.len(), config.project.as_ref().unwrap().trust),
        (0, Trust::Ignored)
    );
    assert!(config.offline().is_none());

    put(&path, "model = \"openai:other\"\n");
    let config = with(Some(trusted(&project)));
    assert_eq!(
        (config.files.len(), config.project.unwrap().trust),
        (0, Trust::Changed)
    );
    put(&path, "model = \"script:s\"\n");
    let config = with(Some(trusted(&project)));
    assert_eq!(
        (config.files.len(), config.project.unwrap().trust),
        (1, Trust::NotNeeded)
    );
}

#[cfg(unix)]
#[test]
fn a_file_that_others_can_write_needs_consent_whatever_it_says() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().canonicalize().unwrap();
    let path = folder.join("superstep.toml");
    let user = folder.join("config.toml");
    let why = || {
        let config = load(&folder, &user).unwrap();
        assert_eq!(config.files.len(), 0);
        let project = config.project.unwrap();
        assert_eq!(project.trust, Trust::Missing);
        project
            .reasons
            .into_iter()
            .map(|it| it.what)
            .collect::<Vec<_>>()
    };
    put(&path, "");
    mode(&path, 0o664);
    assert_eq!(why(), ["others can write to it (mode 664)"]);
    mode(&path, 0o644);
    mode(&folder, 0o1777);
    assert_eq!(why(), ["others can write to its folder (mode 1777)"]);
    // What is wrong with such a file does not stop commands that take nothing from it.
    put(&path, "what = [");
    assert_eq!(why().len(), 2);
    mode(&folder, 0o755);
    assert_eq!(load(&folder, &user).unwrap_err().code(), "SS5019");

    fs::remove_file(&path).unwrap();
    put(&folder.join("target"), "");
    std::os::unix::fs::symlink("target", &path).unwrap();
    assert_eq!(
        why(),
        [format!(
            "it is a link to {}",
            folder.join("target").display()
        )]
    );
    fs::remove_file(&path).unwrap();
    std::os::unix::fs::symlink("nothing", &path).unwrap();
    assert_eq!(load(&folder, &user).unwrap().project, None);
}

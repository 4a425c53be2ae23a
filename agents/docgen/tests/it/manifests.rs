//! What manifests ask for, on which lines, and which parts of the code base are theirs.

use superstep_docgen::facts::{DependencyKind, Facts, Lookup};

use crate::support::{facts, tree};

/// Dependencies as `name wanted line`.
fn asked(facts: &Facts) -> Vec<String> {
    let all = facts.dependencies.iter();
    all.map(|it| {
        let wanted = it.wanted.as_deref().unwrap_or("-");
        format!("{} {wanted} {}", it.name, it.line)
    })
    .collect()
}

#[test]
fn a_dependency_of_python_is_on_its_line_however_it_is_spelled() {
    let folder = tree(&[(
        "pyproject.toml",
        "[project]\nname = \"x\"\ndependencies = [\n  \"requests>=2\",\n  \"PyYAML>=6\",\n  \"ruamel.yaml\",\n  \"typing_extensions\",\n]\n",
    )]);
    assert_eq!(
        asked(&facts(folder.path())),
        [
            "pyyaml >=6 5", "requests >=2 4", "ruamel-yaml - 6", "typing-extensions - 7"
        ]
    );
    let facts_of = facts(folder.path());
    let lookup = Lookup::new(&facts_of);
    for name in ["PyYAML", "ruamel.yaml", "typing_extensions"] {
        assert_eq!(lookup.dependency(name).len(), 1, "{name}");
    }
    let folder = tree(&[
        (
            "requirements.txt",
            "# of the service\n\nPillow==10.3.0\nDjango>=4,<5 # web\nrequests==2.31.0 \\\n    --hash=sha256:aa \\\n    --hash=sha256:bb\nflask==3.0.0 --hash=sha256:cc\n",
        ),
        (
            "b/pyproject.toml",
            "[tool.poetry]\nname = \"b\"\n\n[tool.poetry.dependencies]\npython = \"^3.12\"\nhttpx = \"0.27\"\nDjango = \"^5\"\n",
        ),
    ]);
    assert_eq!(
        asked(&facts(folder.path())),
        [
            "django ^5 7", "django >=4,<5 4", "flask ==3.0.0 8", "httpx 0.27 6",
            "pillow ==10.3.0 3", "requests ==2.31.0 5",
        ]
    );
}

#[test]
fn the_line_is_that_of_the_section_and_a_name_that_cannot_be_found_has_none() {
    let folder = tree(&[
        (
            "Cargo.toml",
            "[package]\nname = \"a\"\n[features]\nserde = []\n[dependencies]\nserde = \"1\"\njson = { package = \"serde_json\", version = \"1\" }\n[target.'cfg(unix)'.dependencies]\nlibc = \"0.2\"\n",
        ),
        (
            "web/package.json",
            "{\n  \"name\": \"web\",\n  \"scripts\": {\n    \"jest\": \"jest\"\n  },\n  \"devDependencies\": {\n    \"jest\": \"29\",\n    \"od\\u0064\": \"1\"\n  }\n}\n",
        ),
    ]);
    let facts = facts(folder.path());
    assert_eq!(
        asked(&facts),
        [
            "jest 29 7", "libc 0.2 9", "odd 1 0", "serde 1 6", "serde_json 1 7"
        ]
    );
    let odd = facts.dependencies.iter().find(|it| it.name == "odd");
    assert_eq!(odd.unwrap().place(), "web/package.json");
}

#[test]
fn groups_of_python_are_for_development() {
    let folder = tree(&[(
        "pyproject.toml",
        "[project]\nname = \"x\"\n\n[dependency-groups]\ndev = [\n  \"pytest>=8\",\n  {include-group = \"lint\"},\n]\nlint = [\"ruff\"]\n\n[tool.poetry.group.docs.dependencies]\nSphinx = \"^7\"\n",
    )]);
    let facts = facts(folder.path());
    assert_eq!(asked(&facts), ["pytest >=8 6", "ruff - 9", "sphinx ^7 12"]);
    let is_dev = |kind| kind == DependencyKind::Dev;
    assert!(facts.dependencies.iter().all(|it| is_dev(it.kind)));
}

#[test]
fn gradle_has_three_ways_to_ask_and_its_projects_are_components() {
    let folder = tree(&[
        (
            "settings.gradle",
            "rootProject.name = 'shop'\ninclude 'app', 'core'\n",
        ),
        ("build.gradle", "plugins { id 'java' version '1' }\n"),
        (
            "app/build.gradle",
            "apiVersion = '1'\ndependencies {\n    implementation 'com.google.guava:guava:33.2.0'\n    implementation group: 'commons-io', name: 'commons-io', version: '2.16.1'\n    testImplementation(\"org.junit:junit:5\")\n    implementation project(':core')\n    // implementation 'com.old:old:1.0'\n}\n",
        ),
        ("app/src/App.java", "package app;\npublic class App {}\n"),
        (
            "core/build.gradle.kts",
            "dependencies {\n    api(group = \"a.b\", name = \"c\", version = \"3\")\n}\n",
        ),
        (
            "core/src/Core.java",
            "package core;\npublic class Core {}\n",
        ),
        (
            "cpp/CMakeLists.txt",
            "cmake_minimum_required(VERSION 3.20)\nproject(engine CXX)\nadd_library(engine a.cpp)\n",
        ),
        ("cpp/a.cpp", "int f() { return 1; }\n"),
        ("cpp/sub/CMakeLists.txt", "add_library(sub b.cpp)\n"),
    ]);
    let facts = facts(folder.path());
    assert_eq!(
        asked(&facts),
        [
            "c 3 2", "commons-io 2.16.1 4", "guava 33.2.0 3", "junit 5 5"
        ]
    );
    let components: Vec<String> = facts
        .components
        .iter()
        .map(|it| format!("{} {} {}", it.name, it.folder, it.uses.join(",")))
        .collect();
    assert_eq!(
        components,
        ["shop  ", "app app core", "core core ", "engine cpp "]
    );
}

#[test]
fn what_replaces_a_module_of_go_is_what_is_built() {
    let folder = tree(&[(
        "go.mod",
        "module example.com/m\n\nrequire github.com/spf13/cobra v1.8.0\n\nrequire (\n\tgithub.com/spf13/pflag v1.0.5 // indirect\n\texample.com/near v0.1.0\n)\n\nreplace github.com/spf13/cobra => github.com/me/cobra v1.8.1\nreplace (\n\texample.com/near v0.1.0 => ../near\n)\n",
    )]);
    let facts = facts(folder.path());
    assert_eq!(
        asked(&facts),
        [
            "example.com/near 0.1.0, replaced by ../near 7",
            "github.com/spf13/cobra 1.8.0, replaced by github.com/me/cobra 1.8.1 3",
            "github.com/spf13/pflag 1.0.5 6",
        ]
    );
    let locked: Vec<&[String]> = facts.dependencies.iter().map(|it| &*it.locked).collect();
    assert_eq!(
        locked,
        [&[][..], &["1.8.1".to_owned()], &["1.0.5".to_owned()]]
    );
}

#[test]
fn a_version_that_is_a_property_of_the_same_pom_is_its_value() {
    let folder = tree(&[(
        "pom.xml",
        "<project>\n<artifactId>app</artifactId>\n<version>3.1</version>\n<properties>\n<jackson.version>2.17.1</jackson.version>\n</properties>\n<dependencies>\n<dependency>\n<groupId>c.f</groupId>\n<artifactId>jackson-databind</artifactId>\n<version>${jackson.version}</version>\n</dependency>\n<dependency><artifactId>own</artifactId><version>${project.version}</version></dependency>\n<dependency><artifactId>other</artifactId><version>${parent.one}</version></dependency>\n</dependencies>\n</project>\n",
    )]);
    assert_eq!(
        asked(&facts(folder.path())),
        [
            "jackson-databind 2.17.1 10", "other ${parent.one} 14", "own 3.1 13"
        ]
    );
}

#[test]
fn scripts_of_python_start_in_their_function_wherever_the_sources_are() {
    let starts = |files: &[(&str, &str)]| {
        let folder = tree(files);
        let facts = facts(folder.path());
        let all = facts.entry_points.iter();
        all.map(|it| format!("{} {} {}:{}", it.kind, it.name, it.path, it.line))
            .collect::<Vec<String>>()
    };
    let cli = "import sys\n\ndef run():\n    pass\n";
    assert_eq!(
        starts(&[
            (
                "pyproject.toml",
                "[project]\nname = \"a\"\n[project.scripts]\napp = \"app.cli:run\"\n[project.gui-scripts]\nwin = \"app:window\"\n",
            ),
            ("src/app/cli.py", cli),
            ("src/app/__init__.py", "def window():\n    pass\n"),
        ]),
        [
            "script win src/app/__init__.py:1",
            "script app src/app/cli.py:3"
        ]
    );
    assert_eq!(
        starts(&[
            (
                "svc/pyproject.toml",
                "[tool.poetry]\nname = \"x\"\n[tool.poetry.scripts]\nx = \"x.cli:app\"\ny = { reference = \"x.cli:run\", type = \"console\" }\n",
            ),
            ("svc/lib/x/cli.py", cli),
        ]),
        ["script x svc/lib/x/cli.py:1", "script y svc/lib/x/cli.py:3"]
    );
}

#[test]
fn a_file_of_python_that_does_something_when_it_is_run_is_an_entry_point() {
    let folder = tree(&[
        (
            "tool.py",
            "import os\n\nif __name__ == \"__main__\":\n    print(os)\n",
        ),
        (
            "other.py",
            "def main():\n    pass\n\nif __name__ == '__main__':\n    main()\n",
        ),
        (
            "none.py",
            "def f():\n    if __name__ == '__main__':\n        pass\n",
        ),
    ]);
    let facts = facts(folder.path());
    let all = facts.entry_points.iter();
    let all: Vec<String> = all
        .map(|it| format!("{} {} {}:{}", it.kind, it.name, it.path, it.line))
        .collect();
    assert_eq!(all, ["main main other.py:1", "script __main__ tool.py:3"]);
}

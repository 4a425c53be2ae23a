//! Files that were open before a contained program started.

use std::{fs, process::Command};

#[test]
fn a_contained_program_has_no_descriptor_that_was_open_before() {
    let folder = tempfile::tempdir().unwrap();
    let (secret, written) = (folder.path().join("secret"), folder.path().join("written"));
    fs::write(&secret, "THE-SECRET\n").unwrap();
    fs::write(&written, "").unwrap();
    let keep = r#"{"memory": 1073741824, "seconds": 10, "read": ["/"], "write": [],
        "needs_landlock": false, "parent": null}"#;
    let ran = |before: &str, program: &str| {
        let script = format!("exec 3<\"$SECRET\" 4>\"$WRITTEN\"; exec {before} \"$@\"");
        let ran = Command::new("/bin/sh")
            .args(["-c", &script, "sh", "/bin/sh", "-c", program])
            .env("SECRET", &secret)
            .env("WRITTEN", &written)
            .env("WORKER", env!("CARGO_BIN_EXE_superstep-sandbox-worker"))
            .env("KEEP", keep)
            .output()
            .unwrap();
        String::from_utf8(ran.stdout).unwrap()
    };
    let reads = "read line <&3; echo \"got $line\"";
    let writes = "echo WRITTEN >&4; echo over";
    let contained = "\"$WORKER\" contained \"$KEEP\"";
    // Without the worker they are open.
    assert_eq!(ran("env", reads), "got THE-SECRET\n");
    assert!(!ran(contained, reads).contains("THE-SECRET"));
    ran(contained, writes);
    assert_eq!(fs::read_to_string(&written).unwrap(), "");
    // It was run.
    assert_eq!(ran(contained, "echo over"), "over\n");
}

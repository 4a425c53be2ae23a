//! `superstep model pull`: weights into the cache.

use crate::{args::Global, failure::Failure, output::Output, person::Person};

#[cfg(feature = "local")]
pub(super) async fn run(
    name: &str,
    global: &Global,
    output: &Output,
    person: &mut Person,
) -> Result<(), Failure> {
    use serde_json::json;

    use crate::{
        output::{Form, faint, plain},
        weights, world,
    };

    if let Some(origin) = world::look(global)?.offline {
        return Err(Failure::Usage(format!(
            "nothing is fetched offline ({origin})"
        )));
    }
    let found = weights::pull(name, output, person).await?;
    if output.form == Form::Json {
        return output.json(&json!({
            "path": found.path, "sha256": found.sha256, "bytes": found.size,
            "source": found.source.to_string(),
        }));
    }
    let size = weights::megabytes(found.size);
    output.say(&[faint(format!("{size} from the {}", found.source))]);
    output.data(&[plain(found.path.display())])?;
    output.say(&[faint("next: superstep model test")]);
    Ok(())
}

#[cfg(not(feature = "local"))]
pub(super) async fn run(_: &str, _: &Global, _: &Output, _: &mut Person) -> Result<(), Failure> {
    Err(Failure::Usage(
        "this program was built without the local model".into(),
    ))
}

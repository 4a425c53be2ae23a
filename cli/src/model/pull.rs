//! `superstep model pull`: downloads weights into the cache.

use crate::{app::App, error::Error};

#[cfg(feature = "local")]
pub(super) async fn run(name: &str, app: &mut App<'_>) -> Result<(), Error> {
    use serde_json::json;

    use crate::{
        environment,
        output::{Form, faint, plain},
        weights,
    };

    if let Some(origin) = environment::load(app.global)?.offline {
        return Err(Error::Usage(format!(
            "cannot download while offline ({origin})"
        )));
    }
    let found = weights::pull(name, app).await?;
    if app.output.form == Form::Json {
        return app.output.json(&json!({
            "path": found.path, "sha256": found.sha256, "bytes": found.size,
            "source": found.source.to_string(),
        }));
    }
    let size = weights::megabytes(found.size);
    app.output
        .say(&[faint(format!("{size} from the {}", found.source))]);
    app.output.data(&[plain(found.path.display())])?;
    app.output.say(&[faint("next: superstep model test")]);
    Ok(())
}

#[cfg(not(feature = "local"))]
pub(super) async fn run(_: &str, _: &mut App<'_>) -> Result<(), Error> {
    Err(Error::Usage(
        "this program was built without the local model".into(),
    ))
}

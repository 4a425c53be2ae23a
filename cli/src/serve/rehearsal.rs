//! What agents without a model are served with: the files of their demos in a folder of their own, the replies of their
//! demos, and an input that begins them. Everything else they are asked is refused as before.

use std::{path::PathBuf, sync::Arc};

use serde_json::{Value as Json, json};
use superstep::{
    Backends,
    fs::{Rights, Staged, private_dir},
};
use superstep_archie::Archie;
use superstep_mail::{Address, FolderCalendar, FolderMailbox, MailAgent, MailId};
use superstep_sheets::{Sheets, Versions};

use crate::{
    agents::{self, Rehearsed},
    demo, dirs,
    error::Error,
};

/// What the description of such an agent ends with.
pub(super) const NOTE: &str = " (no model is set up: its example plays scripted replies)";

/// The folder of the demos, with their files.
pub(super) struct Rehearsal {
    folder: PathBuf,
}

impl Rehearsal {
    /// Writes the files of the demos; nothing if there is no place for them.
    pub(super) fn prepare() -> Option<Self> {
        let folder = dirs::data()?.join("demo");
        let written = demo::files().try_for_each(|(name, bytes)| {
            let file = folder.join(name);
            let parent = file.parent().unwrap_or(&folder);
            private_dir(parent)?;
            // They are what they were, whatever an earlier server left of them.
            Staged::new(&file, bytes, Rights::Private)?.replace()
        });
        written.ok().map(|()| Self { folder })
    }

    /// Archie, who knows the documents of his demo.
    pub(super) fn archie(
        &self,
        why: &str,
        mut roots: Vec<PathBuf>,
        backends: Backends,
    ) -> Result<(Archie, Json), Error> {
        let documents = self.folder.join("archie/docs");
        roots.push(documents.clone());
        let settings = superstep_archie::Settings {
            roots: Some(roots),
            ..superstep_archie::Settings::default()
        };
        let marks = &["One service or two", "channel manager", "room inventory"];
        let model = Rehearsed::new(demo::ARCHIE, marks, why)?;
        let agent = Archie::new(Arc::new(model), settings, backends)?;
        let folder = documents.to_string_lossy();
        let input = json!({"user_input": "One service or two?", "inputs": {"folder": folder}});
        Ok((agent, input))
    }

    /// The e-mail assistant over the mails of its demo, in a dry run.
    pub(super) async fn mail(
        &self,
        why: &str,
        backends: Backends,
    ) -> Result<(MailAgent, Json), Error> {
        let owner = Address::new("max@example.com");
        let mailbox = FolderMailbox::open(self.folder.join("mail/mail"), owner)?;
        let calendar = FolderCalendar::open(self.folder.join("mail/meetings"), "Europe/Berlin")?;
        let model = Rehearsed::new(demo::MAIL, &["meeting.eml", "ann@example.org"], why)?;
        let agent = MailAgent::new(
            Arc::new(model),
            Arc::new(mailbox),
            Arc::new(calendar),
            superstep_mail::Settings::default(),
            backends,
        )?;
        let input = agent.email_input(&MailId("meeting.eml".into())).await?;
        Ok((agent, json!({ "email_input": input })))
    }

    /// The spreadsheet agent with the workbook of its demo.
    pub(super) fn sheets(
        why: &str,
        versions: Arc<dyn Versions>,
        backends: Backends,
    ) -> Result<(Sheets, Json), Error> {
        let workbook = versions.put(demo::WORKBOOK)?;
        let model = Rehearsed::new(demo::SHEETS, &["sums by region"], why)?;
        let agent = agents::sheets_with(Arc::new(model), versions, backends)?;
        let instruction = "Add the revenue of each sale, and a sheet with the sums by region";
        let input = json!({"problem": {"instruction": instruction, "workbook": workbook}});
        Ok((agent, input))
    }
}

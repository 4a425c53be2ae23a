//! The whole assistant on real mail servers.

use superstep::Outcome;
use superstep_mail::{FolderCalendar, IngestOptions, Mailbox, Query, imap::ImapMailbox};

use crate::{
    assistant::{accepted, assistant, reply_by},
    mails::mail,
    pair::Servers,
    proxy::{Mischief, Proxy},
};

#[tokio::test]
async fn an_answer_goes_out_through_real_servers_once() {
    for mischief in [Mischief::None, Mischief::CutAnswer] {
        let servers = Servers::start().await;
        let text = String::from_utf8(mail("bob@test", "Lunch", "first@b.example")).unwrap();
        let text = text.replace("ada@example.org", "ada@test");
        servers.deliver(text.as_bytes(), 1_770_000_000, "m");
        let proxy = Proxy::start(servers.smtp, mischief).await;
        let mut account = servers.account();
        account.smtp.port = proxy.port;
        let mailbox = ImapMailbox::new(account).unwrap();
        let page = mailbox.list(&Query::default(), None).await.unwrap();
        let id = page.arrivals[0].id.0.clone();
        let folder = tempfile::tempdir().unwrap();
        let calendar = FolderCalendar::open(folder.path(), "Europe/Berlin").unwrap();
        let agent = assistant(folder.path(), mailbox, calendar, reply_by("ada@test", &id));
        let outcome = accepted(&agent).await;
        assert!(matches!(outcome, Ok(Outcome::Done(_))), "{mischief:?}");
        assert_eq!(servers.arrived().await, 1, "{mischief:?}");
        let again = agent.ingest(&IngestOptions::default()).await.unwrap();
        assert_eq!(again, [], "the copy of the answer is no mail to answer");
    }
}

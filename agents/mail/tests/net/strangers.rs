//! Servers that are not what they should be: nothing is given away, and nothing waits for ever.

use std::time::Duration;

use superstep_mail::{
    Address, Mailbox, Query,
    imap::{Account, ImapMailbox, Password, Security, Server},
};

use crate::stranger::Stranger;

fn account(imap: Server, smtp: Server) -> Account {
    let password = Password::Given("hunter2hunter2".into());
    let mut account = Account::new(Address::new("ada@test"), imap, smtp, "ada", password);
    account.limit = Duration::from_millis(300);
    account
}

#[tokio::test]
async fn a_reading_server_that_does_not_encrypt_gets_no_password() {
    let stranger = Stranger::start("* OK hello\r\n", |line| {
        let tag = line.split(' ').next().unwrap_or_default();
        format!("{tag} BAD no such command\r\n")
    })
    .await;
    let server = stranger.server(Security::StartTls);
    let mailbox = ImapMailbox::new(account(server.clone(), server)).unwrap();
    let error = mailbox.check().await.unwrap_err();
    assert_eq!(error.code(), "SS7005", "{error}");
    let got = stranger.got.lock().await.clone();
    assert!(got.contains("STARTTLS") && !got.contains("LOGIN"), "{got}");
}

#[tokio::test]
async fn a_server_that_says_nothing_is_given_up() {
    for greeting in ["", "* OK hello\r\n"] {
        let stranger = Stranger::start(greeting, |_| String::new()).await;
        let server = stranger.server(Security::Plain);
        let mailbox = ImapMailbox::new(account(server.clone(), server)).unwrap();
        let error = mailbox.list(&Query::default(), None).await.unwrap_err();
        assert_eq!(error.code(), "SS7001", "{error}");
        assert!(error.to_string().contains("in time"), "{error}");
        assert!(!format!("{error:?} {mailbox:?}").contains("hunter2"));
    }
}

#[tokio::test]
async fn a_server_that_talks_nonsense_is_an_error() {
    let stranger = Stranger::start("* OK hello\r\n", |_| "%%%\r\n".into()).await;
    let server = stranger.server(Security::Plain);
    let mailbox = ImapMailbox::new(account(server.clone(), server)).unwrap();
    let error = mailbox.list(&Query::default(), None).await.unwrap_err();
    assert!(["SS7001", "SS7005"].contains(&error.code()), "{error}");
    assert!(!format!("{error:?}").contains("hunter2"));
}

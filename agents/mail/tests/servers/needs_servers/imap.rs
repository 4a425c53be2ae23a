//! IMAP and SMTP against Dovecot and Exim.

use std::time::Duration;

use superstep_mail::{
    Address, Lookup, MailError, MailId, Mailbox, Outgoing, PageToken, Query, SendError,
    imap::{Account, ImapMailbox, Keeps, Password, Security, Server},
};

use crate::{
    mails::{mail, outgoing},
    pair::Servers,
    proxy::{Mischief, Proxy},
    stranger::Stranger,
};

fn open(account: Account) -> ImapMailbox {
    ImapMailbox::new(account).unwrap()
}

fn answer() -> Outgoing {
    outgoing("ada@test", "bob@test")
}

#[tokio::test]
async fn pages_come_with_the_oldest_first_and_to_the_second() {
    let servers = Servers::start().await;
    for n in 0..7 {
        let bytes = mail(
            "Bob <bob@test>",
            &format!("Häuser {n}"),
            &format!("m{n}@b.example"),
        );
        servers.deliver(&bytes, 1_700_000_000 + n, &format!("m{n}"));
    }
    servers.deliver(&mail("eve@e.example", "x", "e@e"), 1_700_000_100, "eve");
    // Not from the owner, although it looks like it, and not for the owner.
    servers.deliver(&mail("bada@test", "x", "b@t"), 1_700_000_101, "bada");
    let mailbox = open(servers.account());
    let query = Query {
        since: Some(1_700_000_002),
        from: vec!["bob@".into(), "nobody@".into()],
        page_size: Some(3),
        ..Query::default()
    };
    let mut found = Vec::new();
    let mut next: Option<PageToken> = None;
    loop {
        let page = mailbox.list(&query, next.as_ref()).await.unwrap();
        for arrival in page.arrivals {
            let fetched = mailbox.fetch(&arrival.id).await.unwrap();
            assert!(!fetched.is_read, "looking at a mail does not mark it");
            assert_eq!(fetched.thread, arrival.thread);
            mailbox.mark_read(&arrival.id).await.unwrap();
            assert!(mailbox.fetch(&arrival.id).await.unwrap().is_read);
            found.push((fetched.arrived, arrival.thread.0));
        }
        match page.next {
            Some(token) => next = Some(token),
            None => break,
        }
    }
    let expected: Vec<(i64, String)> = (2..7)
        .map(|n| (1_700_000_000 + n, format!("m{n}@b.example")))
        .collect();
    assert_eq!(found, expected);
    assert_eq!(mailbox.list(&query, None).await.unwrap().arrivals, []);
    let unread = mailbox.list(&Query::default(), None).await.unwrap();
    assert_eq!(unread.arrivals.len(), 4);
    let read = Query {
        include_read: true,
        subject: vec!["Häuser 4".into()],
        ..Query::default()
    };
    assert_eq!(mailbox.list(&read, None).await.unwrap().arrivals.len(), 1);
}

#[tokio::test]
async fn a_mail_goes_out_once_and_is_kept_among_the_sent() {
    let servers = Servers::start().await;
    servers.deliver(
        &mail("Bob <bob@test>", "Lunch", "first@b.example"),
        1_700_000_000,
        "m",
    );
    let mailbox = open(servers.account());
    let page = mailbox.list(&Query::default(), None).await.unwrap();
    let thread = page.arrivals[0].thread.clone();
    let sent = mailbox.send(&answer()).await.unwrap();
    assert_eq!(servers.arrived().await, 1);
    let mails = mailbox.thread(&thread).await.unwrap();
    assert_eq!(mails.len(), 2);
    assert_eq!(Some(&mails[1].id), sent.id.as_ref());
    assert_eq!(mails[1].bytes, answer().bytes);
    assert!(mails[1].id.0.ends_with(".Outgoing mail"));
    // The copy that the owner got is no arrival.
    let everything = Query {
        include_read: true,
        ..Query::default()
    };
    assert_eq!(
        mailbox
            .list(&everything, None)
            .await
            .unwrap()
            .arrivals
            .len(),
        1
    );
    let looked = mailbox.look_up(&answer()).await.unwrap();
    assert_eq!(looked, Lookup::Sent(sent.clone()));
    // Sending it again does not send it again.
    assert_eq!(mailbox.send(&answer()).await.unwrap(), sent);
    assert_eq!(servers.arrived().await, 1);
}

#[tokio::test]
async fn the_headers_of_a_thread_come_without_bodies() {
    const LARGE: usize = 1 << 20;
    let servers = Servers::start().await;
    for n in 0..10 {
        let more = match n {
            0 => "Message-ID: <0@b.example>".to_owned(),
            _ => format!("References: <0@b.example>\r\nMessage-ID: <{n}@b.example>"),
        };
        let text = String::from_utf8(mail("bob@test", "Lunch", "x")).unwrap();
        let mut text = text.replace("Message-ID: <x>", &more);
        text.push_str(&"a line of a mail\r\n".repeat(LARGE / 18));
        servers.deliver(text.as_bytes(), 1_700_000_000 + n, &format!("m{n}"));
    }
    let many = "X-More: y\r\n".repeat(20_000);
    let text = format!("References: <0@b.example>\r\n{many}\r\nx\r\n");
    servers.deliver(text.as_bytes(), 1_700_000_010, "m10");
    let proxy = Proxy::start(servers.imap, Mischief::None).await;
    let mut account = servers.account();
    account.imap.port = proxy.port;
    let mailbox = open(account);
    mailbox.check().await.unwrap();
    let before = proxy.passed();
    let thread = superstep_mail::ThreadKey("0@b.example".into());
    let heads = mailbox.thread_headers(&thread).await.unwrap();
    let passed = proxy.passed() - before;
    assert!(
        passed < 100_000,
        "{passed} bytes for the headers of eleven mails"
    );
    let sizes: Vec<usize> = heads.iter().map(|mail| mail.bytes.len()).collect();
    assert_eq!((sizes.len(), sizes[10]), (11, 64 << 10), "{sizes:?}");
    assert!(sizes[..10].iter().all(|size| *size < 400), "{sizes:?}");
    let alone = superstep_mail::ThreadKey(format!("mail:{}", heads[3].id.0));
    assert_eq!(mailbox.thread_headers(&alone).await.unwrap().len(), 1);
}

#[tokio::test]
async fn a_mail_that_never_went_out_is_not_sent() {
    let servers = Servers::start().await;
    let mailbox = open(servers.account());
    assert_eq!(mailbox.look_up(&answer()).await.unwrap(), Lookup::NotSent);
}

#[tokio::test]
async fn a_mail_that_is_refused_leaves_no_trace() {
    let servers = Servers::start().await;
    let mailbox = open(servers.account());
    let nobody = Outgoing {
        recipients: vec![Address::new("bob@test"), Address::new("nobody@test")],
        ..answer()
    };
    let text = String::from_utf8(answer().bytes).unwrap();
    let unwanted = Outgoing {
        bytes: text.replace("Lunch", "unwanted").into_bytes(),
        ..answer()
    };
    for refused in [nobody, unwanted] {
        let error = mailbox.send(&refused).await.unwrap_err();
        let is_refused = matches!(error, SendError::NotSent(MailError::Refused { .. }));
        assert!(is_refused, "{error}");
        assert_eq!(mailbox.look_up(&refused).await.unwrap(), Lookup::NotSent);
    }
    assert_eq!(servers.arrived().await, 0);
}

#[tokio::test]
async fn an_answer_that_was_lost_is_unknown_and_the_mail_is_found() {
    let servers = Servers::start().await;
    let proxy = Proxy::start(servers.smtp, Mischief::CutAnswer).await;
    let mut account = servers.account();
    account.smtp.port = proxy.port;
    let mailbox = open(account);
    let error = mailbox.send(&answer()).await.unwrap_err();
    assert!(
        matches!(error, SendError::Unknown(MailError::Unreachable { .. })),
        "{error}"
    );
    let looked = mailbox.look_up(&answer()).await.unwrap();
    assert!(matches!(looked, Lookup::Sent(_)), "{looked:?}");
    // The draft has become the copy.
    let sent = mailbox.send(&answer()).await.unwrap();
    assert!(sent.id.unwrap().0.ends_with(".Outgoing mail"));
    assert_eq!(servers.arrived().await, 1);
}

#[tokio::test]
async fn a_mail_that_was_not_handed_over_whole_is_unsure() {
    let servers = Servers::start().await;
    let proxy = Proxy::start(servers.smtp, Mischief::HoldMail).await;
    let mut account = servers.account();
    account.smtp.port = proxy.port;
    account.limit = Duration::from_secs(3);
    account.settle = Duration::from_secs(1);
    let mailbox = open(account);
    let error = mailbox.send(&answer()).await.unwrap_err();
    assert!(matches!(error, SendError::Unknown(_)), "{error}");
    let looked = mailbox.look_up(&answer()).await.unwrap();
    assert!(matches!(looked, Lookup::Unsure { .. }), "{looked:?}");
    assert_eq!(servers.arrived().await, 0);
}

#[tokio::test]
async fn a_server_that_keeps_sent_mails_gets_no_second_copy() {
    let servers = Servers::start().await;
    let mut account = servers.account();
    account.keeps = Keeps::Server;
    let mailbox = open(account);
    let sent = mailbox.send(&answer()).await.unwrap();
    assert_eq!(sent.id, None);
    assert_eq!(servers.arrived().await, 1);
    // What is left is the copy that arrived; no draft is.
    let looked = mailbox.look_up(&answer()).await.unwrap();
    let Lookup::Sent(found) = looked else {
        panic!("{looked:?}");
    };
    assert!(found.id.unwrap().0.ends_with(".INBOX"));
}

#[tokio::test]
async fn connections_are_encrypted_with_a_certificate_that_is_trusted() {
    let servers = Servers::start().await;
    for security in [Security::Tls, Security::StartTls] {
        let mut account = servers.account();
        let is_implicit = security == Security::Tls;
        let at = |port| Server {
            host: "localhost".into(),
            port,
            security,
        };
        account.imap = at(if is_implicit {
            servers.imaps
        } else {
            servers.imap
        });
        account.smtp = at(if is_implicit {
            servers.smtps
        } else {
            servers.smtp
        });
        let strange = open(account.clone()).check().await.unwrap_err();
        assert_eq!(strange.code(), "SS7001", "{security:?}: {strange}");
        account.certificates = Some(servers.certificate());
        let mailbox = open(account);
        mailbox.check().await.unwrap();
        let mut mail = answer();
        mail.message_id = format!("{security:?}@superstep.example");
        let text = String::from_utf8(mail.bytes).unwrap();
        mail.bytes = text
            .replace("out-1@superstep.example", &mail.message_id)
            .into_bytes();
        mailbox.send(&mail).await.unwrap();
    }
    assert_eq!(servers.arrived().await, 2);
}

#[tokio::test]
async fn a_wrong_password_is_told_without_it() {
    let servers = Servers::start().await;
    let mut account = servers.account();
    account.password = Password::Command("echo hunter2hunter2".into());
    let mailbox = open(account);
    let error = mailbox.list(&Query::default(), None).await.unwrap_err();
    assert_eq!(error.code(), "SS7003", "{error}");
    assert!(!format!("{error:?}").contains("hunter2hunter2"));
    let error = mailbox.send(&answer()).await.unwrap_err();
    assert!(
        matches!(error, SendError::NotSent(MailError::Auth { .. })),
        "{error}"
    );
}

#[tokio::test]
async fn a_mail_that_is_not_there_is_missing() {
    let servers = Servers::start().await;
    let mailbox = open(servers.account());
    for id in ["1.1.INBOX", "nonsense"] {
        let id = MailId(id.into());
        assert_eq!(mailbox.fetch(&id).await.unwrap_err().code(), "SS7004");
        assert_eq!(mailbox.mark_read(&id).await.unwrap_err().code(), "SS7004");
    }
    let thread = superstep_mail::ThreadKey("nobody@nowhere".into());
    assert_eq!(mailbox.thread(&thread).await.unwrap_err().code(), "SS7004");
}

#[tokio::test]
async fn a_connection_that_broke_off_is_made_anew() {
    let servers = Servers::start().await;
    servers.deliver(&mail("bob@test", "Lunch", "1@b"), 1_700_000_000, "m");
    let proxy = Proxy::start(servers.imap, Mischief::None).await;
    let port = proxy.port;
    let mut account = servers.account();
    account.imap.port = port;
    let mailbox = open(account);
    let query = Query::default();
    assert_eq!(mailbox.list(&query, None).await.unwrap().arrivals.len(), 1);
    drop(proxy);
    for _ in 0..2 {
        let error = mailbox.list(&query, None).await.unwrap_err();
        assert_eq!(error.code(), "SS7001", "{error}");
    }
    let error = mailbox.send(&answer()).await.unwrap_err();
    let is_down = matches!(error, SendError::NotSent(MailError::Unreachable { .. }));
    assert!(is_down, "{error}");
    let proxy = Proxy::start_at(port, servers.imap, Mischief::None).await;
    assert_eq!(mailbox.list(&query, None).await.unwrap().arrivals.len(), 1);
    drop(proxy);
}

#[tokio::test]
async fn a_sending_server_that_does_not_encrypt_gets_no_password_and_no_mail() {
    let servers = Servers::start().await;
    let answers: [fn(&str) -> String; 2] = [
        |_| "250-hello\r\n250 AUTH PLAIN\r\n".into(),
        // It is ready to encrypt, and has an answer to what will be asked afterwards.
        |line| match line {
            "STARTTLS" => "220 go ahead\r\n250 AUTH PLAIN\r\n".into(),
            _ => "250-hello\r\n250 STARTTLS\r\n".into(),
        },
    ];
    for answer in answers {
        let stranger = Stranger::start("220 hello\r\n", answer).await;
        let mut account = servers.account();
        account.smtp = stranger.server(Security::StartTls);
        let mailbox = ImapMailbox::new(account).unwrap();
        let error = mailbox.send(&outgoing("ada@test", "bob@test")).await;
        let error = error.unwrap_err();
        let is_refused = matches!(error, SendError::NotSent(MailError::Refused { .. }));
        assert!(is_refused, "{error}");
        let got = stranger.got.lock().await.clone();
        assert!(!got.contains("AUTH") && !got.contains("MAIL"), "{got}");
    }
}

//! Gmail as a mailbox, with nothing going wrong.

use superstep_mail::{
    Lookup, MailError, MailId, Mailbox, Outgoing, Page, PageToken, Query, SendError, ThreadKey,
};

use crate::{
    mails::{mail, outgoing},
    setup::{account, gmail, server},
};

#[tokio::test]
async fn the_owner_is_whom_the_account_belongs_to() {
    let server = server().await;
    let mailbox = account(&server).mailbox().await.unwrap();
    assert_eq!(mailbox.owner().email, "ada@example.org");
    assert_eq!(mailbox.place(), "Gmail");
}

#[tokio::test]
async fn all_pages_come_with_the_oldest_first() {
    let server = server().await;
    let ids: Vec<String> = (0..1203)
        .map(|n| server.deliver(&mail("b@b.example", "s", &format!("{n}@b")), 1000 + n))
        .collect();
    let mailbox = gmail(&server);
    let query = Query {
        page_size: Some(500),
        ..Query::default()
    };
    let mut found = Vec::new();
    let mut next: Option<PageToken> = None;
    loop {
        let page: Page = mailbox.list(&query, next.as_ref()).await.unwrap();
        assert!(page.arrivals.len() <= 500);
        // What is read in between leaves nothing out.
        mailbox.mark_read(&page.arrivals[0].id).await.unwrap();
        found.extend(page.arrivals.into_iter().map(|arrival| arrival.id.0));
        match page.next {
            Some(token) => next = Some(token),
            None => break,
        }
    }
    assert_eq!(found, ids);
    let lists = server
        .requests()
        .iter()
        .filter(|seen| seen.path.contains("pageToken"))
        .count();
    assert_eq!(lists, 2);
}

#[tokio::test]
async fn alternatives_do_not_let_in_what_is_read_or_old() {
    let server = server().await;
    let wanted = server.deliver(&mail("Bob <bob@b.example>", "Lunch", "1@b"), 2000);
    let exact = server.deliver(&mail("eve@e.example", "Lunch", "2@b"), 1500);
    server.deliver(&mail("eve@e.example", "Lunch", "3@b"), 1499);
    server.deliver(&mail("mallory@m.example", "Lunch", "4@b"), 2000);
    let read = server.deliver(&mail("eve@e.example", "Lunch", "5@b"), 2001);
    let mailbox = gmail(&server);
    mailbox.mark_read(&MailId(read.clone())).await.unwrap();
    let mut query = Query {
        since: Some(1500),
        from: vec!["bob@".into(), "eve@".into()],
        ..Query::default()
    };
    let ids = |page: Page| -> Vec<String> {
        page.arrivals
            .into_iter()
            .map(|arrival| arrival.id.0)
            .collect()
    };
    let page = mailbox.list(&query, None).await.unwrap();
    assert_eq!(ids(page), [exact.clone(), wanted.clone()]);
    query.include_read = true;
    assert_eq!(
        ids(mailbox.list(&query, None).await.unwrap()),
        [exact, wanted, read]
    );
}

#[tokio::test]
async fn a_mail_comes_as_its_bytes() {
    let server = server().await;
    let mut bytes = mail("b@b.example", "s", "1@b");
    bytes.extend([0xff, 0xfe, 0]);
    let id = MailId(server.deliver(&bytes, 1234));
    let mailbox = gmail(&server);
    let fetched = mailbox.fetch(&id).await.unwrap();
    assert_eq!(
        (fetched.bytes, fetched.arrived, fetched.is_read),
        (bytes, 1234, false)
    );
    mailbox.mark_read(&id).await.unwrap();
    mailbox.mark_read(&id).await.unwrap();
    assert!(mailbox.fetch(&id).await.unwrap().is_read);
    let missing = mailbox
        .fetch(&MailId("no/such?id".into()))
        .await
        .unwrap_err();
    assert!(matches!(missing, MailError::Missing { .. }), "{missing}");
}

#[tokio::test]
async fn an_answer_joins_its_thread_only_with_the_headers_for_it() {
    let server = server().await;
    server.deliver(&mail("b@b.example", "Lunch", "first@b.example"), 1000);
    let mailbox = gmail(&server);
    let page = mailbox.list(&Query::default(), None).await.unwrap();
    let thread = page.arrivals[0].thread.clone();
    let answer = Outgoing {
        thread: Some(thread.clone()),
        ..outgoing("ada@example.org", "b@b.example")
    };
    let sent = mailbox.send(&answer).await.unwrap();
    let mails = mailbox.thread(&thread).await.unwrap();
    assert_eq!(mails.len(), 2);
    assert_eq!(Some(&mails[1].id), sent.id.as_ref());
    assert_eq!(mails[1].bytes, answer.bytes);
    let text = String::from_utf8(answer.bytes.clone()).unwrap();
    let stranger = Outgoing {
        bytes: text.replace("Re: Lunch", "Dinner").into_bytes(),
        ..answer.clone()
    };
    mailbox.send(&stranger).await.unwrap();
    assert_eq!(mailbox.thread(&thread).await.unwrap().len(), 2);
    let lost = Outgoing {
        thread: Some(ThreadKey("gone".into())),
        ..answer
    };
    let refused = mailbox.send(&lost).await.unwrap_err();
    let is_missing = matches!(refused, SendError::NotSent(MailError::Missing { .. }));
    assert!(is_missing, "{refused}");
    assert_eq!(server.sent().len(), 2);
}

#[tokio::test]
async fn a_mail_that_got_another_id_is_found_all_the_same() {
    let server = server().await;
    let mailbox = gmail(&server);
    let mail = outgoing("ada@example.org", "b@b.example");
    let unsure = mailbox.look_up(&mail).await.unwrap();
    assert!(matches!(unsure, Lookup::Unsure { .. }), "{unsure:?}");
    let text = String::from_utf8(mail.bytes.clone()).unwrap();
    let renamed = Outgoing {
        bytes: text
            .replace("out-1@superstep", "CAxyz@mail.gmail")
            .into_bytes(),
        ..mail.clone()
    };
    mailbox.send(&renamed).await.unwrap();
    let found = mailbox.look_up(&mail).await.unwrap();
    assert!(matches!(found, Lookup::Sent(_)), "{found:?}");
}

#[tokio::test]
async fn another_reply_of_the_same_second_is_not_taken_for_the_lost_one() {
    let server = server().await;
    let mailbox = gmail(&server);
    let lost = outgoing("ada@example.org", "b@b.example");
    let text = String::from_utf8(lost.bytes.clone()).unwrap();
    let other = Outgoing {
        bytes: text.replace("out-1@", "out-2@").into_bytes(),
        message_id: "out-2@superstep.example".into(),
        ..lost.clone()
    };
    mailbox.send(&other).await.unwrap();
    let looked = mailbox.look_up(&lost).await.unwrap();
    assert!(matches!(looked, Lookup::Unsure { .. }), "{looked:?}");
}

#[tokio::test]
async fn the_headers_of_a_thread_come_without_bodies() {
    const LARGE: usize = 1 << 20;
    let server = server().await;
    let mut first = mail("b@b.example", "Lunch", "0@b");
    first.extend(b"x".repeat(LARGE));
    let thread = ThreadKey(server.deliver(&first, 1000));
    for n in 1..10 {
        let more =
            format!("References: <0@b>\r\nCc: c{n}@b.example\r\nX-Long: y\r\nMessage-ID: <{n}@b>");
        let text = String::from_utf8(first.clone()).unwrap();
        let text = text.replace("Message-ID: <0@b>", &more);
        server.deliver(text.as_bytes(), 1000 + n);
    }
    let mailbox = gmail(&server);
    let before = server.answered();
    let heads = mailbox.thread_headers(&thread).await.unwrap();
    let answered = server.answered() - before;
    assert!(
        answered < 20_000,
        "{answered} bytes for the headers of ten mails"
    );
    assert_eq!(heads.len(), 10);
    let last = String::from_utf8(heads[9].bytes.clone()).unwrap();
    assert!(last.contains("Cc: c9@b.example\r\n"), "{last}");
    assert!(!last.contains("X-Long"), "{last}");
    assert_eq!((heads[9].arrived, heads[0].arrived), (1009, 1000));
}

#[tokio::test]
async fn a_token_of_a_page_that_is_not_ours_is_refused() {
    let server = server().await;
    let token = PageToken("page-7".into());
    let refused = gmail(&server).list(&Query::default(), Some(&token)).await;
    assert_eq!(refused.unwrap_err().code(), "SS7005");
}

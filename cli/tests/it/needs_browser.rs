//! Each agent in a real browser: a person does its job, and the server is killed in the middle. There is no model, so the
//! examples play.

mod pictures;

use superstep_browser::Browser;

use crate::{env::TestEnv, served::Served};

const SERVE: &str = "serve --db t.db --no-input --offline --fake-audius --root .";

/// The pages of a server of all agents, in a browser.
struct Page {
    env: TestEnv,
    server: Served,
    browser: Browser,
}

impl Page {
    async fn open(env: TestEnv) -> Self {
        let server = Served::start(&env, &format!("{SERVE} --port 0"));
        let browser = Browser::open(&server.address).await;
        browser.go("#/").await;
        Self {
            env,
            server,
            browser,
        }
    }

    /// Presses the example of an agent; their cards are in alphabetical order.
    async fn play(&self, card: usize) {
        let example = format!(".cards li:nth-child({card}) .row button");
        self.browser.click(&example).await;
    }

    /// The same page once the server was killed and started again.
    async fn killed(mut self) -> Self {
        self.server = self.server.killed_and_restarted(&self.env, SERVE);
        self
    }
}

#[tokio::test]
async fn archie_asks_and_its_documents_open_and_its_approved_result_is_downloaded() {
    let page = Page::open(TestEnv::new()).await;
    page.play(1).await;
    page.browser.see("What matters more to you").await;
    let page = page.killed().await;
    page.browser.click_text("button", "requirements.md").await;
    page.browser
        .wait_for("return document.querySelectorAll('.reader li').length > 3")
        .await;
    page.browser.click_text("button", "Close").await;
    page.browser
        .click_text("button", "Approve and write the analysis")
        .await;
    page.browser.see("One application, payments first").await;
    page.browser.see("Download one-service-or-two.md").await;
    page.browser.see("Approved.").await;
}

#[tokio::test]
async fn atris_answers_with_a_table_and_knows_what_was_asked_before() {
    let page = Page::open(TestEnv::new()).await;
    page.play(2).await;
    page.browser.see("Solar Signals 79").await;
    let page = page.killed().await;
    page.browser
        .fill(
            ".foot textarea",
            "Who are the followers of the first artist?",
        )
        .await;
    page.browser.click_text("button", "Send").await;
    page.browser.see("is Nova Kane (@novakane)").await;
    let title = page.browser.script("return document.title").await;
    assert!(
        title.as_str().unwrap().starts_with("What are the top 5"),
        "{title}"
    );
}

#[tokio::test]
async fn pages_of_facts_are_read_without_a_model() {
    let env = TestEnv::new();
    env.write(
        "work/code/Cargo.toml",
        "[package]\nname = \"shop\"\nversion = \"0.3.0\"\n",
    );
    env.write(
        "work/code/src/main.rs",
        "fn main() {\n    panic!(\"closed\");\n}\n",
    );
    let page = Page::open(env).await;
    page.browser.click(".cards li:nth-child(3) a.pill").await;
    page.browser.fill("#field-request-root", "code").await;
    page.browser.click_text("button", "Start").await;
    page.browser.see("no model was asked").await;
    let page = page.killed().await;
    let open = "const link = [...document.querySelectorAll('.page-link')]
        .find((one) => one.textContent.includes('File structure'));
        link?.click();
        return link !== undefined";
    page.browser.wait_for(open).await;
    page.browser.see("Top folders").await;
}

#[tokio::test]
async fn a_drafted_mail_is_still_asked_about_after_a_kill_and_is_approved() {
    let page = Page::open(TestEnv::new()).await;
    page.play(4).await;
    page.browser
        .see("Wednesday, 14 May at 11:30 suits me")
        .await;
    page.browser.see("Ann Becker <ann@example.org>").await;
    let page = page.killed().await;
    page.browser.go("#/inbox").await;
    page.browser.see("Reply drafted").await;
    page.browser.takes_keys().await;
    page.browser.click_text("button", "Approve (dry run)").await;
    page.browser.see("Inbox zero").await;
}

#[tokio::test]
async fn a_workbook_is_changed_and_shown_with_its_changes() {
    let page = Page::open(TestEnv::new()).await;
    page.play(5).await;
    page.browser.see("Done: the figures are there.").await;
    let page = page.killed().await;
    let shown = page.browser.script("return location.hash").await;
    page.browser.go(shown.as_str().unwrap()).await;
    page.browser.see("By region").await;
    page.browser.see("708.00").await;
    page.browser.see("the file you gave").await;
}

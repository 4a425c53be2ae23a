//! The embedder with its real weights, in the stores that use it.
//!
//! Set `SUPERSTEP_TEST_MINILM` to the file.

use std::env;
use std::sync::Arc;

use serde_json::json;
use superstep::MemoryStore;
use superstep::sqlite::Database;
use superstep::store::{Embedder, Namespace, PutOptions, Search, Store};
use superstep_local::vectors::MiniLm;

/// What is remembered, and a question about it that shares hardly a word with it.
const MEMORIES: [(&str, &str); 20] = [
    (
        "Dana takes her coffee without milk",
        "How does she like her hot drink in the morning?",
    ),
    (
        "The quarterly report is due on the third of April",
        "When must the financial summary be handed in?",
    ),
    (
        "Our office moved to the harbour district last year",
        "Where is the company located now?",
    ),
    (
        "Milo the dog is afraid of thunderstorms",
        "What frightens the pet?",
    ),
    (
        "Invoices above five hundred euros need a second signature",
        "Who has to approve large bills?",
    ),
    (
        "The kitchen tap has been dripping since Monday",
        "Is anything broken in the flat that wastes water?",
    ),
    (
        "Priya is allergic to peanuts and shellfish",
        "Which foods should be kept off the menu for our guest?",
    ),
    (
        "The night train to Vienna leaves from platform nine",
        "How do I travel to Austria by rail in the evening?",
    ),
    (
        "She prefers short e-mails with bullet points",
        "What style of written messages does the boss want?",
    ),
    (
        "The spare key is under the blue flower pot",
        "How can I get in if I am locked out?",
    ),
    (
        "Backups of the database run at two in the morning",
        "At what hour is the data copied for safety?",
    ),
    (
        "Grandfather fought as a pilot in the war",
        "What did our elder do as a soldier?",
    ),
    (
        "The marathon was cancelled because of the heat wave",
        "Why did the race not take place?",
    ),
    (
        "Tomas speaks fluent Portuguese and some Greek",
        "Which languages can our colleague use?",
    ),
    (
        "The warranty of the dishwasher ends in June",
        "Until when are repairs of the kitchen appliance free?",
    ),
    (
        "Always deploy on weekdays, never on a Friday",
        "What is the rule for releasing software?",
    ),
    (
        "The library closes early during the summer holidays",
        "When can I borrow books in July?",
    ),
    (
        "Our landlord raised the rent by four percent",
        "How much more do we pay for housing?",
    ),
    (
        "Yuki plays the cello in a string quartet",
        "Which musician do we know?",
    ),
    (
        "The hotel booking was made under the name of Lindqvist",
        "Who was the room reserved for?",
    ),
];

fn embedder() -> MiniLm {
    let path = env::var_os("SUPERSTEP_TEST_MINILM");
    MiniLm::open(path.expect("SUPERSTEP_TEST_MINILM is the path of the weights"))
}

/// How often the right item is first, how often among three, and the mean of one over its rank.
async fn score(store: &dyn Store) -> (usize, usize, f64) {
    let namespace: Namespace = "memories".parse().unwrap();
    for (key, (memory, _)) in MEMORIES.iter().enumerate() {
        let value = json!({ "text": memory });
        let options = PutOptions::default();
        store
            .put(&namespace, &key.to_string(), value, options)
            .await
            .unwrap();
    }
    let (mut first, mut among_three, mut reciprocal) = (0, 0, 0.0);
    for (key, (_, question)) in MEMORIES.iter().enumerate() {
        let search = Search {
            prefix: namespace.clone().into(),
            query: Some((*question).to_owned()),
            limit: MEMORIES.len(),
            ..Search::default()
        };
        let found = store.search(search).await.unwrap();
        let rank = found
            .iter()
            .position(|found| found.item.key == key.to_string());
        let rank = rank.unwrap();
        first += usize::from(rank == 0);
        among_three += usize::from(rank < 3);
        reciprocal += 1.0 / (rank + 1) as f64;
    }
    (first, among_three, reciprocal / MEMORIES.len() as f64)
}

#[tokio::test]
async fn questions_in_other_words_find_what_is_remembered() {
    let text = || vec!["text".parse().unwrap()];
    let embedder: Arc<dyn Embedder> = Arc::new(embedder());
    let memory = MemoryStore::new()
        .with_embedder(Arc::clone(&embedder))
        .with_fields(text());
    let in_memory = score(&memory).await;
    let folder = tempfile::tempdir().unwrap();
    let database = Database::open(folder.path().join("memory.db")).unwrap();
    let sqlite = database.store().with_embedder(embedder).with_fields(text());
    let in_file = score(&sqlite).await;
    let (first, among_three, reciprocal) = in_memory;
    println!("hit@1 {first}/20, hit@3 {among_three}/20, MRR {reciprocal:.3}");
    assert_eq!(in_memory, in_file);
    assert!(first >= 17, "{first}");
    assert!(among_three >= 19, "{among_three}");
    assert!(reciprocal >= 0.9, "{reciprocal}");
}

#[tokio::test]
async fn a_vector_depends_on_its_text_alone() {
    let embedder = embedder();
    let text = "the user prefers tea".to_owned();
    let alone = embedder.embed(vec![text.clone()]).await.unwrap();
    let others = (0..70).map(|number| format!("a text of number {number}"));
    let texts: Vec<String> = [text.clone()]
        .into_iter()
        .chain(others)
        .chain([text])
        .collect();
    let together = embedder.embed(texts).await.unwrap();
    assert_eq!(together.len(), 72);
    assert_eq!(together.first(), alone.first());
    assert_eq!(together.last(), alone.first());
    for row in &together {
        let length: f32 = row.iter().map(|number| number * number).sum();
        assert_eq!(row.len(), embedder.dimensions());
        assert!((length - 1.0).abs() < 1e-5, "{length}");
    }
}

#[tokio::test]
async fn likenesses_are_those_of_the_reference_runtime() {
    let texts = [MEMORIES[0].0, MEMORIES[0].1, MEMORIES[3].0, MEMORIES[3].1];
    // Found once with another runtime and another tokenizer on the same weights.
    let expected = [
        ((0, 1), 0.4051),
        ((0, 2), 0.0942),
        ((0, 3), 0.0553),
        ((1, 2), 0.0635),
        ((1, 3), 0.1486),
        ((2, 3), 0.4982),
    ];
    let texts = texts.iter().map(|text| (*text).to_owned()).collect();
    let rows = embedder().embed(texts).await.unwrap();
    for ((left, right), expected) in expected {
        let found: f32 = rows[left]
            .iter()
            .zip(&rows[right])
            .map(|(l, r)| l * r)
            .sum();
        assert!(
            (found - expected).abs() < 0.02,
            "{left} {right}: {found}, not {expected}"
        );
    }
}

#[tokio::test]
async fn any_text_has_a_vector() {
    let texts = ["", " ", "\0", "😀", "漢字", &"word ".repeat(100_000)];
    let texts = texts.iter().map(|text| (*text).to_owned()).collect();
    let rows = embedder().embed(texts).await.unwrap();
    assert!(rows.iter().flatten().all(|number| number.is_finite()));
}

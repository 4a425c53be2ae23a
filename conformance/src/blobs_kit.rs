//! Conformance kit for bytes by content: named checks that any backend can run.
//!
//! [`check`] opens a fresh backend for each check, like [`crate::store_kit`].

use std::{collections::BTreeSet, sync::Arc};

use superstep_store::{Blobs, BoxFuture, ContentHash, StoreError};

use crate::kit::{Check, Failure, Report, Verdict, caught};

type Opened = Result<Arc<dyn Blobs>, StoreError>;

/// Runs every check against backends that `make` opens, each of them empty.
pub async fn check<M>(make: M) -> Report
where
    M: Fn() -> BoxFuture<'static, Opened> + Send + Sync,
{
    let mut checks = Vec::new();
    for (name, run) in CASES {
        let checked = async {
            let blobs = make().await.map_err(fail)?;
            run(blobs).await
        };
        let result = caught("backend", Box::pin(checked)).await;
        checks.push(Check {
            name,
            result: result.map_err(|failure| failure.0),
        });
    }
    Report { checks }
}

type Run = fn(Arc<dyn Blobs>) -> BoxFuture<'static, Verdict>;

const CASES: &[(&str, Run)] = &[
    ("content_comes_back_under_its_hash", |it| {
        Box::pin(comes_back(it))
    }),
    ("content_that_is_put_twice_is_kept_once", |it| {
        Box::pin(kept_once(it))
    }),
    ("spaces_are_apart", |it| Box::pin(apart(it))),
    ("removed_content_is_gone_and_can_be_put_again", |it| {
        Box::pin(removed(it))
    }),
    ("a_list_has_every_hash_once_whatever_its_pages", |it| {
        Box::pin(listed(it))
    }),
];

async fn comes_back(blobs: Arc<dyn Blobs>) -> Verdict {
    let long: Vec<u8> = (0..300_000_u32).flat_map(u32::to_le_bytes).collect();
    for content in [Vec::new(), b"abc".to_vec(), vec![0], long] {
        let hash = blobs.put("a", content.clone()).await.map_err(fail)?;
        equal("the hash", &hash, &ContentHash::of(&content))?;
        equal(
            "contains",
            &blobs.contains("a", hash).await.map_err(fail)?,
            &true,
        )?;
        let found = blobs.get("a", hash).await.map_err(fail)?;
        match found == Some(content) {
            true => {}
            false => return Err(Failure(format!("the content of {hash} is another one"))),
        }
    }
    let none = blobs.get("a", ContentHash::of(b"none")).await;
    equal("content that was not put", &none.map_err(fail)?, &None)
}

async fn kept_once(blobs: Arc<dyn Blobs>) -> Verdict {
    for _ in 0..2 {
        blobs.put("a", b"abc".to_vec()).await.map_err(fail)?;
    }
    let all = blobs.list("a", None, 10).await.map_err(fail)?;
    equal("the list", &all, &vec![ContentHash::of(b"abc")])
}

async fn apart(blobs: Arc<dyn Blobs>) -> Verdict {
    let hash = blobs.put("a", b"abc".to_vec()).await.map_err(fail)?;
    equal(
        "the other space",
        &blobs.get("b", hash).await.map_err(fail)?,
        &None,
    )?;
    blobs.put("b", b"abc".to_vec()).await.map_err(fail)?;
    blobs.remove("a", hash).await.map_err(fail)?;
    equal(
        "the removed one",
        &blobs.contains("a", hash).await.map_err(fail)?,
        &false,
    )?;
    let kept = blobs.get("b", hash).await.map_err(fail)?;
    equal("the one that stays", &kept, &Some(b"abc".to_vec()))?;
    equal(
        "the list",
        &blobs.list("a", None, 10).await.map_err(fail)?,
        &Vec::new(),
    )
}

async fn removed(blobs: Arc<dyn Blobs>) -> Verdict {
    let hash = ContentHash::of(b"abc");
    blobs.remove("a", hash).await.map_err(fail)?;
    for _ in 0..2 {
        blobs.put("a", b"abc".to_vec()).await.map_err(fail)?;
        blobs.remove("a", hash).await.map_err(fail)?;
        equal(
            "after the removal",
            &blobs.get("a", hash).await.map_err(fail)?,
            &None,
        )?;
    }
    Ok(())
}

async fn listed(blobs: Arc<dyn Blobs>) -> Verdict {
    let mut expected = BTreeSet::new();
    for number in 0..25_u8 {
        expected.insert(blobs.put("a", vec![number]).await.map_err(fail)?);
        blobs.put("b", vec![number, 1]).await.map_err(fail)?;
    }
    for limit in [1, 7, 25, 100] {
        let mut found = Vec::new();
        loop {
            let page = blobs.list("a", found.last().copied(), limit).await;
            let page = page.map_err(fail)?;
            if page.is_empty() {
                break;
            }
            if page.len() > limit || found.len() > expected.len() {
                return Err(Failure(format!("pages of {limit} do not end")));
            }
            found.extend(page);
        }
        equal("how many are listed", &found.len(), &expected.len())?;
        equal("the list", &found.into_iter().collect(), &expected)?;
    }
    Ok(())
}

fn equal<T: PartialEq + std::fmt::Debug>(what: &str, found: &T, expected: &T) -> Verdict {
    match found == expected {
        true => Ok(()),
        false => Err(Failure(format!("{what}: {found:?}, expected {expected:?}"))),
    }
}

fn fail(error: StoreError) -> Failure {
    Failure(error.to_string())
}

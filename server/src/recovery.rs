//! From the journal back to games under way.

use crate::game::actor::ToActor;
use crate::game::past;
use crate::hub;
use crate::journal::{Record, StoreError};
use crate::state::Server;
use std::collections::HashMap;
use std::sync::Arc;
use zeitnot_proto::Stamp;
use zeitnot_proto::rules::GameId;

/// Folds every unfinished game and starts its actor. Clocks go on from the last durable instant: time
/// after it is nobody's (Article 6.11.1). How many games there are.
///
/// # Errors
/// The journal cannot be read.
pub async fn recover(server: &Arc<Server>) -> Result<usize, StoreError> {
    let journal = Arc::clone(&server.journal);
    let read = tokio::task::spawn_blocking(move || {
        Ok::<_, StoreError>((journal.last_durable()?, journal.last_game()?, by_game(journal.unfinished()?)))
    });
    let (until, last_game, games) = read.await.map_err(|error| StoreError::Corrupt(error.to_string()))??;
    server.hub.continue_after(last_game);
    let mut recovered = 0;
    for (game, records) in games {
        match resume(server, game, &records, until).await {
            Ok(true) => recovered += 1,
            Ok(false) => tracing::error!(%game, "a game cannot be folded; its records stay in the journal"),
            Err(error) => tracing::error!(%game, %error, "a game cannot be resumed"),
        }
    }
    Ok(recovered)
}

/// The records of each game, games in the order of their creation.
fn by_game(records: Vec<Record>) -> Vec<(GameId, Vec<Record>)> {
    let mut index: HashMap<GameId, usize> = HashMap::new();
    let mut games: Vec<(GameId, Vec<Record>)> = Vec::new();
    for record in records {
        let at = *index.entry(record.game).or_insert_with(|| {
            games.push((record.game, Vec::new()));
            games.len() - 1
        });
        games[at].1.push(record);
    }
    games
}

async fn resume(
    server: &Arc<Server>,
    game: GameId,
    records: &[Record],
    until: Stamp,
) -> Result<bool, StoreError> {
    let Some((mut state, mut past)) = past::replay(records)? else { return Ok(false) };
    if state.awaits_turn() {
        // The commit that began this turn was the last thing that is known, or its instant is.
        let began = server.journal.committed_at(game)?.unwrap_or(until);
        state.turn_began(began);
        past.began = Some(began);
    }
    let over = state.status().is_over();
    let handle = hub::start_actor(server, state, past);
    if !over {
        let _gone = handle.mailbox.send(ToActor::Recover { until }).await;
    }
    Ok(true)
}

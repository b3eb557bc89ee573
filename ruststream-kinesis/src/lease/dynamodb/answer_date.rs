//! The clock of `DynamoDB`, read off the answers of one call.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use aws_sdk_dynamodb::config::interceptors::{
    BeforeDeserializationInterceptorContextRef, BeforeTransmitInterceptorContextRef,
};
use aws_sdk_dynamodb::config::{ConfigBag, Intercept, RuntimeComponents};
use aws_sdk_dynamodb::error::BoxError;
use aws_sdk_dynamodb::primitives::{DateTime, DateTimeFormat};

use crate::clock;
use crate::rules::server_clock::ServerClock;
use crate::rules::store_time::StoreTime;

/// The clock of the service, which every answer sets.
#[derive(Debug, Clone, Default)]
pub(super) struct DynamoClock(Arc<Mutex<ServerClock>>);

impl DynamoClock {
    /// The service's time; nothing before its first answer.
    pub(super) fn now(&self) -> Option<StoreTime> {
        self.with(|known| known.at(clock::now()))
    }

    /// What reads the date of one call's answers.
    pub(super) fn reader(&self) -> AnswerDate {
        AnswerDate {
            clock: self.clone(),
            sent: Mutex::default(),
        }
    }

    fn with<T>(&self, ask: impl FnOnce(&mut ServerClock) -> T) -> T {
        ask(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Reads the date of a call's answers, one attempt after the other.
#[derive(Debug)]
pub(super) struct AnswerDate {
    clock: DynamoClock,
    /// When the attempt under way was sent.
    sent: Mutex<Option<Instant>>,
}

impl Intercept for AnswerDate {
    fn name(&self) -> &'static str {
        "AnswerDate"
    }

    fn read_before_transmit(
        &self,
        _context: &BeforeTransmitInterceptorContextRef<'_>,
        _runtime: &RuntimeComponents,
        _config: &mut ConfigBag,
    ) -> Result<(), BoxError> {
        *self.sent.lock().unwrap_or_else(PoisonError::into_inner) = Some(clock::now());
        Ok(())
    }

    fn read_after_transmit(
        &self,
        context: &BeforeDeserializationInterceptorContextRef<'_>,
        _runtime: &RuntimeComponents,
        _config: &mut ConfigBag,
    ) -> Result<(), BoxError> {
        let received = clock::now();
        let sent = *self.sent.lock().unwrap_or_else(PoisonError::into_inner);
        let date = context
            .response()
            .headers()
            .get("date")
            .and_then(since_epoch);
        if let (Some(sent), Some(date)) = (sent, date) {
            self.clock
                .with(|known| known.answered(sent, received, date));
        }
        Ok(())
    }
}

fn since_epoch(date: &str) -> Option<Duration> {
    let date = DateTime::from_str(date, DateTimeFormat::HttpDate).ok()?;
    u64::try_from(date.secs()).ok().map(Duration::from_secs)
}

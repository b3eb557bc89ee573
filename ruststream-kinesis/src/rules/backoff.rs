//! How long to wait before a repeated attempt. The caller draws the random numbers.

use std::time::Duration;

/// The wait before attempt `attempt + 1`: full jitter under an exponential ceiling.
///
/// The ceiling is `base` for attempt 0, doubles with each attempt and stops at `cap`; `random`
/// picks a point between zero and the ceiling.
pub(crate) fn delay(attempt: u32, base: Duration, cap: Duration, random: u64) -> Duration {
    between(Duration::ZERO, ceiling(attempt, base, cap), random)
}

/// `base` doubled `attempt` times, never more than `cap`.
pub(crate) fn ceiling(attempt: u32, base: Duration, cap: Duration) -> Duration {
    2_u32
        .checked_pow(attempt)
        .and_then(|factor| base.checked_mul(factor))
        .map_or(cap, |grown| grown.min(cap))
}

/// `duration` moved by up to `fraction` of itself either way, so that instances fall out of step.
///
/// `fraction` is clamped to 0..=1; `random` picks the point.
pub(crate) fn jittered(duration: Duration, fraction: f64, random: u64) -> Duration {
    let reach = Duration::try_from_secs_f64(duration.as_secs_f64() * fraction.clamp(0.0, 1.0))
        .unwrap_or(Duration::ZERO)
        .min(duration);
    between(
        duration.saturating_sub(reach),
        duration.saturating_add(reach),
        random,
    )
}

/// The point of `low..=high` that `random` picks; `low` when the range is empty.
pub(crate) fn between(low: Duration, high: Duration, random: u64) -> Duration {
    let span = high.saturating_sub(low).as_nanos();
    // Nanoseconds of any wait in years fit 64 bits, so the product fits 128.
    let span = u64::try_from(span).unwrap_or(u64::MAX);
    let picked = (u128::from(span) * u128::from(random)) / u128::from(u64::MAX);
    low.saturating_add(Duration::from_nanos(
        u64::try_from(picked).unwrap_or(u64::MAX),
    ))
}

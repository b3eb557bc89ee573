//! The specification's example apps against the service, each on a stack of its own: their streams
//! have fixed names.
//!
//! Not here, and held on the wire or by `seeking`, `batches` and `copies` instead: a key the policy
//! names, which live the harness does not see; a replay, which live the harness does not wait for;
//! and delays and backlogs that need a clock or a single thread the test controls.

use tests::live_stand::Live;

macro_rules! live_apps {
    ($($topic:ident::$body:ident)*) => {$(
        #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
        async fn $body() {
            tests::apps::$topic::$body(Live::alone()).await;
        }
    )*};
}

live_apps! {
    first_service::the_publish_returns_once_the_handler_it_woke_has_settled
    first_service::a_string_literal_names_a_stream_too
    first_service::records_arrive_in_the_order_they_were_published
    first_service::an_invalid_descriptor_fails_the_mount
    first_service::a_second_subscription_to_one_stream_fails_the_mount
    retries::a_spent_record_leaves_as_it_arrived_payload_and_headers
    retries::a_cap_without_a_dead_letter_retires_the_spent_record
    retries::a_dead_letter_without_a_cap_takes_the_first_retry
    retries::a_dropped_record_is_retired
    batches::a_batch_carries_fewer_records_when_that_is_all_the_shards_had
    contexts::every_delivery_carries_three_headers
    keys::a_keyed_publish_leaves_through_its_slot
    replies::a_reply_without_a_policy_leaves_through_the_default_one
    seeking::a_record_delivered_before_the_seek_cannot_pull_the_cursor_back
}

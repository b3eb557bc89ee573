//! The specification's example apps in process, on both flavours of the runtime.

macro_rules! on_one_thread {
    ($($topic:ident::$body:ident)*) => {$(
        #[tokio::test(start_paused = true)]
        async fn $body() {
            crate::support::finishes(tests::apps::$topic::$body(tests::stand::InProcess)).await;
        }
    )*};
}

macro_rules! on_both_flavours {
    ($($topic:ident::$body:ident)*) => {
        on_one_thread! { $($topic::$body)* }

        mod on_several_threads {$(
            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $body() {
                crate::support::finishes(tests::apps::$topic::$body(tests::stand::InProcess)).await;
            }
        )*}
    };
}

on_both_flavours! {
    first_service::the_publish_returns_once_the_handler_it_woke_has_settled
    first_service::a_string_literal_names_a_stream_too
    first_service::records_arrive_in_the_order_they_were_published
    first_service::an_invalid_descriptor_fails_the_mount
    first_service::a_second_subscription_to_one_stream_fails_the_mount
    retries::a_spent_record_leaves_as_it_arrived_payload_and_headers
    retries::a_cap_without_a_dead_letter_retires_the_spent_record
    retries::a_dead_letter_without_a_cap_takes_the_first_retry
    retries::a_dropped_record_is_retired
    retries::a_retry_copy_takes_the_key_its_policy_names
    retries::a_retry_copy_takes_the_transform_and_the_key_of_its_slot_and_no_codec
    batches::a_batch_carries_fewer_records_when_that_is_all_the_shards_had
    contexts::a_handler_that_wants_both_keys_names_the_context
    contexts::every_delivery_carries_three_headers
    contexts::a_batch_handler_seeks_through_its_context
    keys::the_per_key_dispatch_finds_the_key
    keys::a_keyed_publish_leaves_through_its_slot
    keys::a_publish_without_a_step_takes_the_key_of_the_policy
    replies::a_reply_takes_the_key_its_policy_names
    replies::a_reply_without_a_policy_leaves_through_the_default_one
    seeking::a_record_delivered_before_the_seek_cannot_pull_the_cursor_back
}

on_one_thread! {
    retries::a_delayed_retry_becomes_a_copy_once_the_delay_is_over
    batches::no_batch_carries_more_records_than_it_named
    batches::each_record_of_a_batch_settles_on_its_own
    seeking::a_handler_abandons_the_backlog_and_follows_the_tip
}

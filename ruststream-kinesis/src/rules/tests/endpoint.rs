use crate::rules::endpoint::without_credentials;

#[test]
fn a_user_name_and_a_password_come_off_and_all_else_stays() {
    for (url, without) in [
        ("http://127.0.0.1:4566", "http://127.0.0.1:4566"),
        (
            "http://user:hunter2@127.0.0.1:4566",
            "http://127.0.0.1:4566",
        ),
        (
            "https://user:hunter2@x@[::1]:1/a@b?c@d",
            "https://[::1]:1/a@b?c@d",
        ),
        (
            "https://hunter2@kinesis.internal?key=@",
            "https://kinesis.internal?key=@",
        ),
        ("user:hunter2@127.0.0.1:1", "127.0.0.1:1"),
        ("http://user:hunter2@", "http://"),
        ("", ""),
        (
            "http://AKID:wJalrX/K7MD/bPx@127.0.0.1:1",
            "http://127.0.0.1:1",
        ),
        ("http://user:hunter2#x@127.0.0.1:1", "http://127.0.0.1:1"),
        (
            "http://user:hunter2?x@127.0.0.1:1/path",
            "http://127.0.0.1:1/path",
        ),
        ("http:/user:hunter2@127.0.0.1:1", "http:/127.0.0.1:1"),
        ("//user:hunter2@127.0.0.1:1", "//127.0.0.1:1"),
        ("https://[2001:db8::1]/a@b", "https://[2001:db8::1]/a@b"),
        ("127.0.0.1:4566/a@b", "127.0.0.1:4566/a@b"),
    ] {
        assert_eq!(without_credentials(url), without, "{url}");
    }
}

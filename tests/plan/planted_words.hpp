// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <span>
#include <string_view>

// What planted_questions.hpp writes with: the words of a company's systems, and patterns of sentences, lines of logs,
// JSON elements and statements. In a pattern `<A>`, `<B>`, `<C>` and `<V>` stand for a fact, other names for what is
// drawn.

namespace plan_tests::words {

using list = std::span<std::string_view const>;

inline constexpr std::string_view services[] = {
    "billing",       "ledger",        "checkout",       "inventory",     "auth-gateway", "notifier",
    "search_api",    "imageResizer",  "user_sessions",  "payments",      "fraud-scorer", "catalog",
    "pricing",       "shipping",      "tax_engine",     "reviews",       "recommender",  "mailer",
    "webhooks",      "audit-trail",   "report_builder", "scheduler",     "media-proxy",  "geo_lookup",
    "identity",      "subscriptions", "coupons",        "returns",       "warehouse",    "chat-relay",
    "exportManager", "config_server", "feature-store",  "event_router",  "rate-limiter", "translator",
    "onboarding",    "invoice_pdf",   "sms-sender",     "metricsBridge", "archive",      "session-cache",
    "partner_api",   "labelPrinter",
};
inline constexpr std::string_view environments[] = {
    "staging",      "production", "sandbox",    "canary",      "preview",   "eu-west-1", "eu-west-2",
    "us-east-1",    "us-east-2",  "ap-south-1", "integration", "load-test", "demo",      "onprem",
    "qa",           "sa-east-1",  "eu-north-3", "us-west-4",   "recovery",  "training",  "nightly",
    "ca-central-1", "pilot",      "blue",       "green",
};
inline constexpr std::string_view functions[] = {
    "upload_manifest",  "parse_invoice",  "fetchSnapshot",   "rebuild_index",    "sync_accounts",   "sendReceipt",
    "load_fixtures",    "merge_carts",    "resizeImage",     "expire_sessions",  "publish_event",   "drainQueue",
    "store_artifact",   "read_partition", "verifySignature", "rotate_keys",      "import_orders",   "exportLedger",
    "compact_segments", "warm_cache",     "resolveAddress",  "apply_discount",   "collect_metrics", "flushJournal",
    "replay_events",    "copy_bucket",    "updateProfile",   "purge_tombstones", "stream_rows",     "acquireLease",
    "score_payment",    "render_report",  "enqueueMail",     "validate_schema",  "refresh_tokens",  "mergeBranches",
    "list_objects",     "archive_thread", "loadPlugins",     "open_channel",     "split_batch",     "trackShipment",
};
inline constexpr std::string_view targets[] = {
    "S3",        "Redis",     "Kafka",     "Postgres",   "GCS",       "Elasticsearch", "RabbitMQ",  "DynamoDB",
    "MinIO",     "Memcached", "Cassandra", "ClickHouse", "NATS",      "SQLite",        "Vault",     "Consul",
    "Couchbase", "MongoDB",   "Pulsar",    "Hadoop",     "Snowflake", "Solr",          "Zookeeper", "Neo4j",
};
inline constexpr std::string_view jobs[] = {
    "nightly backup",    "weekly reindex", "hourly export",   "monthly rollup",  "daily snapshot", "log rotation",
    "schema migration",  "invoice run",    "cold archive",    "replica rebuild", "cache warmup",   "integrity check",
    "partition cleanup", "token cleanup",  "currency import", "ledger close",    "search refresh", "quota audit",
};
inline constexpr std::string_view databases[] = {
    "orders",    "invoices", "customers", "shipments", "accounts", "sessions", "products", "events",
    "contracts", "refunds",  "vouchers",  "suppliers", "messages", "tickets",  "devices",  "profiles",
    "journal",   "balances", "addresses", "metrics",   "articles", "bookings",
};
inline constexpr std::string_view endpoints[] = {
    "/v1/invoices",      "/v2/invoices",     "/v1/orders/search",  "/v2/orders",         "/v1/accounts/merge",
    "/v2/accounts",      "/v1/sessions",     "/v2/sessions/renew", "/v1/upload",         "/v2/upload/parts",
    "/v1/reports/daily", "/v2/reports",      "/v1/customers",      "/v2/customers/tags", "/v1/refunds",
    "/v2/refunds/batch", "/internal/health", "/internal/reindex",  "/hooks/stripe",      "/hooks/carrier",
};
inline constexpr std::string_view errors[] = {
    "503",           "504",        "429",          "deadlock",          "connection reset", "checksum mismatch",
    "stale token",   "E4127",      "E2210",        "schema conflict",   "truncated body",   "duplicate key",
    "partial write", "clock skew", "lock timeout", "certificate error", "memory spike",     "split brain",
};
inline constexpr std::string_view months[] = {"January", "February", "March",     "April",   "May",      "June",
                                              "July",    "August",   "September", "October", "November", "December"};

// Values, by what they are.

inline constexpr std::string_view ports[] = {"8080", "8443", "9090", "7070", "5005", "6380",
                                             "9443", "8181", "3100", "4317", "5601", "7443"};
// Without the digits that environments and paths have: a question must not hold what it asks for.
inline constexpr std::string_view counts[] = {"5", "6", "7", "8", "9", "11", "12", "14", "16", "18", "24", "32"};
inline constexpr std::string_view amounts[] = {"50",  "64",  "100", "128", "200",  "250",
                                               "256", "400", "500", "512", "1000", "2000"};
inline constexpr std::string_view durations[] = {"250 ms",     "400 ms",     "800 ms",     "5 seconds",
                                                 "15 seconds", "30 seconds", "45 seconds", "90 seconds",
                                                 "2 minutes",  "5 minutes",  "20 minutes", "6 hours"};
inline constexpr std::string_view sizes[] = {"64 KB", "256 KB", "512 KB", "4 MB", "8 MB", "16 MB",
                                             "64 MB", "256 MB", "512 MB", "2 GB", "4 GB", "12 GB"};
inline constexpr std::string_view percents[] = {"5 %",  "10 %", "15 %", "20 %", "25 %",
                                                "40 %", "60 %", "75 %", "80 %", "95 %"};
inline constexpr std::string_view rates[] = {"20 calls a second",  "50 calls a second",  "80 calls a minute",
                                             "120 calls a minute", "200 calls a second", "600 calls a minute",
                                             "900 calls an hour",  "40 calls a second"};
inline constexpr std::string_view people[] = {"Zoë Lindqvist", "Łukasz Nowak", "Jörg Brandt",    "Anaïs Moreau",
                                              "Priya Raman",   "Tom Okafor",   "Mei Tanaka",     "Carlos Ibáñez",
                                              "Hannah Weiss",  "Omar Haddad",  "Ingrid Solberg", "Ruth Adeyemi"};
inline constexpr std::string_view teams[] = {"team Falcon", "team Harbour", "team Lantern", "team Quartz",
                                             "team Meadow", "team Compass", "team Anvil",   "team Juniper",
                                             "team Orbit",  "team Saffron"};
inline constexpr std::string_view versions[] = {"2.14.3", "2.15.0", "3.0.1",  "3.2.7",  "4.1.0", "1.9.12",
                                                "5.0.2",  "5.3.1",  "2.14.9", "3.11.4", "1.8.6", "4.7.5"};
inline constexpr std::string_view hosts[] = {
    "db-17.internal",     "db-21.internal",   "cache-3.internal", "web-8.internal", "edge-2.example.net",
    "edge-5.example.net", "node-41.internal", "node-44.internal", "mq-6.internal",  "store-9.internal"};
inline constexpr std::string_view paths[] = {
    "/healthz/live",      "/healthz/ready", "/var/lib/state", "/srv/keys/current",  "/etc/vault/primary",
    "/etc/vault/standby", "/var/spool/out", "/status/deep",   "/srv/keys/previous", "/var/lib/blobs"};
inline constexpr std::string_view tickets[] = {"OPS-4127", "OPS-3981", "PLAT-220", "PLAT-518", "DATA-77",
                                               "DATA-190", "SEC-63",   "SEC-48",   "NET-912",  "NET-305"};
inline constexpr std::string_view dates[] = {"2026-02-11", "2026-03-27", "2026-04-02", "2026-05-19", "2026-06-30",
                                             "2026-07-08", "2026-08-21", "2026-09-14", "2026-10-05", "2026-11-23"};
inline constexpr std::string_view clocks[] = {"00:30 UTC", "01:15 UTC", "02:00 UTC", "02:45 UTC", "03:30 UTC",
                                              "04:10 UTC", "21:40 UTC", "22:20 UTC", "23:05 UTC"};
inline constexpr std::string_view codecs[] = {"zstd", "gzip", "lz4", "snappy", "crc32c", "sha256", "xxhash", "brotli"};
inline constexpr std::string_view reasons[] = {
    "no space was left on /var/lib/state",
    "the replica lagged 340 seconds behind",
    "the lock wait timed out after 50 seconds",
    "a password had been rotated that morning",
    "the bucket policy denied the write",
    "the connection pool was exhausted",
    "a long transaction held the table",
    "the mount of node-41.internal was read only",
    "the checksum of part 12 did not match",
    "the token of the service account had expired",
    "an index was being rebuilt at the same time",
    "the host ran out of file descriptors",
    "a schema change renamed a column",
    "the network link dropped every few minutes",
    "the quota of the project was used up",
    "the dump contained an invalid byte sequence",
    "the primary had just been replaced",
    "a previous run had left its lock behind",
    "memory pressure killed the process",
    "the target cluster was being upgraded",
};
inline constexpr std::string_view causes[] = {
    "the connection pool was exhausted",
    "a certificate had expired overnight",
    "two writers took their locks in opposite order",
    "a proxy cut the body at 64 KB",
    "the clock of node-44.internal was 90 seconds late",
    "a deploy had removed an index",
    "the cache returned entries of an older schema",
    "the load balancer kept a dead host",
    "a retry storm filled the queue",
    "the feature flag was read before it was loaded",
    "garbage collection paused the process",
    "a client sent the same key twice",
    "the disk quota of the volume was used up",
    "dns answers were cached for too long",
    "the token of the service account had expired",
    "a header was larger than 8 KB",
    "the upstream closed idle connections first",
    "the migration held a table lock",
    "a timeout was shorter than the slowest query",
    "memory was fragmented by large uploads",
};

/// Something that is set, for a service or for a function.
struct attribute {
    std::string_view key;      ///< as an identifier
    std::string_view noun;     ///< in words
    std::string_view core;     ///< the word that `noun` and `said` share
    std::string_view said;     ///< what a sentence says of it
    std::string_view asked;    ///< how one asks for it, in other forms of the words
    std::string_view wanted;   ///< the same as a noun
    list values;
};
inline constexpr attribute settings[] = {
    {"listen_port", "listen port", "port", "<A> listens on port <V>", "which port does the <A> service listen to",
     "the port that <A> is listening on", ports},
    {"replica_count", "replica count", "replica", "<A> runs with a replica count of <V>",
     "how many replicas does <A> run", "the number of replicas of <A>", counts},
    {"memory_limit", "memory limit", "memory", "the memory limit of <A> is <V>", "how much memory may <A> use",
     "the limit on memory for <A>", sizes},
    {"cpu_quota", "cpu quota", "cpu", "<A> has a cpu quota of <V>", "what share of the cpu does <A> get",
     "the cpu quotas given to <A>", percents},
    {"request_timeout", "request timeout", "timeout", "<A> drops a request after a timeout of <V>",
     "after which timeout does <A> drop requests", "the timeouts for requests to <A>", durations},
    {"retry_limit", "retry limit", "retry", "<A> gives up at a retry limit of <V>", "how often does <A> retry",
     "the limit of retries in <A>", counts},
    {"pool_size", "pool size", "pool", "<A> keeps a connection pool of <V>", "how large is the pool that <A> keeps",
     "the size of the pools of <A>", amounts},
    {"sampling_rate", "sampling rate", "sampling", "<A> traces its calls at a sampling rate of <V>",
     "how much of its traffic is <A> sampling", "the sampling rates of <A>", percents},
    {"cache_ttl", "cache ttl", "cache", "<A> keeps a cache entry for <V>", "how long does <A> cache its entries",
     "the lifetime of cached entries in <A>", durations},
    {"heap_size", "heap size", "heap", "<A> starts with a heap of <V>", "what heap does the <A> service get",
     "the heap sizes of <A>", sizes},
    {"certificate_expiry", "certificate expiry", "certificate", "the certificate of <A> expires on <V>",
     "when will the certificate of <A> expire", "the last day of the certificates that <A> serves", dates},
    {"database_host", "database host", "database", "<A> reads from the database on <V>",
     "which host has the database that <A> reads", "the host of the databases behind <A>", hosts},
    {"queue_depth", "queue depth", "queue", "<A> lets its queue grow to <V>", "how deep may the queues of <A> get",
     "the depth allowed for the queue of <A>", amounts},
    {"rate_limit", "rate limit", "rate", "<A> enforces a rate limit of <V>", "what limit of the rate does <A> enforce",
     "the limits on the rate of calls to <A>", rates},
    {"owner_team", "owner team", "owner", "the owner of <A> is <V>", "who are the owners of <A>",
     "the owner responsible for <A>", teams},
    {"escalation_contact", "escalation contact", "escalation", "the escalation contact for <A> is <V>",
     "who takes an escalation about <A>", "the person to contact for escalations of <A>", people},
    {"image_tag", "image tag", "image", "<A> is deployed from the image <V>", "which image do we deploy <A> from",
     "the tag of the images used for <A>", versions},
    {"release_version", "release version", "release", "<A> runs release <V>", "which release of <A> is running",
     "the number of the release of <A> that is live", versions},
    {"disk_quota", "disk quota", "disk", "<A> may fill a disk quota of <V>", "how much disk can <A> fill",
     "the quotas on the disk for <A>", sizes},
    {"backup_window", "backup window", "backup", "the backup window of <A> opens at <V>",
     "when do the backups of <A> start", "the hour at which the backup for <A> starts", clocks},
    {"alert_threshold", "alert threshold", "alert", "<A> raises an alert above <V>",
     "at which load are alerts raised for <A>", "the threshold for an alert about <A>", percents},
    {"health_path", "health path", "health", "the health check of <A> answers at <V>",
     "where does <A> answer checks of its health", "the path for health checks on <A>", paths},
    {"secret_path", "secret path", "secret", "<A> reads its secret from <V>", "where are the secrets of <A> read",
     "the place of the secret that <A> reads", paths},
    {"log_retention", "log retention", "retention", "<A> has a log retention of <V>",
     "what retention do the logs of <A> have", "the retention of logging in <A>", durations},
    {"batch_size", "batch size", "batch", "<A> writes in a batch of <V>", "how large are the batches that <A> writes",
     "the size of a batch in <A>", amounts},
    {"worker_threads", "worker threads", "worker", "<A> starts <V> worker threads", "how many workers does <A> start",
     "the number of threads each worker pool of <A> has", counts},
    {"session_lifetime", "session lifetime", "session", "a session of <A> ends after <V>",
     "how long do sessions of <A> last", "the lifetime given to a session in <A>", durations},
    {"upload_limit", "upload limit", "upload", "<A> refuses an upload above <V>", "how large may uploads to <A> be",
     "the limit for one upload to <A>", sizes},
    {"schema_revision", "schema revision", "schema", "<A> expects schema revision <V>",
     "which revision of the schema does <A> need", "the revision that the schema of <A> has", amounts},
    {"rollback_approver", "rollback approver", "rollback", "the rollback of <A> was approved by <V>",
     "who approved rollbacks of <A>", "the person behind the rollback of <A>", people},
    {"migration_ticket", "migration ticket", "migration", "the migration of <A> is tracked in <V>",
     "which ticket tracks the migrations of <A>", "the ticket about migration of <A>", tickets},
    {"dns_name", "dns name", "dns", "<A> has the dns name <V>", "under what dns name can one reach <A>",
     "the names in dns of <A>", hosts},
    {"grace_period", "grace period", "grace", "<A> gets a grace period of <V>", "how much grace does <A> get",
     "the period of grace that <A> has", durations},
    {"idle_connections", "idle connections", "idle", "<A> keeps <V> idle connections",
     "how many connections may be idle in <A>", "the number of idle connections kept by <A>", counts},
};
inline constexpr attribute parameters[] = {
    {"retry_limit", "retry limit", "retry", "<A> has a retry limit of <V>", "what limit of retries does <A> have",
     "the retry limit used by <A>", counts},
    {"call_timeout", "call timeout", "timeout", "<A> calls with a timeout of <V>", "which timeout does <A> set",
     "the timeouts that <A> sets", durations},
    {"chunk_size", "chunk size", "chunk", "<A> cuts its input into a chunk size of <V>",
     "how large are the chunks of <A>", "the size of one chunk in <A>", sizes},
    {"backoff_base", "backoff base", "backoff", "<A> starts its backoff at <V>", "with what backoff does <A> start",
     "the first backoff of <A>", durations},
    {"max_concurrency", "max concurrency", "concurrency", "<A> runs at a concurrency of <V>",
     "what concurrency is allowed in <A>", "the highest concurrency of <A>", counts},
    {"buffer_size", "buffer size", "buffer", "<A> fills a buffer of <V>", "how large is the buffer that <A> fills",
     "the size of buffers in <A>", sizes},
    {"lease_time", "lease time", "lease", "<A> takes a lease of <V>", "how long are leases taken by <A>",
     "the time that <A> holds a lease", durations},
    {"checksum_kind", "checksum kind", "checksum", "<A> writes each part with the checksum <V>",
     "which checksum does <A> use", "the kind of checksums in <A>", codecs},
    {"compression_codec", "compression codec", "compression", "<A> packs with the compression <V>",
     "what compression has <A> chosen", "the codec for compression in <A>", codecs},
    {"prefetch_count", "prefetch count", "prefetch", "<A> asks for a prefetch of <V>", "how much does <A> prefetch",
     "the prefetch counts of <A>", amounts},
    {"page_size", "page size", "page", "<A> reads a page of <V>", "how large are pages that <A> reads",
     "the size of one page for <A>", amounts},
    {"deadline", "deadline", "deadline", "<A> must meet a deadline of <V>", "by which deadline must <A> finish",
     "the deadline given to <A>", durations},
    {"jitter_bound", "jitter bound", "jitter", "<A> spreads its calls with a jitter of <V>",
     "how much jitter does <A> add", "the bound for jitter in <A>", durations},
    {"connection_cap", "connection cap", "connection", "<A> shares a connection cap of <V>",
     "how many connections may <A> open", "the cap on each connection pool of <A>", counts},
    {"flush_interval", "flush interval", "flush", "<A> waits for a flush interval of <V>", "how often does <A> flush",
     "the interval between flushes in <A>", durations},
    {"batch_limit", "batch limit", "batch", "<A> sends no batch above <V>", "how large can batches from <A> be",
     "the limit for a batch of <A>", amounts},
    {"cooldown", "cooldown", "cooldown", "<A> pauses for a cooldown of <V>", "what cooldown follows a call by <A>",
     "the cooldown after <A>", durations},
    {"part_size", "part size", "part", "<A> splits objects at a part size of <V>", "what size has a part in <A>",
     "the sizes of one part from <A>", sizes},
};

// Patterns, by family: settings of services, limits of functions, runs of jobs, incidents. `<c>` is an identifier,
// `<C>` the same in words, `<#V>` a literal.

inline constexpr std::string_view log_settings[] = {
    "[<A>] <B>: <c> set to <V>",
    "[config] service=<A> env=<B> <c>=<V> source=<file>",
    "[<A>] settings reloaded for <B>, <C> is now <V>",
    "[loader] <c>=<V> for <A> (<B>) after <count> ms",
    "[override] <c> -> <V> on <A>, zone <B>, requested by <person>",
};
inline constexpr std::string_view log_limits[] = {
    "[worker-<digit>] <A>: <c>=<V> for <B>, attempt <digit>", "[client] <B> opened by <A> with <C> <V>",
    "[policy] <A> on <B>: <c> raised to <V> (<ticket>)",      "[<B>] <A> took <count> ms, <C> <V>",
    "[main] reading <file>: <A> and <B> get <c> <V>",
};
inline constexpr std::string_view log_runs[] = {
    "[scheduler] run of <C>: <A> of <B> failed: <V>",
    "[jobs] name=<a> database=<B> date=<C> status=failed reason=\"<V>\"",
    "[cron] <A> for <B> (<C>) aborted after <duration>, <V>",
    "[runner-<digit>] <B>: <A> of <C> ended with status <digit>, <V>",
};
inline constexpr std::string_view log_incidents[] = {
    "[<A>] <C> on <B>, cause: <V>",
    "[gateway] <A> answered <B> with <C>: <V>",
    "[alerts] <ticket> <C> at <A> <B>; <V>",
    "[<A>] request <count> to <B> hit a <C> since <V>",
};
inline constexpr std::string_view json_settings[] = {
    R"({"service":"<A>","environment":"<B>","<c>":<#V>,"updated":"<date>","revision":<count>})",
    R"({"id":<count>,"name":"<A>","region":"<B>","settings":{"<c>":<#V>,"locked":false},"reviewer":"<person>"})",
    R"({"setting":"<c>","value":<#V>,"scope":{"service":"<A>","environment":"<B>"},"source":"<file>"})",
    R"({"app":"<A>","stage":"<B>","note":"<C> changed to <V>","ticket":"<ticket>","by":"<person>"})",
};
inline constexpr std::string_view json_limits[] = {
    R"({"function":"<A>","backend":"<B>","<c>":<#V>,"calls":<count>})",
    R"({"symbol":"<A>","file":"<file>","limits":{"target":"<b>","<c>":<#V>}})",
    R"({"option":"<c>","value":<#V>,"caller":"<A>","target":"<b>","since":"<version>"})",
    R"({"line":<count>,"comment":"<A> wants <C> <V> for <B>","file":"<file>","resolved":true})",
};
inline constexpr std::string_view json_runs[] = {
    R"({"job":"<A>","database":"<B>","date":"<C>","status":"failed","reason":"<V>"})",
    R"({"run":{"job":"<a>","date":"<C>"},"dataset":"<B>","outcome":"failed","message":"<V>","attempts":<digit>})",
    R"({"id":<count>,"kind":"<A>","target":"<B>","started":"<C>","error":{"message":"<V>","retried":true}})",
};
inline constexpr std::string_view json_incidents[] = {
    R"({"service":"<A>","path":"<B>","error":"<C>","cause":"<V>","severity":<digit>})",
    R"({"ticket":"<ticket>","summary":"<C> at <B>","component":"<A>","analysis":"<V>","closed":true})",
    R"({"component":"<A>","request":{"path":"<B>","status":"<c>"},"finding":"<V>","count":<count>})",
};
inline constexpr std::string_view prose_settings[] = {
    "In <B>, <said>.",
    "<Said> in <B>.",
    "According to the runbook, <said> in <B>.",
    "Since the change of <date> <said> in <B>, and nothing else was touched.",
    "<person> confirmed that <said> in <B>.",
    "For <B> the plan was that <said>.",
    "As of today <said> in <B>, unlike in the other environments.",
    "We measured it in <B> – there <said>.",
};
inline constexpr std::string_view prose_limits[] = {
    "When it talks to <B>, <said>.",
    "<Said> for <B>.",
    "The review noted that <said> as soon as <B> is involved.",
    "With <B> behind it, <said>, as agreed in <ticket>.",
    "In `<file>`, <said> for <B>.",
    "<person> found that <said> with <B>, and documented it.",
    "Calls to <B> are special: <said>.",
};
inline constexpr std::string_view prose_runs[] = {
    "On <C> the <A> of <B> failed because <V>.",
    "The <A> for <B> stopped on <C>, as <V>.",
    "We went through <B> again: its <A> broke on <C> since <V>.",
    "<person> traced the failure of the <A> on <C> in <B>: <V>.",
    "After <duration> the <B> part of the <A> was aborted on <C>, and the log says that <V>.",
};
inline constexpr std::string_view prose_incidents[] = {
    "<A> answered with a <C> at <B> because <V>.",
    "The <C> that <A> showed at <B> came about since <V>.",
    "At <B>, users of <A> saw a <C>, and it turned out that <V>.",
    "<person> closed the <C> of <A> (<B>) with the finding that <V>.",
    "In the review of <ticket> the <C> at <B> in <A> was explained: <V>.",
};
inline constexpr std::string_view cpp_settings[] = {
    R"(    config.set("<A>", "<B>", "<c>", <#V>);)",
    R"(    rows.push_back({"<A>", "<B>", "<c>", <#V>});)",
    R"(    if (service == "<A>" && zone == "<B>") defaults.<c> = <#V>;)",
    "    // <A> has its own <C> in <B>\n    overrides.emplace(\"<c>\", <#V>);",
};
inline constexpr std::string_view python_settings[] = {
    R"(    settings["<A>"]["<B>"]["<c>"] = <#V>)",
    R"(    override("<A>", zone="<B>", <c>=<#V>))",
    "    # <A> has another <C> in <B>\n    defaults.<c> = <#V>",
};
inline constexpr std::string_view cpp_limits[] = {
    R"(    limits.add("<A>", backend::<b>, {.<c> = <#V>});)",
    R"(    if (caller == "<A>" && target == "<b>") options.<c> = <#V>;)",
    "    // <A>: another <C> for <B>\n    options.<c> = <#V>;",
};
inline constexpr std::string_view python_limits[] = {
    R"(    LIMITS["<A>"]["<b>"] = Limit(<c>=<#V>))",
    R"(    register(<A>, target="<b>", <c>=<#V>))",
    "    # <B> is slow when <A> calls it\n    options[\"<c>\"] = <#V>",
};
inline constexpr std::string_view cpp_runs[] = {
    R"(    known.insert({"<a>", "<B>", "<C>", "<V>"});)",
    "    // <A> of <B>, <C>: <V>\n    expect_failure(report, status::aborted);",
};
inline constexpr std::string_view python_runs[] = {
    R"(    KNOWN_FAILURES["<a>", "<B>", "<C>"] = "<V>")",
    "    # <A> of <B>, <C>: <V>\n    skip(report, status=\"aborted\")",
};
inline constexpr std::string_view cpp_incidents[] = {
    R"(    causes.insert({"<A>", "<B>", "<c>", "<V>"});)",
    "    // <A> gave a <C> at <B>: <V>\n    handlers.push_back(reply::later);",
};
inline constexpr std::string_view python_incidents[] = {
    R"(    explain("<A>", path="<B>", error="<c>", cause="<V>"))",
    "    # <A> gave a <C> at <B>: <V>\n    handlers.append(reply_later)",
};

// What holds no fact.

inline constexpr std::string_view log_lines[] = {
    "[http] GET <path> 200 in <count> ms",
    "[worker-<digit>] picked up task <ticket>",
    "[net] connection to <host> established",
    "[health] heartbeat from <host> after <duration>",
    "[cache] warmed with <count> entries of <database>",
    "[main] <function> finished in <duration>",
    "[deploy] <service> <version> goes to <environment>",
    "[client] retrying <target> in <duration>",
    "[sql] slow query on <database>: <duration>",
    "[<service>] ready to serve",
    "[sink] flushed <count> records to <target>",
    "[vm] garbage collection took <count> ms",
    "[auth] <person> logged in from <host>",
    "[flags] reloaded for <environment>",
    "[tls] certificate of <host> is valid until <date>",
    "[queue] <service> drained, <count> messages left",
};
inline constexpr std::string_view prose_sentences[] = {
    "<service> was restarted after the deploy of <version>.",
    "Nothing else changed in <environment> that week.",
    "The timeout was discussed with <person>, but nothing was agreed on.",
    "We compared <target> with <target> and kept the first.",
    "The backup of <database> is copied to <host> every day.",
    "Most of the load in <environment> comes from <service>.",
    "The port, the memory limit and the number of replicas are set in `<file>`.",
    "A retry never helps when the request itself is malformed.",
    "<function> is the last caller of <target>.",
    "The ticket <ticket> has the details.",
    "Latency stayed below <duration> at the 99th percentile – within the agreed limit.",
    "<person> will look at the alerts of <service> next week.",
    "Settings of a service are loaded once, when it starts.",
    "The job that exports <database> needs about <duration>.",
    "Every release is first deployed to <environment>.",
    "It is unknown whether <service> had the same error before.",
    "The queue of <service> was empty at that time.",
    "Update the page when a limit changes.",
    "The failure was noticed by <person> before any user reported it.",
    "After <version> the cache of <service> is warmed by <function>.",
    "The path <path> is served by <service> in every environment.",
    "Rollbacks wait for the approval of somebody from <team>.",
    "For <target> the defaults of the client are used.",
    "The owner of <database> is <team>.",
    "A second run on the same date would overwrite the first.",
    "The batch was split because an upload was larger than <size>.",
    "Besides <environment>, <environment> has a replica of <database>.",
    "Errors at <path> are counted without raising an alert.",
    "We saw <count> requests in a minute.",
    "The function <function> holds no lock while it waits.",
};
inline constexpr std::string_view prose_headings[] = {
    "## <service>",           "## <environment> after <version>",
    "## Events of <date>",    "## Settings of <service>",
    "## <function>",          "## Jobs on <database>",
    "## Open questions",      "## Errors at <path>",
    "## Limits for <target>",
};
inline constexpr std::string_view cpp_lines[] = {
    "    auto const started = clock::now();",
    "    for (auto const& each : rows) total += each.size();",
    "    if (!client.connected()) return status::unreachable;",
    "    log(level::info, \"<function> begins\");",
    "    auto result = <function>(request, <count>);",
    "    if (result.retries > <digit>) return status::aborted;",
    "    std::vector<std::string> names;",
    "    names.push_back(\"<database>\");",
    "    // the timeout is checked by the caller",
    "    auto const target = pool.get(\"<host>\");",
    "    metrics.count(\"<service>.calls\", <count>);",
    "    static_cast<void>(target);",
    "    if (path == \"<path>\") return route(\"<service>\");",
    "    session.open(\"<environment>\", options);",
    "    assert(options.batch <= limit);",
};
inline constexpr std::string_view python_lines[] = {
    "    started = time.monotonic()",
    "    total = sum(len(each) for each in rows)",
    "    if not client.connected: return Status.UNREACHABLE",
    "    log.info(\"<function> begins\")",
    "    result = <function>(request, <count>)",
    "    if result.retries > <digit>: raise Aborted(\"<service>\")",
    "    names.append(\"<database>\")",
    "    # the timeout is checked by the caller",
    "    target = pool.get(\"<host>\")",
    "    metrics.count(\"<service>.calls\", <count>)",
    "    session.open(\"<environment>\", options)",
    "    assert options.batch <= limit",
};
inline constexpr std::string_view cpp_heads[] = {
    "status configure_<noun>(settings& config) {",
    "void load_<noun>(std::string_view service, registry& limits) {",
    "bool check_<noun>(report const& report) {",
    "static int open_<noun>(client& client, options options) {",
};
inline constexpr std::string_view python_heads[] = {
    "def configure_<noun>(settings, defaults):",
    "def load_<noun>(service, options=None):",
    "def check_<noun>(report):",
    "async def open_<noun>(client, options):",
};
inline constexpr std::string_view nouns[] = {"limits", "defaults", "overrides", "routes",   "failures", "zones",
                                             "pools",  "clients",  "reports",   "handlers", "tables",   "jobs"};

// Where artifacts come from, by kind.

inline constexpr std::string_view log_sources[] = {
    "run: kubectl logs deploy/<service> --since=2h",
    "run: journalctl -u <service> --no-pager",
    "read_file: logs/<service>.log",
    "run: tail -n 500 /var/log/<database>/jobs.log",
};
inline constexpr std::string_view json_sources[] = {
    "fetch: https://config.internal/v1/settings?page=<digit>",
    "read_file: exports/<service>.json",
    "run: curl -s https://<host>/status",
    "query: select * from <database> limit <count>",
};
inline constexpr std::string_view prose_sources[] = {
    "read_file: docs/runbooks/<service>.md",
    "read_file: docs/postmortems/<ticket>.md",
    "fetch: https://wiki.internal/<service>",
    "read_file: README.md",
};
inline constexpr std::string_view code_sources[] = {"read_file: src/<service>/<noun>", "read_file: lib/<noun>",
                                                    "run: git show HEAD:src/<noun>", "read_file: tools/<noun>"};
inline constexpr std::string_view files[] = {
    "src/billing/retry.cpp",  "src/billing/limits.cpp", "config/zones.yaml",    "config/defaults.yaml",
    "deploy/values.yaml",     "src/ledger/journal.cpp", "src/checkout/cart.py", "lib/storage/client.cpp",
    "lib/storage/retry.py",   "tools/export.py",        "jobs/backup.py",       "jobs/reindex.py",
    "src/search/ranking.cpp", "src/mailer/queue.py",
};

// Questions, by family: of settings and limits both with the words and with the identifier.

inline constexpr std::string_view ask_settings[] = {
    "<Asked> in <B>?",
    "In <B>, <asked>?",
    "What is <wanted> in <B>?",
    "Please tell me <wanted>, for <B>.",
    "I need to know for <B>: <asked>?",
};
inline constexpr std::string_view ask_settings_by_key[] = {
    "What is the <c> of <A> in <B>?",
    "Which <c> does the <A> service have on <B>?",
    "What did <B> get as <c> when <A> was configured?",
    "Looking at <B>: what value has <c> for <A>?",
};
inline constexpr std::string_view ask_limits[] = {
    "<Asked> when it talks with <B>?",
    "For <B>, <asked>?",
    "What is <wanted> with <B>?",
    "Do you remember <wanted>, where <B> is called?",
};
inline constexpr std::string_view ask_limits_by_key[] = {
    "What is the <c> that <A> uses for <B>?",
    "Which <c> does <A> pass to <B>?",
    "When <A> calls <B>, what is its <c>?",
    "How is <c> chosen in calls of <B> by <A>?",
};
inline constexpr std::string_view ask_runs[] = {
    "Why did the <A> of the <B> database fail on <C>?",
    "What made the <A> for <B> fail on <C>?",
    "The <A> did not finish on <C> for <B>: what was the reason?",
    "What went wrong with <B> during the <A> of <C>?",
    "I want the cause of the failing <A> (<B>, <C>).",
};
inline constexpr std::string_view ask_incidents[] = {
    "What caused the <C> of <A> at <B>?",
    "Why did <A> return a <C> on <B>?",
    "What was behind a <C> for <B>, as seen in <A>?",
    "For <B>: why does <A> keep seeing a <C>?",
    "Is there an explanation for <A> and its <C> when <B> was requested?",
};
inline constexpr std::string_view ask_first[] = {
    "", "", "", "", "", "", "Please tell me: ", "Remind me. ", "Quick question: ", "We looked at this earlier. "};
inline constexpr std::string_view ask_last[] = {"",
                                                "",
                                                "",
                                                "",
                                                "",
                                                "",
                                                "",
                                                " I only need the value.",
                                                " It was in one of the files we read.",
                                                " Please answer in one line."};

}  // namespace plan_tests::words

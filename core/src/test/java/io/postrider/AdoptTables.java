package io.postrider;

import io.postrider.admin.Adoption;

/** The four shapes of tables that are adopted, as the teams that asked for it have them. */
enum AdoptTables {
    FLAG(
            "outbox",
            "create table outbox (id bigserial primary key, event_type text not null, payload jsonb not null,"
                    + " created_at timestamptz not null default now(), processed_at timestamptz)"),
    STATUS(
            "event_outbox",
            "create table event_outbox (id uuid primary key default gen_random_uuid(), aggregate_type text, aggregate_id text,"
                    + " user_id text, project_id text, event_type text not null, payload jsonb not null,"
                    + " status text not null default 'pending', retry_count int not null default 0, next_retry_at timestamptz,"
                    + " created_at timestamptz not null default clock_timestamp(), published_at timestamptz, last_error text)"),
    DELETE(
            "outbox_events",
            "create table outbox_events (id uuid primary key default gen_random_uuid(), aggregate_type text, aggregate_id text,"
                    + " event_type text not null, payload text not null)"),
    JOBS(
            "enrichment_outbox",
            "create table enrichment_outbox (id bigserial primary key, item_id bigint not null,"
                    + " status text not null default 'PENDING', attempt_count int not null default 0, claimed_at timestamptz,"
                    + " last_error text, created_at timestamptz not null default now())");

    final String table;
    final String create;

    AdoptTables(String table, String create) {
        this.table = table;
        this.create = create;
    }

    Adoption adoption() {
        return this == JOBS
                ? Adoption.of(table).withQueue("q")
                : Adoption.of(table).withTopic("t");
    }

    /** A row of this key, with a number that counts the rows of the key. */
    String insert(String key, int number) {
        String payload = "'{\"key\": \"" + key + "\", \"n\": " + number + "}'";
        return switch (this) {
            case FLAG -> "insert into outbox (event_type, payload) values ('changed', " + payload + ")";
            case STATUS ->
                "insert into event_outbox (aggregate_type, aggregate_id, user_id, project_id, event_type, payload)"
                        + " values ('order', '" + key + "', 'u1', 'p1', 'changed', " + payload + ")";
            case DELETE ->
                "insert into outbox_events (aggregate_type, aggregate_id, event_type, payload) values ('order', '" + key
                        + "', 'changed', " + payload + ")";
            case JOBS -> "insert into enrichment_outbox (item_id) values (" + number + ")";
        };
    }
}

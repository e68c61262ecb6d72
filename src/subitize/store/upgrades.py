"""SQL that upgrades the tables of each version to the next, on SQLite and PostgreSQL; no stored value changes."""

from collections.abc import Iterator, Mapping

_PROVIDERS = {"openai": "https://api.openai.com/v1", "hf-inference": "https://router.huggingface.co"}

UPGRADES: Mapping[int, tuple[str, ...]] = {
    1: (
        "ALTER TABLE readings ADD COLUMN provenance TEXT",
        "CREATE INDEX responses_by_item ON responses (run_id, item_id)",
    ),
    2: (
        "CREATE TABLE IF NOT EXISTS attachments (run_id VARCHAR NOT NULL, trial_id VARCHAR NOT NULL, "
        "image VARCHAR NOT NULL, file TEXT NOT NULL, at FLOAT NOT NULL, PRIMARY KEY (run_id, trial_id))",
    ),
    3: (
        # Only the name of an option said whether a suite asks again.
        "ALTER TABLE suites ADD COLUMN asks_again BOOLEAN NOT NULL DEFAULT false",
        "ALTER TABLE suites ADD COLUMN strata TEXT NOT NULL DEFAULT '[]'",
        "ALTER TABLE suites ADD COLUMN items_hash VARCHAR",
        """UPDATE suites SET asks_again = true WHERE options LIKE '%"max_attempts":%'""",
        "DROP INDEX readings_by_judge",
        "CREATE TABLE questions (id {row_id}, run_id VARCHAR NOT NULL, question_id TEXT NOT NULL, "
        "question TEXT NOT NULL)",
        "INSERT INTO questions (run_id, question_id, question) SELECT run_id, min(question_id), question "
        "FROM readings GROUP BY run_id, question ORDER BY min(id)",
        "CREATE UNIQUE INDEX one_row_per_question ON questions (run_id, {digest}(question))",
        "CREATE TABLE subjects (id {row_id}, run_id VARCHAR NOT NULL, subject_id VARCHAR NOT NULL, "
        "trial_ids TEXT NOT NULL)",
        "INSERT INTO subjects (run_id, subject_id, trial_ids) SELECT run_id, subject_id, min(trial_ids) "
        "FROM readings GROUP BY run_id, subject_id ORDER BY min(id)",
        "CREATE UNIQUE INDEX one_row_per_subject ON subjects (run_id, subject_id)",
        "CREATE TABLE sources (id {row_id}, run_id VARCHAR NOT NULL, judge VARCHAR NOT NULL, "
        "annotator VARCHAR NOT NULL, rule VARCHAR NOT NULL)",
        "INSERT INTO sources (run_id, judge, annotator, rule) SELECT run_id, judge, annotator, rule "
        "FROM readings GROUP BY run_id, judge, annotator, rule ORDER BY min(id)",
        "CREATE UNIQUE INDEX one_row_per_source ON sources "
        "(run_id, {digest}(judge), {digest}(annotator), {digest}(rule))",
        "ALTER TABLE readings RENAME TO whole_readings",
        "postgresql: ALTER INDEX readings_pkey RENAME TO whole_readings_pkey",
        "postgresql: ALTER SEQUENCE readings_id_seq RENAME TO whole_readings_id_seq",
        "CREATE TABLE readings (id {row_id}, run_id VARCHAR NOT NULL, subject BIGINT NOT NULL, "
        "question BIGINT NOT NULL, source BIGINT NOT NULL, evidence TEXT NOT NULL, value TEXT NOT NULL, "
        "replaces BIGINT, at FLOAT NOT NULL, provenance TEXT)",
        "INSERT INTO readings SELECT w.id, w.run_id, b.id, q.id, s.id, "
        "w.evidence, w.value, w.replaces, w.at, w.provenance FROM whole_readings w "
        "JOIN subjects b ON b.run_id = w.run_id AND b.subject_id = w.subject_id "
        "JOIN questions q ON q.run_id = w.run_id AND q.question = w.question "
        "JOIN sources s ON s.run_id = w.run_id AND s.judge = w.judge AND s.annotator = w.annotator AND s.rule = w.rule "
        "ORDER BY w.id",
        "DROP TABLE whole_readings",
        "postgresql: SELECT setval(pg_get_serial_sequence('readings', 'id'), max(id)) FROM readings HAVING max(id) > 0",
        "postgresql: CREATE INDEX readings_by_source ON readings (run_id, source)",
        "postgresql: CREATE INDEX readings_by_subject ON readings (subject)",
    ),
    4: (
        # A limit took the first items, and still does in runs begun then.
        "ALTER TABLE suites ADD COLUMN sampling VARCHAR",
        "ALTER TABLE suites ADD COLUMN sampled_from INTEGER",
    ),
    5: (
        "ALTER TABLE models ADD COLUMN name VARCHAR NOT NULL DEFAULT ''",
        "ALTER TABLE models ADD COLUMN address TEXT NOT NULL DEFAULT ''",
        "ALTER TABLE judges ADD COLUMN name VARCHAR NOT NULL DEFAULT ''",
        "ALTER TABLE judges ADD COLUMN address TEXT NOT NULL DEFAULT ''",
        # A given address is among the options; otherwise it was the provider's.
        *(
            f"""UPDATE {table} SET address = '{address}' WHERE {kind_column} LIKE '{start}{kind}:%'
            AND options LIKE '%"{key}base_url":""%' AND options NOT LIKE '%"{key}model":"http%'"""
            for kind, address in _PROVIDERS.items()
            for table, kind_column, start, key in (
                ("models", "model", "", ""),
                ("judges", "options", '%"model":"', "model "),
            )
        ),
    ),
    6: (
        "ALTER TABLE readings ADD COLUMN purpose VARCHAR",
        "ALTER TABLE readings ADD COLUMN reviews BIGINT",
    ),
}

_WORDS = {
    "sqlite": {"row_id": "INTEGER NOT NULL PRIMARY KEY", "digest": ""},
    "postgresql": {"row_id": "BIGSERIAL NOT NULL PRIMARY KEY", "digest": "md5"},
}


def upgrade_statements(version: int, dialect: str) -> Iterator[str]:
    """Yield the SQL statements that upgrade tables of a version to the next."""
    for statement in UPGRADES[version]:
        only, mark, own = statement.partition(": ")
        if not mark or only not in _WORDS:
            yield statement.format_map(_WORDS[dialect])
        elif only == dialect:
            yield own

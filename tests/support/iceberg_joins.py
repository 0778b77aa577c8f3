"""Looks up keys of joins and subqueries in Iceberg tables, and in plans that share scans."""

from __future__ import annotations

import json

from pyspark.sql import DataFrame, SparkSession

from harness import rows
from iceberg_session import KEY, create, log, twice, where
from lake_session import look, look_at, settings

T = "ice.db.log"
SHUFFLED = {"spark.sql.autoBroadcastJoinThreshold": "-1"}
GROUPED = {
    "spark.sql.sources.v2.bucketing.enabled": "true",
    "spark.sql.sources.v2.bucketing.pushPartValues.enabled": "true",
    "spark.sql.iceberg.planning.preserve-data-grouping": "true",
    "spark.sql.requireAllClusterKeysForCoPartition": "false",
}


def compare(spark: SparkSession, files: int) -> None:
    late(spark)
    shared(spark)
    changing(spark)
    some = min(files, 20)
    partitioned(spark, some)
    grouped(spark, 8)


def late(spark: SparkSession) -> None:
    spark.sql("SELECT xxhash64(id * 101 + 7) AS user_id FROM range(3)").write.saveAsTable("others")
    look(spark, "join", f"SELECT seq FROM {T} JOIN few USING (user_id)")
    within = f"SELECT seq FROM {T} WHERE user_id IN (SELECT user_id FROM few)"
    look(spark, "in subquery", within)
    exists = f"SELECT seq FROM {T} t WHERE EXISTS (SELECT 1 FROM few f WHERE f.user_id = t.user_id)"
    look(spark, "exists", exists)
    scalar = "(SELECT max(user_id) FROM few)"
    look(spark, "scalar subquery", f"SELECT seq FROM {T} WHERE user_id = {scalar}")
    look(spark, "late nested key", f"SELECT seq FROM {T} JOIN few ON st.a = xxhash64(n * 7, 1)")
    outer = f"SELECT seq, f.n FROM few f LEFT JOIN {T} t ON f.user_id = t.user_id"
    look(spark, "outer join", outer)
    anti = f"SELECT count(*), sum(seq) FROM {T} WHERE user_id NOT IN (SELECT user_id FROM few)"
    look(spark, "not in subquery", anti)
    both = f"SELECT seq FROM {T} JOIN few USING (user_id) WHERE seq < 150"
    look(spark, "join and a filter", both)
    with settings(spark, {"spark.sql.adaptive.enabled": "false"}):
        look(spark, "join without adaptive execution", within)
        query = f"SELECT seq FROM {T} WHERE user_id = {scalar} OR {where(KEY)}"
        look(spark, "subquery without adaptive execution", query)
    files = "SELECT max(file_path) FROM ice.db.log.files"
    look(spark, "late file", f"SELECT count(*) FROM {T} WHERE _file = ({files})")
    named = f"_file = ({files}) AND user_id IN (SELECT user_id FROM few)"
    look(spark, "late file and keys", f"SELECT seq FROM {T} WHERE {named}")


def shared(spark: SparkSession) -> None:
    """Plans that read the table twice, and must not take one scan for the other."""
    texts = [f"string(user_id) = string(xxhash64({n}L))" for n in (KEY, KEY + 1)]
    reads = [f"SELECT seq FROM {T} WHERE {text}" for text in texts]
    look(spark, "union", " UNION ALL ".join(reads))
    counts = [f"SELECT count(*), max(seq) FROM ({read})" for read in reads]
    look(spark, "union of aggregates", " UNION ALL ".join(counts))
    look(spark, "two subqueries", f"SELECT ({reads[0]}), ({reads[1]}), ({reads[0]})")
    joins = [f"SELECT seq FROM {T} JOIN {keys} USING (user_id)" for keys in ("few", "others")]
    look(spark, "union of joins", " UNION ALL ".join(joins))
    sums = [f"SELECT count(*), sum(seq) FROM ({join})" for join in joins]
    look(spark, "union of aggregated joins", " UNION ALL ".join(sums))
    # the exchanges are above scans that differ in their late keys alone
    scans = [
        f"SELECT day, seq, user_id FROM {T} WHERE user_id = (SELECT max(user_id) FROM {keys})"
        for keys in ("few", "others")
    ]
    pair = f"({scans[0]}) a FULL JOIN ({scans[1]}) b ON a.day = b.day"
    spread = [
        f"SELECT /*+ REPARTITION(2, user_id) */ seq, user_id FROM ({join})"
        for join in (
            f"SELECT seq, t.user_id FROM {T} t LEFT SEMI JOIN few f ON t.user_id = f.user_id",
            f"SELECT seq, t.user_id FROM {T} t LEFT SEMI JOIN others f ON t.user_id = f.user_id",
            f"SELECT seq, t.user_id FROM {T} t LEFT SEMI JOIN few f ON t.user_id = f.user_id",
        )
    ]
    adaptive = "spark.sql.adaptive.enabled"
    for name, conf in {"": {}, " without adaptive execution": {adaptive: "false"}}.items():
        with settings(spark, {**SHUFFLED, **conf}):
            look(spark, f"full join{name}", f"SELECT a.seq, b.seq FROM {pair}")
            look(spark, f"self-join{name}", self_join())
        with settings(spark, conf):
            look(spark, f"exchanges{name}", " UNION ALL ".join(spread))
            look(spark, f"exchanges of two{name}", " UNION ALL ".join(spread[:2]))
            look(spark, f"broadcast self-join{name}", self_join())
            same = f"SELECT a.seq FROM ({joins[0]}) a JOIN ({joins[0]}) b ON a.seq = b.seq"
            look(spark, f"the same join twice{name}", same)
    three = f"SELECT count(*) FROM {T} a JOIN {T} b ON a.user_id = b.user_id AND b.{where(KEY)}"
    look(spark, "a key of one side", three)
    block = f"SELECT seq, input_file_block_start() FROM {T} WHERE {where(KEY)}"
    look(spark, "block", block)
    length = f"SELECT seq, input_file_block_length() FROM {T} JOIN few USING (user_id)"
    look(spark, "block and late keys", length)
    look(spark, "file name", f"SELECT seq, input_file_name() FROM {T} WHERE {where(KEY)}")
    name = f"SELECT seq, input_file_name() FROM {T} JOIN few USING (user_id)"
    look(spark, "file name and late keys", name)
    look_at(spark, "union of a frame", lambda: union(spark, texts))


def union(spark: SparkSession, texts: list[str]) -> DataFrame:
    table = spark.table(T)
    return table.where(texts[0]).select("seq").unionAll(table.where(texts[1]).select("seq"))


def self_join() -> str:
    return (
        f"SELECT a.seq, b.seq FROM {T} a JOIN {T} b ON a.day = b.day "
        f"WHERE a.{where(KEY)} AND b.{where(KEY + 3)}"
    )


def changing(spark: SparkSession) -> None:
    """Frames that are cached, or whose table changes after their first run."""
    create(spark, "changing", 20)
    t = "ice.db.changing"
    key = f"string(user_id) = string(xxhash64({KEY}L))"

    def run() -> list[str]:
        cached = spark.table(t).where(key).select("seq").cache()
        found = [*rows(cached), *rows(spark.table(t).where(key).select("seq"))]
        cached.unpersist()
        return found

    twice(spark, "cached", run)
    whole = spark.table(t).cache()
    look(spark, "cached whole", f"SELECT seq FROM {t} WHERE {where(KEY)}")
    whole.unpersist()
    answers = {}
    for enabled in ("true", "false"):
        with settings(spark, {"spark.sbbf.enabled": enabled}):
            frame = spark.table(t).where(key).select("seq", "day")
            seen = [rows(frame)]
            spark.sql(f"INSERT INTO {t} {log(KEY, 1)} LIMIT 1")
            derived = frame.where("day >= 0")
            seen += [rows(frame), rows(derived), rows(spark.table(t).where(key).select("seq"))]
            spark.sql(f"DELETE FROM {t} WHERE {where(KEY)}")
            seen += [rows(spark.table(t).where(key).select("seq"))]
            spark.sql(f"INSERT INTO {t} {log(KEY, 1)} LIMIT 1")
            answers[enabled] = [str(part) for part in seen]
    result = {"case": "changed frame", "rows": answers["true"], "oracle": answers["false"]}
    print(json.dumps(result), flush=True)


def partitioned(spark: SparkSession, files: int) -> None:
    """A partitioned table, whose partitions a join chooses while it runs."""
    create(spark, "parts", files, clause="PARTITIONED BY (day)")
    t = "ice.db.parts"
    look(spark, "partitioned", f"SELECT seq FROM {t} WHERE {where(KEY)} AND day = {KEY % 3}")
    look(spark, "of another day", f"SELECT seq FROM {t} WHERE {where(KEY)} AND day = {KEY % 3 + 1}")
    spark.sql("SELECT id AS day, id AS n FROM range(3)").write.saveAsTable("days")
    with settings(
        spark, {"spark.sql.optimizer.dynamicPartitionPruning.reuseBroadcastOnly": "true"}
    ):
        dynamic = f"SELECT seq, n FROM {t} t JOIN days d ON t.day = d.day WHERE d.n = {KEY % 3}"
        look(spark, "dynamic: all", f"SELECT count(*), sum(seq) FROM ({dynamic})")
        look(spark, "dynamic: key", f"{dynamic} AND {where(KEY)}")
        look(spark, "dynamic: absent key", f"{dynamic} AND {where(KEY + 1)}")
        late = f"{dynamic} AND user_id IN (SELECT user_id FROM few)"
        look(spark, "dynamic: late keys", late)
        scalar = f"{dynamic} AND user_id = (SELECT max(user_id) FROM few)"
        look(spark, "dynamic: subquery", scalar)
        with settings(spark, {"spark.sql.adaptive.enabled": "false"}):
            look(spark, "dynamic: key without adaptive execution", f"{dynamic} AND {where(KEY)}")
            look(spark, "dynamic: late without adaptive execution", late)


def grouped(spark: SparkSession, files: int) -> None:
    """Joins of tables that are stored in the same buckets."""
    for name in ("left", "right"):
        create(spark, f"{name}_side", files, clause="PARTITIONED BY (bucket(4, user_id))")
    left, right = "ice.db.left_side", "ice.db.right_side"
    join = f"SELECT a.seq, b.seq FROM {left} a JOIN {right} b ON a.user_id = b.user_id"
    total = f"SELECT count(*), sum(x), sum(y) FROM ({join.replace('b.seq', 'b.seq AS y', 1)})"
    total = total.replace("a.seq", "a.seq AS x", 1)
    one_key = f"string(a.user_id) = string(xxhash64({KEY}L))"
    more = {
        "spark.sql.sources.v2.bucketing.partiallyClusteredDistribution.enabled": "true",
        "spark.sql.sources.v2.bucketing.shuffle.enabled": "true",
    }
    for suffix, conf in {
        "": {},
        ", partially clustered": more,
        ", without adaptive execution": {"spark.sql.adaptive.enabled": "false"},
    }.items():
        with settings(spark, {**GROUPED, **SHUFFLED, **conf}):
            look(spark, f"grouped: whole{suffix}", total)
            look(spark, f"grouped: key{suffix}", f"{join} WHERE a.{where(KEY)}")
            look(spark, f"grouped: text{suffix}", f"{join} WHERE {one_key}")
            nested = f"{join} WHERE a.st.a = xxhash64({KEY}L, 1)"
            look(spark, f"grouped: nested{suffix}", nested)
            outer_join = f"{join.replace('JOIN', 'FULL JOIN')} AND b.st.a = xxhash64({KEY}L, 1)"
            look(spark, f"grouped: outer{suffix}", f"SELECT count(*) FROM ({outer_join})")
            outer = f"{join.replace('JOIN', 'LEFT JOIN')} AND b.st.a = xxhash64({KEY}L, 1)"
            look(spark, f"grouped: left{suffix}", outer)
            scalar = "(SELECT max(user_id) FROM few)"
            look(spark, f"grouped: subquery{suffix}", f"{join} WHERE a.user_id = {scalar}")
            st = f"{join} WHERE b.st.a = (SELECT max(xxhash64(n, 1)) FROM few)"
            look(spark, f"grouped: late{suffix}", st)
            hinted = join.replace("SELECT", "SELECT /*+ BROADCAST(f) */", 1)
            look(spark, f"grouped: join{suffix}", f"{hinted} JOIN few f ON a.user_id = f.user_id")
            sums = (
                f"SELECT user_id, count(*) FROM {left} WHERE st.a = xxhash64({KEY}L, 1) GROUP BY 1"
            )
            look(spark, f"grouped: aggregate{suffix}", sums)

"""Tests that every wrong call is refused with a message that says what to do."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

import samples
import spark_sbbf as sbbf
from harness import session_with

KEYS = samples.scattered(40)
HERE = f"file:{Path.cwd()}"
WRITE = "write the whole path of a file, or catalog.database.table"
DROPPED = (
    "VIEW wrong_view",
    "TABLE wrong_json",
    "TABLE wrong_orc",
    "VIEW wrong_temporary",
    "VIEW global_temp.wrong_global",
)


@pytest.fixture(scope="module")
def names(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """What the calls name: functions, sessions, folders, and DataFrames of keys."""
    folder = tmp_path_factory.mktemp("wrong")
    lake, days, ores = (str(folder / name) for name in ("lake", "days", "ores"))
    columns = {"key": KEYS, "flag": [True] * 40}
    samples.write(Path(lake) / "a.parquet", columns, 20, filters=("key",))
    day = "DATE'2026-11-01' AS day"
    spark.range(9).selectExpr("id AS key", day).write.partitionBy("day").parquet(days)
    spark.range(9).write.orc(ores)
    for format in ("json", "orc"):
        spark.range(9).write.format(format).saveAsTable(f"wrong_{format}")
    spark.sql("CREATE VIEW wrong_view AS SELECT 1 AS key")
    spark.range(9).createOrReplaceTempView("wrong_temporary")
    spark.range(9).createOrReplaceGlobalTempView("wrong_global")
    yield {
        **{name: getattr(sbbf, name) for name in sbbf.__all__},
        **{"spark": spark, "other": session_with(spark, {})},
        **{"lake": lake, "days": days, "ores": ores, "folder": str(folder)},
        "reader": lambda **options: spark.read.format("sbbf").options(**options),
        "listed": lambda **options: spark.read.options(**options).table(f"sbbf.filters.`{lake}`"),
        "keys": spark.createDataFrame([(1,), (None,)], "key BIGINT"),
        "two": spark.range(3).selectExpr("id AS a", "id AS b"),
        "real": spark.createDataFrame([(1.5,)], "key DOUBLE"),
    }
    for thing in DROPPED:
        spark.sql(f"DROP {thing}")


WRONG = {
    # sessions
    "inspect('spark', lake)": (
        "TypeError: expected a SparkSession or a SparkSession.Builder, not a builtins.str"
    ),
    "enable(None)": (
        "TypeError: expected a SparkSession or a SparkSession.Builder, not a builtins.NoneType"
    ),
    "explain(5)": "TypeError: explain: expected a DataFrame, not a int",
    # tables and paths
    "inspect(spark, 5)": "TypeError: table: expected a table's name or a path, not a int",
    "probe(spark, b't', 'key', 1)": (
        "TypeError: table: expected a table's name or a path, not a bytes"
    ),
    "advise(spark, '')": "ValueError: table: the name is empty",
    "inspect(spark, 'nothing').collect()": (
        "IllegalArgumentException: no file or table named nothing: it is not in the current folder "
        f"{HERE}, and names are looked up in the catalogs of the session; {WRITE}"
    ),
    "probe(spark, 'no.db.t', 'key', 1).collect()": (
        "IllegalArgumentException: no file or table named no.db.t: it is not in the current folder "
        f"{HERE}, and names are looked up in the catalogs of the session; {WRITE}"
    ),
    "inspect(spark, 'wrong_json').collect()": (
        "IllegalArgumentException: wrong_json has the format json, expected parquet, orc, "
        "delta or iceberg"
    ),
    "advise(spark, 'wrong_json')": (
        "ValueError: wrong_json has the format json, expected parquet, delta or iceberg"
    ),
    "advise(spark, 'wrong_orc')": (
        "ValueError: wrong_orc has the format orc, expected parquet, delta or iceberg"
    ),
    "add_filters(spark, 'wrong_orc', 'id')": (
        "ValueError: wrong_orc has the format orc, expected parquet, delta or iceberg"
    ),
    "add_filters(spark, ores, 'id')": (
        "ValueError: <ores> has ORC files, expected Parquet files: filters of ORC files are "
        'written with the files, by the options of bloom_options(format="orc")'
    ),
    "advise(spark, ores)": "ValueError: <ores> has ORC files, expected Parquet files",
    "inspect(spark, 'wrong_view').collect()": (
        "IllegalArgumentException: wrong_view is a view: name its table"
    ),
    "add_filters(spark, 'default.wrong_view', 'key')": (
        "ValueError: default.wrong_view is a view: name its table"
    ),
    "probe(spark, 'wrong_temporary', 'id', 1).collect()": (
        "IllegalArgumentException: wrong_temporary is a temporary view: name its table"
    ),
    "drop_filters(spark, 'wrong_temporary')": (
        "ValueError: wrong_temporary is a temporary view: name its table"
    ),
    "inspect(spark, 'global_temp.wrong_global').collect()": (
        "IllegalArgumentException: global_temp.wrong_global is a view: name its table"
    ),
    "add_filters(spark, lake + '/no', 'key')": "ValueError: no file or folder <lake>/no",
    "refresh_index(spark, lake + '/no')": "ValueError: no file or folder <lake>/no",
    "create_index(spark, './no', 'key')": (
        f"ValueError: no file or folder ./no in the current folder {HERE}: write its whole path"
    ),
    "drop_filters(spark, 'db.nothing')": (
        "ValueError: no file or table named db.nothing: it is not in the current folder "
        f"{HERE}, and names are looked up in the catalogs of the session; {WRITE}"
    ),
    # conditions on partitions
    "inspect(spark, days, where=5)": (
        "TypeError: where: expected a condition of SQL as text, not a int"
    ),
    "add_filters(spark, days, 'key', where=['day'])": (
        "TypeError: where: expected a condition of SQL as text, not a list"
    ),
    "inspect(spark, lake, where='key = 1').collect()": (
        "IllegalArgumentException: where needs partitions, and the table has none"
    ),
    "probe(spark, days, 'key', 1, where='key = 1').collect()": (
        "IllegalArgumentException: where is invalid, and may only compare partition columns: "
        "day. Spark reports: ..."
    ),
    "advise(spark, days, where='day >')": (
        "ValueError: where is invalid, and may only compare partition columns: day. Spark "
        "reports: ..."
    ),
    "advise(spark, days, where=\"day > '2027-01-01'\")": (
        "ValueError: no files in <days>, in the partitions of where"
    ),
    "inspect(spark, days, where='rand() < 1').collect()": (
        "IllegalArgumentException: where may only compare partition columns: day"
    ),
    # values and keys
    "probe(spark, lake, 'key', None)": (
        "ValueError: value: filters hold no nulls; query IS NULL instead of None"
    ),
    "probe(spark, lake, 'key', object())": (
        "TypeError: value: cannot probe a object; an int, float, str, bytes, bool, Decimal, "
        "date or datetime can be, a list of them, or a DataFrame of one column"
    ),
    "probe(spark, lake, 'key', {1: 2})": (
        "TypeError: value: cannot probe a dict; an int, float, str, bytes, bool, Decimal, "
        "date or datetime can be, a list of them, or a DataFrame of one column"
    ),
    "probe(spark, lake, 'key', [])": (
        "ValueError: value: the list is empty; name at least one key"
    ),
    "probe(spark, lake, 'key', [1, None])": (
        "ValueError: value: filters hold no nulls; query IS NULL instead of None"
    ),
    "probe(spark, lake, 'key', [[1], [2]])": (
        "TypeError: value: cannot probe a list; an int, float, str, bytes, bool, Decimal, "
        "date or datetime can be, a list of them, or a DataFrame of one column"
    ),
    "probe(spark, lake, 'key', [1, b'x'])": (
        "TypeError: value: the list mixes bytes with other values; probe them one after another"
    ),
    "probe(spark, lake, 'key', 'x').collect()": (
        "IllegalArgumentException: the value cannot be read as BIGINT, the type of column 'key'"
    ),
    "probe(spark, lake, 'key', 2**63).collect()": (
        "IllegalArgumentException: the value cannot be read as BIGINT, the type of column 'key'"
    ),
    "probe(spark, lake, 'key', [1, 2**63, 'x']).collect()": (
        "IllegalArgumentException: the keys hold 2 of 3 that cannot be read as BIGINT, the "
        "type of column 'key'"
    ),
    "probe(spark, lake, 'key', keys).collect()": (
        "IllegalArgumentException: the keys include NULL, and filters hold no nulls: "
        "query IS NULL instead"
    ),
    "probe(spark, lake, 'key', two)": (
        "IllegalArgumentException: the keys have the columns a, b, expected one column"
    ),
    "probe(spark, lake, 'key', real)": (
        "IllegalArgumentException: the keys are DOUBLE, and the column 'key' is BIGINT: cast "
        "them to this type"
    ),
    "probe(other, lake, 'key', keys)": (
        "ValueError: value: expected a DataFrame of the same session"
    ),
    "probe(spark, lake, 'kye', [1])": (
        "IllegalArgumentException: <lake> has no column 'kye'; its columns are key, flag"
    ),
    "probe(spark, lake, 'kye', 1).collect()": (
        "IllegalArgumentException: <lake> has no column 'kye'; its columns are key, flag"
    ),
    "probe(spark, days, 'day', '2026-11-01').collect()": (
        "IllegalArgumentException: <days> has no column 'day'; its columns are key"
    ),
    # options of the data source
    "reader(colum='key').load(lake)": (
        "IllegalArgumentException: format sbbf has no option 'colum'; its options are path, "
        "column, value, value_hex, keys, where"
    ),
    "reader(column='key', value='1', keys='k').load(lake)": (
        "IllegalArgumentException: format sbbf takes a value or the option keys, not both"
    ),
    "reader(keys='k').load(lake)": (
        "IllegalArgumentException: format sbbf needs the option column beside value or keys, "
        "to name the column to probe"
    ),
    "reader().load()": "IllegalArgumentException: format sbbf needs a path: load(path)",
    "listed(column='key', keys='k').collect()": (
        "IllegalArgumentException: filters of <lake>: probes of keys have other columns: use the "
        "data source sbbf, or CREATE TEMPORARY VIEW ... USING sbbf OPTIONS (path, column, keys)"
    ),
    # filters
    "add_filters(spark, lake, [])": "ValueError: columns: name at least one column",
    "add_filters(spark, lake, ['key', 'key'])": "ValueError: columns: key named more than once",
    "add_filters(spark, lake, 'kye')": (
        "ValueError: no file of <lake> has 'kye'; name nested columns by their Parquet path, "
        "as in 'tags.list.element'"
    ),
    "add_filters(spark, lake, 'flag')": (
        "ValueError: column 'flag' is optional boolean flag: filters are unsupported for "
        "BOOLEAN (min/max cover its two values), for decimals in byte arrays of variable "
        "length (one number has several encodings) and for FLOAT16 (readers hash it in "
        "different ways)"
    ),
    "add_filters(spark, lake, 'key', fpp=2)": (
        "ValueError: fpp must be between 0 and 1, both excluded, not 2"
    ),
    "add_filters(spark, lake, 'key', fpp='low')": (
        "ValueError: fpp must be between 0 and 1, both excluded, not 'low'"
    ),
    "add_filters(spark, lake, 'key', fpp={'kye': 0.1})": (
        "ValueError: fpp: kye not among the named columns"
    ),
    "add_filters(spark, lake, 'key', ndv=0)": "ValueError: ndv must be at least 1, not 0",
    "add_filters(spark, lake, 'key', max_bytes=100)": (
        "ValueError: max_bytes must be a power of two from 32 to 134217728 (128 MiB), not 100"
    ),
    "add_filters(spark, lake, 'key', replace='yes')": (
        "ValueError: replace must be True or False, not 'yes'"
    ),
    "bloom_options('kye', df=spark.range(1))": (
        "ValueError: columns: 'kye' is no column of df. Its columns are id"
    ),
    "sizing(-1)": "ValueError: ndv must be at least 0, not -1",
    # advice
    "advise(spark, lake, row_groups=3)": (
        "ValueError: row_groups must be from 4 to 1000000, but was '3'"
    ),
    "advise(spark, lake, fpp=7)": (
        "ValueError: fpp must be between 0 and 1, both excluded, or auto, but was '7'"
    ),
    "advise(spark, lake, 'kye')": (
        "ValueError: no file of <lake> has 'kye'; name nested columns by their Parquet path, "
        "as in 'tags.list.element'"
    ),
    "advise(spark, lake, queries='SELECT 1', history=True)": (
        "ValueError: queries (views) and history cannot both weigh the columns: choose one"
    ),
    "advise(spark, lake, queries=[5])": (
        "ValueError: queries: expected DataFrames of the same session, or texts of SELECT"
    ),
    "advise(spark, lake, report='/no/such/a.html')": (
        "FileNotFoundError: report: no folder /no/such"
    ),
    "advise(spark, lake, report=folder)": (
        "IsADirectoryError: report: <folder> is a folder: name a file in it"
    ),
    # indexes
    "create_index(spark, lake, 'key', kind='tree')": (
        "ValueError: kind must be 'keys' or 'bloom', but was 'tree'"
    ),
    "create_index(spark, lake, 'upper(key)')": (
        "ValueError: 'upper(key)' has the unknown function 'upper': an index knows "
        "lower(column), tokens(column) and ngrams(column, n)"
    ),
    "create_index(spark, lake, 'tokens(key)')": (
        "ValueError: column 'tokens(key)' of <lake> cannot be indexed: it is no STRING "
        "column, as functions of a column need"
    ),
    "create_index(spark, lake, 'key', items=5)": "ValueError: items needs kind 'bloom'",
    "refresh_index(spark, lake)": (
        "ValueError: <lake> has no index of columns that it still has: run create_index first"
    ),
}
"""The calls, and the type and message of their errors. After `...`, Spark reports the reason."""


@pytest.mark.parametrize("call", WRONG)
def test_a_wrong_call_is_refused_with_its_whole_message(names: dict[str, Any], call: str) -> None:
    with pytest.raises(Exception) as refused:
        eval(call, dict(names))
    kind, message = type(refused.value).__name__, str(refused.value).splitlines()[0]
    for name in ("lake", "days", "ores", "folder"):
        message = message.replace(names[name], f"<{name}>")
    said = f"{kind}: {message}"
    expected = WRONG[call]
    assert said == expected or (expected.endswith("...") and said.startswith(expected[:-3]))


def test_there_are_many_wrong_calls() -> None:
    assert len(WRONG) >= 40

"""Values of each of the extension's settings, valid and invalid."""

from __future__ import annotations

GOOD_VALUES = {
    "spark.sbbf.enabled": "true",
    "spark.sbbf.rowGroupPruning.enabled": "false",
    "spark.sbbf.safeRead.enabled": "false",
    "spark.sbbf.exactFilters.enabled": "false",
    "spark.sbbf.cache.maxBytes": "1m",
    "spark.sbbf.planning.threads": "2",
    "spark.sbbf.planning.sampleFiles": "0",
    "spark.sbbf.planning.maxSeconds": "0",
    "spark.sbbf.planning.distributedFiles": "100",
    "spark.sbbf.runtimePruning.enabled": "false",
    "spark.sbbf.runtimePruning.maxKeys": "1000",
    "spark.sbbf.delta.enabled": "false",
    "spark.sbbf.iceberg.enabled": "false",
    "spark.sbbf.orc.enabled": "false",
    "spark.sbbf.index.enabled": "false",
    "spark.sbbf.index.path": "/indexes",
    "spark.sbbf.pages.enabled": "false",
    "spark.sbbf.pages.minBytes": "1m",
    "spark.sbbf.localLookup.enabled": "false",
}

BAD_VALUES = {
    "spark.sbbf.enabled": "perhaps",
    "spark.sbbf.rowGroupPruning.enabled": "2",
    "spark.sbbf.cache.maxBytes": "-1",
    "spark.sbbf.planning.threads": "0",
    "spark.sbbf.planning.sampleFiles": "-5",
    "spark.sbbf.planning.maxSeconds": "-1",
    "spark.sbbf.planning.distributedFiles": "-1",
    "spark.sbbf.runtimePruning.enabled": "maybe",
    "spark.sbbf.runtimePruning.maxKeys": "0",
    "spark.sbbf.safeRead.enabled": "1",
    "spark.sbbf.exactFilters.enabled": "yes",
    "spark.sbbf.delta.enabled": "no",
    "spark.sbbf.iceberg.enabled": "no",
    "spark.sbbf.orc.enabled": "no",
    "spark.sbbf.index.enabled": "no",
    "spark.sbbf.index.path": "indexes",
    "spark.sbbf.pages.enabled": "on",
    "spark.sbbf.pages.minBytes": "8 apples",
    "spark.sbbf.localLookup.enabled": "on",
}

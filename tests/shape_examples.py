"""An example of each shape of data, in the order of the table of shapes: what is wanted of it, and a text or data."""

import json
from types import SimpleNamespace
from typing import Any

import pandas as pd

from pyterrier_diversity import RBU

_ASSIGNED = {"text": "cause", "importance": "vital", "assignment": "support"}
_CRITERIA = [{"criterion": {"criterion_name": "cause", "short_question": "Why?"}, "fulfillment": True}]
#: Small objects in the formats of nuggets, by the fields by which these are recognised.
OF_NUGGETS: dict[str, dict[str, Any]] = {
    "nuggets": {"qid": "q1", "docid": "d1", "nuggets": [_ASSIGNED]},
    "nugget_bank claim_bank": {"query_id": "q1", "nugget_bank": {"Who?": {"answers": {"she": {"references": ["d1"]}}}}},
    "evaluator_name": {"qid": "q1", "did": "d1", "evaluator_name": "rubric", "answer": {"criteria": _CRITERIA}},
    "rating": {"example_id": "q1", "pid": "d1", "rating": [5, 0]},
    "questions": {"example_id": "q1", "questions": ["Why?"]},
    "retrieval_gt": {"qid": "q1", "retrieval_gt": [["d1"]]},
}
_RUN = {"qid": ["1"], "docno": ["d1"], "score": [2.5]}

#: Texts are the content of a file. ``"folder"`` is one with a file of nuggets.
EXAMPLES: list[tuple[str, Any]] = [
    ("run", SimpleNamespace(transform_iter=None)),
    ("qrels", SimpleNamespace(get_qrels=None)),
    ("qrels", [RBU @ 5]),
    ("run", "folder"),
    ("qrels", "folder"),
    ("run", [("1", "d1", 2.5)]),
    ("qrels", {"1": "crane"}),
    ("run", {"1": pd.DataFrame(_RUN)}),
    ("qrels", {"bm25": pd.DataFrame(_RUN)}),
    ("run", "\n"),
    ("run", "1 d1 2.5\n"),
    ("run", "1\t0\td1\t2.5\t1\tNULL\n"),
    ("qrels", "1 0 d1 2 1 0\n"),
    ("run", "1 Q0 d1 1 2.5 bm25\n"),
    ("qrels", "1 clueweb09-en0000-00-00007 1 0 0.5\n1 clueweb09-en0000-00-00008 0 1 1\n"),
    ("qrels", "1 7 1 0 0.5\n1 8 0 1 1\n"),
    ("qrels", "DD16-1 DD16-1.1 d1 7 3\n"),
    ("qrels", "1 0 d1 2 1\n1 0 d2 1 0\n"),
    ("qrels", "1 a d1 2 0.75\n1 b d1 0 0.25\n"),
    ("qrels", "1 0 d1 01001\n"),
    ("qrels", "1 a d1 2\n"),
    ("results", "map    \t1\t0.5\n"),
    ("results", "1\tAP\t0.5\n"),
    ("results", "bm25 1 RBU@5 0.5\n"),
    ("results", "bm25 fluency 1 0.5\nbm25 fluency all 0.5\n"),
    ("results", "AP\t0.5\n"),
    ("results", "1 fluency 0.5\n"),
    ("qrels", "1\td1\t2\n"),
    ("run", "1\td1\t2.5\n"),
    ("run", "1\t7\t1\t2.5\n"),
    ("run", "1 Q0 d1 1 2.5\n"),
    ("qrels", "1 d1\n"),
    ("results", "| name | RBU@5 |\n|:-----|------:|\n| bm25 |   0.5 |\n"),
    ("qrels", "<trec_dd>"),
    ("run", '{"qid": "1", "run_id": "mine", "nuggets": [{"text": "fact", "assignment": "support"}]}'),
    *(("qrels", json.dumps(one)) for one in OF_NUGGETS.values()),
    ("qrels", '{"qid": "1", "rubrics": [{"criterion": "x", "weight": -1}]}'),
    ("qrels", "qid,docno,nugget_text,assignment\n1,d1,fact,support\n"),
    ("run", '{"query": {"qid": "1", "text": "crane"}, "candidates": [{"docid": "d1", "score": 2.5}]}'),
    ("qrels", "query-id\tcorpus-id\tscore\n1\td1\t1\n"),
    ("qrels", "qid,docno,label,iteration\n1,d1,2,a\n"),
    ("run", "qid docno rank\n1 d1 1\n"),
    ("qrels", '{"qid": "1", "documents": ["d1"]}'),
    ("run", '{"qid": "1", "documents": ["d1"]}'),
    ("results", "name,qid,measure,value\nbm25,1,RBU@5,0.5\n"),
    ("results", "name,qid,RBU@5\nbm25,1,0.5\n"),
    ("results", '{"1": {"map": 0.5}}'),
    ("results", "name,RBU@5\nbm25,0.5\n"),
    ("qrels", "qid,docno,usefulness,correctness\n1,d1,1,0\n"),
    ("run", "qid,docno\n1,d1\n"),
    ("qrels", pd.DataFrame({"qid": ["1"], "query": ["crane"]})),
    ("qrels", '{"1": {"d1": 2.5}}'),
    ("qrels", '{"1": {"d1": 2}}'),
    ("qrels", '{"1": [["d1", "d2"], ["d7"]]}'),
    ("qrels", '{"1": ["d1", "d2"]}'),
    ("run", '{"1": {"d1": 2.5}}'),
    ("qrels", '{"1": {"a": ["d1", "d2"], "b": ["d7"]}}'),
    ("qrels", '{"1": {"a": {"d1": 2}}}'),
    ("run", '{"bm25": {"1": {"d1": 2.5}}}'),
    ("run", '{"run_name": "mine", "turns": [{"turn_id": "1_1"}]}'),
]

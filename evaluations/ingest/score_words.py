"""Words in the names of columns that say how good an answer is, or what it took."""

# words for whether an answer is right, in names of columns that hold verdicts
RIGHT = {
    *("accepted", "correct", "ok", "pass", "passed", "passes", "resolved", "right", "solved", "success"),
    *("bestanden", "korrekt", "richtig", "correcte", "juste", "correcta", "correcto", "correta", "correto"),
    *("corretto", "certo", "goed", "juist"),
    *("判定", "正誤", "合否", "正误", "对错", "是否正确", "判断", "정오", "판정"),
}

# in names of grades of the whole, not of one quality among several
OF_WHOLE = {
    *("overall", "total", "holistic", "final", "aggregate", "gesamt", "gesamtnote", "gesamteindruck"),
    *("global", "globale", "general", "geral", "complessivo", "totale"),
}

# in names of what judges grade in answers
OF_QUALITY = {
    *("coherence", "completeness", "correctness", "faithfulness", "groundedness", "helpfulness", "quality"),
    *("relevance", "relevancy", "score", "similarity"),
    *("korrektheit", "qualitat", "relevanz", "ahnlichkeit", "qualite", "pertinence", "calidad", "relevancia"),
    *("qualita", "pertinenza", "qualidade", "kwaliteit", "品質", "質", "质量"),
}

# in names of how easy a text is to read, which says nothing of what is right
OF_EASE = {
    *(
        "ari",
        "coleman",
        "ease",
        "flesch",
        "fog",
        "gunning",
        "kincaid",
        "liau",
        "lix",
        "readability",
    ),
    *("smog", "lesbarkeit", "lisibilite", "legibilidad", "leggibilita", "leesbaarheid", "可読性", "可读性"),
}

# in names of scores that are fair to longer options
NORMALISED = {"norm", "normalised", "normalized"}

# in names of what a test or a judge says of an answer
OF_TESTS = {
    *("acc", "accuracy", "correctness", "em", "ex", "exec", "execution", "factual", "factuality", "loose"),
    *("match", "matched", "matches", "strict", "test", "tests", "truth"),
}

OF_MATCHES = {"match", "matched", "matches"}

# in names of what says that code ran or was read, not that it does what it should
OF_RUNNING = {
    *("compiled", "compiles", "executable", "executed", "executes", "parsed", "parses", "ran", "runs"),
    *("ausgefuhrt", "execute", "executee", "ejecutado", "ejecutada", "eseguito", "executado", "uitgevoerd"),
}

WRONG = {"fail", "failed", "fails", "failure", "incorrect", "wrong", "falsch", "incorrecto", "errado"}

VERDICTS = {"true", "false", "0", "1", "0.0", "1.0"}

# measures of which less is better
LOWER = {
    *(
        "asr",
        "hallucinated",
        "hallucination",
        "hallucinations",
        "harm",
        "harmful",
        "jailbroken",
        "toxic",
        "unsafe",
    ),
    *("violation", "violations"),
    *("defects", "errors", "faults", "mistakes", "omissions"),
    *("fehler", "erreurs", "errores", "erros", "errori", "fouten"),
    *("rank", "ranking", "rang", "platz", "platzierung", "classement", "rango", "puesto", "順位", "排名"),
    *(
        "cer",
        "cost",
        "distance",
        "error",
        "latency",
        "loss",
        "mae",
        "ms",
        "mse",
        "perplexity",
        "rmse",
        "ter",
        "hter",
    ),
    *("toxicity", "wer"),
}

# names of what has no better value: 1 may be a harmful answer, or a right one
CLASSES = {"class", "label", "labels"}

# measures of which more is better
HIGHER = {
    *("acc", "accuracy", "anls", "bertscore", "bleu", "bleurt", "chrf", "cider", "comet", "cometkiwi", "f1"),
    *("gemba", "gleu", "meteor", "moverscore", "mrr", "ndcg", "precision", "recall", "rouge", "rougel"),
    *("rougelsum", "sacrebleu", "sari", "score", "spice", "xcomet"),
}

# words in names of what people say of an answer
GRADES = {
    *("annotator", "expert", "grade", "human", "rated", "rater", "rating", "ratings", "reviewer", "stars"),
    *("bewertung", "gutachter", "note", "noten", "prufer", "punkte", "sterne", "urteil"),
    *("appreciation", "etoiles", "evaluateur", "notation", "relecteur"),
    *("calificacion", "estrellas", "evaluador", "nota", "notas", "puntuacion", "revisor", "revisora"),
    *("valoracion", "avaliacao", "avaliador", "giudizio", "valutazione", "voto"),
    *("評価", "採点", "点数", "評点", "评分", "得分", "评价", "평가", "점수"),
}

# words in names of what a call took, which says nothing of the answer
OF_CALLS = {
    *("cost", "duration", "latency", "ms", "sec", "secs", "seconds", "time", "token", "tokens"),
    *("dauer", "kosten", "laufzeit", "zeit", "cout", "duree", "temps", "coste", "tiempo", "custo", "tempo"),
}

# words in names of amounts
AMOUNTS = {
    *(
        "amount",
        "price",
        "betrag",
        "preis",
        "montant",
        "prix",
        "importe",
        "precio",
        "preco",
        "valor",
        "prezzo",
    ),
}

# words in names of measures of how alike texts are
ALIKE = {
    *(
        "bertscore",
        "bleu",
        "bleurt",
        "chrf",
        "cosine",
        "embedding",
        "f1",
        "meteor",
        "rouge",
        "rouge1",
        "rougel",
    ),
}

# words in names of what is true or false of a row, or of how it came about, and says nothing of the answer
NO_GRADES = {
    *("agree", "agreement", "cached", "confidence", "consensus", "flag", "flagged", "retried", "truncated"),
}

# words for how sure a model was of its answer
CONFIDENCE = {
    "certainty",
    "conf",
    "confidence",
    "logit",
    "logprob",
    "perplexity",
    "prob",
    "proba",
    "probability",
}

# words in names of what a call took: its time and units of it, the tokens of the question and of the answer, money
TIMES = {"latency", "duration", "elapsed", "dauer", "laufzeit", "duree", "duracion"}

IN_MILLISECONDS = {"ms", "msec", "msecs", "millis", "millisecond", "milliseconds"}

IN_SECONDS = {"s", "sec", "secs", "second", "seconds", "sek", "sekunden", "secondes", "segundos"}

OF_TOKENS_IN = {"in", "input", "prompt"}

OF_TOKENS_OUT = {"completion", "generated", "out", "output", "response"}

CURRENCIES = {
    "aud",
    "brl",
    "cad",
    "chf",
    "cny",
    "dollar",
    "dollars",
    "eur",
    "euro",
    "gbp",
    "inr",
    "jpy",
    "usd",
}

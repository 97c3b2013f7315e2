"""Words in the names of columns, by which roles are guessed."""

from .score_words import RIGHT

# what is asked about
INPUT_WORDS = {
    *("article", "body", "brief", "choices", "context", "contexts", "conversation", "ctx", "dialog"),
    *(
        "dialogue",
        "doc",
        "document",
        "email",
        "endings",
        "function",
        "functions",
        "goal",
        "message",
        "options",
    ),
    *("paragraph", "passage", "passages", "premise", "query", "question", "retrieved_contexts", "review"),
    *("sentence", "source", "src", "stem", "story", "task", "text", "ticket", "title", "tools", "transcript"),
    *("tweet", "user", "utterance"),
    *("artikel", "dokument", "mail", "nachricht", "satz"),
    *("articulo", "documento", "mensaje", "texte", "texto"),
}

# inputs also where another column is asked
BESIDE_QUESTIONS = {
    *("article", "body", "choices", "context", "contexts", "conversation", "dialog", "dialogue", "document"),
    *("endings", "function", "functions", "options", "paragraph", "passage", "passages", "premise"),
    *("question", "retrieved_contexts", "stem", "story", "tools", "transcript", "utterance"),
}

# words for what is right, in names
REFERENCE_WORDS = {
    *("correct", "expected", "gold", "golden", "gt", "ideal", "ref", "reference", "relevant", "target"),
    *("tgt", "true", "truth"),
    *("preferred", "winner"),
    *(
        "accepted",
        "acceptable",
        "teacher",
        "lehrer",
        "lehrkraft",
        "profesor",
        "profesora",
        "professeur",
        "enseignant",
    ),
    *("postedited", "lektoriert", "korrigiert", "corrige", "corregido", "corrigido", "corretto"),
    *("approved", "checked", "verified", "gepruft", "geprufte", "verifie", "verificado", "verificato"),
    *("erwartet", "erwartete", "erwartetes", "muster", "musterantwort", "musterlosung", "referenz", "soll"),
    *("attendu", "attendue", "esperada", "esperado", "referencia", "attesa", "atteso", "riferimento"),
    *("verwacht", "juiste", "facit", "fasit", "forventet", "oikea", "oczekiwana", "oczekiwany", "wzorcowa"),
    *("wzorcowy", "ocekavana", "spravna", "elvart", "helyes", "beklenen", "gercek", "эталон", "ожидаемыи"),
    *(
        "預期",
        "预期",
        "预期结果",
        "期待する回答",
        "期望",
        "期待",
        "模範",
        "模範解答",
        "模範回答",
        "正解",
        "参考答案",
        "标准答案",
        "정답",
    ),
}

# whole names of what is right, as public data sets have them
REFERENCE_NAMES = {
    *("abstract", "aliases", "annotation", "answer_key", "answers", "canonical_solution", "code", "entities"),
    *("final_decision", "highlights", "relevant_docs", "relevant_ids", "y_true"),
}

# what a row is about, or what is to be told: a reference if outputs hit it more often than by chance
LABEL_NAMES = {
    *("category", "class", "command", "department", "emotion", "gold_label", "intent", "json", "label_name"),
    *("label_text", "polarity", "rating", "sentiment", "sql", "stars", "tag", "topic", "type"),
}

# outputs, or the right ones if others are named after variants
OWN_ANSWERS = {
    *("answer", "completion", "output", "response", "solution"),
}

# columns of texts in a language
LANGUAGES = {
    *("ar", "cs", "da", "de", "el", "en", "es", "fa", "fi", "fr", "he", "hi", "hu", "it", "ja", "ko", "nl"),
    *("pl", "pt", "ro", "ru", "sv", "tr", "uk", "vi", "zh"),
    *("arabic", "chinese", "dutch", "english", "french", "german", "hebrew", "hindi", "italian"),
    *("japanese", "korean", "polish", "portuguese", "russian", "spanish", "swedish", "turkish", "ukrainian"),
    *("deutsch", "englisch", "espanol", "francais"),
}

# words in names of models, prompts and versions
MODEL_WORDS = {
    *("after", "agent", "assistant", "base", "baseline", "before", "bm25", "bot", "candidate", "chat"),
    *("claude", "completion", "cot", "current", "deepseek", "dense", "falcon", "fewshot", "finetuned"),
    *("flash", "gemini", "gemma", "generated", "generation", "gpt", "granite", "grok", "haiku", "hybrid"),
    *("hyp", "instruct", "large", "llama", "llm", "mini", "mistral", "mixtral", "model", "mt", "new", "old"),
    *("deepl", "google", "nmt", "azure", "textract"),
    *("opus", "output", "palm", "phi", "pred", "prediction", "prompt", "proposed", "qwen", "response"),
    *("shot", "small", "sonnet", "system", "tuned", "turbo", "variant", "zeroshot"),
    *(
        "bart",
        "bert",
        "bloom",
        "codestral",
        "flan",
        "ministral",
        "modell",
        "modelo",
        "nova",
        "o1",
        "o3",
        "pegasus",
    ),
    *(
        "antwort",
        "ausgabe",
        "reponse",
        "respuesta",
        "resposta",
        "risposta",
        "salida",
        "saida",
        "sortie",
        "uscita",
    ),
    *("antwoord", "svar", "vastaus", "odpowiedz", "odpoved", "valasz", "cevap", "yanıt", "tahmin", "ответ"),
    *("pixtral", "r1", "roberta", "sonar", "t5", "vicuna"),
}

# those of them that have topics and names, too
ABOUT_PROMPTS = {"agent", "assistant", "bot", "chat", "prompt", "system"}

# words in names of the variant that others are to replace
IN_USE = {
    *("base", "baseline", "before", "control", "current", "old", "original", "prev", "previous", "prod"),
    "production",
}

# sizes of models, beside which "base" is one
SIZES = {"giant", "huge", "large", "medium", "mini", "nano", "small", "tiny", "xl", "xxl"}

# words in names of what a model said, beside the column of what is right
PREDICTED = {
    *("generated", "guess", "model", "output", "pred", "predicted", "prediction"),
    *("tahmin", "voorspelling", "vorhersage"),
    *("estimate", "estimated", "fcst", "forecast", "forecasted", "yhat"),
    *("prognose", "schatzung", "prevision", "previsions", "pronostico", "estimado", "previsao"),
    *("previsione", "stima", "schatting", "予測", "予測値", "预测", "预测值"),
}

# words in names of what was counted or measured, beside forecasts and estimates of it
MEASURED = {
    *("actual", "actuals", "measured", "observed", "real", "realised", "realized"),
    *("gemessen", "ist", "istwert", "tatsachlich", "constate", "mesure", "observe", "reel", "reelle"),
    *("medido", "observado", "realizado", "effettivo", "misurato", "osservato", "gemeten", "werkelijk"),
    *("実測", "実測値", "実績", "実績値", "实际", "实际值", "实测"),
}

# words in names of the ends of the interval in which a forecast is
OF_INTERVALS = {
    *("ci", "high", "hi", "lo", "low", "lower", "lwr", "max", "min", "upper", "upr"),
    *("obergrenze", "untergrenze", "inf", "sup", "下限", "上限"),
}

# words in names of what is said about an answer or a row
NOT_OUTPUT = {
    *("begrundung", "comment", "comments", "feedback", "judgement", "judgment", "justification", "token"),
    *("cost", "count", "created", "date", "difficulty", "distractor", "entry", "error", "evidence"),
    *(
        "digest",
        "exp",
        "explanation",
        "hash",
        "hint",
        "id",
        "md5",
        "sha256",
        "incorrect",
        "lang",
        "language",
        "latency",
        "length",
        "level",
        "ms",
    ),
    *(
        "name",
        "note",
        "notes",
        "price",
        "rationale",
        "reason",
        "reasoning",
        "resps",
        "score",
        "split",
        "starter",
    ),
    *("agreement", "correctness", "faithfulness", "groundedness", "relevance", "similarity"),
    *("status", "test", "tests", "time", "timestamp", "tokens", "url", "usage", "wrong", "year"),
}

# those of them that end names of models: "phi4_reasoning"
MODES = {"reasoning"}

# words in names of variants that were asked with or without something, as in "with explanation"
WITH_OR_WITHOUT = {"with", "without", "mit", "ohne", "avec", "sans", "con", "sin", "senza", "com", "sem"}

# words in names of what each answer must fulfil, as "must_include"; and those that say so beside another such column
REQUIREMENT = {
    *("must", "forbidden", "banned", "prohibited", "disallowed", "kwargs", "constraint", "constraints"),
    *("verboten", "muss", "interdit"),
}
PERHAPS_REQUIREMENT = {
    *("regex", "pattern", "format", "keyword", "keywords", "required", "include", "exclude", "contains"),
    *("avoid", "max", "min", "limit", "instruction"),
}

# those of them that a model may be asked for, as in "true_price"
ASKED_FOR = {"cost", "count", "date", "language", "length", "name", "price", "time", "year"}

# words in names of what an answer should refuse
OF_ATTACKS = {
    "adversarial",
    "attack",
    "attacks",
    "behavior",
    "behaviors",
    "behaviour",
    "forbidden",
    "harmful",
    "jailbreak",
}

# the two texts of which a judge should find the better one
JUDGED = {"chosen", "rejected"}

# words in names of columns that say which output is the better one
OF_CHOICES = {
    *(
        "best",
        "better",
        "chosen",
        "choice",
        "favorite",
        "favourite",
        "pick",
        "picked",
        "preference",
        "preferred",
    ),
    *("prefer", "prefers", "verdict", "vote", "voted", "winner", "winning", "wins"),
    *("besser", "bevorzugt", "gewinner", "praferenz", "sieger", "urteil", "votum", "wahl"),
    *(
        "eleccion",
        "ganadora",
        "gewinnerin",
        "mejor",
        "melhor",
        "migliore",
        "meilleur",
        "meilleure",
        "vencedor",
    ),
    *("prefere", "preferee", "preference", "gagnant", "preferida", "preferido", "ganador", "preferita"),
}

# beside the name of a field: what is right in it; "gpt_correct" says something of an answer
RIGHT_FIELDS = REFERENCE_WORDS - RIGHT - OF_CHOICES - {"relevant"} | {"ground_truth"}

# words in names of texts of which one is chosen, beside those of models and versions
OF_ANSWERS = {
    *(
        "answer",
        "answers",
        "candidate",
        "code",
        "completion",
        "draft",
        "email",
        "generation",
        "option",
        "output",
    ),
    "patch",
    *("reply", "response", "summary", "text", "translation", "version"),
    *(
        "回答",
        "応答",
        "返答",
        "返信",
        "出力",
        "翻訳",
        "訳",
        "要約",
        "答案",
        "回复",
        "译文",
        "输出",
        "답변",
        "응답",
        "번역",
    ),
    *("antwort", "entwurf", "ubersetzung", "zusammenfassung", "reponse", "reponse", "respuesta", "risposta"),
}

# names of columns that hold the outputs of all variants, in the plural
OF_SEVERAL = {
    *("answers", "candidates", "completions", "generations", "hypotheses", "models", "outputs"),
    *("predictions", "rankings", "replies", "responses", "results", "retrievals", "runs", "summaries"),
    *("systems", "texts", "translations", "variants"),
    *("antworten", "ausgaben", "ergebnisse", "modelle", "ubersetzungen", "zusammenfassungen"),
    *("modeles", "reponses", "resultats", "sorties", "traductions"),
    *("modelos", "respuestas", "resultados", "salidas", "traducciones"),
    *("respostas", "saidas", "traducoes"),
    *("modelli", "risposte", "risultati", "traduzioni"),
}

# words in names of remarks about answers
REMARKS = {
    *("comment", "comments", "explanation", "feedback", "note", "notes", "rationale", "reason", "remark"),
    *("anmerkung", "begrundung", "bemerkung", "kommentar", "commentaire", "remarque", "comentario"),
    *("observacion", "observacao", "commento", "nota", "notas"),
}

# words in names of numbers by which something is known, as of a ticket
OF_NUMBERS = {"case", "code", "no", "num", "number", "numero", "nummer", "ref", "reference", "ticket"}

# words in names of images and recordings, and names of what somebody read or heard there
OF_FILES = {"audio", "clip", "image", "img", "page", "path", "recording", "scan", "wav"}
TRANSCRIBED = {"sentence", "text", "transcript", "transcription"}

# words in names of what was found for an answer
OF_SOURCES = {"chunks", "context", "contexts", "docs", "documents", "passages", "retrieved", "sources"}

# words in names of why somebody judged so
JUSTIFICATIONS = {"explanation", "judgement", "judgment", "justification", "rationale"}

# words in names of numbers that are answers read out of outputs, or codes of what an answer does: no grades
READ_OUT = {"extracted", "parsed", "pred", "predicted", "prediction"}
CODES = {"action", "category", "code", "intent", "topic", "type"}

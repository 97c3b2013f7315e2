"""Names of columns whose role is known: those of well-known tools and data sets, and the same in other languages."""

from evaluations.values import without_accents

INPUTS = {
    *(
        "attributes.input.value",
        "input",
        "inputs",
        "instruction",
        "origin_prompt",
        "problem",
        "prompt",
        "query",
    ),
    *("question", "user_input", "user_message", "user_prompt", "user_query"),
}
_CORRECT = (
    "best",
    "correct",
    "expected",
    "gold",
    "golden",
    "ground_truth",
    "human",
    "ideal",
    "ref",
    "reference",
)
ANSWERS = (
    "answer",
    "completion",
    "label",
    "output",
    "response",
    "solution",
    "summary",
    "text",
    "translation",
)
REFERENCES = {
    *("expected", "gold", "golden", "ground_truth", "groundtruth", "ideal", "ref", "reference"),
    *(f"{correct}_{answer}" for correct in _CORRECT for answer in ANSWERS),
    "expected_response/value",  # in a table of MLflow
    "cop",  # the correct option of MedMCQA
    *("accepted_answers", "acceptable_answers", "answer_key", "post_edited", "post_edit", "human_post_edit"),
}
KEYS = {"context.span_id", "id", "key"}
# names of a key where no column has one above: of the documents, examples or tasks of other tools
OTHER_KEYS = {
    *(
        "doc_id",
        "example_id",
        "task_id",
        "question_id",
        "item_id",
        "dataset_item_id",
        "sample_id",
        "instance_id",
    ),
    "problem_id",
}
OUTPUTS = {
    "attributes.output.value",  # of a span, in OpenInference
    "filtered_resps",  # of lm-evaluation-harness
    *("actual", "actual_output", "completion", "generation", "hypothesis"),
    *("output", "predicted", "prediction", "response", "solution"),
    *(f"{maker}_{answer}" for maker in ("generated", "model", "predicted") for answer in ANSWERS),
}
# names with two meanings: the first if no column has that role by a name above, else the second
OTHERWISE = {
    "request": ("inputs", "metadata"),
    "source": ("inputs", "metadata"),
    "src": ("inputs", "metadata"),
    "context": ("inputs", "metadata"),
    "messages": ("inputs", "metadata"),  # A conversation: a list of messages.
    **dict.fromkeys(("article", "dialogue", "document", "text"), ("inputs", "metadata")),
    **dict.fromkeys(("outputs", "predictions"), ("output", "metadata")),
    "answer": ("reference", "output"),
    "summary": ("reference", "output"),
    "translation": ("reference", "output"),
    "label": ("reference", "metadata"),
    "target": ("reference", "metadata"),
}
# The same names in German, French, Spanish, Portuguese and Italian, without accents.
INPUTS |= {
    *("anfrage", "eingabe", "frage"),
    "entree",
    *("entrada", "pregunta"),
    "pergunta",
    *("domanda", "ingresso"),
}
REFERENCES |= {
    *("erwartet", "erwartete_antwort", "korrekte_antwort", "musterantwort", "musterlosung", "referenz"),
    *("referenzantwort", "richtige_antwort"),
    *("attendu", "bonne_reponse", "reponse_attendue", "reponse_correcte", "reponse_de_reference"),
    *("esperado", "referencia", "respuesta_correcta", "respuesta_esperada"),
    *("gabarito", "resposta_correta", "resposta_esperada"),
    *("atteso", "riferimento", "risposta_attesa", "risposta_corretta"),
}
OUTPUTS |= {"ausgabe", "sortie", "salida", "saida", "uscita"}
OTHERWISE |= dict.fromkeys(("antwort", "reponse", "respuesta", "resposta", "risposta"), OTHERWISE["answer"])
# And in other languages, as they are spelled; `suggest.plain` leaves the accents out, but for Asian scripts.
INPUTS |= {
    *("vraag", "invoer", "indata", "kysymys", "pytanie", "dotaz", "vstup", "bemenet", "soru", "girdi"),
    *map(
        without_accents, ("fråga", "spørsmål", "spørgsmål", "syöte", "otázka", "kérdés", "вопрос", "запрос")
    ),
    *map(without_accents, ("запит", "سؤال", "السؤال", "câu_hỏi", "pertanyaan")),
    *("用户提问", "用户问题", "提问", "问题", "質問", "問題文", "入力", "输入", "질문", "입력"),
}
REFERENCES |= {
    *("verwacht", "verwacht_antwoord", "juiste_antwoord", "correct_antwoord", "referentie", "facit", "fasit"),
    *("forventet_svar", "riktig_svar", "korrekt_svar", "oikea_vastaus", "odotettu_vastaus", "wzorzec"),
    *map(without_accents, ("förväntat_svar", "rätt_svar", "oczekiwana_odpowiedź", "poprawna_odpowiedź")),
    *map(
        without_accents, ("wzorcowa_odpowiedź", "odpowiedź_wzorcowa", "správná_odpověď", "očekávaná_odpověď")
    ),
    *map(
        without_accents, ("helyes_válasz", "elvárt_válasz", "beklenen_cevap", "beklenen_yanıt", "doğru_cevap")
    ),
    *map(without_accents, ("beklenen", "doğru_yanıt", "gerçek", "referans", "эталон", "эталонный_ответ")),
    *map(without_accents, ("правильный_ответ", "ожидаемый_ответ", "الإجابة_الصحيحة", "المرجع", "đáp_án")),
    *map(without_accents, ("câu_trả_lời_đúng", "jawaban_benar")),
    *("기대_답변", "모범_답안"),
}
OUTPUTS |= {
    *(
        "uitvoer",
        "voorspelling",
        "utdata",
        "tuloste",
        "ennuste",
        "predykcja",
        "predikce",
        "kimenet",
        "tahmin",
    ),
    *map(without_accents, ("wyjście", "výstup", "çıktı", "вывод", "предсказание", "الناتج")),
    *("出力", "予測", "输出", "预测", "출력", "예측"),
}
_ANSWERS_OF = (
    *(
        "antwoord",
        "svar",
        "vastaus",
        "odpowiedź",
        "odpověď",
        "válasz",
        "cevap",
        "yanıt",
        "ответ",
        "відповідь",
    ),
    *("الإجابة", "إجابة", "الجواب", "trả_lời", "câu_trả_lời", "jawaban"),
)
OTHERWISE |= dict.fromkeys([*map(without_accents, _ANSWERS_OF), "回答", "答案", "답변"], OTHERWISE["answer"])
SCORES = {
    "feedback",
    "feedback_score",
    "feedback_scores",
    "score",
    "scores",
}  # objects of scores, and their prefixes
OF_RUNS = {"error", "execution_time", "latency", "latency_ms", "run_id", "start_time", "end_time", "run_type"}
VARIANTS = {
    *(
        "engine",
        "generator",
        "llm",
        "model",
        "model_id",
        "model_identifier",
        "model_name",
        "model_name_or_path",
        "system",
        "system_id",
        "system_name",
    ),
    *(
        "variant",
        "modele",
        "modell",
        "modello",
        "modelo",
        "variante",
        "systeem",
        "systeme",
        "sistema",
        "システム",
        "系统",
        "시스템",
        "модель",
        "النموذج",
        "モデル",
        "模型",
        "모델",
    ),
}
# whose model says nothing about the answer
OTHER_MODELS = {"critic", "embedding", "grader", "judge", "reward", "user"}
# what tells the rows of an example apart, where each has one row for each value
REPETITIONS = {"attempt", "epoch", "iteration", "repeat", "repetition", "run", "sample", "seed", "trial"}
TELL_APART = VARIANTS | {
    *(
        "approach",
        "arm",
        "bot",
        "build",
        "candidate",
        "condition",
        "config",
        "configuration",
        "experiment",
        "method",
    ),
    *(
        "prompt_id",
        "prompt_name",
        "prompt_version",
        "release",
        "setting",
        "strategy",
        "treatment",
        "variant_name",
        "version",
    ),
}
NAMES = {"inputs": INPUTS, "reference": REFERENCES, "key": KEYS, "output": OUTPUTS}
WELL_KNOWN = INPUTS | REFERENCES | KEYS | OUTPUTS | OTHERWISE.keys()

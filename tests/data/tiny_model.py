"""Makes an embedding model of 64 dimensions with random weights: `python tiny_model.py FOLDER`.

Run by the environment of the live embeddings server (tests/clients/test_live_server.py), not by ours.
"""

import string
import sys
from pathlib import Path

import torch
from sentence_transformers import SentenceTransformer, models
from transformers import BertConfig, BertModel, BertTokenizerFast

folder = Path(sys.argv[1])
characters = string.ascii_lowercase + string.digits + ".,?!'-"
vocabulary = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *characters, *(f"##{c}" for c in characters)]
(folder / "vocab.txt").write_text("\n".join(vocabulary))
torch.manual_seed(1)
config = BertConfig(
    vocab_size=len(vocabulary),
    hidden_size=64,
    num_hidden_layers=2,
    num_attention_heads=2,
    intermediate_size=128,
)
BertModel(config).save_pretrained(folder / "bert")
BertTokenizerFast(str(folder / "vocab.txt")).save_pretrained(folder / "bert")
words = models.Transformer(str(folder / "bert"), max_seq_length=128)
SentenceTransformer(modules=[words, models.Pooling(64)], device="cpu").save(str(folder / "model"))

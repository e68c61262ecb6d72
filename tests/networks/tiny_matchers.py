"""Tiny networks that score and fill texts about pictures: random weights, real tokenizers, saved as a user's are."""

import base64
import io
import json
import pickle
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from subitize.networks.weights import quiet

_VOCABULARY = """
zero one two three four five six seven eight nine ten eleven twelve twenty thirty hundred 0 1 2 3 4 5 7 10 12 100
a an no the there are is of on in and to cat cats dog dogs zebra zebras red blue table you see how many photo picture
people bicycle ##s ##es ##ing [unused1] . ? , !
"""
WORDS = _VOCABULARY.split()
_BERT_SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
_TEXT = {"hidden_size": 16, "intermediate_size": 24, "num_hidden_layers": 2, "num_attention_heads": 2}
_SIDE_PX = 32


def write_clip(folder: Path) -> Path:
    """Write a CLIP; its tokenizer is of letters, ends of words apart."""
    import transformers

    letters = [chr(code) for code in range(33, 127)]
    tokens = [*letters, *(f"{letter}</w>" for letter in letters), "<|startoftext|>", "<|endoftext|>"]
    vocabulary = {token: id for id, token in enumerate(tokens)}
    start, end = len(tokens) - 2, len(tokens) - 1
    special = {"bos_token_id": start, "eos_token_id": end, "pad_token_id": end}
    config = transformers.CLIPConfig(
        text_config=_TEXT | {"vocab_size": len(tokens), "max_position_embeddings": 40, "projection_dim": 12} | special,
        vision_config=_TEXT | {"image_size": _SIDE_PX, "patch_size": 8, "projection_dim": 12},
        projection_dim=12,
    )
    transformers.CLIPTokenizer(vocab=vocabulary, merges=[]).save_pretrained(folder)
    transformers.CLIPImageProcessorPil(size={"shortest_edge": _SIDE_PX}, crop_size=_square()).save_pretrained(folder)
    return _save(transformers.CLIPModel, config, folder)


def write_siglip(folder: Path) -> Path:
    """Write a SigLIP, with a vocabulary by sentencepiece."""
    import transformers

    folder.mkdir(parents=True, exist_ok=True)
    size = _write_pieces(folder / "spiece.model")
    tokenizer = transformers.SiglipTokenizer.from_pretrained(folder, model_max_length=16)
    tokenizer.save_pretrained(folder)
    special = {"bos_token_id": 2, "eos_token_id": 1, "pad_token_id": 1}
    config = transformers.SiglipConfig(
        text_config=_TEXT | {"vocab_size": size, "max_position_embeddings": 16, "projection_size": 16} | special,
        vision_config=_TEXT | {"image_size": _SIDE_PX, "patch_size": 8},
    )
    transformers.SiglipImageProcessorPil(size=_square()).save_pretrained(folder)
    return _save(transformers.SiglipModel, config, folder)


def write_siglip2(folder: Path) -> Path:
    """Write a SigLIP 2 that keeps the shape of pictures: patches of each, as many as fit."""
    import transformers
    from transformers.models.siglip2.tokenization_siglip2 import Siglip2Tokenizer

    special = ["<pad>", "<eos>", "<bos>", "<unk>", "<mask>"]
    vocabulary = {token: id for id, token in enumerate([*special, "▁", *(chr(code) for code in range(33, 127))])}
    Siglip2Tokenizer(vocab=vocabulary, merges=[], padding_side="right").save_pretrained(folder)
    ends = {"bos_token_id": 2, "eos_token_id": 1, "pad_token_id": 0}
    config = transformers.Siglip2Config(
        text_config=_TEXT
        | {"vocab_size": len(vocabulary), "max_position_embeddings": 64, "projection_size": 16}
        | ends,
        vision_config=_TEXT | {"patch_size": 8, "num_patches": 16},
    )
    transformers.Siglip2ImageProcessorPil(patch_size=8, max_num_patches=16).save_pretrained(folder)
    return _save(transformers.Siglip2Model, config, folder)


def write_siglip2_fixed(folder: Path) -> Path:
    """Write a SigLIP 2 of one picture size: SigLIP's network, and Gemma's tokenizer that is told of lower case."""
    import transformers

    special = ["<pad>", "<eos>", "<bos>", "<unk>", "<mask>"]
    letters = [chr(code) for code in range(ord("A"), ord("z") + 1) if chr(code).isalpha()]
    vocabulary = {token: id for id, token in enumerate([*special, "▁", *letters])}
    transformers.GemmaTokenizer(
        vocab=vocabulary, merges=[], add_bos_token=False, add_eos_token=True, padding_side="right", do_lower_case=True
    ).save_pretrained(folder)
    ends = {"bos_token_id": 2, "eos_token_id": 1, "pad_token_id": 0}
    config = transformers.SiglipConfig(
        text_config=_TEXT
        | {"vocab_size": len(vocabulary), "max_position_embeddings": 64, "projection_size": 16}
        | ends,
        vision_config=_TEXT | {"image_size": _SIDE_PX, "patch_size": 8},
    )
    transformers.SiglipImageProcessorPil(size=_square()).save_pretrained(folder)
    return _save(transformers.SiglipModel, config, folder)


def write_chinese_clip(folder: Path) -> Path:
    """Write a Chinese CLIP, which reads texts by a BERT."""
    import transformers

    size = _write_bert_tokenizer(folder)
    config = transformers.ChineseCLIPConfig(
        text_config=_TEXT | {"vocab_size": size, "max_position_embeddings": 40},
        vision_config=_TEXT | {"image_size": _SIDE_PX, "patch_size": 8},
        projection_dim=12,
    )
    transformers.ChineseCLIPImageProcessorPil(size=_square(), crop_size=_square()).save_pretrained(folder)
    return _save(transformers.ChineseCLIPModel, config, folder)


def write_align(folder: Path) -> Path:
    """Write an ALIGN: EfficientNet and BERT."""
    import transformers

    size = _write_bert_tokenizer(folder)
    config = transformers.AlignConfig(
        text_config=_TEXT | {"vocab_size": size, "max_position_embeddings": 40},
        vision_config={
            "image_size": _SIDE_PX, "hidden_dim": 16, "width_coefficient": 1.0, "depth_coefficient": 0.1,
            "in_channels": [32, 16], "out_channels": [16, 16], "kernel_sizes": [3, 3], "strides": [1, 2],
            "num_block_repeats": [1, 1], "expand_ratios": [1, 2], "depthwise_padding": [],
        },
        projection_dim=16,
    )  # fmt: skip
    transformers.EfficientNetImageProcessorPil(size=_square()).save_pretrained(folder)
    return _save(transformers.AlignModel, config, folder)


def write_altclip(folder: Path) -> Path:
    """Write an AltCLIP, which reads texts by a RoBERTa."""
    import transformers

    size = _write_bert_tokenizer(folder)
    special = {"pad_token_id": 0, "bos_token_id": 2, "eos_token_id": 3}
    config = transformers.AltCLIPConfig(
        text_config=_TEXT | special | {"vocab_size": size, "max_position_embeddings": 40, "project_dim": 16},
        vision_config=_TEXT | {"image_size": _SIDE_PX, "patch_size": 8},
        projection_dim=12,
    )
    transformers.CLIPImageProcessorPil(size={"shortest_edge": _SIDE_PX}, crop_size=_square()).save_pretrained(folder)
    return _save(transformers.AltCLIPModel, config, folder)


def write_metaclip_2(folder: Path) -> Path:
    """Write a MetaCLIP 2."""
    import transformers

    size = _write_bert_tokenizer(folder)
    special = {"pad_token_id": 0, "bos_token_id": 2, "eos_token_id": 3}
    config = transformers.MetaClip2Config(
        text_config=_TEXT | special | {"vocab_size": size, "max_position_embeddings": 40, "projection_dim": 12},
        vision_config=_TEXT | {"image_size": _SIDE_PX, "patch_size": 8, "projection_dim": 12},
        projection_dim=12,
    )
    transformers.CLIPImageProcessorPil(size={"shortest_edge": _SIDE_PX}, crop_size=_square()).save_pretrained(folder)
    return _save(transformers.MetaClip2Model, config, folder)


def write_vilt_itm(folder: Path) -> Path:
    """Write a ViLT that ranks texts."""
    import transformers

    return _save(transformers.ViltForImageAndTextRetrieval, _vilt_config(folder), folder)


def write_vilt_mlm(folder: Path) -> Path:
    """Write a ViLT that fills gaps."""
    import transformers

    return _save(transformers.ViltForMaskedLM, _vilt_config(folder), folder)


def write_blip_itm(folder: Path) -> Path:
    """Write a BLIP with heads for matching and similarity."""
    import transformers

    size = _write_bert_tokenizer(folder)
    special = {"bos_token_id": 2, "sep_token_id": 3, "eos_token_id": 3}
    config = transformers.BlipConfig(
        text_config=_TEXT | special | {"vocab_size": size, "max_position_embeddings": 40, "encoder_hidden_size": 16},
        vision_config=_TEXT | {"image_size": _SIDE_PX, "patch_size": 8},
        image_text_hidden_size=12,
    )
    transformers.BlipImageProcessorPil(size=_square()).save_pretrained(folder)
    return _save(transformers.BlipForImageTextRetrieval, config, folder)


def write_blip2_itm(folder: Path, *, has_image_token: bool = False) -> Path:
    """Write a BLIP-2 with heads for matching and similarity; newer ones have a token that stands for the picture."""
    import transformers

    size = _write_bert_tokenizer(folder)
    former = {"vocab_size": size, "max_position_embeddings": 40, "encoder_hidden_size": 16}
    config = transformers.Blip2Config(
        qformer_config=_TEXT | former | {"cross_attention_frequency": 1, "use_qformer_text_input": True},
        vision_config=_TEXT | {"image_size": _SIDE_PX, "patch_size": 8},
        text_config=_TEXT | {"model_type": "opt", "vocab_size": size, "ffn_dim": 16, "word_embed_proj_dim": 16},
        num_query_tokens=4,
        image_text_hidden_size=12,
        image_token_index=size - 1 if has_image_token else None,
    )
    transformers.BlipImageProcessorPil(size=_square()).save_pretrained(folder)
    return _save(transformers.Blip2ForImageTextRetrieval, config, folder)


def write_lxmert(folder: Path) -> Path:
    """Write an LXMERT with the heads of its pre-training; it takes regions of 20 numbers."""
    import transformers

    config = transformers.LxmertConfig(
        vocab_size=_write_bert_tokenizer(folder),
        hidden_size=16, intermediate_size=24, num_attention_heads=2, max_position_embeddings=40,
        l_layers=1, x_layers=2, r_layers=1, visual_feat_dim=20,
        num_qa_labels=5, num_object_labels=6, num_attr_labels=4,
    )  # fmt: skip
    _save(transformers.LxmertForPreTraining, config, folder)
    # As the hub has it: named by its body, with the heads of its training.
    _configure(folder, architectures=["LxmertModel"])
    return folder


def write_vilbert(folder: Path, *, is_multi_task: bool = False) -> Path:
    """Write a ViLBERT, or 12-in-1, as its authors do, with heads that are not read here; regions of 20 numbers."""
    import torch
    from safetensors.torch import save_file

    from subitize.networks.vilbert import ViLBert

    config: dict[str, Any] = {
        "vocab_size": _write_bert_tokenizer(folder), "max_position_embeddings": 40, "type_vocab_size": 2,
        "hidden_size": 16, "intermediate_size": 24, "num_attention_heads": 4, "num_hidden_layers": 4,
        "v_hidden_size": 12, "v_intermediate_size": 10, "v_num_attention_heads": 2, "v_num_hidden_layers": 3,
        "bi_hidden_size": 32, "bi_num_attention_heads": 2, "v_biattention_id": [0, 1], "t_biattention_id": [2, 3],
        "hidden_dropout_prob": 0.1, "attention_probs_dropout_prob": 0.1, "v_hidden_dropout_prob": 0.1,
        "v_attention_probs_dropout_prob": 0.1, "v_feature_size": 20, "v_target_size": 9, "pooling_method": "mul",
    }  # fmt: skip
    for file in ("tokenizer.json", "tokenizer_config.json", "special_tokens_map.json"):
        (folder / file).unlink(missing_ok=True)  # the authors' have none
    (folder / "bert_base_6layer_6conect.json").write_text(json.dumps(config), encoding="utf-8")
    torch.set_num_threads(1)
    torch.manual_seed(13)
    network = ViLBert(config | {"fusion_method": "mul"}, 7 if is_multi_task else None)
    tensors = {
        name: torch.randn(tensor.shape) * 0.4 + ("LayerNorm" in name and name.endswith("weight"))
        for name, tensor in network.state_dict().items()
    }
    tensors["cls.predictions.decoder.weight"] = tensors["bert.embeddings.word_embeddings.weight"].clone()
    if is_multi_task:
        tensors["vil_logit.weight"], tensors["vil_logit.bias"] = torch.randn(1, 32), torch.randn(1)
        tensors["vil_binary_prediction.logit_fc.0.weight"] = torch.randn(4, 16)
    save_file(tensors, folder / "model.safetensors")
    return folder


def write_regions(path: Path, names: Sequence[str], *, width: int = 20) -> Path:
    """Write region features of pictures, of the first two regions, of each next one more; .npz or .safetensors."""
    random = np.random.default_rng(5)
    arrays: dict[str, Any] = {}
    for position, name in enumerate(names):
        corners = np.sort(random.random((2 + position, 2, 2)), axis=1)
        arrays[f"{name}.features"] = random.normal(size=(2 + position, width)).astype(np.float32)
        arrays[f"{name}.boxes"] = corners.reshape(-1, 4).astype(np.float32)
    if path.suffix == ".safetensors":
        from safetensors.numpy import save_file

        save_file(arrays, path)
        return path
    stream = io.BytesIO()
    np.savez(stream, **arrays)
    path.write_bytes(stream.getvalue())
    return path


def write_region_table(path: Path, ids: Sequence[str], *, is_lxmert: bool = False, width: int = 20) -> Path:
    """Write what `write_regions` writes as bottom-up attention's or LXMERT's file, of pictures 640 × 480."""
    with np.load(write_regions(path.with_suffix(".npz"), ids, width=width)) as archive:
        arrays = dict(archive)
    lines = []
    for id in ids:
        boxes = arrays[f"{id}.boxes"] * np.array([640, 480, 640, 480], np.float32)
        encoded = [base64.b64encode(one.tobytes()).decode() for one in (boxes, arrays[f"{id}.features"])]
        sizes = ["480", "640", "", "", "", ""] if is_lxmert else ["640", "480"]
        lines.append("\t".join([id, *sizes, str(len(boxes)), *encoded]))
    path.write_text("\n".join(lines) + "\n", encoding="ascii")
    return path


def write_region_database(path: Path, ids: Sequence[str], *, protocol: int = 2, is_encoded: bool = True) -> Path:
    """Write what `write_regions` writes as ViLBERT's authors do, of pictures 640 × 480."""
    import lmdb

    with np.load(write_regions(path.with_suffix(".npz"), ids)) as archive:
        arrays = dict(archive)
    with lmdb.open(str(path), map_size=10_000_000) as environment, environment.begin(write=True) as transaction:
        for id in ids:
            boxes = arrays[f"{id}.boxes"] * np.array([640, 480, 640, 480], np.float32)
            given = {"boxes": boxes, "features": arrays[f"{id}.features"]}
            kept = {name: base64.b64encode(one.tobytes()) if is_encoded else one for name, one in given.items()}
            record = {"image_id": id.encode(), "image_h": 480, "image_w": 640, "num_boxes": len(boxes), **kept}
            transaction.put(id.encode(), pickle.dumps(record, protocol))
        transaction.put(b"keys", pickle.dumps([id.encode() for id in ids], protocol))
    return path


def _vilt_config(folder: Path) -> Any:  # noqa: ANN401
    import transformers

    config = _TEXT | {"max_position_embeddings": 40, "image_size": _SIDE_PX, "patch_size": 8, "max_image_length": 9}
    transformers.ViltImageProcessorPil(size={"shortest_edge": _SIDE_PX}, size_divisor=8).save_pretrained(folder)
    return transformers.ViltConfig(**config, vocab_size=_write_bert_tokenizer(folder))


def _write_bert_tokenizer(folder: Path) -> int:
    """Write a vocabulary as BERT's was, the one file that old models come with; return its size."""
    import transformers

    folder.mkdir(parents=True, exist_ok=True)
    (folder / "vocab.txt").write_text("\n".join([*_BERT_SPECIAL, *WORDS]) + "\n", encoding="utf-8")
    transformers.BertTokenizer.from_pretrained(folder).save_pretrained(folder)
    return len(_BERT_SPECIAL) + len(WORDS)


def _write_pieces(path: Path) -> int:
    import sentencepiece

    lines = [f"there are {number} {thing}" for number in WORDS[:12] for thing in ("cats", "dogs", "red zebras")]
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(lines), model_writer=model, vocab_size=60, hard_vocab_limit=False,
        pad_id=0, eos_id=1, unk_id=2, bos_id=-1, minloglevel=2, num_threads=1,
    )  # fmt: skip
    path.write_bytes(model.getvalue())
    return int(sentencepiece.SentencePieceProcessor(model_proto=model.getvalue()).get_piece_size())


def _configure(folder: Path, **values: object) -> None:
    path = folder / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text(encoding="utf-8")) | values), encoding="utf-8")


def _square() -> dict[str, int]:
    return {"height": _SIDE_PX, "width": _SIDE_PX}


def _save(kind: Any, config: Any, folder: Path) -> Path:  # noqa: ANN401
    import torch

    torch.set_num_threads(1)
    torch.manual_seed(11)
    with quiet():
        model = kind(config).eval()
        with torch.no_grad():
            for name, parameter in model.named_parameters():
                # As initialised, tiny networks give nearly the same whatever they are shown.
                if parameter.ndim > 1:
                    parameter.normal_(0, 0.4)
                elif name in _SCALES:
                    parameter.fill_(_SCALES[name])
        model.save_pretrained(folder)
    return folder


_SCALES = {"logit_scale": 1.5, "logit_bias": -0.7, "temperature": 0.3}

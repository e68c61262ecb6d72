"""Detectors of transformers, tiny and random, written to folders as a user's are."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from transformers import PreTrainedConfig, PreTrainedModel, PreTrainedTokenizerFast, ProcessorMixin

CLASSES = ("N/A", "person", "bicycle", "airplane", "apple", "tv")
"""The first is the name of a gap, as in the folders of DETR."""
NOUNS = ("apple", "airplane", "butterfly", "person", "cat", "dog", "cell", "phone", "photo", "of", "a", "an")
_SMALL = {"shortest_edge": 96, "longest_edge": 144}


def write_grounding_dino(folder: Path, seed: int = 0) -> Path:
    from transformers import GroundingDinoConfig, GroundingDinoForObjectDetection

    return _write_grounding_dino(folder, GroundingDinoForObjectDetection, GroundingDinoConfig, seed)


def write_mm_grounding_dino(folder: Path, seed: int = 0) -> Path:
    from transformers import MMGroundingDinoConfig, MMGroundingDinoForObjectDetection

    return _write_grounding_dino(folder, MMGroundingDinoForObjectDetection, MMGroundingDinoConfig, seed)


def write_owlv2(folder: Path, seed: int = 0) -> Path:
    from transformers import Owlv2Config, Owlv2ForObjectDetection, Owlv2TextConfig, Owlv2VisionConfig
    from transformers.models.owlv2.image_processing_pil_owlv2 import Owlv2ImageProcessorPil

    tokenizer = _clip_tokenizer()
    sizes = {"hidden_size": 16, "intermediate_size": 32, "num_hidden_layers": 1, "num_attention_heads": 2}
    ends = {"bos_token_id": tokenizer.bos_token_id, "eos_token_id": tokenizer.eos_token_id}
    text = Owlv2TextConfig(vocab_size=len(tokenizer), **sizes, **ends)
    vision = Owlv2VisionConfig(image_size=48, patch_size=8, **sizes)
    config = Owlv2Config(text_config=text.to_dict(), vision_config=vision.to_dict(), projection_dim=16)
    _write(folder, Owlv2ForObjectDetection, config, seed, noise=0.05)
    _write_parts(folder, Owlv2ImageProcessorPil(size={"height": 48, "width": 48}), tokenizer)
    return folder


def write_detr(folder: Path, seed: int = 1, classes: Sequence[str] = CLASSES) -> Path:
    from transformers import DetrConfig, DetrForObjectDetection
    from transformers.models.detr.image_processing_pil_detr import DetrImageProcessorPil

    config = DetrConfig(backbone_config=_resnet(), use_timm_backbone=False, **_names(classes), **_detr_sizes())
    _write(folder, DetrForObjectDetection, config, seed)
    _write_parts(folder, DetrImageProcessorPil(size=_SMALL))
    return folder


def write_conditional_detr(folder: Path, seed: int = 0) -> Path:
    from transformers import ConditionalDetrConfig, ConditionalDetrForObjectDetection
    from transformers.models.conditional_detr.image_processing_pil_conditional_detr import (
        ConditionalDetrImageProcessorPil,
    )

    config = ConditionalDetrConfig(
        backbone_config=_resnet(), use_timm_backbone=False, **_names(CLASSES), **_detr_sizes()
    )
    _write(folder, ConditionalDetrForObjectDetection, config, seed)
    _write_parts(folder, ConditionalDetrImageProcessorPil(size=_SMALL))
    return folder


def write_deformable_detr(folder: Path, seed: int = 0) -> Path:
    from transformers import DeformableDetrConfig, DeformableDetrForObjectDetection
    from transformers.models.deformable_detr.image_processing_pil_deformable_detr import DeformableDetrImageProcessorPil

    backbone = _resnet(out_features=["stage2", "stage3", "stage4"])
    config = DeformableDetrConfig(backbone_config=backbone, use_timm_backbone=False, **_names(CLASSES), **_detr_sizes())
    _write(folder, DeformableDetrForObjectDetection, config, seed)
    _write_parts(folder, DeformableDetrImageProcessorPil(size=_SMALL))
    return folder


def write_rf_detr(folder: Path, seed: int = 0, classes: Sequence[str] = CLASSES) -> Path:
    from transformers import RfDetrForObjectDetection

    return _write_rf_detr(folder, RfDetrForObjectDetection, seed, classes)


def write_rf_detr_outlining(folder: Path, seed: int = 0) -> Path:
    from transformers import RfDetrForInstanceSegmentation

    return _write_rf_detr(folder, RfDetrForInstanceSegmentation, seed, CLASSES)


def write_sam3(folder: Path, seed: int = 0) -> Path:
    from transformers import Sam3Config, Sam3Model

    tokenizer = _clip_tokenizer()
    sizes = {"hidden_size": 16, "intermediate_size": 16, "num_attention_heads": 2}
    vit = {"image_size": 56, "patch_size": 14, "window_size": 2, "global_attn_indexes": [1], "pretrain_image_size": 28}
    text = {"vocab_size": len(tokenizer), "projection_dim": 16, "num_hidden_layers": 1, "max_position_embeddings": 12}
    ends = {"bos_token_id": tokenizer.bos_token_id, "eos_token_id": tokenizer.eos_token_id}
    config = Sam3Config(
        vision_config={
            "backbone_config": {"model_type": "sam3_vit_model", "num_hidden_layers": 2, **sizes, **vit},
            "fpn_hidden_size": 16,
            "backbone_feature_sizes": [[16, 16], [8, 8], [4, 4]],
        },
        text_config={"model_type": "clip_text_model", **sizes, **text, **ends},
        geometry_encoder_config={"num_layers": 1, **sizes},
        detr_encoder_config={"num_layers": 1, **sizes},
        detr_decoder_config={"num_layers": 2, "num_queries": 9, **sizes},
        mask_decoder_config={"hidden_size": 16, "num_attention_heads": 2},
    )
    _write(folder, Sam3Model, config, seed, noise=0.3)
    _write_parts(folder, tokenizer)
    _write_image_settings(folder, "Sam3ImageProcessorFast", 56, 0.5)
    return folder


def write_sam3_video(folder: Path, seed: int = 0) -> Path:
    """The same as the hub has it: with a part that follows things through videos beside it."""
    import torch
    from safetensors.torch import load_file, save_file
    from transformers import AutoConfig, Sam3VideoConfig

    write_sam3(folder, seed)
    config = Sam3VideoConfig(detector_config=AutoConfig.from_pretrained(folder).to_dict())
    config.architectures = ["Sam3VideoModel"]
    config.save_pretrained(folder)
    tensors = {f"detector_model.{name}": values for name, values in load_file(folder / "model.safetensors").items()}
    save_file(tensors | {"tracker_model.unused": torch.ones(3)}, folder / "model.safetensors", {"format": "pt"})
    return folder


def write_rt_detr(folder: Path, seed: int = 0, classes: Sequence[str] = CLASSES[1:]) -> Path:
    from transformers import RTDetrConfig, RTDetrForObjectDetection

    return _write_rt_detr(folder, RTDetrForObjectDetection, RTDetrConfig, seed, classes)


def write_rt_detr_v2(folder: Path, seed: int = 0, classes: Sequence[str] = CLASSES[1:]) -> Path:
    from transformers import RTDetrV2Config, RTDetrV2ForObjectDetection

    return _write_rt_detr(folder, RTDetrV2ForObjectDetection, RTDetrV2Config, seed, classes)


def write_yolos(folder: Path, seed: int = 0) -> Path:
    from transformers import YolosConfig, YolosForObjectDetection
    from transformers.models.yolos.image_processing_pil_yolos import YolosImageProcessorPil

    sizes = {"hidden_size": 16, "intermediate_size": 32, "num_hidden_layers": 1, "num_attention_heads": 2}
    config = YolosConfig(image_size=[96, 144], patch_size=8, num_detection_tokens=9, **sizes, **_names(CLASSES))
    _write(folder, YolosForObjectDetection, config, seed)
    _write_parts(folder, YolosImageProcessorPil(size=_SMALL))
    return folder


def write_vilt(folder: Path, seed: int = 0) -> Path:
    """No detector at all."""
    from transformers import ViltConfig, ViltModel

    sizes = {"hidden_size": 16, "intermediate_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2}
    _write(folder, ViltModel, ViltConfig(vocab_size=20, image_size=32, patch_size=8, **sizes), seed)
    return folder


def _write_grounding_dino(
    folder: Path, model_class: type["PreTrainedModel"], config_class: type["PreTrainedConfig"], seed: int
) -> Path:
    from transformers import BertConfig, SwinConfig
    from transformers.models.grounding_dino.image_processing_pil_grounding_dino import GroundingDinoImageProcessorPil

    swin = SwinConfig(
        image_size=64, embed_dim=8, depths=[1, 1, 1, 1], num_heads=[1, 1, 2, 2], window_size=2, out_indices=[2, 3, 4]
    )
    bert = BertConfig(vocab_size=1100, hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=16)
    config = config_class(backbone_config=swin, text_config=bert, **_detr_sizes())
    _write(folder, model_class, config, seed)
    _write_parts(folder, GroundingDinoImageProcessorPil(size=_SMALL), _bert_tokenizer())
    return folder


def _write_rf_detr(folder: Path, model_class: type["PreTrainedModel"], seed: int, classes: Sequence[str]) -> Path:
    from transformers import RfDetrConfig
    from transformers.models.rf_detr.configuration_rf_detr import RfDetrDinov2Config

    backbone = RfDetrDinov2Config(
        hidden_size=16, num_hidden_layers=2, num_attention_heads=2, mlp_ratio=2, image_size=64, patch_size=8,
        num_windows=2, out_features=["stage1", "stage2"],
    )  # fmt: skip
    config = RfDetrConfig(
        backbone_config=backbone, d_model=32, decoder_layers=2, decoder_ffn_dim=32, decoder_self_attention_heads=2,
        decoder_cross_attention_heads=2, num_queries=9, group_detr=1, c2f_num_blocks=1, **_names(classes),
    )  # fmt: skip
    _write(folder, model_class, config, seed)
    _write_image_settings(folder, "RfDetrImageProcessor", 64, 0.45)
    return folder


def _write_image_settings(folder: Path, processor: str, side: int, mean: float) -> None:
    """Write the settings of a processor that cannot be made without torchvision."""
    sizes = {"size": {"height": side, "width": side}, "image_mean": [mean] * 3, "image_std": [0.5] * 3}
    settings = {"image_processor_type": processor, "do_resize": True, "do_rescale": True, "do_normalize": True, **sizes}
    (folder / "preprocessor_config.json").write_text(json.dumps(settings))


def _write_rt_detr(
    folder: Path,
    model_class: type["PreTrainedModel"],
    config_class: type["PreTrainedConfig"],
    seed: int,
    classes: Sequence[str],
) -> Path:
    from transformers import RTDetrResNetConfig
    from transformers.models.rt_detr.image_processing_pil_rt_detr import RTDetrImageProcessorPil

    backbone = RTDetrResNetConfig(
        embedding_size=8, hidden_sizes=[8, 12, 16, 20], depths=[1, 1, 1, 1], layer_type="basic",
        out_features=["stage2", "stage3", "stage4"],
    )  # fmt: skip
    config = config_class(
        backbone_config=backbone, encoder_in_channels=[12, 16, 20], encoder_hidden_dim=16, encoder_ffn_dim=32,
        encoder_attention_heads=2, d_model=16, decoder_in_channels=[16, 16, 16], decoder_ffn_dim=32,
        decoder_layers=2, decoder_attention_heads=2, num_queries=9, num_denoising=0, **_names(classes),
    )  # fmt: skip
    _write(folder, model_class, config, seed)
    _write_parts(folder, RTDetrImageProcessorPil(size={"height": 64, "width": 64}))
    return folder


def _resnet(out_features: Sequence[str] = ("stage4",)) -> "PreTrainedConfig":
    from transformers import ResNetConfig

    return ResNetConfig(
        embedding_size=8, hidden_sizes=[8, 12, 16, 20], depths=[1, 1, 1, 1], layer_type="basic",
        out_features=list(out_features),
    )  # fmt: skip


def _detr_sizes() -> dict[str, int]:
    encoder = {"encoder_layers": 1, "encoder_ffn_dim": 32, "encoder_attention_heads": 2}
    decoder = {"decoder_layers": 2, "decoder_ffn_dim": 32, "decoder_attention_heads": 2}
    return {"num_queries": 9, "d_model": 32, **encoder, **decoder}


def _names(classes: Sequence[str]) -> dict[str, dict[int, str] | dict[str, int]]:
    return {"id2label": dict(enumerate(classes)), "label2id": {name: index for index, name in enumerate(classes)}}


def _write(
    folder: Path, model_class: type["PreTrainedModel"], config: "PreTrainedConfig", seed: int, noise: float = 0.15
) -> None:
    """Save a network with random weights that are large enough for its output to hang on what it is shown."""
    import torch

    from subitize.networks.weights import quiet

    torch.set_num_threads(1)
    with quiet(), torch.random.fork_rng(devices=[]), torch.no_grad():
        torch.manual_seed(seed)
        model = model_class(config).eval()
        for weights in model.parameters():
            if weights.dim() > 1:
                weights.add_(torch.randn_like(weights) * noise)
        model.save_pretrained(folder)


def _write_parts(folder: Path, *parts: "ProcessorMixin") -> None:
    for part in parts:
        part.save_pretrained(folder)


def _bert_tokenizer() -> "PreTrainedTokenizerFast":
    """Number words as BERT does: Grounding DINO knows the stop and the ends of a text by their numbers there."""
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
    from transformers import PreTrainedTokenizerFast

    vocabulary = {"[PAD]": 0, "[UNK]": 100, "[CLS]": 101, "[SEP]": 102, "[MASK]": 103, ".": 1012, "?": 1029}
    pieces = [
        *NOUNS,
        "##s",
        *"abcdefghijklmnopqrstuvwxyz"[1:],
        *(f"##{letter}" for letter in "abcdefghijklmnopqrtuvwxyz"),
    ]
    vocabulary |= {piece: 200 + index for index, piece in enumerate(pieces)}
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.BertProcessing(("[SEP]", 102), ("[CLS]", 101))
    special = {f"{name}_token": f"[{name.upper()}]" for name in ("unk", "cls", "sep", "pad", "mask")}
    names = ["input_ids", "token_type_ids", "attention_mask"]
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, model_input_names=names, **special)


def _clip_tokenizer() -> "PreTrainedTokenizerFast":
    """End a text with the largest number there is, as CLIP does: the network looks for the end by that."""
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
    from transformers import PreTrainedTokenizerFast

    words = ["!", "[UNK]", *NOUNS, "<|startoftext|>", "<|endoftext|>"]
    vocabulary = {word: index for index, word in enumerate(words)}
    start, end = vocabulary["<|startoftext|>"], vocabulary["<|endoftext|>"]
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.BertProcessing(("<|endoftext|>", end), ("<|startoftext|>", start))
    special = {"unk_token": "[UNK]", "bos_token": "<|startoftext|>", "eos_token": "<|endoftext|>", "pad_token": "!"}
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, model_input_names=["input_ids", "attention_mask"], **special
    )

"""Tiny networks that answer about pictures, built from configs with seeded weights and saved as a user's would be."""

import json
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

_TEXT = (
    "how many dots apples are there in the picture image figure what is this does show please answer en yes no Yes No "
    "zero one two three four five six seven eight nine ten things question Question Answer User Assistant system user "
    "assistant be brief short 1 2 3 4 5 6 7 8 9 0 : ? . , ! ' \" - ( )"
)
WORDS = _TEXT.split()
LABELS = ("yes", "no", "0", "1", "2", "3", "4", "5", "dots", "apples")
REGION_FEATURES = 6

# LLaVA's and Qwen's chats in a few words: what matters is where the picture and the question stand.
_LLAVA_TEMPLATE = (
    "{% for message in messages %}{{ message['role'] }} : {% for part in message['content'] %}"
    "{% if part['type'] == 'image' %}<image> {% else %}{{ part['text'] }} {% endif %}{% endfor %}{% endfor %}"
    "{% if add_generation_prompt %}assistant :{% endif %}"
)
_QWEN_TEMPLATE = (
    "{% for message in messages %}<|im_start|>{{ message['role'] }} {% for part in message['content'] %}"
    "{% if part['type'] == 'image' %}<|vision_start|><|image_pad|><|vision_end|>{% else %}{{ part['text'] }}"
    "{% endif %}{% endfor %}<|im_end|>{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant {% endif %}"
)


def write_vilt_vqa(folder: Path, *, image_px: int = 32) -> Path:
    """ViLT with an answer head."""
    from transformers import ViltConfig, ViltForQuestionAnswering, ViltProcessor
    from transformers.models.vilt.image_processing_pil_vilt import ViltImageProcessorPil

    config = ViltConfig(
        **_names(LABELS),
        **_small(vocab_size=len(_bert_vocabulary()), max_position_embeddings=96),
        image_size=image_px,
        patch_size=8,
        max_image_length=-1,
    )
    images = ViltImageProcessorPil(size={"shortest_edge": image_px}, size_divisor=8)
    _save(folder, lambda: ViltForQuestionAnswering(config), ViltProcessor(images, _bert_tokenizer(folder)))
    return folder


def write_lxmert_vqa(folder: Path) -> Path:
    """LXMERT with an answer head, which is shown features of regions."""
    from transformers import LxmertConfig, LxmertForQuestionAnswering

    config = LxmertConfig(
        **_names(LABELS),
        vocab_size=len(_bert_vocabulary()),
        hidden_size=16,
        num_attention_heads=2,
        intermediate_size=16,
        max_position_embeddings=96,
        l_layers=1,
        x_layers=1,
        r_layers=1,
        num_qa_labels=len(LABELS),
        visual_feat_dim=REGION_FEATURES,
    )
    _save(folder, lambda: LxmertForQuestionAnswering(config), _bert_tokenizer(folder))
    return folder


def write_blip_vqa(folder: Path) -> Path:
    """BLIP that writes its answer."""
    from transformers import BlipConfig, BlipForQuestionAnswering, BlipProcessor
    from transformers.models.blip.image_processing_pil_blip import BlipImageProcessorPil

    words = _bert_vocabulary()
    config = BlipConfig(
        text_config=_small(
            vocab_size=len(words),
            encoder_hidden_size=16,
            max_position_embeddings=64,
            bos_token_id=words.index("[DEC]"),
            eos_token_id=words.index("[SEP]"),
            sep_token_id=words.index("[SEP]"),
            pad_token_id=0,
            is_decoder=True,
        ),
        vision_config=_small(image_size=16, patch_size=8),
        projection_dim=16,
        image_text_hidden_size=16,
    )
    images = BlipImageProcessorPil(size={"height": 16, "width": 16})
    _save(folder, lambda: BlipForQuestionAnswering(config), BlipProcessor(images, _bert_tokenizer(folder)))
    return folder


def write_blip2(folder: Path, *, is_t5: bool = False) -> Path:
    """BLIP-2 before OPT, or before T5."""
    from transformers import Blip2Config, Blip2ForConditionalGeneration, Blip2Processor, OPTConfig, T5Config
    from transformers.models.blip.image_processing_pil_blip import BlipImageProcessorPil

    tokenizer = _tokenizer("<image>")
    size = {"vocab_size": len(tokenizer), "bos_token_id": 1, "eos_token_id": 2, "pad_token_id": 0}
    words = (
        T5Config(d_model=16, d_kv=8, d_ff=16, num_layers=2, num_heads=2, decoder_start_token_id=0, **size)
        if is_t5
        else OPTConfig(
            hidden_size=16,
            ffn_dim=16,
            num_hidden_layers=2,
            num_attention_heads=2,
            word_embed_proj_dim=16,
            max_position_embeddings=128,
            **size,
        )
    )
    config = Blip2Config(
        vision_config=_small(image_size=16, patch_size=8),
        qformer_config=_small(vocab_size=len(tokenizer), encoder_hidden_size=16),
        text_config=words.to_dict(),
        num_query_tokens=3,
        image_token_index=tokenizer.convert_tokens_to_ids("<image>"),
    )
    images = BlipImageProcessorPil(size={"height": 16, "width": 16})
    processor = Blip2Processor(images, tokenizer, num_query_tokens=3)
    _save(folder, lambda: Blip2ForConditionalGeneration(config), processor)
    return folder


def write_instructblip(folder: Path) -> Path:
    """InstructBLIP before OPT, whose Q-Former reads the question too, by a tokenizer of its own in a folder within."""
    from transformers import InstructBlipConfig, InstructBlipForConditionalGeneration, InstructBlipProcessor, OPTConfig
    from transformers.models.blip.image_processing_pil_blip import BlipImageProcessorPil

    tokenizer, own = _tokenizer("<image>"), _bert_tokenizer(folder.parent / f"{folder.name} words")
    words = OPTConfig(
        vocab_size=len(tokenizer),
        bos_token_id=1,
        eos_token_id=2,
        pad_token_id=0,
        hidden_size=16,
        ffn_dim=16,
        num_hidden_layers=2,
        num_attention_heads=2,
        word_embed_proj_dim=16,
        max_position_embeddings=128,
    )
    config = InstructBlipConfig(
        vision_config=_small(image_size=16, patch_size=8),
        qformer_config=_small(vocab_size=len(tokenizer), encoder_hidden_size=16),
        text_config=words.to_dict(),
        num_query_tokens=3,
        image_token_index=tokenizer.convert_tokens_to_ids("<image>"),
    )
    images = BlipImageProcessorPil(size={"height": 16, "width": 16})
    processor = InstructBlipProcessor(images, tokenizer, own, num_query_tokens=3)
    _save(folder, lambda: InstructBlipForConditionalGeneration(config), processor)
    return folder


def write_llava(folder: Path) -> Path:
    """LLaVA: CLIP's eyes before Llama."""
    from transformers import CLIPVisionConfig, LlamaConfig, LlavaConfig, LlavaForConditionalGeneration, LlavaProcessor
    from transformers.models.clip.image_processing_pil_clip import CLIPImageProcessorPil

    tokenizer = _tokenizer("<image>")
    config = LlavaConfig(
        vision_config=CLIPVisionConfig(**_small(image_size=16, patch_size=8)),
        text_config=LlamaConfig(**_language(tokenizer)),
        image_token_index=tokenizer.convert_tokens_to_ids("<image>"),
        vision_feature_layer=-1,
        image_seq_length=4,
    )
    processor = LlavaProcessor(
        CLIPImageProcessorPil(size={"shortest_edge": 16}, crop_size={"height": 16, "width": 16}),
        tokenizer,
        patch_size=8,
        vision_feature_select_strategy="default",
        num_additional_image_tokens=1,
        chat_template=_LLAVA_TEMPLATE,
    )
    _save(folder, lambda: LlavaForConditionalGeneration(config), processor)
    return folder


def write_idefics3(folder: Path) -> Path:
    """Idefics3, which cuts pictures into as many tiles as their shape wants."""
    from transformers import Idefics3Config, Idefics3ForConditionalGeneration, Idefics3Processor
    from transformers.models.idefics3.image_processing_pil_idefics3 import Idefics3ImageProcessorPil

    places = [f"<row_{row}_col_{column}>" for row in range(1, 7) for column in range(1, 7)]
    special = ("<fake_token_around_image>", "<image>", "<end_of_utterance>", "<global-img>")
    tokenizer = _tokenizer(*special, *places)
    config = Idefics3Config(
        vision_config=_small(image_size=16, patch_size=8),
        text_config=_language(tokenizer) | {"model_type": "llama"},
        image_token_id=tokenizer.convert_tokens_to_ids("<image>"),
        scale_factor=2,
    )
    images = Idefics3ImageProcessorPil(size={"longest_edge": 32}, max_image_size={"longest_edge": 16})
    processor = Idefics3Processor(images, tokenizer, image_seq_len=1, chat_template=_LLAVA_TEMPLATE)
    _save(folder, lambda: Idefics3ForConditionalGeneration(config), processor)
    return folder


def write_paligemma(folder: Path) -> Path:
    """PaliGemma: SigLIP's eyes before Gemma, with its own prompt form."""
    from transformers import (
        GemmaConfig,
        PaliGemmaConfig,
        PaliGemmaForConditionalGeneration,
        PaliGemmaProcessor,
        SiglipVisionConfig,
    )
    from transformers.models.siglip.image_processing_pil_siglip import SiglipImageProcessorPil

    tokenizer = _tokenizer("<image>", *(f"<loc{i:04}>" for i in range(1024)), *(f"<seg{i:03}>" for i in range(128)))
    images = SiglipImageProcessorPil(size={"height": 16, "width": 16})
    images.image_seq_length = 4
    processor = PaliGemmaProcessor(images, tokenizer)
    config = PaliGemmaConfig(
        vision_config=SiglipVisionConfig(**_small(image_size=16, patch_size=8), vision_use_head=False),
        text_config=GemmaConfig(**_language(tokenizer), head_dim=8),
        image_token_index=tokenizer.convert_tokens_to_ids("<image>"),
        projection_dim=16,
        hidden_size=16,
    )
    _save(folder, lambda: PaliGemmaForConditionalGeneration(config), processor)
    return folder


def write_qwen25_vl(folder: Path) -> Path:
    """Qwen2.5-VL, whose processor is written as the hub has it: with a part for videos."""
    from transformers import Qwen2_5_VLConfig, Qwen2_5_VLForConditionalGeneration
    from transformers.models.qwen2_vl.image_processing_pil_qwen2_vl import Qwen2VLImageProcessorPil

    tokenizer = _tokenizer(
        "<|im_start|>", "<|im_end|>", "<|vision_start|>", "<|vision_end|>", "<|image_pad|>", "<|video_pad|>"
    )
    ids = tokenizer.convert_tokens_to_ids
    config = Qwen2_5_VLConfig(
        text_config=_language(tokenizer)
        | {"eos_token_id": ids("<|im_end|>"), "rope_parameters": _ROPE, "max_position_embeddings": 4096},
        vision_config={
            "depth": 2,
            "hidden_size": 16,
            "intermediate_size": 16,
            "num_heads": 2,
            "out_hidden_size": 16,
            "patch_size": 14,
            "window_size": 56,
            "fullatt_block_indexes": [1],
        },
        image_token_id=ids("<|image_pad|>"),
        video_token_id=ids("<|video_pad|>"),
        vision_start_token_id=ids("<|vision_start|>"),
        vision_end_token_id=ids("<|vision_end|>"),
    )
    _save(folder, lambda: Qwen2_5_VLForConditionalGeneration(config), tokenizer)
    Qwen2VLImageProcessorPil(size={"shortest_edge": 28 * 28, "longest_edge": 56 * 56}).save_pretrained(folder)
    path = folder / "preprocessor_config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"processor_class": "Qwen2_5_VLProcessor"}))
    (folder / "chat_template.jinja").write_text(_QWEN_TEMPLATE)
    return folder


REPLIES = (
    "There are none.",
    'Counting the <points coords="1 1 100 200 2 400 050">dots</points> shows a total of 2.',
    *(
        f'<points coords="1 {" ".join(f"{place} {110 * place} {y}" for place in range(1, number))}">dots</points>'
        for number in range(2, 10)
        for y in range(100, 1000, 100)
    ),
)
"""What the tiny Molmo 2 says, each in one token."""


def write_molmo2(folder: Path, *, replies: Sequence[str] = REPLIES) -> Path:
    """Molmo 2, whose weights say one of the replies, which by the picture, and end; without any, whatever they say."""
    from transformers import Molmo2Config, Molmo2ForConditionalGeneration
    from transformers.models.molmo2.image_processing_molmo2 import Molmo2ImageProcessor

    parts = ("im_patch", "im_col", "im_start", "low_res_im_start", "im_end", "frame_start", "frame_end", "im_low")
    tokenizer = _tokenizer("<|image|>", "<|video|>", *(f"<{part}>" for part in parts))
    tokenizer.add_tokens([*replies])
    ids = tokenizer.convert_tokens_to_ids
    heads = {"num_attention_heads": 2, "num_key_value_heads": 2, "head_dim": 8}
    config = Molmo2Config(
        text_config=_language(tokenizer) | heads | {"additional_vocab_size": 0, "max_position_embeddings": 4096},
        vision_config=_small(image_size=[32, 32], patch_size=8) | heads,
        adapter_config=_small(vision_feature_layer=[1, 0], text_hidden_size=16) | heads,
        image_start_token_id=ids("<im_start>"),
        low_res_image_start_token_id=ids("<low_res_im_start>"),
        image_end_token_id=ids("<im_end>"),
        image_patch_id=ids("<im_patch>"),
        frame_start_token_id=ids("<frame_start>"),
        frame_end_token_id=ids("<frame_end>"),
    )

    def make() -> Any:  # noqa: ANN401
        return Molmo2ForConditionalGeneration(config)

    def change(network: Any) -> None:  # noqa: ANN401
        if replies:
            _say_and_end(network, ids([*replies]), ids("</s>"))

    _save(folder, make, tokenizer, change)
    Molmo2ImageProcessor(
        size={"height": 32, "width": 32}, patch_size=8, max_crops=2, overlap_margins=[1, 1]
    ).save_pretrained(folder)
    path = folder / "preprocessor_config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"processor_class": "Molmo2Processor"}))
    (folder / "chat_template.jinja").write_text(_LLAVA_TEMPLATE.replace("<image>", "<|image|>"))
    return folder


def _say_and_end(network: Any, replies: list[int], end: int) -> None:  # noqa: ANN401
    """Leave the replies to the weights; whatever comes after one, is the end."""
    words, scores = network.get_input_embeddings().weight, network.lm_head.weight
    # The first number of a token says whether it is a reply, and nothing else touches it.
    for layer in network.model.language_model.layers:
        layer.self_attn.o_proj.weight *= 60.0
        layer.self_attn.o_proj.weight[0] = layer.mlp.down_proj.weight[0] = 0.0
    words[:, 0], scores[:, 0] = -4.0, 0.0
    words[replies] = 0.0
    words[replies, 0] = 1000.0
    scores[[id for id in range(len(scores)) if id not in replies]] = 0.0
    scores[replies, 0], scores[end, 0] = -100.0, 100.0


_ROPE = {"rope_type": "default", "rope_theta": 10000.0, "mrope_section": [1, 1, 2]}


def _save(
    folder: Path,
    make: Callable[[], Any],
    processor: Any,  # noqa: ANN401
    change: Callable[[Any], None] = lambda network: None,
) -> None:
    import torch

    torch.set_num_threads(1)
    with torch.random.fork_rng(), torch.no_grad():
        torch.manual_seed(7)
        network = make()
        # Fresh weights are small, so that every answer is the same and none depends on the picture.
        for weights in network.parameters():
            if weights.dim() > 1:
                torch.nn.init.normal_(weights, std=0.4)
        change(network)
    network.eval().save_pretrained(folder)
    processor.save_pretrained(folder)


def _small(**others: Any) -> dict[str, Any]:  # noqa: ANN401
    size = {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 16}
    return size | others


def _language(tokenizer: Any) -> dict[str, Any]:  # noqa: ANN401
    return _small(
        vocab_size=len(tokenizer),
        num_key_value_heads=1,
        max_position_embeddings=256,
        bos_token_id=1,
        eos_token_id=2,
        pad_token_id=0,
        tie_word_embeddings=False,
    )


def _names(labels: Iterable[str]) -> dict[str, Any]:
    names = dict(enumerate(labels))
    return {"id2label": names, "label2id": {name: number for number, name in names.items()}}


def _tokenizer(*special: str) -> Any:  # noqa: ANN401
    """A tokenizer of bytes, joined to our words where they stand together: no text is unknown to it."""
    from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast

    tokens = Tokenizer(models.BPE(unk_token=None))
    tokens.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokens.decoder = decoders.ByteLevel()
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    # "yes" stays two tokens, so that its first token is not the whole of it.
    trainer = trainers.BpeTrainer(
        vocab_size=330, special_tokens=["<pad>", "<s>", "</s>"], initial_alphabet=alphabet, show_progress=False
    )
    tokens.train_from_iterator([word for word in WORDS if word.lower() != "yes"] * 3, trainer)
    fast = PreTrainedTokenizerFast(tokenizer_object=tokens, pad_token="<pad>", bos_token="<s>", eos_token="</s>")
    fast.add_special_tokens({"additional_special_tokens": [AddedToken(text, normalized=False) for text in special]})
    return fast


def _bert_vocabulary() -> list[str]:
    letters = [chr(code) for code in range(ord("a"), ord("z") + 1)]
    words = [word.lower() for word in WORDS]
    pieces = [*letters, *(f"##{letter}" for letter in letters)]
    return list(dict.fromkeys(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "[DEC]", *words, *pieces]))


def _bert_tokenizer(folder: Path) -> Any:  # noqa: ANN401
    from transformers import BertTokenizer

    folder.mkdir(parents=True, exist_ok=True)
    (folder / "vocab.txt").write_text("\n".join(_bert_vocabulary()) + "\n")
    return BertTokenizer.from_pretrained(folder)

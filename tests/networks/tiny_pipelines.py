"""Text-to-image pipelines of a few thousand random weights, written as folders that load like anybody's."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file, save_file

from subitize.networks.weights import quiet

torch.set_num_threads(1)

SIZE_PX = 32
_WORDS = ["a", "an", "and", "apple", "apples", "of", "on", "one", "photo", "picture", "three", "two", "white"]
_LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789,."


def write_sd(folder: Path, *, flags: bool | None = None) -> Path:
    """Write a Stable Diffusion 1.x; with a safety checker that flags all or none, if it is said which."""
    with quiet():
        import diffusers

        torch.manual_seed(1)
        parts: dict[str, Any] = {"safety_checker": None, "feature_extractor": None}
        if flags is not None:
            parts = _safety_checker(flags=flags)
        pipeline = diffusers.StableDiffusionPipeline(
            vae=_vae(),
            text_encoder=_clip(),
            tokenizer=_clip_tokenizer(folder),
            unet=diffusers.UNet2DConditionModel(**_UNET, cross_attention_dim=16),
            scheduler=diffusers.DDIMScheduler(**_BETAS, clip_sample=False),
            requires_safety_checker=flags is not None,
            **parts,
        )
        pipeline.save_pretrained(folder)
    return folder


def write_lcm(folder: Path) -> Path:
    """Write a latent consistency model: guidance taught to it, new noise at every step."""
    with quiet():
        import diffusers

        torch.manual_seed(6)
        diffusers.LatentConsistencyModelPipeline(
            vae=_vae(),
            text_encoder=_clip(),
            tokenizer=_clip_tokenizer(folder),
            unet=diffusers.UNet2DConditionModel(**_UNET, cross_attention_dim=16, time_cond_proj_dim=8),
            scheduler=diffusers.LCMScheduler(**_BETAS),
            safety_checker=None,
            feature_extractor=None,
            requires_safety_checker=False,
        ).save_pretrained(folder)
    return folder


def write_sdxl(folder: Path) -> Path:
    """Write a Stable Diffusion XL: two text encoders, one pooled, and a noisy scheduler."""
    with quiet():
        import diffusers

        torch.manual_seed(2)
        diffusers.StableDiffusionXLPipeline(
            vae=_vae(),
            text_encoder=_clip(),
            text_encoder_2=_clip(has_projection=True),
            tokenizer=_clip_tokenizer(folder),
            tokenizer_2=_clip_tokenizer(folder),
            unet=diffusers.UNet2DConditionModel(
                **_UNET,
                cross_attention_dim=32,
                addition_embed_type="text_time",
                addition_time_embed_dim=4,
                projection_class_embeddings_input_dim=16 + 6 * 4,
            ),
            scheduler=diffusers.EulerAncestralDiscreteScheduler(**_BETAS),
        ).save_pretrained(folder)
    return folder


def write_sd3(folder: Path) -> Path:
    """Write a Stable Diffusion 3: a transformer, two CLIPs and a T5."""
    with quiet():
        import diffusers

        torch.manual_seed(3)
        diffusers.StableDiffusion3Pipeline(
            vae=_vae(shift_factor=0.0),
            text_encoder=_clip(has_projection=True),
            text_encoder_2=_clip(has_projection=True),
            text_encoder_3=_t5(),
            tokenizer=_clip_tokenizer(folder),
            tokenizer_2=_clip_tokenizer(folder),
            tokenizer_3=_t5_tokenizer(),
            transformer=diffusers.SD3Transformer2DModel(
                sample_size=SIZE_PX // 2,
                patch_size=1,
                in_channels=4,
                num_layers=1,
                attention_head_dim=8,
                num_attention_heads=2,
                caption_projection_dim=16,
                joint_attention_dim=32,
                pooled_projection_dim=32,
                out_channels=4,
            ),
            scheduler=diffusers.FlowMatchEulerDiscreteScheduler(),
        ).save_pretrained(folder)
    return folder


def write_flux(folder: Path, *, has_guidance: bool = True, is_noisy: bool = False) -> Path:
    """Write a Flux, its guidance taught to it or not at all; a noisy scheduler draws from torch's own generator."""
    with quiet():
        import diffusers

        torch.manual_seed(4)
        diffusers.FluxPipeline(
            vae=_vae(shift_factor=0.0),
            text_encoder=_clip(),
            text_encoder_2=_t5(),
            tokenizer=_clip_tokenizer(folder),
            tokenizer_2=_t5_tokenizer(),
            transformer=diffusers.FluxTransformer2DModel(
                patch_size=1,
                in_channels=16,
                num_layers=1,
                num_single_layers=1,
                attention_head_dim=16,
                num_attention_heads=2,
                joint_attention_dim=32,
                pooled_projection_dim=16,
                axes_dims_rope=(4, 4, 8),
                guidance_embeds=has_guidance,
            ),
            scheduler=diffusers.FlowMatchEulerDiscreteScheduler(stochastic_sampling=is_noisy),
        ).save_pretrained(folder)
    return folder


def write_pixart(folder: Path) -> Path:
    """Write a PixArt Sigma: a T5 whose padding is masked, and sizes out of a table."""
    with quiet():
        import diffusers

        torch.manual_seed(5)
        diffusers.PixArtSigmaPipeline(
            vae=_vae(blocks=4),
            text_encoder=_t5(),
            tokenizer=_t5_tokenizer(),
            transformer=diffusers.PixArtTransformer2DModel(
                sample_size=32,  # of the latents: the smallest of its tables, 256 px
                patch_size=4,
                in_channels=4,
                out_channels=8,
                num_layers=1,
                attention_head_dim=8,
                num_attention_heads=2,
                cross_attention_dim=16,
                caption_channels=32,
                use_additional_conditions=False,
            ),
            scheduler=diffusers.DPMSolverMultistepScheduler(),
        ).save_pretrained(folder)
    return folder


def change_weights(folder: Path, part: str, change: Callable[[dict[str, Any]], None]) -> None:
    """Change the weights of one part of a pipeline on the disk."""
    [path] = (folder / part).glob("*.safetensors")
    state = load_file(path)
    change(state)
    save_file(state, path, metadata={"format": "pt"})


def change_index(folder: Path, changes: Mapping[str, object]) -> None:
    """Change the index of a pipeline on the disk."""
    path = folder / "model_index.json"
    path.write_text(json.dumps(json.loads(path.read_text(encoding="utf-8")) | changes), encoding="utf-8")


_BETAS = {"beta_start": 0.00085, "beta_end": 0.012, "beta_schedule": "scaled_linear"}
_UNET: dict[str, Any] = {
    "sample_size": SIZE_PX // 2,
    "block_out_channels": (8, 16),
    "layers_per_block": 1,
    "norm_num_groups": 4,
    "attention_head_dim": 8,
    "in_channels": 4,
    "out_channels": 4,
    "down_block_types": ("DownBlock2D", "CrossAttnDownBlock2D"),
    "up_block_types": ("CrossAttnUpBlock2D", "UpBlock2D"),
}


def _vae(*, blocks: int = 2, **options: object) -> Any:  # noqa: ANN401
    from diffusers import AutoencoderKL

    return AutoencoderKL(
        block_out_channels=(8,) * blocks,
        down_block_types=("DownEncoderBlock2D",) * blocks,
        up_block_types=("UpDecoderBlock2D",) * blocks,
        layers_per_block=1,
        latent_channels=4,
        norm_num_groups=4,
        sample_size=SIZE_PX,
        **options,
    )


def _clip(*, has_projection: bool = False) -> Any:  # noqa: ANN401
    from transformers import CLIPTextConfig, CLIPTextModel, CLIPTextModelWithProjection

    config = CLIPTextConfig(
        vocab_size=len(_clip_vocabulary()),
        hidden_size=16,
        intermediate_size=16,
        projection_dim=16,
        num_hidden_layers=2,
        num_attention_heads=2,
        bos_token_id=0,
        eos_token_id=1,
        pad_token_id=1,
        hidden_act="gelu",
    )
    return (CLIPTextModelWithProjection if has_projection else CLIPTextModel)(config)


def _clip_vocabulary() -> dict[str, int]:
    pieces = ["<|startoftext|>", "<|endoftext|>", *_LETTERS, *(f"{letter}</w>" for letter in _LETTERS)]
    return {piece: place for place, piece in enumerate(pieces)}


def _clip_tokenizer(folder: Path) -> Any:  # noqa: ANN401
    from transformers import CLIPTokenizer

    files = folder.parent / "clip-tokenizer"
    files.mkdir(parents=True, exist_ok=True)
    (files / "vocab.json").write_text(json.dumps(_clip_vocabulary()), encoding="utf-8")
    (files / "merges.txt").write_text("#version: 0.2\n", encoding="utf-8")
    (files / "tokenizer_config.json").write_text(json.dumps({"model_max_length": 77}), encoding="utf-8")
    return CLIPTokenizer.from_pretrained(files)


def _t5() -> Any:  # noqa: ANN401
    from transformers import T5Config, T5EncoderModel

    return T5EncoderModel(
        T5Config(
            vocab_size=len(_t5_vocabulary()),
            d_model=32,
            d_kv=8,
            d_ff=32,
            num_layers=1,
            num_heads=2,
            decoder_start_token_id=0,
        )
    )


def _t5_vocabulary() -> list[tuple[str, float]]:
    special = [("<pad>", 0.0), ("</s>", 0.0), ("<unk>", 0.0), ("▁", -2.0)]
    words = [(f"▁{word}", -3.0) for word in _WORDS]
    return [*special, *words, *((letter, -5.0) for letter in _LETTERS)]


def _t5_tokenizer() -> Any:  # noqa: ANN401
    from transformers import T5Tokenizer

    return T5Tokenizer(vocab=_t5_vocabulary(), extra_ids=0, model_max_length=512)


def _safety_checker(*, flags: bool) -> dict[str, Any]:
    from diffusers.pipelines.stable_diffusion import StableDiffusionSafetyChecker
    from transformers import CLIPConfig, CLIPImageProcessor

    tower = {
        "hidden_size": 16,
        "intermediate_size": 16,
        "num_hidden_layers": 1,
        "num_attention_heads": 2,
        "image_size": SIZE_PX,
        "patch_size": 8,
        "projection_dim": 16,
    }
    checker = StableDiffusionSafetyChecker(CLIPConfig(vision_config=tower, projection_dim=16))
    # A concept is seen where the cosine with its direction is above its threshold.
    checker.concept_embeds_weights.data.fill_(-2.0 if flags else 2.0)
    checker.special_care_embeds_weights.data.fill_(2.0)
    size = {"height": SIZE_PX, "width": SIZE_PX}
    return {
        "safety_checker": checker,
        "feature_extractor": CLIPImageProcessor(size={"shortest_edge": SIZE_PX}, crop_size=size),
    }

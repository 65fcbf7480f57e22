"""Excitation and waveform, against what they are made to be."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from edged.engine.kokoro.source import (
    SAMPLE_RATE_HZ,
    SPECTRUM_BINS,
    HarmonicMix,
    excitation,
    waveform,
)

ONLY_FUNDAMENTAL = HarmonicMix(np.array([1, *[0] * 8], np.float32), 0.0)


@pytest.mark.parametrize("pitch_hz", [80.0, 200.0, 440.0])
def test_the_excitation_has_the_pitch_asked_for(pitch_hz: float) -> None:
    """The strongest bin of a long window's mean magnitude moves with the pitch; the period is exact."""
    frames = 80
    spectrum = excitation(np.full(frames, pitch_hz, np.float32), ONLY_FUNDAMENTAL)
    assert spectrum.shape == (2 * SPECTRUM_BINS, 60 * frames + 1)
    # magnitude of the lowest bin repeats with half the period of the sine
    lowest = spectrum[0, 100:-100] - spectrum[0, 100:-100].mean()
    peaks = np.abs(np.fft.rfft(lowest * np.hanning(len(lowest))))
    found_hz = np.argmax(peaks) * (SAMPLE_RATE_HZ / 5) / len(lowest)
    assert found_hz == pytest.approx(2 * pitch_hz, abs=2)


def test_unvoiced_frames_get_no_harmonics() -> None:
    """Below 10 Hz only the bias is left: the same at every moment."""
    spectrum = excitation(np.full(20, 5.0, np.float32), HarmonicMix(np.ones(9, np.float32), -0.03))
    inner = spectrum[:SPECTRUM_BINS, 10:-10]
    np.testing.assert_allclose(inner, np.repeat(inner[:, :1], inner.shape[1], axis=1), atol=1e-5)


def test_one_frame_of_pitch_is_enough() -> None:
    """The shortest speech is one frame."""
    assert excitation(np.full(1, 100.0, np.float32), ONLY_FUNDAMENTAL).shape == (2 * SPECTRUM_BINS, 61)


def test_a_flat_spectrum_of_zero_phase_is_a_click_per_window() -> None:
    """Log magnitude 0 everywhere and phase 0: unit pulses at every hop, weighted to level by the windows."""
    samples = waveform(np.zeros((2 * SPECTRUM_BINS, 41), np.float32))
    assert samples.shape == (200,)
    inner = samples[50:150].reshape(-1, 5)
    np.testing.assert_allclose(inner, np.repeat(inner[:1], len(inner), axis=0), atol=1e-5)


def test_the_waveform_inverts_a_windowed_transform() -> None:
    """A real signal's spectra within the phases the network can express come back as the signal."""
    time = np.arange(400)
    signal = np.cos(2 * np.pi * 0.1 * time) + 2
    window = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(20) / 20)
    padded = np.pad(signal, 10, mode="reflect")
    frames = np.lib.stride_tricks.sliding_window_view(padded, 20)[::5] * window
    spectrum = np.fft.rfft(frames).T
    weights = np.abs(np.angle(spectrum)) <= 1
    log_magnitude = np.log(np.maximum(np.abs(spectrum), 1e-30))
    network = np.concatenate([log_magnitude, np.arcsin(np.clip(np.angle(spectrum), -1, 1))])
    expressible = np.where(
        weights, spectrum, np.abs(spectrum) * np.exp(1j * np.clip(np.angle(spectrum), -1, 1))
    )
    pieces = np.fft.irfft(expressible.T, 20) * window
    expected, level = np.zeros(420), np.zeros(420)
    for index, piece in enumerate(pieces):
        expected[5 * index : 5 * index + 20] += piece
        level[5 * index : 5 * index + 20] += window**2
    found = waveform(network.astype(np.float32))
    np.testing.assert_allclose(found, (expected / np.maximum(level, 1e-9))[10:-10], atol=1e-4)


def test_the_mix_survives_its_file(tmp_path: Path) -> None:
    """Weights and bias come back as saved."""
    mix = HarmonicMix(np.arange(9, dtype=np.float32), -0.5)
    mix.save(tmp_path / "mix.npy")
    loaded = HarmonicMix.load(tmp_path / "mix.npy")
    np.testing.assert_array_equal(loaded.weights, mix.weights)
    assert loaded.bias == mix.bias

"""Meshes and rays for tests: random, degenerate, touching, flat, closed."""

import numpy as np


def sphere(across, radius=1.0, middle=(0, 0, 0)):
    """A closed mesh with `2 * across * across` triangles, some at the poles without area; neighbours have the same corners, bit for bit."""
    u, v = np.meshgrid(np.linspace(0, 2 * np.pi, across + 1), np.linspace(0, np.pi, across + 1))
    points = np.stack([np.sin(v) * np.cos(u), np.cos(v), np.sin(v) * np.sin(u)], axis=-1)
    points[:, -1], points[0], points[-1] = points[:, 0], (0, 1, 0), (0, -1, 0)
    points = (points * radius + middle).astype(np.float32)
    a, b, c, d = points[:-1, :-1], points[1:, :-1], points[:-1, 1:], points[1:, 1:]
    return np.concatenate([np.stack([a, c, b], axis=2).reshape(-1, 3, 3), np.stack([c, d, b], axis=2).reshape(-1, 3, 3)])


def degenerate(numbers, count=100):
    """Triangles without area, needles, and others in between."""
    made = numbers.uniform(-1, 1, (count, 3, 3))
    third = count // 3
    made[:third, 2] = made[:third, 1]
    made[third : 2 * third, 1:] = made[third : 2 * third, :1] + numbers.uniform(-1e-6, 1e-6, (third, 2, 3))
    made[2 * third :, 2] = (made[2 * third :, 0] + made[2 * third :, 1]) / 2
    return made


def meshes(numbers):
    """By name."""
    touching = numbers.integers(-2, 3, (150, 3, 3)).astype(float)
    flat = np.concatenate([numbers.integers(-4, 5, (120, 3, 2)).astype(float), np.zeros((120, 3, 1))], axis=-1)
    return {
        "random": numbers.uniform(-1, 1, (200, 3, 3)),
        "degenerate": degenerate(numbers),
        "touching, each twice": np.concatenate([touching, touching]),
        "flat": flat,
        "closed": sphere(12),
        "small and far away": sphere(8, 1e-3, (1000, -1000, 500)),
        "one": numbers.uniform(-1, 1, (1, 3, 3)),
        "a thousand times the same": np.repeat(numbers.uniform(-1, 1, (1, 3, 3)), 300, axis=0),
    }


def rays_at(numbers, mesh, count):
    """Rays around a mesh: to corners, to edges, to places in triangles, anywhere, along axes, from corners."""
    mesh = np.asarray(mesh, np.float32)
    points = mesh.reshape(-1, 3)
    extent = max(float(np.ptp(points, axis=0).max()), 1e-3)
    origins = (points.mean(axis=0) + numbers.uniform(-1.5, 1.5, (count, 3)) * extent).astype(np.float32)
    directions = targets(numbers, mesh, count) - origins
    kind = numbers.integers(12, size=count)
    directions[kind < 3] = numbers.uniform(-1, 1, ((kind < 3).sum(), 3))
    directions[kind == 3] *= [1, 0, 0]
    directions[kind == 4] *= [1, 1, 0]
    origins[kind == 5], directions[kind == 5] = np.round(origins[kind == 5]), np.round(directions[kind == 5])
    origins[kind == 6] = points[numbers.integers(len(points), size=(kind == 6).sum())]
    return origins, directions


def targets(numbers, mesh, count):
    """Corners, places on edges, places inside of triangles, by thirds: float32[count, 3]."""
    mesh = np.asarray(mesh, np.float32)
    weights, kind, share = numbers.dirichlet([1, 1, 1], count), numbers.integers(3, size=count), numbers.uniform(size=count)
    weights[kind == 0] = [1, 0, 0]
    weights[kind == 1] = np.stack([share, 1 - share, 0 * share], axis=1)[kind == 1]
    return (mesh[numbers.integers(len(mesh), size=count)] * weights[..., None]).sum(axis=1).astype(np.float32)

# Trains a network of two layers by gradient descent, each rank on its own samples. The sum of the
# gradients is one vector of numpy.
import numpy as np
from mpi4py import MPI

comm = MPI.COMM_WORLD
rank, ranks = comm.Get_rank(), comm.Get_size()
inputs, hidden, outputs, samples, steps = 256, 512, 10, 64, 100

random = np.random.default_rng(rank)
data = random.standard_normal((samples, inputs))
labels = np.eye(outputs)[random.integers(0, outputs, samples)]

weights = np.random.default_rng(1000).standard_normal(inputs * hidden + hidden * outputs) / 16
gradient, total = np.empty_like(weights), np.empty_like(weights)
split = inputs * hidden


def layers(vector):
    return vector[:split].reshape(inputs, hidden), vector[split:].reshape(hidden, outputs)


for step in range(steps):
    first, second = layers(weights)
    into_first, into_second = layers(gradient)
    values = np.maximum(data @ first, 0)
    guess = np.exp(values @ second)
    guess /= guess.sum(axis=1, keepdims=True)
    error = (guess - labels) / samples
    np.matmul(values.T, error, out=into_second)
    np.matmul(data.T, (error @ second.T) * (values > 0), out=into_first)
    comm.Allreduce(gradient, total)
    weights -= 0.05 / ranks * total

loss = comm.allreduce(-np.log((guess * labels).sum(axis=1)).mean())
if rank == 0:
    print(f"loss {loss / ranks:.6f}")

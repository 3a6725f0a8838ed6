# TOAST: a sky map whose pixels are summed over the ranks, as its map makers do.
import numpy as np
from toast.mpi import get_world
from toast.pixels import PixelData, PixelDistribution

comm, size, rank = get_world()
assert size == 2, f"TOAST runs on {size} ranks"
pixels, submaps = 3072, 12
sky = PixelData(PixelDistribution(n_pix=pixels, n_submap=submaps, local_submaps=np.arange(submaps), comm=comm), np.float64, n_value=3)
values = np.sin(np.arange(sky.data.size) * 0.1)
sky.data[:] = (values * (rank + 1)).reshape(sky.data.shape)
sky.sync_allreduce()
assert np.allclose(sky.data.reshape(-1), 3 * values)
if rank == 0:
    print(repr(float(sky.data.sum())), repr(float(np.abs(sky.data).sum())))

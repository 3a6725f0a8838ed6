/* Lost peers: a peer that cannot be reached, or whose writes to this rank are missing (see
 * fabric.h). */
#include "fabric/fabric_inner.h"
#include "util/ticks.h"

void allfold_peer_lose(struct allfold_fabric *fabric, int rank, bool tells)
{
    struct allfold_fabric_peer *peer = fabric->peers[rank];
    if ((fabric->flags[rank] & ALLFOLD_RANK_LOST) != 0)
        return;
    fabric->flags[rank] |= ALLFOLD_RANK_LOST;
    if (peer != NULL) {
        peer->is_lost = true;
        fabric->receiver->lose_peer(fabric, peer);
    }
    if (tells && fabric->options.lost != NULL)
        fabric->options.lost(fabric->options.context, rank);
}

void allfold_peers_lose_all(struct allfold_fabric *fabric)
{
    for (int r = 0; r < fabric->options.size; r++)
        if (r != fabric->options.rank)
            allfold_peer_lose(fabric, r, true);
}

void allfold_fabric_lose(struct allfold_fabric *fabric, int rank)
{
    pthread_mutex_lock(&fabric->mutex);
    if (rank >= 0 && rank < fabric->options.size)
        allfold_peer_lose(fabric, rank, false);
    pthread_mutex_unlock(&fabric->mutex);
}

/* --- writes that are missing --- */

void allfold_peer_arrive(struct allfold_fabric_peer *peer)
{
    peer->arrived++;
    peer->missing_since_s = 0;
}

static void tell_tally(const struct allfold_fabric *fabric, struct allfold_fabric_peer *peer)
{
    if (fabric->options.tally != NULL && peer->ended != peer->ended_told &&
        fabric->options.tally(fabric->options.context, peer->rank, peer->ended))
        peer->ended_told = peer->ended;
}

/* Who did not poll for a while may have it all before it, so the time begins anew. */
void allfold_peers_find_missing(struct allfold_fabric *fabric)
{
    const double now_s = allfold_monotonic_s(), silence_s = fabric->options.silence_s;
    const bool was_away = now_s - fabric->compared_s > silence_s / 2,
               tells = now_s - fabric->told_s > silence_s / 10;
    fabric->compared_s = now_s;
    if (tells)
        fabric->told_s = now_s;
    for (uint32_t i = 0; i < fabric->peer_count; i++) {
        struct allfold_fabric_peer *peer = fabric->by_index[i];
        if (peer->is_lost)
            continue;
        if (tells)
            tell_tally(fabric, peer);
        if (peer->arrived >= peer->ended_there)
            peer->missing_since_s = 0;
        else if (was_away || peer->missing_since_s == 0)
            peer->missing_since_s = now_s;
        else if (now_s - peer->missing_since_s > silence_s)
            allfold_peer_lose(fabric, peer->rank, true);
    }
}

void allfold_fabric_find_missing(struct allfold_fabric *fabric)
{
    pthread_mutex_lock(&fabric->mutex);
    allfold_peers_find_missing(fabric);
    pthread_mutex_unlock(&fabric->mutex);
}

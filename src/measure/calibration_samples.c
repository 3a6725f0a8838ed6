/* Samples of a calibration as lines (see calibration.h). */
#include "measure/calibration.h"
#include "util/number.h"

#include <string.h>

static const char *const kind_names[ALLFOLD_CALIBRATION_KINDS] = {
    [ALLFOLD_TIMED_ONE_WAY] = "one_way", [ALLFOLD_TIMED_BOTH_WAYS] = "both_ways",
    [ALLFOLD_TIMED_ROUND] = "round",     [ALLFOLD_TIMED_REDUCTION] = "reduce",
    [ALLFOLD_TIMED_COPY] = "copy",
};

const char *allfold_calibration_kind_name(enum allfold_calibration_kind kind)
{
    return kind_names[kind];
}

void allfold_calibration_write_sample(const struct allfold_calibration_sample *sample, FILE *stream)
{
    const locale_t before = allfold_numbers_plain();
    fprintf(stream, "%s\t%s\t%d\t%d\t%zu\t%.9g\t%.9g\t%d\n", kind_names[sample->kind],
            sample->is_far ? "network" : "node", sample->lanes, sample->messages, sample->bytes,
            sample->time_s, sample->least_s, sample->count);
    allfold_numbers_restore(before);
}

bool allfold_calibration_read_sample(const char *line, struct allfold_calibration_sample *sample)
{
    char kind[20], level[20], time[40], least[40];
    *sample = (struct allfold_calibration_sample){.lanes = 0};
    if (sscanf(line, "%19s %19s %d %d %zu %39s %39s %d", kind, level, &sample->lanes,
               &sample->messages, &sample->bytes, time, least, &sample->count) != 8 ||
        !allfold_number_is(time, &sample->time_s) || !allfold_number_is(least, &sample->least_s))
        return false;
    while (sample->kind < ALLFOLD_CALIBRATION_KINDS && strcmp(kind_names[sample->kind], kind) != 0)
        sample->kind++;
    sample->is_far = strcmp(level, "network") == 0;
    return sample->kind < ALLFOLD_CALIBRATION_KINDS && sample->lanes > 0 && sample->messages > 0 &&
           sample->bytes > 0 && sample->time_s > 0 && sample->least_s > 0 &&
           (sample->is_far || strcmp(level, "node") == 0);
}

/* Memory of plans: released plans are kept, so that a program that uses one gets an error and does
 * not crash (see plan.h). */
#include <assert.h>
#include <pthread.h>

#include "mpi/plan/plan.h"
#include "util/memory.h"

/* Their memory is not freed, so that using a released plan is an error and does not crash the
 * program. */
static struct allfold_plan *released_plans;
static pthread_mutex_t memory_mutex = PTHREAD_MUTEX_INITIALIZER;

struct allfold_plan *allfold_plan_take_memory(void)
{
    pthread_mutex_lock(&memory_mutex);
    struct allfold_plan *plan = released_plans;
    if (plan != NULL)
        released_plans = plan->next;
    pthread_mutex_unlock(&memory_mutex);
    return plan != NULL ? plan : allfold_allocate(sizeof *plan);
}

void allfold_plan_give_memory(struct allfold_plan *plan)
{
    assert(plan->activity.link == NULL);
    plan->status = ALLFOLD_PLAN_FREED;
    pthread_mutex_lock(&memory_mutex);
    plan->next = released_plans;
    released_plans = plan;
    pthread_mutex_unlock(&memory_mutex);
}

void allfold_plans_forget(void)
{
    for (struct allfold_plan *plan; (plan = released_plans) != NULL;) {
        released_plans = plan->next;
        allfold_free(plan);
    }
}

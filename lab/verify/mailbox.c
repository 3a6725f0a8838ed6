/* Mails and inboxes (see mailbox.h). The size of a mail's data is rounded up to a power of two, so
 * that a few lists hold all unused mails. */
#include "lab/verify/mailbox.h"

#include <assert.h>

#include "util/memory.h"

enum { SMALLEST_BYTES = 64 };

struct allfold_mail *allfold_mail_take(struct allfold_mail_pool *pool, size_t bytes)
{
    unsigned size_class = 0;
    size_t room = SMALLEST_BYTES;
    for (; room < bytes && room <= SIZE_MAX / 4; room *= 2)
        size_class++;
    assert(size_class < ALLFOLD_MAIL_CLASSES);
    struct allfold_mail *mail = pool->unused[size_class];
    if (mail != NULL)
        pool->unused[size_class] = mail->next;
    else
        mail = allfold_allocate(sizeof *mail + room);
    if (mail == NULL)
        return NULL;
    mail->next = NULL;
    mail->holders = 2;
    mail->size_class = size_class;
    return mail;
}

void allfold_mail_release(struct allfold_mail_pool *pool, struct allfold_mail *mail)
{
    assert(mail == NULL || (mail->holders > 0 && mail->holders <= 3));
    if (mail == NULL || --mail->holders > 0)
        return;
    mail->next = pool->unused[mail->size_class];
    pool->unused[mail->size_class] = mail;
}

void allfold_mail_pool_empty(struct allfold_mail_pool *pool)
{
    for (int i = 0; i < ALLFOLD_MAIL_CLASSES; i++)
        while (pool->unused[i] != NULL) {
            struct allfold_mail *mail = pool->unused[i];
            pool->unused[i] = mail->next;
            allfold_free(mail);
        }
}

void allfold_inbox_begin(struct allfold_inbox *inbox)
{
    inbox->first = NULL;
    inbox->end = &inbox->first;
}

void allfold_inbox_put(struct allfold_inbox *inbox, struct allfold_mail *mail)
{
    *inbox->end = mail;
    inbox->end = &mail->next;
}

struct allfold_mail *allfold_inbox_take(struct allfold_inbox *inbox, int from, uint32_t number)
{
    for (struct allfold_mail **at = &inbox->first; *at != NULL; at = &(*at)->next) {
        struct allfold_mail *mail = *at;
        if (mail->from != from || mail->number != number)
            continue;
        *at = mail->next;
        if (inbox->end == &mail->next)
            inbox->end = at;
        mail->next = NULL;
        return mail;
    }
    return NULL;
}

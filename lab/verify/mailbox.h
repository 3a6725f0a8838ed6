/* Mails: the messages between virtual ranks. A mail has two holders: its sender and its receiver.
 * An executor that retains the message is a third one. The last one gives the mail to its pool. */
#ifndef ALLFOLD_LAB_VERIFY_MAILBOX_H
#define ALLFOLD_LAB_VERIFY_MAILBOX_H

#include <stddef.h>
#include <stdint.h>

struct allfold_mail {
    struct allfold_mail *next;
    int from;
    uint32_t number;
    size_t length; /* elements */
    int slot;      /* of the sender, which waits until it is received; -1 where it does not */
    unsigned holders;
    unsigned size_class;
    unsigned char data[];
};

enum { ALLFOLD_MAIL_CLASSES = 64 };

/* Mails that nobody holds, by size. All zero: none. */
struct allfold_mail_pool {
    struct allfold_mail *unused[ALLFOLD_MAIL_CLASSES];
};

/* A mail with room for so many bytes and two holders; NULL without memory. */
struct allfold_mail *allfold_mail_take(struct allfold_mail_pool *pool, size_t bytes);

/* One holder less; NULL is allowed. */
void allfold_mail_release(struct allfold_mail_pool *pool, struct allfold_mail *mail);

/* Frees all mails that nobody holds. */
void allfold_mail_pool_empty(struct allfold_mail_pool *pool);

/* What a rank was sent and has not begun to receive, in the order of sending. */
struct allfold_inbox {
    struct allfold_mail *first;
    struct allfold_mail **end;
};

void allfold_inbox_begin(struct allfold_inbox *inbox);
void allfold_inbox_put(struct allfold_inbox *inbox, struct allfold_mail *mail);

/* Takes out the mail of that sender and number; NULL where it is not there. */
struct allfold_mail *allfold_inbox_take(struct allfold_inbox *inbox, int from, uint32_t number);

#endif

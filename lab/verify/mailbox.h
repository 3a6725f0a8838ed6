/* Mails: the messages between virtual ranks (virtual.h). They are reference counted: the sender and
 * the receiver hold a mail, and so does an executor that retains the message. When the last holder
 * releases a mail, its memory returns to the pool. */
#ifndef ALLFOLD_LAB_VERIFY_MAILBOX_H
#define ALLFOLD_LAB_VERIFY_MAILBOX_H

#include <stddef.h>
#include <stdint.h>

struct allfold_mail {
    struct allfold_mail *next; /* in an inbox, or in the pool */
    int from;                  /* the sender */
    uint32_t number;
    size_t length;       /* elements */
    int slot;            /* of the sender, if it waits until the mail is received; else -1 */
    unsigned holders;    /* reference count */
    unsigned size_class; /* index in the pool */
    unsigned char data[];
};

enum { ALLFOLD_MAIL_CLASSES = 64 };

/* Unused mails, by size. All zero: empty. */
struct allfold_mail_pool {
    struct allfold_mail *unused[ALLFOLD_MAIL_CLASSES];
};

/* Returns a mail for `bytes` bytes of data, with two holders, or NULL if out of memory. */
struct allfold_mail *allfold_mail_take(struct allfold_mail_pool *pool, size_t bytes);

/* Releases a mail for one of its holders; NULL is allowed. */
void allfold_mail_release(struct allfold_mail_pool *pool, struct allfold_mail *mail);

/* Frees all unused mails. */
void allfold_mail_pool_empty(struct allfold_mail_pool *pool);

/* The mails that were sent to a rank and that it has not started to receive, in the order of
 * sending. */
struct allfold_inbox {
    struct allfold_mail *first;
    struct allfold_mail **end;
};

/* Makes an inbox empty. */
void allfold_inbox_begin(struct allfold_inbox *inbox);

/* Appends a mail. */
void allfold_inbox_put(struct allfold_inbox *inbox, struct allfold_mail *mail);

/* Removes the mail of a sender with a number and returns it, or NULL if there is none. */
struct allfold_mail *allfold_inbox_take(struct allfold_inbox *inbox, int from, uint32_t number);

#endif

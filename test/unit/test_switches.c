/* Which switches a host is below: by a file of each kind, and by Slurm's variables. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "select/switches.h"

static struct allfold_switches switches;
static char message[600], path[64];

/* Reads a file with that text for a host and rank. */
static enum allfold_error read_text(const char *text, const char *host, int rank)
{
    snprintf(path, sizeof path, "/tmp/allfold_switches_XXXXXX");
    const int file = mkstemp(path);
    assert_true(file >= 0 && write(file, text, strlen(text)) == (ssize_t)strlen(text));
    close(file);
    message[0] = '\0';
    const enum allfold_error error =
        allfold_switches_read(path, host, rank, &switches, message, sizeof message);
    unlink(path);
    return error;
}

/* They are these, with blanks between them; "" where none is found. */
static void assert_switches(const char *text, const char *host, int rank, const char *expected)
{
    char found[200] = "";
    const enum allfold_error error = read_text(text, host, rank);
    for (int i = 0; i < switches.depth; i++)
        snprintf(found + strlen(found), sizeof found - strlen(found), "%s%s", i == 0 ? "" : " ",
                 switches.name[i]);
    assert_string_equal(found, expected);
    assert_int_equal(error, expected[0] == '\0' ? ALLFOLD_BAD_INPUT : ALLFOLD_OK);
}

static void lists(void **context)
{
    static const char text[] = "# a comment\n"
                               "node[00-15,20]  leaf0 spine0\n"
                               "\n"
                               "node[16-19],login,x[1-3]y\tleaf1 spine0 # here, too\n"
                               "rank 0-3,7 leaf2\n";
    (void)context;
    assert_switches(text, "node00", 9, "leaf0 spine0");
    assert_switches(text, "node15.cluster.org", 9, "leaf0 spine0");
    assert_switches(text, "node20", 9, "leaf0 spine0");
    assert_switches(text, "node16", 9, "leaf1 spine0");
    assert_switches(text, "login", 9, "leaf1 spine0");
    assert_switches(text, "x2y", 9, "leaf1 spine0");
    assert_switches(text, "elsewhere", 7, "leaf2");
    assert_switches(text, "elsewhere", 2, "leaf2");
    assert_switches(text, "node20", 2, "leaf0 spine0"); /* the first line that holds */
    for (const char *const *other = (const char *const[]){"node1", "node001", "node21", "x4y", "x2",
                                                          "node", "logins", "xy", NULL};
         *other != NULL; other++)
        assert_switches(text, *other, 4, "");
    assert_switches("node[8-12] leaf0\n", "node12", 0, "leaf0");
    assert_switches("node[8-12] leaf0\n", "node09", 0, "");
}

/* They may stand anywhere in a file. */
static void uplinks(void **context)
{
    (void)context;
    assert_switches("uplinks 6 1.5\nnode0 leaf0 spine0\n", "node0", 0, "leaf0 spine0");
    assert_true(switches.uplinks[0] > 5.9 && switches.uplinks[0] < 6.1);
    assert_true(switches.uplinks[1] > 1.4 && switches.uplinks[1] < 1.6);
    assert_true(switches.uplinks[2] <= 0);
    assert_switches("node0 leaf0 pod0 spine0\nuplinks 6\n", "node0", 0, "leaf0 pod0 spine0");
    assert_true(switches.uplinks[0] > 5.9 && switches.uplinks[1] <= 0);
    assert_switches("node0 leaf0\n", "node0", 0, "leaf0");
    assert_true(switches.uplinks[0] <= 0 && switches.pair_uplinks[0] <= 0);
    assert_switches("node0 leaf0\npair_uplinks 0.5 2\nuplinks 6\n", "node0", 0, "leaf0");
    assert_true(switches.pair_uplinks[0] > 0.4 && switches.pair_uplinks[0] < 0.6);
    assert_true(switches.pair_uplinks[1] > 1.9 && switches.uplinks[0] > 5.9);
    static const char *const wrong[] = {"uplinks 0\nnode0 leaf0\n", "uplinks many\nnode0 leaf0\n",
                                        "node0 leaf0\nuplinks 1 2 3 4\n",
                                        "node0 leaf0\npair_uplinks -1\n"};
    for (int i = 0; i < 4; i++) {
        assert_switches(wrong[i], "node0", 0, "");
        assert_non_null(strstr(message, "in cards of a host"));
    }
}

static void topology_conf(void **context)
{
    static const char text[] = "SwitchName=spine Switches=pod[0-1] LinkSpeed=1\n"
                               "SwitchName=leaf0 Nodes=node[00-15]\n"
                               "SwitchName=leaf1 LinkSpeed=1 Nodes=node[16-31],node40\n"
                               "switchname=pod1 switches=leaf[1-9]\n";
    (void)context;
    assert_switches(text, "node40", 0, "leaf1 pod1 spine");
    assert_switches(text, "node03", 0, "leaf0");
    assert_switches(text, "node32", 0, "");
}

static void networks(void **context)
{
    static const char text[] = "name = two leaves\n"
                               "network: latency=0.6us, overhead=0.2us\n"
                               "host node[00-31]\n"
                               "link node[00-15] leaf0: bandwidth=12.5GB/s, latency=200ns\n"
                               "link leaf[1-16] node[16-31] : bandwidth=12.5GB/s\n"
                               "link leaf[0-16] spine: bandwidth=50GB/s\n";
    (void)context;
    assert_switches(text, "node07", 0, "leaf0");
    assert_switches(text, "node16", 0, "leaf1");
    assert_switches(text, "node31", 0, "leaf16");
    assert_switches(text, "node32", 0, "");
    assert_switches("host a b\nlink a b: bandwidth=1GB/s\n", "a", 0, "");
    assert_non_null(strstr(message, "line 1: 'host a b': a link leads from host to host"));
}

static void faults(void **context)
{
    (void)context;
    assert_switches("node1 leaf0\nnode2\n", "node2", 0, "");
    assert_non_null(
        strstr(message, ": line 2: 'node2': expected hosts and their switch, like node[00-15] "));
    assert_switches("node1 a b c d\n", "node1", 0, "");
    assert_non_null(strstr(message, "line 1: 'node1 a b c d': expected up to 3 switches"));
    assert_switches("rank 1-x leaf0\n", "node1", 0, "");
    assert_non_null(strstr(message, "line 1: 'rank 1-x leaf0': expected ranks like 0-7"));
    assert_switches("node1 leaf0\n", "node2.org", 5, "");
    assert_non_null(strstr(message, path));
    assert_non_null(strstr(
        message, ": no line has host 'node2.org' of rank 5; expected one like 'node2 leaf0'"));
    assert_int_equal(
        allfold_switches_read("/nowhere/at/all", "a", 0, &switches, message, sizeof message),
        ALLFOLD_BAD_INPUT);
    assert_string_equal(message, "/nowhere/at/all cannot be read: No such file or directory");
}

static enum allfold_error slurm(const char *address, const char *pattern, const char *host)
{
    return allfold_switches_of_slurm(address, pattern, host, &switches, message, sizeof message);
}

static void slurms_variables(void **context)
{
    (void)context;
    assert_int_equal(slurm("s0.s4.s8.node7", "switch.switch.switch.node", "node7.org"), ALLFOLD_OK);
    assert_int_equal(switches.depth, 3);
    assert_string_equal(switches.name[0], "s8");
    assert_string_equal(switches.name[2], "s0");
    assert_int_equal(slurm("s.s0.s4.s8.node7", "switch.switch.switch.switch.node", "node7"),
                     ALLFOLD_OK);
    assert_string_equal(switches.name[2], "s0");
    assert_int_equal(slurm("s0.s4.node7", "switch.switch.node", "node8"), ALLFOLD_BAD_INPUT);
    assert_int_equal(switches.depth, 0);
    assert_string_equal(message, "SLURM_TOPOLOGY_ADDR=s0.s4.node7 (switch.switch.node) says no "
                                 "switch of host 'node8'; expected one like s0.s1.node8 "
                                 "(switch.switch.node)");
    assert_int_equal(slurm("node7", "node", "node7"), ALLFOLD_BAD_INPUT);
    assert_int_equal(slurm("", "", "node7"), ALLFOLD_BAD_INPUT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists),  cmocka_unit_test(topology_conf),    cmocka_unit_test(networks),
        cmocka_unit_test(faults), cmocka_unit_test(slurms_variables), cmocka_unit_test(uplinks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

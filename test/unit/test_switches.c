/* Which switches a host is below, and which hosts it is linked to: by a file of each kind, and by
 * Slurm's variables. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "topology/switches.h"
#include "util/hash.h"

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
}

/* The host is linked to these, with blanks between them, and below a switch or not. */
static void assert_neighbors(const char *text, const char *host, const char *called,
                             const char *expected, const char *leaf)
{
    char names[300];
    int count = 0;
    snprintf(names, sizeof names, "%s", expected);
    assert_int_equal(read_text(text, host, 0),
                     expected[0] == '\0' && leaf[0] == '\0' ? ALLFOLD_BAD_INPUT : ALLFOLD_OK);
    for (char *at, *name = strtok_r(names, " ", &at); name != NULL;
         name = strtok_r(NULL, " ", &at), count++) {
        const uint64_t hash = allfold_hash(allfold_hash_of_nothing, name, strlen(name));
        int i = 0;
        while (i < switches.neighbors && switches.neighbor[i] != (int64_t)(hash >> 1))
            i++;
        assert_true(i < switches.neighbors);
    }
    assert_int_equal(switches.neighbors, count);
    for (int i = 1; i < count; i++)
        assert_true(switches.neighbor[i - 1] < switches.neighbor[i]);
    if (count > 0)
        assert_true(switches.host ==
                    (int64_t)(allfold_hash(allfold_hash_of_nothing, called, strlen(called)) >> 1));
    assert_string_equal(switches.depth == 0 ? "" : switches.name[0], leaf);
}

static void tori(void **context)
{
    (void)context;
    static const char plane[] = "torus 4x3 node[00-05,10-15] # two rows of racks\n";
    assert_neighbors(plane, "node00", "node00", "node01 node02 node03 node13", "");
    assert_neighbors(plane, "node04.org", "node04", "node03 node05 node01 node11", "");
    assert_neighbors(plane, "node15", "node15", "node14 node13 node02 node12", "");
    assert_neighbors(plane, "node06", "", "", "");
    assert_neighbors("torus 2x1x3 a,b,c,d.org,e,f\n", "d.org", "d.org", "e f a", "");
    assert_neighbors("torus 2 a,b\n", "a", "a", "b", "");
    assert_neighbors("torus 5 n[1-5]\n", "n1", "n1", "n2 n5", "");
    assert_neighbors("torus 2x2x2x2x2x2x2x2 n[0-255]\n", "n0", "n0", "n1 n2 n4 n8 n16 n32 n64 n128",
                     "");
    assert_neighbors("uplinks 3\nn[0-4] leaf0\ntorus 5 n[0-4]\n", "n1", "n1", "n0 n2", "leaf0");
    assert_neighbors("n[0-4] leaf0\ntorus 1 n3\n", "n3", "", "", "leaf0");
    static const char *const wrong[] = {"torus 4x4 node[00-14]",
                                        "torus 4x4 node[00-16]",
                                        "torus 4x4",
                                        "torus",
                                        "torus 4x a,b,c,d",
                                        "torus x4 a,b,c,d",
                                        "torus 0x4 a",
                                        "torus 4,4 n[0-15]",
                                        "torus 2x-2 n[0-3]",
                                        "torus 2x2 a,b c,d",
                                        "torus 2x2x n[0-3]",
                                        "torus 1x1x1x1x1x1x1x1x2 a,b"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char line[100];
        snprintf(line, sizeof line, "node00 leaf0\n%s\n", wrong[i]);
        assert_neighbors(line, "node00", "", "", "");
        assert_non_null(strstr(message, ": line 2: 'torus"));
        assert_non_null(strstr(message, "expected up to 8 sizes, and as many hosts as they make, "
                                        "like torus 4x4 node[00-15]"));
    }
}

static void direct_links(void **context)
{
    (void)context;
    static const char text[] = "name = a ring with a switch\n"
                               "link node[00-02] node[01-03]: bandwidth=1GB/s\n"
                               "link node[00-03] leaf[0-3]: bandwidth=1GB/s\n"
                               "host node[00-03]\n"
                               "link node03 node00 : bandwidth=1GB/s\n"
                               "link node00 node01: bandwidth=1GB/s, class=another\n"
                               "link hub other[0-2],node02: bandwidth=1GB/s\n"
                               "host other[0-9] hub\n";
    assert_neighbors(text, "node00", "node00", "node01 node03", "leaf0");
    assert_neighbors(text, "node01.x", "node01", "node00 node02", "leaf1");
    assert_neighbors(text, "node02", "node02", "node01 node03 hub", "leaf2");
    assert_neighbors(text, "hub", "hub", "other0 other1 other2 node02", "");
    assert_neighbors(text, "other1", "other1", "hub", "");
    assert_neighbors(text, "other3", "", "", "");
    assert_neighbors("host a b\nlink a b: bandwidth=1GB/s\n", "a", "a", "b", "");
    assert_neighbors("link a b: bandwidth=1GB/s\n", "a", "", "", "b"); /* which may be a switch */
    assert_neighbors("torus 3 a,b,c\nlink a b: bandwidth=1GB/s\n", "a", "a", "b c", "");
    assert_neighbors(
        "host h n[0-31]\nlink h n[0-31]: bandwidth=1GB/s\n", "h", "h",
        "n0 n1 n2 n3 n4 n5 n6 n7 n8 n9 n10 n11 n12 n13 n14 n15 n16 n17 n18 n19 n20 n21 "
        "n22 n23 n24 n25 n26 n27 n28 n29 n30 n31",
        "");
    assert_neighbors("host h n[0-32]\nlink h n[0-32]: bandwidth=1GB/s\n", "h", "", "", "");
    assert_non_null(strstr(message, ": more than 32 hosts are linked to host 'h'"));
    assert_neighbors("host h n[0-64]\nlink h n[0-64]: bandwidth=1GB/s\n", "h", "", "", "");
    assert_non_null(strstr(message, "this host has more than 64 links"));
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
        cmocka_unit_test(tori),   cmocka_unit_test(direct_links),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

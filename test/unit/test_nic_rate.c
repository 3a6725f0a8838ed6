/* What the kernel says of network cards. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdbool.h>
#include <stdio.h>
#include <cmocka.h>

#include "support_files.h"
#include "topology/nic_rate.h"

static void write_port(const char *port, const char *state, const char *rate)
{
    char name[100];
    snprintf(name, sizeof name, "class/infiniband/%s/state", port);
    files_write(name, state);
    snprintf(name, sizeof name, "class/infiniband/%s/rate", port);
    files_write(name, rate);
}

/* An interface; with a `device`, it is a card. */
static void write_interface(const char *interface, const char *state, const char *speed,
                            bool has_device)
{
    char name[100];
    snprintf(name, sizeof name, "class/net/%s/operstate", interface);
    files_write(name, state);
    snprintf(name, sizeof name, "class/net/%s/speed", interface);
    files_write(name, speed);
    snprintf(name, sizeof name, "class/net/%s/device/vendor", interface);
    if (has_device)
        files_write(name, "0x15b3\n");
}

/* The fastest port that is active counts. */
static void test_ports(void **state)
{
    (void)state;
    const char *root = files_begin();
    assert_int_equal(allfold_nic_mbit(root), 0);
    write_port("mlx5_0/ports/1", "4: ACTIVE\n", "100 Gb/sec (4X EDR)\n");
    assert_int_equal(allfold_nic_mbit(root), 100000);
    write_port("mlx5_1/ports/1", "1: DOWN\n", "400 Gb/sec (4X NDR)\n");
    assert_int_equal(allfold_nic_mbit(root), 100000);
    write_port("mlx5_1/ports/2", "4: ACTIVE\n", "200 Gb/sec (4X HDR)\n");
    assert_int_equal(allfold_nic_mbit(root), 200000);
    write_interface("eth0", "up\n", "400000\n", true);
    assert_int_equal(allfold_nic_mbit(root), 400000);
    files_end();
}

static void test_one_port(void **state)
{
    (void)state;
    static const struct {
        const char *state, *rate;
        int mbit;
    } cases[] = {
        {"4: ACTIVE\n", "2.5 Gb/sec (1X SDR)\n", 2500},
        {"4: ACTIVE", "25 Gb/sec", 25000},
        {"4: ACTIVE\n", "", 0},
        {"", "100 Gb/sec (4X EDR)\n", 0},
        {"2: INIT\n", "100 Gb/sec (4X EDR)\n", 0},
        {"4: ACTIVE\n", "100 Mb/sec\n", 0},
        {"4: ACTIVE\n", "-1 Gb/sec\n", 0},
        {"4: ACTIVE\n", "1e300 Gb/sec\n", 0},
        {"4: ACTIVE\n", "nan Gb/sec\n", 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *root = files_begin();
        write_port("hfi1_0/ports/1", cases[i].state, cases[i].rate);
        assert_int_equal(allfold_nic_mbit(root), cases[i].mbit);
        files_end();
    }
}

/* Of Ethernet only what a cluster has tells of its network. */
static void test_interfaces(void **state)
{
    (void)state;
    static const struct {
        const char *state, *speed;
        bool has_device;
        int mbit;
    } cases[] = {
        {"up\n", "200000\n", true, 200000},
        {"up\n", "40000\n", true, 40000},
        {"up\n", "25000\n", true, 25000},
        {"up\n", "1000\n", true, 1000},
        {"up\n", "100\n", true, 0},
        {"down\n", "200000\n", true, 0},
        {"up\n", "200000\n", false, 0},
        {"up\n", "-1\n", true, 0},
        {"up\n", "", true, 0},
        {"", "200000\n", true, 0},
        {"up\n", "99999999999999\n", true, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *root = files_begin();
        write_interface("hsn0", cases[i].state, cases[i].speed, cases[i].has_device);
        write_interface("lo", "unknown\n", "", false);
        assert_int_equal(allfold_nic_mbit(root), cases[i].mbit);
        files_end();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ports),
        cmocka_unit_test(test_one_port),
        cmocka_unit_test(test_interfaces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

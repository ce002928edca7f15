/* plugins.xml and device libraries: each thing that can be wrong has its own sentence.
 * SPDX-License-Identifier: Apache-2.0 */
#include "api.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static irr_core_t *core_from(const char *xml, irr_status_e expected) {
    char path[] = "/tmp/irreduce_plugins_XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    assert_int_equal(write(file, xml, strlen(xml)), strlen(xml));
    close(file);
    irr_core_t *core = (irr_core_t *)path; /* must become NULL on failure */
    EXPECT(expected, irr_core_create_with_config(path, &core));
    unlink(path);
    if (expected) assert_null(core);
    if (expected) expect_message(path);
    return core;
}

#define PLUGINS(rows) "<ie><plugins>" rows "</plugins></ie>"
#define STRANGER_ROW "<plugin name=\"S\" location=\"" STRANGER_PATH "\"/>"

static void the_beside_file_registers_cpu(void **state) {
    (void)state;
    irr_core_t *core = NULL;
    irr_available_devices_t devices;
    OK(irr_core_create(&core));
    OK(irr_core_get_available_devices(core, &devices));
    assert_int_equal(devices.size, 1);
    assert_string_equal(devices.devices[0], "CPU");
    irr_available_devices_free(&devices);
    irr_core_free(core);
}

static void config_files(void **state) {
    (void)state;
    irr_core_t *core = core_from(PLUGINS(""), IRR_OK);
    irr_available_devices_t devices;
    OK(irr_core_get_available_devices(core, &devices));
    assert_int_equal(devices.size, 0);
    irr_available_devices_free(&devices);
    irr_core_free(core);
    char *value = NULL;
    core = core_from(PLUGINS("<plugin name=\"S\" location=\"" STRANGER_PATH "\"><properties>"
                             "<property key=\"STRANGER_SLEEP_MS\" value=\"3\"/>"
                             "</properties></plugin>"),
                     IRR_OK);
    OK(irr_core_get_property(core, "S", "STRANGER_SLEEP_MS", &value));
    assert_string_equal(value, "3");
    irr_free(value);
    irr_core_free(core);
}

static void bad_config_files(void **state) {
    (void)state;
    core_from(PLUGINS("<plugin name=\"S\"/>"), IRR_PARAMETER_MISMATCH);
    expect_message(":1: <plugin> has no attribute location");
    core_from(PLUGINS("\n<plugin location=\"a.so\"/>"), IRR_PARAMETER_MISMATCH);
    expect_message(":2: <plugin> has no attribute name");
    core_from(PLUGINS("<plugin name=\"S\" location=\"a.so\"><properties><property key=\"K\"/>"
                      "</properties></plugin>"),
              IRR_PARAMETER_MISMATCH);
    expect_message("<property> has no attribute value");
    core_from("<ie><plugins>", IRR_PARAMETER_MISMATCH);
    expect_message("not well-formed XML");
    core_from("", IRR_PARAMETER_MISMATCH);
    core_from("<other/>", IRR_PARAMETER_MISMATCH);
    expect_message("the root is not <ie>");
    core_from("<!DOCTYPE ie [<!ENTITY a \"b\">]>" PLUGINS(""), IRR_PARAMETER_MISMATCH);
    expect_message("a DTD is refused");
    irr_core_t *core = NULL;
    EXPECT(IRR_NOT_FOUND, irr_core_create_with_config("/nowhere/plugins.xml", &core));
    expect_message("/nowhere/plugins.xml cannot be opened");
    EXPECT(IRR_PARAMETER_MISMATCH, irr_core_create_with_config("/dev/null", &core));
    expect_message("no regular file");
}

/* In a file, a taken name is an error with both paths, too. */
static void taken_name_in_a_file(void **state) {
    (void)state;
    core_from(
        PLUGINS("<plugin name=\"S\" location=\"/a.so\"/><plugin name=\"S\" location=\"/b.so\"/>"),
        IRR_PARAMETER_MISMATCH);
    expect_message(":1: device name \"S\" is taken by /a.so and cannot be given to /b.so");
}

static void bad_libraries(void **state) {
    (void)state;
    irr_core_t *core = api_core();
    EXPECT(IRR_NOT_FOUND, irr_core_register_plugin(core, "libnowhere.so", "A"));
    expect_message("libnowhere.so: there is no such file");
    EXPECT(IRR_PARAMETER_MISMATCH,
           irr_core_register_plugin(core, "libirr_stranger_abi_plugin.so", "A"));
    expect_message("has ABI number 99, this library needs 1");
    EXPECT(IRR_NOT_FOUND, irr_core_register_plugin(core, "libirr_stranger_symbol_plugin.so", "A"));
    expect_message("does not export the symbol irr_create_plugin_engine");
    EXPECT(IRR_GENERAL_ERROR, irr_core_register_plugin(core, "plugins.xml", "A"));
    expect_message("cannot be loaded");
    EXPECT(IRR_PARAMETER_MISMATCH, irr_core_register_plugin(core, "/elsewhere.so", "STRANGER"));
    expect_message("/elsewhere.so");
    expect_message("/" STRANGER_PATH);
    EXPECT(IRR_PARAMETER_MISMATCH, irr_core_register_plugin(core, STRANGER_PATH, ""));
    irr_available_devices_t devices;
    OK(irr_core_get_available_devices(core, &devices));
    assert_int_equal(devices.size, 2); /* nothing is left behind */
    irr_available_devices_free(&devices);
    irr_core_free(core);
}

/* A bad row in plugins.xml is told by whoever needs that device. */
static void bad_libraries_of_a_file(void **state) {
    (void)state;
    irr_core_version_list_t versions;
    irr_core_t *core = core_from(
        PLUGINS("<plugin name=\"A\" location=\"lib&amp;where.so\"/>" STRANGER_ROW), IRR_OK);
    EXPECT(IRR_NOT_FOUND, irr_core_get_versions_by_device_name(core, "A", &versions));
    expect_message("/lib&where.so: there is no such file");
    assert_null(versions.versions);
    OK(irr_core_get_versions_by_device_name(core, "S", &versions));
    assert_int_equal(versions.size, 1);
    assert_string_equal(versions.versions[0].device_name, "S");
    assert_string_equal(versions.versions[0].version.description, "a stranger's device");
    irr_core_versions_free(&versions);
    irr_core_free(core);
    core = core_from(PLUGINS("<plugin name=\"S\" location=\"" STRANGER_PATH "\"><properties>"
                             "<property key=\"NONE\" value=\"3\"/></properties></plugin>"),
                     IRR_OK);
    EXPECT(IRR_NOT_FOUND, irr_core_get_versions_by_device_name(core, "S", &versions));
    expect_message("unknown property");
    irr_core_free(core);
}

static void unregistering(void **state) {
    (void)state;
    irr_core_t *core = api_core();
    irr_model_t *model = api_read(core, MODEL_2X3);
    irr_compiled_model_t *compiled = NULL, *none = NULL;
    irr_infer_request_t *request = NULL;
    OK(irr_core_compile_model(core, model, "STRANGER", 0, NULL, &compiled));
    OK(irr_core_unregister_plugin(core, "STRANGER"));
    EXPECT(IRR_NOT_FOUND, irr_core_unregister_plugin(core, "STRANGER"));
    EXPECT(IRR_NOT_FOUND, irr_core_compile_model(core, model, "STRANGER", 0, NULL, &none));
    expect_message("device \"STRANGER\" is not registered (registered: CPU)");
    OK(irr_core_register_plugin(core, STRANGER_PATH, "STRANGER"));
    irr_core_free(core);
    OK(irr_compiled_model_create_infer_request(compiled, &request)); /* it survives */
    OK(irr_infer_request_infer(request));
    expect_output(request, (float[]){0, 0}, 2);
    irr_infer_request_free(request);
    irr_compiled_model_free(compiled);
    irr_model_free(model);
}

static void properties(void **state) {
    (void)state;
    char *value = NULL;
    irr_core_t *core = api_core();
    irr_property_t two[] = {{"STRANGER_SLEEP_MS", "7"}, {"STRANGER_FAIL", "x"}};
    EXPECT(IRR_PARAMETER_MISMATCH, irr_core_set_properties(core, "STRANGER", 2, two));
    OK(irr_core_get_property(core, "STRANGER", "STRANGER_SLEEP_MS", &value));
    assert_string_equal(value, "0"); /* all or none */
    irr_free(value);
    OK(irr_core_set_properties(core, "STRANGER", 1, two));
    OK(irr_core_get_property(core, "STRANGER", "STRANGER_SLEEP_MS", &value));
    assert_string_equal(value, "7");
    irr_free(value);
    OK(irr_core_get_property(core, "STRANGER", "LONG_TEXT", &value));
    assert_int_equal(strlen(value), 2000);
    irr_free(value);
    EXPECT(IRR_NOT_FOUND, irr_core_get_property(core, "STRANGER", "NONE", &value));
    assert_null(value);
    EXPECT(IRR_NOT_FOUND, irr_core_get_property(core, "GPU", "NONE", &value));
    EXPECT(IRR_INVALID_C_PARAM, irr_core_set_properties(core, "STRANGER", 1, NULL));
    two[0].value = NULL;
    EXPECT(IRR_INVALID_C_PARAM, irr_core_set_properties(core, "STRANGER", 1, two));
    OK(irr_core_set_properties(core, "STRANGER", 0, NULL));
    irr_core_free(core);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_beside_file_registers_cpu),
        cmocka_unit_test(config_files),
        cmocka_unit_test(bad_config_files),
        cmocka_unit_test(taken_name_in_a_file),
        cmocka_unit_test(bad_libraries),
        cmocka_unit_test(bad_libraries_of_a_file),
        cmocka_unit_test(properties),
        cmocka_unit_test(unregistering),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

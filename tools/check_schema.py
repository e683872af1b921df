#!/usr/bin/python3
"""tools/check_schema.py [BUILD]: `limber schema` is a valid JSON Schema, accepts every model of examples/ and
validation/, and rejects every file of tests/bad/ with a formal error; `limber reference` prints the page in docs/. Errors that only the
program can detect (references, physics, expressions, other files) and errors of YAML syntax are listed below; the lists are exact."""
import json
import pathlib
import re
import subprocess
import sys

import jsonschema
import yaml

# YAML syntax errors: these never reach the schema
YAML = """
empty nul_bytes only_a_comment results_file rubbish yaml_*
""".split()

# formally correct, but wrong: unknown names, impossible numbers, missing files
MEANING = """
analysis_damping_two analysis_index_four analysis_index_ida analysis_output_endless analysis_partitioning_alpha analysis_steps_*
analysis_rotation_axis analysis_stress_tolerance_percent analysis_tolerance_* analysis_until_before_start
assembly_file_missing assembly_inner_reference assembly_parameter_unknown assembly_units
body_missing body_shapes_auto_uncorrected density_without_shape
body_mesh_geometry body_mesh_inside_out body_mesh_missing body_mesh_nothing body_mesh_part_* body_mesh_set
campbell_parameter campbell_range fmu_name body_mesh_truncated body_mesh_unit body_mesh_watch_taken body_mesh_without_material part_damping_* part_geometry_iges
part_file_unit_missing part_solid_of_mesh part_solid_and_glued part_interface_two_faces part_interface_face_radius
part_interface_face_tolerance part_interface_cylinder_axis part_interface_box part_interface_face_missing
event_never event_of_start event_switches_unknown event_without_action event_without_time
expression_* force_axis_zero force_bushing_two_numbers force_spring_to_itself force_spring_without_stiffness
force_value_without_axis gear_*
body_parts_interface_node body_parts_many body_parts_name body_parts_name_after
include_cycle include_folder include_missing include_name_twice include_other_units include_wrong_part
inertia_four_numbers inertia_missing inertia_not_positive inertia_of_no_body inertia_zero
joint_axis_zero joint_distance_zero joint_friction_coefficient joint_friction_static_less joint_friction_without_radius joint_ground_to_ground
joint_limits_order joint_limits_without_stops joint_motion_coordinate joint_motion_of_fixed joint_motion_which
joint_of_three joint_spring_empty joint_start_unknown joint_to_itself joint_x_along_axis
key_text_for_number
marker_axis_zero marker_missing marker_on_missing_body marker_x_without_z mass_missing
name_ground no_bodies number_too_large number_with_too_many_digits number_yaml_nan
parameter_cycle parameter_is_a_function parameter_is_time parameter_text parameter_unknown
part_damping_both part_damping_critical part_elements_many part_end_section_shape part_file_folder
part_file_inside_out part_file_kind part_file_middle_nodes part_file_missing part_file_order part_file_truncated part_file_without_material
part_file_without_thickness part_frame_chord_one part_frame_chord_same part_frame_marker part_frame_two part_geometry_size
part_interface_between_nodes part_interface_node part_interface_nowhere part_interface_radius_of_set
part_interface_set part_interface_two_places part_is_a_model part_length_and_to part_length_missing part_length_unit
part_marker_is_interface part_marker_off_the_beam part_material_density part_material_missing part_material_nu part_material_orthotropic part_material_orthotropic_beam part_matrices_missing
part_mesh_coupling part_mesh_distributed_nodes part_mesh_far part_mesh_frame_without_interfaces part_mesh_on_a_line
part_mesh_radius part_mesh_set_unknown part_mesh_shared_node part_mesh_two_nodes part_mesh_without_interfaces
response_* part_missing part_no_length_at_all part_offset_three part_parameter_unknown part_section_empty part_section_numbers
part_section_sizes part_section_stiffness_* part_section_two part_section_wall part_shapes_auto part_shapes_direction part_shapes_distributed part_shapes_empty
part_shapes_frequency part_shapes_held_direction body_shapes_combined part_shapes_held_marker part_shapes_held_of_modes part_shapes_target part_shapes_two_in_one
part_section_missing part_stations_beyond part_stations_both part_stations_end part_stations_first part_stations_last
part_stations_offset part_stations_order part_stations_section part_stations_shape part_stations_three
part_up_along
repeat_beyond_the_end repeat_half repeat_index_* repeat_same_name repeat_too_many
robot_change_unknown robot_entities robot_flexible_link robot_keys robot_units robot_weightless
rotate_axis_zero rotate_quaternion_zero lumped_* sliding_*
ancf_arc_* ancf_cable_damping ancf_cable_section ancf_cable_twist ancf_curve_* ancf_damping_ratio ancf_full_section ancf_full_strain ancf_offset ancf_section_l
superelement_rotary_inertia
ancf_through_* sensor_section_of_rigid sensor_section_of_lumped body_matrices_node body_matrices_pieces sensor_stress_* sensor_strain_* sensor_largest_*
sensor_axis_zero sensor_derivative_three sensor_energy_unknown sensor_is_a_signal sensor_of_*
shape_rod shape_two_at_once
input_file_missing input_parameter input_range input_sensor input_signal input_start output_unknown
signal_is_a_parameter signal_loop signal_of_* signal_start_sizes signal_state_space_sizes signal_table_missing signal_transfer_improper
unit_* validation_sensor_unknown validation_without_reference version_decimal
""".split()


class Loader(yaml.SafeLoader):
    """YAML 1.2 as the program reads it: `on` and `yes` are texts, 1e-3 is a number, tags other than the plain ones are not known."""


Loader.yaml_implicit_resolvers = {}
NUMBER = r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$"
Loader.add_implicit_resolver("tag:yaml.org,2002:null", re.compile(r"(~|null|Null|NULL|)$"), None)
Loader.add_implicit_resolver("tag:yaml.org,2002:bool", re.compile(r"(true|True|TRUE|false|False|FALSE)$"), None)
Loader.add_implicit_resolver("tag:yaml.org,2002:int", re.compile(r"[-+]?[0-9]+$"), None)
Loader.add_implicit_resolver("tag:yaml.org,2002:float", re.compile(NUMBER), None)
Loader.add_implicit_resolver("tag:yaml.org,2002:merge", re.compile(r"<<$"), None)
Loader.add_constructor("tag:yaml.org,2002:int", lambda loader, node: int(node.value))
Loader.add_constructor("tag:yaml.org,2002:float", lambda loader, node: float(node.value))


def texts_as_keys(value):
    """Keys as strings: JSON has no others."""
    if isinstance(value, dict):
        return {str(key): texts_as_keys(entry) for key, entry in value.items()}
    return [texts_as_keys(entry) for entry in value] if isinstance(value, list) else value


def matches(name, patterns):
    return any(re.fullmatch(pattern.replace("*", ".*"), name) for pattern in patterns)


def main():
    root = pathlib.Path(__file__).resolve().parent.parent
    build = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else root / "build"
    ask = lambda command: subprocess.run([build / "limber", command], check=True, capture_output=True, text=True).stdout
    schema = json.loads(ask("schema"))
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    passed, failures = 1, []

    def refusal(path):
        with open(path, encoding="utf-8") as file:
            return jsonschema.exceptions.best_match(validator.iter_errors(texts_as_keys(yaml.load(file, Loader))))

    for path in sorted([*root.glob("examples/*.yaml"), *root.glob("examples/parts/*.yaml"), *root.glob("validation/*.yaml")]):
        why = refusal(path)
        if why is None:
            passed += 1
        else:
            place = ".".join(str(part) for part in why.absolute_path)
            failures.append(f"{path.relative_to(root)}: refused, at {place}: {why.message[:300]}")

    bad = [path for path in sorted(root.glob("tests/bad/*.yaml")) if not matches(path.stem, YAML)]
    for path in bad:
        accepted, listed = refusal(path) is None, matches(path.stem, MEANING)
        if accepted == listed:
            passed += 1
        else:
            failures.append(f"{path.relative_to(root)}: " + ("accepted" if accepted else "refused, take it off the list in MEANING"))

    if ask("reference") == (root / "docs/guide/reference.md").read_text(encoding="utf-8"):
        passed += 1
    else:
        failures.append("docs/guide/reference.md: out of date; build/limber reference >docs/guide/reference.md")

    for failure in failures:
        print(failure)
    print(f"{passed} passed, {len(failures)} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())

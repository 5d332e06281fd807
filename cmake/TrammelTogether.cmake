# SPDX-FileCopyrightText: The trammel authors
# SPDX-License-Identifier: Apache-2.0
#
# Sources that g++ compiles a few at a time: what they share of the standard library is instantiated once, in half the
# time. A file that is not named here is compiled alone, as all are by clang and linters, so that every file still says what it
# includes. Files of one line may not use one name, in their unnamed namespaces, for two things: give one of them another name, or take it out of
# its line.

# trammel_compile_together(<target> "<folder of src>: <file> <file> ..." ...)
function(trammel_compile_together target)
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  foreach(line IN LISTS ARGN)
    string(REGEX MATCH "^([a-z_/]+): (.*)$" matched "${line}")
    set(folder "${CMAKE_MATCH_1}")
    string(REPLACE " " ";" names "${CMAKE_MATCH_2}")
    list(GET names 0 first)
    string(REPLACE "/" "_" group "${folder}_${first}")
    foreach(name IN LISTS names)
      set(file "${PROJECT_SOURCE_DIR}/src/${folder}/${name}.cpp")
      if(NOT EXISTS "${file}")
        message(FATAL_ERROR "cmake/TrammelTogether.cmake names ${file}, which is not there")
      endif()
      set_source_files_properties("${file}" PROPERTIES UNITY_GROUP "${group}")
    endforeach()
  endforeach()
endfunction()

trammel_compile_together(trammel-unhurried
  "readers: kam_data kam_listing kam_loops kam_lowering kam_reader kam_statements kam_text kam_words"
  "readers: dm_body dm_environment dm_fields dm_fluid dm_links dm_loops dm_reader dm_text"
  "readers: urdf_joints urdf_links urdf_reader urdf_shapes urdf_tree urdf_writer"
  "readers: mjcf_actuators mjcf_bodies mjcf_equality mjcf_finite mjcf_frames mjcf_geoms mjcf_hinges mjcf_items"
  "readers: mjcf_keyframes mjcf_reader mjcf_schema mjcf_settings mjcf_tag"
  "readers: mjcf_tree mjcf_writer mjcf_written_chains"
  "readers: yaml_actuation_writer yaml_actuators yaml_bodies yaml_bushings"
  "readers: yaml_contacts yaml_contacts_writer yaml_coordinates yaml_curves yaml_dh yaml_drives yaml_emit yaml_events yaml_fields yaml_fluid"
  "readers: yaml_fluid_writer yaml_formulas yaml_geometry yaml_inputs"
  "readers: yaml_joint_writer yaml_joints yaml_keys yaml_linkage yaml_linkage_writer"
  "readers: yaml_impacts yaml_loads yaml_measures yaml_motors yaml_plate yaml_poses yaml_profiles"
  "readers: yaml_reader yaml_scenario yaml_shapes yaml_simulate yaml_state_functions"
  "readers: yaml_syntax yaml_terrain yaml_tree yaml_writer yaml_writing"
  "readers: load_file losses mass_properties mesh_files messages read_model terrain_files xml_text"
  "results: analysis_channels axis_numbers channels csv drawing"
  "results: drawing_bodies drawing_camera drawing_constraints drawing_couplings drawing_dxf drawing_labels"
  "results: drawing_marks drawing_outline drawing_pairs drawing_scene drawing_sheet drawing_solid"
  "results: drawing_svg drawing_views hdf5_burst_driver hdf5_handles plot_parts recording"
  "results: recording_checkpoint recording_file recording_pack sha256 svg"
  "results: svg_map_plot svg_plane_plot table text_extent ticks utf8"
  "scene: bundle mechanism page recording scene sweep"
  "scene: series state_things"
  "study: folder journal keeping merge mixture plan_reader random sampling"
  "study: least_squares observation optimize path_fit places run sobol substitution task worker_pool"
  "model: fluid_check hydrodynamic_models inertia_check measure model profile shape shape_distance terrain units"
  "mechanism: compile compile_contacts link_length"
  "mechanism: model_check spanning_tree state")

trammel_compile_together(trammel
  "analysis: analyze branch sweep_values kinetostatics measures modes step_results"
  "constraints: all_constraints curve"
  "dynamics/lilly_orin: find_star joint_space plan"
  "fluid: clip flow fluid_forces bodies_in_fluid fluid_lanes fluid_report"
  "impact: floating friction_impact impact impulse_response"
  "loop_dynamics: closing_freedoms elimination_order loop_reactions projection loop_dynamics dense_loops"
  "loops: constraint_rows loop_solver mobility tree_series"
  "loops/chace: case1_any_vector case2_cone_and_slide case3_cone_and_arm case4_sphere_and_slide case5_sphere_and_arm case6_three_slides"
  "loops/chace: case7_two_slides_and_arm case8_slide_and_two_arms loop_newton overdetermined trig_polynomial two_dots vectors"
  "loops/closed_form: planar_plan spatial_plan"
  "simulation: channels coordinate_rates contact_forces events terrain_warnings"
  "simulation: bdf_stepper erk_stepper fixed_steppers"
  "simulation: apply_events checkpoint impact_events rollout simulation time_breaks verdicts"
  "simulation: freedom_forces implicit_step stiffness system")

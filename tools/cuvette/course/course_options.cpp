// SPDX-License-Identifier: Apache-2.0
#include "tools/cuvette/course/course_options.hpp"

#include "tools/cuvette/option_help.hpp"

namespace cuvette::tools {
namespace {

constexpr const char* grade_footer = R"(
EXERCISE is the id of an exercise of the course (02-streams/1-wait), its number (2.1), its name (wait), or a folder with
exercise.json. The checks are run in the order of exercise.json, up to the first that fails.

Examples:
  cuvette grade 2.1 --submission exercise.cu
  cuvette grade wait                            grades ./cuvette-course/.../exercise.cu, or ./exercise.cu
  cuvette grade --json my_exercise --submission a.cu
  cuvette grade my_exercise --class submissions --csv table.csv
  cuvette grade --self-test                     tests the course itself

Exit status: 0 if all checks of the exercise pass, 1 if one fails, 2 if the submission cannot be graded (there is
none, or something that the exercise needs is not here), 125 if this command itself failed.)";

}  // namespace

CLI::App* add_grade(CLI::App& app, GradeOptions& options) {
  CLI::App* const command =
      app.add_subcommand("grade", "Say whether a program solves an exercise, in every legal order");
  command->footer(grade_footer);
  command->add_option("EXERCISE", options.exercise,
                      wrapped("An exercise of the course, or a folder."));
  command
      ->add_option("--submission", options.submission,
                   wrapped("The file to grade [where `cuvette learn start` put it]."))
      ->type_name("FILE");
  command->add_option("--course", options.course, wrapped("Another course than the installed one."))
      ->type_name("FOLDER");
  command
      ->add_option("--compiler", options.compiler,
                   wrapped("nvcc, or a clang++ [the one of `cuvette c++`]."))
      ->type_name("PROGRAM");
  command
      ->add_option("--jobs", options.jobs,
                   wrapped("How many runs at a time [the number of cores]."))
      ->type_name("N");
  command->add_flag(
      "--self-test", options.tests_course,
      wrapped("Test the exercise, or the whole course: its start fails as promised, its "
              "solution passes, and each mutant fails as promised."));
  command->add_flag("--answer", options.shows_answer,
                    wrapped("Compute what learners have to predict, and print it."));
  command->add_flag("--json", options.json, wrapped("Print the grade as JSON."));
  command
      ->add_option("--junit", options.junit,
                   wrapped("Also write the grade to this file, as JUnit's XML."))
      ->type_name("FILE");
  return command;
}

}  // namespace cuvette::tools

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

Exit status: 0 if all checks of the exercise pass; 1 if one fails; 2 if the submission cannot be graded (there is
none, or something that the exercise needs is not here); 125 if this command itself failed. With --self-test 1 if a
promise is not kept; with --class 0 if the table is complete.)";

constexpr const char* learn_footer = R"(
Without ACTION: lists the lessons, how far each exercise is (new, failing, passing, explained), and what comes next.

  start EXERCISE      copies it to ./cuvette-course/EXERCISE, or to the folder of --to; begin wherever you like
  watch [EXERCISE]    grades it, and again whenever the file is saved, until Ctrl-C
  hint [EXERCISE]     one hint more
  explain [EXERCISE]  after success: a question, which you answer before the program runs, and the explanation
  solution [EXERCISE] after success, or with --anyway
  reset [EXERCISE]    the file as at the start; your own is kept beside it
  next                starts the next exercise that does not pass yet

EXERCISE is an id (02-streams/1-wait), a number (2.1) or a name (wait); without, the one that was started last.

Examples:
  cuvette learn
  cuvette learn start 2.1
  cuvette learn watch

Exit status: 0 if it was done; 1 if the exercise does not pass, or something comes only after success; 2 if something
that the exercise needs is not here; 125 if this command itself failed.)";

// What exercises are taken from, and compiled with.
void add_means(CLI::App& command, std::string& course, std::string& compiler) {
  command.add_option("--course", course, wrapped("Another course than the installed one."))
      ->type_name("FOLDER");
  command
      .add_option("--compiler", compiler, wrapped("nvcc, or a clang++ [the one of `cuvette c++`]."))
      ->type_name("PROGRAM");
}

}  // namespace

CLI::App* add_learn(CLI::App& app, LearnOptions& options) {
  CLI::App* const command =
      app.add_subcommand("learn", "Learn CUDA: lessons, and exercises that are graded here");
  command->footer(learn_footer);
  command
      ->add_option("ACTION", options.action,
                   wrapped("start, watch, hint, explain, solution, reset or next."))
      ->check(CLI::IsMember({"start", "watch", "hint", "explain", "solution", "reset", "next"}));
  command->add_option("EXERCISE", options.exercise, wrapped("An exercise [the one started last]."));
  command->add_option("--to", options.to, wrapped("start: the folder to copy the exercise to."))
      ->type_name("FOLDER");
  command
      ->add_option("--answer", options.answers,
                   wrapped("explain: a line of the answer, instead of asking. May be repeated."))
      ->type_name("LINE")
      ->allow_extra_args(false);
  command->add_flag("--anyway", options.anyway,
                    wrapped("solution, explain: although the exercise does not pass yet."));
  add_means(*command, options.course, options.compiler);
  return command;
}

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
  add_means(*command, options.course, options.compiler);
  command
      ->add_option("--jobs", options.jobs,
                   wrapped("How many runs at a time [the number of cores]."))
      ->type_name("N");
  command
      ->add_option(
          "--class", options.class_folder,
          wrapped("Grade all submissions in this folder, a file or a folder for each student, "
                  "each in a sandbox, and print a table."))
      ->type_name("FOLDER");
  command->add_option("--csv", options.csv, wrapped("Also write the table to this file."))
      ->type_name("FILE");
  command
      ->add_option("--seconds", options.seconds,
                   wrapped("How long grading a submission of a class may take [20]."))
      ->type_name("SECONDS")
      ->check(CLI::PositiveNumber);
  command
      ->add_option("--memory", options.memory,
                   wrapped("How much memory that may take, in MiB [2048]."))
      ->type_name("MIB")
      ->check(CLI::PositiveNumber);
  command
      ->add_option("--processes", options.processes,
                   wrapped("How many processes it may have at a time [64]."))
      ->type_name("N")
      ->check(CLI::PositiveNumber);
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

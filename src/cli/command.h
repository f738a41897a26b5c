/* cli/command.h - the commands of `bex`: one cmd_<name>.c each, one row in main.c's table. */
#ifndef BEX_CLI_COMMAND_H
#define BEX_CLI_COMMAND_H

/* argv[0] is the command's name. Returns an exit code of cli/options.h. */
int bex_cmd_act(int argc, char **argv);
int bex_cmd_bench(int argc, char **argv);
int bex_cmd_compare(int argc, char **argv);
int bex_cmd_coverage(int argc, char **argv);
int bex_cmd_data(int argc, char **argv);
int bex_cmd_data_convert(int argc, char **argv);
int bex_cmd_data_gen(int argc, char **argv);
int bex_cmd_data_gen_libero(int argc, char **argv); // ENV libero-90 of data gen
int bex_cmd_data_import_kitchen(int argc, char **argv);
int bex_cmd_data_import_libero(int argc, char **argv);
int bex_cmd_data_show(int argc, char **argv);
int bex_cmd_data_suggest(int argc, char **argv);
int bex_cmd_doctor(int argc, char **argv);
int bex_cmd_env(int argc, char **argv);
int bex_cmd_env_check(int argc, char **argv);
int bex_cmd_eval(int argc, char **argv);
int bex_cmd_explore(int argc, char **argv);
int bex_cmd_export(int argc, char **argv);
int bex_cmd_plans(int argc, char **argv);
int bex_cmd_report(int argc, char **argv);
int bex_cmd_serve(int argc, char **argv);
int bex_cmd_show(int argc, char **argv);
int bex_cmd_theory(int argc, char **argv);
int bex_cmd_train(int argc, char **argv);

#endif

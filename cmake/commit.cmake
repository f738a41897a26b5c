# Writes run/commit.h, only when it changes: BEX_COMMIT is the commit built, with "-dirty" if files
# differ from it, or "unknown" outside a checkout of our own. Runs in every build (seconds, not
# minutes, matter: one git call) because a configure-time value would go stale.
#   cmake -DSOURCE=dir -DOUT=file -P commit.cmake
set(commit unknown)
find_program(GIT git)
if(GIT AND EXISTS ${SOURCE}/.git)
  execute_process(COMMAND ${GIT} describe --always --dirty --abbrev=12 --exclude=*
    WORKING_DIRECTORY ${SOURCE} OUTPUT_VARIABLE said OUTPUT_STRIP_TRAILING_WHITESPACE
    ERROR_QUIET RESULT_VARIABLE failed)
  if(NOT failed)
    set(commit ${said})
  endif()
endif()
file(CONFIGURE OUTPUT ${OUT} CONTENT "#define BEX_COMMIT \"${commit}\"\n")

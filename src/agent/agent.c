/* agent/agent.c - the table of methods. */
#include "agent/agent.h"

#include "agent/imitation/bc.h"
#include "agent/imitation/be.h"
#include "agent/rl/sac.h"
#include "agent/sight/encoder.h"
#include "agent/skills/hilp_skills.h"
#include "agent/skills/supe_skills.h"
#include "base/error.h"
#include "base/path.h"
#include "nn/safetensors.h"

const bex_agent_class *bex_agent_class_of(const bex_train_config *config) {
    static const bex_agent_class *const classes[] = {
#define CLASS(name, class) &(class),
        BEX_AGENTS(CLASS)
#undef CLASS
    };
    return classes[config->train.agent];
}

void bex_sources_fini(bex_sources *s) {
    bex_dataset_free(s->data);
    bex_world_close(s->world);
    *s = (bex_sources){0};
}

int bex_agent_load(bex_agent *agent, const char *folder, bex_agent_read_fn *model,
                   bex_agent_read_fn *state) {
    bex_agent_read_fn *const reads[] = {model, state};
    static const char *const names[] = {"model.safetensors", "state.safetensors"};
    for (int k = 0; k < 2; k++) {
        char path[BEX_PATH_SIZE];
        if (bex_path_join(path, folder, "%s", names[k]) < 0) return -1;
        bex_st_file *f = bex_st_load(path);
        if (!f) return -1;
        int code = reads[k](agent, f);
        bex_st_free(f);
        if (code < 0) return bex_fail_in("%s", path);
    }
    return 0;
}

int bex_agent_settle(bex_train_config *config) {
    const bex_agent_class *class = bex_agent_class_of(config);
    if (!class->widens) config->policy.vision.columns = 0;
    return class->settle ? class->settle(config) : 0;
}

bex_agent *bex_agent_new(const bex_train_config *config, bex_sources *sources) {
    const bex_agent_class *class = bex_agent_class_of(config);
    bex_train_config own = *config;
    BEX_CHECK(!(class->needs & BEX_NEEDS_DATA) == !sources->data &&
                  !(class->needs & BEX_NEEDS_WORLD) == !sources->world,
              "%s needs %u", bex_train_agent(config), class->needs);
    if (bex_agent_settle(&own) < 0) return bex_sources_fini(sources), NULL;
    bex_agent *agent = class->new (&own, sources);
    *sources = (bex_sources){0};
    return agent;
}

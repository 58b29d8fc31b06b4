// The planner's own parts, from the build.
import { built } from '../lib/built.mjs';

export function loadPlanning() {
  const { profileOf } = built('src/orchestrators/planning/tool-profile');
  const { chooseTools, rankTools, relevanceOf } = built('src/orchestrators/planning/choose-tools');
  const { decompose } = built('src/orchestrators/planning/decompose');
  const { PLAN_SCHEMA, planMessages, readModelPlan } = built('src/orchestrators/planning/model-planner.service');
  const profiles = new WeakMap();
  const profileFor = (tool) => profiles.get(tool) ?? profiles.set(tool, profileOf(tool)).get(tool);
  return {
    ...{ decompose, relevanceOf, PLAN_SCHEMA, planMessages, readModelPlan },
    rankTools: (query, tools, similarities) => rankTools(query, tools.map(profileFor), similarities),
    chooseTools: (query, tools, options) => chooseTools(query, tools.map(profileFor), options),
  };
}

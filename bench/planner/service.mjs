// The planner's own parts, from the build.
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const require = createRequire(import.meta.url);
const dist = process.env.BENCH_DIST ?? join(import.meta.dirname, '../../dist/src');

export async function loadPlanning() {
  const from = (file) => require(join(dist, 'planning', file));
  if (!existsSync(join(dist, 'planning/question/decompose.js'))) {
    console.error(`there is no build in ${dist}: npm run build`);
    process.exit(2);
  }
  const { profileOf } = from('selection/tool-profile.js');
  const { rankTools } = from('selection/rank-tools.js');
  const { chooseTools } = from('selection/choose-tools.js');
  const profiles = new WeakMap();
  const profileFor = (tool) => profiles.get(tool) ?? profiles.set(tool, profileOf(tool)).get(tool);
  return {
    rankTools: (query, tools, similarities) => rankTools(query, tools.map(profileFor), similarities),
    chooseTools: (query, tools, options) => chooseTools(query, tools.map(profileFor), options),
    relevanceOf: from('selection/relevance.js').relevanceOf,
    decompose: from('question/decompose.js').decompose,
    model: () => ({ ...from('planners/model-question.js'), ...from('planners/read-model-plan.js') }),
  };
}

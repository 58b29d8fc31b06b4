import type { Config } from '../../infrastructure/config';
import type { ToolMetrics } from '../statistics/tool.metrics';
import { attempt } from './attempt';
import { bulkhead, TargetGates } from './bulkhead';
import { circuit, Circuits } from './circuits';
import { keptResults } from './kept-results';
import { LearnedTimes } from './learned-times';
import type { Next, Policy } from './policy.types';
import { retry } from './retry';

/** Everything between an invoker and a tool. The first policy is the outermost; each is one call frame. */
export function callPipeline(config: Config['tools'], metrics: ToolMetrics): Next {
  const circuits = new Circuits(metrics);
  const learned = new LearnedTimes();
  const gates = new TargetGates(config.parallelLimit);
  return compose(
    [keptResults(config, metrics), circuit(circuits), retry(config, learned), bulkhead(gates, circuits)],
    attempt(learned),
  );
}

const compose = (policies: readonly Policy[], last: Next): Next =>
  policies.reduceRight((next, policy) => policy(next), last);

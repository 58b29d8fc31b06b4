import { ConditionalStrategy } from './conditional.strategy';
import { DependencyStrategy } from './dependency.strategy';
import { ParallelStrategy } from './parallel.strategy';
import { PlannedStrategy } from './planned.strategy';
import { SequentialStrategy } from './sequential.strategy';

/** Every strategy, one line each: the key that documents name, and the class that is bound to its token. */
export const STRATEGY_PLUGINS = [
  { key: 'sequential', useClass: SequentialStrategy },
  { key: 'parallel', useClass: ParallelStrategy },
  { key: 'dependency', useClass: DependencyStrategy },
  { key: 'conditional', useClass: ConditionalStrategy },
  { key: 'planned', useClass: PlannedStrategy },
] as const;

export const STRATEGY_NAMES: readonly string[] = STRATEGY_PLUGINS.map(({ key }) => key);

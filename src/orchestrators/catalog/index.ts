import { ConditionalStrategy } from './conditional/conditional.strategy';
import { DependencyStrategy } from './dependency/dependency.strategy';
import { ParallelStrategy } from './parallel/parallel.strategy';
import { PlannedStrategy } from './planned/planned.strategy';
import { SequentialStrategy } from './sequential/sequential.strategy';

/** Every strategy, one line each: the key that documents name, and the class that is bound to its token. */
export const STRATEGY_PLUGINS = [
  { key: 'sequential', useClass: SequentialStrategy },
  { key: 'parallel', useClass: ParallelStrategy },
  { key: 'dependency', useClass: DependencyStrategy },
  { key: 'conditional', useClass: ConditionalStrategy },
  { key: 'planned', useClass: PlannedStrategy },
] as const;

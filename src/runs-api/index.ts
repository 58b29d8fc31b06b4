export { RunAccess } from './run-access.service';
export { goneIn } from '../../extensions/evaluations/replays/run-replays.service';
export { RunsApiModule } from './runs-api.module';
export { presentRun } from './run-view';
export { presentSides } from '../../extensions/evaluations/what-if/present-comparison';
export { storedCaller } from '../../extensions/evaluations/what-if/replay-worker.service';
export { ComparedSidesDto } from '../../extensions/evaluations/what-if/what-if.dto';
export { ComparedRuns } from '../../extensions/evaluations/what-if/what-if.service';
export type { ComparedRun } from '../../extensions/evaluations/what-if/what-if.types';

export { RunAccess } from './run-access.service';
export { goneIn } from './replays/run-replays.service';
export { RunsApiModule } from './runs-api.module';
export { presentRun } from './run-view';
export { presentSides } from './what-if/present-comparison';
export { storedCaller } from './what-if/replay-worker.service';
export { ComparedSidesDto } from './what-if/what-if.dto';
export { ComparedRuns } from './what-if/what-if.service';
export type { ComparedRun } from './what-if/what-if.types';

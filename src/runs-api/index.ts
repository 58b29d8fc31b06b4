export { RunAccess } from './access/run-access.service';
export { RunDoorModule } from './run-door.module';
export { goneIn } from './replays/gone';
export { presentRun } from './run-view';
export { presentSides } from './what-if/present-comparison';
export { storedCaller } from './what-if/replay-worker.service';
export { RunSides } from './what-if/run-sides.service';
export { ComparedSidesDto } from './what-if/what-if.dto';
export type { ComparedRun } from './what-if/what-if.types';

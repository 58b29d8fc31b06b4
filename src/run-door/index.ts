export { RunDoorModule } from './run-door.module';
export { presentSides } from './what-if/present-comparison';
export { RunSides } from './what-if/run-sides.service';
export { ComparedSidesDto } from './what-if/what-if.dto';
export type { ComparedRun } from './what-if/what-if.types';

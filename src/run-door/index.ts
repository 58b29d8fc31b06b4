export { RunDoorModule } from './run-door.module';

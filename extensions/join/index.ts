export { JoinModule } from './join.module';

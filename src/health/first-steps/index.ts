export { FirstStepsModule } from './first-steps.module';

/** Hints between processes: docs/contributing/runs.md. */
export { Signals, type SignalHandler } from './signals';
export { SignalsModule } from './signals.module';

export { BufferedCounters, type CounterStore } from './buffered-counters';

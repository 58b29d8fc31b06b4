export { CompletionsModule } from './completions.module';
export { StreamsInFlight } from './streams-in-flight';
